"""A statement with its citations, addresses and code masked, character for character."""

from __future__ import annotations

import re

from deepassay.reports.sentences import MASK
from deepassay.reports.statements import Statement

_NOT_PROSE = re.compile(
    r"https?://[^\s<>]+|www\.[^\s<>]+|(?<=\])\([^()\s]{1,2000}\)|`[^`\n]{1,300}`|<[^<>\n]{1,300}>"
)


def masked(text: str, statement: Statement) -> str:
    """The statement as written, as long as its span, with MASK for all that is not its prose."""
    start, end = statement.span
    pieces = []
    at = start
    for resolved in () if statement.inherited else statement.citations:
        span = resolved.citation.span
        if not resolved.citation.in_sentence:
            pieces += [text[at : span.start], MASK * (span.end - span.start)]
            at = span.end
    said = "".join([*pieces, text[at:end]])
    return _NOT_PROSE.sub(lambda found: MASK * len(found[0]), said)
