"""The pages of the reading room. Loads Starlette.

Every view is a link or a form that is sent by GET: all of it works without script, and its state
stands in the address. What is written is the notes alone, by a guarded POST.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from deepassay.errors import BadRow, BadRunFile, BadSetting, DeepAssayError
from deepassay.results.tables import Table
from deepassay.tasks.history import moment
from deepassay.wings.view.board import CHOICES, MODES, ROWS, STANDING, Reports, Terms
from deepassay.wings.view.changes import run_changes
from deepassay.wings.view.file_pages import asset
from deepassay.wings.view.filling import Filling
from deepassay.wings.view.heat import TASKS, read_heat_map
from deepassay.wings.view.judges import (
    judges_in_words,
    panel_tables,
    people_tables,
    where_judges_differ,
)
from deepassay.wings.view.links import SERVED, number, report_of_query, to
from deepassay.wings.view.losses import losses
from deepassay.wings.view.menus import menu
from deepassay.wings.view.notes import LONGEST as LONGEST_NOTE
from deepassay.wings.view.notes import Notebook, as_decisions, noted
from deepassay.wings.view.page_templates import room_pages
from deepassay.wings.view.pair import ReportPair, tags
from deepassay.wings.view.reading import ReadReport, read_report
from deepassay.wings.view.room import OpenRun, Place, Room
from deepassay.wings.view.search import FOUND, TextSearch
from deepassay.wings.view.side import SideFile
from deepassay.wings.view.slow import PATIENCE, SlowPart, SlowParts
from deepassay.wings.view.snapshot import PART, read_page
from deepassay.wings.view.standing import AgentBoard, Known, agent_boards

_KIND: Final = {"style.css": "text/css", "room.js": "text/javascript"}
_ASSETS: Final = {"style.css": ("style.css",), "room.js": ("keys.js", "room.js")}

T = TypeVar("T")

LONGEST: Final = 300
"""Characters that are looked for at once."""


class _NoReport(Exception):
    """There is no report at the place that was asked for."""


class RoomApplication:
    """The application. Its connections belong to the thread that made them: all views share it."""

    def __init__(
        self,
        room: Room,
        side: SideFile,
        filling: Filling,
        human: Path | None = None,
        rater: str = "reader",
        patience: float = PATIENCE,
        known: Known = (),
    ) -> None:
        self._known = known
        self._human = human
        self._rater = rater
        self._notebooks = {run.number: Notebook(run.path) for run in room}
        self._room = room
        self._side = side
        self._filling = filling
        self._reports = Reports(side)
        self._slow = SlowParts(room.paths, side, filling, patience)
        self._pages = room_pages(SERVED)
        self.app = Starlette(
            routes=[
                Route("/", self._board, methods=["GET"]),
                Route("/map", self._map, methods=["GET"]),
                Route("/report", self._report, methods=["GET"]),
                Route("/page", self._page, methods=["GET"]),
                Route("/pair", self._pair, methods=["GET"]),
                Route("/changes", self._changes, methods=["GET"]),
                Route("/judges", self._judge_against, methods=["GET"]),
                Route("/search", self._search, methods=["GET"]),
                Route("/note", self._note, methods=["GET", "POST"]),
                Route("/notes", self._notes, methods=["GET"]),
                Route("/notes.csv", self._exported, methods=["GET"]),
                Route("/pulse", self._pulse, methods=["GET"]),
                Route("/static/{name:str}", self._asset, methods=["GET"]),
                Route("/favicon.ico", self._asset, methods=["GET"]),
            ],
            exception_handlers={
                BadRunFile: self._unread,
                BadRow: self._unread,
                BadSetting: self._unread,
                _NoReport: self._no_report,
                404: self._nowhere,
            },
        )

    # What every view has

    def _views(self) -> list[tuple[str, str]]:
        changes = [("changes", "What changed")] if len(self._room.runs) > 1 else []
        count = sum(len(each.notes) for each in self._notebooks.values())
        notes = [("notes", f"Notes ({count})")] if count else []
        return [("", "Board"), ("map", "Map"), *changes, ("judges", "Judges"), *notes]

    def _render(
        self,
        name: str,
        *,
        here: str = "none",
        status: int = 200,
        asked: str = "",
        fresh: bool = True,
        **values: object,
    ) -> HTMLResponse:
        runs = self._room.names
        html = self._pages.get_template(f"{name}.html.jinja").render(
            room=", ".join(runs.values()),
            runs=runs,
            several_runs=len(runs) > 1,
            views=self._views(),
            here=here,
            notes_there=any(book.notes for book in self._notebooks.values()),
            asked=asked,
            judged_by=judges_in_words(self._side.names("judge", CHOICES)) or "nobody yet",
            version=self._filling.version + ("" if fresh else "?"),
            behind=self._filling.behind,
            seen=self._filling.seen,
            rows_at_once=ROWS,
            tasks_at_once=TASKS,
            part=PART,
            standing_told=STANDING,
            frame="frame.html.jinja",
            **{"title": "Reading room", "noted": {}, **values},
        )
        return HTMLResponse(html, status)

    def _missing(self, title: str, said: str) -> HTMLResponse:
        return self._render("missing", status=404, title=title, said=said)

    # Views

    async def _board(self, request: Request) -> Response:
        terms = Terms.of(request.query_params)
        self._filling.catch_up()
        reports = self._reports
        reports.noted = self._noted()
        where, values = reports.where(terms)
        lost, boards = await asyncio.gather(
            self._slow.of_side(losses, where, tuple(values)), self._agent_boards()
        )
        query = {name: value for name, value in request.query_params.items() if value}
        known = {name: query.get(name, "") for name in vars(terms)}
        return self._render(
            "board",
            here="",
            title="Board",
            fresh=lost.fresh and boards.fresh,
            boards=boards.value,
            table=reports.table(terms),
            terms=terms,
            query=known,
            filtered=any(known[name] for name in known if name not in ("sort", "turned", "start")),
            choices=reports.choices(),
            modes=MODES,
            lost=lost.value,
        )

    async def _agent_boards(self) -> SlowPart[list[AgentBoard]]:
        """None while runs are being read, which would take the longer."""
        if self._filling.behind:
            return SlowPart(None, False)
        return await self._slow.of_runs(agent_boards, self._reports.in_common(), self._known)

    def _wait(self, here: str, title: str) -> HTMLResponse:
        said = "This is being worked out, and shown here once it is."
        return self._render("missing", here=here, title=title, said=said, fresh=False)

    async def _map(self, request: Request) -> Response:
        self._filling.catch_up()
        asked = request.query_params
        protocols = self._reports.protocols()
        protocol = asked.get("protocol", "")
        if protocol not in protocols:
            protocol = protocols[0] if protocols else ""
        run = number(asked.get("run"), 0)
        found, fresh = await self._slow.of_side(
            read_heat_map, protocol, run, number(asked.get("start"), 0)
        )
        if found is None:
            return self._wait("map", "Map")
        return self._render(
            "map", here="map", title="Map", fresh=fresh, map=found, protocols=protocols, run=run
        )

    def _noted(self) -> Counter[Place]:
        """How many notes there are on each report that has any."""
        return Counter(
            Place(run, note.agent, note.task, note.sample)
            for run, book in self._notebooks.items()
            for note in book.notes
        )

    def _read(self, request: Request, at: Place) -> tuple[OpenRun, ReadReport]:
        self._filling.catch_up()
        run = self._room.run(at.run)
        read = read_report(run, at, request.query_params.get("colour", "")) if run else None
        if run is None or read is None:
            raise _NoReport(at)
        return run, read

    async def _report(self, request: Request) -> Response:
        at = report_of_query(request.query_params)
        _, report = self._read(request, at)
        worse, better = self._reports.neighbours(at)
        return self._render(
            "report",
            at=at,
            report=report,
            worse=worse,
            better=better,
            others=self._reports.others(at),
            noted=self._notebooks[at.run].of(at),
            language=report.task.language if report.task else "",
            pairs=(),
        )

    async def _no_report(self, request: Request, error: Any) -> Response:  # noqa: ANN401 - as below
        at: Place = error.args[0]
        said = f"{at.agent or 'This agent'} has no report for {at.task or 'this task'} here."
        return self._missing("No such report", said)

    async def _page(self, request: Request) -> Response:
        at = report_of_query(request.query_params)
        run, report = self._read(request, at)
        claim = report.finding(request.query_params.get("at", ""))
        url = request.query_params.get("url", "")
        if claim is None or not any(url in voice.urls for voice in claim.voices):
            return self._missing("No such page", "No finding of this report rests on this page.")
        start = request.query_params.get("start")
        part = None if start is None else number(start, 0)
        read = read_page(run, report, claim, url, part)
        noted = self._notebooks[at.run].of(at)
        return self._render("page", at=at, report=report, claim=claim, read=read, noted=noted)

    async def _pair(self, request: Request) -> Response:
        asked = request.query_params
        at = report_of_query(asked)
        other = Place(
            number(asked.get("with_run"), 1),
            asked.get("with", ""),
            at.task,
            number(asked.get("with_sample"), 1),
        )
        pair = ReportPair(*(self._read(request, each)[1] for each in (at, other)))
        return self._render("pair", pair=pair, tags=tags(pair))

    async def _changes(self, request: Request) -> Response:
        self._filling.catch_up()
        runs = self._room.runs
        old = number(request.query_params.get("old"), 1)
        new = number(request.query_params.get("new"), min(2, len(runs)))
        if old == new or not {old, new} <= {*self._room.names}:
            return self._missing("No two runs", "Give two run files: deepassay view BEFORE AFTER.")
        found, fresh = await self._slow.of_side(run_changes, old, new)
        if found is None:
            return self._wait("changes", "What changed")
        title = "What changed"
        return self._render("changes", here="changes", title=title, fresh=fresh, found=found)

    async def _judge_against(self, request: Request) -> Response:
        self._filling.catch_up()
        people: SlowPart[tuple[list[Table], Sequence[str]]] = SlowPart(([], ()), True)
        if self._human is not None:
            try:
                people = await self._slow.of_runs(people_tables, self._human)
            except DeepAssayError as error:
                people = SlowPart(([], [str(error)]), True)
        pairs: SlowPart[list[Table]] = SlowPart([], True)
        if any(" + " in judge for judge in self._side.names("judge", CHOICES)):
            pairs = await self._slow.of_runs(panel_tables)
        found, fresh = await self._slow.of_side(where_judges_differ)
        if found is None:
            return self._wait("judges", "Judges")
        tables, remarks = people.value or ([], ["Figures are being worked out."])
        return self._render(
            "judges",
            here="judges",
            title="Judges",
            fresh=fresh and pairs.fresh and people.fresh,
            found=found,
            pairs=pairs.value or [],
            people=tables,
            remarks=remarks,
            human=self._human,
        )

    async def _search(self, request: Request) -> Response:
        asked = request.query_params.get("q", "")[:LONGEST]
        self._filling.catch_up()
        start = number(request.query_params.get("start"), 0)
        found = TextSearch(self._room, self._side).hits(asked, start)
        return self._render("search", title="Search", asked=asked, found=found, at_once=FOUND)

    # What readers say

    async def _note(self, request: Request) -> Response:
        given: Mapping[str, str] = request.query_params
        if request.method == "POST":
            form = await request.form(max_files=0, max_fields=20)
            given = {name: str(value) for name, value in form.items()}
        at = report_of_query(given)
        run, report = self._read(request, at)
        book, digest = self._notebooks[at.run], run.digest_of(at)
        claim = report.finding(given.get("at", ""))
        if given.get("at") and claim is None:
            return self._missing("No such finding", "This report has no finding of that name.")
        if request.method == "POST":
            read = given.get("digest", "")
            book.keep(noted(report, read, given.get("at", ""), given, self._rater, moment()))
            return RedirectResponse(to("report", at, claim.name if claim else ""), 303)
        own = book.of(at)
        return self._render(
            "note",
            title="Note",
            at=at,
            report=report,
            claim=claim,
            note=own.get(claim.name if claim else ""),
            noted=own,
            digest=digest,
            menu=menu(claim, report.record_of(claim) if claim else None, report.task),
            file=book.path.name,
            longest=LONGEST_NOTE,
        )

    async def _notes(self, request: Request) -> Response:
        listed = []
        for run in self._room:
            for note in self._notebooks[run.number].notes:
                place = Place(run.number, note.agent, note.task, note.sample)
                listed.append((place, note, note.digest != run.digest_of(place)))
        listed.sort(key=lambda each: each[1].time, reverse=True)
        unread = sum(each.unread for each in self._notebooks.values())
        return self._render("notes", here="notes", title="Notes", notes=listed, unread=unread)

    async def _exported(self, request: Request) -> Response:
        notes = [note for book in self._notebooks.values() for note in book.notes]
        return Response(
            as_decisions(notes),
            media_type="text/csv; charset=utf-8",
            headers={"content-disposition": "attachment; filename=notes.csv"},
        )

    async def _pulse(self, request: Request) -> Response:
        """204 where nothing is new since a view was made, else what is read by now."""
        self._filling.catch_up()
        version = self._filling.version
        if version == request.query_params.get("seen"):
            return Response(status_code=204)
        return PlainTextResponse(version)

    # Besides

    async def _asset(self, request: Request) -> Response:
        name = request.path_params.get("name", "")
        if not name:  # an icon is asked for by every browser
            return Response(status_code=204)
        if name not in _ASSETS:
            return PlainTextResponse("There is no such file.\n", 404)
        parts = [asset(each) for each in _ASSETS[name]]
        return Response("".join(parts), media_type=_KIND[name])

    async def _nowhere(self, request: Request, error: Exception) -> Response:
        return self._missing("Nothing is here", "The address leads to no view.")

    async def _unread(self, request: Request, error: Any) -> Response:  # noqa: ANN401 - two kinds
        return self._render("missing", status=500, title="A run cannot be read", said=str(error))
