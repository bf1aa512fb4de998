"""Two runs: which means moved, which reports changed, and which verdicts turned."""

from __future__ import annotations

from collections.abc import Iterator
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
    """An item that was found otherwise. tone: good where it costs less now, bad where more.

    was_said, now_said: judge, verdict and tone of each of a panel; empty where they agreed.
    """

    before: Place
    after: Place
    protocol: str
    key: str
    said: str
    was: str
    now: str
    name: str
    tone: str
    was_said: tuple[tuple[str, str, str], ...]
    now_said: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class RunChanges:
    """What is other in one run than in another. common: scores that both have.

    unchanged: how many of these are as they were. only: reports that one run alone has. turned: of
    the items that both have and that are found otherwise, how many cost less now, how many more,
    and how many the same.
    """

    old: int
    new: int
    means: tuple[MovedMean, ...]
    scores: tuple[ChangedScore, ...]
    verdicts: tuple[TurnedVerdict, ...]
    common: int
    unchanged: int
    only: tuple[int, int]
    turned: tuple[int, int, int]


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
    ((common, unchanged),) = side.rows(
        f"SELECT count(*), count(*) FILTER (WHERE s.value=t.value) {_SCORED}", *given
    )
    ((better, worse, level),) = side.rows(
        "SELECT count(*) FILTER (WHERE j.share<i.share), count(*) FILTER (WHERE j.share>i.share), "
        f"count(*) FILTER (WHERE j.share=i.share) {_ITEMS}",
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
        old, new, tuple(means), tuple(scores), tuple(_turned(side, old, new)), common, unchanged,
        (only[0], only[1]), (better, worse, level),
    )  # fmt: skip


def _turned(side: SideReader, old: int, new: int) -> Iterator[TurnedVerdict]:
    """The verdicts that turned, those first that weigh most."""
    for agent, task, sample, protocol, key, said, was, now, name, tone, before, after in side.rows(
        "SELECT a.agent, a.task, a.sample, s.protocol, i.key, x.text, i.verdict, j.verdict, "
        "j.name, CASE WHEN j.share<i.share THEN 'good' WHEN j.share>i.share THEN 'bad' ELSE '' "
        "END, CASE WHEN i.differ THEN i.id END, CASE WHEN j.differ THEN j.id END "
        f"{_ITEMS} ORDER BY abs(j.share-i.share) DESC, a.id LIMIT ?",
        *(new, old, ROWS),
    ):
        voices = [tuple(side.voices(item)) if item else () for item in (before, after)]
        places = Place(old, agent, task, sample), Place(new, agent, task, sample)
        yield TurnedVerdict(*places, protocol, key, said, was, now, name, tone, *voices)


def _told(
    before: float, after: float, low: float | None, high: float | None
) -> tuple[str, str, str]:
    """Both values and their difference, as tables show them."""
    limits = None if low is None or high is None else (low, high)
    gap = after - before
    sign = "+" if gap > 0 else ""
    return in_range(before, limits), in_range(after, limits), sign + in_range(gap, limits)
