"""How long a corpus of 20,000 pages takes to be indexed and asked, beside looking through texts.

The floor counts, for each page, how many of the words of the query stand in its text.

    python -m benchmarks.searching
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial

import numpy as np

from deepassay.wings.research.search.index import TextIndex, query_words

PAGES = 20_000
WORDS = 500
VOCABULARY = 50_000
QUERIES = 20
SEED = 20250


def texts() -> list[str]:
    """Pages of words whose frequencies fall as those of a language do, some of them in Chinese."""
    random = np.random.default_rng(SEED)
    names = [f"w{n}" if n % 10 else chr(0x4E00 + n // 10 % 2000) * 2 for n in range(VOCABULARY)]
    drawn = random.zipf(1.3, (PAGES, WORDS)) % VOCABULARY
    return [" ".join(names[each] for each in page) for page in drawn]


def looked_through(pages: list[str], query: str) -> list[int]:
    """The floor: the ten pages with the most words of a query."""
    wanted = query_words(query)
    counts = [(-sum(word in page for word in wanted), at) for at, page in enumerate(pages)]
    return [at for _, at in sorted(counts)[:10]]


def milliseconds(find: Callable[[str], list[int]], queries: list[str]) -> float:
    """Median of the queries."""
    taken = []
    for query in queries:
        began = time.perf_counter()
        find(query)
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)


def main() -> None:
    """Print the comparison: words of the middle, as of subjects, and words of nearly every page."""
    pages = texts()
    random = np.random.default_rng(SEED + 1)
    began = time.perf_counter()
    with closing(TextIndex(pages)) as index:
        print(f"corpus of {PAGES:,} pages: indexed in {time.perf_counter() - began:.1f} s")
        for kind, low, high in (("of a subject", 300, 5000), ("of nearly every page", 1, 30)):
            drawn = random.integers(low, high, (QUERIES, 6))
            queries = [" ".join(f"w{n}" for n in each) for each in drawn]
            print(
                f"- a query of six words {kind}: "
                f"{milliseconds(lambda query: index.find(query, 10), queries):.0f} ms (looking "
                f"through all texts {milliseconds(partial(looked_through, pages), queries):.0f} ms)"
            )


if __name__ == "__main__":
    main()
