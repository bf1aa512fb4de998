"""A body of whatever kind as text. Runs in the worker processes: its input is hostile."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

import trafilatura
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from deepassay.score import Json
from deepassay.sources.body import Kind, UnreadableBody, decode, kind
from deepassay.sources.page import ENOUGH, ExtractedPage, Failure, NoText
from deepassay.text import weight

MOST_CHARACTERS = 5_000_000
_NO_CHARACTERS = re.compile("[\x00\ud800-\udfff]")


def text_of_page(body: bytes, media: str, url: str) -> ExtractedPage | NoText:
    """The text of a body: whole, or not at all. Raises whatever a parser does on broken input.

    url: where it was found.
    """
    try:
        what = kind(body, media, url)
        text, title = _read(body, media, what)
    except UnreadableBody as error:
        return NoText(error.failure, error.detail)
    text = _NO_CHARACTERS.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if len(text) > MOST_CHARACTERS:
        return NoText(Failure.TOO_LARGE, f"More than {MOST_CHARACTERS:,} characters of text.")
    if not text and what is Kind.HTML and b"<script" in body.lower():
        detail = "The page is drawn by scripts; without them it says nothing."
        return NoText(Failure.SCRIPT_ONLY, detail)
    if not text:
        return NoText(Failure.NOT_TEXT, "The page holds no text.")
    said = html_said(decode(body, media)) if what is Kind.HTML else None
    return ExtractedPage(text, _NO_CHARACTERS.sub("\ufffd", title)[:1000], said)


def _read(body: bytes, content_type: str, what: Kind) -> tuple[str, str]:
    """The text of a body and its title."""
    if what is Kind.PDF:
        # Few pages are PDFs, and PDFium takes a third of the time that it takes to start.
        from deepassay.sources.pdf import pdf_text

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


def html_text(markup: str) -> str:
    """What a page says, in Markdown, or plain if no main text is found in it; may be empty.

    The time that trafilatura needs grows with the square of some hostile inputs (attributes,
    paragraphs side by side): call it only where a clock is set, as in `sources.worker`.
    """
    # As a str: given bytes it would unpack gzip without bounds, and ignore the charset served.
    # No `deduplicate`, which remembers earlier pages.
    found = trafilatura.extract(
        markup,
        output_format="markdown",
        include_tables=True,
        include_comments=False,
        include_links=False,
        favor_recall=True,
    )
    # Where it finds too little it gives all words of the page, tables too, on one line.
    if found and "\n" in found.strip():
        return found
    return extract_plain_text(markup, preserve_formatting=True, alt_texts=False) or found or ""


DEEPEST: Final = 1_000
"""Tags that may be open at once where menus are looked for, which takes the square of that."""

_TAG: Final = re.compile("<(/?)[a-zA-Z]")


def html_said(markup: str) -> int | None:
    """How much a page says outside of menus, headers and footers, counted to ENOUGH.

    None where too many tags may be open at once, those that nothing closes included.
    """
    depth = 0
    for tag in _TAG.finditer(markup):
        depth += -1 if tag[1] else 1
        if depth > DEEPEST:
            return None
    return weight(extract_plain_text(markup, main_content=True, alt_texts=False) or "", ENOUGH)


def html_title(markup: str) -> str:
    """The content of `<title>` on one line; empty if there is none."""
    return " ".join((HTMLTree.parse(markup).title or "").split())
