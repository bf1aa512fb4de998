"""What an item was judged by: the pages that it was held against, and what it quotes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from deepassay.score import Json

_QUOTED: Final = re.compile(r"“([^“]*)”")


def with_pages(
    items: Sequence[Mapping[str, Json]],
) -> Iterator[tuple[Mapping[str, Json], tuple[str, ...]]]:
    """Every item with the addresses of its pages; in a tree they are those of the page above."""
    above = ""
    for item in items:
        if not item.get("depth", 0):
            above = str(item["item"]) if "state" in item else ""
        urls = item.get("urls") or (item.get("url") or above,)
        yield item, tuple(filter(None, urls))


def quotes_of(item: Mapping[str, Json]) -> Iterator[str]:
    """What it quotes: as quotes, in quotation marks, or as the whole of its reason."""
    reason = str(item.get("justification") or "")
    yield from item.get("quotes") or item.get("spans") or ()
    yield from _QUOTED.findall(reason)
    if item.get("depth") and reason:
        yield reason
