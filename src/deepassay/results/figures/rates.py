"""Which checks of form each agent passes: a heat map (LiveResearchBench, figure 22).

How often agents win against a baseline, or against each other (LiveResearchBench, figure 6).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.results.evidence import voices
from deepassay.results.figures.figure import (
    PAGE,
    Figure,
    Material,
    Omitted,
    boards_of,
    file_name,
    is_whole,
    name_of,
    named_as,
    notes_of,
    records_beneath,
    said,
    tasks_of,
    unfit,
)
from deepassay.results.figures.grid import Grid, draw_grid
from deepassay.results.figures.rows import ForestRow, draw_rows, height_of
from deepassay.results.figures.style import Look, short
from deepassay.results.overview import OFFLINE, heading, notes_on
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.tables import NONE, Table
from deepassay.results.unrounded import common_parts
from deepassay.results.winrate import WinRecord, record_of
from deepassay.stats.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas


KIND: Final = "pass-rates"
CAPTION: Final = (
    "Pass rates of the ten checks of form in per cent: the share of an agent's tasks in which the "
    "report passes, after the mean over repeats and answers within a task. The brighter the "
    "higher. At the right, tasks scored of those expected. Agents stand in the order of their "
    "scores. After figure 22 of LiveResearchBench."
)


def pass_rates(material: Material) -> Iterator[Figure | Omitted]:
    """One heat map for each variant of `presentation` that was judged."""
    for board in boards_of(material, "presentation"):
        judged = records_beneath(material, board).values()
        yield unfit(KIND, board) or _figure(board, _asked(each for own in judged for each in own))


def _figure(board: Board, asked: str) -> Figure:
    checks = common_parts([board])
    agents = [named_as(row) for row in board.standings]
    parts = [[row.summary.parts.get(check) for check in checks] for row in board.standings]
    tasks = ["{}/{}".format(*row.summary.tasks) for row in board.standings]
    cells = {
        (row, column): part.mean
        for row, own in enumerate(parts)
        for column, part in enumerate(own)
        if part is not None
    }
    grid = Grid(
        agents,
        checks,
        cells,
        "reports that pass, %",
        {place: f"{rate:.1f}" for place, rate in cells.items()},
        ends=(0.0, 100.0),
        beside=("tasks", *tasks),
    )
    rows = (
        (agent, *(NONE if part is None else f"{part.mean:.1f}" for part in own), count)
        for agent, own, count in zip(agents, parts, tasks, strict=True)
    )
    notes = (*([asked] if asked else []), *notes_of(board, marks=""))
    title = f"{short(heading(board), 60)}: checks of form that reports pass"
    head = ("agent", *checks, "tasks")
    return Figure(
        name_of(KIND, board),
        title,
        said(CAPTION, tasks_of(board), *notes),
        Table(title, head, tuple(rows), notes, frozenset(range(1, len(head)))),
        partial(draw_grid, grid),
        grid.size,
        notes,
    )


def _asked(records: Iterable[Judged]) -> str:
    """`P1 clear structure; P2 ...`: what the checks ask, in the words of the first score."""
    for record in records:
        for _, outcome in voices(record):
            if items := outcome.evidence.items:
                return "; ".join(f"{item.key.upper()} {item.item}" for item in items) + "."
    return ""


WIN_KIND: Final = "win-rates"
PARITY: Final = 50.0

WIN_CAPTION: Final = (
    "Share of comparisons with the baseline that an agent wins, ties left out, with Wilson's 95 % "
    "interval for as many tasks as had a decision; the broken line is parity. At the right: wins, "
    "losses and ties. After figure 6 of LiveResearchBench, which has no intervals."
)
ALL_CAPTION: Final = (
    "Share of comparisons in per cent that the agent of the row wins against that of the column, "
    "ties left out. The brighter the higher. Figure 6 of LiveResearchBench has the same against "
    "one baseline."
)
HEAD: Final = (
    *("agent", "win rate, %", "low", "high", "wins", "losses", "ties", "tasks decided", "tasks"),
)

UNDECIDED: Final = "No mark: nothing but ties."
EMPTY: Final = "Empty cells: an agent and itself, or nothing but ties."

Rivals = Mapping[str, Board]
"""The rankings of one protocol and edition against each of several baselines, by their names."""


def win_rates(material: Material) -> Iterator[Figure | Omitted]:
    """A figure for each baseline, and one of all pairs where there are several baselines."""
    groups: defaultdict[tuple[str, str], dict[str, Board]] = defaultdict(dict)
    for board in material.boards:
        if board.baseline and board.label is None:
            if omitted := unfit(WIN_KIND, board):
                yield omitted
                continue
            edition = str(board.recipes[0].identity.get("edition", "paper"))
            groups[board.protocol.partition("(")[0], edition][board.baseline] = board
    for (protocol, edition), rivals in groups.items():
        if len(rivals) > 1:
            yield _of_all_pairs(material, protocol, edition, rivals)
        else:
            yield from (_against_one(material, board) for board in rivals.values())


def _against_one(material: Material, board: Board) -> Figure:
    found = {agent: record_of(own) for agent, own in records_beneath(material, board).items()}
    whole = {row.agent: is_whole(row) for row in board.standings}
    rows = [
        ForestRow(
            agent, _percent(record.rate), _percents(record.interval), hollow=not whole[agent],
            beside=f"{record.wins} / {record.losses} / {record.ties}",
        )
        for agent, record in found.items()
    ]  # fmt: skip
    undecided = any(record.rate is None for record in found.values())
    notes = (*((UNDECIDED,) if undecided else ()), *notes_of(board))
    title = f"{short(heading(board), 80)}: win rates"
    cells = tuple((agent, *_cells(record)) for agent, record in found.items())
    return Figure(
        name_of(WIN_KIND, board),
        title,
        said(WIN_CAPTION, tasks_of(board), *notes),
        Table(title, HEAD, cells, notes, frozenset(range(1, len(HEAD)))),
        partial(_draw, rows),
        (PAGE * 0.75, height_of(len(rows))),
        notes,
    )


def _draw(rows: Sequence[ForestRow], canvas: Canvas, look: Look) -> None:
    axes = canvas.subplots()
    axes.axvline(PARITY, color=look.muted, linewidth=0.8, linestyle=(0, (4, 2)))
    draw_rows(axes, look, rows)
    axes.set_xlim(-2, 102)
    axes.set_xlabel("win rate, % (at the right: wins / losses / ties)")


def _of_all_pairs(material: Material, protocol: str, edition: str, rivals: Rivals) -> Figure:
    boards = list(rivals.values())
    found = {
        (agent, baseline): record_of(own)
        for baseline, board in rivals.items()
        for agent, own in records_beneath(material, board).items()
    }
    agents = _by_wins(found)
    rates = {
        (agents.index(agent), agents.index(baseline)): 100 * record.rate
        for (agent, baseline), record in found.items()
        if record.rate is not None
    }
    grid = Grid(
        agents,
        agents,
        rates,
        "win rate, %",
        {place: f"{rate:.0f}" for place, rate in rates.items()},
        ends=(0.0, 100.0),
    )
    judged = f"{protocol} (edition code)" if edition == "code" else protocol
    offline = any(board.offline for board in boards)
    title = f"{judged}{f' ({OFFLINE})' if offline else ''}: win rates of all pairs"
    notes = (EMPTY, *_missing(boards), *notes_on(*boards))
    cells = tuple((agent, baseline, *_cells(record)) for (agent, baseline), record in found.items())
    head = ("agent", "against", *HEAD[1:])
    return Figure(
        file_name(WIN_KIND, "all-pairs", protocol, edition),
        title,
        said(ALL_CAPTION, tasks_of(*boards), *notes),
        Table(title, head, cells, notes, frozenset(range(2, len(head)))),
        partial(draw_grid, grid),
        grid.size,
        notes,
    )


def _by_wins(found: Mapping[tuple[str, str], WinRecord]) -> list[str]:
    """All agents, those first who won most of all their comparisons."""
    wins: Counter[str] = Counter()
    decisive: Counter[str] = Counter()
    for (agent, _), record in found.items():
        wins[agent] += record.wins
        decisive[agent] += record.wins + record.losses
    agents = sorted({agent for pair in found for agent in pair})
    return sorted(agents, key=lambda agent: -wins[agent] / max(decisive[agent], 1))


def _missing(boards: Sequence[Board]) -> tuple[str, ...]:
    counts = [row.summary.judgements for board in boards for row in board.standings]
    scored = sum(count.scored for count in counts)
    expected = sum(count.expected for count in counts)
    if scored == expected:
        return ()
    return (f"{expected - scored} of {expected} comparisons have no score and are left out.",)


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _percents(ends: Interval | None) -> Interval | None:
    return None if ends is None else Interval(100 * ends.low, 100 * ends.high)


def _cells(record: WinRecord) -> tuple[str, ...]:
    numbers = (record.rate, *(record.interval or (None, None)))
    counts = (record.wins, record.losses, record.ties, record.decided, record.tasks)
    return (
        *(NONE if number is None else f"{100 * number:.1f}" for number in numbers),
        *map(str, counts),
    )
