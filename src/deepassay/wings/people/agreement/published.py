"""Judges measured on people's published labels: of support by pages, and of which answer is better.

A judge stands beside a verifier, if there is one, and beside floors that ask nobody: the share of
a statement's words that the page holds, or which answer is longer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np

from deepassay.errors import BadTasks
from deepassay.files import as_json
from deepassay.models.ask import Asker
from deepassay.protocols.overlap import sentences_of, share, words_of
from deepassay.protocols.protocol import Case, RoleAskers, Sources
from deepassay.protocols.race.protocol import Race
from deepassay.protocols.support import SUPPORTED
from deepassay.reports.report import Report
from deepassay.results.joined import Joined
from deepassay.results.tables import Table, as_csv
from deepassay.results.weighing import NOT, SATISFIED
from deepassay.results.wrapped_tables import written_narrow
from deepassay.run.asking.connecting import one_model
from deepassay.run.asking.engine import ConcurrentQueue
from deepassay.run.asking.estimate import Estimate, estimate_work
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile, StoredVerdict
from deepassay.score import Cause, Json, Score, Unscored
from deepassay.sources.snapshots import Snapshots
from deepassay.stats.ranks import TIE
from deepassay.tasks.judgment_bench import graded_answers, preferred_answers
from deepassay.tasks.labelled import (
    SIDES,
    SUPPORT,
    LabelledAnswers,
    LabelledPair,
    labelled_set,
    pairs_with_pages,
    ragchecker,
)
from deepassay.tasks.task import Task, detect_language
from deepassay.wings.people.agreement.judge_quality import JudgeQuality, JudgeQualityFile
from deepassay.wings.people.agreement.judging import judged_support
from deepassay.wings.people.agreement.labels import LabelledItem, Measured, Saying
from deepassay.wings.people.agreement.rubrics import (
    CriterionPlace,
    RubricComparison,
    compare_rubric_verdicts,
)
from deepassay.wings.people.agreement.runs import named_records

Partial = Literal["unsupported", "supported", "keep", "drop"]

FLOOR: Final = "plain recall"
LONGER: Final = "longer one"
NUMBERS: Final = dict(zip(SUPPORT, (1.0, 0.5, 0.0), strict=True))
GRADES: Final = {"supported": 1.0, "unknown": 0.5, "unsupported": 0.0}
VERDICTS: Final = {"supported": 1.0, "unknown": 0.0, "unsupported": 0.0}
ON_PARTIAL: Final[Mapping[Partial, str]] = {
    "keep": "Labels `partial` stand between the two others; judges give two verdicts.",
    "drop": "Labels `partial` are left out.",
    "supported": "Labels `partial`, where there are any, count as supported.",
    "unsupported": "Labels `partial`, where there are any, count as unsupported.",
}


@dataclass(frozen=True)
class MeasuredJudges:
    """Judges on one set. tables: all to be shown. unjudged: items without a verdict, by why."""

    tables: tuple[Table, ...]
    lines: Sequence[Mapping[str, Json]]
    kept: JudgeQualityFile
    unjudged: Counter[str]

    @property
    def remarks(self) -> Sequence[str]:
        """What has no verdict, for a person."""
        return [
            f"without a verdict: {count} ({why})" for why, count in self.unjudged.items() if count
        ]

    @property
    def out_of_budget(self) -> bool:
        """Whether some of it was not asked because of the budget."""
        return any(why.endswith(Cause.BUDGET) for why in self.unjudged)

    def written(self, format: str) -> str:
        """As text, markdown, csv or json."""
        if format == "csv":
            return as_csv(list(self.lines))
        if format == "json":
            return as_json([dict(line) for line in self.lines])
        return written_narrow(self.tables, format)


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
    split = sum(each.together(classes) is None for each in items)
    if split:
        notes.append(f"Left out, since people do not agree: {split} items.")
    measured = Measured(title, items, classes, sayings, tuple(notes), seed)
    return _of(measured, identities, remarks)


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


def _of(
    measured: Measured, identities: Sequence[Mapping[str, Json]], unjudged: Counter[str]
) -> MeasuredJudges:
    """Everyone in one table, and each judge in a table of its own for the file."""
    kept = []
    shown = [*measured.tables()]
    for place, identity in enumerate(identities):
        own = replace(measured, sayings=measured.sayings[place:]) if place else measured
        kept.append(JudgeQuality.of(identity, own.tables(), own.flat()))
        shown += own.tables()[1:] if place else ()
    return MeasuredJudges(
        tuple(shown), measured.flat(), JudgeQualityFile(judges=tuple(kept)), unjudged
    )


# ------------------------------------------------------------------ which answer is better


def published_answers(path: Path, label: str) -> tuple[str, list[LabelledAnswers]] | None:
    """The title and the pairs of answers of a published set; None for another layout."""
    if path.is_dir():
        return "JudgmentBench", preferred_answers(path)
    if path.suffix.lower() != ".json":
        return None
    return f"RAGChecker, {label}", ragchecker(path, label)


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
    return _of(measured, [identity], remarks)


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


# ------------------------------------------------------------------ rubrics


@dataclass(frozen=True)
class GradedSet:
    """Answers whose rubrics people filled in, as reports of an agent for each of their levels."""

    tasks: tuple[Task, ...]
    reports: tuple[Report, ...]
    labels: Mapping[CriterionPlace, str]

    def compared(self, run: Path) -> list[RubricComparison]:
        """The verdicts of a run file against those of people."""
        return compare_rubric_verdicts(self.labels, *named_records([run]))


def graded_set(folder: Path) -> GradedSet:
    """JudgmentBench's. Raises BadTasks, naming file, line and field, for another layout."""
    graded = graded_answers(folder)
    return GradedSet(
        tuple({each.task.id: each.task for each in graded}.values()),
        tuple(Report(each.text, each.level, each.task.id, each.number) for each in graded),
        {
            CriterionPlace(each.level, each.task.id, each.number, item): SATISFIED if met else NOT
            for each in graded
            for item, met in each.met.items()
        },
    )
