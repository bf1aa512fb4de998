"""What follows of scores and items: ranks, standings, what cost most, and what runs do not share.

Ranks are over all scores but those of references, which have theirs by definition. A new score
moves others. Of a large run they are found anew only where it has grown by much, or has come to
rest; until then a new score ranks as the one below it.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

from deepassay.wings.view.side import SideFile

REPORTS_AT_ONCE: Final = 1_000
"""Reports of which it is worked out at once what cost them most."""

SMALL: Final = 20_000
"""Scores up to which all ranks are found anew with each new one."""

GROWN: Final = 0.01
"""The share of new scores after which all ranks are."""

REST: Final = 20
"""How much longer than finding ranks takes nothing may be new, before they are found."""


class Following:
    """Works out what follows, a part at a time."""

    def __init__(self, side: SideFile) -> None:
        self._side = side
        self._several = side.one("SELECT count(*) FROM runs") > 1
        self._waiting = {(run, task) for run, task in side.rows("SELECT run, task FROM waiting")}
        self._ranked: int = side.one("SELECT count(*) FROM scores WHERE placed")
        self._new: int = side.one("SELECT count(*) FROM scores WHERE NOT placed")
        self._last = self._took = 0.0

    @property
    def is_rough(self) -> bool:
        """Whether some scores rank as those next to them."""
        return self._new > 0

    @property
    def is_due(self) -> bool:
        """Whether there is something to do now."""
        return bool(self._waiting) or self._rank_now()

    def touch(self, run: int, task: str) -> None:
        """Something is new of a task."""
        if (run, task) not in self._waiting:
            self._waiting.add((run, task))
            self._side.run("INSERT OR IGNORE INTO waiting VALUES(?,?)", run, task)

    def add_score(self) -> None:
        """There is one more score."""
        self._new += 1
        self._last = monotonic()

    def go_on(self, reading: bool) -> None:
        """Do a part. reading: whether more is about to be read, which most of it can wait for."""
        if reading and self._new <= max(SMALL, self._ranked):
            return
        if self._rank_now():
            began = monotonic()
            for statement in _RANKS:
                self._side.run(statement)
            self._ranked += self._new
            self._new = 0
            self._took = monotonic() - began
        if self._waiting and not reading:
            self._of_tasks()

    def _rank_now(self) -> bool:
        total = self._ranked + self._new
        return self._new > 0 and (
            total <= SMALL
            or self._new > GROWN * total
            or monotonic() - self._last > REST * self._took
        )

    def _of_tasks(self) -> None:
        side = self._side
        side.run("CREATE TEMP TABLE IF NOT EXISTS now(report INTEGER PRIMARY KEY)")
        side.run("DELETE FROM now")
        # Reports of all runs: one may differ from that of another run.
        fill = "INSERT OR IGNORE INTO now SELECT id FROM reports WHERE task=?"
        while self._waiting and side.one("SELECT count(*) FROM now") < REPORTS_AT_ONCE:
            run, task = self._waiting.pop()
            side.run(fill, task)
            side.run("DELETE FROM waiting WHERE run=? AND task=?", run, task)
        for statement in _OF_REPORTS:
            side.run(statement)
        if self._several:
            side.run(_BETWEEN_RUNS)


_NOW: Final = "SELECT report FROM now"

_RANKS: Final = (
    """UPDATE scores SET placed=1, rank=found.rank FROM (
         SELECT id, (percent_rank() OVER own + cume_dist() OVER own) / 2 AS rank FROM scores
         WHERE value IS NOT NULL AND NOT is_reference
         WINDOW own AS (PARTITION BY protocol ORDER BY value)
       ) found WHERE scores.id=found.id""",
    "UPDATE scores SET placed=1 WHERE NOT placed",
    """UPDATE reports SET standing=found.standing FROM (
         SELECT report, coalesce(avg(rank) FILTER (WHERE reads), avg(rank)) AS standing
         FROM scores GROUP BY report
       ) found WHERE reports.id=found.report""",
)

_OF_REPORTS: Final = (
    f"""UPDATE scores SET rank=(
         SELECT o.rank FROM scores o WHERE o.protocol=scores.protocol AND o.value<=scores.value
           AND o.rank IS NOT NULL ORDER BY o.value DESC LIMIT 1
       ) WHERE report IN ({_NOW}) AND NOT placed AND value IS NOT NULL AND NOT is_reference""",
    f"""UPDATE reports SET
         standing=(SELECT coalesce(avg(rank) FILTER (WHERE reads), avg(rank)) FROM scores
                   WHERE report=reports.id),
         failed=(digest IS NULL) + (SELECT count(cause) FROM scores WHERE report=reports.id),
         differ=(SELECT coalesce(sum(differ), 0) FROM scores WHERE report=reports.id)
       WHERE id IN ({_NOW})""",
    f"""UPDATE items SET beyond=found.beyond FROM (
         SELECT i.id, i.share - avg(i.share)
           OVER (PARTITION BY r.run, r.task, s.protocol, i.key, i.text) AS beyond
         FROM reports r JOIN scores s ON s.report=r.id JOIN items i ON i.score=s.id
         WHERE r.id IN ({_NOW})
       ) found WHERE items.id=found.id""",
    f"""UPDATE reports SET costly=(
         SELECT i.id FROM scores s JOIN items i ON i.score=s.id
         WHERE s.report=reports.id AND i.share > 0 ORDER BY i.beyond DESC, i.share DESC LIMIT 1
       ) WHERE id IN ({_NOW})""",
)
"""Of reports whose tasks have something new. A rank is the next one's until all are found anew."""

_OTHER_RUN: Final = """SELECT 1 FROM reports b WHERE b.task=reports.task AND b.agent=reports.agent
  AND b.sample=reports.sample AND b.run<>reports.run"""
_OTHER_SCORE: Final = """EXISTS (SELECT 1 FROM scores s JOIN scores t ON t.report=b.id
  AND t.protocol=s.protocol AND t.repeat=s.repeat
  WHERE s.report=reports.id AND s.value IS NOT t.value"""

_BETWEEN_RUNS: Final = f"""UPDATE reports SET
  changed=EXISTS ({_OTHER_RUN} AND (b.digest<>reports.digest OR {_OTHER_SCORE}))),
  differ=differ + EXISTS ({_OTHER_RUN} AND b.digest=reports.digest
                          AND {_OTHER_SCORE} AND s.judge<>t.judge))
WHERE id IN ({_NOW})"""
