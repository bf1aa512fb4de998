"""Every report in one table: sorted, filtered and searched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.results.tables import in_range
from deepassay.wings.view.links import number
from deepassay.wings.view.room import Place
from deepassay.wings.view.side import SideFile
from deepassay.wings.view.words import query

ROWS: Final = 50
"""Reports that are shown at once."""

CHOICES: Final = 300
"""Names that a menu has at most; others are reached by words, or by a click in the table."""

STANDING: Final = (
    "Standing: of 100 reports, how many score no higher, as a mean over protocols; equal ones "
    "count half. A report that others are scored against has none by that protocol."
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
        return self._side.names("protocol", CHOICES)

    def in_common(self) -> bool:
        """Whether some report is in several runs, perhaps with another text."""
        return bool(self._side.one("SELECT 1 FROM runs WHERE shared"))

    def table(self, terms: Terms) -> ReportTable:
        """The reports that fit the terms, worst first unless they are sorted by something else.

        Those that have no standing, or no score by the protocol that they are sorted by, come last.
        """
        where, values = self.where(terms)
        if where:
            count = self._side.one(f"SELECT count(*) FROM reports r WHERE {where}", *values)
        else:
            count = self._side.one("SELECT sum(reports) FROM runs") or 0
        start = min(terms.start, max(0, count - 1)) // ROWS * ROWS
        protocol = terms.sort if terms.sort in self.protocols() else ""
        if protocol:
            found = self._by_protocol(protocol, terms.turned, where, values, start)
        else:
            found = self._side.rows(
                f"SELECT r.id FROM reports r {_all(where)} ORDER BY {_order(terms)} "
                "LIMIT ? OFFSET ?",
                *values,
                ROWS,
                start,
            )
        rows = self.rows([number_ for (number_,) in found], protocol)
        return ReportTable(tuple(rows), count, start)

    def _by_protocol(
        self, protocol: str, turned: bool, where: str, values: Sequence[object], start: int
    ) -> list[tuple[int]]:
        """Numbers of reports by their mean over repeats, then of those that have none."""
        side, turn = self._side, "DESC" if turned else "ASC"
        also = f"AND {where}" if where else ""
        scored = (
            "FROM scores v CROSS JOIN reports r ON r.id=v.report "
            f"WHERE v.protocol=? AND v.mean IS NOT NULL {also}"
        )
        order = f"ORDER BY v.mean {turn}, v.report {turn}"
        sql = f"SELECT r.id {scored} {order} LIMIT ? OFFSET ?"
        found: list[tuple[int]] = side.rows(sql, protocol, *values, ROWS, start)
        if len(found) < ROWS:
            before = side.one(f"SELECT count(*) {scored}", protocol, *values)
            found += side.rows(
                "SELECT r.id FROM reports r WHERE NOT EXISTS (SELECT 1 FROM scores v "
                f"WHERE v.report=r.id AND v.protocol=? AND v.mean IS NOT NULL) {also} "
                f"ORDER BY {WORST_FIRST} LIMIT ? OFFSET ?",
                protocol,
                *values,
                ROWS - len(found),
                max(0, start - before),
            )
        return found

    def neighbours(self, at: Place) -> tuple[Place | None, Place | None]:
        """The reports that are a little worse and a little better."""
        own = self._side.rows(
            "SELECT id, standing FROM reports WHERE run=? AND agent=? AND task=? AND sample=?", *at
        )
        if not own or own[0][1] is None:
            return None, None
        number_, standing = own[0]
        found = []
        for sign, turn in (("<", "DESC"), (">", "ASC")):
            rows = self._side.rows(
                "SELECT run, agent, task, sample FROM reports r WHERE (r.standing IS NULL)=0 "
                f"AND (r.standing, r.id) {sign} (?, ?) ORDER BY r.standing {turn}, r.id {turn} "
                "LIMIT 1",
                standing,
                number_,
            )
            found.append(Place(*rows[0]) if rows else None)
        return found[0], found[1]

    def others(self, at: Place, most: int = 12) -> list[Place]:
        """Reports for the same task, that of the agent in other runs first."""
        rows = self._side.rows(
            "SELECT run, agent, task, sample FROM reports WHERE task=? AND digest IS NOT NULL "
            "ORDER BY agent<>?, run<>?, standing DESC LIMIT ?",
            *(at.task, at.agent, at.run, most),
        )
        return [Place(*row) for row in rows if Place(*row) != at]

    def rows(self, numbers: Sequence[int], protocol: str = "") -> Iterator[TableRow]:
        """The rows of these reports, in this order. protocol: of which it is said what cost most;
        empty for what cost most beyond others, by any.
        """
        if not numbers:
            return
        marks = ",".join("?" * len(numbers))
        cells = self._cells(numbers, marks)
        found = {
            row[0]: row[1:]
            for row in self._side.rows(
                "SELECT r.id, r.run, r.agent, r.task, r.sample, t.prompt, r.digest IS NOT NULL, "
                "r.standing, r.differ, r.changed, s.protocol, i.key, x.text, i.cost, i.name "
                "FROM reports r LEFT JOIN tasks t ON t.run=r.run AND t.task=r.task "
                f"LEFT JOIN items i ON i.id={_COSTLIEST if protocol else 'r.costly'} "
                "LEFT JOIN scores s ON s.id=i.score "
                f"LEFT JOIN texts x ON x.id=i.text WHERE r.id IN ({marks})",
                *[protocol] * bool(protocol),
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

    def where(self, terms: Terms) -> tuple[str, list[object]]:
        """The condition of the terms on a report `r`, empty if there is none, with its values."""
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
            sql = f"(r.run, r.agent, r.task, r.sample) IN (VALUES {marks})" if places else "r.id=0"
            parts.append((sql, [value for place in places for value in place]))
        return (
            " AND ".join(sql for sql, _ in parts),
            [value for _, values in parts for value in values],
        )

    def _on_scores(self, terms: Terms) -> Iterator[tuple[str, Sequence[object]]]:
        """What is asked of a score of the report."""
        asked: list[tuple[str, Sequence[object]]] = []
        if terms.judge:
            asked.append(("judge=?", [terms.judge]))
        if terms.cause:
            asked.append(("cause=?", [terms.cause]))
        try:
            most = float(terms.most) if terms.most else None
        except ValueError:
            most = None
        if most is not None:
            asked.append(("value<=?", [most]))
        if asked:
            # All of them where none is named: the index of values begins with the protocol.
            names = [terms.protocol] if terms.protocol else self.protocols()
            asked.append((f"protocol IN ({','.join('?' * len(names))})", names))
            sql = " AND ".join(condition for condition, _ in asked)
            values = [value for _, own in asked for value in own]
            yield f"r.id IN (SELECT report FROM scores WHERE {sql})", values

    def choices(self) -> dict[str, list[str]]:
        """What can be chosen of each term, by its name."""
        found = {
            kind: self._side.names(kind, CHOICES)
            for kind in ("agent", "label", "cause", "judge", "protocol")
        }
        there = "SELECT 1 FROM scores WHERE cause=?"
        found["cause"] = [each for each in found["cause"] if self._side.one(there, each)]
        return found


WORST_FIRST: Final = "r.standing IS NULL, r.standing, r.id"


def _all(where: str) -> str:
    return f"WHERE {where}" if where else ""


def _order(terms: Terms) -> str:
    """How rows are sorted that are not sorted by a protocol."""
    if terms.sort in ("agent", "task"):
        turn = "DESC" if terms.turned else "ASC"
        return f"r.{terms.sort} {turn}, r.standing IS NULL {turn}, r.standing {turn}, r.id {turn}"
    return "r.standing DESC, r.id DESC" if terms.turned else WORST_FIRST


_COSTLIEST: Final = (
    "(SELECT j.id FROM scores v JOIN items j ON j.score=v.id WHERE v.report=r.id AND v.protocol=? "
    "AND j.share > 0 ORDER BY j.share DESC LIMIT 1)"
)

_WITH_WORDS: Final = (
    "SELECT d.report FROM fulltext JOIN documents d ON d.id=fulltext.rowid "
    "WHERE fulltext MATCH ? AND d.report IS NOT NULL"
)
