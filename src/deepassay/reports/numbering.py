"""Citation control: numbers and one reference list, made by code from what a draft cites.

`number_citations` does so for a draft that cites sources by id, `standard` for a finished report
by what it cites itself, and `check_citations` says whether numbers and list of a report fit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from deepassay.reports.clean import list_removals
from deepassay.reports.finding import Finding
from deepassay.reports.lint import lint
from deepassay.reports.listing import (
    Language,
    Source,
    address_in_list,
    is_citable,
    page_of,
    unaddressed,
)
from deepassay.reports.markers import CitablePages, CitationNumbering, ReportCitingIds, is_citation
from deepassay.reports.references import bare_title
from deepassay.reports.relisted import with_entries
from deepassay.reports.removal import CITE_START, removals, shortened_citation
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES
from deepassay.reports.spans import Edit, Span, apply
from deepassay.reports.traced import TracedText
from deepassay.text import HAN

CITATION_RULES: Final = tuple(
    rule for rule in RULES if rule.code[:3] in ("DA1", "DA2") or rule.name == "empty-report"
)
"""The rules of the linter on citations and reference lists, and the one on an empty report."""

__all__ = [
    "Language",
    "NumberedReport",
    "Source",
    "check_citations",
    "number_citations",
    "same_but_citations",
    "standard",
]

MOST_PASSES: Final = 5
"""The list that is written changes what a reader takes for a citation, so that a result is read
again until nothing changes: twice, as a rule."""


@dataclass(frozen=True, slots=True)
class NumberedReport:
    """A report with `[1][2]` and one list.

    removed: entries of the draft's own lists that lead to no source, then what was cited and is
    none, as ids, addresses or markers, in the order of the text. actions: what was done, in a few
    words each; empty if nothing was. sources: the pages in the order of their numbers.
    """

    traced: TracedText
    removed: tuple[str, ...]
    actions: tuple[str, ...]
    sources: tuple[Source, ...]
    refused: str = ""

    @property
    def text(self) -> str:
        """The report as it is now."""
        return self.traced.text


def number_citations(
    draft: str,
    sources: Mapping[str, Source],
    *,
    language: Language | None = None,
) -> NumberedReport:
    """The draft with numbers in place of ids, and the list of the pages that it cites.

    sources: by id, letters and a number such as `e12`; case does not count. `[e1]`, `[e1, e3]`,
    `[e1-e3]` and `【e2】` cite, code and formulas do not. A page has one number, by its canonical
    address, in the order of first citation, and stands once in a run of markers. Ids that are no
    source are removed with what only belonged to them, and reported.

    A link, address, footnote or number that the writer set himself cites as well: where it leads
    to a page of `sources` it becomes the number of that page, else it is removed; words of a link
    that belong to the sentence stay. Reference lists of the draft are left out. All other words
    stay as they are; a blank is set between a word and a marker that it would make an index.

    language: of the heading, by default that of the text. Raises ValueError for an id of another
    form.
    """
    for name in sources:
        if not re.fullmatch(r"[A-Za-z]{1,8}\d{1,6}", name):
            raise ValueError(f"{name!r} is no id of a source: give letters and a number, as e12")
    known = {name.lower(): each for name, each in sources.items() if is_citable(each)}
    pages: dict[str, Source] = {}
    for each in known.values():
        page = page_of(each.url)
        if page not in pages or (each.title.strip() and not pages[page].title.strip()):
            pages[page] = each
    letters = frozenset(name.rstrip("0123456789").lower() for name in sources) or frozenset("e")
    ids = {name: page_of(each.url) for name, each in known.items()}
    book = CitablePages(pages, ids, letters)
    return _controlled(
        TracedText.of(draft), ReportCitingIds(draft, letters=letters), book, language
    )[0]


def standard(text: str) -> NumberedReport:
    """A report in the standard form of answers (DeepResearch Bench, appendix H.2).

    Whatever it cites by, links, addresses, footnotes or numbers of its own, becomes `[1][2]` before
    the mark that ends the sentence, and one list of all pages that are cited. Numbers without an
    entry stay as they are and are given to no page: they are findings. A report that cites nothing
    is left as it is, and so is one in which a statement would come to lead to other pages.
    """
    given_text = TracedText.of(text)
    bare = given_text.edited(Edit(Span(*each.span()), "") for each in CITE_START.finditer(text))
    report = ReportCitingIds(bare.text)
    pages: dict[str, Source] = {}
    for each in report.resolved:
        label = "" if each.citation.in_sentence else each.citation.label
        given = [(each.citation.url, label)] if each.citation.url else []
        given += [(url, entry.title) for entry in each.references for url in entry.urls]
        for url, words in given:
            title = "" if words.strip("[] ").isdecimal() else bare_title(words)
            known = pages.get(page_of(url))
            if is_citable(Source(url)) and (known is None or not known.title):
                pages[page_of(url)] = Source(address_in_list(url), title)
        for entry in each.references:
            if not entry.urls and not entry.omitted:
                pages[unaddressed(entry.title)] = Source("", entry.title)
    done, after = _controlled(bare, report, CitablePages(pages, own=True), None)
    if _led_to(after) != _led_to(report):
        return NumberedReport(
            given_text, (), (), (), "numbers would change what its statements cite"
        )
    return replace(done, traced=with_entries(done.traced, after, bare, report))


def _led_to(report: Report) -> list[frozenset[str]]:
    """The pages that its statements lead to, of those that lead to any, in reading order."""
    led = (frozenset(map(page_of, each.urls)) for each in report.statements)
    return [*filter(None, led)]


def check_citations(text: str) -> tuple[Finding, ...]:
    """What the linter finds amiss in the citations and the reference list of a report.

    Cited and not listed, listed and not cited, listed twice, one page under two numbers, gaps,
    order; an empty report, and one without a citation.
    """
    return lint(Report(text), CITATION_RULES)


_TOKEN: Final = re.compile(rf"[{HAN}]|[^\W{HAN}]+|[^\w\s]")


def same_but_citations(before: str, after: str) -> bool:
    """Whether two reports differ in nothing but citations, reference lists and blanks."""
    return _words(Report(before)) == _words(Report(after))


def _words(report: Report) -> list[str]:
    """Words, Chinese characters and marks outside citations and lists, in order."""
    cited = [shortened_citation(each.citation) for each in report.resolved if is_citation(each)]
    edits = (*list_removals(report, report.list_spans), *removals(report.text, cited))
    bare = apply(report.text, (Edit(span, words or " ") for span, words in edits))
    return _TOKEN.findall(CITE_START.sub("", bare))


def _controlled(
    text: TracedText, report: ReportCitingIds, book: CitablePages, language: Language | None
) -> tuple[NumberedReport, ReportCitingIds]:
    """A draft under citation control, and the report that it is now. report: that of its text."""
    removed: list[str] = []
    actions: tuple[str, ...] = ()
    for number in range(MOST_PASSES):
        done = CitationNumbering(report, book)
        result = done.rewritten(text, language)
        if result.text == text.text:
            break
        removed += done.removed
        actions = actions if number else tuple(done.actions())
        text, report = result, ReportCitingIds(result.text, letters=book.letters)
    return NumberedReport(text, tuple(removed), actions, tuple(done.sources)), report
