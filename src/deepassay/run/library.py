"""DeepAssay as a library: objects or files in, a run with its results out.

import deepassay

run = deepassay.evaluate("tasks.jsonl", "reports/", "race", judge="openai:gpt-5")
run.leaderboard()
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Final, TypeVar

from deepassay.errors import BadInput, BadSetting
from deepassay.models.client import Client
from deepassay.models.functions import Judge, client_of
from deepassay.plugins import of_wing
from deepassay.protocols.protocol import Protocol
from deepassay.protocols.registry import parse_protocols
from deepassay.reports import clean as cleaning
from deepassay.reports import lint as linting
from deepassay.reports.loaders import GivenReports, reports_of
from deepassay.reports.report import Report
from deepassay.reports.rules import Options, rules_chosen
from deepassay.reports.statements import Statement
from deepassay.results import tidy
from deepassay.results.comparing import compare as compare_agents
from deepassay.results.comparison_tables import contest_tables, flat_contests, write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.figures.figure import Figure
from deepassay.results.figures.making import make_figures
from deepassay.results.first_screen import first_screen, first_tables
from deepassay.results.leaderboard import all_tables, flat_rows
from deepassay.results.opening import said_first
from deepassay.results.ranking import rank
from deepassay.results.reading import chosen
from deepassay.results.records import Judged
from deepassay.run.asking.evaluate import Summary
from deepassay.run.asking.evaluate import aevaluate as carry_out
from deepassay.run.asking.plan import AskedModel
from deepassay.run.declared import file_given
from deepassay.run.settings import Settings
from deepassay.run.showing.boards import agents_of_runs, only_judged_by
from deepassay.run.showing.explaining import evidence_as_text
from deepassay.run.showing.export import export
from deepassay.run.showing.figures import material, rendered
from deepassay.run.showing.merging import merge as put_together
from deepassay.run.showing.records import Judgements, each_run, records_of
from deepassay.run.showing.replay import Replayed, replay
from deepassay.run.showing.views import Picture, Text, View, causes_by_number, table_of_rows
from deepassay.runfile import RunFile, copy_of
from deepassay.score import Unscored
from deepassay.tasks.loaders import GivenTasks

T = TypeVar("T")

LOOKS_UP: Final = 0.2
"""Seconds between two looks whether the caller was interrupted."""

Protocols = str | Protocol | type[Protocol] | Sequence[str | Protocol | type[Protocol]]
"""Names (`race(reference=False)`, `module:Class`, `metric.yaml`), values or classes."""

SCORE_COLUMNS = ("protocol", "agent", "task", "value", "cause")


def protocol(name: str | Path) -> Protocol:
    """The one protocol that a name or a YAML file means. Raises BadSetting."""
    found = parse_protocols([str(name)])
    if len(found) != 1:
        raise BadSetting(
            f"{name} means {len(found)} protocols: {', '.join(map(str, found))}.", "Name one."
        )
    return found[0]


def lint(
    given: GivenReports,
    *,
    select: str | Sequence[str] = "ALL",
    ignore: str | Sequence[str] = (),
    options: Options | None = None,
) -> View:
    """What the mechanical rules find in reports; no model is asked.

    select, ignore: codes of rules or prefixes of codes. options: other thresholds, as
    `{"DA306": {"longest": 80}}`. Raises BadInput.
    """
    rules = rules_chosen(select, ignore, options)
    rows = [
        {
            "agent": report.agent,
            "task": report.task,
            "path": finding.path,
            "line": finding.line,
            "column": finding.column,
            "code": finding.code,
            "message": finding.message,
            "level": finding.rule.level,
        }
        for report in reports_of(given)
        for finding in linting.lint(report, rules)
    ]
    title = "1 finding" if len(rows) == 1 else f"{len(rows)} findings"
    return View(rows, [table_of_rows(title, rows, ("path", "line", "code", "message"))])


def clean(given: str | Path | Report) -> str:
    """A report's text without citations and reference lists; nothing else is changed."""
    return cleaning.clean(_one(given))


def statements(given: str | Path | Report) -> tuple[Statement, ...]:
    """What a report states, each sentence with the citations that it carries."""
    return _one(given).statements


def _one(given: str | Path | Report) -> Report:
    found = reports_of(given)
    if len(found) != 1:
        raise BadInput(f"{given} holds {len(found)} reports.", "Name one of them.")
    return found[0]


def evaluate(
    tasks: GivenTasks,
    reports: GivenReports,
    protocols: Protocols | None = None,
    *,
    judge: str | Judge | Sequence[str | Judge] = "offline",
    run: str | Path | None = None,
    **settings: Any,  # noqa: ANN401 - each is checked by its declaration
) -> Run:
    """Score reports, and give the run with its results; what was scored before is not asked again.

    protocols: all metrics that the tasks have the inputs for, if none is named. judge: `offline`,
    `PROVIDER:NAME`, `module:name`, a function from prompt to answer, a `Client`, or a list of
    these, which is a panel. run: the file that keeps everything; None for one that lasts as long
    as the object that is returned, see `Run.save`. settings: what `deepassay settings` lists.

    It may be called where an event loop is running, as in a notebook. Raises DeepAssayError.
    """
    return in_a_thread(
        lambda: aevaluate(tasks, reports, protocols, judge=judge, run=run, **settings)
    )


async def aevaluate(
    tasks: GivenTasks,
    reports: GivenReports,
    protocols: Protocols | None = None,
    *,
    judge: str | Judge | Sequence[str | Judge] = "offline",
    run: str | Path | None = None,
    **settings: Any,  # noqa: ANN401 - each is checked by its declaration
) -> Run:
    """Score as `evaluate` does, in the caller's event loop; who cancels it keeps what is done."""
    scratch = None
    if run is None:
        scratch = Path(tempfile.mkdtemp(prefix="deepassay-"))
        run = scratch / "run.assay"
    try:
        several = list(judge) if isinstance(judge, list | tuple) else [judge]
        named = all(isinstance(each, str) for each in several)
        given: dict[str, Any] = settings | {"run": run} | ({"judge": several} if named else {})
        if protocols is not None:
            given["protocols"] = _listed(protocols)
        declared = Settings(**given)
        judges = None if named else _panel(several, declared)
        summary = await carry_out(tasks, reports, declared, judges=judges)
    except BaseException:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
        raise
    return Run(declared.run, summary, scratch)


def _listed(given: T | Sequence[T]) -> list[T]:
    return list(given) if isinstance(given, list | tuple) else [given]  # type: ignore[list-item]


def _panel(several: Sequence[object], settings: Settings) -> list[AskedModel]:
    def asked(judge: object) -> AskedModel:
        if isinstance(judge, str):
            return AskedModel.with_settings(judge, settings)
        client: Client = client_of(judge, settings.max_connections)
        return AskedModel(str(client.identity["model"]), client=client)

    return [asked(each) for each in several]


def in_a_thread(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What a coroutine gives, run in an event loop of a thread of its own, or here if none runs.

    An interruption from the keyboard cancels it, so that what is done is kept. Under a loop of
    `asyncio.run` it comes as the cancellation of the task that waits here, and raises nothing.
    """
    caller = _task_here()
    asked_before = caller.cancelling() if caller else 0
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def noted() -> T:
        task = asyncio.current_task()
        if task is not None:
            started.append((asyncio.get_running_loop(), task))
        return await work()

    with ThreadPoolExecutor(1, "deepassay") as pool:
        future = pool.submit(lambda: asyncio.run(noted()))
        try:
            while not wait([future], timeout=LOOKS_UP).done:
                if caller is not None and caller.cancelling() > asked_before:
                    raise KeyboardInterrupt
            return future.result()
        except BaseException:
            for loop, task in started:
                if not future.done():
                    loop.call_soon_threadsafe(task.cancel)
            raise


def _task_here() -> asyncio.Task[Any] | None:
    """The task that runs in this thread, if a loop does."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def open_run(path: str | Path) -> Run:
    """A run file, to look at its results. Raises BadRunFile."""
    path = file_given(path)
    with RunFile.read(path):
        return Run(path)


def merge(shards: Sequence[str | Path], path: str | Path) -> Run:
    """Put run files that were made with `shard` together into one. Raises BadInput."""
    put_together([file_given(each) for each in shards], file_given(path))
    return open_run(path)


class Run:
    """A run file with its results. Every look at it reads the file as it is then.

    path: the run file. summary: what came of `evaluate`, None for a run that was opened.
    """

    def __init__(
        self, path: Path, summary: Summary | None = None, scratch: Path | None = None
    ) -> None:
        self.path = path
        self.summary = summary
        if scratch is not None:  # a file that nobody named goes with the object
            weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)

    def __repr__(self) -> str:
        records = records_of([self.path])
        causes = Counter(
            str(each.outcome.cause) for each in records if isinstance(each.outcome, Unscored)
        )
        protocols = ", ".join(sorted({each.protocol for each in records}))
        with RunFile.read(self.path) as run:
            cost = "unknown" if run.unpriced() else f"${run.spent():.4f}"
        lines = [
            f"{self.path}: scored {len(records) - causes.total()} of {len(records)} "
            f"({protocols or 'nothing yet'}); cost {cost}"
        ]
        if causes:
            lines.append(f"  unscored: {causes_by_number(causes)}")
        if self.summary is not None and self.summary.tally.stopped:
            lines.append(f"  stopped by {self.summary.tally.stopped}: evaluate again to go on")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return Text(repr(self))._repr_html_()

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is optional
        """The scores as a data frame."""
        return self.scores().to_pandas()

    def _records(self, protocols: str | Sequence[str] = ()) -> Sequence[Judged]:
        return only_judged_by(_listed(protocols), records_of([self.path]))

    def leaderboard(
        self,
        by: str | None = None,
        *,
        protocols: str | Sequence[str] = (),
        wide: bool = False,
        allow_mixed: bool = False,
    ) -> View:
        """Agents ranked by each protocol. by: a label of tasks that cuts the tables.

        wide: show every column and table. The rows have everything in any case.
        """
        records = self._records(protocols)
        boards = rank(records, by=by, allow_mixed=allow_mixed)
        took = agents_of_runs([self.path])
        rows = flat_rows(boards, agents=took)
        if wide:
            tables = all_tables(boards, False, agents=took)
            return View(rows, [each for each in tables if not each.detail])
        said = said_first(boards, records)
        screen = first_screen(boards, agents=took, said=said)
        return View(rows, first_tables(boards, agents=took, said=said), screen)

    def scores(self, protocols: str | Sequence[str] = ()) -> View:
        """A row for every judgement that the run is to have, unscored ones included."""
        rows = [
            tidy.as_row(tidy.SCORES, each.place, tidy.score_cells(each))
            for run in each_run([self.path])
            for each in Judgements(run).tabled(tidy.SCORES_READ)
        ]
        asked = chosen(sorted({row["protocol"] for row in rows}), _listed(protocols))
        rows = [row for row in rows if row["protocol"] in asked]
        return View(rows, [table_of_rows(f"{len(rows)} judgements", rows, SCORE_COLUMNS)])

    def explain(self, agent: str, task: str, protocol: str | None = None) -> Text:
        """The evidence behind the scores of one report: verdicts, reasons, places."""
        text = evidence_as_text(self.path, agent, task, protocol)
        rows = [
            tidy.as_row(tidy.ITEMS, tidy.place_of(record), cells)
            for record in self._records(protocol or ())
            if (record.agent, record.task) == (agent, task)
            for cells in tidy.item_rows(tidy.Tabled.of(record))
        ]
        return Text(text, rows)

    def compare(
        self,
        one: str | None = None,
        other: str | None = None,
        *,
        protocols: str | Sequence[str] = (),
        by: str | None = None,
        seed: int = 0,
    ) -> View:
        """Two agents over the tasks of both, or all pairs: how sure a difference is."""
        if (one is None) != (other is None):
            raise BadSetting("One agent is named.", "Name two, or none for all pairs.")
        pair = (one, other) if one is not None and other is not None else None
        contests = compare_agents(self._records(protocols), pair, ComparisonTerms(by=by, seed=seed))
        tables = [table for each in contests for table in contest_tables(each, pair is None)]
        text = write_contests(contests, "text", pair is None)
        return View(flat_contests(contests), tables, text)

    def figure(self, kind: str = "ranking", number: int = 0) -> Picture:
        """A figure, which a notebook shows. kind: as `figures --only` takes it.

        number: which of those of a kind, often one for each protocol. Raises BadSetting where
        there is nothing to draw, MissingExtra without matplotlib.
        """
        found = make_figures(material([self.path]), [kind])
        drawn = [each for each in found if isinstance(each, Figure)]
        if number >= len(drawn):
            why = "; ".join(getattr(each, "why", "") for each in found if each not in drawn)
            raise BadSetting(f"There is no figure {kind} {number}: {why or 'nothing to draw'}.")
        svg, png = rendered(drawn[number])
        return Picture(drawn[number].title, drawn[number].caption, svg, png)

    def html(self, path: str | Path, *, force: bool = False, allow_mixed: bool = False) -> Path:
        """Write the page with board, reports and evidence; its path."""
        write = of_wing("view.writing", "write_page")
        write([self.path], path := file_given(path), force=force, allow_mixed=allow_mixed)
        return path

    def export(
        self, path: str | Path, format: str = "jsonl", *, texts: bool = False, force: bool = False
    ) -> dict[str, int]:
        """Write tidy tables into a folder; how many rows each has. format: jsonl, csv, parquet."""
        return export([self.path], file_given(path), (), format, texts=texts, force=force)

    def replay(self, protocols: Protocols = ()) -> Replayed:
        """Verify every row, and compute every score anew; nothing is asked.

        protocols: those that no package registers, such as classes of a notebook.
        """
        given = parse_protocols(_listed(protocols))
        with RunFile.read(self.path, to_verify=True) as run:
            return replay(run, given)

    def save(self, path: str | Path) -> Run:
        """Copy the run file, and give the run that the copy is. Raises BadSetting, BadRunFile."""
        path = file_given(path)
        if path.exists():
            raise BadSetting(f"{path} is there already.", "Name another file.")
        try:
            copy_of(self.path, path)
        except OSError as error:
            raise BadSetting(
                f"{path} cannot be written ({error.strerror}).", "Name another file."
            ) from error
        return open_run(path)
