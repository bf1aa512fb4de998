"""More than one style of citation in the text: numbers here, links or names there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from deepassay.reports import citations as kinds
from deepassay.reports.citations import Citation
from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report

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


def check(report: Report, *, percent: int = 5) -> Iterator[Hit]:
    """One hit for each style but the commonest, where it first stands.

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


RULE = Rule(
    code="DA104",
    name="mixed-citation-styles",
    reason="One style lets a reader tell at a glance what is a source.",
    sources=("G16",),
    check=check,
    version=4,
)
