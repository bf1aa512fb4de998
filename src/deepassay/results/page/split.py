"""The page of a large run: an index, and files with its reports, agents and failures.

Every file is made for itself and none is larger than it may be, unless one report alone is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote

from markupsafe import Markup

from deepassay.results.page.content import Content
from deepassay.results.page.index import IndexLink, PageIndex
from deepassay.results.page.rendering import (
    Piece,
    Renderer,
    failures_of,
    named,
    rows_by_agent,
)
from deepassay.results.tables import Table, several
from deepassay.score import ReportKey, report_key

LIMIT: Final = 20_000_000
"""Bytes of a file, unless the reader asks for others."""

TOGETHER: Final = 100
"""Tasks share a file as long as they have no more reports in it."""

ROWS: Final = 50
"""Of a table that is cut into files, so many rows stay together."""

MARGIN: Final = 2_000
"""Bytes that title and links of a file take at most."""

T = TypeVar("T")

FILE: Final = re.compile(
    r"(reports|agent|failures|figures|tables|agents|tasks)-\d{4,}(-\d+)?\.html"
)
"""What files of a split page are called."""

MADE_BY: Final = "<footer>Made by DeepAssay "
TAIL: Final = 300
"""What stands in every file, and in how many of its last bytes."""

FAILURE_HEAD: Final = ("protocol", "agent", "task", "why")


class Volume(NamedTuple):
    """Tasks whose reports stand together. name: of their file, or of its first part."""

    number: int
    tasks: tuple[str, ...]

    @property
    def name(self) -> str:
        """What their file is called, or the first of several."""
        return page_file_name("reports", self.number)


class File(NamedTuple):
    """A file of the folder beside the index."""

    name: str
    content: Iterator[str]


def page_file_name(kind: str, number: int, part: int = 1) -> str:
    """`reports-0012.html`, and `reports-0012-2.html` for its second part."""
    return f"{kind}-{number:04}{f'-{part}' if part > 1 else ''}.html"


def volumes(reports: Mapping[str, int]) -> list[Volume]:
    """From how many reports each task has: which tasks share a file."""
    found: list[list[str]] = []
    room = 0
    for task, count in reports.items():
        if not found or count > room:
            found.append([])
            room = TOGETHER
        found[-1].append(task)
        room -= count
    return [Volume(number, tuple(tasks)) for number, tasks in enumerate(found, start=1)]


class Split:
    """The files of a split page. folder: where they are, as the index leads to it.

    index: what the index is called, as they lead to it. reports: how many each task has.
    """

    def __init__(
        self, content: Content, reports: Mapping[str, int], folder: str, index: str, limit: int
    ) -> None:
        self.volumes = volumes(reports)
        self._content = content
        self._reports = reports
        self._folder = quote(folder)
        self._index = quote(f"../{index}")
        self._limit = limit
        self._renderer = Renderer(content, large=True)
        self._places: dict[ReportKey, str] = {}

    def index(self) -> tuple[Iterable[str], list[File]]:
        """The page that leads to all others, and files with what has no room on it.

        Its figures, tables and lists are moved there, the largest first, until it has.
        """
        index, count = self._links(f"{self._folder}/"), sum(self._reports.values())
        page = [*self._renderer.page(index, count)]
        files: list[File] = []
        if _size("".join(page)) <= self._limit:
            return page, files
        links, rows = self._links(""), self._renderer.rows
        blocks = {
            "figures": [rows("picture", [each]) for each in self._renderer.pictures.shown],
            "tables": [rows("table", [each]) for each in _cut(self._renderer.tables)],
            "agents": [rows("links", [some]) for some in _in_portions(links.agents)],
            "tasks": [rows("links", [some]) for some in _in_portions(links.tasks)],
        }
        sizes = {kind: _size("".join(block)) for kind, block in blocks.items()}
        for kind in sorted(sizes, key=sizes.__getitem__, reverse=True):
            pieces = ((None, each) for each in blocks[kind])
            own = [*self._table(kind, 1, kind.capitalize(), (), pieces)]
            to = tuple(
                IndexLink(f"{self._folder}/{each.name}", kind.capitalize(), f"{part} of {len(own)}")
                for part, each in enumerate(own, start=1)
            )
            index = replace(index, moved=replace(index.moved, **{kind: to}))
            page = [*self._renderer.page(index, count)]
            files += own
            if _size("".join(page)) <= self._limit:
                break
        return page, files

    def _links(self, folder: str) -> PageIndex:
        """folder: as it stands before the names of files."""
        records = self._content.records
        of_agents = Counter(agent for agent, _, _ in {report_key(each) for each in records})
        causes = {cause: len(own) for cause, own in failures_of(records, {}).items()}
        failed = f"{folder}{page_file_name('failures', 1)}"
        return PageIndex(
            tuple(
                IndexLink(folder + page_file_name("agent", number), name, several(count, "report"))
                for number, (name, count) in enumerate(sorted(of_agents.items()), start=1)
            ),
            tuple(
                IndexLink(folder + each.name, task, several(self._reports[task], "report"))
                for each in self.volumes
                for task in each.tasks
            ),
            tuple(IndexLink(failed, cause, str(count)) for cause, count in causes.items()),
        )

    def of_reports(self, volume: Volume, content: Content) -> Iterator[File]:
        """The file of some tasks, or its parts. content: their reports, with all evidence."""
        renderer = Renderer(content)
        names = named(content)
        pieces = renderer.reports(names)
        before, after = (
            page_file_name("reports", each) if 1 <= each <= len(self.volumes) else ""
            for each in (volume.number - 1, volume.number + 1)
        )
        title = ", ".join(volume.tasks[:3]) + (" …" if len(volume.tasks) > 3 else "")
        for part, (own, more) in enumerate(self._parts(pieces), start=1):
            name = page_file_name("reports", volume.number, part)
            self._places |= {place: f"{name}#{names[place]}" for place, _ in own if place}
            ahead = page_file_name("reports", volume.number, part + 1) if more else after
            back = page_file_name("reports", volume.number, part - 1) if part > 1 else before
            html = self._leaf(title, [each for _, each in own], (), back, ahead, hint=True)
            yield File(name, html)

    def of_rows(self) -> Iterator[File]:
        """What the reports of each agent scored, and all failures; call it after all reports."""
        records = self._content.records
        rows = self._renderer.rows
        for number, each in enumerate(rows_by_agent(records, self._places), start=1):
            pieces = ((None, rows("report_row", some)) for some in _in_portions(each.rows))
            yield from self._table("agent", number, each.agent, ("task", *each.head), pieces)
        failed = [each for own in failures_of(records, self._places).values() for each in own]
        if failed:
            pieces = ((None, rows("failure_row", some)) for some in _in_portions(failed))
            yield from self._table("failures", 1, "Failures", FAILURE_HEAD, pieces)

    def _table(
        self,
        kind: str,
        number: int,
        title: str,
        head: Sequence[str],
        pieces: Iterable[Piece],
    ) -> Iterator[File]:
        for part, (own, more) in enumerate(self._parts(pieces), start=1):
            back = page_file_name(kind, number, part - 1) if part > 1 else ""
            ahead = page_file_name(kind, number, part + 1) if more else ""
            html = self._leaf(title, [each for _, each in own], head, back, ahead)
            yield File(page_file_name(kind, number, part), html)

    def _leaf(
        self,
        title: str,
        pieces: Sequence[Markup],
        head: Sequence[str],
        before: str,
        after: str,
        *,
        hint: bool = False,
    ) -> Iterator[str]:
        return self._renderer.leaf(
            title=title,
            pieces=pieces,
            head=head,
            hint=hint,
            before=before,
            after=after,
            index=self._index,
        )

    def _parts(self, pieces: Iterable[Piece]) -> Iterator[tuple[list[Piece], bool]]:
        """Pieces that fit into a file, and whether more follow."""
        room = self._limit - _size("".join(self._leaf("", [], (), "", "", hint=True))) - MARGIN
        part: list[Piece] = []
        left = room
        for piece in pieces:
            size = _size(piece[1]) + 1
            if part and size > left:
                yield part, True
                part, left = [], room
            part.append(piece)
            left -= size
        yield part, False


def _size(html: str) -> int:
    return len(html.encode("utf-8", "replace"))


def _cut(tables: Iterable[Table]) -> Iterator[Table]:
    """The tables, long ones in portions: notices stand above the first, notes below the last."""
    for each in tables:
        parts = [*_in_portions(each.rows)] or [()]
        for number, rows in enumerate(parts, start=1):
            above = each.above if number == 1 else ()
            notes = each.notes if number == len(parts) else ()
            yield replace(each, rows=tuple(rows), above=above, notes=notes)


def _in_portions(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    return (rows[start : start + ROWS] for start in range(0, len(rows), ROWS))
