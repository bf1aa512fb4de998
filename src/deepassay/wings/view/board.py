"""Every report in one table: sorted, filtered and searched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deepassay.results.tables import in_range
from deepassay.wings.view.links import number
from deepassay.wings.view.room import Place
from deepassay.wings.view.side import SideFile
from deepassay.wings.view.words import query

ROWS: Final = 50
"""Reports that are shown at once."""

CHOICES: Final = 300
"""Names that a menu has at most; others are reached by words, or by a click in the table."""

CRITERIA: Final = 12
"""Criteria that are listed as those that most reports fail."""

STANDING: Final = (
    "Standing: of 100 reports, how many score no higher, as a mean over protocols; equal ones "
    "count half."
)

MODES: Final = {"": "All", "failed": "Failures", "differ": "Judges differ", "changed": "Changed"}


@dataclass(frozen=True)
class Terms:
    """What is asked of the table of reports, as it stands in the address."""

    mode: str = ""
    run: int = 0
    agent: str = ""
    task: str = ""
    label: str = ""
    protocol: str = ""
    most: str = ""
    cause: str = ""
    judge: str = ""
    criterion: str = ""
    q: str = ""
    sort: str = ""
    turned: bool = False
    start: int = 0

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> Terms:
        """The terms of an address; what is not known there is passed over."""
        texts = ("agent", "task", "label", "protocol", "most", "cause", "judge", "criterion", "q")
        mode = asked.get("mode", "")
        return cls(
            mode=mode if mode in MODES or mode == "noted" else "",
            run=number(asked.get("run"), 0),
            sort=asked.get("sort", ""),
            turned=asked.get("turned", "") == "1",
            start=number(asked.get("start"), 0),
            **{name: asked.get(name, "") for name in texts},
        )


@dataclass(frozen=True)
class ReportCell:
    """A score of a report, or why there is none. share: where it is on its scale."""

    value: str
    cause: str = ""
    detail: str = ""
    share: float | None = None
    differ: int = 0


@dataclass(frozen=True)
class TableRow:
    """A report in the table. costly: protocol, key, wording, cost and anchor of what cost most."""

    at: Place
    prompt: str
    written: bool
    standing: float | None
    cells: Mapping[str, ReportCell]
    costly: tuple[str, str, str, str, str] | None = None
    differ: int = 0
    changed: int = 0
    notes: int = 0

    @property
    def causes(self) -> str:
        """Why there is no score, each cause once and with a blank between them."""
        return " ".join(dict.fromkeys(each.cause for each in self.cells.values() if each.cause))

    @property
    def failed(self) -> bool:
        """Whether some judgement has no score."""
        return not self.written or bool(self.causes)


@dataclass(frozen=True)
class ReportTable:
    """Reports that fit, from `start` on. count: of all that fit."""

    rows: tuple[TableRow, ...]
    count: int
    start: int


class Reports:
    """The table of reports. noted: numbers of notes by report, for those that have any."""

    def __init__(self, side: SideFile) -> None:
        self._side = side
        self.noted: Mapping[Place, int] = {}

    def protocols(self) -> list[str]:
        """Every protocol that something was scored by."""
        return [name for (name,) in self._side.rows("SELECT DISTINCT protocol FROM scores")]

    def in_common(self) -> bool:
        """Whether some report is in several runs, perhaps with another text."""
        sql = "SELECT 1 FROM reports GROUP BY task, agent, sample HAVING count(*) > 1 LIMIT 1"
        return bool(self._side.one(sql))

    def table(self, terms: Terms) -> ReportTable:
        """The reports that fit the terms, worst first unless they are sorted by something else."""
        where, values = self._where(terms)
        count = self._side.one(f"SELECT count(*) FROM reports r {where}", *values)
        start = min(terms.start, max(0, count - 1)) // ROWS * ROWS
        order, joined, more = self._order(terms)
        found = self._side.rows(
            f"SELECT r.id FROM reports r {joined} {where} ORDER BY {order} LIMIT ? OFFSET ?",
            *more,
            *values,
            ROWS,
            start,
        )
        rows = self.rows([number_ for (number_,) in found])
        return ReportTable(tuple(rows), count, start)

    def neighbours(self, terms: Terms, at: Place) -> tuple[Place | None, Place | None]:
        """The reports that are a little worse and a little better, among those that fit."""
        own = self._side.rows(
            "SELECT id, standing FROM reports WHERE run=? AND agent=? AND task=? AND sample=?", *at
        )
        if not own or own[0][1] is None:
            return None, None
        number_, standing = own[0]
        where, values = self._where(terms)
        found = []
        for sign, turn in (("<", "DESC"), (">", "ASC")):
            rows = self._side.rows(
                f"SELECT run, agent, task, sample FROM reports r {where or 'WHERE 1'} "
                f"AND (r.standing, r.id) {sign} (?, ?) ORDER BY r.standing {turn}, r.id {turn} "
                "LIMIT 1",
                *values,
                standing,
                number_,
            )
            found.append(Place(*rows[0]) if rows else None)
        return found[0], found[1]

    def rows(self, numbers: Sequence[int]) -> Iterator[TableRow]:
        """The rows of these reports, in this order."""
        marks = ",".join("?" * len(numbers))
        cells = self._cells(numbers, marks)
        found = {
            row[0]: row[1:]
            for row in self._side.rows(
                "SELECT r.id, r.run, r.agent, r.task, r.sample, t.prompt, r.digest IS NOT NULL, "
                "r.standing, r.differ, r.changed, s.protocol, i.key, x.text, i.cost, i.name "
                "FROM reports r LEFT JOIN tasks t ON t.run=r.run AND t.task=r.task "
                "LEFT JOIN items i ON i.id=r.costly LEFT JOIN scores s ON s.id=i.score "
                f"LEFT JOIN texts x ON x.id=i.text WHERE r.id IN ({marks})",
                *numbers,
            )
        }
        for each in numbers:
            run, agent, task, sample, prompt, written, standing, differ, changed, *costly = found[
                each
            ]
            at = Place(run, agent, task, sample)
            yield TableRow(
                at,
                prompt or "",
                bool(written),
                standing,
                cells[each],
                tuple(costly) if costly[0] else None,
                differ,
                changed,
                self.noted.get(at, 0),
            )

    def _cells(self, numbers: Sequence[int], marks: str) -> defaultdict[int, dict[str, ReportCell]]:
        """Mean over repeats of each report by each protocol, or the first cause."""
        cells: defaultdict[int, dict[str, ReportCell]] = defaultdict(dict)
        for report, protocol, value, low, high, cause, detail, differ in self._side.rows(
            "SELECT report, protocol, avg(value), min(lowest), max(highest), min(cause), "
            f"min(detail), sum(differ) FROM scores WHERE report IN ({marks}) "
            "GROUP BY report, protocol",
            *numbers,
        ):
            limits = None if low is None or high is None else (low, high)
            share = (value - low) / (high - low) if value is not None and limits else None
            cells[report][protocol] = ReportCell(
                in_range(value, limits),
                (cause or "") if value is None else "",
                detail or "",
                share,
                differ or 0,
            )
        return cells

    def _where(self, terms: Terms) -> tuple[str, list[object]]:
        """The condition of the terms on a report `r`, with its values."""
        parts: list[tuple[str, Sequence[object]]] = []
        if terms.mode in ("failed", "differ", "changed"):
            parts.append((f"r.{terms.mode}", ()))
        for name in ("run", "agent", "task"):
            if value := getattr(terms, name):
                parts.append((f"r.{name}=?", [value]))
        if terms.label:
            sql = "SELECT run, task FROM labels WHERE name=? AND value=?"
            parts.append((f"(r.run, r.task) IN ({sql})", terms.label.partition("=")[::2]))
        parts += self._on_scores(terms)
        if terms.criterion:
            parts.append((
                "r.id IN (SELECT s.report FROM texts x JOIN items i ON i.text=x.id "
                "JOIN scores s ON s.id=i.score WHERE x.text=? AND i.tone='bad')",
                [terms.criterion],
            ))  # fmt: skip
        if asked := query(terms.q):
            parts.append((f"r.id IN ({_WITH_WORDS})", [asked]))
        if terms.mode == "noted":
            places = [*self.noted]
            marks = ",".join(["(?,?,?,?)"] * len(places))
            sql = f"(r.run, r.agent, r.task, r.sample) IN (VALUES {marks})" if places else "0"
            parts.append((sql, [value for place in places for value in place]))
        if not parts:
            return "", []
        return (
            "WHERE " + " AND ".join(sql for sql, _ in parts),
            [value for _, values in parts for value in values],
        )

    def _on_scores(self, terms: Terms) -> Iterator[tuple[str, Sequence[object]]]:
        """What is asked of a score of the report."""
        asked: list[tuple[str, object]] = []
        if terms.judge:
            asked.append(("judge=?", terms.judge))
        if terms.cause:
            asked.append(("cause=?", terms.cause))
        try:
            most = float(terms.most) if terms.most else None
        except ValueError:
            most = None
        if most is not None:
            asked.append(("value<=?", most))
        if terms.protocol and asked:
            asked.append(("protocol=?", terms.protocol))
        if asked:
            sql = " AND ".join(condition for condition, _ in asked)
            yield f"r.id IN (SELECT report FROM scores WHERE {sql})", [v for _, v in asked]

    def _order(self, terms: Terms) -> tuple[str, str, list[object]]:
        """How rows are sorted: the columns, a join that they need, and its values."""
        turn = "DESC" if terms.turned else "ASC"
        if terms.sort in ("agent", "task"):
            return f"r.{terms.sort} {turn}, r.standing, r.id", "", []
        if terms.sort in self.protocols():
            joined = (
                "LEFT JOIN (SELECT report, avg(value) AS value FROM scores WHERE protocol=? "
                "GROUP BY report) v ON v.report=r.id"
            )
            return f"v.value IS NULL, v.value {turn}, r.id", joined, [terms.sort]
        return f"r.standing {turn}, r.id", "", []

    def choices(self) -> dict[str, list[str]]:
        """What can be chosen of each term, by its name."""
        rows = self._side.rows
        return {
            "agent": [
                each
                for (each,) in rows(
                    "SELECT DISTINCT agent FROM reports ORDER BY 1 LIMIT ?", CHOICES
                )
            ],
            "label": [
                f"{name}={value}"
                for name, value in rows(
                    "SELECT DISTINCT name, value FROM labels ORDER BY 1, 2 LIMIT ?", CHOICES
                )
            ],
            "cause": [
                each
                for (each,) in rows(
                    "SELECT DISTINCT cause FROM scores WHERE cause IS NOT NULL ORDER BY 1"
                )
            ],
            "judge": [each for (each,) in rows("SELECT DISTINCT judge FROM scores ORDER BY 1")],
            "protocol": self.protocols(),
        }

    def criteria(self, terms: Terms) -> list[tuple[str, str, int, int]]:
        """Criteria that most reports fail, of those that fit: protocol, wording, failed, of."""
        where, values = self._where(terms)
        found: list[Any] = self._side.rows(
            "SELECT s.protocol, x.text, count(*) FILTER (WHERE i.tone='bad') AS missed, count(*) "
            f"FROM reports r JOIN scores s ON s.report=r.id JOIN items i ON i.score=s.id "
            f"JOIN texts x ON x.id=i.text {where} GROUP BY s.protocol, i.text "
            "HAVING missed > 1 ORDER BY missed DESC, count(*), x.text LIMIT ?",
            *values,
            CRITERIA,
        )
        return [tuple(row) for row in found]


_WITH_WORDS: Final = (
    "SELECT CASE d.kind WHEN 'report' THEN d.of ELSE (SELECT report FROM scores WHERE id=d.of) END "
    "FROM fulltext JOIN documents d ON d.id=fulltext.rowid WHERE fulltext MATCH ? "
    "AND d.kind<>'page'"
)
