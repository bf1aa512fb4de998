"""Lines of a paragraph made one: blanks, broken words, addresses that run over the margin."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from deepassay.reports.documents.lines import HYPHENS, Line
from deepassay.reports.documents.marks import Piece

_ADDRESS = re.compile(r"(?:https?://|www\.)\S*\Z", re.IGNORECASE)
_OPEN = frozenset("/-_=&?%#+~")
_WIDE = frozenset("WF")
_LONGEST = 400


def joined(lines: Iterable[Line]) -> list[Piece]:
    """The pieces of lines that follow each other in one paragraph."""
    found: list[Piece] = []
    for line in lines:
        pieces = list(line.pieces)
        if found and pieces:
            _connect(found, pieces)
        found += pieces
    return [replace(piece, text=_plain(piece.text)) for piece in found]


def _connect(found: list[Piece], pieces: list[Piece]) -> None:
    last, first = found[-1], pieces[0]
    text = last.text.rstrip()
    before = "".join(piece.text for piece in found[-8:]).rstrip()[-_LONGEST:]
    address = _ADDRESS.search(before.rstrip("\x02\ufffe"))
    if text and text[-1] in HYPHENS:
        # In an address the hyphen is its own.
        found[-1] = replace(last, text=text[:-1] + ("-" if address else ""))
        return
    runs_over = address and _runs_over(before, first.text)
    if runs_over or (_is_wide(text[-1:]) and _is_wide(first.text[:1])):
        found[-1] = replace(last, text=text)
        return
    link = last.link if last.link == first.link else ""
    found.append(replace(last, text=" ", link=link, raised=False))


def _runs_over(before: str, after: str) -> bool:
    """Whether an address at the end of a line goes on in the next one."""
    if before[-1] == ".":
        return after[:1].islower() or after[:1].isdigit()
    return before[-1] in _OPEN and not after[:1].isspace()


def _is_wide(character: str) -> bool:
    return character != "" and unicodedata.east_asian_width(character) in _WIDE


def _plain(text: str) -> str:
    """A hyphen that PDFium took for a break within a line was none."""
    for hyphen in HYPHENS:
        text = text.replace(hyphen, "-")
    return text
