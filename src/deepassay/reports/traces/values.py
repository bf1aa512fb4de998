"""Values in traces: JSON in texts, texts in lists, and the addresses that stand in them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from deepassay.files import strangers_json
from deepassay.score import Json
from deepassay.text import canonical, match_url

DEEPEST: Final = 12
"""So deep a value is looked into; what lies below says nothing of a call."""

ADDRESS_KEYS: Final = (
    *("url", "link", "href", "uri", "source", "source_url", "sourceUrl", "page_url", "web_url"),
    *("website", "address", "permalink", "final_url", "urls", "links", "id", "document_id"),
)
"""Under which keys tools take and give addresses; what stands first counts first."""

HIDDEN: Final = frozenset({"__REDACTED__", "REDACTED", "[REDACTED]", "<redacted>"})
"""What instrumentation writes in place of contents."""

_LITERAL: Final = 20_000
_BEGINS: Final = re.compile(r"https?://", re.IGNORECASE)
_BARE: Final = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?", re.IGNORECASE)


class Leaf(NamedTuple):
    """A text, number or flag in a value. key: under which it, or its list, stands."""

    key: str
    value: str | int | float | bool


def opened_json(value: Json) -> Json:
    """A value, of a text that is JSON or a literal of Python what it says, however often it is."""
    for _ in range(_WRAPPED):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        opened = _opened_once(value)
        if opened is value:
            break
        value = opened
    return value


_WRAPPED: Final = 3
"""So often JSON stands in a text of JSON."""


def _opened_once(value: str) -> Json:
    try:
        return strangers_json(value)
    except ValueError:
        pass
    if len(value) > _LITERAL or value.lstrip()[:1] == '"':
        return value
    try:
        return json.loads(json.dumps(ast.literal_eval(value.strip())))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return value


def unless_hidden(value: Json) -> Json:
    """A value; None where a word stands in place of it, since it was to be hidden."""
    is_hidden = isinstance(value, str) and len(value) < 40 and value.strip('" ') in HIDDEN
    return None if is_hidden else value


def breaks_off(value: Json) -> bool:
    """Whether a text is JSON that ends before it closes."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"{', '"[')):
        return False
    try:
        json.loads(value)
    except json.JSONDecodeError as error:
        return error.pos >= len(value.rstrip()) - 1 or error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False


def leaves(value: Json, key: str = "", depth: int = 0) -> Iterator[Leaf]:
    """The texts, numbers and flags of a value in order, JSON in texts opened."""
    if depth > DEEPEST:
        return
    value = opened_json(value)
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from leaves(each, str(name), depth + 1)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each, key, depth + 1)
    elif isinstance(value, str | int | float):
        yield Leaf(key, value)


def all_text_of(value: Json) -> str:
    """All that a value says, as one text."""
    if isinstance(value, str) and opened_json(value) is value:
        return value
    return "\n".join(each.value for each in leaves(value) if isinstance(each.value, str))


def as_address(value: Json, key: str = "") -> str:
    """The canonical address that a text is, "" where it is none.

    key: under one of ADDRESS_KEYS it may lack its scheme.
    """
    if not isinstance(value, str) or len(value) > 4000 or len(value.split()) != 1:
        return ""
    text = value.strip().strip("<>\"'")
    if _BEGINS.match(text):
        return canonical(text) if len(text) > len("https://a") else ""
    named = key in ADDRESS_KEYS and key not in ("id", "document_id", "source")
    return canonical(text) if named and "/" in text + "/" and _BARE.fullmatch(text) else ""


def addresses_in(text: str) -> Iterator[str]:
    """Canonical addresses in a text, in order; of one that the text ends in, what is there."""
    at = 0
    while found := _BEGINS.search(text, at):
        end = match_url(text, found.start(), len(text))
        if end is not None:
            yield canonical(text[found.start() : end])
        at = max(end or 0, found.end())


class NamedHit(NamedTuple):
    """What a tool says of one address. fields: of the object that names it."""

    url: str
    fields: Mapping[str, Json]


def named_hits(value: Json, depth: int = 0) -> Iterator[NamedHit]:
    """The objects in a value that have an address of their own, in order."""
    if depth > DEEPEST:
        return
    value = opened_json(value)
    if isinstance(value, list):
        for each in value:
            yield from named_hits(each, depth + 1)
    elif isinstance(value, Mapping):
        own = (as_address(value.get(key), key) for key in ADDRESS_KEYS)
        metadata = opened_json(value.get("metadata"))
        if not (url := next(filter(None, own), "")) and isinstance(metadata, Mapping):
            url = next(filter(None, (as_address(metadata.get(k), k) for k in ADDRESS_KEYS)), "")
        below: list[NamedHit] = []
        if not url or depth == 0:  # what is around all hits may name where they were looked for
            for each in map(opened_json, value.values()):
                if isinstance(each, Mapping | list):
                    below += named_hits(each, depth + 1)
        yield from below or ([NamedHit(url, value)] if url else [])
