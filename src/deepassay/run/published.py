"""Scores that others published: the rows of RACE and the verdicts of FACT, a file for each pass.

DeepResearch Bench releases a row per task with `id`, the scores of the four dimensions and
`overall_score`; its FACT program writes the verdicts on a report's citations into files that end
in `.validated.jsonl`. Neither says who judged. Such scores may be compared with each other, and
with nothing that was scored here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.errors import BadInput
from deepassay.protocols.fact.published import read_published
from deepassay.results.records import Judged
from deepassay.run.records import records_of
from deepassay.runfile.schema import is_database
from deepassay.score import Cause, Json, Score, Signature, Unscored
from deepassay.tasks.rows import Row, read_rows

DIMENSIONS: Final = ("comprehensiveness", "insight", "instruction_following", "readability")
FIELDS: Final = f"Published RACE rows have: id, {', '.join(DIMENSIONS)}, overall_score."
VERDICTS: Final = ".validated.jsonl"
_NAME = re.compile(r"(?P<agent>.+)\.run(?P<number>\d{1,6})")


class _Pass(NamedTuple):
    protocol: str
    agent: str
    number: int
    file: str
    scores: Mapping[str, Score | Unscored]


def scores_of(paths: Sequence[Path]) -> list[Judged]:
    """The records of run files, and of what is published in files that end in `.jsonl`.

    Raises BadInput naming the line, and for two files of one pass of an agent.
    """
    rows = [path for path in paths if path.suffix.lower() == ".jsonl" and not is_database(path)]
    runs = [path for path in paths if path not in rows]
    return [*records_of(runs), *_published(rows)]


def _published(paths: Iterable[Path]) -> list[Judged]:
    passes: dict[tuple[str, str, int], _Pass] = {}
    for path in paths:
        one = _read(path)
        other = passes.setdefault((one.protocol, one.agent, one.number), one)
        if other is not one:
            raise BadInput(
                f"{path} and {other.file} are both judgement {one.number} of {one.agent}.",
                "Name files AGENT.jsonl, or AGENT.run1.jsonl, AGENT.run2.jsonl and so on.",
            )
    ordered = [passes[key] for key in sorted(passes)]
    tasks: dict[str, set[str]] = {}
    for each in ordered:
        tasks.setdefault(each.protocol, set()).update(each.scores)
    return [_judged(each, task) for each in ordered for task in sorted(tasks[each.protocol])]


def _judged(one: _Pass, task: str) -> Judged:
    lacking = Unscored(Cause.MISSING_INPUT, f"{one.file} has no row for this task")
    outcome = one.scores.get(task, lacking)
    recipe = {"protocol": one.protocol, "edition": "published", "judges": [{"model": "not stated"}]}
    return Judged(one.protocol, one.agent, task, 1, one.number, {}, outcome, Signature(recipe))


def _read(path: Path) -> _Pass:
    verdicts = path.name.endswith(VERDICTS)
    stem = path.name.removesuffix(VERDICTS) if verdicts else path.stem
    name = _NAME.fullmatch(stem)
    agent, number = (name["agent"], int(name["number"])) if name else (stem, 0)
    if verdicts:
        reports = read_published(path)
        if not reports:
            raise BadInput(f"{path} holds no reports.", "A line for each report is expected.")
        return _Pass("fact", agent, number, str(path), {each.task: each.score for each in reports})
    return _Pass("race", agent, number, str(path), _rows(path))


def _rows(path: Path) -> dict[str, Score]:
    """The scores of published RACE rows, by task."""
    scores: dict[str, Score] = {}
    for row in read_rows(path):
        task = row.fields.get("id")
        if not isinstance(task, str | int) or str(task) in scores:
            raise BadInput(f"{row.place}: id is missing, or there a second time.", FIELDS)
        parts = {name: _number(row, name) for name in DIMENSIONS}
        scores[str(task)] = Score(_number(row, "overall_score"), (0.0, 1.0), parts)
    if not scores:
        raise BadInput(f"{path} holds no rows.", FIELDS)
    return scores


def _number(row: Row, name: str) -> float:
    value: Json = row.fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(f"{row.place}: {name} is not a number.", FIELDS)
    return float(value)
