"""Where a quote of a judge stands on a page or in a report, as a span of it."""

from __future__ import annotations

from deepassay.models.fence import place_of_quote
from deepassay.reports.spans import Span


def quote_span(page: str, quote: str) -> Span | None:
    """Where the passage that a judge quotes begins and ends on the page; None if it has none."""
    place = place_of_quote(page, quote)
    return None if place is None else Span(*place)
