"""The address of every view: what is shown stands in it, and nothing else decides on it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from deepassay.files import without_surrogates
from deepassay.wings.view.room import Place


def to(view: str, place: Place | None = None, anchor: str = "", **query: object) -> str:
    """The address of a view. Names stand in the query: they may have slashes.

    place: a report. Empty values, and what is so unless it is said, are left out.
    """
    asked: dict[str, object] = dict(place._asdict()) if place else {}
    for name in ("run", "sample"):
        if asked.get(name) == 1:
            del asked[name]
    asked |= query
    kept = {name: without_surrogates(str(each)) for name, each in asked.items() if each}
    address = f"/{view}" + ("?" + urlencode(kept) if kept else "")
    return address + (f"#{quote(anchor)}" if anchor else "")


def changed(view: str, query: Mapping[str, str], **other: object) -> str:
    """The address of a view with some of its terms changed; empty ones are left out."""
    kept = {name: value for name, value in query.items() if name not in other}
    return to(view, None, "", **kept, **other)


def number(given: str | None, otherwise: int) -> int:
    """A number from an address; whatever is none is what it is otherwise."""
    text = given or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else otherwise


def place_of(query: Mapping[str, str]) -> Place:
    """The report that an address speaks of."""
    return Place(
        number(query.get("run"), 1),
        query.get("agent", ""),
        query.get("task", ""),
        number(query.get("sample"), 1),
    )
