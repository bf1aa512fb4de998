"""The edits that number what a draft cites: one reading of it, from citations to markers."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Final

from deepassay.reports.citations import (
    DASHES,
    AuthorYear,
    Citation,
    destination,
    folded_label,
    numbers_of,
)
from deepassay.reports.clean import list_removals
from deepassay.reports.headings import headings_of_references
from deepassay.reports.lexer import find_citations
from deepassay.reports.listing import (
    Language,
    Source,
    page_of,
    reference_list,
    unaddressed,
)
from deepassay.reports.references import Reference, Resolved, Unresolved
from deepassay.reports.removal import removals, shortened_citation, with_brackets
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span
from deepassay.reports.traced import TracedText


@dataclass(frozen=True)
class ReportCitingIds(Report):
    """A report that also cites by ids. letters: with which these begin."""

    letters: frozenset[str] = frozenset()

    @property
    def cites_ids(self) -> bool:
        """Whether it cites by ids."""
        return bool(self.letters)

    @cached_property
    def _marked(self) -> tuple[Citation, ...]:
        return find_citations(self.text, self.blocks, self.letters)

    @cached_property
    def own_lists(self) -> tuple[tuple[Span, tuple[Reference, ...], tuple[Citation, ...]], ...]:
        """Lists of sources, their entries and the citations in them.

        A section of numbered remarks that name no address is none.
        """
        unsure = {
            each.span for each in headings_of_references(self.text, self.blocks) if not each.sure
        }
        inside = iter(self._marked)
        each, found = next(inside, None), []
        for whole in self.reference_lists:
            held: list[Citation] = []
            while each is not None and each.span.start < whole.span.end:
                if each.span.start >= whole.span.start:
                    held.append(each)
                each = next(inside, None)
            sources = held or any(each.urls for each in whole.entries)
            if sources or not whole.entries or whole.heading not in unsure:
                found.append((whole.span, whole.entries, tuple(held)))
        return tuple(found)


@dataclass
class CitablePages:
    """The pages that may be cited, by canonical address, and the numbers they are given.

    ids: canonical addresses by id. own: every page that the report itself cites is one, and
    numbers that lead to no page of it stay as they stand in the text.
    """

    pages: Mapping[str, Source]
    ids: Mapping[str, str] = field(default_factory=dict)
    letters: frozenset[str] = frozenset()
    own: bool = False


_JOINED: Final = re.compile(
    rf"[ \t]*[,;，；、/&{DASHES}]?[ \t]*(?:(?:and|or|[和与及或])[ \t]*)?", re.IGNORECASE
)
_INDEXED: Final = re.compile(r"(?:[A-Za-z_$][\w.$]*|[\]!])\Z", re.ASCII)
_CODE_AFTER: Final = re.compile(r"\s?[-+*/]?=|\.[a-z_]+\(|\[[a-z_]")
_RAISED: Final = re.compile(r"[ \t]*</su[bp]>", re.IGNORECASE)
_GLUED: Final = re.compile(r"\A(?=[a-z])|(?<=[a-z])\Z", re.IGNORECASE)
_SPELLED: Final = re.compile(r"\][ \t]?(?:to|through)\b", re.IGNORECASE)
_NEXT: Final = re.compile(r"[ \t,;]{0,3}[\[【［<\\]")
_LONGEST_WORD: Final = 40


@dataclass(frozen=True, slots=True)
class _PagesOfCitation:
    """A citation of a run. gap: what stands between it and the one before."""

    citation: Citation
    pages: tuple[str, ...]
    gap: str


def is_citation(resolved: Resolved) -> bool:
    """Whether a citation is one: names and years without an entry are words."""
    return not isinstance(resolved.citation, AuthorYear) or bool(resolved.references)


def _bears(entry: Reference, key: str, citation: Citation) -> bool:
    """Whether an entry that a citation leads to is one of this key."""
    return isinstance(citation, AuthorYear) or folded_label(key) in map(folded_label, entry.keys)


class CitationNumbering:
    """One reading of a draft: the edits that number it, and what they do."""

    def __init__(self, report: ReportCitingIds, book: CitablePages) -> None:
        self.report, self.book = report, book
        self.removed: list[str] = []
        self.numbers: dict[str, int] = {}
        self.leading: set[int] = set()
        self.listed = self._listed()
        self.cited = [(each, *self._pages(each)) for each in report.resolved]
        self.kept: set[int] = set()
        if book.own:
            stay = (each[1:-1] for *_, unknown in self.cited for each in unknown)
            self.kept = {int(number) for number in stay if number.isdecimal()}
        self.edits = list(self._edits())

    def _listed(self) -> dict[Span, tuple[str, ...]]:
        """The pages that each entry of the draft's own lists names by ids."""
        found: dict[Span, tuple[str, ...]] = {}
        for span, entries, held in self.report.own_lists:
            below = span.of(self.report.text).partition("\n")[2].split()
            if below and not entries:
                self.removed.append(" ".join(below))
            waiting = iter(held)
            nearest = next(waiting, None)
            for entry in entries:
                pages = list[str]()
                while nearest is not None and nearest.span.start < entry.span.end:
                    pages += [self.book.ids.get(key.lower(), "") for key in nearest.keys]
                    nearest = next(waiting, None)
                found[entry.span] = self._known(pages)
                named = [*map(page_of, entry.urls)] or [unaddressed(entry.title)]
                if not self._known([*pages, *named]):
                    self.removed.append(" ".join(entry.span.of(self.report.text).split()))
        return found

    def _known(self, pages: Iterable[str]) -> tuple[str, ...]:
        """The pages that may be cited, each once."""
        return tuple(page for page in dict.fromkeys(pages) if page in self.book.pages)

    @property
    def sources(self) -> list[Source]:
        """The pages that are cited, in the order of their numbers."""
        return [self.book.pages[page] for page in self.numbers]

    def actions(self) -> Iterator[str]:
        """What was done, in words."""
        if self.numbers:
            yield f"pages numbered: {len(self.numbers)}"
        if self.removed:
            yield f"citations of no source removed: {len(self.removed)}"
        if self.report.own_lists:
            yield f"lists of the draft left out: {len(self.report.own_lists)}"
        if self.numbers and _closing(self.report):
            yield "closed the code at the end"

    def rewritten(self, before: TracedText, language: Language | None) -> TracedText:
        """The text as it is after this pass. before: the text that it reads."""
        if not self.numbers and self.book.own:
            return before
        lists = list_removals(self.report, [span for span, *_ in self.report.own_lists])
        edited = before.edited([*self.edits, *(Edit(*each) for each in lists)])
        body = edited.text.rstrip()
        after = "\n" if body else ""
        if self.numbers:
            by_number = {number: self.book.pages[page] for page, number in self.numbers.items()}
            places = range(1, self.last_number + 1)
            sources = [by_number.get(n, Source("")) for n in places]
            after = f"{_closing(self.report)}\n\n{reference_list(sources, body, language)}"
        return edited.edited([Edit(Span(len(body), len(edited.text)), after)])

    def _pages(self, resolved: Resolved) -> tuple[tuple[str, ...], list[str]]:
        """The pages that a citation leads to, and what it names that leads to none.

        The resolver says where it leads; ids of sources are what it cannot know.
        """
        citation, why = resolved.citation, dict(resolved.missing)
        pages = [*map(page_of, resolved.urls)]
        unknown = pages[:1] if citation.url is not None and not self._known(pages[:1]) else []
        for key in citation.keys:
            named = [each for each in resolved.references if _bears(each, key, citation)]
            led = [self.book.ids.get(key.lower(), ""), *self._listed_under(named, why.get(key))]
            pages += led
            if key not in why:
                led += [page_of(url) for each in named for url in each.urls]
            if citation.url is None and not self._known(led):
                unknown.append(f"[{key}]" if key.isdecimal() else key)
        if isinstance(citation, AuthorYear):
            unknown = [citation.raw] if unknown or resolved.missing else []
        return self._known(pages), unknown

    def _listed_under(self, named: Sequence[Reference], why: Unresolved | None) -> Iterator[str]:
        """What entries name by ids; by their titles, where none of them gives an address."""
        if why is Unresolved.AMBIGUOUS:
            return
        for each in named:
            yield from self.listed.get(each.span, ())
            if why is not None and each.span in self.listed:
                yield unaddressed(each.title)

    def _runs(self) -> Iterator[list[_PagesOfCitation]]:
        """Markers that follow one another on a line; a link in a sentence begins a run."""
        text, run, end = self.report.text, list[_PagesOfCitation](), 0
        for resolved, named, unknown in self.cited:
            citation, pages = resolved.citation, named
            if not is_citation(resolved) and (self.book.own or not self.report.references):
                continue
            if self.book.own:
                if not pages:
                    continue
                pages += tuple(each for each in unknown if each[1:-1].isdecimal())
            else:
                self.removed += unknown
            citation = shortened_citation(citation)
            gap = text[end : citation.span.start] if citation.span.start - end < 20 else "\n"
            joined = bool(run) and _JOINED.fullmatch(gap) is not None
            worded = _SPELLED.search(citation.raw) is not None
            if run and (citation.in_sentence or worded or not joined):
                yield run
                run = []
            if worded and not _NEXT.match(text, citation.span.end):  # noqa: SIM102 - numbers are given
                if tuple(map(self._number, pages)) == numbers_of(citation):
                    continue  # as it is to be
            run.append(_PagesOfCitation(citation, pages, gap))
            end = citation.span.end
        if run:
            yield run

    def _number(self, page: str) -> int:
        if page[0] == "[":
            return int(page[1:-1])
        if page not in self.numbers:
            free = self.last_number + 1
            while free in self.kept:
                free += 1
            self.last_number = self.numbers[page] = free
        return self.numbers[page]

    last_number = 0

    def _edits(self) -> Iterator[Edit]:
        ends = self._ends() if self.book.own else {}
        moved: dict[int, dict[int, None]] = {}
        cuts: dict[int, int] = {}
        for run in self._runs():
            at = ends.get(run[0].citation.span)
            if at is not None:
                pages = [page for each in run for page in each.pages]
                moved.setdefault(at, {}).update(dict.fromkeys(map(self._number, pages)))
            marker = "" if at is not None else self._marker(run)
            if marker:
                yield self._in_place(run, marker)
                continue
            for span, words in removals(self.report.text, [each.citation for each in run]):
                cuts[span.end] = span.start
                yield Edit(span, words)
        for at, numbers in moved.items():
            before = self.report.text[: cuts.get(at, at)][-1:]
            blank = before.isascii() and not before.isspace() and before not in "([|"
            marker = "".join(f"[{number}]" for number in sorted(numbers))
            after = " " if at in self.leading else ""
            yield Edit(Span(at, at), f" {marker}{after}" if blank else f"{marker}{after}")

    def _marker(self, run: Sequence[_PagesOfCitation]) -> str:
        """`[1][2]`: each page once, ascending; words between markers that stay are kept."""
        groups: list[tuple[str, dict[int, None]]] = []
        for each in run:
            numbers = dict.fromkeys(map(self._number, each.pages))
            if numbers and (not groups or any(map(str.isalpha, each.gap))):
                groups.append((_GLUED.sub(" ", each.gap) if groups else "", numbers))
            elif numbers:
                groups[-1][1].update(numbers)
        return "".join(
            gap + "".join(f"[{number}]" for number in sorted(numbers)) for gap, numbers in groups
        )

    def _in_place(self, run: Sequence[_PagesOfCitation], marker: str) -> Edit:
        """The edit that sets a marker where its run stands."""
        text, first = self.report.text, run[0].citation
        span = Span(first.span.start, run[-1].citation.span.end)
        words = first.label or first.raw if first.in_sentence else ""
        links = all(each.citation.url and not each.citation.keys for each in run)
        if not words and (links or _RAISED.match(text, span.end)):
            span = with_brackets(text, *span)
        before = words or text[max(0, span.start - _LONGEST_WORD) : span.start]
        following = text[span.end : span.end + 1]
        if _INDEXED.search(before) or (
            before[-1:].isdecimal() and _CODE_AFTER.match(text, span.end)
        ):
            marker = f" {marker}"
        if following == "(" and destination(text, span.end, len(text)):
            marker += " "
        return Edit(span, words + marker)

    def _ends(self) -> dict[Span, int]:
        """Where the markers of each citation belong: at the end of its sentence.

        But a paragraph whose last sentence has them elsewhere may begin with sentences that cite
        nothing, and that would come under markers at its end. There they stay where they are, and
        those of a link that ends it come before its words.
        """
        text, found = self.report.text, dict[Span, int]()
        starts = [block.span.start for block in self.report.blocks]
        for _, group in groupby(self.report.statements, lambda s: bisect(starts, s.span.start)):
            *before, last = group
            bare = last.kind == "sentence" and not all(each.citations for each in before)
            for each in (*before, *(() if bare else (last,))):
                inside = [] if each.inherited else [one.citation.span for one in each.citations]
                at = _sentence_end(text, each.span, inside) if inside else 0
                found.update(dict.fromkeys(inside, at))
            if bare and last.citations and not last.inherited:
                link = last.citations[-1].citation
                if not any(map(str.isalnum, text[link.span.end : last.span.end])):
                    found[link.span] = with_brackets(text, *link.span).start
                    self.leading.add(found[link.span])
        return found


_CLOSERS: Final = frozenset("\"'”’»*_)）」』")
_MARKS: Final = frozenset(".!?。！？…")
_SHORT: Final = re.compile(r"(?<![^\W\d_])(?:[^\W\d_]\.)+\Z")


def _sentence_end(text: str, sentence: Span, cited: Sequence[Span]) -> int:
    """The place before the mark that ends a sentence, and before what is cited behind it."""
    around = {with_brackets(text, *each).end: with_brackets(text, *each).start for each in cited}
    at = sentence.end
    while at > sentence.start and (text[at - 1].isspace() or at in around):
        at = around.get(at, at - 1)
    mark = at
    while mark > sentence.start and text[mark - 1] in _CLOSERS and mark not in around:
        mark -= 1
    if text[mark - 1 : mark] not in _MARKS or _SHORT.search(text, sentence.start, mark):
        return at
    while mark > sentence.start and text[mark - 1] in _MARKS:
        mark -= 1
    return mark


_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE_TAGS: Final = (
    ("<!--", "-->"),
    ("<![CDATA[", "]]>"),
    ("<?", "?>"),
    *((f"<{name}", f"</{name}>") for name in ("pre", "script", "style", "textarea")),
)


def _closing(report: Report) -> str:
    """What closes a block of code at the end, that would swallow a list below it."""
    block = report.blocks[-1] if report.blocks else None
    if block is None or block.depth:
        return ""
    words = block.span.of(report.text)
    if block.kind == "code" and (fence := _FENCE.match(words)):
        last = words[fence.end() :].rpartition("\n")[2].strip()
        closed = last.startswith(fence[1]) and not last.strip(fence[1][0]) and "\n" in words
        return "" if closed else f"\n{fence[1]}"
    for opening, closing in _CODE_TAGS:
        if block.kind in ("code", "html") and words.lstrip().lower().startswith(opening.lower()):
            return "" if closing.lower() in words.lower() else f"\n{closing}"
    return ""
