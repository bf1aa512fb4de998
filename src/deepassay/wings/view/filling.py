"""What the side file holds of a run: reports, scores, items and words."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

from deepassay.files import without_surrogates
from deepassay.reports.report import Report
from deepassay.results.evidence import EvidenceItem
from deepassay.results.records import Judged, snapshots_of
from deepassay.run.showing.contents import expected
from deepassay.score import Score, digest
from deepassay.wings.view.findings import ReadJudgement, read_judgement
from deepassay.wings.view.following import Following
from deepassay.wings.view.judged_text import JudgedText
from deepassay.wings.view.opinions import ReportPassage, ReportPlaces
from deepassay.wings.view.room import OpenRun, Room
from deepassay.wings.view.side import SideFile
from deepassay.wings.view.words import set_apart

SLICE: Final = 100
"""Reports and outcomes that are read at once; views wait for no more."""

KEPT: Final = 20_000
"""Numbers of texts and of reports that are remembered."""


class Nowhere(ReportPlaces):
    """Places of findings that are not asked for."""

    def __init__(self, record: Judged, run: OpenRun) -> None:
        super().__init__(JudgedText(Report("")), run.archive)

    def spots(self, item: EvidenceItem) -> tuple[ReportPassage, ...]:
        """None: the text is not read."""
        return ()


class Filling:
    """Brings the side file up to what the runs hold, a slice at a time.

    seen: a number that grows with every outcome that is new, or that gave way to a later one.
    behind: whether there is more to read, or what follows of it is still to be worked out.
    """

    def __init__(self, room: Room, side: SideFile) -> None:
        self._room = room
        self._side = side
        self._following = Following(side)
        self._texts: dict[str, int] = {}
        self._reports: dict[tuple[int, str, str, int], int] = {}
        self._named: set[tuple[str, str]] = set()
        self._known: dict[int, tuple[int, int]] = {}
        self._counts: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        self._grown: set[int] = set()
        self._again: dict[int, int] = {}
        self._looks: list[tuple[tuple[int, int], ...]] = []
        self._unread = True
        self._item = side.one("SELECT max(id) FROM items") or 0
        self.seen = side.one("SELECT count(*) FROM scores")

    @property
    def looks(self) -> tuple[object, ...]:
        """What the run files looked like when they were read last: it is other once they are."""
        return tuple(self._looks)

    @property
    def version(self) -> str:
        """What is read so far, in a word; it is another word once there is more to be seen."""
        return f"{self.seen}" + "~" * (self.behind or self._following.is_rough)

    @property
    def behind(self) -> bool:
        """Whether another slice has something to do."""
        return self._unread or self._following.is_due

    def read_all(self) -> None:
        """Slice after slice until nothing is left to be done."""
        while self.behind:
            self.catch_up()

    def catch_up(self, most: int = SLICE) -> int:
        """Read what is new in the runs, so much at most; how many reports and outcomes that was."""
        looks = [_look(run.path) for run in self._room]
        if looks == self._looks and not self.behind:
            return 0
        with self._side.writing():
            found = 0
            if looks != self._looks:
                for run in self._room:
                    self._about(run)
            for run in self._room if looks != self._looks or self._unread else ():
                if found < most:
                    found += self._of_run(run, most - found)
            self._unread = found >= most
            counts = [(*own, each["missed"], each["held"]) for own, each in self._counts.items()]
            self._counts.clear()
            self._side.many(_COUNT, counts)
            self._following.go_on(self._unread)
        self._looks = looks
        return found

    def _of_run(self, run: OpenRun, most: int) -> int:
        """What is new in one run: its reports first."""
        found = self._new_reports(run, most)
        if found:
            self._grown.add(run.number)
        if found >= most:
            return found
        if run.number in self._grown:
            self._grown.remove(run.number)
            run.forget()
            for key in {place[1:4]: None for place in expected(run.file)}:
                self._report((run.number, _kept(key[0]), _kept(key[1]), key[2]))
        return found + self._outcomes(run, most - found)

    def _about(self, run: OpenRun) -> None:
        """Tasks and protocols of a run, where it has others than when it was looked at last."""
        known = sum(1 for _ in run.file.tasks()), len(run.file.protocols())
        if self._known.get(run.number) == known:
            return
        self._known[run.number] = known
        self._grown.add(run.number)
        run.forget()
        for position, (name, task) in enumerate(run.tasks.items()):
            row = run.number, _kept(name), position, _kept(task.prompt), run.references.get(name)
            self._side.run("INSERT OR IGNORE INTO tasks VALUES(?,?,?,?,?)", *row)
            for label, value in task.labels.items():
                row_ = run.number, _kept(name), _kept(label), _kept(value)
                self._side.run("INSERT OR IGNORE INTO labels VALUES(?,?,?,?)", *row_)
                self._name("label", f"{_kept(label)}={_kept(value)}")

    def _name(self, kind: str, name: str) -> None:
        """Keep what can be chosen of a kind."""
        if name and (kind, name) not in self._named:
            self._named.add((kind, name))
            self._side.run("INSERT OR IGNORE INTO names VALUES(?,?)", kind, name)

    def _new_reports(self, run: OpenRun, most: int) -> int:
        side, number = self._side, run.number
        newest = side.one("SELECT newest_report FROM runs WHERE number=?", number)
        count = 0
        for place, kept in islice(run.file.reports_since(newest), most):
            key = number, _kept(kept.agent), _kept(kept.task), kept.sample
            own = self._report(key)
            side.run("UPDATE reports SET digest=?, failed=0 WHERE id=?", digest(kept.text), own)
            self._document("report", number, own, own, kept.text)
            self._following.touch(number, key[2])
            newest, count = place, count + 1
        if count:
            side.run("UPDATE runs SET newest_report=? WHERE number=?", newest, number)
        return count

    def _report(self, key: tuple[int, str, str, int]) -> int:
        """The number of a report, which is there from now on."""
        if key in self._reports:
            return self._reports[key]
        if len(self._reports) > KEPT:
            self._reports.clear()
        side = self._side
        sql = "SELECT id FROM reports WHERE run=? AND agent=? AND task=? AND sample=?"
        found: int | None = side.one(sql, *key)
        if found is None:
            run, agent, task, sample = key
            sql = "INSERT INTO reports(run, agent, task, sample, failed) VALUES(?,?,?,?,1)"
            found = side.run(sql, *key)
            side.run("UPDATE runs SET reports=reports+1 WHERE number=?", run)
            self._name("agent", agent)
            shared = "SELECT 1 FROM reports WHERE task=? AND agent=? AND sample=? AND run<>?"
            if side.one(shared, task, agent, sample, run):
                side.run("UPDATE runs SET shared=1 WHERE number=?", run)
        self._reports[key] = found
        return found

    def _outcomes(self, run: OpenRun, most: int) -> int:
        side, number = self._side, run.number
        newest = side.one("SELECT newest FROM runs WHERE number=?", number)
        open_ = self._open(number) if not self._unread else []
        count = 0
        snapshots: dict[str, None] = {}
        for place, is_open, record in run.judgements.since(newest, open_):
            # Those of an older file have no number to go on from.
            if count >= most and place > newest > 0:
                break
            if self._outcome(run, place, is_open, record):
                self._following.touch(number, _kept(record.task))
                read = snapshots_of(record)
                snapshots |= dict.fromkeys(read.values())
                rows = [(number, name, _kept(url)) for url, name in read.items()]
                side.many("INSERT OR IGNORE INTO read_as VALUES(?,?,?)", rows)
                count += 1
            newest = max(newest, place)
        side.run("UPDATE runs SET newest=? WHERE number=?", newest, number)
        self._pages(run, snapshots)
        return count

    def _open(self, run: int) -> list[int]:
        """Open outcomes to be read again: a part of them each time, where there are many."""
        after = self._again.get(run, 0)
        found = self._side.rows(
            "SELECT s.number FROM scores s JOIN reports r ON r.id=s.report "
            "WHERE s.open AND r.run=? AND s.number>? ORDER BY s.number LIMIT ?",
            run,
            after,
            SLICE,
        )
        numbers = [each for (each,) in found]
        self._again[run] = numbers[-1] if len(numbers) == SLICE else 0
        return numbers

    def _outcome(self, run: OpenRun, number: int, is_open: bool, record: Judged) -> bool:
        """Keep an outcome; False where it is kept as it is."""
        side, outcome = self._side, record.outcome
        key = run.number, _kept(record.agent), _kept(record.task), record.sample
        report = self._report(key)
        which = report, record.protocol, record.repeat
        sql = "SELECT id, value, cause FROM scores WHERE report=? AND protocol=? AND repeat=?"
        before = side.rows(sql, *which)
        value = float(outcome.value) if isinstance(outcome, Score) else None
        cause = None if isinstance(outcome, Score) else str(outcome.cause)
        if before and before[0][1:] == (value, cause):
            return False
        for old, *_ in before:
            side.run(_UNCOUNT, record.protocol, old)
            side.run("DELETE FROM items WHERE score=?", old)
            side.run("DELETE FROM scores WHERE id=?", old)
            side.run("UPDATE documents SET report=NULL WHERE kind='finding' AND of=?", old)
        read = read_judgement(record, Nowhere(record, run))
        low, high = (outcome.bounds if isinstance(outcome, Score) else None) or (None, None)
        score = side.run(
            "INSERT INTO scores(report, number, protocol, repeat, value, lowest, highest, cause, "
            "detail, judge, referenced, is_reference, differ, open, reads) "
            "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            *(report, number, record.protocol, record.repeat, value, low, high, cause),
            "" if isinstance(outcome, Score) else _kept(outcome.detail),
            _kept(read.by),
            "reference" in record.signature.identity,
            record.is_reference,
            sum(each.differ for each in read.findings),
            is_open,
            record.reads,
        )
        side.run(_MEANS, *which[:2])
        self._items(score, record.protocol, read)
        self._name("protocol", record.protocol)
        self._name("judge", _kept(read.by))
        self._name("cause", cause or "")
        said = "\n".join(
            " ".join([each.said, *(voice.reason for voice in each.voices)])
            for each in read.findings
        )
        if said:
            self._document("finding", run.number, score, report, said)
        self._following.add_score()
        self.seen += 1
        return True

    def _items(self, score: int, protocol: str, read: ReadJudgement) -> None:
        items, voices, cited = [], [], []
        for item, each in enumerate(read.findings, start=self._item + 1):
            urls = {_kept(url) for voice in each.voices for url in voice.urls}
            cited += [(url, item) for url in urls]
            text = self._text(each.said)
            self._counts[protocol, text].update(held=1, missed=each.tone == "bad")
            items.append((
                *(item, score, each.name, _kept(each.key), text),
                *(_kept(each.verdict), _kept(each.stance), each.tone, each.share, each.cost),
                *(each.differ, bool(urls)),
            ))  # fmt: skip
            if len(each.voices) > 1:
                voices += [(item, _kept(v.judge), _kept(v.verdict), v.tone) for v in each.voices]
        self._item += len(items)
        self._side.many(
            "INSERT INTO items(id, score, name, key, text, verdict, stance, tone, share, cost, "
            "differ, cites) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
            items,
        )
        self._side.many("INSERT OR IGNORE INTO voices VALUES(?,?,?,?)", voices)
        self._side.many("INSERT INTO cited VALUES(?,?)", cited)

    def _text(self, text: str) -> int:
        text = _kept(text)
        if text not in self._texts:
            if len(self._texts) > KEPT:
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
                    self._document("page", run.number, None, None, text, name)

    def _document(
        self,
        kind: str,
        run: int,
        of: int | None,
        report: int | None,
        text: str,
        snapshot: str | None = None,
    ) -> None:
        sql = "INSERT INTO documents(kind, run, of, report, snapshot) VALUES(?,?,?,?,?)"
        number = self._side.run(sql, kind, run, of, report, snapshot)
        self._side.run(
            "INSERT INTO fulltext(rowid, words) VALUES(?,?)", number, set_apart(_kept(text))
        )


def filled_room(room: Room) -> SideFile:
    """A side file with all that the runs hold, which is gone when it is closed."""
    side = SideFile(None, [run.file.salt for run in room])
    Filling(room, side).read_all()
    return side


_MEANS: Final = """UPDATE scores SET mean=CASE
  WHEN repeat=(SELECT min(o.repeat) FROM scores o WHERE o.report=scores.report
               AND o.protocol=scores.protocol)
  THEN (SELECT avg(o.value) FROM scores o WHERE o.report=scores.report
        AND +o.protocol=scores.protocol) END
WHERE report=? AND protocol=?"""
"""The plus keeps SQLite from going through all scores of the protocol by their values."""

_COUNT: Final = """INSERT INTO criteria VALUES(?,?,?,?)
ON CONFLICT DO UPDATE SET missed=missed+excluded.missed, held=held+excluded.held"""

_UNCOUNT: Final = """INSERT INTO criteria SELECT ?, text, -sum(tone='bad'), -count(*) FROM items
WHERE score=? GROUP BY text
ON CONFLICT DO UPDATE SET missed=missed+excluded.missed, held=held+excluded.held"""


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
