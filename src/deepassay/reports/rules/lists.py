"""Rules on reference lists and what their entries hold: DA2xx without the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.references import Reference
from deepassay.reports.report import Report
from deepassay.reports.rules.in_text import matched_address
from deepassay.reports.spans import Span
from deepassay.text import HAN, excerpt


def no_reference_list(report: Report) -> Iterator[Hit]:
    """A report without any reference list.

    One hit at the end of the text, where the list belongs.
    """
    if report.text.strip() and not report.reference_lists:
        end = len(report.text.rstrip())
        yield Hit(Span(end, end), "the report has no reference list")


def several_reference_lists(report: Report) -> Iterator[Hit]:
    """A second reference list beside the first.

    One hit for each list after the first.
    """
    lists = report.reference_lists
    for later in lists[1:]:
        line, _ = report.lines.place(lists[0].span.start)
        yield Hit(later.heading or later.span, f"another reference list stands on line {line}")


def empty_reference_list(report: Report) -> Iterator[Hit]:
    """A heading for references with no entry below it.

    One hit for each list without entries.
    """
    for each in report.reference_lists:
        if not each.entries:
            yield Hit(each.heading or each.span, "the reference list has no entries")


_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?:[a-z](?!\w)|(?!\d))")
_OPENING = re.compile(r"[(（\[]?\s?(?:(?:19|20)\d\d[a-z]?\s?[,，]\s?){0,6}\Z")
_BORDER = re.compile(r"[;；:：()（）\[\]\n!?。！？]")
_WORD = re.compile(r"[^\W\d_][\w\-]*(?:['’](?!s\b)\w+)*")
_LEAD = re.compile(r"[^,.，。、(（&\n]{1,120}")
_SEVERAL = re.compile(r"\s(?:and|et al)\b|[和与及]|等")
_INITIALS = re.compile(r"[A-Z]{1,3}")
_CHINESE = re.compile(rf"[{HAN}]{{2,12}}\Z")
_BETWEEN_NAMES = frozenset(
    (
        *("s", "and", "et", "al", "others", "colleagues", "of", "the", "for", "on"),
        *("van", "von", "der", "den", "de", "del", "della", "di", "la", "le"),
    )
)
_WINDOW, _MOST_WORDS, _LONGEST_NAME = 120, 12, 6
_MOST_YEARS = 3


def named_entries(
    text: str, body: Iterable[Span], entries: Sequence[Reference]
) -> Iterator[Reference]:
    """Entries whose first author stands with their year in a part of the body.

    `Jones et al. (2021)`, `Jones and Lee (2021)`, `(Smith 2020)`, `Smith's (2020)`. An entry
    may come more than once.
    """
    known: dict[tuple[str, str], list[Reference]] = {}
    for entry in entries:
        for name in _first_authors(entry.title):
            for year in _years(entry.title):
                known.setdefault((name.casefold(), year), []).append(entry)
    if not known:
        return
    for span in body:
        for found in _YEAR.finditer(text, *span):
            before = text[max(span.start, found.start() - _WINDOW) : found.start()]
            for name in _names_before(before):
                yield from known.pop((name.casefold(), found[0]), ())


def _first_authors(title: str) -> Iterator[str]:
    """`Smith` of `Smith, J.` and of `Smith J, Lee K`; the whole name of an organisation."""
    found = _LEAD.match(title)
    if found is None:
        return
    lead = _SEVERAL.split(found[0], maxsplit=1)[0].split()
    yield " ".join(lead)
    if len(lead) == 2 and _INITIALS.fullmatch(lead[1]):
        yield lead[0]


def _years(title: str) -> Iterator[str]:
    for year in islice(_YEAR.finditer(title), _MOST_YEARS):
        yield from {year[0], year[0][:4]}


def _names_before(window: str) -> Iterator[str]:
    """What may be the name of an author right before a year, of up to six words."""
    near = _BORDER.split(_OPENING.sub("", window, count=1))[-1]
    words = _WORD.findall(near)[-_MOST_WORDS:]
    first = len(words)
    while first and (words[first - 1] in _BETWEEN_NAMES or not words[first - 1][0].islower()):
        first -= 1
    words = words[first:]
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST_NAME, len(words)) + 1):
            yield " ".join(words[start:end])
    if words and (found := _CHINESE.search(words[-1])):
        name = found[0].removesuffix("人").removesuffix("等")
        yield from (name[at:] for at in range(len(name) - 1))


def cited_entries(report: Report) -> set[Reference]:
    """Entries that the text leads to: by number, key, the address of a link, author and year."""
    cited = {entry for resolved in report.resolved for entry in resolved.references}
    linked = {matched_address(c.url) for c in report.citations if c.url is not None}
    if linked:
        for entry in report.references:
            if any(matched_address(url) in linked for url in entry.urls):
                cited.add(entry)
    cited.update(named_entries(report.text, _body(report), report.references))
    return cited


def _body(report: Report) -> Iterator[Span]:
    """The text before, between and after the reference lists."""
    at = 0
    for each in report.reference_lists:
        yield Span(at, max(at, each.span.start))
        at = each.span.end
    yield Span(at, len(report.text))


def uncited_entry(report: Report) -> Iterator[Hit]:
    """An entry of the reference list that the text never cites.

    One hit for each entry, or one for the list when the text cites none of it.
    """
    cited = cited_entries(report)
    for each in report.reference_lists:
        uncited = [e for e in each.entries if e not in cited and not e.omitted]
        if len(uncited) > 3 and len(uncited) == len(each.entries):
            message = f"the text cites none of the {len(uncited)} entries"
            yield Hit(each.heading or uncited[0].span, message)
            continue
        for entry in uncited:
            words = entry.title or " ".join(entry.urls) or entry.span.of(report.text)
            name = f"entry {entry.key}" if entry.key else f"'{excerpt(words, 40)}'"
            yield Hit(entry.span, f"{name} is never cited")


def placeholder_entry(report: Report) -> Iterator[Hit]:
    """An entry that stands for no source: `[9] - intentionally omitted -`.

    One hit for each such entry.
    """
    for entry in report.references:
        if entry.omitted:
            name = f"entry {entry.key}" if entry.key else "an entry"
            yield Hit(entry.span, f"{name} holds no source")


IDENTIFIER = re.compile(
    r"\b10\.\d{4,9}/\S|\barxiv:? ?\d{4}\.\d|\bpmid:? ?\d|\bpmc\d{4}|\bisbn[: ]|\bissn[: ]|\bdoi\b",
    re.IGNORECASE,
)


def entry_without_url(report: Report) -> Iterator[Hit]:
    """An entry with no address and no other identifier by which its source could be found.

    One hit for each entry; a DOI, arXiv, PubMed or book number identifies a source.
    """
    for entry in report.references:
        if entry.urls or entry.omitted or IDENTIFIER.search(entry.span.of(report.text)):
            continue
        name = f"entry {entry.key}" if entry.key else "the entry"
        yield Hit(entry.span, f"{name} has no address")


RULES = (
    Rule(
        code="DA201",
        name="no-reference-list",
        reason="A reader looks for the sources in one list.",
        sources=("P5",),
        check=no_reference_list,
        version=3,
    ),
    Rule(
        code="DA202",
        name="several-reference-lists",
        reason="With several lists a reader has to search for an entry, and numbers collide.",
        sources=("P5", "G14"),
        check=several_reference_lists,
        version=3,
    ),
    Rule(
        code="DA203",
        name="empty-reference-list",
        reason="The heading promises sources that are not there.",
        sources=("P5",),
        check=empty_reference_list,
    ),
    Rule(
        code="DA205",
        name="uncited-entry",
        reason="A list padded with unused sources makes a report look better supported than it is.",
        sources=("P3", "G17"),
        check=uncited_entry,
        fixable=True,
        version=4,
    ),
    Rule(
        code="DA206",
        name="placeholder-entry",
        reason="The number is given away, so it is a skipped number in disguise.",
        sources=("P10",),
        check=placeholder_entry,
        fixable=True,
    ),
    Rule(
        code="DA212",
        name="entry-without-url",
        reason="A source without an address cannot be opened and checked.",
        sources=("G15",),
        check=entry_without_url,
        version=2,
    ),
)
