"""An address that no page can have: a domain reserved for examples, or this machine."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.report import Report
from deepassay.text import canonical

DOMAINS: Final = ("example.com", "example.org", "example.net")
ENDINGS: Final = ("example", "invalid", "test", "localhost")
"""Reserved by RFC 2606 and RFC 6761: nobody can own a name there."""


def is_reserved(url: str) -> bool:
    """Whether nobody can have put a page for others at this address."""
    try:
        host = (urlsplit(canonical(url)).hostname or "").rstrip(".")
    except ValueError:
        return False
    if host.rpartition(".")[2] in ENDINGS or ".".join(host.split(".")[-2:]) in DOMAINS:
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False  # a name


def check(report: Report) -> Iterator[Hit]:
    """One hit for all such addresses of a report, where the first stands."""
    places = [(each.url, each.span) for each in report.citations if each.url is not None]
    places += [(url, entry.span) for entry in report.references for url in entry.urls]
    found = {url: span for url, span in reversed(places) if is_reserved(url)}
    if found:
        span, url = min((span, url) for url, span in found.items())
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        yield Hit(span, f"{excerpt(url, 45)} can be no public page{more}")


RULE = Rule(
    code="DA403",
    name="reserved-domain",
    reason="Nobody can have read a page there: the source was made up, or a placeholder left in.",
    sources=(),
    check=check,
)
