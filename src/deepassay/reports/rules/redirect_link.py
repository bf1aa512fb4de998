"""A link through the redirect service of a search or model provider."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.text import is_redirect


def check(report: Report) -> Iterator[Hit]:
    """One hit for each such address, where it first stands."""
    places: dict[str, list[Span]] = {}
    for citation in report.citations:
        if citation.url is not None and is_redirect(citation.url):
            places.setdefault(citation.url, []).append(citation.span)
    for entry in report.references:
        for url in entry.urls:
            if is_redirect(url):
                places.setdefault(url, []).append(entry.span)
    for url, spans in places.items():
        times = f" ({len(spans)} times)" if len(spans) > 1 else ""
        yield Hit(spans[0], f"{excerpt(url, 45)} is a provider's redirect{times}")


RULE = Rule(
    code="DA402",
    name="redirect-link",
    reason="Such links expire, and they hide which source they lead to.",
    sources=(),
    check=check,
)
