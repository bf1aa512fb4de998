"""Markdown for what a document shows: pieces of text with their looks, headings, tables, notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from deepassay.reports.citations import is_web

_BLANKS = re.compile(r"[ \t\xa0\u2000-\u200a\u202f]+")
_ODD_IN_ADDRESS = re.compile(r"[\s()<>\\]")


@dataclass(frozen=True)
class StyledText:
    """Text of one look. link: where a click on it leads, in the web or not, or ""."""

    text: str
    link: str = ""
    bold: bool = False
    italic: bool = False
    raised: bool = False


def inline(pieces: Iterable[StyledText]) -> str:
    """One line of Markdown: links, raised figures, bold and italic type.

    Brackets and stars of the text itself are left as they are: citations are made of them.
    """
    written: list[str] = []
    # The outer mark stands around the inner ones, however often the look changes inside.
    for (bold, italic), styled in groupby(_web_only(pieces), lambda p: (p.bold, p.italic)):
        inner = "".join(
            _linked(link, _raised(raised, "".join(each.text for each in alike)))
            for (link, raised), alike in groupby(styled, lambda p: (p.link, p.raised))
        )
        mark = ("**" if bold else "") + ("*" if italic else "")
        written.append(_within(inner, mark, mark))
    return "\n".join(_BLANKS.sub(" ", line).strip() for line in "".join(written).split("\n")).strip(
        "\n"
    )


def _web_only(pieces: Iterable[StyledText]) -> list[StyledText]:
    """Blanks take the look of what precedes them: a mark never begins or ends with one."""
    found: list[StyledText] = []
    for piece in pieces:
        link = piece.link if is_web(piece.link) else ""
        if not piece.text.strip() and found:
            found.append(replace(found[-1], text=piece.text, link=link, raised=False))
        elif piece.text:
            found.append(replace(piece, link=link))
    return found


def _raised(raised: bool, text: str) -> str:
    return _within(text, "<sup>", "</sup>") if raised else text


def _within(text: str, before: str, after: str) -> str:
    """The text with marks around its words, blanks at either end outside."""
    words = text.strip()
    if not words or not before:
        return text
    start = text.index(words[0])
    return f"{text[:start]}{before}{words}{after}{text[start + len(words) :]}"


def _linked(link: str, text: str) -> str:
    if not link or not text.strip():
        return text
    words = " ".join(text.split())
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if _bare(words.replace(" ", "")) == _bare(link):
        return f"{before}{link}{after}"
    if words.count("[") != words.count("]"):
        words = words.replace("[", "\\[").replace("]", "\\]")
    if _ODD_IN_ADDRESS.search(link):
        escaped = link.replace("<", "%3C").replace(">", "%3E")
        link = f"<{' '.join(escaped.split())}>"
    return f"{before}[{words}]({link}){after}"


def _bare(address: str) -> str:
    return address.partition("://")[2].rstrip("/") or address.rstrip("/")


def heading_mark(level: int, text: str) -> str:
    """A heading of level 1 to 6. Its bold type is left out: it says nothing more."""
    plain = " ".join(text.replace("**", "").split())
    return f"{'#' * min(level, 6)} {plain}" if plain else ""


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table with pipes; the first row is its head, and short rows are filled up."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    lines = [
        "| " + " | ".join([*(_cell(text) for text in row), *[""] * (width - len(row))]) + " |"
        for row in rows
    ]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cell(text: str) -> str:
    return "<br>".join(" ".join(line.split()) for line in text.split("\n") if line.strip()).replace(
        "|", "\\|"
    )
