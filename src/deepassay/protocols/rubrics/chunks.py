"""How the authors' released program divides a long report: edition `code`."""

from __future__ import annotations

from typing import Final

CHUNK: Final = 400_000
"""Characters of a chunk at most: what the program takes for 100,000 tokens."""

MOST_TOKENS: Final = 150_000
"""What it shows a judge at once: a context of 200,000 tokens less 50,000 for the answer."""


def needs_chunks(report: str) -> bool:
    """Whether the program divides a report; it takes four characters for a token."""
    return len(report) // 4 > MOST_TOKENS


def chunks_of(report: str) -> list[str]:
    """The report cut at blank lines, as few pieces as go in order; a long paragraph stays whole."""
    chunks: list[list[str]] = [[]]
    length = 0
    for paragraph in report.split("\n\n"):
        longer = length + len("\n\n") + len(paragraph)
        if chunks[-1] and longer > CHUNK:
            chunks.append([])
        length = longer if chunks[-1] else len(paragraph)
        chunks[-1].append(paragraph)
    return ["\n\n".join(each) for each in chunks]
