"""Rules on citations in the text: DA1xx."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from deepassay.reports import citations as kinds
from deepassay.reports.citations import BareUrl, Citation, Superscript, numbers_of
from deepassay.reports.finding import Hit, Rule
from deepassay.reports.references import Unresolved
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.text import canonical, excerpt

BESIDE = re.compile(r"[\s()（）\[\].,;:，；]{0,4}")


def citation_without_entry(report: Report) -> Iterator[Hit]:
    """A citation whose number or key has no entry in the reference list.

    One hit for each missing entry, where it is first cited.

    A citation with an address of its own leads somewhere, and so does one right beside an
    address, unless it is a number and the list has others.
    """
    cited: dict[str, list[Citation]] = {}
    leading = _leading(report)
    for resolved in report.resolved:
        if resolved.citation.span in leading:
            continue
        for key, why in resolved.missing:
            if why in (Unresolved.NO_ENTRY, Unresolved.NO_LIST):
                cited.setdefault(key, []).append(resolved.citation)
    if cited and not report.references:
        first = next(iter(cited.values()))[0]
        several = f"{len(cited)} sources are" if len(cited) > 1 else "1 source is"
        them = "them" if len(cited) > 1 else "it"
        yield Hit(first.span, f"{several} cited, and no reference list has {them}")
        return
    for key, citations in cited.items():
        name = f"[{key}]" if key.isdigit() else f"'{excerpt(citations[0].raw)}'"
        times = f", cited {len(citations)} times," if len(citations) > 1 else ""
        yield Hit(citations[0].span, f"{name}{times} has no entry in the reference list")


def _leading(report: Report) -> set[Span]:
    """Where citations stand that have an address or stand beside one that has."""
    found = {each.span for each in report.citations if each.url is not None}
    numbered = any(entry.number is not None for entry in report.references)
    for first, second in pairwise(report.citations):
        bare = first if first.url is None else second
        if (first.url is None) != (second.url is None) and not (numbered and numbers_of(bare)):
            gap = Span(first.span.end, max(first.span.end, second.span.start))
            if BESIDE.fullmatch(report.text, *gap):
                found.add(bare.span)
    return found


def matched_address(url: str) -> str:
    """An address by which a link and an entry are matched: without scheme, `www.`, last slash."""
    rest = canonical(url).partition("://")[2] or url
    return rest.removeprefix("www.").rstrip("/")


def link_without_entry(report: Report, *, addresses: int = 3) -> Iterator[Hit]:
    """A source linked in the text that the report's reference list leaves out.

    One hit for each address, where it first stands; none when no entry has an address.

    addresses: so many bare ones in a report that cites by number are a way of citing.
    """
    listed = {matched_address(url) for entry in report.references for url in entry.urls}
    missing: dict[str, list[Citation]] = {}
    for citation in _citing_links(report, addresses) if listed else ():
        address = matched_address(citation.url or "")
        if address not in listed:
            missing.setdefault(address, []).append(citation)
    for citations in missing.values():
        times = f", linked {len(citations)} times," if len(citations) > 1 else ""
        address = excerpt(citations[0].url or "", 60)
        yield Hit(citations[0].span, f"{address}{times} is not in the reference list")


def _citing_links(report: Report, way: int) -> list[Citation]:
    """Links that cite. Where numbers cite, words of a sentence and a stray address do not."""
    numbered = any(each.citation.keys for each in report.resolved)
    links = [
        each.citation
        for each in report.resolved
        if each.citation.url is not None
        and not each.references
        and not (numbered and each.citation.in_sentence)
    ]
    if numbered and sum(isinstance(link, BareUrl) for link in links) < way:
        return [link for link in links if not isinstance(link, BareUrl)]
    return links


LETTERS = re.compile(r"[^\W\d_]+")
WORD_END = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


class Intrusion(NamedTuple):
    """Citations inside a word: their span, where the word ends, and whether it is one word."""

    span: Span
    word_end: int
    one_word: bool


def intrusions(report: Report) -> list[Intrusion]:
    """Citations with a letter before and a small letter after, adjacent ones together.

    Only scripts with capitals: between Chinese characters a citation stands where it should.
    """
    text = report.text
    pieces = []
    for span in _adjacent(report.citations):
        before, after = text[max(0, span.start - 1) : span.start], text[span.end : span.end + 1]
        right = LETTERS.match(text, span.end)
        if right and after.islower() and (before.islower() or before.isupper()):
            left = _letters_before(text, span.start)
            pieces.append((span, left.casefold(), right[0].casefold()))
    if not pieces:
        return []
    whole = _one_word([(left, right) for _, left, right in pieces], text)
    starts = {citation.span.start for citation in report.citations}
    found = []
    for (span, *_), one_word in zip(pieces, whole, strict=True):
        end = WORD_END.match(text, span.end)
        word_end = end.end() if end else span.end
        clear = word_end not in starts and text[word_end : word_end + 1] not in ("(", "[", "{")
        found.append(Intrusion(span, word_end, one_word and clear))
    return found


def _adjacent(citations: tuple[Citation, ...]) -> list[Span]:
    """Spans of citations, those that touch each other joined."""
    spans: list[Span] = []
    for citation in citations:
        if citation.in_sentence or isinstance(citation, Superscript):
            continue
        if spans and spans[-1].end == citation.span.start:
            spans[-1] = Span(spans[-1].start, citation.span.end)
        else:
            spans.append(citation.span)
    return spans


def _letters_before(text: str, end: int) -> str:
    start = end
    while start > 0 and LETTERS.match(text[start - 1]):
        start -= 1
    return text[start:end]


def _one_word(pieces: list[tuple[str, str]], text: str) -> list[bool]:
    """Judged by the other words of the report: `A[2]nother` is one, `market[2]and` is not.

    A word put together in one place counts as a word in the others, so that judging the
    repaired report gives nothing new.
    """
    words = Counter(word.group().casefold() for word in LETTERS.finditer(text))
    words.subtract(piece for both in pieces for piece in both)
    sure = [len(left) == 1 and not words[right] for left, right in pieces]
    joined = {left + right for (left, right), one in zip(pieces, sure, strict=True) if one}
    return [
        one or left + right in joined or words[left + right] > 0
        for (left, right), one in zip(pieces, sure, strict=True)
    ]


def citation_inside_word(report: Report) -> Iterator[Hit]:
    """A citation between two letters: it splits a word or glues two together.

    One hit for each group of adjacent citations.
    """
    for span, _, one_word in intrusions(report):
        what = "stands inside a word" if one_word else "touches the words on both sides"
        yield Hit(span, f"{excerpt(span.of(report.text), 30)} {what}")


STYLES: dict[type[Citation], str] = {
    kinds.Numbered: "numbers in brackets",
    kinds.Lenticular: "numbers in lenticular brackets",
    kinds.Superscript: "superscripts",
    kinds.Footnote: "footnotes",
    kinds.AuthorYear: "names and years",
    kinds.InlineLink: "links",
    kinds.ReferenceLink: "titles with a key",
    kinds.HtmlLink: "links",
    kinds.TaggedLink: "tagged links",
    kinds.NumberedLink: "links with a number",
    kinds.BareUrl: "bare addresses",
}


def mixed_citation_styles(report: Report, *, percent: int = 5) -> Iterator[Hit]:
    """More than one style of citation in the text: numbers here, links or names there.

    One hit for each style but the commonest, where it first stands.

    percent: of all citations, that are to be of a style; what is rarer is a slip, or none.

    An address with the number of its source right after it is text, and the number cites it;
    a single address may be part of a sentence.
    """
    found: dict[str, list[Citation]] = {}
    for citation, following in pairwise([*report.citations, None]):
        if citation and not (isinstance(citation, kinds.BareUrl) and _touch(citation, following)):
            found.setdefault(STYLES[type(citation)], []).append(citation)
    if len(found) < 2:
        return
    main = max(found, key=lambda style: len(found[style]))
    fewest = sum(map(len, found.values())) * percent / 100
    for style, citations in found.items():
        if len(citations) < fewest:
            continue
        if style != main and (len(citations) > 1 or not isinstance(citations[0], kinds.BareUrl)):
            counts = f"{len(citations)} of {style}, {len(found[main])} of {main}"
            yield Hit(citations[0].span, f"citation styles are mixed: {counts}")


def _touch(address: Citation, following: Citation | None) -> bool:
    """Whether a number stands right after an address, a bracket and a blank between them."""
    numbered = isinstance(following, kinds.Numbered)
    return following is not None and numbered and following.span.start - address.span.end < 3


BETWEEN = re.compile(r"[ \t,;]{0,3}")


def repeated_citation(report: Report) -> Iterator[Hit]:
    """One source twice in one group of citations, as in `[8][8]`.

    One hit for each citation that repeats keys of its own or of those that it adjoins.
    """
    seen: set[str] = set()
    end = -4
    for citation in report.citations:
        gap = citation.span.start - end
        if gap > 3 or not BETWEEN.fullmatch(report.text, end, citation.span.start):
            seen = set()
        repeated = []
        for key in citation.keys:
            if key in seen:
                repeated.append(key)
            seen.add(key)
        if repeated:
            yield Hit(citation.span, f"[{', '.join(repeated)}] is cited twice in one group")
        end = citation.span.end


def no_citation(report: Report) -> Iterator[Hit]:
    """A report that cites nothing.

    One hit at the beginning of a text that has no citation outside its reference lists.
    """
    if report.text.strip() and not report.citations:
        yield Hit(Span(0, 0), "the report cites nothing")


RULES = (
    Rule(
        code="DA101",
        name="citation-without-entry",
        reason="A reader cannot check a claim whose citation leads nowhere.",
        sources=("P4", "G14"),
        check=citation_without_entry,
        version=4,
    ),
    Rule(
        code="DA102",
        name="link-without-entry",
        reason="A reference list that leaves out sources of the text is incomplete.",
        sources=("P4",),
        check=link_without_entry,
        version=4,
    ),
    Rule(
        code="DA103",
        name="citation-inside-word",
        reason="It breaks the reading of a sentence and looks unedited.",
        sources=("G20",),
        check=citation_inside_word,
        fixable=True,
        version=2,
    ),
    Rule(
        code="DA104",
        name="mixed-citation-styles",
        reason="One style lets a reader tell at a glance what is a source.",
        sources=("G16",),
        check=mixed_citation_styles,
        version=4,
    ),
    Rule(
        code="DA105",
        name="repeated-citation",
        reason="A source does not support a claim better for being named twice.",
        sources=(),
        check=repeated_citation,
        level="note",
        version=2,
    ),
    Rule(
        code="DA106",
        name="no-citation",
        reason="Nothing that such a report says can be traced, and no other rule of citations "
        "fires.",
        sources=(),
        check=no_citation,
    ),
)
