"""Reports from files, in every layout in which answers of agents are published."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.errors import BadReports, Notice
from deepassay.files import BadFile
from deepassay.intake.archives import unpacked
from deepassay.intake.choices import ColumnChoice
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.intake.leaves import is_source
from deepassay.intake.notes import beside_notes, fields_above, notes_among, rows_of_notes
from deepassay.intake.rows import InputRow
from deepassay.intake.shapes import FrameLike, frame_rows, is_frame, tables_in_value
from deepassay.intake.tables import MARKDOWN, TABLES, is_tabbed, is_table
from deepassay.plugins import by_key, every
from deepassay.reports.faults import NoneWrote, each_once, keeping, none_in, unless_failed
from deepassay.reports.files import (
    ANSWERS,
    DOCUMENTS,
    HERE,
    LAYOUTS,
    TEXT,
    Converter,
    NoAnswer,
    ending_of,
    markdown_text,
    read_document,
)
from deepassay.reports.given_files import GIVEN, ONLY_NAMED, files_given
from deepassay.reports.levels import ways_apart
from deepassay.reports.naming import by_folders, each_a_file, whose
from deepassay.reports.report import Report, TextStore
from deepassay.runfile import RunFile
from deepassay.runfile.schema import is_database
from deepassay.score import Json, ReportKey
from deepassay.text import brief

if TYPE_CHECKING:
    from deepassay.reports.documents.convert import Converted


def load_reports(
    paths: Iterable[str | Path | Report],
    converter: Converter = HERE,
    shelf: TextStore | None = None,
    columns: NamedColumns = UNSAID,
) -> tuple[Report, ...]:
    """Reports from files and folders, sorted by agent, task and sample; reports stay as they are.

    A Markdown file is one report of the agent that its folder is named after; its task is its
    name, or what stands between `qid_` and `_report`. `AGENT/TASK/answer_2.md` is the second
    sample. Text, HTML, PDF and DOCX files are named likewise, and the latter three converted;
    so are JSON files with the answer of a provider, whose annotations become citations: see
    `reports.answers`. A JSON Lines file is named after its agent, and perhaps a stage of the
    published pipeline (AGENT.raw.jsonl), or after a stage only (AGENT/validated.jsonl); each line
    has `id` (the task, with or without `qid_` before it), `article`, a text or an answer as a
    provider sends it, and, to be checked against the task, `prompt`. Lines of the providers'
    batches are read as they are. Folders are searched at every depth; README files and hidden
    ones are left out, and JSON that holds no answer.

    Of a run file it is the reports that agents wrote into it, or else those that it scored.
    converter: who converts HTML, PDF and DOCX; documents of other packages are read here. shelf:
    where the texts out of files stand, if memory is not to hold them. Raises BadReports, which
    names file and line, for what cannot be read, for a folder without reports, and for two of one
    agent, task and sample that differ (the same twice is one, and told of), all of them at once;
    MissingExtra for a PDF or DOCX without its extra. A run file all of whose runs ended without
    one is refused only where nothing else that is given holds any.
    """
    given: list[Report] = []
    files: dict[Path, bool] = {}
    whose_are: dict[Path, ReportKey] = {}
    errors: list[BadReports] = []
    apart: list[ColumnChoice] = []
    put = shelf.put if shelf else Report.but  # which changes nothing
    for path in paths:
        if isinstance(path, Report):
            given.append(path)
        elif isinstance(path, str | Path) and is_database(Path(path)):
            with keeping(errors):
                given += map(put, _of_run(Path(path)))
        elif isinstance(path, str | Path):
            with keeping(errors):
                endings = {*loaders(), *readers()} - ONLY_NAMED
                layouts = report_layouts()
                found, of_levels, columns = files_given(Path(path), endings, columns, layouts)
                files |= found
                if not whose_are and Path(path).is_dir():
                    apart = [*ways_apart(Path(path), [*found], columns)]
                whose_are |= of_levels
        else:
            raise BadReports(f"{brief(path)} is neither a path nor a report.", GIVEN)
    columns = replace(columns, one_file=len(files) == 1)
    by_file = _in_files(files, converter, columns, put, errors, alone=not given)
    one = "" in columns.named_as("agent") and len(by_file) > 1
    reports = [*given, *unless_failed([*by_folders(by_file, whose_are, one)])]
    if files and not (reports or errors):
        raise none_in([*files])
    ways = [*each_a_file(by_file, columns), *apart] if len(files) > 1 and not whose_are else []
    return each_once(reports, errors, ways)


def _in_files(
    files: Mapping[Path, bool],
    converter: Converter,
    columns: NamedColumns,
    put: Callable[[Report], Report],
    errors: list[BadReports],
    alone: bool,
) -> dict[Path, list[Report]]:
    """The reports of each file. errors: gets what cannot be read.

    files: whether each was met in a folder. JSON that was, and holds no answer, is left out with a
    Notice; where there is no other report (alone: none beside files), it is read as tables.
    """
    converted = _converted([file for file in files if ending_of(file, readers())], converter)
    found: dict[Path, list[Report]] = {}
    without: dict[Path, NoAnswer] = {}
    several: dict[Loader, list[Path]] = {}
    notes = notes_among(files, columns)
    if notes:
        with keeping(errors):
            found[notes[0]] = [*map(put, _notes(notes, columns))]
    others = beside_notes([file for file in files if file not in notes], notes)
    for file, met in ((each, files[each]) for each in others):
        if (loader := loader_of(file)) and loader.together:
            several.setdefault(loader, []).append(file)
            continue
        with keeping(errors):
            try:
                found[file] = [put(e) for e in _reports_of(file, converted, columns, not met)]
            except NoAnswer as none:
                if not met:
                    raise
                without[file] = none
    for loader, those in several.items():
        with keeping(errors):
            found[those[0]] = [*map(put, loader.load(those))]
    if without and alone and not (errors or any(found.values())):
        for file in [*without]:
            with keeping(errors):
                try:
                    found[file] = [put(each) for each in _json(file, columns)]
                    del without[file]
                except NoAnswer as none:
                    without[file] = none
    if any(found.values()):
        named = "It is left out. If it is a table of reports, name it beside the folder."
        for left in without.values():
            warnings.warn(Notice(f"{left.problem} {named}"), stacklevel=3)
    else:
        errors += without.values()
    return found


def _of_run(path: Path) -> Iterator[Report]:
    """What agents wrote into a run file, with what they did; else the reports that it scored."""
    there = lacking = False
    with RunFile.read(path) as run:
        for one in run.answering.runs():
            lacking |= one.run.report is None
            if (text := one.run.report) is not None:
                there = True
                yield Report(text, one.agent, one.task, one.sample, str(path), run=one.run)
        for each in () if there else run.reports():
            there = True
            yield Report(each.text, each.agent, each.task, each.sample, str(path))
    if not there:
        raise (NoneWrote if lacking else BadReports)(
            f"{path}: the run file holds no report.",
            "Have agents answer with `deepassay research`, or give folders of reports.",
        )


GivenReports = (
    str
    | Path
    | Report
    | Mapping[str, Json]
    | FrameLike
    | Sequence[str | Path | Report | Mapping[str, Json]]
)
"""Files and folders of reports, the objects, or rows with a report each: mappings, a data frame."""


def reports_of(
    given: GivenReports,
    converter: Converter = HERE,
    shelf: TextStore | None = None,
    columns: NamedColumns = UNSAID,
) -> tuple[Report, ...]:
    """Reports from files and folders in any known layout, or from objects. Raises BadReports.

    A text is the name of a file or folder; what a report says stands in `Report(text)`, or in a
    row, whose columns are as in files. Where no column names the agent, it is called `agent`.
    converter: who converts documents. shelf, columns: see `load_reports`.
    """
    rows: list[InputRow] = []
    if is_frame(given):
        try:
            rows = frame_rows(given, "the reports that are given")
        except BadFile as error:
            raise BadReports(f"{error.problem}.", error.remedy) from error
    if isinstance(given, Mapping) and len(tables := tables_in_value(given, "report 1", "row")) == 1:
        (rows,) = tables.values()
    several = [given] if isinstance(given, str | Path | Report | Mapping) else given
    several = [] if rows else several
    if isinstance(several, bytes) or not isinstance(several, Iterable):
        raise BadReports(f"{brief(given)} is neither a path nor reports.", GIVEN)
    named: list[str | Path | Report] = []
    for number, each in enumerate(several, start=1):
        if isinstance(each, Mapping):
            rows.append(InputRow(f"report {number}", each))
        else:
            named.append(each)
    if rows:
        from deepassay.reports.from_rows import reports_of_rows  # most reports are texts

        named += reports_of_rows(rows, "agent", "the reports that are given", columns)
    return load_reports(named, converter, shelf, columns)


class Loader(NamedTuple):
    """How files of a layout are read. endings: of their names, as `.log`. load: their reports.

    `load` takes the path of a file, and raises BadReports, naming file and line, for what it cannot
    read. by_columns: it takes also what people say of columns. together: it takes the paths of all
    its files at once, since what one tells of may go on in another. begins: whether a file is of
    the layout though its name does not say so. by_tools: it takes also what people say of tools,
    where they do.
    """

    title: str
    endings: frozenset[str]
    load: Callable[..., Iterable[Report]]
    by_columns: bool = False
    together: bool = False
    begins: Callable[[Path], bool] | None = None
    by_tools: bool = False


class Reader(NamedTuple):
    """How documents are turned into Markdown, a report each, named as Markdown files are.

    endings: of their names, as `.odt`. read: the Markdown. Raises BadReports.
    """

    title: str
    endings: frozenset[str]
    read: Callable[[Path], Converted]


@cache
def loaders() -> Mapping[str, Loader]:
    """Of files of reports, by the endings of names. Raises BadSetting for one of two packages."""
    return by_key(every("reports", Loader), lambda each: each.endings)


@cache
def readers() -> Mapping[str, Reader]:
    """Whoever reads documents, likewise."""
    return by_key(every("documents", Reader), lambda each: each.endings)


def report_layouts() -> str:
    """What a report may be, for messages: ours, and what other packages read."""
    ours = TEXT | DOCUMENTS | ANSWERS | ONLY_NAMED | {".jsonl"}
    several = {each for each in loaders().values() if each.together}
    ours |= {ending for each in several for ending in each.endings}
    named = sorted(each.title.lower() for each in several)
    more = ", ".join([*named, *(f"*{e}" for e in sorted({*loaders(), *readers()} - ours))])
    return f"{LAYOUTS} Also read: {more}." if more else LAYOUTS


def _converted(
    documents: Sequence[Path], converter: Converter
) -> dict[Path, Converted | BadReports]:
    """Documents as Markdown, or why there is none.

    Each has a process of its own, so that several cores are at work.
    """
    if not documents:
        return {}

    def read(path: Path) -> Converted | BadReports:
        reader = readers()[ending_of(path, readers())]
        try:
            ours = reader.read is read_document
            return read_document(path, converter) if ours else reader.read(path)
        except BadReports as error:
            return error

    with ThreadPoolExecutor(converter.abreast) as pool:
        return dict(zip(documents, pool.map(read, documents), strict=True))


def _reports_of(
    path: Path,
    converted: Mapping[Path, Converted | BadReports],
    columns: NamedColumns,
    tables: bool,
) -> Iterable[Report]:
    """The reports of a file. tables: JSON may also be one. Raises NoAnswer where it holds none."""
    if document := converted.get(path):
        if isinstance(document, BadReports):
            raise document
        names = whose(path, ending_of(path, readers()))
        return [Report(document.text, *names, path=str(path), converter=document.by)]
    if loader := loader_of(path):
        if loader.load is _json:
            return _json(path, columns, tables)
        return loader.load(path, columns) if loader.by_columns else loader.load(path)
    raise BadReports(f"{path}: not a kind of file that holds reports.", report_layouts())


def loader_of(path: Path) -> Loader | None:
    """Who reads a file: by the longest ending that is known, or by how JSON begins."""
    loader = loaders().get(ending_of(path, loaders()))
    if loader is not None and loader.load in (_json, _json_lines):
        those = {each for each in loaders().values() if each.begins}
        return next((each for each in those if each.begins and each.begins(path)), loader)
    return loader


def _markdown(path: Path, columns: NamedColumns = UNSAID) -> Iterable[Report]:
    """The report of a text, or those of a table: with tabs, as spreadsheets save it, or bars."""
    if path.suffix.lower() == ".txt" and is_tabbed(path):
        return _table(path, columns)
    text = markdown_text(path)
    if path.suffix.lower() in MARKDOWN and is_table(text):
        return _table(path, columns)
    if is_source(text):
        raise BadReports(
            f"{path}: it holds JSON and no text of a report.",
            f"Name it {path.stem}.json if it is an answer as a provider sends it; or write what it "
            "says as Markdown.",
        )
    fields, below = fields_above(text)
    if fields:
        told = "What stands between lines --- above texts is no part of the reports."
        warnings.warn(Notice(told), stacklevel=2)
    return [Report(below if fields else text, *whose(path), path=str(path))]


def _json_lines(path: Path, columns: NamedColumns = UNSAID) -> Iterable[Report]:
    from deepassay.reports.from_rows import json_lines_of  # most reports are texts

    return json_lines_of(path, columns)


def _json(path: Path, columns: NamedColumns = UNSAID, tables: bool = True) -> Iterable[Report]:
    from deepassay.reports.from_rows import json_of

    return json_of(path, columns, tables)


def _table(path: Path, columns: NamedColumns = UNSAID) -> Iterable[Report]:
    from deepassay.reports.from_rows import table_of

    return table_of(path, columns)


def _notes(paths: Sequence[Path], columns: NamedColumns = UNSAID) -> Iterator[Report]:
    """The reports of texts above which a field says what was asked."""
    from deepassay.reports.from_rows import reports_of_rows

    folder, rows = paths[0].parent, rows_of_notes(paths)
    if empty := [Path(row.place).name for row in rows if not row.at("report")]:
        have = "have" if empty[1:] else "has"
        told = f"{folder}: {len(empty)} of {len(rows)} notes {have} no text below the fields"
        warnings.warn(Notice(f"{told}, the first is {empty[0]}."), stacklevel=2)
    yield from reports_of_rows(rows, folder.name, str(folder), columns, folder)


def _archive(path: Path, columns: NamedColumns = UNSAID) -> Iterator[Report]:
    """The reports of a ZIP archive: of a folder, or of a table in it."""
    try:
        with unpacked(path) as inside:
            found = load_reports([inside], columns=columns)
    except BadFile as error:
        raise BadReports(f"{path}: {error.problem}.", error.remedy) from error
    for each in found:
        yield each.but(path=str(each.path).replace(str(inside), str(path), 1))


LOADERS: Final = (
    Loader("Markdown and text", TEXT, _markdown, True),
    Loader("JSON Lines", frozenset({".jsonl"}), _json_lines, True),
    Loader("JSON of providers, or a table", ANSWERS, _json, True),
    Loader("Tables", TABLES, _table, True),
    Loader("ZIP archives", frozenset({".zip"}), _archive, True),
)
READERS: Final = (Reader("HTML, PDF and DOCX", DOCUMENTS, read_document),)
