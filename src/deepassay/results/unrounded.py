"""Leaderboards as rows for CSV and Parquet, and as JSON, every number unrounded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from deepassay.results.aggregate import Aggregate
from deepassay.results.overview import Profiles
from deepassay.results.ranking import Board, Standing
from deepassay.results.tables import plain
from deepassay.score import Json
from deepassay.stats.intervals import Interval

INTEGERS: Final = ("rank",)
"""Columns of whole numbers in which there may be none at all."""


def flat_rows(boards: Sequence[Board], profiles: Profiles | None = None) -> list[dict[str, Json]]:
    """One row per protocol, label value and agent, numbers unrounded; common parts as columns."""
    parts = common_parts(boards)
    return [
        _flat(board, standing, parts) | _family(standing, profiles)
        for board in boards
        for standing in board.standings
    ]


def to_json(boards: Sequence[Board], profiles: Profiles | None = None) -> str:
    """The boards as a JSON list, numbers unrounded, with the recipes in full.

    What stands beneath a board is there as it is shown: titles, heads and cells.
    """
    found = [_board(board, profiles) for board in boards]
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def common_parts(boards: Sequence[Board]) -> list[str]:
    """Parts that several tasks have in common; a checklist of one task makes no columns."""
    summaries = [row.summary for board in boards for row in board.standings]
    names = (
        name
        for summary in summaries
        for name, part in summary.parts.items()
        if part.tasks > 1 or summary.tasks.scored == 1
    )
    return list(dict.fromkeys(names))


def counted(causes: Mapping[str, int]) -> str:
    """`timeout 2, budget 1`."""
    return ", ".join(f"{cause} {count}" for cause, count in causes.items())


def _flat(board: Board, standing: Standing, parts: Sequence[str]) -> dict[str, Json]:
    summary = standing.summary
    label, value = board.label or ("", "")
    row: dict[str, Json] = {
        "protocol": board.protocol,
        "label": label,
        "value": plain(value),
        "rank": standing.rank,
        "agent": plain(standing.agent),
        "mean": summary.mean,
        **_ends("interval", summary.interval),
        **_ends("bound", summary.bounds),
        "tasks_scored": summary.tasks.scored,
        "tasks_expected": summary.tasks.expected,
        "judgements_scored": summary.judgements.scored,
        "judgements_expected": summary.judgements.expected,
        "unscored": counted(summary.causes),
        "pooled": summary.pooled,
        "judge_spread": summary.judge_spread,
        "judge_agreement": summary.judge_agreement,
        "offline_baseline": board.offline,
        "reading": standing.reads,
        "recipe": standing.mark or board.recipes[0].digest,
    }
    own = {name: summary.parts[name].mean for name in parts if name in summary.parts}
    return row | {f"part:{name}": mean for name, mean in own.items()}


def _ends(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _board(board: Board, profiles: Profiles | None) -> dict[str, Json]:
    return {
        "protocol": board.protocol,
        "label": list(board.label) if board.label else None,
        "offline_baseline": board.offline,
        "recipes": [
            {"mark": letter, "digest": recipe.digest, "identity": dict(recipe.identity)}
            for letter, recipe in zip(board.letters, board.recipes, strict=True)
        ],
        "standings": [
            {
                "rank": each.rank,
                "agent": each.agent,
                "mark": each.mark,
                "reading": each.reads,
                **_family(each, profiles),
                **_summary(each.summary),
            }
            for each in board.standings
        ],
        "tables": [
            {"title": each.title, "head": each.head, "rows": each.rows, "notes": each.notes}
            for each in board.tables
        ],
    }


def _family(standing: Standing, profiles: Profiles | None) -> dict[str, Json]:
    """The family of an agent and when its reports were collected, where a file says so."""
    if profiles is None:
        return {}
    profile = profiles[standing.agent]
    return {"family": plain(profile.family), "collected": plain(profile.collected)}


def _summary(summary: Aggregate) -> dict[str, Json]:
    return {
        "mean": summary.mean,
        "interval": list(summary.interval) if summary.interval else None,
        "bounds": list(summary.bounds) if summary.bounds else None,
        "tasks": summary.tasks._asdict(),
        "judgements": summary.judgements._asdict(),
        "unscored": dict(summary.causes),
        "pooled": summary.pooled,
        "parts": {name: part._asdict() for name, part in summary.parts.items()},
        "judges": {name: judge._asdict() for name, judge in summary.judges.items()},
        "judge_spread": summary.judge_spread,
        "judge_agreement": summary.judge_agreement,
    }
