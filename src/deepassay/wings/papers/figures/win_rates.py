"""How often agents win against a baseline, or against each other (LiveResearchBench, figure 6)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from deepassay.results.figures.figure import Figure, Material, Omitted, caption_of, file_name
from deepassay.results.overview import OFFLINE, notes_on
from deepassay.results.ranking import Board
from deepassay.results.tables import decimals
from deepassay.results.winrate import WinRecord
from deepassay.score import without_options
from deepassay.stats.intervals import Interval
from deepassay.wings.papers.figures.boards import (
    figure_name,
    figure_title,
    is_whole,
    notes_of,
    tasks_sentence,
    why_no_figure,
)
from deepassay.wings.papers.figures.grid import Grid
from deepassay.wings.papers.figures.rows import Forest, ForestRow

KIND: Final = "win-rates"
PARITY: Final = 50.0

CAPTION: Final = (
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
    """A figure against the baseline, or one of all pairs where there are several baselines."""
    groups: defaultdict[tuple[str, str], dict[str, Board]] = defaultdict(dict)
    for board in material.boards:
        if board.baseline and board.label is None:
            if omitted := why_no_figure(KIND, board):
                yield omitted
                continue
            edition = board.recipes[0].edition
            groups[without_options(board.protocol), edition][board.baseline] = board
    for (protocol, edition), rivals in groups.items():
        if len(rivals) > 1:
            yield _of_all_pairs(material, protocol, edition, rivals)
        else:
            yield from (_against_one(material, board) for board in rivals.values())


def _wins(board: Board) -> dict[str, WinRecord]:
    """What became of each agent, in the order of the ranking."""
    found = board.beneath.win_records
    return {row.agent: found[row.agent] for row in board.standings}


def _against_one(material: Material, board: Board) -> Figure:
    found = _wins(board)
    whole = {row.agent: is_whole(row) for row in board.standings}
    rows = [
        ForestRow(
            agent, _percent(record.rate), _percents(record.interval), hollow=not whole[agent],
            beside=f"{record.wins} / {record.losses} / {record.ties}",
        )
        for agent, record in found.items()
    ]  # fmt: skip
    undecided = any(record.rate is None for record in found.values())
    label = "win rate, % (at the right: wins / losses / ties)"
    return Figure.of(
        figure_name(KIND, board),
        figure_title(board, "win rates"),
        caption_of(CAPTION, tasks_sentence(board)),
        Forest(rows, label, line=PARITY, ends=(-2.0, 102.0)),
        HEAD,
        ((agent, *_cells(record)) for agent, record in found.items()),
        (*((UNDECIDED,) if undecided else ()), *notes_of(board)),
    )


def _of_all_pairs(material: Material, protocol: str, edition: str, rivals: Rivals) -> Figure:
    boards = list(rivals.values())
    found = {
        (agent, baseline): record
        for baseline, board in rivals.items()
        for agent, record in _wins(board).items()
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
        "{:.0f}".format,
        ends=(0.0, 100.0),
    )
    judged = f"{protocol} (edition code)" if edition == "code" else protocol
    offline = any(board.offline for board in boards)
    title = f"{judged}{f' ({OFFLINE})' if offline else ''}: win rates of all pairs"
    return Figure.of(
        file_name(KIND, "all-pairs", protocol, edition),
        title,
        caption_of(ALL_CAPTION, tasks_sentence(*boards)),
        grid,
        ("agent", "against", *HEAD[1:]),
        ((agent, baseline, *_cells(record)) for (agent, baseline), record in found.items()),
        (EMPTY, *_missing(boards), *notes_on(*boards)),
        words=2,
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
        *(decimals(_percent(number), 1) for number in numbers),
        *map(str, counts),
    )
