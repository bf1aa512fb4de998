"""Every score computed anew from the run file alone, and held against what was kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from deepassay.errors import BadRunFile
from deepassay.models.replay import ReplayAsker
from deepassay.protocols.protocol import ROLES, Roles, Sources
from deepassay.protocols.registry import parse
from deepassay.reports.report import Report
from deepassay.run.execute import judge
from deepassay.run.yardsticks import about
from deepassay.runfile import RunFile, StoredScore
from deepassay.score import Json, canonical_json, to_json
from deepassay.sources.snapshots import Snapshots


@dataclass(frozen=True)
class Replayed:
    """How many outcomes came out the same to the byte, and which did not."""

    same: int
    different: tuple[str, ...]


def replay(run: RunFile) -> Replayed:
    """Recompute every outcome of a run. Nothing is asked: the answers are those that were kept."""
    return asyncio.run(_replay(run))


async def _replay(run: RunFile) -> Replayed:
    whole = about(run)
    texts = {(each.agent, each.task, each.sample): each.text for each in run.reports()}
    if "date" not in run.configuration:
        raise BadRunFile(f"{run.path} holds no outcomes yet.", "Run `deepassay evaluate` first.")
    day = date.fromisoformat(run.configuration["date"])
    same = 0
    different: list[str] = []
    for score in run.scores():
        (protocol,) = parse(score.protocol)
        text = texts[score.agent, score.task, score.sample]
        report = Report(text, score.agent, score.task, score.sample)
        case = whole.case(protocol, score.task, report, score.repeat)
        case = replace(case, task=case.task.on(day, protocol.edition))
        outcome = await judge(protocol, case, _panel(run, score), _sources(run, score))
        if canonical_json(to_json(outcome)) == canonical_json(score.outcome):
            same += 1
        else:
            different.append(
                f"{score.protocol} of {score.agent} for task {score.task}, repeat {score.repeat}"
            )
    return Replayed(same, tuple(different))


def _panel(run: RunFile, score: StoredScore) -> list[Roles]:
    """The cast that made a score, as the run file remembers its answers."""

    def played_by(role: str, judge: Mapping[str, Json]) -> ReplayAsker:
        return ReplayAsker(run, score.identity.get(role) or judge)

    return [
        Roles(ReplayAsker(run, judge), *(played_by(role, judge) for role in ROLES[1:]))
        for judge in score.identity["judges"]
    ]


def _sources(run: RunFile, score: StoredScore) -> Sources:
    """The pages as they were when the score was made."""
    pages = Snapshots(run.captures, pinned=score.record.get("pages", {}))
    return Sources(pages, run.verdicts)
