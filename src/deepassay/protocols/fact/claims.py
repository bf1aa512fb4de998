"""What of a report's text is a claim that needs a source, and what a claim is made of.

A claim is a sentence or table cell that asserts something: it holds a number or a name, or at
least six content words. Left out are headings (no statements to begin with), questions, lines that
lead up to a list, sentences that announce what the report will do or what comes next, and
sentences that admit a gap.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from deepassay.protocols.recall import NUMBER, tokens
from deepassay.protocols.wordings import ADMITS_GAP, TELLS_METHOD
from deepassay.reports.statements import Statement

FEWEST_CLAIM_WORDS: Final = 6
"""Content words of a claim without number or name."""

_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"(?<=[^\s.!?:;\"“(])\s+(?:[A-Z][a-z]+|[A-Z]{2,})")
_ASKS_OR_LEADS = re.compile(r"[?？:：]\W*\Z")
_TURNS = re.compile(
    r"(?:in (?:the following|this (?:section|report|chapter))|(?:the|this) (?:following |next )?"
    r"(?:section|report|chapter|table|list)s?\b|(?:below|next|here),? (?:we|is|are)\b|let us\b|"
    r"we (?:now|next|first|then)\b|to (?:sum up|summari[sz]e|conclude)[,:]|see (?:also|section)\b|"
    r"(?:本|下)(?:报告|文|节|章|部分|表)|(?:以下|下面|接下来|综上|总之))",
    re.IGNORECASE,
)


def is_claim(statement: Statement) -> bool:
    """Whether a statement asserts something that a reader may want a source for."""
    text = statement.text
    if (
        _ASKS_OR_LEADS.search(text[-20:])
        or _TURNS.match(text)
        or ADMITS_GAP.search(text)
        or TELLS_METHOD.search(text)
    ):
        return False
    if _DIGIT.search(text) or _NAME.search(text):
        return True
    return len(content_words(text)) >= FEWEST_CLAIM_WORDS


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """The words that carry a statement, in a form that forgives endings; numbers are among them."""
    return frozenset(token.word for token in tokens(text) if token.word != NUMBER)
