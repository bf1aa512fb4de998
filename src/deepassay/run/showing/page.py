"""The page of results of run files: what it needs is gathered here, and the file is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple

from deepassay import __version__
from deepassay.errors import BadInput, BadSetting
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.results.agents import run_totals
from deepassay.results.outlines import Extent
from deepassay.results.page.content import Content, JudgedText, LintRemark, RunFacts
from deepassay.results.page.rendering import findings_size, whole_page
from deepassay.results.page.split import FILE, LIMIT, MADE_BY, TAIL, Split
from deepassay.results.ranking import Board, rank
from deepassay.results.records import Judged
from deepassay.run.showing.explaining import RunArchive
from deepassay.run.showing.lengths import measure
from deepassay.run.showing.output import check_output, replacing
from deepassay.run.showing.reading import HeldRecords
from deepassay.run.showing.records import Judgements, records_of
from deepassay.run.showing.revisions import with_other_text
from deepassay.run.showing.yardsticks import about
from deepassay.runfile import RunFile
from deepassay.score import ReportKey


class WrittenPage(NamedTuple):
    """What was written. size: bytes of all files. files: how many stand in `folder`, if any do."""

    size: int
    files: int = 0
    folder: Path | None = None


def write_page(
    paths: Sequence[Path],
    output: Path,
    *,
    force: bool = False,
    allow_mixed: bool = False,
    limit: int = LIMIT,
    on_index: Callable[[Path], None] = lambda folder: None,
) -> WrittenPage:
    """Write the page of several run files. Nothing is fetched or asked.

    limit: bytes of a file; what would be larger is an index, which is there first, and a folder
    beside it with a file for each task, or for several small ones, and one for each agent.
    on_index: called with the folder once the index is there.

    Raises BadSetting if `output` is there (unless `force`) or cannot be written, or a file that is
    none of ours has the name of one in the folder, BadRunFile for a run that cannot be read,
    BadInput if runs have different reports of one agent for one task.
    """
    check_output(output, paths, force=force)
    folder = output.with_name(f"{output.stem}-pages")
    _refuse_foreign(folder)
    records = HeldRecords(paths)
    boards = rank(records, allow_mixed=allow_mixed)
    for board in boards:
        board.hold()
    with ExitStack() as stack:
        runs = [stack.enter_context(RunFile.read(path)) for path in paths]
        gathered = _PageMaterial(runs, boards, records.everything())
        if size := _in_one_file(gathered, paths, output, limit):
            if force and folder.is_dir():  # what an earlier page led to
                _clear(folder, force=force)
            return WrittenPage(size)
        return _split(gathered, output, folder, limit, on_index, force=force)


class _PageMaterial:
    """What all files of a page are made of. places: of the reports, by task in its order."""

    def __init__(
        self, runs: Sequence[RunFile], boards: Sequence[Board], records: Sequence[Judged]
    ) -> None:
        self.tasks = {name: task for run in runs for name, task in about(run).tasks.items()}
        self._runs = {place: run for run in runs for place in run.report_places()}
        _refuse_others(runs)
        self._judgements = [Judgements(run) for run in runs]
        self.places: dict[str, list[ReportKey]] = {task: [] for task in self.tasks}
        for place in self._runs:
            self.places[place[1]].append(place)
        self.content = Content(
            boards,
            records,
            {name: task.prompt for name, task in self.tasks.items()},
            (),
            [_facts(run) for run in runs],
            RunArchive(runs),
            __version__,
            agents=run_totals(each for run in runs for each in run.answering.runs()),
        )

    def reports(self, tasks: Iterable[str]) -> Iterator[Report]:
        """The reports for some tasks."""
        for agent, task, sample in (place for each in tasks for place in self.places[each]):
            stored = self._runs[agent, task, sample].report(agent, task, sample)
            if stored is not None:
                yield Report(stored.text, agent, task, sample)

    def of_tasks(self, tasks: Sequence[str]) -> Content:
        """The reports for some tasks with all that was said of them."""
        records = [each for of in self._judgements for task in tasks for each in of.of_task(task)]
        return replace(
            self.content,
            records=records,
            tasks={task: self.content.tasks[task] for task in tasks},
            reports=[*map(judged_text, self.reports(tasks))],
        )

    def whole(self, paths: Sequence[Path]) -> Content:
        """The content of a page that holds every report in one file."""
        reports = [*self.reports(self.tasks)]
        return replace(
            self.content,
            records=records_of(paths),
            reports=[*map(judged_text, reports)],
            lengths=[measure(each, dict(self.tasks[each.task].labels)) for each in reports],
        )

    def is_above(self, limit: int) -> bool:
        """Whether texts and findings alone take more bytes."""
        texts = (len(each.text.encode("utf-8", "replace")) for each in self.reports(self.tasks))
        read = (judged for each in self._judgements for judged in each.every(Extent.FIGURES))
        sizes = accumulate(chain(texts, (findings_size([each]) for each in read)))
        return any(size > limit for size in sizes)


def _in_one_file(gathered: _PageMaterial, paths: Sequence[Path], output: Path, limit: int) -> int:
    """Write one page, and say how large it is; 0, and nothing is written, if it would be larger."""
    if gathered.is_above(limit):
        return 0
    size = 0
    with suppress(_PageTooLarge), replacing(output) as fresh:
        with fresh.open("w", encoding="utf-8", newline="") as file:
            for piece in whole_page(gathered.whole(paths)):
                file.write(piece)
                if file.tell() > limit:
                    raise _PageTooLarge
        size = fresh.stat().st_size
    return size


class _PageTooLarge(Exception):
    """The page is larger than a file may be."""


def _split(
    gathered: _PageMaterial,
    output: Path,
    folder: Path,
    limit: int,
    on_index: Callable[[Path], None],
    *,
    force: bool,
) -> WrittenPage:
    """Write the index, then all that it leads to, file by file."""
    counts = {task: len(places) for task, places in gathered.places.items() if places}
    split = Split(gathered.content, counts, folder.name, output.name, limit)
    _clear(folder, force=force)
    index, beside = split.index()
    size = _write(output, index)
    on_index(folder)
    files = 0
    several = (split.of_reports(each, gathered.of_tasks(each.tasks)) for each in split.volumes)
    for name, pieces in chain(beside, chain.from_iterable(several), split.of_rows()):
        size += _write(folder / name, pieces)
        files += 1
    return WrittenPage(size, files, folder)


def _write(path: Path, pieces: Iterable[str]) -> int:
    with replacing(path) as fresh:
        with fresh.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        return fresh.stat().st_size


def _clear(folder: Path, *, force: bool) -> None:
    """Remove the files of an earlier page. Raises BadSetting where they may not be overwritten."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadSetting(
            f"{folder} is no folder, and the files of the page belong into one of that name.",
            "Move it away, or give the page another name with -o.",
        )
    if not force:
        raise BadSetting(f"{folder} is there already.", "Overwrite it with --force.")
    for file in _leaves(folder):
        file.unlink()
    with suppress(OSError):  # something else stands in it
        folder.rmdir()


def _leaves(folder: Path) -> list[Path]:
    """What is named there as files of a page are."""
    return [file for file in folder.glob("*.html") if FILE.fullmatch(file.name)]


def _refuse_foreign(folder: Path) -> None:
    """Raise BadSetting for a file that only has the name of one of ours: it is somebody's work."""
    for file in _leaves(folder):
        if not _is_ours(file):
            raise BadSetting(
                f"{file} was not written by `deepassay html`; nothing was touched.",
                "Move it away, or give the page another name with -o.",
            )


def _is_ours(file: Path) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - TAIL))
        return MADE_BY.encode() in opened.read()


def _refuse_others(runs: Sequence[RunFile]) -> None:
    """Raise BadInput if runs hold different reports of one agent for one task."""
    if key := with_other_text(runs):
        raise BadInput(
            f"The runs hold different reports of {key[0]} for {key[1]}.", "Make a page of each run."
        )


def judged_text(report: Report) -> JudgedText:
    """A report with its mechanical findings."""
    remarks = tuple(
        LintRemark(
            finding.code,
            finding.message,
            finding.rule.reason,
            finding.span.start,
            finding.span.end,
            finding.line,
        )
        for finding in lint(report)
    )
    statements = {each.text: (each.span.start, each.span.end) for each in report.statements}
    return JudgedText(report.agent, report.task, report.sample, report.text, remarks, statements)


def _facts(run: RunFile) -> RunFacts:
    return RunFacts(
        run.path.name, run.configuration, run.spent(), run.unpriced(), run.usage(), run.attempts()
    )
