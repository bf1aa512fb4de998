"""What each citation leads to: the entries of its keys, and their canonical addresses.

And whether the words of a link belong to the sentence or only mark its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from deepassay.reports.citations import (
    ANNOUNCING,
    AuthorYear,
    BareUrl,
    Citation,
    HtmlLink,
    InlineLink,
    NumberedLink,
    ReferenceLink,
    folded_label,
)
from deepassay.reports.markdown import Block, TableBlock
from deepassay.reports.references import Reference, ReferenceList, Resolved, Unresolved
from deepassay.reports.spans import Span
from deepassay.text import HAN, canonical

MOST_UNDER_ONE_LABEL = 20
_YEAR = re.compile(r"(?:19|20)\d\d[a-z]?\b|n\.d\.")
_ET_AL = re.compile(r"(?:等人?)?\.*\Z")
_WORD = re.compile(r"[^\s,，、;；()（）\"“”*_]+")


class _ResolvedParts(NamedTuple):
    references: tuple[Reference, ...]
    urls: tuple[str, ...]
    missing: tuple[tuple[str, Unresolved], ...]


def resolve_citations(
    citations: Sequence[Citation], lists: Sequence[ReferenceList]
) -> tuple[Resolved, ...]:
    """Each citation with its entries and canonical URLs; unresolved ones say why.

    A number that several entries bear, with addresses of different works, leads to none:
    AMBIGUOUS. Of several addresses of one work, the last that is written out counts.
    """
    index = _Index(entry for each in lists for entry in each.entries)
    found: dict[tuple[str, ...], _ResolvedParts] = {}
    resolved = []
    for citation in citations:
        if citation.keys not in found:
            found[citation.keys] = index.look_up(citation)
        references, urls, missing = found[citation.keys]
        if citation.url:
            urls = tuple(dict.fromkeys((canonical(citation.url), *urls)))
            # the address is there: a number beside it needs no list, unless there is one
            missing = tuple(each for each in missing if each[1] is not Unresolved.NO_LIST)
        resolved.append(Resolved(citation, references, urls, missing))
    return tuple(_without_mentions(resolved))


def _without_mentions(resolved: Sequence[Resolved]) -> Iterator[Resolved]:
    """Names and years that no entry bears are words of a report that cites otherwise."""
    named = sum(isinstance(each.citation, AuthorYear) for each in resolved)
    for each in resolved:
        mere = isinstance(each.citation, AuthorYear) and not each.references
        if not mere or 2 * named >= len(resolved):
            yield each


class _Index:
    """Entries by label, and by author and year."""

    def __init__(self, entries: Iterable[Reference]) -> None:
        self._labelled: dict[str, list[Reference]] = {}
        self._entries: list[Reference] = []
        self._authors: dict[str, list[Reference]] | None = None
        for entry in entries:
            self._entries.append(entry)
            for key in dict.fromkeys(map(folded_label, entry.keys)):
                _keep(self._labelled, key, entry)

    def look_up(self, citation: Citation) -> _ResolvedParts:
        named = isinstance(citation, AuthorYear)
        found = [self._one(key, named) for key in dict.fromkeys(citation.keys)]
        return _ResolvedParts(
            tuple(chain.from_iterable(each.references for each in found)),
            tuple(dict.fromkeys(chain.from_iterable(each.urls for each in found))),
            tuple(chain.from_iterable(each.missing for each in found)),
        )

    def _one(self, key: str, named: bool) -> _ResolvedParts:
        entries = tuple(self._labelled.get(folded_label(key), ()))
        if not entries and named:
            entries = tuple(self._by_author().get(key.casefold(), ()))
        if not entries:
            why = Unresolved.NO_ENTRY if self._entries else Unresolved.NO_LIST
            return _ResolvedParts((), (), ((key, why),))
        with_address = [entry for entry in entries if entry.urls]
        written = [entry for entry in with_address if not entry.identified] or with_address
        addresses = [tuple(dict.fromkeys(map(canonical, entry.urls))) for entry in written]
        if len({frozenset(map(_work, each)) for each in addresses}) > 1:
            return _ResolvedParts(entries, (), ((key, Unresolved.AMBIGUOUS),))
        if addresses:
            return _ResolvedParts(entries, addresses[-1], ())
        omitted = all(entry.omitted for entry in entries)
        return _ResolvedParts(
            entries, (), ((key, Unresolved.OMITTED if omitted else Unresolved.NO_URL),)
        )

    def _by_author(self) -> dict[str, list[Reference]]:
        """Entries by each beginning of their title and the year they hold."""
        if self._authors is None:
            self._authors = {}
            for entry in self._entries:
                year = _YEAR.search(entry.title)
                found = _WORD.findall(entry.title[: year.start()]) if year else []
                words = [_ET_AL.sub("", word) for word in found[:10]]
                for count in range(1, len(words) + 1):
                    name = " ".join(words[:count]).casefold()
                    for written in dict.fromkeys((year[0], year[0][:4]) if year else ()):
                        _keep(self._authors, f"{name} {written}", entry)
        return self._authors


_ARXIV = re.compile(
    r"https?://(?:(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/|(?:www\.)?alphaxiv\.org/abs/"
    r"|ar5iv\.(?:labs\.arxiv\.)?org/(?:abs|html)/|(?:dx\.)?doi\.org/10\.48550/arxiv\.)"
    r"(\d{4}\.\d{4,5}|[a-z.\-]{2,20}/\d{7})(?:v\d+)?(?:\.pdf)?/?(?:\?.*)?",
    re.IGNORECASE,
)


def _work(url: str) -> str:
    """What addresses of one work share: abstract, PDF, HTML and versions on arXiv are one."""
    found = _ARXIV.fullmatch(url)
    return f"arXiv:{found[1].lower()}" if found else url


def _keep(entries: dict[str, list[Reference]], label: str, entry: Reference) -> None:
    """Add an entry under its label; a hostile list may repeat one label without end."""
    same = entries.setdefault(label, [])
    if len(same) < MOST_UNDER_ONE_LABEL:
        same.append(entry)


_LEADING = frozenset(
    re.findall(
        r"\w+",
        "a an the this that these those its their our your his her in of by at on from to with "
        "per as for under like via into onto through within about between both over against than "
        "and or is are see using including include includes called named use uses visit read "
        "check",
    )
)
"""Words that need another after them, so that a link behind them is part of the sentence."""

_LEADING_CHINESE = frozenset("的在由据见从与和及或对向以是为把被让将于按照看至")


_LINKS = (InlineLink, ReferenceLink, NumberedLink, HtmlLink, BareUrl)
_TAG = re.compile(ANNOUNCING, re.IGNORECASE)
_ANNOUNCED = re.compile(rf"(?:[(（\[【][ \t]?|[;；,，][ \t]?){ANNOUNCING}[ \t]*\Z", re.IGNORECASE)
_CLOSED = re.compile(
    rf"[ \t]*(?:[)）\]】]|[;；,，][ \t]?(?:{ANNOUNCING}[ \t]*)?https?://)", re.IGNORECASE
)
_BETWEEN = re.compile(r"[\s,;、，；&+·/|)）(（\]\[]*(?:and|or|和|与|及)?\s*\Z")
_LAST_WORD = re.compile(r"(?:[^\W\d_]|['’])+\Z")
_MARKUP = re.compile(r"[\s>#*_\-+•\d.)“\"]*")
_HEADED_SOURCES = re.compile(
    r"\b(?:references?|refs?|sources?|citations?|evidence)\b|[来來]源|文[献獻]|[参參]考|引用|出处",
    re.IGNORECASE,
)
_LINKS_ALONE = re.compile(r"\[[^\n]*\]\([^\n]*\)")
_MARKS = ".!?。！？"
_FAR = 20
_LONGEST_NAME = 4  # words; longer labels are titles of sources
_NAMING = re.compile(
    r"(?:(?<![(（])\b(?:see|visit|at|via|from|to|on|use|check|is|are)[ \t]"
    r"|(?<![(（])(?:见|访问|登录|在|于|为|是|到|从)[ \t]?"
    r"|(?<!\bsource)(?<!\bsources)(?<!\breference)(?<!\breferences)(?<!\bref)"
    r"(?<!来源)(?<!出处)(?<!参考)"
    r"(?:\*\*)?[:：](?:\*\*)?[ \t]{0,3})\Z",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"[ \t](?:is|are|was|has|had|lists?|gives?|shows?|says?|states?|reports?|offers?|provides?|"
    r"contains?|explains?|describes?|covers?|claims?|notes?|does|can|will|also|and)\b"
)
_NEXT_SENTENCE = re.compile(rf"\s+(?:[A-Z“\"]|[{HAN}])")
_ENDS = re.compile(r"[\s*_)）\]]*(?:[.。;；!?！？:：,，、]|\Z|\n|\|)")


def placed_citations(
    text: str, blocks: Sequence[Block], citations: Sequence[Citation]
) -> Iterator[Citation]:
    """Citations of the body, in order, `in_sentence` set where a link's words are needed."""
    rest = iter(blocks)
    block = Span(0, 0)
    of_sources: Sequence[Span] = ()
    before: Citation | None = None
    for index, citation in enumerate(citations):
        if isinstance(citation, _LINKS):
            while block.end <= citation.span.start:
                whole = next(rest)
                block, of_sources = whole.span, _cells_of_sources(text, whole)
            if any(cell.start <= citation.span.start < cell.end for cell in of_sources):
                before = citation
                yield citation
                continue
            if before is not None and before.span.start < block.start:
                before = None
            if _is_kept(text, block, citations, index, before):
                citation = citation._replace(in_sentence=True)  # noqa: PLW2901
        before = citation
        yield citation


def _cells_of_sources(text: str, block: Block) -> list[Span]:
    """Cells of links alone in a column that is headed so: they name the sources of their row."""
    if not isinstance(block, TableBlock):
        return []
    columns = [
        at for at, head in enumerate(block.header) if at and _HEADED_SOURCES.search(head.of(text))
    ]
    cells = [row[at] for row in block.rows for at in columns if at < len(row)]
    return [cell for cell in cells if _LINKS_ALONE.fullmatch(cell.of(text).strip())]


def _is_kept(
    text: str, block: Span, citations: Sequence[Citation], index: int, before: Citation | None
) -> bool:
    citation = citations[index]
    if isinstance(citation, BareUrl):
        return _is_named(text, citation, before)
    marks = _is_number(citation.label) or _TAG.match(citation.label)
    return not marks and _in_sentence(text, block, citations, index, before)


def _is_number(label: str) -> bool:
    return not any(each.isalpha() for each in label)


def _is_named(text: str, citation: Citation, before: Citation | None) -> bool:
    """Whether the sentence needs a bare address: "visit https://…", "见 https://…"."""
    start = citation.span.start
    if before is not None and before.in_sentence:
        between = text[before.span.end : start]
        if len(between) < _FAR and _BETWEEN.fullmatch(between):
            return True
    if citation.raw[0] == "<" or (
        _ANNOUNCED.search(text, max(0, start - _FAR - _FAR), start)
        and _CLOSED.match(text, citation.span.end)
    ):
        return False
    if _NAMING.search(text, max(0, start - 20), start):
        return True
    return _VERB.match(text, citation.span.end) is not None and _begins(text, start)


def _begins(text: str, at: int) -> bool:
    left = text[max(0, at - 2 * _FAR) : at]
    return _opens(left, whole=at <= 2 * _FAR) or (left[-1:] == " " and left[-2:-1] in _MARKS)


def _in_sentence(
    text: str, block: Span, citations: Sequence[Citation], index: int, before: Citation | None
) -> bool:
    start = citations[index].span.start
    if before is not None:
        between = text[before.span.end : start]
        if len(between) < _FAR and _BETWEEN.fullmatch(between):
            return before.in_sentence
    left = text[max(block.start, start - 2 * _FAR) : start]
    bracketed = citations[index].raw[0] == "("
    if not bracketed and _opens(left, whole=start - block.start <= 2 * _FAR):
        return True
    bare = left.rstrip(" *_“\"‘'")
    if bare[-1:] in "(（[" or bracketed:
        return False
    if bare[-1:] not in _MARKS and _leads(bare):
        return True
    label, end = citations[index].label, citations[index].span.end
    names_source = (
        len(label.split()) > _LONGEST_NAME
        or _is_host(label, citations[index].url or "")
        or (bare[-1:] in _MARKS and _NEXT_SENTENCE.match(text, end) is not None)
    )
    return not names_source and _goes_on(text, block, citations, index)


def _is_host(label: str, url: str) -> bool:
    """Whether the words of a link are but the host of its address."""
    host = url.partition("://")[2].partition("/")[0]
    return label.strip().lower().removeprefix("www.") == host.lower().removeprefix("www.") != ""


def _opens(left: str, *, whole: bool) -> bool:
    """Whether nothing but markup stands before a link on its line or in its cell.

    whole: whether `left` goes back to the beginning of the block.
    """
    cut = max(left.rfind("\n"), left.rfind("\r"), left.rfind("|"))
    return (cut >= 0 or whole) and _MARKUP.fullmatch(left, cut + 1) is not None


def _leads(words: str) -> bool:
    """Whether words end in one that needs another after it: "the", "in", "Reuters'", "见"."""
    if words[-1:] in _LEADING_CHINESE:
        return True
    found = _LAST_WORD.search(words)
    word = found[0].lower() if found else ""
    return word in _LEADING or word.endswith(("'s", "’s"))


def _goes_on(text: str, block: Span, citations: Sequence[Citation], index: int) -> bool:
    """Whether the sentence goes on after a link and the citations that follow it at once."""
    at = citations[index].span.end
    for following in range(index + 1, len(citations)):
        between = text[at : citations[following].span.start]
        if len(between) >= _FAR or not _BETWEEN.fullmatch(between):
            break
        at = citations[following].span.end
    return _ENDS.match(text, at, block.end) is None
