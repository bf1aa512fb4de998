"""Comparisons as CSV and as JSON, every number unrounded."""

from __future__ import annotations

import json
from collections.abc import Sequence

from deepassay.results.comparison.comparing import Contest, Contestant, Difference
from deepassay.results.tables import as_csv, plain
from deepassay.score import Json
from deepassay.stats.intervals import Interval


def flat_contests(contests: Sequence[Contest]) -> list[dict[str, Json]]:
    """One row per protocol, value of the label and pair of agents."""
    return [_place(each) | _pair(row) for each in contests for row in each.differences]


def to_csv(contests: Sequence[Contest]) -> str:
    """The same rows."""
    return as_csv(flat_contests(contests))


def to_json(contests: Sequence[Contest]) -> str:
    """A list with a record per protocol and value of the label."""
    found = [
        _place(each)
        | {
            "identity": dict(each.recipe.identity),
            "agents": [_agent(row) for row in each.contestants],
            "without_score": [plain(agent) for agent in each.silent],
            "differences": [_pair(row) for row in each.differences],
        }
        for each in contests
    ]
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _place(contest: Contest) -> dict[str, Json]:
    label, value = contest.label or ("", "")
    terms = contest.terms
    return {
        "protocol": contest.protocol,
        "label": label,
        "value": plain(value),
        "recipe": contest.recipe.digest,
        "offline_baseline": contest.offline,
        "seed": terms.seed,
        "tie": terms.tie,
        "cluster": terms.cluster,
        "asked_difference": terms.difference,
    }


def _pair(row: Difference) -> dict[str, Json]:
    return {
        "agent": plain(row.one),
        "other": plain(row.other),
        "difference": row.mean,
        **_ends("t", row.interval),
        **_ends("bca", row.bootstrap),
        "p": row.permutation.p,
        "p_exact": row.permutation.exact,
        "p_holm": row.adjusted,
        "deviation": row.deviation,
        "d_z": row.effect,
        "won": row.wins,
        "lost": row.losses,
        "tied": row.ties,
        "tasks": row.tasks.scored,
        "tasks_expected": row.tasks.expected,
        "units": row.units,
        "smallest_shown": row.shown,
        "units_needed": row.needed,
        "judge_share": row.judge,
    }


def _agent(row: Contestant) -> dict[str, Json]:
    noise = row.noise
    return {
        "agent": plain(row.agent),
        "mean": row.mean,
        **_ends("interval", row.interval),
        "ranks": list(row.ranks) if row.ranks else None,
        "tasks": row.tasks.scored,
        "tasks_expected": row.tasks.expected,
        "judgements": list(noise.judgements),
        "judge_deviation": noise.judge,
        "answer_deviation": noise.answer,
        "task_deviation": noise.observed,
        "task_deviation_without_noise": noise.task,
        "judge_share_once": noise.share(1),
        "passes": list(row.passes),
    }


def _ends(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}
