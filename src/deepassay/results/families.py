"""Agents by family, with the average over metrics: the layout of LiveResearchBench's Table 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final, TypeVar

from deepassay.errors import BadInput, BadSetting
from deepassay.results.overview import OFFLINE, board_heading, mean_of, notes_on
from deepassay.results.ranking import Board
from deepassay.results.standings import Standing
from deepassay.results.tables import NONE, Table, in_range
from deepassay.score import without_options
from deepassay.stats.ranks import TIE

TABLE_1: Final = ("presentation", "consistency", "coverage", "citation_association")
"""The metrics of Table 1, all 0 to 100. Depth is a win rate (figure 6) and stands elsewhere."""

BEST_NOTE: Final = "** the best of all agents, * the best of its family."


@dataclass(frozen=True)
class Profile:
    """What is known of an agent besides its scores. collected: the day of its reports, or empty."""

    agent: str
    family: str
    collected: str = ""


Profiles = Mapping[str, Profile]
"""Profiles by the name of the agent; families come in the order in which they first appear."""

Member = TypeVar("Member")
"""Whatever is of one agent."""

Row = tuple[Profile, tuple[Standing | None, ...], float | None]
"""An agent, where it stands on each board, and its average."""


def family_table(boards: Sequence[Board], profiles: Profiles) -> Table:
    """Agents grouped by family, best average first, and below each family the mean of its agents.

    The columns are the metrics of Table 1 that were judged, or else all protocols. The average is
    over those metrics, and none where an agent lacks one of them. Raises as `check_families` does.
    """
    check_families(boards, profiles)
    whole = [board for board in boards if board.label is None]
    listed = sorted((b for b in whole if _metric(b) in TABLE_1), key=_place)
    averaged = bool(listed) and len({_metric(board) for board in listed}) == len(listed)
    columns = listed or whole
    rows = _rows(columns, profiles, averaged)
    best = _best([row for family in rows.values() for row in family], columns)
    dated = any(row[0].collected for family in rows.values() for row in family)
    cells = [
        cell
        for family, members in rows.items()
        for cell in (
            *(_cells(row, columns, best, _best(members, columns), dated) for row in members),
            _mean_cells(family, members, columns, dated),
        )
    ]
    offline = all(board.offline for board in columns)
    names = [board.protocol if offline else board_heading(board) for board in columns]
    head = ("family", "agent", *(("collected",) if dated else ()), *names)
    table = Table.listed(
        f"Agents by family ({OFFLINE})" if offline else "Agents by family",
        (*head, "average"),
        cells,
        (BEST_NOTE, _note(listed, averaged), *_absent(whole, profiles)),
        words=2 + dated,
    )
    return replace(table, above=notes_on(*columns))


def check_families(boards: Sequence[Board], profiles: Profiles) -> None:
    """Raise BadInput for an agent without a profile, BadSetting for boards of several recipes."""
    agents = {row.agent for board in boards for row in board.standings}
    if missing := sorted(agents - set(profiles)):
        known = ", ".join(sorted(set(profiles) - agents)) or "none"
        raise BadInput(
            f"The file of agents does not say of which family these are: {', '.join(missing)}.",
            f"Give each a row of its own. In the file, but in none of the runs: {known}.",
        )
    if any(len(board.recipes) > 1 for board in boards):
        raise BadSetting(
            "Families are compared by scores of one recipe, and here are several.",
            "Leave out --agents, or the run files that differ.",
        )


def by_family(
    members: Iterable[Member], profiles: Profiles, agent_of: Callable[[Member], str]
) -> dict[str, list[Member]]:
    """The members of each family that has any, families in the order of the profiles."""
    families: dict[str, list[Member]] = {each.family: [] for each in profiles.values()}
    for each in members:
        families[profiles[agent_of(each)].family].append(each)
    return {family: own for family, own in families.items() if own}


def _metric(board: Board) -> str:
    return without_options(board.protocol)


def _place(board: Board) -> tuple[int, str]:
    return TABLE_1.index(_metric(board)), board.protocol


def _rows(boards: Sequence[Board], profiles: Profiles, averaged: bool) -> dict[str, list[Row]]:
    """The rows of each family, in the order of the profiles."""
    found: dict[str, dict[str, Standing]] = {}
    for board in boards:
        for standing in board.standings:
            found.setdefault(standing.agent, {})[board.protocol] = standing
    rows: list[Row] = []
    for agent, profile in profiles.items():
        if agent in found:
            standings = tuple(found[agent].get(board.protocol) for board in boards)
            rows.append((profile, standings, _average(standings) if averaged else None))
    families = by_family(rows, profiles, lambda row: row[0].agent)
    for members in families.values():
        members.sort(key=lambda row: (row[2] is None, -(row[2] or 0), row[0].agent))
    return families


def _average(standings: Sequence[Standing | None]) -> float | None:
    means = [_mean(standing) for standing in standings]
    known = [mean for mean in means if mean is not None]
    return fmean(known) if len(known) == len(means) else None


def _mean(standing: Standing | None) -> float | None:
    return None if standing is None else standing.summary.mean


def _numbers(rows: Sequence[Row]) -> list[tuple[float | None, ...]]:
    """Column by column, the averages last."""
    values = [(*map(_mean, standings), average) for _, standings, average in rows]
    return list(zip(*values, strict=True))


def _best(rows: Sequence[Row], boards: Sequence[Board]) -> list[float | None]:
    """The highest number of every column; none where means give no order."""
    reads = [board.reads for board in boards]
    known = ([n for n in column if n is not None] for column in _numbers(rows))
    ordered = zip(known, (*reads, all(reads)), strict=True)
    return [max(column) if column and reads else None for column, reads in ordered]


def _cells(
    row: Row,
    boards: Sequence[Board],
    best: Sequence[float | None],
    best_of_family: Sequence[float | None],
    dated: bool,
) -> tuple[str, ...]:
    profile, standings, average = row
    shown = [
        NONE if standing is None else mean_of(standing, board.limits)
        for standing, board in zip(standings, boards, strict=True)
    ]
    numbers = (*map(_mean, standings), average)
    marks = (_mark(*each) for each in zip(numbers, best, best_of_family, strict=True))
    cells = zip((*shown, in_range(average, (0, 100))), marks, strict=True)
    collected = (profile.collected or NONE,) if dated else ()
    return profile.family, profile.agent, *collected, *(text + mark for text, mark in cells)


def _mark(number: float | None, best: float | None, best_of_family: float | None) -> str:
    """Two characters wide, so that the digits of a column stay below each other."""
    if number is not None and best is not None and number > best - TIE:
        return "**"
    if number is not None and best_of_family is not None and number > best_of_family - TIE:
        return "* "
    return "  "


def _mean_cells(
    family: str, members: Sequence[Row], boards: Sequence[Board], dated: bool
) -> tuple[str, ...]:
    """The mean of each column over a family; of how many agents, where some have no number."""
    limits = (*(board.limits for board in boards), (0.0, 100.0))
    shown = []
    for column, ends in zip(_numbers(members), limits, strict=True):
        known = [number for number in column if number is not None]
        count = f" ({len(known)}/{len(column)})" if 0 < len(known) < len(column) else ""
        shown.append(in_range(fmean(known) if known else None, ends) + count + "  ")
    return family, f"mean of {len(members)}", *((NONE,) if dated else ()), *shown


def _note(listed: Sequence[Board], averaged: bool) -> str:
    if not listed:
        return f"No average: it is of {', '.join(TABLE_1)}, none of which was judged."
    if not averaged:
        return "No average: a metric stands there in several variants."
    missing = [name for name in TABLE_1 if name not in map(_metric, listed)]
    unlike = f", which also has {', '.join(missing)}" if missing else ""
    return (
        f"average: the mean of {', '.join(map(_metric, listed))}, as in Table 1 of "
        f"LiveResearchBench{unlike}; none where one is unscored."
    )


def _absent(boards: Sequence[Board], profiles: Profiles) -> tuple[str, ...]:
    agents = {row.agent for board in boards for row in board.standings}
    absent = [agent for agent in profiles if agent not in agents]
    return (f"In the file of agents, but in no run: {', '.join(absent)}.",) if absent else ()
