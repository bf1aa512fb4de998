"""What an item was judged by: the pages that it was held against, and what it quotes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from deepassay.results.evidence import Item

_QUOTED: Final = re.compile(r"“([^“]*)”")


def with_pages(items: Sequence[Item]) -> Iterator[tuple[Item, tuple[str, ...]]]:
    """Every item with the addresses of its pages; in a tree they are those of the page above."""
    above = ""
    for item in items:
        if not item.depth:
            above = item.item if item.state else ""
        yield item, tuple(filter(None, item.urls or (item.url or above,)))


def quotes_of(item: Item) -> Iterator[str]:
    """What it quotes: as quotes, in quotation marks, or as the whole of its reason."""
    yield from item.quotes or item.spans or ()
    yield from _QUOTED.findall(item.reason)
    if item.depth and item.reason:
        yield item.reason
