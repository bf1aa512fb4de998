"""What stands in each file: the templates filled, with addresses that lead from file to file."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from deepassay import __version__
from deepassay.results.agents import run_totals
from deepassay.results.evidence import evidence_of
from deepassay.results.leaderboard import all_tables
from deepassay.results.records import Judged, judges_of
from deepassay.results.tables import Table
from deepassay.score import Cause, Unscored, report_key
from deepassay.wings.view.besides import Besides, EarlierRun
from deepassay.wings.view.board import STANDING
from deepassay.wings.view.front import Front
from deepassay.wings.view.links import (
    REPORTS,
    FileLinks,
    agent_file,
    page_file,
    report_file,
)
from deepassay.wings.view.marked_text import TextMark, marked_pieces
from deepassay.wings.view.notes import Note, Notebook
from deepassay.wings.view.numbered import NumberedReports
from deepassay.wings.view.page_templates import room_pages
from deepassay.wings.view.reading import ReadReport
from deepassay.wings.view.reports_found import FoundReports, StandingReports
from deepassay.wings.view.room import Place, Room
from deepassay.wings.view.texts import SearchedText

ROWS: Final = 2_000
"""Reports that a table has at most in one file."""

FIRST: Final = 50
"""Reports that an index shows, the worst."""

CELL: Final = 30
"""Bytes of a cell of a table besides its text."""

TOGETHER: Final = 500
"""Rows of a long table that stay together."""

SCRIPTS: Final = ("keys.js", "files.js")

NOWHERE: Final = FileLinks({}, ())
"""Templates are made with these; each is filled with its own."""


class ListedFailure(NamedTuple):
    """A judgement without a score. judge: of a panel, else empty. href: where its report is, empty
    if there is none.
    """

    judge: str
    cause: str
    protocol: str
    agent: str
    task: str
    detail: str
    href: str


def _failed(record: Judged) -> Iterator[tuple[str, Cause, str]]:
    """The judges that came to no score, with cause and detail; one alone is not named."""
    panel, outcome = evidence_of(record).judges, record.outcome
    for judge, said in panel.items():
        if said.value is None:
            yield judge, said.cause or Cause.MISSING_INPUT, said.detail
    if not panel and isinstance(outcome, Unscored):
        names = judges_of(record.signature)
        for judge in names if len(names) > 1 else [""]:
            yield judge, outcome.cause, outcome.detail


class FilePages:
    """The pages of runs as files. title, note: what stands on top. earlier: what they are held
    against. notebooks: of the runs whose notes are shown.
    """

    def __init__(
        self,
        room: Room,
        front: Front,
        numbered: NumberedReports,
        title: str,
        note: str,
        earlier: EarlierRun | None = None,
        notebooks: Mapping[int, Notebook] = MappingProxyType({}),
    ) -> None:
        names = earlier.names if earlier else room.names
        self.room = room
        self.earlier = earlier
        self._notebooks = notebooks
        self.front = front
        self.numbered = numbered
        self._given = {
            "title": title or f"Results of {', '.join(room.names.values())}",
            "note": note,
            "front": front,
            "date": front.date,
            "judged_by": front.judges or "nobody yet",
            "version": __version__,
            "runs": names,
            "several_runs": len(room.names) > 1,
            "noted": {},
            "changes": earlier.changes if earlier else (),
            "notes": [*self._notes()],
            "standing_told": STANDING,
            "frame": "file.html.jinja",
        }
        self._templates = room_pages(NOWHERE)

    def fill(self, template: str, links: FileLinks, **values: object) -> Iterator[str]:
        """A template filled, in pieces."""
        given = {**self._given, "to": links.to, "changed": links.changed, **values}
        stream = self._templates.get_template(f"{template}.html.jinja").stream(given)
        stream.enable_buffering(256)
        return iter(stream)

    @cached_property
    def tables(self) -> list[Table]:
        """The tables of the leaderboard but those that stand first."""
        runs = (each for run in self.room for each in run.file.answering.runs())
        found = all_tables(self.front.boards, parts=True, agents=run_totals(runs))
        return [each for each in found if each not in self.front.read_off]

    def failures(self, links: FileLinks) -> list[ListedFailure]:
        """Every judgement without a score, those of the commonest cause first."""
        found = []
        for each in self.front.records:
            for judge, cause, detail in _failed(each):
                place = self.numbered.by_key.get(report_key(each))
                href = links.to("report", place) if place else ""
                told = str(cause), each.protocol, each.agent, each.task, detail
                found.append(ListedFailure(judge, *told, href))
        counts = Counter(each.cause for each in found)
        return sorted(found, key=lambda each: (-counts[each.cause], each.cause))

    def of_report(self, report: ReadReport, besides: Besides) -> dict[str, Any]:
        """What the page of a report says."""
        at = report.at
        worse, better = besides.neighbours(at)
        book = self._notebooks.get(at.run)
        return {
            "at": at,
            "report": report,
            "worse": worse,
            "better": better,
            "others": self.numbered.others(at),
            "language": report.task.language if report.task else "",
            "pairs": [*besides.pairs(report)],
            "noted": book.of(at) if book else {},
        }

    def _notes(self) -> Iterator[tuple[Place, Note]]:
        for run, book in self._notebooks.items():
            for note in book.notes:
                yield Place(run, note.agent, note.task, note.sample), note

    def besides(self, standing: StandingReports) -> Besides:
        """What stands beside each report."""
        return Besides(self.room, standing, self.earlier)

    def whole(self, standing: StandingReports) -> Iterator[str]:
        """Everything in one file, in pieces that follow one another."""
        links = FileLinks(self.numbered.numbers, self.front.protocols)
        style, script = asset("style.css"), "".join(map(asset, SCRIPTS))
        found = standing.found(self.front.protocols, len(standing))
        return self.fill(
            "results",
            links,
            **{"style": style, "script": script, "policy": policy(style, script)},
            **{"beside": "", "texts": "", "index": "", "all_reports": "#all"},
            found=found,
            reports=self._inside(links, standing),
            tables=self.tables,
            failures=self.failures(links),
            beside_links=(),
        )

    def _inside(self, links: FileLinks, standing: StandingReports) -> Iterator[Markup]:
        besides = self.besides(standing)
        for report in self.numbered.read(prefixed=True):
            values = self.of_report(report, besides)
            number = self.numbered.number(report.at)
            yield Markup("").join(
                map(Markup, self.fill("whole_report", links, number=number, **values))
            )

    def beside(self, folder: str, index: str) -> FolderPages:
        """Everything in an index and a folder. index: its name."""
        return FolderPages(self, folder, index)


class FolderPages:
    """An index, and what stands in the folder beside it."""

    def __init__(self, pages: FilePages, folder: str, index: str) -> None:
        self._pages = pages
        self._front = pages.front
        self._numbers = pages.numbered.numbers
        self._many = len(self._numbers) > ROWS
        self._agents = sorted({place.agent for place in self._numbers}) if self._many else []
        self._numbered_pages: dict[str, int] = {}
        self._quoted: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
        self._to_index = self._links(f"{folder}/", "")
        self._to_leaf = self._links("", f"../{index}")
        self._listed: list[tuple[str, str, str]] = []
        self._folder = folder

    def _links(self, folder: str, index: str) -> FileLinks:
        return FileLinks(
            self._numbers, self._front.protocols, self._agents, folder, index, self._numbered_pages
        )

    def _filled(self, template: str, links: FileLinks, **values: object) -> Iterator[str]:
        given = {
            **{"style": "", "policy": policy(), "texts": "texts.js"},
            **{"beside": links.folder, "index": links.index},
            "all_reports": f"{links.folder}{REPORTS}#all",
        }
        return self._pages.fill(template, links, **(given | values))

    def assets(self) -> Iterator[tuple[str, str]]:
        """The style and the script that every file loads, by their names."""
        yield "style.css", asset("style.css")
        yield "files.js", "".join(map(asset, SCRIPTS))

    def index(self, standing: StandingReports | None) -> Iterator[str]:
        """The page that leads to all others; standing: None as long as they are not there."""
        found = standing and standing.found(self._front.protocols, FIRST)
        given: dict[str, object] = {"beside_links": self._listed if standing else ()}
        if standing is None:
            given["all_reports"] = ""
        return self._filled(
            "results", self._to_index, found=found, reports=(), tables=(), failures=(), **given
        )

    def reports(self, standing: StandingReports) -> Iterator[tuple[str, str, ReadReport]]:
        """A file for each report, with its name."""
        besides = self._pages.besides(standing)
        for report in self._pages.numbered.read(prefixed=False):
            values = self._pages.of_report(report, besides)
            for each in report.excerpts.values():
                self._quoted[each.place.snapshot].add((each.place.start, each.place.end))
            html = "".join(self._filled("report", self._to_leaf, **values))
            yield report_file(self._pages.numbered.number(report.at)), html, report

    def snapshots(self) -> Iterator[tuple[str, str, SearchedText]]:
        """A file for each page that reports led to, with what they quote of it marked."""
        for snapshot, number in self._numbered_pages.items():
            page = next(filter(None, (run.archive.page(snapshot) for run in self._pages.room)))
            marks = [
                TextMark(start, end, f"q{start}", "", "", "good")
                for start, end in _first_of_each(self._quoted[snapshot])
            ]
            pieces = [*marked_pieces(page.text, marks)]
            html = "".join(self._filled("snapshot", self._to_leaf, page=page, pieces=pieces))
            name = page_file(number)
            text = SearchedText(
                "page", page.title or page.url, page.url if page.title else "", name, page.text
            )
            yield name, html, text

    def tables(self, standing: StandingReports, limit: int) -> Iterator[tuple[str, Iterable[str]]]:
        """Files with the reports as a table, the leaderboard's tables, and failures."""
        links = self._to_leaf
        found = standing.found(self._front.protocols, 0)
        parts = -(-len(standing) // ROWS)
        for part in range(parts):
            rows = standing.rows(part * ROWS, ROWS)
            last = part * ROWS + len(rows)
            heading = f"{len(standing):,} reports"
            if parts > 1:
                heading = f"Reports {part * ROWS + 1:,} to {last:,} of {len(standing):,}"
            yield _numbered("reports", part), self._table(found, rows, heading, part, parts)
        for number, agent in enumerate(self._agents, start=1):
            rows = standing.rows(0, len(standing), agent)
            yield agent_file(number), self._table(found, rows, f"Reports of {agent}", 0, 1)
        tables = [*_together(_cut(self._pages.tables), limit // 2)]
        for part, own in enumerate(tables):
            yield self._list("tables", part, len(tables), "Tables of the leaderboard", tables=own)
        failures = self._pages.failures(links)
        several = [failures[at : at + ROWS] for at in range(0, len(failures), ROWS)]
        for part, some in enumerate(several):
            heading = "Judgements without a score"
            yield self._list("failures", part, len(several), heading, failures=some)

    def _table(
        self, found: FoundReports, rows: Sequence[Any], heading: str, part: int, parts: int
    ) -> Iterator[str]:
        return self._filled(
            "reports",
            self._to_leaf,
            found=found,
            rows=rows,
            heading=heading,
            **_around("reports", part, parts),
        )

    def _list(
        self, kind: str, part: int, parts: int, heading: str, **what: object
    ) -> tuple[str, Iterator[str]]:
        name = _numbered(kind, part)
        count = f"{part + 1} of {parts}" if parts > 1 else ""
        self._listed.append((f"{self._to_index.folder}{name}", heading, count))
        given = {"tables": (), "failures": ()} | what | _around(kind, part, parts)
        return name, self._filled("listed", self._to_leaf, heading=heading, **given)


def _first_of_each(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Of passages that begin at one place, the longest: an anchor is there once."""
    longest = dict(sorted(spans))
    yield from longest.items()


def _numbered(kind: str, part: int) -> str:
    return f"{kind}-{part + 1:04}.html"


def _around(kind: str, part: int, parts: int) -> dict[str, str]:
    """What leads to the part before, and to the one after."""
    return {
        "before": _numbered(kind, part - 1) if part else "",
        "after": _numbered(kind, part + 1) if part + 1 < parts else "",
    }


def _cut(tables: Iterable[Table]) -> Iterator[Table]:
    """The tables, long ones in portions: notices stand above the first, notes below the last."""
    for each in tables:
        parts = [each.rows[at : at + TOGETHER] for at in range(0, len(each.rows), TOGETHER)]
        for number, rows in enumerate(parts or [()], start=1):
            above = each.above if number == 1 else ()
            notes = each.notes if number == max(1, len(parts)) else ()
            yield replace(each, rows=tuple(rows), above=above, notes=notes)


def _together(tables: Iterable[Table], limit: int) -> Iterator[list[Table]]:
    """Tables that fit into a file."""
    own: list[Table] = []
    size = 0
    for each in tables:
        more = sum(CELL + len(cell.encode("utf-8", "replace")) for row in each.rows for cell in row)
        if own and size + more > limit:
            yield own
            own, size = [], 0
        own.append(each)
        size += more
    if own:
        yield own


def asset(name: str) -> str:
    """A style or a script of ours."""
    return files("deepassay.wings.view").joinpath(name).read_text(encoding="utf-8")


def policy(style: str = "", script: str = "") -> str:
    """A content security policy under which nothing is loaded from elsewhere.

    style, script: the only ones that apply; without them, those that stand beside the file.
    """
    rules = {
        "default-src": "'none'",
        "style-src": f"'sha256-{_digest(style)}'" if style else "'self'",
        "script-src": f"'sha256-{_digest(script)}'" if script else "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
