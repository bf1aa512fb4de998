"""Words that are looked for in reports, findings and pages, with the text around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.wings.view.cited_pages import HOST
from deepassay.wings.view.filling import Nowhere
from deepassay.wings.view.findings import read_judgement
from deepassay.wings.view.links import to
from deepassay.wings.view.room import Place, Room
from deepassay.wings.view.side import SideFile
from deepassay.wings.view.words import Snippet, query, snippets

FOUND: Final = 15
"""Texts that are shown at once."""

MOST: Final = 2_000
"""Texts that are counted and put in order; words of more texts tell little about any."""

OF_ONE: Final = 3
"""Findings that are shown of a judgement."""


@dataclass(frozen=True)
class FoundText:
    """A text in which the words stand. kind: report, finding or page. address: where it is read.

    told: what of it is found.
    """

    kind: str
    address: str
    title: str
    told: str
    snippets: tuple[Snippet, ...]


@dataclass(frozen=True)
class Hits:
    """What was found, from `start` on. count: of all texts in which the words stand; more: whether
    these are so many that they were not counted to the end, nor put in order.
    """

    asked: str
    hits: tuple[FoundText, ...]
    count: int
    start: int
    more: bool = False


class TextSearch:
    """Looks up words in a room."""

    def __init__(self, room: Room, side: SideFile) -> None:
        self._room = room
        self._side = side

    def hits(self, asked: str, start: int) -> Hits:
        """What has all words that are asked for, best first."""
        wanted = query(asked)
        if not wanted:
            return Hits(asked, (), 0, 0)
        matching = "FROM fulltext JOIN documents d ON d.id=fulltext.rowid WHERE fulltext MATCH ?"
        some = "SELECT 1 FROM fulltext WHERE fulltext MATCH ? LIMIT ?"
        count = self._side.one(f"SELECT count(*) FROM ({some})", wanted, MOST + 1)
        more, count = count > MOST, min(count, MOST)
        start = min(start, max(0, count - 1)) // FOUND * FOUND
        rows = self._side.rows(
            f"SELECT d.kind, d.run, d.of, d.snapshot {matching} "
            f"ORDER BY {'fulltext.rowid' if more else 'rank'} LIMIT ? OFFSET ?",
            wanted,
            FOUND,
            start,
        )
        found = [hit for row in rows for hit in self._of(asked, *row)]
        return Hits(asked, tuple(found), count, start, more)

    def _of(
        self, asked: str, kind: str, run: int, of: int | None, snapshot: str | None
    ) -> Iterator[FoundText]:
        if kind == "report":
            yield from self._report(asked, of)
        elif kind == "finding":
            yield from self._findings(asked, of)
        elif snapshot is not None:
            yield from self._page(asked, run, snapshot)

    def _called(self, place: Place) -> str:
        names = self._room.names
        told = f" in {names[place.run]}" if len(names) > 1 else ""
        return f"{place.agent} on {place.task}{told}"

    def _place(self, report: int | None) -> Place | None:
        sql = "SELECT run, agent, task, sample FROM reports WHERE id=?"
        rows = self._side.rows(sql, report)
        return Place(*rows[0]) if rows else None

    def _report(self, asked: str, of: int | None) -> Iterator[FoundText]:
        place = self._place(of)
        run = self._room.run(place.run) if place else None
        if place is None or run is None:
            return
        kept = run.file.report(place.agent, place.task, place.sample)
        if kept is not None:
            found = tuple(snippets(kept.text, asked))
            yield FoundText("report", to("report", place), self._called(place), "", found)

    def _findings(self, asked: str, of: int | None) -> Iterator[FoundText]:
        scored = self._side.rows("SELECT report, protocol, repeat FROM scores WHERE id=?", of)
        place = self._place(scored[0][0]) if scored else None
        run = self._room.run(place.run) if place else None
        if place is None or run is None:
            return
        records = [r for r in run.judged(place) if (r.protocol, r.repeat) == scored[0][1:]]
        hits: list[tuple[int, FoundText]] = []
        for record in records:
            for each in read_judgement(record, Nowhere(record, run)).findings:
                said = " ".join([each.said, *(voice.reason for voice in each.voices)])
                found = tuple(snippets(said, asked))
                if found:
                    told = " ".join(filter(None, [each.title, each.key, each.verdict, each.cost]))
                    address = to("report", place, each.name)
                    hits.append(
                        (
                            len(found),
                            FoundText("finding", address, self._called(place), told, found),
                        )
                    )
        yield from (hit for _, hit in sorted(hits, key=lambda one: -one[0])[:OF_ONE])

    def _page(self, asked: str, run: int, snapshot: str) -> Iterator[FoundText]:
        opened = self._room.run(run)
        page = opened.archive.page(snapshot) if opened else None
        if page is None:
            return
        found = tuple(snippets(f"{page.title}\n{page.text}", asked))
        citing: Sequence[tuple[str, str, str, int, str, int, str]] = self._side.rows(
            "SELECT i.name, s.protocol, i.verdict, r.run, r.agent, r.sample, r.task || char(0) || "
            "a.url FROM read_as a JOIN cited c ON c.url=a.url JOIN items i ON i.id=c.item "
            "JOIN scores s ON s.id=i.score JOIN reports r ON r.id=s.report "
            "WHERE a.run=? AND a.snapshot=? AND r.run=a.run "
            "ORDER BY i.tone<>'bad', r.standing LIMIT 1",
            run,
            snapshot,
        )
        title = page.title or page.url[: 2 * HOST]
        for name, protocol, verdict, at_run, agent, sample, rest in citing:
            task, _, url = rest.partition("\0")
            place = Place(at_run, agent, task, sample)
            told = f"cited by {self._called(place)}: {protocol} {verdict}"
            yield FoundText(
                "page", to("page", place, "passage", at=name, url=url), title, told, found
            )
