"""The judgements of one agent by task, answer and pass, of which its noise is made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean

from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.records import Judged
from deepassay.score import Score


def answers_of(records: Sequence[Judged]) -> dict[str, list[list[float]]]:
    """The scores of one agent by task and answer, judgements in the order of records."""
    found: defaultdict[str, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in records:
        if isinstance(each.outcome, Score):
            found[each.task][each.sample].append(each.outcome.value)
    return {task: list(samples.values()) for task, samples in found.items()}


def passes_of(records: Sequence[Judged]) -> tuple[float, ...]:
    """The mean score of one agent by every first judgement, by every second, and so on.

    Each over the tasks that it scored: what a leaderboard of that pass alone would show.
    """
    seen: Counter[tuple[str, int]] = Counter()
    leaves: defaultdict[int, list[Leaf]] = defaultdict(list)
    for each in records:
        answer = (each.task, each.sample)
        if isinstance(each.outcome, Score):
            leaves[seen[answer]].append((answer, each.outcome.value))
        seen[answer] += 1
    return tuple(fmean(task_means(leaves[number]).values()) for number in sorted(leaves))
