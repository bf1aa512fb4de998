"""Judgements of one part of a score: an axis of a rubric, a dimension of RACE, a check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from deepassay.results.evidence import Evidence, Said, said
from deepassay.results.records import Judged
from deepassay.score import Cause, Json, Score, Unscored


def shared_parts(records: Iterable[Judged]) -> list[str]:
    """The parts that scores of more than one task have, or of the only task; P2 before P10."""
    tasks: defaultdict[str, set[str]] = defaultdict(set)
    scored: set[str] = set()
    for each in records:
        if isinstance(each.outcome, Score):
            scored.add(each.task)
            for name in each.outcome.parts:
                tasks[name].add(each.task)
    names = [name for name, own in tasks.items() if len(own) > 1 or len(scored) == 1]
    return sorted(names, key=lambda name: (len(name), name))


def of_part(records: Sequence[Judged], name: str) -> list[Judged]:
    """The judgements with the part in place of the score.

    Without the tasks of which some score is there and none has the part: nothing is expected of
    them, as of a rubric without criteria of that axis. A part that is everywhere the lowest or the
    highest value of its score, as a check is, has the range of the score; others declare none.
    """
    scores = [(each.task, each.outcome) for each in records if isinstance(each.outcome, Score)]
    scored = {task for task, _ in scores}
    having = {task for task, score in scores if name in score.parts}
    verdict = all(score.parts.get(name) in (None, *(score.bounds or ())) for _, score in scores)
    return [
        replace(each, outcome=_part(each.outcome, name, verdict))
        for each in records
        if each.task in having or each.task not in scored
    ]


def _part(outcome: Score | Unscored, name: str, verdict: bool) -> Score | Unscored:
    if isinstance(outcome, Unscored):
        return outcome
    whole = said(outcome)
    judges = {judge: _of_judge(each, name) for judge, each in whole.evidence.judges.items()}
    details = {"judges": judges} if judges else {}
    value = outcome.parts.get(name)
    if value is None:
        return Unscored(_why(whole.evidence, name), f"no value for {name}", details)
    return Score(value, outcome.bounds if verdict else None, details=details)


def _of_judge(outcome: Said, name: str) -> dict[str, Json]:
    """What one judge of a panel said of the part."""
    if outcome.cause is not None:
        return {"cause": str(outcome.cause), "details": {}}
    value = outcome.parts.get(name)
    if value is None:
        return {"cause": str(_why(outcome.evidence, name)), "details": {}}
    return {"value": value, "details": {}}


def _why(evidence: Evidence, name: str) -> Cause:
    """The cause of the first item of the part that has one; else there was nothing to score."""
    for item in evidence.items:
        mine = name in (item.axis, item.key, item.key.upper())
        if mine and item.cause in set(Cause):
            return Cause(item.cause)
    return Cause.MISSING_INPUT
