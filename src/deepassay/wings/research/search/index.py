"""Full-text search over pages in memory: SQLite's FTS5, with words made here.

SQLite's own tokenizers do not find Chinese: `unicode61` takes a whole run of characters for one
word, `trigram` needs three. So words are made here and handed over separated by blanks.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from deepassay.text import HAN, IN_EVERY_TEXT

RANKER: Final = "fts5-1"
"""Names how pages are ranked: it changes with words, order or weights."""

SNIPPET: Final = 320
"""Characters of a page that a hit shows at most."""

LONGEST_QUERY: Final = 64
"""Different words of a query that count."""

BESIDES: Final = 20
"""Words that every paragraph counts as having besides, lest the shortest be the densest."""

_RUN: Final = f"{HAN}\u3041-\u30ff\uac00-\ud7af\U00020000-\U0003ffff"
"""Chinese characters, kana and Hangul: what is written without blanks, or inflected."""

_WORD: Final = re.compile(rf"(?P<run>[{_RUN}]+)|[^\W_{_RUN}]+")
_ONE: Final = re.compile(f"[{_RUN}]")
_PARAGRAPH: Final = re.compile(r"^[ \t]*[^\s#][^\n]*(?:\n[ \t]*[^\s#][^\n]*)*", re.MULTILINE)
"""Lines in a row, headings aside."""


def index_words(text: str) -> Iterator[tuple[str, int]]:
    """The words of a text, as they are compared, and where each begins.

    Case, width and accents do not count. Of a run of Chinese characters every pair of neighbours
    is a word, and the last character by itself, so that each begins one.
    """
    for found in _WORD.finditer(text):
        word, at = found.group(), found.start()
        if word.isascii():
            yield word.lower(), at
        elif found["run"]:
            written = unicodedata.normalize("NFKC", word)
            for start in range(len(written)):
                yield written[start : start + 2], at + start
        else:
            parts = unicodedata.normalize("NFKD", word).casefold()
            yield "".join(each for each in parts if not unicodedata.combining(each)), at


def query_words(query: str) -> list[str]:
    """The different words of a query in their order, without those that stand in every text."""
    wanted: dict[str, None] = {}
    for found in _WORD.finditer(query):
        pieces = [word for word, _ in index_words(found.group())]
        # The last character by itself is no word of a query, but where it is all there is.
        for word in pieces[:-1] if found["run"] and len(pieces) > 1 else pieces:
            if word not in IN_EVERY_TEXT:
                wanted[word] = None
    return list(wanted)[:LONGEST_QUERY]


class TextIndex:
    """Texts that can be searched, by their place from 0 on. Close it after use."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._rows = sqlite3.connect(":memory:")
        self._rows.execute(
            "CREATE VIRTUAL TABLE pages USING fts5(words, content='', tokenize='unicode61')"
        )
        self._rows.executemany(
            "INSERT INTO pages(rowid, words) VALUES(?,?)",
            (
                (at, " ".join(word for word, _ in index_words(text)))
                for at, text in enumerate(texts)
            ),
        )

    def close(self) -> None:
        """Close the database in memory that holds the index."""
        self._rows.close()

    def find(self, query: str, count: int) -> list[int]:
        """Places of the texts that answer a query best, none for a query without words.

        In the order of how many different words of the query they have, of bm25, and of their
        place. bm25 alone would decide at random in a small corpus, where SQLite counts words that
        stand in more than half of the texts as next to nothing.
        """
        terms = [_term(word) for word in query_words(query)]
        if not terms:
            return []
        one = "SELECT rowid AS place FROM pages WHERE pages MATCH ?"
        each = " UNION ALL ".join([one] * len(terms))
        found = self._rows.execute(
            f"WITH met AS (SELECT place, count(*) AS n FROM ({each}) GROUP BY place) "
            "SELECT place FROM pages JOIN met ON place = pages.rowid WHERE pages MATCH ? "
            "ORDER BY n DESC, round(bm25(pages), 6), place LIMIT ?",
            [*terms, " OR ".join(terms), count],
        )
        return [place for (place,) in found]


def _term(word: str) -> str:
    """A word as FTS5 looks for it: quoted, so that it is no operator; one character as a prefix."""
    return f'"{word}"' + (" *" if _ONE.fullmatch(word) else "")


def snippet(text: str, query: str) -> str:
    """The paragraph of a text with the most different words of a query, cut to SNIPPET characters.

    Among equals the one in which they stand closest together, then the first. The beginning of
    the text where none of them stands in it.
    """
    wanted = frozenset(query_words(query))
    begins = tuple(word for word in wanted if _ONE.fullmatch(word))
    best, score = (0, min(len(text), SNIPPET), 0), (0, 0.0)
    for paragraph in _PARAGRAPH.finditer(text):
        met, count, first, total = set[str](), 0, 0, BESIDES
        for word, at in index_words(paragraph.group()):
            total += 1
            if hit := word if word in wanted else word[0] if word.startswith(begins) else "":
                first = first if count else at
                count += 1
                met.add(hit)
        if (found := (len(met), count / total)) > score:
            best, score = (paragraph.start(), paragraph.end(), first), found
    start, end, first = best
    return _cut(text[start:end], first)


def _cut(paragraph: str, first: int) -> str:
    """A paragraph on one line, from a little before its first hit where all of it is too long."""
    if len(paragraph) <= SNIPPET:
        return " ".join(paragraph.split())
    start = 0 if first < SNIPPET // 2 else first - SNIPPET // 4
    piece = paragraph[start : start + SNIPPET]
    shown = " ".join(piece.split())
    return f"{'…' * (start > 0)}{shown}{'…' * (start + SNIPPET < len(paragraph))}"
