"""Leaderboards written down: for people, as rows for CSV and Parquet, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from deepassay.files import as_json
from deepassay.glossary import legend
from deepassay.results.agents import Agents, RunTotals, agent_tables
from deepassay.results.aggregate import Aggregate
from deepassay.results.first_screen import first_screen
from deepassay.results.overview import (
    board_heading,
    notes_on,
    notices_on,
    overview,
    pairwise_tables,
    recipe_notes,
)
from deepassay.results.ranking import Board
from deepassay.results.records import NO_READING
from deepassay.results.standings import Standing, rank_notes
from deepassay.results.tables import (
    NONE,
    Table,
    as_csv,
    cause_counts,
    ends_of,
    in_range,
    low_and_high,
    of_label,
    percent,
    printable,
    scored_of,
    several,
    tables_as_text,
)
from deepassay.score import Json
from deepassay.stats.intervals import Interval

if TYPE_CHECKING:
    from deepassay.results.families import Profiles

FORMATS: Final = ("text", "markdown", "latex", "csv", "json")
RECIPE: Final = "recipe: "
PARTS_NOTE: Final = "Means over the tasks in which a part was scored, in the unit of the score."


def write(
    boards: Sequence[Board],
    format: str = "text",
    parts: bool = False,
    profiles: Profiles | None = None,
    wide: bool = False,
    agents: Agents | None = None,
    said: Sequence[str] = (),
) -> str:
    """The boards in one of FORMATS: as text and Markdown the first screen, unless it is to be wide.

    wide: all tables with all columns; with several protocols, an overview before them. parts: the
    same with a table of all parts beneath each board, and tables of detail; JSON always has both,
    CSV the parts. profiles: the families of agents, by which the first table is then grouped.
    agents: what their runs took, where that was seen. said: what text and Markdown open with.
    """
    if profiles is not None:
        from deepassay.results.families import check_families  # few say of which family agents are

        check_families(boards, profiles)
    if format == "csv":
        rows = flat_rows(boards, profiles, agents)
        return as_csv([row if row["reading"] else row | {"rank": NO_READING} for row in rows])
    if format == "json":
        return to_json(boards, profiles, agents)
    if format != "latex" and not (wide or parts):
        return first_screen(boards, format, profiles, agents, said)
    tables = all_tables(boards, parts, profiles, agents)
    shown = [table for table in tables if parts or not table.detail]
    if format == "latex":
        return _document(boards, shown)
    above = (*said, *notices_on(*boards)) if said else notes_on(*boards)
    told = tables_as_text(shown, format, above)
    if hidden := len(tables) - len(shown):
        them = "it" if hidden == 1 else "them"
        told += f"\nNot shown: {several(hidden, 'table')} of detail; --parts adds {them}.\n"
    return told


def _document(boards: Sequence[Board], tables: Sequence[Table]) -> str:
    """The tables in LaTeX; recipes, too long for print, are comments at the top."""
    printed = [
        replace(table, notes=tuple(n for n in table.notes if not n.startswith(RECIPE)))
        for table in tables
    ]
    from deepassay.results.latex import PREAMBLE, as_latex  # few take their tables in it

    comments = [PREAMBLE, *recipe_comments(boards)]
    return "\n".join(comments) + "\n\n" + "\n\n".join(map(as_latex, printed)) + "\n"


def all_tables(
    boards: Sequence[Board],
    parts: bool,
    profiles: Profiles | None = None,
    agents: Agents | None = None,
) -> list[Table]:
    """Every table of the boards in the order of the page, those of detail among them."""
    tables = [*pairwise_tables(boards)]
    tables += [table for board in boards for table in _tables(board, parts)]
    tables += agent_tables(agents or {})
    if profiles is not None:
        from deepassay.results.families import family_table

        tables.insert(0, family_table(boards, profiles))
    elif len({board.protocol for board in boards}) > 1:
        tables.insert(0, overview(boards))
    return tables


def _tables(board: Board, parts: bool) -> list[Table]:
    names = common_parts([board]) if parts else []
    return [board_table(board), *([_parts_table(board, names)] if names else []), *board.tables]


Column = tuple[str, Callable[[Standing], str]]


def _columns(limits: Interval | None) -> list[Column]:
    """The columns of every ranking; numbers with the digits that their range asks for."""
    return [
        ("rank", lambda row: row.place),
        ("agent", lambda row: row.name),
        ("score", lambda row: in_range(row.summary.mean, limits)),
        ("95 % interval", lambda row: ends_of(row.summary.interval, limits)),
        ("bounds", lambda row: ends_of(row.summary.bounds, limits)),
        ("tasks", lambda row: scored_of(row.summary.tasks)),
        ("judgements", lambda row: scored_of(row.summary.judgements)),
        ("pooled", lambda row: percent(row.summary.pooled)),
    ]


def board_table(board: Board) -> Table:
    """One ranking as a table, with what it rests on below."""
    columns = _columns(board.limits)
    if any(row.summary.judges for row in board.standings):
        columns.append(
            ("judge spread", lambda row: in_range(row.summary.judge_spread, board.limits))
        )
        columns.append(("judges agree", lambda row: percent(row.summary.judge_agreement)))
    if any(row.people for row in board.standings):
        columns.insert(4, ("people", lambda row: str(row.people or NONE)))
    title = f"{board_heading(board)}{of_label(board.label)}"
    table = Table.of(title, columns, board.standings, _notes(board), words=(1,))
    return replace(table, above=notes_on(board))


def _parts_table(board: Board, names: Sequence[str]) -> Table:
    """The mean of every part, as the pass rates of LiveResearchBench's figure 22."""

    def cell(row: Standing, name: str) -> str:
        part = row.summary.parts.get(name)
        return NONE if part is None else in_range(part.mean, board.limits)

    return Table.listed(
        f"{board_heading(board)}{of_label(board.label)}: parts",
        ("agent", *names),
        ((row.name, *(cell(row, name) for name in names)) for row in board.standings),
        (PARTS_NOTE,),
        detail=True,
    )


def _notes(board: Board) -> tuple[str, ...]:
    notes = [*rank_notes({board.protocol: board.standings})]
    missing = [
        f"{standing.name}: unscored {cause_counts(standing.summary.causes)}"
        for standing in board.standings
        if standing.summary.causes
    ]
    notes += missing
    if any(standing.summary.bounds for standing in board.standings):
        notes.append(legend("bounds"))
    if len(board.recipes) == 1:
        notes.append(f"{RECIPE}{board.recipes[0]}")
    else:
        notes += recipe_notes(board)
    return tuple(notes)


def recipe_comments(boards: Iterable[Board]) -> list[str]:
    """Lines that LaTeX skips and that say by which recipes the numbers were made."""
    told = [
        f"% recipe of {board.protocol}{f' [{mark}]' if mark else ''}: {recipe}"
        for board in boards
        for mark, recipe in zip(board.letters, board.recipes, strict=True)
    ]
    return [printable(line) for line in dict.fromkeys(told)]


INTEGERS: Final = ("rank", "rank_best", "rank_worst")
"""Columns of whole numbers in which there may be none at all."""


def flat_rows(
    boards: Sequence[Board], profiles: Profiles | None = None, agents: Agents | None = None
) -> list[dict[str, Json]]:
    """One row per protocol, label value and agent, numbers unrounded; common parts as columns."""
    parts = common_parts(boards)
    return [
        _flat(board, standing, parts)
        | _people(standing)
        | _family(standing, profiles)
        | _run(standing, agents)
        for board in boards
        for standing in board.standings
    ]


def to_json(
    boards: Sequence[Board], profiles: Profiles | None = None, agents: Agents | None = None
) -> str:
    """The boards as a JSON list, numbers unrounded, with the recipes in full.

    What stands beneath a board is there as it is shown: titles, heads and cells.
    """
    found = [_board(board, profiles, agents) for board in boards]
    return as_json(found)


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


def _flat(board: Board, standing: Standing, parts: Sequence[str]) -> dict[str, Json]:
    summary = standing.summary
    label, value = board.label or ("", "")
    row: dict[str, Json] = {
        "protocol": board.protocol,
        "label": label,
        "value": printable(value),
        **places_of(standing),
        "agent": printable(standing.agent),
        "reference": standing.reference,
        "mean": summary.mean,
        **low_and_high("interval", summary.interval),
        **low_and_high("bound", summary.bounds),
        "tasks_scored": summary.tasks.scored,
        "tasks_expected": summary.tasks.expected,
        "judgements_scored": summary.judgements.scored,
        "judgements_expected": summary.judgements.expected,
        "unscored": cause_counts(summary.causes),
        "pooled": summary.pooled,
        "judge_spread": summary.judge_spread,
        "judge_agreement": summary.judge_agreement,
        "offline_baseline": board.offline,
        "reading": standing.reads,
        "recipe": standing.mark or board.recipes[0].digest,
    }
    own = {name: summary.parts[name].mean for name in parts if name in summary.parts}
    return row | {f"part:{name}": mean for name, mean in own.items()}


def places_of(standing: Standing) -> dict[str, int | None]:
    """The rank, and between which ranks it lies where unscored tasks leave it open."""
    best, worst = standing.ranks or (None, None)
    return {"rank": standing.rank, "rank_best": best, "rank_worst": worst}


def _board(board: Board, profiles: Profiles | None, agents: Agents | None) -> dict[str, Json]:
    return {
        "protocol": board.protocol,
        "label": list(board.label) if board.label else None,
        "offline_baseline": board.offline,
        **({"notices": board.notices} if board.notices else {}),
        "recipes": [
            {"mark": letter, "digest": recipe.digest, "identity": dict(recipe.identity)}
            for letter, recipe in zip(board.letters, board.recipes, strict=True)
        ],
        "standings": [
            {
                **places_of(each),
                "agent": each.agent,
                "reference": each.reference,
                "mark": each.mark,
                "reading": each.reads,
                **_people(each),
                **_family(each, profiles),
                **_run(each, agents),
                **_summary(each.summary),
            }
            for each in board.standings
        ],
        "tables": [each.told for each in board.tables],
    }


def _people(standing: Standing) -> dict[str, Json]:
    """What people would say, where the judge is calibrated; else nothing."""
    if standing.people is None:
        return {}
    value, interval, _, labels, why = standing.people
    ends = low_and_high("people", interval)
    return {"people": value, **ends, "people_labels": labels, "people_why_not": why}


def _family(standing: Standing, profiles: Profiles | None) -> dict[str, Json]:
    """The family of an agent and when its reports were collected, where a file says so."""
    if profiles is None:
        return {}
    profile = profiles[standing.agent]
    return {"family": printable(profile.family), "collected": printable(profile.collected)}


def _run(standing: Standing, agents: Agents | None) -> dict[str, Json]:
    """What the runs of an agent took, where that was seen of any agent; else nothing."""
    if not agents:
        return {}
    row = (agents.get(standing.agent) or RunTotals()).row()
    return {
        f"run_{name}": cause_counts(value) if name == "stops" else value
        for name, value in row.items()
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
