"""RACE without a model against the published scores, beside the length of the articles alone.

The published reports of claude-3-7-sonnet are held against those of onyx on the fifty tasks that
stand beside the checkout. Published are the scores of both against one reference, so that the
odds of the one over the odds of the other order the tasks by how claude does against onyx.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean

from benchmarks.material import ROOT
from deepassay.protocols.race.arithmetic import share, totals, weighted
from deepassay.protocols.race.traits import grades
from deepassay.reports.clean import clean
from deepassay.reports.report import Report
from deepassay.stats.correlation import spearman
from deepassay.tasks.criteria import CRITERIA_FILE, DIMENSIONS
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task

DATA = ROOT.parent / "shared" / "data" / "bench"
AGENT, OTHER = "claude-3-7-sonnet", "onyx"

Texts = Mapping[str, str]
Value = Callable[[Task, str], float]


def texts(name: str) -> Texts:
    """The published articles of a file by their task."""
    return {str(row["id"]): row["article"] for row in _rows(DATA / "reports" / f"{name}.jsonl")}


def published(pattern: str) -> dict[str, float]:
    """Published scores against the reference by task, the mean of several runs."""
    found: dict[str, list[float]] = {}
    for path in sorted((DATA / "race").glob(pattern)):
        for row in _rows(path):
            found.setdefault(str(row["id"]), []).append(float(row["overall_score"]))
    return {task: mean(scores) for task, scores in found.items()}


def by_traits(task: Task, article: str) -> float:
    """The weighted grade of an article by the offline rule."""
    assert task.criteria is not None
    criteria = weighted(task.criteria)
    asked = [
        (dimension, each.criterion, each.explanation)
        for dimension in DIMENSIONS
        for each in criteria.criterions[dimension]
    ]
    return totals(criteria, grades(Report(article), task.prompt, asked)).overall


def by_length(task: Task, article: str) -> float:
    """The peer: nothing but the number of characters."""
    return len(article)


def main() -> None:
    """Print the comparison."""
    if not DATA.is_dir():
        print("RACE without a model: not measured, the published data are not beside the checkout")
        return
    path = DATA / "criteria.jsonl"
    tasks = CRITERIA_FILE.join(load_tasks(DATA / "query.jsonl"), path)
    raw = {task: clean(text) for task, text in texts(f"{AGENT}.raw").items()}
    other = texts(f"{OTHER}.cleaned")
    agent = texts(f"{AGENT}.cleaned")
    print(f"RACE without a model, {AGENT} against {OTHER}, {len(tasks)} tasks:")
    _measure("traits, cleaned by the authors' model", by_traits, tasks, agent, other)
    _measure("traits, cleaned by rule", by_traits, tasks, raw, other)
    _measure("length alone", by_length, tasks, agent, other)


def _measure(name: str, value: Value, tasks: Sequence[Task], agent: Texts, other: Texts) -> None:
    began = time.perf_counter()
    shares = [share(value(task, agent[task.id]), value(task, other[task.id])) for task in tasks]
    seconds = time.perf_counter() - began
    scores, others = published(f"{AGENT}.jsonl"), published(f"{OTHER}.run*.jsonl")
    odds = [_odds(scores[task.id]) / _odds(others[task.id]) for task in tasks]
    print(
        f"  {name}: {AGENT} below 0.5 on {sum(each < 0.5 for each in shares)} of {len(tasks)} "
        f"(published: {sum(each < 1.0 for each in odds)}), rank correlation over tasks "
        f"{spearman(shares, odds) or 0:.2f} with the published odds of the two, "
        f"{spearman(shares, [scores[task.id] for task in tasks]) or 0:.2f} with the score; "
        f"{seconds:.1f} s"
    )


def _odds(score: float) -> float:
    return score / (1.0 - score)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
