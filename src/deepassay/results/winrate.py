"""Win rates of protocols that compare pairs of reports, from what their scores keep.

LiveResearchBench, section 4.2: wins by decisive comparisons, ties left out. In edition `paper` a
judgement is one comparison, decided by totals that are averaged over both orders and all judges;
in edition `code` each order, by each judge, is a game of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from deepassay.results.evidence import evidence_of, single_outcomes
from deepassay.results.records import Judged, by_agent
from deepassay.results.tables import NONE, Table, decimals, of_label, percent
from deepassay.score import Score
from deepassay.stats.intervals import Interval, wilson_interval

NOTE: Final = (
    "win rate: wins of all comparisons that are no tie. interval: Wilson's, for as many tasks as "
    "had such a comparison. orders disagree: judgements whose winner changed with the order. "
    "totals: of 25, means over orders and judges."
)


@dataclass(frozen=True)
class WinRecord:
    """What became of one agent against one baseline.

    wins, losses, ties: of comparisons. decided: tasks with a comparison that is no tie. tasks:
    those that were compared. disagreeing: of `judgements` by single judges, those in which the two
    orders name different winners. totals: mean marks of the agent's reports and of the
    baseline's, None where nothing is made of the marks.
    """

    wins: int
    losses: int
    ties: int
    decided: int
    tasks: int
    disagreeing: int
    judgements: int
    totals: tuple[float, float] | None

    @property
    def rate(self) -> float | None:
        """Wins by decisive comparisons, in [0, 1]; None if there were none."""
        decisive = self.wins + self.losses
        return self.wins / decisive if decisive else None

    @property
    def interval(self) -> Interval | None:
        """Of the rate. Several comparisons on one task do not make it narrower."""
        return None if self.rate is None else wilson_interval(self.rate, self.decided)


Row = tuple[str, WinRecord]

COLUMNS: Final[Sequence[tuple[str, Callable[[Row], str]]]] = (
    ("agent", lambda row: row[0]),
    ("wins", lambda row: str(row[1].wins)),
    ("losses", lambda row: str(row[1].losses)),
    ("ties", lambda row: str(row[1].ties)),
    ("win rate", lambda row: percent(row[1].rate)),
    ("95 % interval", lambda row: _ends(row[1].interval)),
    ("tasks", lambda row: str(row[1].tasks)),
    ("orders disagree", lambda row: f"{row[1].disagreeing}/{row[1].judgements}"),
    ("mean total", lambda row: decimals(row[1].totals and row[1].totals[0], 1)),
    ("baseline's", lambda row: decimals(row[1].totals and row[1].totals[1], 1)),
)


def win_record_of(records: Iterable[Judged]) -> WinRecord:
    """Count the comparisons among judgements of one agent against one baseline."""
    compared = [
        each for each in records if isinstance(each.outcome, Score) and evidence_of(each).baseline
    ]
    winners = [(each.task, winner) for each in compared for winner in _winners(each)]
    counts = Counter(winner for _, winner in winners)
    orders = [games for each in compared for games in _games(each)]
    totals = [marks for each in compared if (marks := evidence_of(each).totals)]
    return WinRecord(
        counts["own"],
        counts["baseline"],
        counts["tie"],
        len({task for task, winner in winners if winner != "tie"}),
        len({each.task for each in compared}),
        sum(len(set(games)) > 1 for games in orders),
        len(orders),
        (fmean(t.own for t in totals), fmean(t.baseline for t in totals)) if totals else None,
    )


def win_records(records: Sequence[Judged]) -> dict[str, WinRecord]:
    """What became of each agent, by its name. records: of one protocol against one baseline."""
    return {agent: win_record_of(judged) for agent, judged in by_agent(records).items()}


def win_rate_table(
    protocol: str, wins: Mapping[str, WinRecord], label: tuple[str, str] | None = None
) -> Table:
    """One table, a row an agent. label: name and value by which the tasks were picked."""
    title = f"{protocol}{of_label(label)}: win rate"
    return Table.of(title, COLUMNS, list(wins.items()), (NOTE,))


def _games(record: Judged) -> list[tuple[str, ...]]:
    """The comparisons of each judge that scored."""
    found = (each.evidence.games for each in single_outcomes(record))
    return [games for games in found if games is not None]


def _winners(record: Judged) -> list[str]:
    """Who won the comparisons of one judgement."""
    winner = evidence_of(record).winner
    return [winner] if winner else [winner for games in _games(record) for winner in games]


def _ends(interval: Interval | None) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %" if interval else NONE
