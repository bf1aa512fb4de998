"""What an agent was seen to do, by address: found, asked for, opened, failed; and what it read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self

from rapidfuzz.fuzz import token_sort_ratio

from deepassay.reports.report import Report
from deepassay.runfile import AgentRun, TraceEvent
from deepassay.text import canonical, is_redirect

NEAR: Final = 90
"""From this similarity of their words on, of 100, two searches are nearly one (RapidFuzz)."""
MOST_COMPARED: Final = 500
"""Searches that are compared with each other."""

_SPELLING: Final = re.compile(r"https?://(?:www\d?\.)?", re.IGNORECASE)
_PAPER: Final = re.compile(
    r"(?:export\.)?arxiv\.org/(?:abs|pdf|html)/(?P<id>[\w.\-/]+?)(?:v\d+)?(?:\.pdf)?/?\Z"
)
_ADDRESS: Final = re.compile(r"https?://\S+", re.IGNORECASE)


def page_key(url: str) -> str:
    """What two spellings of an address have in common that lead to one page."""
    bare = _SPELLING.sub("", canonical(url)).rstrip("/")
    paper = _PAPER.fullmatch(bare)
    return f"arxiv.org/{paper['id']}" if paper else bare


@dataclass(frozen=True)
class Seen:
    """What is known of a run. cited: addresses of the report, each once, in order.

    found, opened: page keys, also of what came back in part; all_found, all_opened: whether these
    are all of them. events: in order, empty where only addresses are known.
    """

    run: AgentRun
    cited: tuple[str, ...]
    found: frozenset[str]
    opened: frozenset[str]
    all_found: bool
    all_opened: bool
    events: tuple[TraceEvent, ...]

    @classmethod
    def of(cls, report: Report) -> Self | None:
        """What was seen of a report's run; None where nobody saw anything."""
        run = report.run
        if run is None or (run.events is None and (run.found is None or run.opened is None)):
            return None
        events = run.events or ()
        cited = dict.fromkeys(canonical(url) for each in report.resolved for url in each.urls)
        opened = [url for e in events if e.kind == "page" and e.came for url in e.urls]
        found = [url for e in events if e.kind == "search" for url in e.urls]
        return cls(
            run,
            tuple(cited),
            frozenset(map(page_key, (*found, *(run.found or ())))),
            frozenset(map(page_key, (*opened, *(run.opened or ())))),
            run.found is not None,
            run.opened is not None,
            events,
        )

    @cached_property
    def asked(self) -> Mapping[str, tuple[TraceEvent, ...]]:
        """The requests for each page, by its key."""
        found: dict[str, tuple[TraceEvent, ...]] = {}
        for event in self.events:
            for url in event.urls if event.kind == "page" else ():
                found[page_key(url)] = (*found.get(page_key(url), ()), event)
        return found

    @cached_property
    def searches(self) -> tuple[TraceEvent, ...]:
        """The searches, in the order in which they were made."""
        return tuple(each for each in self.events if each.kind == "search")

    def asked_of(self, url: str) -> tuple[TraceEvent, ...]:
        """The requests for a page, under whichever spelling."""
        return self.asked.get(page_key(url), ())

    def found_by(self, url: str) -> TraceEvent | None:
        """The first search that found a page."""
        key = page_key(url)
        return next((e for e in self.searches if key in map(page_key, e.urls)), None)

    def fate(self, url: str) -> str:
        """What became of a cited page: opened, failed, unopened, unfound or unknown."""
        key = page_key(url)
        if key in self.opened:
            return "opened"
        asked = self.asked_of(url)
        if any(each.status is None for each in asked) or is_redirect(url):
            return "unknown"
        if asked:
            return "failed"
        if not self.all_opened:
            return "unknown"
        return "unopened" if key in self.found or not self.all_found else "unfound"

    @cached_property
    def texts(self) -> tuple[str, ...] | None:
        """All that was read, without addresses; None where some of it is not known."""
        known = self.all_opened and all(e.text is not None and e.whole for e in self._brought)
        return tuple(_plain(e.text or "") for e in self._brought) if known and self.events else None

    @property
    def _brought(self) -> list[TraceEvent]:
        return [each for each in self.events if each.came]

    def page(self, url: str) -> str | None:
        """What was read of a page; None where that is not known, or not all of it."""
        came = [each for each in self.asked_of(url) if each.came]
        if not came or not all(each.text is not None and each.whole for each in came):
            return None
        return "\n".join(_plain(each.text or "") for each in came)

    @cached_property
    def repeated(self) -> tuple[tuple[TraceEvent, TraceEvent], ...]:
        """Searches that were made before and had not failed, each with the earlier one."""
        first: dict[str, TraceEvent] = {}
        again = []
        for each in self.searches:
            words = " ".join(each.query.casefold().split())
            if words in first and words:
                again.append((each, first[words]))
            elif each.status is None or each.came:
                first[words] = each
        return tuple(again)

    @cached_property
    def nearly_repeated(self) -> int:
        """How many different searches are nearly an earlier one in other words."""
        queries = list(dict.fromkeys(" ".join(e.query.casefold().split()) for e in self.searches))
        queries = [_apart(each) for each in queries[:MOST_COMPARED] if each]
        return sum(
            any(token_sort_ratio(one, other) >= NEAR for other in queries[:number])
            for number, one in enumerate(queries)
        )


def _apart(query: str) -> str:
    """A query in words; where it is of ideographs, each stands alone."""
    return " ".join(query) if any("\u3040" <= each <= "\u9fff" for each in query) else query


def _plain(text: str) -> str:
    return _ADDRESS.sub(" ", text)


def is_blocked(url: str, blocked: Sequence[str]) -> bool:
    """Whether an address is among those that may not be read, or of such a host."""
    bare = page_key(url)
    host = bare.partition("/")[0].partition(":")[0]
    for each in blocked:
        if "://" in each and page_key(each) == bare:
            return True
        name = each.removeprefix("www.")
        if "://" not in each and (host == name or host.endswith(f".{name}")):
            return True
    return False


def each_page(urls: Iterable[str]) -> Iterator[str]:
    """Addresses, of several spellings of one page the first."""
    first: dict[str, str] = {}
    for url in urls:
        first.setdefault(page_key(url), url)
    yield from first.values()
