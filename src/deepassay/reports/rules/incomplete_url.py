"""An address that was cut off or has no host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.text import canonical

HOST = re.compile(r"(?:https?:/{0,3})?(?:[^/?#@]*@)?(\[|[^/?#:]*)", re.IGNORECASE)
# Not a trailing hyphen: titles that end in a mark give whole addresses one.
CUT = re.compile(r"%[0-9A-Fa-f]?$")


def is_incomplete(url: str) -> bool:
    """Whether a host is missing, or the path ends in half an escape."""
    found = HOST.match(canonical(url))
    host = found[1].strip(".").lower() if found else ""
    if "." not in host and host not in ("localhost", "["):
        return True
    return CUT.search(url.partition("#")[0]) is not None


def check(report: Report) -> Iterator[Hit]:
    """One hit for each address of an entry or of a citation in the text."""
    for url, span in _addresses(report):
        if is_incomplete(url) or report.text.startswith(("...", "…"), span.end):
            yield Hit(span, f"the address {excerpt(url, 60)} is not complete")


def _addresses(report: Report) -> Iterator[tuple[str, Span]]:
    places = [((each.url,), each.span) for each in report.citations if each.url is not None]
    for urls, span in [*places, *((entry.urls, entry.span) for entry in report.references)]:
        at = span.start
        for url in urls:
            start = report.text.find(url, at, span.end)
            if start >= 0:
                at = start + len(url)
                yield url, Span(start, at)


RULE = Rule(
    code="DA213",
    name="incomplete-url",
    reason="A cut address opens nothing, or another page.",
    sources=("G15",),
    check=check,
    version=3,
)
