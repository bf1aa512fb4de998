"""The address of every view: what is shown stands in it, and nothing else decides on it.

Served, a view is a path with a query. Written, it is a file or a place in one; what only a server
can show has no address there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import quote, urlencode

from deepassay.files import without_surrogates
from deepassay.wings.view.room import Place

REPORTS: Final = "reports-0001.html"
"""The file with the table of reports, or its first part."""

SINCE: Final = "since"
"""The anchor of what changed in a report since an earlier run."""


class Links(ABC):
    """Where views are. served: whether by a server, which takes questions and notes."""

    served: bool

    @abstractmethod
    def to(self, view: str, place: Place | None = None, anchor: str = "", **query: object) -> str:
        """The address of a view, empty where there is none.

        place: a report. Empty values of the query, and what is so unless it is said, are left out.
        """

    def changed(
        self, view: str, query: Mapping[str, str], anchor: str = "", **other: object
    ) -> str:
        """The address of a view with some of its terms changed; empty ones are left out."""
        kept = {name: value for name, value in query.items() if name not in other}
        return self.to(view, None, anchor, **kept, **other)


class ServedLinks(Links):
    """Addresses of the server. Names stand in the query: they may have slashes."""

    served = True

    def to(self, view: str, place: Place | None = None, anchor: str = "", **query: object) -> str:
        """The path of a view, with its query."""
        asked: dict[str, object] = dict(place._asdict()) if place else {}
        for name in ("run", "sample"):
            if asked.get(name) == 1:
                del asked[name]
        asked |= query
        kept = {name: without_surrogates(str(each)) for name, each in asked.items() if each}
        address = f"/{view}" + ("?" + urlencode(kept) if kept else "")
        return address + (f"#{quote(anchor)}" if anchor else "")


class FileLinks(Links):
    """Places in files, all in one of them or in a folder beside an index.

    numbers: of the reports, from 1. protocols: in the order of their maps. agents: those that have
    a table of reports of their own, in the order of these files; empty where one file has all
    rows. folder: what stands before the names of files, as the file at hand leads to them; None
    where everything is in one file. index: as it leads to that, empty for the index itself.
    """

    served = False

    def __init__(
        self,
        numbers: Mapping[Place, int],
        protocols: Sequence[str],
        agents: Sequence[str] = (),
        folder: str | None = None,
        index: str = "",
        pages: dict[str, int] | None = None,
    ) -> None:
        self._numbers = numbers
        self._maps = {name: number for number, name in enumerate(protocols, start=1)}
        self._agents = {name: number for number, name in enumerate(agents, start=1)}
        self._folder = None if folder is None else quote(folder)
        self.folder = self._folder or ""
        self.index = quote(index)
        self._pages = {} if pages is None else pages

    def to(self, view: str, place: Place | None = None, anchor: str = "", **query: object) -> str:
        """A file with a place in it, or the place alone."""
        if view == "report" and place is not None and place in self._numbers:
            return self._report(self._numbers[place], anchor)
        if view == "pair" and place is not None:
            other = int(str(query["with_run"])), str(query["with"]), place.task
            return self.to("report", Place(*other, int(str(query["with_sample"]))), SINCE)
        if view == "map" and query.get("protocol") in self._maps:
            return f"{self.index}#map-{self._maps[str(query['protocol'])]}"
        if view == "page":
            return self._page(query)
        if view == "":
            return self._table({name: str(each) for name, each in query.items() if each})
        return ""

    def _report(self, number: int, anchor: str) -> str:
        if self._folder is None:
            return f"#{prefix_of(number)}{quote(anchor)}" if anchor else f"#r{number}"
        return f"{self._folder}{report_file(number)}" + (f"#{quote(anchor)}" if anchor else "")

    def _page(self, query: Mapping[str, object]) -> str:
        if self._folder is None or not query.get("snapshot"):
            return ""
        place = f"#q{query['start']}" if "start" in query else ""
        number_ = self._pages.setdefault(str(query["snapshot"]), len(self._pages) + 1)
        return f"{self._folder}{page_file(number_)}{place}"

    def _table(self, query: Mapping[str, str]) -> str:
        if query.keys() == {"agent"} and query["agent"] in self._agents:
            return f"{self._folder}{agent_file(self._agents[query['agent']])}"
        if not {*query} <= {"agent", "task", "cause", "label"} or self._agents:
            return ""
        file = "" if self._folder is None else f"{self._folder}{REPORTS}"
        return f"{file}#{_anchor(query) or 'all'}"


def firsts(places: Iterable[Place]) -> Iterator[tuple[str, str]]:
    """Of reports in their order: the anchors of the task and of the agent at the first report of
    each, else empty. Without script, links that choose reports lead there.
    """
    seen: set[str] = set()
    for place in places:
        anchors = (_anchor({"task": place.task}), _anchor({"agent": place.agent}))
        task, agent = ("" if each in seen else each for each in anchors)
        yield task, agent
        seen.update(anchors)


def _anchor(chosen: Mapping[str, str]) -> str:
    return urlencode({name: without_surrogates(each) for name, each in chosen.items()})


def prefix_of(number: int) -> str:
    """What begins every anchor of a report where several stand in one file."""
    return f"r{number}-"


def report_file(number: int) -> str:
    """The name of the file of a report."""
    return f"report-{number:05}.html"


def agent_file(number: int) -> str:
    """The name of the file with the reports of an agent."""
    return f"agent-{number:04}.html"


def page_file(number: int) -> str:
    """The name of the file of a page that reports cite."""
    return f"page-{number:05}.html"


def number(given: str | None, otherwise: int) -> int:
    """A number from an address; whatever is none is what it is otherwise."""
    text = given or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else otherwise


def report_of_query(query: Mapping[str, str]) -> Place:
    """The report that an address speaks of."""
    return Place(
        number(query.get("run"), 1),
        query.get("agent", ""),
        query.get("task", ""),
        number(query.get("sample"), 1),
    )


SERVED: Final = ServedLinks()

to: Final = SERVED.to
"""Addresses of the server."""
