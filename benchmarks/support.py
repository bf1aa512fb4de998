"""How well the offline rule for support ranks statements, beside plain recall of their words.

On pairs of our own and, where the folder ../shared is beside the checkout, on the published
verdicts of an agent's citations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from benchmarks.material import ROOT
from deepassay.protocols.alignment.alignment import THRESHOLD, align
from deepassay.protocols.alignment.passages import PageIndex
from deepassay.protocols.alignment.stems import FUNCTION_WORDS

OWN = ROOT / "tests" / "protocols" / "fixtures" / "support"
PUBLISHED = ROOT.parent / "shared" / "data" / "bench" / "fact" / "dls.validated.jsonl"
SAMPLES = 2000
SEED = 20250

_WORD = re.compile(r"[^\W_\u4e00-\u9fff]{2,}|(?=([\u4e00-\u9fff]{2}))")


class Pair(NamedTuple):
    """A statement and a page, and whether people or the published judge say it supports it."""

    statement: str
    page: str
    supported: bool
    kind: str


class Scores(NamedTuple):
    """Scores of the same pairs by the offline rule and by plain recall, and the truth."""

    ours: NDArray[np.float64]
    recall: NDArray[np.float64]
    supported: NDArray[np.bool_]


class Gain(NamedTuple):
    """Area gained over plain recall in a paired bootstrap: mean, 95 % interval, share above 0."""

    mean: float
    low: float
    high: float
    positive: float


def own_pairs(path: Path) -> list[Pair]:
    """Pairs written for this repository, from a file of them."""
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Pair(claim["claim"], row["page"], claim["label"] == "supported", claim["kind"])
        for row in rows
        for claim in row["claims"]
    ]


def published_pairs(path: Path) -> Iterator[Pair]:
    """Pairs of a file of verdicts as the released program writes it; `unknown` is left out."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            for group in row["citations_deduped"].values():
                for verdict in group["validate_res"]:
                    if verdict["result"] != "unknown":
                        statement = group["facts"][verdict["idx"]]
                        supported = verdict["result"] == "supported"
                        yield Pair(statement, group["url_content"], supported, str(row["id"]))


def words(text: str) -> set[str]:
    """Content words as they are, and pairs of Chinese characters."""
    found = {match[1] or match[0].lower() for match in _WORD.finditer(text)}
    return found - FUNCTION_WORDS - {""}


def plain_recall(statement: str, page_words: set[str]) -> float:
    """Share of a statement's content words that stand anywhere on the page."""
    wanted = words(statement)
    return len(wanted & page_words) / len(wanted) if wanted else 0.0


def score(pairs: Iterable[Pair]) -> Scores:
    """Score all pairs both ways; each page is read once."""
    read: dict[str, tuple[PageIndex, set[str]]] = {}
    rows = []
    for pair in pairs:
        if pair.page not in read:
            read[pair.page] = PageIndex(pair.page), words(pair.page)
        index, page_words = read[pair.page]
        recall = plain_recall(pair.statement, page_words)
        rows.append((align(pair.statement, index).score, recall, pair.supported))
    ours, plain, supported = zip(*rows, strict=True)
    return Scores(np.array(ours), np.array(plain), np.array(supported))


def area(scores: NDArray[np.float64], supported: NDArray[np.bool_]) -> float:
    """Area under the ROC curve; ties count half."""
    ranks = rankdata(scores)
    yes, no = int(supported.sum()), int((~supported).sum())
    return float((ranks[supported].sum() - yes * (yes + 1) / 2) / (yes * no))


def accuracy(scores: Scores) -> float:
    """Share of pairs on which the offline rule's verdict is right."""
    return float(((scores.ours >= THRESHOLD) == scores.supported).mean())


def gain(scores: Scores, random: np.random.Generator) -> Gain:
    """Paired bootstrap over pairs of the area gained."""
    gains: list[float] = []
    while len(gains) < SAMPLES:
        drawn = random.integers(0, len(scores.supported), len(scores.supported))
        truth = scores.supported[drawn]
        if truth.any() and not truth.all():
            gains.append(area(scores.ours[drawn], truth) - area(scores.recall[drawn], truth))
    low, high = np.percentile(gains, [2.5, 97.5])
    positive = sum(one > 0 for one in gains) / len(gains)
    return Gain(float(np.mean(gains)), float(low), float(high), positive)


def tell(name: str, pairs: Sequence[Pair], random: np.random.Generator) -> None:
    """Print the comparison on some pairs."""
    scores = score(pairs)
    ours, plain = area(scores.ours, scores.supported), area(scores.recall, scores.supported)
    won = gain(scores, random)
    print(
        f"support, {name}: {len(pairs)} pairs, area {ours:.3f} (plain recall: {plain:.3f}), "
        f"accuracy {accuracy(scores):.3f}; gain {won.mean:+.3f} "
        f"[{won.low:+.3f}, {won.high:+.3f}], above 0 in {won.positive:.1%} of {SAMPLES} samples"
    )


def main() -> None:
    """Print the comparison on our own pairs, and on the published verdicts where they are."""
    random = np.random.default_rng(SEED)
    for path in sorted(OWN.glob("*.jsonl")):
        tell(path.stem, own_pairs(path), random)
    if PUBLISHED.exists():
        pairs = list(published_pairs(PUBLISHED))
        tell("published verdicts", pairs, random)
        for task in sorted({pair.kind for pair in pairs}):
            tell(f"of task {task}", [pair for pair in pairs if pair.kind == task], random)


if __name__ == "__main__":
    main()
