"""What is to be found where a report is held against its trace: each finding, and where it stands.

A finding that rests on absence is made only where all is known that could speak against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from deepassay.protocols.process.figures import figures_in, is_in_none, is_ours
from deepassay.protocols.process.seen import Seen, each_page, is_blocked, page_key
from deepassay.reports.report import Report
from deepassay.reports.statements import Statement
from deepassay.results.evidence import EvidenceItem, ReportPlace
from deepassay.runfile import TraceEvent
from deepassay.score import Json
from deepassay.tasks.task import Task
from deepassay.text import canonical

UNOPENED: Final = "cited, never opened"
UNFOUND: Final = "cited, never found"
FAILED: Final = "cited, opening failed"
BLOCKED: Final = "opened, on the blocked list"
DROPPED: Final = "opened, not cited"
REPEATED: Final = "repeated search"
UNREAD: Final = "figure in nothing that was read"
NOT_THERE: Final = "figure not on the cited page, though read"
UNSOURCED: Final = "claim without a source of its own"
DIFFERS: Final = "report is not what its trace ends with"
LATER: Final = "asked for after the report was written"
FAULTS: Final = (UNOPENED, UNFOUND, FAILED, BLOCKED, REPEATED, UNREAD, NOT_THERE, UNSOURCED)
"""What counts among the parts as a fault; the others are told of."""

PLACES: Final = 5
"""Places in the report that a finding names."""
_LONGEST: Final = 400


def findings_of(report: Report, task: Task, seen: Seen) -> Iterator[EvidenceItem]:
    """All findings, in the order of this list."""
    yield from _of_citations(report, seen)
    yield from _of_blocked(report, task, seen)
    yield from _of_dropped(task, seen)
    yield from _of_searches(seen)
    yield from _of_figures(report, task, seen)
    yield from _of_order(report, seen)


def _of_citations(report: Report, seen: Seen) -> Iterator[EvidenceItem]:
    """Cited pages that were not opened: never asked for, never found, or failed."""
    for number, url in enumerate(each_page(seen.cited), start=1):
        fate = seen.fate(url)
        where = {"places": _citing(report, url), "url": url}
        if fate in ("unopened", "unfound"):
            found = seen.found_by(url)
            by = f"found by {_event(found)}, and never asked for" if found else "never asked for"
            yield item(f"u{number}", UNOPENED, url, by, where)
        if fate == "unfound":
            which = f"none of {len(seen.searches)} searches found it" if seen.events else ""
            yield item(f"n{number}", UNFOUND, url, which, where)
        if fate == "failed":
            told = "; ".join(map(_event, seen.asked_of(url)))
            yield item(f"f{number}", FAILED, url, told, where)


def _of_blocked(report: Report, task: Task, seen: Seen) -> Iterator[EvidenceItem]:
    if not task.blocked:
        return
    cited = set(map(page_key, seen.cited))
    for number, url in enumerate(_opened(seen), start=1):
        if is_blocked(url, task.blocked.urls):
            also = "; the report cites it" if page_key(url) in cited else ""
            told = f"{asked_for(seen, url)}{also}"
            yield item(
                f"b{number}", BLOCKED, url, told, {"url": url, "places": _citing(report, url)}
            )


def _of_dropped(task: Task, seen: Seen) -> Iterator[EvidenceItem]:
    """What was opened and is not cited. Reading widely is no fault."""
    cited = set(map(page_key, seen.cited))
    relevant = set(map(page_key, task.relevant))
    for number, url in enumerate(_opened(seen), start=1):
        if page_key(url) not in cited:
            answers = "; it is known to answer the task" if page_key(url) in relevant else ""
            yield item(f"d{number}", DROPPED, url, f"{asked_for(seen, url)}{answers}", {"url": url})


def _of_searches(seen: Seen) -> Iterator[EvidenceItem]:
    for number, (again, first) in enumerate(seen.repeated, start=1):
        told = f"{_event(again)}; before: {_event(first)}"
        yield item(f"s{number}", REPEATED, again.query, told, {})


def _of_figures(report: Report, task: Task, seen: Seen) -> Iterator[EvidenceItem]:
    """Figures in nothing that was read, or not on the page that their statement cites."""
    texts = seen.texts
    asked = str(seen.run.record.get("asked") or "")
    known = None if texts is None else (*texts, task.prompt, asked)
    known_words = is_ours(report.text)
    for number, statement in enumerate(report.statements, start=1):
        stated = figures_in(statement.text)
        figures = [each for each in stated if known_words or not each.worded]
        where = {
            "places": (statement_place(report, statement),),
            "quotes": (statement.text[:_LONGEST],),
        }
        unread = [each for each in figures if known is not None and is_in_none(known, each)]
        for count, figure in enumerate(unread, start=1):
            told = f"none of {len(texts or ())} results and pages that were read has it"
            yield item(f"x{number}.{count}", UNREAD, figure.raw, told, where)
        pages = _read_pages(statement, seen)
        for count, figure in enumerate(figures, start=1):
            if pages and not figure.year and is_in_none(pages.values(), figure):
                told = "; ".join(asked_for(seen, url) for url in pages)
                urls = {**where, "url": next(iter(pages)), "urls": tuple(pages)}
                yield item(f"p{number}.{count}", NOT_THERE, figure.raw, told, urls)
        if unread and (statement.inherited or not statement.urls):
            named = ", ".join(each.raw for each in unread)
            told = f"{named}: it has no citation of its own, and nothing that was read says so"
            yield item(f"c{number}", UNSOURCED, statement.text[:_LONGEST], told, where)


def _read_pages(statement: Statement, seen: Seen) -> dict[str, str]:
    """What was read of the pages that a statement itself cites; nothing where one is not known."""
    if statement.inherited or not statement.urls:
        return {}
    found = {url: seen.page(url) for url in statement.urls}
    return {} if None in found.values() else {url: text or "" for url, text in found.items()}


def _of_order(report: Report, seen: Seen) -> Iterator[EvidenceItem]:
    """A report that is older than its trace, or another."""
    if seen.run.record.get("differs"):
        by = str(seen.run.record.get("report_by") or "the trace")
        yield item("w1", DIFFERS, "the report", f"{by} has another text", {})
        return
    written = seen.run.record.get("written_at")
    later = [e for e in seen.events if isinstance(written, int | float) and (e.at or 0.0) > written]
    for number, event in enumerate(later, start=1):
        what = event.query if event.kind == "search" else next(iter(event.urls), "")
        yield item(f"a{number}", LATER, what, _event(event), {})


# ------------------------------------------------------------------ where it stands


def item(key: str, verdict: str, item: str, told: str, given: dict[str, Json]) -> EvidenceItem:
    """A finding. told: what it rests on, with the span. given: further fields, as far as filled."""
    return EvidenceItem(
        key=key,
        item=item,
        verdict=verdict,
        justification=told,
        **{k: v for k, v in given.items() if v},
    )


def _opened(seen: Seen) -> Iterator[str]:
    """The pages that were opened, each under the address that was asked for."""
    events = [e.urls[0] for e in seen.events if e.kind == "page" and e.came and e.urls]
    return each_page(map(canonical, (*events, *(() if events else seen.run.opened or ()))))


def asked_for(seen: Seen, url: str) -> str:
    """The first request that brought a page, by its span; where none did, the address."""
    came: Iterable[TraceEvent] = (e for e in seen.asked_of(url) if e.came)
    return next(map(_event, came), url)


def _event(event: TraceEvent) -> str:
    """An event by its span: `span b2a4825611eb46d7, web_search at 3.1 s: "tides", failed (404)`."""
    at = "" if event.at is None else f" at {event.at:.1f} s"
    what = f'"{event.query[:200]}"' if event.kind == "search" else next(iter(event.urls), "")
    number = "" if event.status in (None, 599) else f" ({event.status})"
    bad = f", failed{number}" if event.status is not None and event.status >= 400 else ""
    return (
        f"{f'span {event.span}, ' if event.span else ''}{event.tool or event.kind}{at}: {what}{bad}"
    )


def _citing(report: Report, url: str) -> tuple[ReportPlace, ...]:
    """The first statements that cite a page; where none does, the first citations of it."""
    key = page_key(url)

    def leads(urls: Sequence[str]) -> bool:
        return key in map(page_key, urls)

    own = [each for each in report.statements if leads(each.urls) and not each.inherited]
    own = own or [each for each in report.statements if leads(each.urls)]
    if own:
        return tuple(statement_place(report, each) for each in own[:PLACES])
    cited = [each.citation for each in report.resolved if leads(each.urls)]
    return tuple(_at(report, each.span.start, each.raw) for each in cited[:PLACES])


def statement_place(report: Report, statement: Statement) -> ReportPlace:
    """Where a statement stands, with its words."""
    return _at(report, statement.span.start, statement.text)


def _at(report: Report, start: int, message: str) -> ReportPlace:
    line, column = report.lines.place(start)
    return ReportPlace(line=line, column=column, message=message[:_LONGEST])
