"""A source linked in the text that the report's reference list leaves out."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.citations import BareUrl, Citation
from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.report import Report
from deepassay.text import canonical


def matched_address(url: str) -> str:
    """An address by which a link and an entry are matched: without scheme, `www.`, last slash."""
    rest = canonical(url).partition("://")[2] or url
    return rest.removeprefix("www.").rstrip("/")


def check(report: Report, *, addresses: int = 3) -> Iterator[Hit]:
    """One hit for each address, where it first stands; none when no entry has an address.

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


RULE = Rule(
    code="DA102",
    name="link-without-entry",
    reason="A reference list that leaves out sources of the text is incomplete.",
    sources=("P4",),
    check=check,
    version=4,
)
