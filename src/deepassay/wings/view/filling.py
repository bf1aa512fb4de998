"""What the side file holds of a run: reports, scores, items and words, and what follows of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from deepassay.files import without_surrogates
from deepassay.results.evidence import EvidenceItem, snapshots_of
from deepassay.results.page.content import JudgedText
from deepassay.results.page.evidence import ReportPassage, ReportPlaces
from deepassay.results.records import Judged
from deepassay.run.showing.expected import expected
from deepassay.score import Score
from deepassay.wings.view.findings import ReadJudgement, read_judgement
from deepassay.wings.view.room import OpenRun, Room
from deepassay.wings.view.side import SideFile
from deepassay.wings.view.words import set_apart

AGAIN: Final = 20_000
"""Open outcomes that are read again at once."""

TOLD: Final = 5_000
"""Outcomes after which it is said how far the reading is."""


class Nowhere(ReportPlaces):
    """Places of findings that are not asked for."""

    def __init__(self, record: Judged, run: OpenRun) -> None:
        super().__init__(JudgedText(record.agent, record.task, record.sample, ""), run.archive)

    def spots(self, item: EvidenceItem) -> tuple[ReportPassage, ...]:
        """None: the text is not read."""
        return ()


class Filling:
    """Brings the side file up to what the runs hold. tell: is told how many outcomes were read.

    seen: a number that grows with every outcome that is new, or that gave way to a later one.
    """

    def __init__(
        self, room: Room, side: SideFile, tell: Callable[[int], None] = lambda count: None
    ) -> None:
        self._room = room
        self._side = side
        self._tell = tell
        self._texts: dict[str, int] = {}
        self._reports: dict[tuple[int, str, str, int], int] = {}
        self._seen: dict[int, int] = {}
        self.seen = 0
        self._replaced = 0
        self._looks: list[tuple[tuple[int, int], ...]] = []

    def catch_up(self) -> int:
        """Read what is new in the runs; how many outcomes that were."""
        count = 0
        touched: set[tuple[int, str]] = set()
        looks = [_look(run.path) for run in self._room]
        if looks == self._looks:
            return 0
        with self._side.writing():
            for run in self._room:
                grown = self._has_grown(run)
                if grown:
                    run.forget()
                    self._about(run)
                count += self._outcomes(run, touched)
            if touched:
                self._follow(touched)
        self._looks = looks
        self.seen = self._side.one("SELECT count(*) FROM scores") + self._replaced
        return count

    def _has_grown(self, run: OpenRun) -> bool:
        """Whether the run may have other tasks or reports than when it was looked at last."""
        reports = sum(1 for _ in run.file.report_places())
        before = self._seen.get(run.number)
        self._seen[run.number] = reports
        return reports != before

    def _about(self, run: OpenRun) -> None:
        side, number = self._side, run.number
        for position, (name, task) in enumerate(run.tasks.items()):
            row = number, _kept(name), position, _kept(task.prompt)
            side.run("INSERT OR IGNORE INTO tasks VALUES(?,?,?,?)", *row)
            labels = [(number, _kept(name), _kept(k), _kept(v)) for k, v in task.labels.items()]
            side.many("INSERT OR IGNORE INTO labels VALUES(?,?,?,?)", labels)
        for agent, task_, sample, digest in [*run.file.report_digests()]:
            key = number, _kept(agent), _kept(task_), sample
            known = side.one("SELECT digest FROM reports WHERE run=? AND agent=? AND task=? "
                             "AND sample=?", *key)  # fmt: skip
            if known is not None:
                self._reports.setdefault(key, self._id(key))
                continue
            self._reports[key] = self._report(key, digest)
            kept = run.file.report(agent, task_, sample)
            if kept is not None:
                self._document("report", number, self._reports[key], kept.text)
        for _, agent, task_, sample, _ in expected(run.file):
            key = number, _kept(agent), _kept(task_), sample
            if key not in self._reports:
                self._reports[key] = self._report(key, None)

    def _report(self, key: tuple[int, str, str, int], digest: str | None) -> int:
        self._side.run(
            "INSERT INTO reports(run, agent, task, sample, digest) VALUES(?,?,?,?,?) "
            "ON CONFLICT DO UPDATE SET digest=excluded.digest",
            *key,
            digest,
        )
        return self._id(key)

    def _id(self, key: tuple[int, str, str, int]) -> int:
        sql = "SELECT id FROM reports WHERE run=? AND agent=? AND task=? AND sample=?"
        found: int = self._side.one(sql, *key)
        return found

    def _outcomes(self, run: OpenRun, touched: set[tuple[int, str]]) -> int:
        side, number = self._side, run.number
        newest = side.one("SELECT newest FROM runs WHERE number=?", number)
        open_ = side.rows(
            "SELECT s.number FROM scores s JOIN reports r ON r.id=s.report "
            "WHERE s.open AND r.run=? LIMIT ?",
            number,
            AGAIN,
        )
        count = 0
        snapshots: dict[str, None] = {}
        for place, is_open, record in run.judgements.since(newest, [each for (each,) in open_]):
            if self._outcome(run, place, is_open, record):
                touched.add((number, record.task))
                read = snapshots_of(record)
                snapshots |= dict.fromkeys(read.values())
                rows = [(number, name, _kept(url)) for url, name in read.items()]
                side.many("INSERT OR IGNORE INTO read_as VALUES(?,?,?)", rows)
                count += 1
                if count % TOLD == 0:
                    self._tell(count)
            newest = max(newest, place)
        side.run("UPDATE runs SET newest=? WHERE number=?", newest, number)
        self._pages(run, snapshots)
        return count

    def _outcome(self, run: OpenRun, number: int, is_open: bool, record: Judged) -> bool:
        """Keep an outcome; False where it is kept as it is."""
        side, outcome = self._side, record.outcome
        key = run.number, _kept(record.agent), _kept(record.task), record.sample
        report = self._reports.get(key) or self._report(key, None)
        before = side.rows(
            "SELECT id, value, cause FROM scores WHERE report=? AND protocol=? AND repeat=?",
            report,
            record.protocol,
            record.repeat,
        )
        value = float(outcome.value) if isinstance(outcome, Score) else None
        cause = None if isinstance(outcome, Score) else str(outcome.cause)
        if before and before[0][1:] == (value, cause):
            return False
        self._replaced += len(before)
        for old, *_ in before:
            side.run("DELETE FROM items WHERE score=?", old)
            side.run("DELETE FROM scores WHERE id=?", old)
        read = read_judgement(record, Nowhere(record, run))
        low, high = (outcome.bounds if isinstance(outcome, Score) else None) or (None, None)
        score = side.run(
            "INSERT INTO scores(report, number, protocol, repeat, value, lowest, highest, cause, "
            "detail, judge, reference, differ, open, reads) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            *(report, number, record.protocol, record.repeat, value, low, high, cause),
            "" if isinstance(outcome, Score) else _kept(outcome.detail),
            _kept(read.by),
            read.reference,
            sum(each.differ for each in read.findings),
            is_open,
            record.reads,
        )
        self._items(score, read)
        said = "\n".join(
            " ".join([each.said, *(voice.reason for voice in each.voices)])
            for each in read.findings
        )
        if said:
            self._document("finding", run.number, score, said)
        return True

    def _items(self, score: int, read: ReadJudgement) -> None:
        for each in read.findings:
            item = self._side.run(
                "INSERT INTO items(score, name, key, text, verdict, stance, tone, share, cost, "
                "differ) VALUES(?,?,?,?,?,?,?,?,?,?)",
                *(score, each.name, _kept(each.key), self._text(each.said)),
                *(
                    _kept(each.verdict),
                    _kept(each.stance),
                    each.tone,
                    each.share,
                    each.cost,
                    each.differ,
                ),
            )
            if len(each.voices) > 1:
                voices = [(item, _kept(v.judge), _kept(v.verdict), v.tone) for v in each.voices]
                self._side.many("INSERT OR IGNORE INTO voices VALUES(?,?,?,?)", voices)
            urls = {_kept(url) for voice in each.voices for url in voice.urls}
            self._side.many("INSERT INTO cited VALUES(?,?)", [(url, item) for url in urls])

    def _text(self, text: str) -> int:
        text = _kept(text)
        if text not in self._texts:
            if len(self._texts) > AGAIN:
                self._texts.clear()
            self._side.run("INSERT OR IGNORE INTO texts(text) VALUES(?)", text)
            self._texts[text] = self._side.one("SELECT id FROM texts WHERE text=?", text)
        return self._texts[text]

    def _pages(self, run: OpenRun, snapshots: Iterable[str]) -> None:
        known = "SELECT 1 FROM documents WHERE run=? AND snapshot=?"
        for name in sorted(snapshots):
            if self._side.one(known, run.number, name) is None:
                page = run.archive.page(name)
                if page is not None:
                    text = f"{page.title}\n{page.text}"
                    self._document("page", run.number, None, text, name)

    def _document(
        self, kind: str, run: int, of: int | None, text: str, snapshot: str | None = None
    ) -> None:
        sql = "INSERT INTO documents(kind, run, of, snapshot) VALUES(?,?,?,?)"
        number = self._side.run(sql, kind, run, of, snapshot)
        self._side.run(
            "INSERT INTO fulltext(rowid, words) VALUES(?,?)", number, set_apart(_kept(text))
        )

    def _follow(self, touched: Iterable[tuple[int, str]]) -> None:
        """What follows of scores and items, by their tasks or over all."""
        side = self._side
        side.run("CREATE TEMP TABLE IF NOT EXISTS touched(run, task, PRIMARY KEY(run, task))")
        side.run("DELETE FROM touched")
        side.many("INSERT INTO touched VALUES(?,?)", [(r, _kept(task)) for r, task in touched])
        for statement in FOLLOWING:
            side.run(statement)


_OF_TOUCHED: Final = "SELECT r.id FROM touched t JOIN reports r ON r.task=t.task AND r.run=t.run"

FOLLOWING: Final = (
    """UPDATE scores SET rank=found.rank FROM (
         SELECT id, (percent_rank() OVER own + cume_dist() OVER own) / 2 AS rank FROM scores
         WHERE value IS NOT NULL WINDOW own AS (PARTITION BY protocol ORDER BY value)
       ) found WHERE scores.id=found.id""",
    """UPDATE reports SET standing=found.standing, failed=found.failed, differ=found.differ FROM (
         SELECT report, coalesce(avg(rank) FILTER (WHERE reads), avg(rank)) AS standing,
           count(cause) AS failed, sum(differ) AS differ
         FROM scores GROUP BY report
       ) found WHERE reports.id=found.report""",
    "UPDATE reports SET failed=1 WHERE digest IS NULL AND NOT failed",
    f"""UPDATE items SET beyond=found.beyond FROM (
         SELECT i.id, i.share - avg(i.share)
           OVER (PARTITION BY r.run, r.task, s.protocol, i.key, i.text) AS beyond
         FROM reports r JOIN scores s ON s.report=r.id JOIN items i ON i.score=s.id
         WHERE r.id IN ({_OF_TOUCHED})
       ) found WHERE items.id=found.id""",
    f"""UPDATE reports SET costly=(
         SELECT i.id FROM scores s JOIN items i ON i.score=s.id
         WHERE s.report=reports.id AND i.share > 0 ORDER BY i.beyond DESC, i.share DESC LIMIT 1
       ) WHERE id IN ({_OF_TOUCHED})""",
    """UPDATE reports SET changed=1 WHERE id IN (
         SELECT a.id FROM reports a JOIN reports b
           ON b.task=a.task AND b.agent=a.agent AND b.sample=a.sample AND b.run<>a.run
         WHERE a.digest<>b.digest OR EXISTS (
           SELECT 1 FROM scores s JOIN scores t ON t.report=b.id AND t.protocol=s.protocol
             AND t.repeat=s.repeat
           WHERE s.report=a.id AND s.value IS NOT t.value))""",
    """UPDATE reports SET differ=differ+1 WHERE id IN (
         SELECT a.id FROM reports a JOIN reports b
           ON b.task=a.task AND b.agent=a.agent AND b.sample=a.sample AND b.run<>a.run
         WHERE a.digest=b.digest AND EXISTS (
           SELECT 1 FROM scores s JOIN scores t ON t.report=b.id AND t.protocol=s.protocol
             AND t.repeat=s.repeat
           WHERE s.report=a.id AND s.judge<>t.judge AND s.value IS NOT t.value))""",
)
"""Ranks over all scores first, since a new one moves others."""


def _look(path: Path) -> tuple[tuple[int, int], ...]:
    """Size and time of a run file and of what is written to it and not yet a part of it."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return tuple((found.st_size, found.st_mtime_ns) for each in files if (found := _stat(each)))


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:  # there is no such file while nobody writes
        return None


def _kept(text: str) -> str:
    """A text that SQLite can hold."""
    return without_surrogates(text)
