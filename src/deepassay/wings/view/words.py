"""Words that are looked for, in texts of which East Asian signs stand apart.

FTS5 takes a run of Chinese signs for one word, and its trigrams find no word of two signs. Where
every sign stands by itself, a word of several is a phrase, and the index is the smaller one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_EAST: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_RUN: Final = re.compile(f"{_EAST.pattern}+")
_TERM: Final = re.compile(r'"([^"]+)"|(\S+)')
AROUND: Final = 90
"""Characters of a text that are shown on either side of a word."""

MOST_TERMS: Final = 12


def set_apart(text: str) -> str:
    """The text as it is put into the index."""
    return _RUN.sub(lambda found: f" {'  '.join(found[0])} ", text)


def terms(asked: str) -> list[tuple[str, bool]]:
    """Words and phrases in quotation marks, and of each whether it may go on."""
    found = []
    for phrase, word in _TERM.findall(asked):
        plain = (phrase or word).replace('"', " ").strip()
        if any(map(str.isalnum, plain)):
            found.append((plain, bool(word) and not _EAST.search(plain)))
    return found[:MOST_TERMS]


def query(asked: str) -> str:
    """What FTS5 is asked: every word, or its beginning; empty where there is none."""
    quoted = (
        '"' + set_apart(plain).replace('"', " ").strip() + '"' + "*" * goes_on
        for plain, goes_on in terms(asked)
    )
    return " AND ".join(quoted)


class Snippet(NamedTuple):
    """A place in a text where a word stands: before, word, after."""

    before: str
    word: str
    after: str


def snippets(text: str, asked: str, most: int = 2) -> Iterator[Snippet]:
    """Where words stand that are asked for, the longest first; places near each other are one."""
    shown: list[int] = []
    for plain, goes_on in sorted(terms(asked), key=lambda term: -len(term[0])):
        parts = [re.escape(part) for part in re.findall(r"\w+", plain)]
        pattern = r"\W{0,3}".join(parts)
        edge = r"(?<!\w)" if not _EAST.search(plain) else ""
        found = re.search(edge + pattern + (r"\w*" if goes_on else ""), text, re.IGNORECASE)
        if found is None or any(abs(found.start() - each) < AROUND for each in shown):
            continue
        shown.append(found.start())
        start, end = max(0, found.start() - AROUND), found.end() + AROUND
        yield Snippet(
            "…" * (start > 0) + text[start : found.start()],
            found[0],
            text[found.end() : end] + "…" * (end < len(text)),
        )
        if len(shown) >= most:
            return
