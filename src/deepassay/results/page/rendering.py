"""The page as HTML, in pieces that follow one another.

It cannot do harm: controls are made visible, only web addresses are led to, and a content security
policy allows nothing. Every value passes `visible_text` on its way into a template, and
Jinja escapes it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from deepassay.glossary import hint
from deepassay.results.arranged import arranged
from deepassay.results.evidence import panel_then_judges
from deepassay.results.figures.figure import Material
from deepassay.results.leaderboard import all_tables
from deepassay.results.opening import contests_of, opening_of
from deepassay.results.page.content import Content, JudgedText
from deepassay.results.page.index import PageIndex
from deepassay.results.page.opened import (
    OpenedReport,
    judgements_by_report,
    opened,
    section_title,
    value_of,
)
from deepassay.results.page.pictures import Pictures, pictures
from deepassay.results.page.standings import WIDTH, ranking_pictures
from deepassay.results.records import Judged
from deepassay.results.tables import NONE, Table, several
from deepassay.score import ReportKey, Unscored, canonical_json, report_key
from deepassay.text import visible_text, web_address


def policy(style: str) -> str:
    """A content security policy under which nothing is loaded and only this style applies."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


Piece = tuple[ReportKey | None, Markup]
"""A piece of a page, and the report that it is, if it is one."""


@dataclass(frozen=True)
class ReportRow:
    """A report and its scores. report: a link to it, empty where the agent has none."""

    report: str
    task: str
    sample: int
    values: tuple[str, ...]


@dataclass(frozen=True)
class AgentReports:
    """An agent with a row for each of its reports. head: the protocols, in the order of values."""

    agent: str
    head: tuple[str, ...]
    rows: tuple[ReportRow, ...]


def rows_by_agent(
    records: Sequence[Judged], links: Mapping[ReportKey, str]
) -> Iterator[AgentReports]:
    """Every agent by name. links: to reports, by agent, task and sample."""
    rows: dict[str, dict[tuple[str, int], dict[str, list[str]]]] = {}
    for (agent, task, sample), judged in sorted(judgements_by_report(records).items()):
        values = rows.setdefault(agent, {}).setdefault((task, sample), {})
        for each in judged:
            values.setdefault(section_title(each), []).append(value_of(each))
    for agent, reports in rows.items():
        head = tuple(sorted({title for values in reports.values() for title in values}))
        yield AgentReports(
            agent,
            head,
            tuple(
                ReportRow(
                    links.get((agent, task, sample), ""),
                    task,
                    sample,
                    tuple(", ".join(values.get(title, [NONE])) for title in head),
                )
                for (task, sample), values in reports.items()
            ),
        )


AIM = 6_500_000
FINDING = 220
LEAST_ROOM = 6_000
"""Bytes: of a page without figures, of a finding in a line, for the passages of any report."""

BUFFERED = 256
"""Scraps of a template that are joined before they are handed on."""


@dataclass(frozen=True)
class ListedFailure:
    """A judgement without a score. report: a link to its report, empty if there is none."""

    record: Judged
    cause: str
    detail: str
    report: str


@dataclass(frozen=True)
class ShownRecipe:
    """How the scores of a protocol were made; records: what else is known, each once."""

    protocol: str
    digest: str
    identity: tuple[tuple[str, str], ...]
    records: tuple[str, ...]


@dataclass(frozen=True)
class TaskReports:
    """A task and the reports on it, which are opened one at a time."""

    name: str
    prompt: str
    reports: Iterator[OpenedReport]


class Renderer:
    """Pages as HTML, in pieces that follow one another. Untrusted text in them cannot run.

    large: without figures for which every report is measured.
    """

    def __init__(self, content: Content, large: bool = False) -> None:
        style = files(__package__).joinpath("page.css").read_text(encoding="utf-8").strip()
        self._content = content
        self._large = large
        self._environment = _environment()
        self._environment.globals.update(style=style, policy=policy(style), version=content.version)
        self._macros = self._environment.get_template("parts.html.jinja").module

    def page(self, index: PageIndex | None = None, reports: int = 0) -> Iterator[str]:
        """The whole page; with an index, it leads to what it does not hold itself.

        reports: how many there are, of an index.
        """
        content = self._content
        names = named(content)
        links = {place: f"#{name}" for place, name in names.items()}
        found = arranged(content.boards)
        tables = [each for each in self.tables if each not in found.read_off]
        ranked = [*found.opened, *found.closed] or content.boards
        contests, mixed = contests_of(ranked, content.records)
        stream = self._environment.get_template("page.html.jinja").stream(
            title="results",
            content=content,
            index=index,
            counts=_counts(content, reports or len(content.reports)),
            opening=opening_of(found, contests, mixed),
            found=found,
            rankings=tuple(ranking_pictures(found.opened, contests)),
            closed=tuple(ranking_pictures(found.closed, contests)),
            width=WIDTH,
            pictures=self.pictures,
            agents=rows_by_agent(content.records, links),
            tables=[table for table in tables if not table.detail],
            details=[table for table in tables if table.detail],
            tasks=_by_task(content, names),
            failures=failures_of(content.records, links),
            recipes=_recipes(content),
        )
        stream.enable_buffering(BUFFERED)
        yield from stream

    @cached_property
    def tables(self) -> Sequence[Table]:
        """All tables of the page, those that are detail too."""
        return all_tables(self._content.boards, parts=True, agents=self._content.agents)

    @cached_property
    def pictures(self) -> Pictures:
        """The figures of the page."""
        return pictures(
            Material(self._content.records, self._content.boards, reports=self._content.lengths),
            large=self._large,
        )

    def leaf(self, **about: object) -> Iterator[str]:
        """A page that an index leads to."""
        stream = self._environment.get_template("leaf.html.jinja").stream(about)
        stream.enable_buffering(BUFFERED)
        yield from stream

    def reports(self, names: Mapping[ReportKey, str]) -> Iterator[Piece]:
        """Every task, and after it its reports."""
        for task in _by_task(self._content, names):
            yield None, self.rows("task_head", [task])
            for each in task.reports:
                place = each.report.agent, each.report.task, each.report.sample
                yield place, self.rows("opened_report", [each])

    def rows(self, macro: str, each: Iterable[object]) -> Markup:
        """What a macro makes of each, one after the other."""
        return Markup("\n").join(map(getattr(self._macros, macro), each))


def whole_page(content: Content) -> Iterator[str]:
    """The whole page, in one file."""
    return Renderer(content).page()


def named(content: Content) -> dict[ReportKey, str]:
    """The anchors of reports: `r1` and on."""
    return {report_key(report): f"r{number}" for number, report in enumerate(_ordered(content), 1)}


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__, ""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["hint"] = hint
    environment.filters["web"] = web_address
    environment.filters["json"] = canonical_json
    environment.tests["numeric"] = _is_numeric
    return environment


def _is_numeric(column: int, table: Table) -> bool:
    return column in table.numeric


def _ordered(content: Content) -> list[JudgedText]:
    """Reports by task, in the order of the tasks, then by agent and sample."""
    order = {task: number for number, task in enumerate(content.tasks)}
    return sorted(content.reports, key=lambda each: (order[each.task], each.agent, each.sample))


def _by_task(content: Content, names: Mapping[ReportKey, str]) -> Iterator[TaskReports]:
    records = judgements_by_report(content.records)
    reports: dict[str, list[JudgedText]] = {}
    for report in _ordered(content):
        reports.setdefault(report.task, []).append(report)

    room = _room(content)

    def opening(report: JudgedText) -> OpenedReport:
        place = report_key(report)
        return opened(names[place], report, records.get(place, []), content.archive, room)

    for task, own in reports.items():
        yield TaskReports(task, content.tasks[task], map(opening, own))


def _room(content: Content) -> int:
    """Bytes that each report may take for passages and long reasons, so that the page keeps AIM."""
    texts = sum(len(report.text.encode("utf-8", "replace")) for report in content.reports)
    room = (AIM - texts - findings_size(content.records)) // max(1, len(content.reports))
    return max(LEAST_ROOM, room)


def findings_size(records: Iterable[Judged]) -> int:
    """Bytes of all findings, a line each."""
    return FINDING * sum(
        outcome.evidence.item_count
        for record in records
        for _, outcome in panel_then_judges(record)
    )


@dataclass(frozen=True)
class PageCounts:
    """What the page is about, in numbers: three of them in its first sentence, the rest below."""

    agents: str
    tasks: str
    protocols: str
    rest: tuple[tuple[str, str], ...]


def _counts(content: Content, reports: int) -> PageCounts:
    records = content.records
    scored = sum(not isinstance(each.outcome, Unscored) for each in records)
    spent = sum(run.spent for run in content.runs)
    unpriced = any(run.unpriced for run in content.runs)
    return PageCounts(
        several(len({each.agent for each in records}), "agent"),
        several(len({each.task for each in records}), "task"),
        several(len({each.protocol for each in records}), "protocol"),
        (
            ("reports", str(reports)),
            ("judgements scored", f"{scored} of {len(records)}"),
            ("cost", f"{'at least ' * unpriced}${spent:,.2f}"),
        ),
    )


def failures_of(
    records: Sequence[Judged], links: Mapping[ReportKey, str]
) -> dict[str, list[ListedFailure]]:
    """Judgements without a score by cause, the commonest cause first."""
    found: dict[str, list[ListedFailure]] = {}
    for each in records:
        if isinstance(each.outcome, Unscored):
            link = links.get(report_key(each), "")
            cause = str(each.outcome.cause)
            failure = ListedFailure(each, cause, each.outcome.detail, link)
            found.setdefault(cause, []).append(failure)
    return dict(sorted(found.items(), key=lambda group: -len(group[1])))


def _recipes(content: Content) -> list[ShownRecipe]:
    """The recipes of every board, with the different records that were kept of the protocol."""
    kept: dict[str, dict[str, None]] = {}
    for each in content.records:
        about = {key: value for key, value in each.signature.record.items() if key != "pages"}
        if about:
            kept.setdefault(each.protocol, {}).setdefault(canonical_json(about))
    return [
        ShownRecipe(
            board.protocol,
            recipe.digest,
            tuple(
                (key, value if isinstance(value, str) else canonical_json(value))
                for key, value in recipe.identity.items()
            ),
            tuple(kept.get(board.protocol, ())),
        )
        for board in content.boards
        for recipe in board.recipes
    ]
