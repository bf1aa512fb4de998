"""Judges measured on published labels of whether pages support statements."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

import numpy as np

from deepassay.errors import BadTasks
from deepassay.protocols.overlap import sentences_of, share, words_of
from deepassay.protocols.support import SUPPORTED
from deepassay.results.joined import Joined
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile, StoredVerdict
from deepassay.score import Json
from deepassay.tasks.labelled import (
    SUPPORT,
    LabelledPair,
    labelled_set,
    pairs_with_pages,
)
from deepassay.tasks.task import detect_language
from deepassay.wings.people.agreement.judging import judged_support
from deepassay.wings.people.agreement.labels import LabelledItem, Measured, Saying
from deepassay.wings.people.agreement.published import FLOOR, MeasuredJudges, judges_of_set

Partial = Literal["unsupported", "supported", "keep", "drop"]

NUMBERS: Final = dict(zip(SUPPORT, (1.0, 0.5, 0.0), strict=True))
GRADES: Final = {"supported": 1.0, "unknown": 0.5, "unsupported": 0.0}
VERDICTS: Final = {"supported": 1.0, "unknown": 0.0, "unsupported": 0.0}
ON_PARTIAL: Final[Mapping[Partial, str]] = {
    "keep": "Labels `partial` stand between the two others; judges give two verdicts.",
    "drop": "Labels `partial` are left out.",
    "supported": "Labels `partial`, where there are any, count as supported.",
    "unsupported": "Labels `partial`, where there are any, count as unsupported.",
}


def published_pairs(
    paths: Sequence[Path], pages: Path | None, partial: Partial
) -> list[LabelledPair] | None:
    """The pairs of published sets; None for one file of another layout.

    Raises BadTasks for such a file among several.
    """
    pairs: list[LabelledPair] = []
    for path in paths:
        found = labelled_set(path)
        if found is None and len(paths) == 1:
            return None
        if found is None:
            raise BadTasks(f"{path} is no published set.", "Pairs of your own are given alone.")
        pairs += pairs_with_pages(found, pages) if pages else found
    return [each for pair in pairs if (each := _without_partial(pair, partial)).people]


def _without_partial(pair: LabelledPair, partial: Partial) -> LabelledPair:
    if partial == "keep":
        return pair
    kept = (label for label in pair.people if label != "partial" or partial != "drop")
    mapped = tuple(partial if label == "partial" else label for label in kept)
    return replace(pair, people=mapped)  # type: ignore[arg-type]  # drop leaves no partial


def models_of(settings: Settings) -> list[str]:
    """Who is asked about pairs: the first judge and the verifier."""
    named = (settings.judge[0], settings.verifier)
    return [each for each in named if each and each != "offline"]


def measure_support(
    pairs: Sequence[LabelledPair], settings: Settings, partial: Partial, seed: int
) -> MeasuredJudges:
    """The first judge, the verifier and the floor on pairs that people labelled.

    Raises BadTasks without pairs.
    """
    if not pairs:
        raise BadTasks("There are no labels left.", "Check the files, and --partial.")
    title = ", ".join(dict.fromkeys(pair.of for pair in pairs))
    names = models_of(settings)
    there = [pair for pair in pairs if pair.page or pair.url]
    sayings: list[Saying] = []
    identities: list[Mapping[str, Json]] = []
    remarks = Counter({"no page": len(pairs) - len(there)})
    notes = [ON_PARTIAL[partial]]
    with RunFile.create(settings.run) as run:
        for name in names if there else ():
            said, identity = asyncio.run(judged_support(there, name, settings, run))
            identities.append(identity)
            verdicts = [_word(said.get(pair)) for pair in pairs]
            sayings.append(
                Saying(name, [VERDICTS.get(w) for w in verdicts], [GRADES.get(w) for w in verdicts])
            )
            remarks.update(f"{name}: {why}" for why in said.values() if isinstance(why, str))
            notes.append(f"{name}: {_joined(pairs, said)}")
            notes += _on_quotes(name, said)
    if there:
        sayings.append(_recall(pairs))
    items = _items(pairs)
    classes = tuple(NUMBERS.values()) if partial == "keep" else (1.0, 0.0)
    measured = Measured(title, items, classes, sayings, tuple(notes), seed)
    return judges_of_set(measured, identities, remarks)


def _joined(
    pairs: Sequence[LabelledPair], said: Mapping[LabelledPair, StoredVerdict | str]
) -> Joined:
    """What became of the pairs that people labelled."""
    strays = [each.place for each in pairs if not isinstance(said.get(each), StoredVerdict)]
    return Joined("pairs", "verdicts", len(pairs), strays)


def _word(said: StoredVerdict | str | None) -> str:
    return said.verdict if isinstance(said, StoredVerdict) else ""


def _recall(pairs: Sequence[LabelledPair]) -> Saying:
    """The floor: the share of the statement's words that the page holds, and the offline rule."""
    shares: list[float | None] = []
    for pair in pairs:
        page = sentences_of(pair.page).vocabulary
        shares.append(share(words_of(pair.statement), page) if pair.page else None)
    rule = [None if each is None else float(each >= SUPPORTED) for each in shares]
    return Saying(FLOOR, rule, shares)


def _items(pairs: Sequence[LabelledPair]) -> list[LabelledItem]:
    """What is counted of pairs; pages are cut into thirds by their length."""
    lengths = [len(pair.page) for pair in pairs if pair.page]
    ends = [round(end) for end in np.quantile(lengths, [1 / 3, 2 / 3])] if lengths else [0, 0]
    names = (f"1: to {ends[0]:,}", f"2: to {ends[1]:,}", f"3: over {ends[1]:,}")
    found = []
    for pair in pairs:
        length = names[sum(len(pair.page) > end for end in ends)] if pair.page else ""
        cuts = {
            "set": pair.of,
            "source": pair.source,
            "language": detect_language(pair.statement),
            "characters": length,
            "label": pair.written,
        }
        people = tuple(NUMBERS[label] for label in pair.people)
        found.append(LabelledItem(people, pair.page or pair.url or pair.key, cuts))
    return found


def _on_quotes(name: str, said: Mapping[LabelledPair, StoredVerdict | str]) -> list[str]:
    """How many quotes of the judge stand in sentences that people named, where they named any."""
    quoted = [
        " ".join(each.quote.split()) in " ".join(" ".join(pair.quotes).split())
        for pair, each in said.items()
        if pair.quotes and isinstance(each, StoredVerdict) and each.quote
    ]
    if not quoted:
        return []
    return [f"{name}: {sum(quoted)} of {len(quoted)} quotes stand in sentences that people named."]
