"""Leaderboards written down: text, Markdown, CSV, JSON, and one table over several protocols."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from deepassay.findings.aggregate import Aggregate, Count, Interval
from deepassay.findings.ranking import Board, Standing, differences
from deepassay.findings.tables import NONE, Table, as_markdown, as_text, in_range, plain
from deepassay.score import Json

OFFLINE: Final = "offline baseline"
OFFLINE_NOTE: Final = (
    "Judged by the offline baseline: fixed rules without a model. Good for trying things out; "
    "not comparable with any published figure."
)
MOST_ACROSS: Final = 4
"""Protocols side by side in the overview; more of them go below each other."""

FORMATS: Final = ("text", "markdown", "csv", "json")


def write(boards: Sequence[Board], format: str = "text", parts: bool = False) -> str:
    """The boards in one of FORMATS; with several protocols, an overview before them.

    parts: in text and Markdown a column for every part; CSV and JSON always have them.
    """
    if format == "csv":
        return to_csv(boards)
    if format == "json":
        return to_json(boards)
    tables = [table for board in boards for table in (board_table(board, parts), *board.citations)]
    if len({board.protocol for board in boards}) > 1:
        tables.insert(0, overview(boards))
    return "\n\n".join(map(as_markdown if format == "markdown" else as_text, tables)) + "\n"


def to_csv(boards: Sequence[Board]) -> str:
    """One line per protocol, label value and agent, numbers unrounded; common parts as columns."""
    parts = _part_names(boards)
    rows = [_flat(board, standing, parts) for board in boards for standing in board.standings]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def to_json(boards: Sequence[Board]) -> str:
    """The boards as a JSON list, numbers unrounded, with the recipes in full."""
    return json.dumps([_board(board) for board in boards], ensure_ascii=False, indent=2) + "\n"


def overview(boards: Sequence[Board]) -> Table:
    """Agents down, protocols across: the means of the boards over all tasks.

    Of many protocols, as of ablations: protocols down and agents across, with the digest of each
    recipe. A mean with scores missing is followed by scored/expected judgements. Agents stand in
    the order of the first board.
    """
    whole = [board for board in boards if board.label is None]
    cells: dict[str, dict[str, str]] = {}
    for board in whole:
        for standing in board.standings:
            cells.setdefault(standing.agent, {})[board.protocol] = _cell(standing, board.limits)
    many = len(whole) > MOST_ACROSS
    offline = all(board.offline for board in whole)
    names = [board.protocol if offline else _head(board) for board in whole]
    rows = [
        (agent, *(own.get(board.protocol, NONE) for board in whole)) for agent, own in cells.items()
    ]
    if many:
        digests = ("/".join(recipe.digest for recipe in board.recipes) for board in whole)
        rows = [
            (name, *(own.get(board.protocol, NONE) for own in cells.values()), recipe)
            for name, board, recipe in zip(names, whole, digests, strict=True)
        ]
    head = ("protocol", *cells, "recipe") if many else ("agent", *names)
    return Table(
        f"All protocols ({OFFLINE})" if offline else "All protocols",
        head,
        tuple(rows),
        (OFFLINE_NOTE,) if any(board.offline for board in whole) else (),
        frozenset(range(1, len(head) - many)),
    )


Column = tuple[str, Callable[[Standing], str]]


def _columns(limits: Interval | None) -> list[Column]:
    """The columns of every ranking; numbers with the digits that their range asks for."""
    return [
        ("rank", lambda row: str(row.rank or NONE)),
        ("agent", lambda row: f"{row.agent} [{row.mark}]" if row.mark else row.agent),
        ("score", lambda row: in_range(row.summary.mean, limits)),
        ("95 % interval", lambda row: _range(row.summary.interval, limits)),
        ("bounds", lambda row: _range(row.summary.bounds, limits)),
        ("tasks", lambda row: _count(row.summary.tasks)),
        ("judgements", lambda row: _count(row.summary.judgements)),
        ("pooled", lambda row: _percent(row.summary.pooled)),
    ]


def board_table(board: Board, parts: bool = False) -> Table:
    """One ranking as a table, with what it rests on below."""
    columns = _columns(board.limits)
    if any(row.summary.judges for row in board.standings):
        columns.append(
            ("judge spread", lambda row: in_range(row.summary.judge_spread, board.limits))
        )
        columns.append(("judges agree", lambda row: _percent(row.summary.judge_agreement)))
    if parts:
        columns += [_part_column(name, board.limits) for name in _part_names([board])]
    label = f", {board.label[0]}: {board.label[1]}" if board.label else ""
    return Table(
        f"{_head(board)}{label}",
        tuple(head for head, _ in columns),
        tuple(tuple(cell(row) for _, cell in columns) for row in board.standings),
        _notes(board),
        frozenset(range(len(columns))) - {1},
    )


def _part_names(boards: Sequence[Board]) -> list[str]:
    """Parts that several tasks have in common; a checklist of one task makes no columns."""
    summaries = [row.summary for board in boards for row in board.standings]
    names = (
        name
        for summary in summaries
        for name, part in summary.parts.items()
        if part.tasks > 1 or summary.tasks.scored == 1
    )
    return list(dict.fromkeys(names))


def _part_column(name: str, limits: Interval | None) -> Column:
    def cell(row: Standing) -> str:
        part = row.summary.parts.get(name)
        return NONE if part is None else in_range(part.mean, limits)

    return name, cell


def _head(board: Board) -> str:
    return f"{board.protocol} ({OFFLINE})" if board.offline else board.protocol


def _cell(standing: Standing, limits: Interval | None) -> str:
    count = standing.summary.judgements
    missing = "" if count.scored == count.expected else f" ({_count(count)})"
    mark = f" [{standing.mark}]" if standing.mark else ""
    return in_range(standing.summary.mean, limits) + missing + mark


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f} %"


def _count(count: Count) -> str:
    return f"{count.scored}/{count.expected}"


def _range(interval: Interval | None, limits: Interval | None) -> str:
    if interval is None:
        return NONE
    return f"{in_range(interval.low, limits)} to {in_range(interval.high, limits)}"


def _notes(board: Board) -> tuple[str, ...]:
    notes = [OFFLINE_NOTE] if board.offline else []
    missing = [
        f"{standing.agent}: unscored {_counted(standing.summary.causes)}"
        for standing in board.standings
        if standing.summary.causes
    ]
    if missing:
        notes += [*missing, "bounds: the score if everything unscored had scored worst, or best."]
    if len(board.recipes) == 1:
        notes.append(f"recipe: {board.recipes[0]}")
    else:
        notes += ["MIXED: these scores were not made by one recipe.", *_recipe_notes(board)]
    return tuple(notes)


def _recipe_notes(board: Board) -> list[str]:
    """What differs between the recipes of a mixed ranking, by their letters."""
    differing = differences(board.recipes)
    return [
        f"[{letter}] " + "; ".join(f"{key} = {values[i]}" for key, values in differing.items())
        for i, letter in enumerate(board.letters)
    ]


def _counted(causes: Mapping[str, int]) -> str:
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
        "unscored": _counted(summary.causes),
        "pooled": summary.pooled,
        "judge_spread": summary.judge_spread,
        "judge_agreement": summary.judge_agreement,
        "offline_baseline": board.offline,
        "recipe": standing.mark or board.recipes[0].digest,
    }
    own = {name: summary.parts[name].mean for name in parts if name in summary.parts}
    return row | {f"part:{name}": mean for name, mean in own.items()}


def _ends(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _board(board: Board) -> dict[str, Json]:
    return {
        "protocol": board.protocol,
        "label": list(board.label) if board.label else None,
        "offline_baseline": board.offline,
        "recipes": [
            {"mark": letter, "digest": recipe.digest, "identity": dict(recipe.identity)}
            for letter, recipe in zip(board.letters, board.recipes, strict=True)
        ],
        "standings": [
            {"rank": each.rank, "agent": each.agent, "mark": each.mark, **_summary(each.summary)}
            for each in board.standings
        ],
    }


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
