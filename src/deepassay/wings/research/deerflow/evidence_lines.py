"""Lines of evidence as prompts have them, `[e3] quote (host) questions: 1, 2`, read by rules."""

from __future__ import annotations

import re
from typing import Final

HOST: Final = re.compile(r" \(([^()\s]*)\)\Z")
"""Ends a line: the site of the page."""

OF_QUESTIONS: Final = re.compile(r" questions: ([\d, ]*)\Z")
"""Ends a line of an outline: the numbers of the questions that the evidence is for."""


def quote_of(line: str) -> str:
    """The quote of a line of evidence."""
    return HOST.sub("", OF_QUESTIONS.sub("", line).partition("] ")[2])


def as_sentence(quote: str) -> str:
    """A quote as a sentence of running text: without marks of lists and headings, or citations."""
    bare = re.sub(r"^[\s>#*+-]+(?=\S)", "", quote.replace("**", ""))
    return re.sub(r"\s*\[(?:\d{1,3}|\^\w+)\]", "", bare)
