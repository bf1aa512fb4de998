"""How long ten thousand continuations take to be compared, and what its peers take for the same.

The similarity of characters is also measured with difflib of the standard library, on a sample;
TF-IDF with scikit-learn, where it is installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

import numpy as np

from deepassay.wings.build.leakage.leakage import (
    leakage_words,
    overlap,
    similarities,
    string_similarity,
    tfidf_similarities,
)

PAIRS = 10_000
CHARACTERS = 500
SAMPLE = 100
WORDS = 20_000
SEED = 20250

Pairs = Sequence[tuple[str, str]]


def made_up_pairs(count: int = PAIRS) -> list[tuple[str, str]]:
    """Pairs of texts of 500 characters, their words as unevenly frequent as those of a language."""
    random = np.random.default_rng(SEED)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    vocabulary = ["".join(random.choice(letters, random.integers(2, 11))) for _ in range(WORDS)]
    weights = 1 / np.arange(1, WORDS + 1)
    drawn = random.choice(WORDS, (2 * count, CHARACTERS // 3), p=weights / weights.sum())
    texts = [" ".join(vocabulary[place] for place in row)[:CHARACTERS] for row in drawn]
    return list(zip(texts[::2], texts[1::2], strict=True))


def seconds(work: Callable[[], object]) -> float:
    """What a piece of work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def by_difflib(pairs: Pairs) -> None:
    """Similarity of characters with the standard library."""
    for one, other in pairs:
        SequenceMatcher(None, one, other, autojunk=False).ratio()


def by_scikit_learn(pairs: Pairs) -> float | None:
    """Seconds for the TF-IDF cosines with scikit-learn, or None where it is not installed."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError:
        return None

    def compare() -> None:
        vectorizer = TfidfVectorizer(analyzer=lambda text: list(leakage_words(text)))
        vectorizer.fit([text for pair in pairs for text in pair])
        ones, twos = (vectorizer.transform(texts) for texts in zip(*pairs, strict=True))
        ones.multiply(twos).sum(axis=1)

    return seconds(compare)


def main() -> None:
    """Print the comparison."""
    pairs = made_up_pairs()
    string = seconds(lambda: [string_similarity(*pair) for pair in pairs])
    difflib = seconds(lambda: by_difflib(pairs[:SAMPLE])) * PAIRS / SAMPLE
    tfidf = seconds(lambda: tfidf_similarities(pairs))
    scikit = by_scikit_learn(pairs)
    beside = "not installed" if scikit is None else f"{scikit:.1f} s"
    print(
        f"leakage, {PAIRS} pairs of {CHARACTERS} characters: "
        f"{seconds(lambda: similarities(pairs)):.1f} s in all on one core; "
        f"string {string:.2f} s (difflib: {difflib:.0f} s, from {SAMPLE} of them), "
        f"TF-IDF {tfidf:.1f} s (scikit-learn: {beside}), "
        f"overlap {seconds(lambda: [overlap(*pair) for pair in pairs]):.1f} s"
    )


if __name__ == "__main__":
    main()
