"""Judges measured on published labels of which of two answers is better."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import BadTasks
from deepassay.models.ask import Asker
from deepassay.protocols.overlap import share, words_of
from deepassay.protocols.protocol import Case, RoleAskers, Sources
from deepassay.protocols.race.protocol import Race
from deepassay.reports.report import Report
from deepassay.run.asking.connecting import one_model
from deepassay.run.asking.estimate import Estimate, estimate_work
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.score import Json, Score, Unscored
from deepassay.sources.snapshots import Snapshots
from deepassay.stats.ranks import TIE
from deepassay.stopping import ConcurrentQueue
from deepassay.tasks.judgment_bench import preferred_answers
from deepassay.tasks.labelled import (
    SIDES,
    LabelledAnswers,
    objects_of,
    ragchecker,
)
from deepassay.tasks.task import Task, detect_language
from deepassay.wings.people.agreement.labels import LabelledItem, Measured, Saying
from deepassay.wings.people.agreement.published import FLOOR, MeasuredJudges, judges_of_set

LONGER: Final = "longer one"


# ------------------------------------------------------------------ which answer is better


def published_answers(path: Path, label: str) -> tuple[str, list[LabelledAnswers]] | None:
    """The title and the pairs of answers of a published set; None for another layout."""
    if path.is_dir():
        return "JudgmentBench", preferred_answers(path)
    if path.suffix.lower() != ".json":
        return None
    studies = {str(row.fields["study"]) for row in objects_of(path) if "study" in row.fields}
    title = f"{', '.join(sorted(studies))}, of a study" if studies else f"RAGChecker, {label}"
    return title, ragchecker(path, label)


COMPARING: Final = Race(
    criteria="static", dimension_weights=False, position="both", cleaning="none"
)
"""RACE on criteria that suit any request, in both orders; the second answer is the reference."""


def measure_preferences(
    title: str, pairs: Sequence[LabelledAnswers], settings: Settings, seed: int
) -> MeasuredJudges:
    """The first judge, by RACE on static criteria in both orders, and floors, on answers."""
    if not pairs:
        raise BadTasks(f"{title}: the file holds no labels.", "Check that it is the right file.")
    found: dict[int, Score | str] = {}
    name = settings.judge[0]
    with RunFile.create(settings.run) as run:
        identity = asyncio.run(_compare(pairs, name, settings, run, found))
    shares = [
        each.value if isinstance(each := found[n], Score) else None for n in range(len(pairs))
    ]
    judge = Saying(name, [None if s is None else _side(s) for s in shares], shares)
    floors = [_longer(pairs)]
    if any(pair.good for pair in pairs):
        floors.append(_nearer(pairs))
    items = [
        LabelledItem(
            tuple(dict(zip(SIDES, (1.0, 0.5, 0.0), strict=True))[side] for side in pair.people),
            pair.question,
            {"source": pair.source, "language": detect_language(pair.question)},
        )
        for pair in pairs
    ]
    note = "Classes: the first answer is better, both are equal, the second is better."
    measured = Measured(title, items, (1.0, 0.5, 0.0), [judge, *floors], (note,), seed)
    remarks = Counter(each for each in found.values() if isinstance(each, str))
    return judges_of_set(measured, [identity], remarks)


async def _compare(
    pairs: Sequence[LabelledAnswers],
    name: str,
    settings: Settings,
    run: RunFile,
    found: dict[int, Score | str],
) -> Mapping[str, Json]:
    async with one_model(name, settings, run) as (asker, _):
        sources = Sources(Snapshots(run.captures, None), run.verdicts)

        async def judge(numbered: tuple[int, LabelledAnswers]) -> None:
            number, pair = numbered
            outcome = await _preferred(pair, number, asker, sources)
            found[number] = outcome if isinstance(outcome, Score) else str(outcome.cause)

        await ConcurrentQueue(judge).finish_or_stop(
            list(enumerate(pairs)), settings.max_connections
        )
        return asker.identity


async def _preferred(
    pair: LabelledAnswers, number: int, asker: Asker, sources: Sources
) -> Score | Unscored:
    task = Task(id=str(number), prompt=pair.question)
    case = Case(task, Report(pair.first), reference=Report(pair.second))
    return await COMPARING.score(case, RoleAskers.alone(asker), sources)


def estimate_preferences(pairs: Sequence[LabelledAnswers], settings: Settings) -> Estimate:
    """What comparing these answers would ask of the first judge. Nothing is asked."""

    async def compare_all(asker: Asker, sources: Sources) -> None:
        for number, pair in enumerate(pairs):
            await _preferred(pair, number, asker, sources)

    size = f"{len(pairs):,} pairs of answers, in both orders"
    return estimate_work(size, settings.judge[:1], settings, compare_all)


def _side(share_of_first: float) -> float:
    return 0.5 if abs(share_of_first - 0.5) <= TIE else float(share_of_first > 0.5)


def _longer(pairs: Sequence[LabelledAnswers]) -> Saying:
    sizes = [(len(pair.first), len(pair.second)) for pair in pairs]
    grades = [one / (one + other) if one + other else 0.5 for one, other in sizes]
    return Saying(LONGER, [_side(each) for each in grades], grades)


def _nearer(pairs: Sequence[LabelledAnswers]) -> Saying:
    """Which answer holds more words of the right one."""
    grades = []
    for pair in pairs:
        wanted = words_of(pair.good)
        one, other = (share(wanted, words_of(each)) for each in (pair.first, pair.second))
        grades.append((1 + one - other) / 2)
    return Saying(FLOOR, [_side(each) for each in grades], grades)
