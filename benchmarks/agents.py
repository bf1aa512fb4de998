"""What the offline judge says of two published agents, protocol by protocol.

The reports of claude-3-7-sonnet and onyx on fifty tasks of DeepResearch Bench, citations removed
by the authors' model, beside their published RACE scores; on every task the published judge has
onyx ahead. Checklists and rubrics are the published criteria. Where the data are not beside the
checkout, nothing is measured.

    python -m benchmarks.agents
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from benchmarks.material import REAL, ROOT
from deepassay.models.ask import OfflineAsker
from deepassay.protocols.protocol import Case, Protocol, RoleAskers, Sources
from deepassay.protocols.registry import parse
from deepassay.reports.report import Report
from deepassay.runfile import RunFile
from deepassay.score import Score
from deepassay.tasks.criteria import CRITERIA_FILE
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import DIMENSIONS, AceItem, Criterion
from deepassay.wings.trials.perturb import perturb, random_for

DATA = ROOT.parent / "shared" / "data" / "bench"
AGENT, BETTER = "claude-3-7-sonnet", "onyx"
PROTOCOLS = (
    "race", "race(reference=False)", "race(criteria='static')", "race(vanilla=True)", "depth",
    "coverage", "rubrics", "ace",
    "presentation", "consistency", "citation_association", "error_patterns",
)  # fmt: skip
PLANTED = (
    ("presentation", "delete-citations"),
    ("error_patterns", "delete-citations"),
    ("citation_association", "delete-citations"),
    ("consistency", "plant-contradiction"),
    ("consistency", "change-number"),
)
"""A fault of the kind that a protocol is to see, planted in the live reports."""

SAMPLES = 2000
SEED = 20250

Values = Mapping[str, float]
Ends = NDArray[np.float64]


def texts(name: str) -> Mapping[str, str]:
    """The published articles of a file by their task."""
    return {str(row["id"]): row["article"] for row in _rows(DATA / "reports" / f"{name}.jsonl")}


def published(pattern: str) -> Values:
    """Published scores against the reference by task, the mean of several runs."""
    found: dict[str, list[float]] = {}
    for path in sorted((DATA / "race").glob(pattern)):
        for row in _rows(path):
            found.setdefault(str(row["id"]), []).append(float(row["overall_score"]))
    return {task: mean(scores) for task, scores in found.items()}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def equipped(task: Task) -> Task:
    """A task with its criteria as checklist and rubric too, and a dimension as an item of ACE."""
    assert task.criteria is not None
    criteria = [
        (dimension, each)
        for dimension in DIMENSIONS
        for each in task.criteria.criterions[dimension]
    ]
    return task.model_copy(
        update={
            "checklist": tuple(each.criterion for _, each in criteria),
            "rubric": tuple(
                Criterion(id=f"c{number}", criterion=each.criterion, weight=1.0, axis=dimension)
                for number, (dimension, each) in enumerate(criteria, start=1)
            ),
            "ace": tuple(
                AceItem(
                    title=dimension.replace("_", " "),
                    description="; ".join(
                        each.criterion for own, each in criteria if own == dimension
                    ),
                    weight=task.criteria.dimension_weight[dimension],
                )
                for dimension in DIMENSIONS
            ),
        }
    )


def values(
    protocol: Protocol, tasks: Sequence[Task], own: Mapping[str, str], other: Mapping[str, str]
) -> Values:
    """What a protocol gives each report. other: the reports that it is held against, if it is."""
    found = {}
    with RunFile.in_memory() as run:
        roles, sources = RoleAskers.alone(OfflineAsker(run)), Sources(cast(Any, None), run.verdicts)
        for task in tasks:
            rival = Report(other[task.id], agent="rival")
            case = Case(task, Report(own[task.id], agent="own"), 0, rival, rival)
            score = asyncio.run(protocol.score(case, roles, sources))
            assert isinstance(score, Score), score
            found[task.id] = score.value
            if protocol.name == "depth":  # where a win says little
                totals = score.details["totals"]
                found[task.id] = totals["own"] - totals["baseline"]
    return found


def ordering(worse: Values, better: Values) -> NDArray[np.float64]:
    """For each task 1 where the better agent is ahead, 0.5 for a tie."""
    leads = np.sign([better[task] - worse[task] for task in worse])
    return np.asarray((leads + 1) / 2)


def interval(shares: NDArray[np.float64]) -> Ends:
    """Ends of the 95 % bootstrap interval of a mean over tasks."""
    random = np.random.default_rng(SEED)
    draws = random.integers(0, len(shares), (SAMPLES, len(shares)))
    return np.asarray(np.percentile(shares[draws].mean(axis=1), [2.5, 97.5]))


def correlated(own: Values, judged: Values) -> tuple[float, Ends]:
    """Spearman over the tasks of one agent with its published scores, and the ends of its interval.

    NaN where all reports have one and the same value.
    """
    pairs = np.array([(own[task], judged[task]) for task in own])
    if len(set(pairs[:, 0])) == 1:
        return float("nan"), np.full(2, np.nan)
    random = np.random.default_rng(SEED)
    draws = (pairs[random.integers(0, len(pairs), len(pairs))] for _ in range(SAMPLES))
    found = [_spearman(drawn) for drawn in draws if len(set(drawn[:, 0])) > 1]
    return _spearman(pairs), np.asarray(np.percentile(found, [2.5, 97.5]))


def _spearman(pairs: NDArray[np.float64]) -> float:
    return float(spearmanr(pairs[:, 0], pairs[:, 1]).statistic)


def planted(protocol: Protocol, change: str) -> NDArray[np.float64]:
    """For each live report 1 where a copy with a planted fault scores lower, 0.5 for a tie."""
    leads = []
    task = Task(id="1", prompt="Write a report.")
    for path in sorted(REAL.glob("*.md")):
        report = Report(path.read_text(encoding="utf-8"))
        done = perturb(report, change, random_for(SEED, report, change))
        if done is not None:
            whole, worse = {"1": report.text}, {"1": done.report.text}
            leads.append(
                ordering(*(values(protocol, [task], own, whole) for own in (worse, whole)))
            )
    return np.concatenate(leads)


def told(name: str, worse: Values, better: Values) -> str:
    """One row: the share of tasks in the judge's order, and the correlation within each agent."""
    leads = ordering(worse, better)
    low, high = interval(leads)
    parts = [f"{name}: the better ahead {leads.mean():.2f} [{low:.2f}, {high:.2f}]"]
    for agent, own in ((AGENT, worse), (BETTER, better)):
        pattern = f"{agent}.jsonl" if agent == AGENT else f"{agent}.run*.jsonl"
        rho, (least, most) = correlated(own, published(pattern))
        parts.append(f"within {agent} {rho:+.2f} [{least:+.2f}, {most:+.2f}]")
    return "; ".join(parts)


def main() -> None:
    """Print a row for every protocol, and for length alone."""
    if not DATA.is_dir():
        print("two agents: not measured, the published data are not beside the checkout")
        return
    path = DATA / "criteria.jsonl"
    tasks = CRITERIA_FILE.join(load_tasks(DATA / "query.jsonl"), path)
    ready = [equipped(task) for task in tasks]
    worse, better = texts(f"{AGENT}.cleaned"), texts(f"{BETTER}.cleaned")
    print(f"{AGENT} and {BETTER}, {len(ready)} tasks; share and Spearman with 95 % intervals")
    size = [{task.id: float(len(each[task.id])) for task in ready} for each in (worse, better)]
    print(told("length alone", *size))
    for name in PROTOCOLS:
        (protocol,) = parse(name)
        print(
            told(
                name,
                values(protocol, ready, worse, better),
                values(protocol, ready, better, worse),
            )
        )
    for name, change in PLANTED:
        (protocol,) = parse(name)
        seen = planted(protocol, change)
        low, high = interval(seen)
        print(
            f"{name}, {change}: lower on {seen.mean():.2f} [{low:.2f}, {high:.2f}] of {len(seen)} "
            f"(ties half: {(seen == 0.5).sum()})"
        )


if __name__ == "__main__":
    main()
