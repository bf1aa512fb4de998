"""How well the offline rule for support ranks what people judged, beside plain recall of words.

Plain recall is the share of the words of a statement, those of every text aside, that stand in the
page. The rule is meant to be just that; the recall here is counted by other code. Beside it stands
the recall of all words.

On people's labels that stand beside the checkout in ../shared/data/labels; where they do not,
nothing is measured.

    python -m benchmarks.support
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from benchmarks.material import ROOT
from deepassay.protocols.overlap import share, words_of
from deepassay.protocols.support import SUPPORTED
from deepassay.text import IN_EVERY_TEXT

LABELS = ROOT.parent / "shared" / "data" / "labels"
SAMPLES = 2000
SEED = 20250

_WORD = re.compile(r"[^\W_]+")


class Pair(NamedTuple):
    """A statement, the text that it is held against, and whether people say it is supported."""

    statement: str
    page: str
    supported: bool


Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]


def sets() -> Iterator[tuple[str, list[Pair]]]:
    """Every set of labels by its name, AttributionBench as a whole and by source."""
    rows = _lines("attributionbench-dev.jsonl")
    yield "AttributionBench dev", [_attributed(row) for row in rows]
    for source in sorted({row["src_dataset"] for row in rows}):
        own = [_attributed(row) for row in rows if row["src_dataset"] == source]
        yield f"- {source}", own
    for name, wanted in (("fully", {"supported"}), ("at least in part", None)):
        yield (
            f"WiCE claims dev, {name}",
            [
                Pair(
                    row["claim"],
                    "\n".join(row["evidence"]),
                    row["label"] in wanted if wanted else row["label"] != "not_supported",
                )
                for row in _lines("wice-claim-dev.jsonl")
            ],
        )
    yield "RAGChecker, the more complete answer", list(_answers())


def _attributed(row: Mapping[str, Any]) -> Pair:
    supported = row["attribution_label"] == "attributable"
    return Pair(row["claim"], "\n".join(row["references"]), supported)


def _answers() -> Iterator[Pair]:
    """Of two answers that people compare, each held against the words of the reference answer.

    An answer counts as the better one where people prefer it; pairs that they call equal are out.
    """
    rows = json.loads((LABELS / "ragchecker-pairs-half.json").read_text("utf-8"))
    for row in rows:
        if row["completeness_label"]:
            first_wins = row["completeness_label"] < 0
            yield Pair(row["gt_answer"], row["model1"]["response"], first_wins)
            yield Pair(row["gt_answer"], row["model2"]["response"], not first_wins)


def _lines(name: str) -> list[Mapping[str, Any]]:
    with (LABELS / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def by_rule(pair: Pair) -> float:
    """What the offline rule goes by."""
    return share(words_of(pair.statement), set(words_of(pair.page)))


def plain_recall(pair: Pair) -> float:
    """The floor: the share of a statement's words that stand anywhere in the text."""
    return _recall(pair, IN_EVERY_TEXT)


def recall_of_all(pair: Pair) -> float:
    """The same with the words that stand in every text."""
    return _recall(pair, frozenset())


def _recall(pair: Pair, without: frozenset[str]) -> float:
    wanted, there = (
        set(_WORD.findall(text.lower())) - without for text in (pair.statement, pair.page)
    )
    return sum(word in there for word in wanted) / max(1, len(wanted))


def area(scores: Numbers, supported: Truth) -> float:
    """Area under the ROC curve; ties count half."""
    ranks = rankdata(scores)
    yes, no = int(supported.sum()), int((~supported).sum())
    return float((ranks[supported].sum() - yes * (yes + 1) / 2) / (yes * no))


def balanced(scores: Numbers, supported: Truth, threshold: float) -> float:
    """Mean of the shares of supported and of unsupported statements that a threshold gets right."""
    said = scores >= threshold
    return float((said[supported].mean() + (~said[~supported]).mean()) / 2)


def intervals(found: Sequence[Numbers], supported: Truth, seed: int = SEED) -> list[Numbers]:
    """Ends of the 95 % bootstrap intervals of each area, then of the first less each other."""
    random = np.random.default_rng(seed)
    drawn = []
    while len(drawn) < SAMPLES:
        some = random.integers(0, len(supported), len(supported))
        if 0 < supported[some].sum() < len(some):
            areas = [area(scores[some], supported[some]) for scores in found]
            drawn.append([*areas, *(areas[0] - other for other in areas[1:])])
    return list(np.percentile(np.array(drawn), [2.5, 97.5], axis=0).T)


def _told(value: float, ends: Numbers, sign: str = "") -> str:
    return f"{value:{sign}.3f} [{ends[0]:{sign}.3f}, {ends[1]:{sign}.3f}]"


def main() -> None:
    """Print a row for each set."""
    if not LABELS.is_dir():
        print("support: not measured, people's labels are not beside the checkout")
        return
    print(
        "area under the curve [95 %]; difference: rule less plain recall; right: at the threshold"
    )
    for name, pairs in sets():
        supported = np.array([pair.supported for pair in pairs])
        scorers = (by_rule, plain_recall, recall_of_all)
        found = [np.array([score(pair) for pair in pairs]) for score in scorers]
        areas = [area(scores, supported) for scores in found]
        ends = intervals(found, supported)
        rule, plain, every = (_told(*pair) for pair in zip(areas, ends[:3], strict=True))
        print(
            f"{name}: {len(pairs)} items; rule {rule}, plain recall {plain}, "
            f"difference {_told(areas[0] - areas[1], ends[3], '+')}; all words {every}; "
            f"right {balanced(found[0], supported, SUPPORTED):.3f}"
        )


if __name__ == "__main__":
    main()
