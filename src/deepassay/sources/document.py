"""A body of whatever kind as text. Runs in the worker processes: its input is hostile."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from deepassay.score import Json
from deepassay.sources.charset import decode
from deepassay.sources.html import html_text, html_title
from deepassay.sources.media import Kind, Unreadable, kind
from deepassay.sources.page import Failure
from deepassay.sources.pdf import pdf_text

MOST_CHARACTERS = 5_000_000
_NO_CHARACTERS = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Extracted:
    """What a page says, in Markdown or plain, and its title."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class NoText:
    """Why a body gave no text. `detail`: one sentence for a person."""

    failure: Failure
    detail: str


def read(body: bytes, content_type: str, url: str) -> Extracted | NoText:
    """The text of a body: whole, or not at all. Raises whatever a parser does on broken input."""
    try:
        text, title = _read(body, content_type, url)
    except Unreadable as error:
        return NoText(error.failure, error.detail)
    text = _NO_CHARACTERS.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if len(text) > MOST_CHARACTERS:
        return NoText(Failure.TOO_LARGE, f"More than {MOST_CHARACTERS:,} characters of text.")
    if not text:
        return NoText(Failure.NOT_TEXT, "The page holds no text.")
    return Extracted(text, _NO_CHARACTERS.sub("\ufffd", title)[:1000])


def _read(body: bytes, content_type: str, url: str) -> tuple[str, str]:
    what = kind(body, content_type, url)
    if what is Kind.PDF:
        return pdf_text(body, MOST_CHARACTERS)
    text = decode(body, content_type)
    if what is Kind.HTML:
        return html_text(text), html_title(text)
    return (json_text(text) if what is Kind.JSON else text), ""


def json_text(text: str) -> str:
    r"""The strings and numbers of a JSON document, each on a line after the name it stands under.

    Numbers are spelled as in the document, `\u4e2d` is written 中. What is no JSON, or too deep
    to be read, comes back as it stands.
    """
    try:
        value = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    return "\n".join(f"{name}: {leaf}" if name else leaf for name, leaf in _leaves(value))


def _leaves(value: Json) -> Iterator[tuple[str, str]]:
    """Name and content of each string or number, in order; items of a list bear its name."""
    waiting = [("", value)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(reversed(value.items()))
        elif isinstance(value, list):
            waiting.extend((name, item) for item in reversed(value))
        elif isinstance(value, str):
            yield name, value
