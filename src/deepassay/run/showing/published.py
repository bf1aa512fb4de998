"""Scores that others published, as judgements: rows of RACE, and verdicts of FACT."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.errors import BadInput, BadSetting
from deepassay.intake.rows import InputRow
from deepassay.protocols.fact.published import read_published
from deepassay.reports.naming import agent_of
from deepassay.results.evidence import RELEASED_COUNTS
from deepassay.results.records import UNKNOWN, Judged
from deepassay.score import Cause, Json, Score, Signature, Unscored
from deepassay.tasks.rows import read_rows

DIMENSIONS: Final = ("comprehensiveness", "insight", "instruction_following", "readability")
RACE_FIELDS: Final = f"Published RACE rows have: id, {', '.join(DIMENSIONS)}, overall_score."
VERDICTS: Final = "validated.jsonl"
_NAME = re.compile(r"(?P<agent>.+)\.run(?P<number>\d{1,6})")


class _Pass(NamedTuple):
    protocol: str
    agent: str
    number: int
    file: str
    scores: Mapping[str, Score | Unscored]
    judge: str = UNKNOWN


def published_scores(paths: Sequence[Path], judged_by: Sequence[str]) -> list[Judged]:
    """The judgements in published files, each missing row of a pass as unscored.

    judged_by: who judged them, NAME for all files or FILE=NAME for one. Raises BadSetting for other
    files, BadInput naming the line, and for two files of one pass of an agent.
    """
    judges = _judges(paths, judged_by)
    passes: dict[tuple[str, str, int], _Pass] = {}
    for path in paths:
        one = _read(path)._replace(judge=judges[path])
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


def _judges(paths: Sequence[Path], judged_by: Sequence[str]) -> dict[Path, str]:
    """Who judged each of these published files. Raises BadSetting for other files, or two names."""
    said: dict[Path | None, str] = {}
    for each in judged_by:
        file, of_one, name = each.rpartition("=")
        path = Path(file) if of_one else None
        if not paths or (path is not None and path not in paths) or not name.strip():
            raise BadSetting(
                f"--judged-by {each} names no judge of a published file.",
                f"Write NAME for all, or FILE=NAME. Files: {', '.join(map(str, paths))}."
                if paths
                else "There is none, and run files say themselves who judged.",
            )
        if said.setdefault(path, name.strip()) != name.strip():
            raise BadSetting(f"--judged-by names two judges of {path or 'all files'}.", "Name one.")
    return {path: said.get(path, said.get(None, UNKNOWN)) for path in paths}


def _judged(one: _Pass, task: str) -> Judged:
    lacking = Unscored(Cause.MISSING_INPUT, f"{one.file} has no row for this task")
    outcome = one.scores.get(task, lacking)
    recipe = {"protocol": one.protocol, "edition": "published", "judges": [{"model": one.judge}]}
    return Judged(one.protocol, one.agent, task, 1, one.number, {}, outcome, Signature(recipe))


def _read(path: Path) -> _Pass:
    verdicts = path.name == VERDICTS or path.name.endswith("." + VERDICTS)
    stem = agent_of(path)
    name = _NAME.fullmatch(stem)
    agent, number = (name["agent"], int(name["number"])) if name else (stem, 0)
    if verdicts:
        reports = read_published(path)
        if not reports:
            raise BadInput(f"{path} holds no reports.", "A line for each report is expected.")
        released = _released_counts(path)
        scores = {
            each.task: replace(
                each.score,
                details={**each.score.details, RELEASED_COUNTS: released.get(each.task)},
            )
            for each in reports
        }
        return _Pass("fact", agent, number, str(path), scores)
    return _Pass("race", agent, number, str(path), _race_rows(path))


def _released_counts(path: Path) -> Mapping[str, Mapping[str, int] | None]:
    """The counts of the released program by task; none where it stops at the file."""
    try:
        return {each.task: each.counts for each in read_published(path, "code")}
    except BadInput:
        return {}


def _race_rows(path: Path) -> dict[str, Score]:
    """The scores of published RACE rows, by task."""
    scores: dict[str, Score] = {}
    for row in read_rows(path):
        task = row.fields.get("id")
        if not isinstance(task, str | int) or str(task) in scores:
            raise BadInput(f"{row.place}: id is missing, or there a second time.", RACE_FIELDS)
        parts = {name: _share(row, name) for name in DIMENSIONS}
        scores[str(task)] = Score(_share(row, "overall_score"), _SCALE, parts)
    if not scores:
        raise BadInput(f"{path} holds no rows.", RACE_FIELDS)
    return scores


_SCALE: Final = (0.0, 1.0)
"""Of RACE: what a report has of the marks of both, its own and the reference's."""


def _share(row: InputRow, name: str) -> float:
    value: Json = row.fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(f"{row.place}: {name} is not a number.", RACE_FIELDS)
    if not _SCALE[0] <= value <= _SCALE[1]:
        raise BadInput(
            f"{row.place}: {name} is {value:g}, and RACE's scores are from 0 to 1.",
            "Correct that value; divide by 100 where the file has per cent.",
        )
    return float(value)
