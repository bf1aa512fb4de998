"""How alike a continuation and the true suffix are: three similarities and their mixture.

DeepResearch Arena, section A.2. All of them lie from 0 to 1, and are 1 for equal texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from rapidfuzz.distance import LCSseq
from scipy.sparse import csr_array

from deepassay.text import HAN

LEAKED_ABOVE: Final = 0.7
_RUN: Final = re.compile(rf"([{HAN}]+)|[^\W_{HAN}]+")


@dataclass(frozen=True)
class Similarity:
    """Of a continuation to the true suffix. string, tfidf, overlap: eqs. 11, 12, 13."""

    string: float
    tfidf: float
    overlap: float

    @property
    def composite(self) -> float:
        """The mixture (eq. 14): weights 0.4, 0.4, 0.2."""
        # In whole fifths, so that three parts of 0.7 make 0.7 and nothing above it.
        return (2 * self.string + 2 * self.tfidf + self.overlap) / 5

    @property
    def leaked(self) -> bool:
        """Whether the model may have seen the task (eq. 15)."""
        return self.composite > LEAKED_ABOVE


def similarities(pairs: Sequence[tuple[str, str]]) -> list[Similarity]:
    """The similarities of pairs (suffix, continuation), blanks around them aside."""
    trimmed = [(suffix.strip(), continuation.strip()) for suffix, continuation in pairs]
    cosines = tfidf_similarities(trimmed)
    return [
        Similarity(string_similarity(*pair), cosine, overlap(*pair))
        for pair, cosine in zip(trimmed, cosines, strict=True)
    ]


def string_similarity(one: str, other: str) -> float:
    """Twice the longest common subsequence of characters, over the characters of both (eq. 11)."""
    whole = len(one) + len(other)
    return 2 * int(LCSseq.similarity(one, other)) / whole if whole else 1.0


def overlap(suffix: str, continuation: str) -> float:
    """The share of the suffix's different words that the continuation has (eq. 13)."""
    wanted = set(words(suffix))
    if not wanted:
        return float(suffix == continuation)
    return len(wanted & set(words(continuation))) / len(wanted)


def words(text: str) -> Iterator[str]:
    """Words in small letters: runs of letters and digits, and pairs of adjoining Han characters.

    A Han character that stands alone is a word.
    """
    for found in _RUN.finditer(text.lower()):
        han = found[1]
        if han is None or len(han) == 1:
            yield found[0]
        else:
            yield from map("".join, pairwise(han))


def tfidf_similarities(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The cosine of the two TF-IDF vectors of each pair (eq. 12); 0 where only one has words.

    Counts of words times ln((1 + n) / (1 + df)) + 1, as scikit-learn does by default; n and df
    count the different texts of all pairs. Equal texts without words have 1.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    if not texts:
        return []
    place = {text: row for row, text in enumerate(texts)}
    vectors = _vectors(texts)
    ones = vectors[[place[one] for one, _ in pairs]]
    twos = vectors[[place[other] for _, other in pairs]]
    cosines = np.asarray((ones * twos).sum(axis=1)).clip(0.0, 1.0)
    return [
        1.0 if one == other else float(cosine)
        for (one, other), cosine in zip(pairs, cosines, strict=True)
    ]


def _vectors(texts: Sequence[str]) -> csr_array:
    """TF-IDF of every text: one row each, of length 1 or, without words, 0."""
    columns: dict[str, int] = {}
    indices, counts, ends = [], [], [0]
    for text in texts:
        for word, count in Counter(words(text)).items():
            indices.append(columns.setdefault(word, len(columns)))
            counts.append(count)
        ends.append(len(indices))
    width = max(len(columns), 1)
    matrix = csr_array((np.array(counts, float), indices, ends), shape=(len(texts), width))
    found_in = np.bincount(np.array(indices, int), minlength=width)
    matrix.data *= np.log((1 + len(texts)) / (1 + found_in[matrix.indices])) + 1
    norms = np.sqrt(np.asarray((matrix * matrix).sum(axis=1)))
    matrix.data /= np.repeat(norms, np.diff(matrix.indptr))
    return matrix
