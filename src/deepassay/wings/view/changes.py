"""Two runs: which means moved, which reports changed, and which verdicts turned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from deepassay.results.tables import in_range
from deepassay.wings.view.room import Place
from deepassay.wings.view.side import SideReader

ROWS: Final = 60
"""Scores, and verdicts, that are shown of each kind."""


class MovedMean(NamedTuple):
    """Means of an agent under a protocol, over reports that have a score in both runs."""

    agent: str
    protocol: str
    before: str
    after: str
    difference: str
    better: bool
    reports: int


class ChangedScore(NamedTuple):
    """A score that is not what it was. text, judge, reference: whether these are others."""

    before: Place
    after: Place
    protocol: str
    was: str
    now: str
    difference: str
    better: bool
    text: bool
    judge: bool
    reference: bool

    @property
    def because(self) -> str:
        """What is other than it was, besides the score."""
        told = [("other text", self.text), ("other judge", self.judge)]
        told += [("other reference", self.reference)]
        return ", ".join(words for words, is_so in told if is_so)


class TurnedVerdict(NamedTuple):
    """An item that was found otherwise. better: whether it costs less now."""

    before: Place
    after: Place
    protocol: str
    key: str
    said: str
    was: str
    now: str
    name: str
    better: bool


@dataclass(frozen=True)
class RunChanges:
    """What is other in one run than in another. common: scores that both have.

    unchanged: how many of these are as they were. only: reports that one run alone has. turned:
    of all items that both have, how many are found better now, and how many worse.
    """

    old: int
    new: int
    means: tuple[MovedMean, ...]
    scores: tuple[ChangedScore, ...]
    verdicts: tuple[TurnedVerdict, ...]
    common: int
    unchanged: int
    only: tuple[int, int]
    turned: tuple[int, int]


_BOTH: Final = (
    "FROM reports a CROSS JOIN reports b ON b.task=a.task AND b.agent=a.agent "
    "AND b.sample=a.sample AND b.run=? CROSS JOIN scores s ON s.report=a.id "
    "CROSS JOIN scores t ON t.report=b.id AND t.protocol=s.protocol AND t.repeat=s.repeat"
)
_OTHER_REFERENCE: Final = (
    "(s.referenced OR t.referenced) AND (SELECT reference FROM tasks WHERE run=a.run AND "
    "task=a.task) IS NOT (SELECT reference FROM tasks WHERE run=b.run AND task=b.task)"
)
_SCORED: Final = f"{_BOTH} WHERE a.run=? AND s.value IS NOT NULL AND t.value IS NOT NULL"
_ITEMS: Final = (
    f"{_BOTH} CROSS JOIN items i ON i.score=s.id CROSS JOIN items j ON j.score=t.id "
    "AND j.key=i.key AND j.text=i.text JOIN texts x ON x.id=i.text "
    "WHERE a.run=? AND i.stance<>j.stance"
)


def run_changes(side: SideReader, old: int, new: int) -> RunChanges:
    """What is other in run `new` than in run `old`, by their numbers."""
    given = (new, old)
    means = [
        MovedMean(agent, protocol, *_told(before, after, low, high), after > before, reports)
        for agent, protocol, before, after, low, high, reports in side.rows(
            "SELECT a.agent, s.protocol, avg(s.value), avg(t.value), min(s.lowest), "
            f"max(s.highest), count(*) {_SCORED} GROUP BY a.agent, s.protocol "
            "HAVING avg(s.value)<>avg(t.value) "
            "ORDER BY abs(avg(t.rank)-avg(s.rank)) DESC, a.agent, s.protocol LIMIT ?",
            *given,
            ROWS,
        )
    ]
    scores = [
        ChangedScore(
            Place(old, *place), Place(new, *place), protocol, *_told(was, now, low, high),
            now > was, bool(text), bool(judge), bool(reference),
        )
        for *place, protocol, was, now, low, high, text, judge, reference in side.rows(
            "SELECT a.agent, a.task, a.sample, s.protocol, s.value, t.value, s.lowest, s.highest, "
            f"a.digest<>b.digest, s.judge<>t.judge, {_OTHER_REFERENCE} {_SCORED} "
            "AND s.value<>t.value "
            "ORDER BY abs(t.rank-s.rank) DESC, a.id, s.protocol LIMIT ?",
            *given,
            ROWS,
        )
    ]  # fmt: skip
    verdicts = [
        TurnedVerdict(Place(old, *place), Place(new, *place), *rest, better=bool(better))
        for *place, protocol, key, said, was, now, name, better in side.rows(
            "SELECT a.agent, a.task, a.sample, s.protocol, i.key, x.text, i.verdict, j.verdict, "
            f"j.name, j.share<i.share {_ITEMS} ORDER BY abs(j.share-i.share) DESC, a.id LIMIT ?",
            *given,
            ROWS,
        )
        for rest in [(protocol, key, said, was, now, name)]
    ]
    ((common, unchanged),) = side.rows(
        f"SELECT count(*), count(*) FILTER (WHERE s.value=t.value) {_SCORED}", *given
    )
    ((better, worse),) = side.rows(
        "SELECT count(*) FILTER (WHERE j.share<i.share), count(*) FILTER (WHERE j.share>i.share) "
        f"{_ITEMS}",
        *given,
    )
    only = tuple(
        side.one(
            "SELECT count(*) FROM reports a WHERE a.run=? AND a.digest IS NOT NULL AND NOT EXISTS "
            "(SELECT 1 FROM reports b WHERE b.run=? AND b.agent=a.agent AND b.task=a.task "
            "AND b.sample=a.sample AND b.digest IS NOT NULL)",
            *pair,
        )
        for pair in ((old, new), (new, old))
    )
    return RunChanges(
        old, new, tuple(means), tuple(scores), tuple(verdicts), common, unchanged,
        (only[0], only[1]), (better or 0, worse or 0),
    )  # fmt: skip


def _told(
    before: float, after: float, low: float | None, high: float | None
) -> tuple[str, str, str]:
    """Both values and their difference, as tables show them."""
    limits = None if low is None or high is None else (low, high)
    gap = after - before
    sign = "+" if gap > 0 else ""
    return in_range(before, limits), in_range(after, limits), sign + in_range(gap, limits)
