"""Reports from files, in every layout in which answers of agents are published."""

from __future__ import annotations

import os
import re
import stat
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from deepassay.errors import BadReports, Notice
from deepassay.files import BadFile, json_lines
from deepassay.plugins import by_key, every
from deepassay.reports.documents.convert import Converted, Converter
from deepassay.reports.files import (
    ANSWERS,
    DOCUMENTS,
    HERE,
    TEXT,
    NoAnswer,
    ending_of,
    markdown_of,
    read_document,
    read_json_report,
    read_report_text,
    reports_in,
)
from deepassay.reports.report import Report
from deepassay.reports.shelf import Shelf
from deepassay.runfile import RunFile
from deepassay.runfile.schema import is_database
from deepassay.score import ReportKey, report_key
from deepassay.text import brief, natural_order

_QID = re.compile(r"qid_(.+)_report")
_ANSWER = re.compile(r"answer_(\d{1,6})")
_STAGE = re.compile(
    r"(?:\A|(?<=.)\.)(?:raw|cleaned|extracted|deduplicated|scraped|validated|raw_results)\Z"
)
_LAYOUTS = (
    "Reports are Markdown or text files (AGENT/TASK.md, AGENT/qid_TASK_report.md or "
    "AGENT/TASK/answer_1.md), HTML, PDF or DOCX files of such names, answers as providers send "
    "them (AGENT/TASK.json), or JSON Lines of {id, prompt, article} (AGENT.jsonl)."
)
_ARTICLES = ("article", "response", "final_report", "report", "answer")
_PROMPTS = ("prompt", "question")
_TASKS = ("custom_id", "id", "key", "task_id", "task")
_NAMED = 10  # problems, where there are several
_MARK = "\ufeff"  # of the byte order


def load_reports(
    paths: Iterable[str | Path | Report], converter: Converter = HERE, shelf: Shelf | None = None
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
    MissingExtra for a PDF or DOCX without its extra.
    """
    given: list[Report] = []
    files: dict[Path, bool] = {}
    errors: list[BadReports] = []
    put = shelf.put if shelf else Report.but  # which changes nothing
    for path in paths:
        if isinstance(path, Report):
            given.append(path)
        elif isinstance(path, str | Path) and is_database(Path(path)):
            with _kept(errors):
                given += map(put, _of_run(Path(path)))
        elif isinstance(path, str | Path):
            with _kept(errors):
                found = _files(Path(path), {*loaders(), *readers()})
                files |= dict.fromkeys(found, found != [Path(path)])
        else:
            raise BadReports(f"{brief(path)} is neither a path nor a report.", _GIVEN)
    converted = _converted([file for file in files if ending_of(file, readers())], converter)
    for file, met in files.items():
        with _kept(errors):
            given += map(put, _reports_of(file, converted, passed_over=met))
    return _sorted(given, errors)


def _sorted(given: Iterable[Report], errors: list[BadReports]) -> tuple[Report, ...]:
    """Reports in order. errors: what could not be read; raised with what is there twice."""
    reports: dict[ReportKey, list[Report]] = {}
    again: list[str] = []
    for report in given:
        reports.setdefault(report_key(report), []).append(report)
    for first, *others in reports.values():
        for other in others:
            place, there = (each.path or "a report given as a value" for each in (other, first))
            if other.text == first.text:  # as in logs of a run by two protocols
                again.append(f"{place}, as {there}")
            else:
                errors.append(_second(other, place, there))
    if errors:
        raise _together(errors)
    if again:
        told = f"Reports that came again with the same text, and count once: {len(again)}"
        warnings.warn(Notice(f"{told}. The first: {again[0]}."), stacklevel=2)
    order = sorted(reports, key=lambda key: (key[0], natural_order(key[1]), key[2]))
    return tuple(reports[key][0] for key in order)


def _of_run(path: Path) -> Iterator[Report]:
    """What agents wrote into a run file, with what they did; else the reports that it scored."""
    there = False
    with RunFile.read(path) as run:
        for one in run.answering.runs():
            if one.run.report is not None:
                there = True
                yield Report(
                    one.run.report, one.agent, one.task, one.sample, str(path), run=one.run
                )
        for each in () if there else run.reports():
            there = True
            yield Report(each.text, each.agent, each.task, each.sample, str(path))
    if not there:
        raise BadReports(
            f"{path}: the run file holds no report.",
            "Have agents answer with `deepassay research`, or give folders of reports.",
        )


@contextmanager
def _kept(errors: list[BadReports]) -> Iterator[None]:
    """What cannot be read within is kept, so that the other files are looked at too."""
    try:
        yield
    except BadReports as error:
        errors.append(error)


def _together(errors: Sequence[BadReports]) -> BadReports:
    """One error that names all; alone, it stays what it is."""
    if len(errors) == 1:
        return errors[0]
    named = [f"  {error.problem}" for error in errors[:_NAMED]]
    more = [f"  and {len(errors) - _NAMED} more"] if len(errors) > _NAMED else []
    remedies = {error.remedy for error in errors}
    apart = "Correct them, or leave them out. Give one alone to be told what helps."
    return BadReports(
        "\n".join([f"The reports have {len(errors)} faults:", *named, *more]),
        remedies.pop() if len(remedies) == 1 else apart,
    )


def _second(report: Report, place: str, first: str) -> BadReports:
    return BadReports(
        f"{place}: a second report of agent {report.agent!r} for task {report.task!r}, sample "
        f"{report.sample}; the first is {first}",
        "Give each once, and number several answers: answer_1.md, answer_2.md.",
    )


GivenReports = str | Path | Report | Sequence[str | Path | Report]
"""Files and folders of reports, or the objects."""


def reports_of(
    given: GivenReports, converter: Converter = HERE, shelf: Shelf | None = None
) -> tuple[Report, ...]:
    """Reports from files and folders in any known layout, or from objects. Raises BadReports.

    A text is the name of a file or folder; what a report says stands in `Report(text)`.
    converter: who converts documents. shelf: see `load_reports`.
    """
    several = [given] if isinstance(given, str | Path | Report) else given
    if isinstance(several, bytes) or not isinstance(several, Iterable):
        raise BadReports(f"{brief(given)} is neither a path nor reports.", _GIVEN)
    return load_reports(several, converter, shelf)


_GIVEN: Final = "Give files and folders of reports, or Report(text, agent=..., task=...) objects."


class Loader(NamedTuple):
    """How files of a layout are read. endings: of their names, as `.log`. load: their reports.

    `load` raises BadReports, naming file and line, for what it cannot read.
    """

    title: str
    endings: frozenset[str]
    load: Callable[[Path], Iterable[Report]]


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
    ours = TEXT | DOCUMENTS | ANSWERS | {".jsonl"}
    more = ", ".join(f"*{each}" for each in sorted({*loaders(), *readers()} - ours))
    return f"{_LAYOUTS} Also read: {more}." if more else _LAYOUTS


def _files(path: Path, endings: Collection[str]) -> list[Path]:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise BadReports(f"{path}: there is no such file or folder.", _LAYOUTS) from error
    except (OSError, ValueError) as error:  # a text that is no path: too long, or with a null byte
        why = getattr(error, "strerror", None) or error
        raise BadReports(f"{brief(str(path))}: it cannot be read ({why}).", _GIVEN) from error
    files = reports_in(path, endings) if stat.S_ISDIR(mode) else [path]
    if not files:
        raise BadReports(f"{path}: there is no report in this folder.", report_layouts())
    for file in files:
        _check_name(file)
    return files


def _check_name(path: Path) -> None:
    try:
        str(_standing(path)).encode()
    except UnicodeEncodeError as error:
        raise BadReports(
            f"{str(path)!r}: the name is not UTF-8.", "Rename the file, or the folder it is in."
        ) from error


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
    path: Path, converted: Mapping[Path, Converted | BadReports], passed_over: bool
) -> Iterable[Report]:
    """The reports of a file. passed_over: JSON that holds none is left out with a Notice."""
    if document := converted.get(path):
        if isinstance(document, BadReports):
            raise document
        names = whose(path, ending_of(path, readers()))
        return [Report(document.text, *names, path=str(path), converter=document.by)]
    if loader := loaders().get(ending_of(path, loaders())):
        if not (passed_over and loader.load is _json):
            return loader.load(path)
        try:
            return list(_json(path))
        except NoAnswer as error:
            warnings.warn(Notice(f"{error.problem} It is left out."), stacklevel=3)
            return []
    raise BadReports(f"{path}: not a kind of file that holds reports.", report_layouts())


def _markdown(path: Path) -> Iterable[Report]:
    return [Report(_text(path), *whose(path), path=str(path))]


def whose(path: Path, ending: str = "") -> ReportKey:
    """Agent, task and sample that the name of a report's file says. ending: if it has two dots."""
    folders, stem = _standing(path).parent, path.name[: -len(ending)] if ending else path.stem
    if found := _ANSWER.fullmatch(stem):
        return folders.parent.name, folders.name, int(found[1])
    found = _QID.fullmatch(stem)
    return folders.name, found[1] if found else stem, 1


def _standing(path: Path) -> Path:
    """The whole path. Links are not followed: their names are those of agents and tasks."""
    return Path(os.path.normpath(path.absolute()))


def _text(path: Path) -> str:
    """Text of a file; a byte order mark at its start is no part of the report."""
    return read_report_text(path).removeprefix(_MARK)


def _json_lines(path: Path) -> Iterator[Report]:
    try:
        lines = ((f"{path}:{number}", each) for number, each in json_lines(_text(path)))
        yield from _from_records(lines, path)
    except BadFile as error:
        raise BadReports(f"{path}:{error.line}: {error.problem}.", error.remedy) from error


def _from_records(records: Iterable[tuple[str, Mapping[str, Any]]], path: Path) -> Iterator[Report]:
    """The reports of lines or objects, each with its place, of which no two are of one task."""
    first: dict[str, str] = {}
    for place, record in records:
        report = _from_record(record, path, place)
        if (known := first.setdefault(report.task, place)) != place:
            raise _second(report, place, known)
        yield report


def _from_record(record: Mapping[str, Any], path: Path, place: str) -> Report:
    """The report of one line; other fields of the record are not looked at."""
    task, prompt = _first(record, _TASKS), _first(record, _PROMPTS)
    if isinstance(task, bool) or not isinstance(task, int | str) or task == "":
        raise BadReports(f"{place}: field 'id' is missing or no identifier.", _LAYOUTS)
    if prompt is not None and not isinstance(prompt, str):
        raise BadReports(f"{place}: field 'prompt' is not a text.", _LAYOUTS)
    text, by = _first(record, _ARTICLES), ""
    if text is None and isinstance(right := record.get("chosen"), list) and right:
        text = right[0]  # RewardBench 2: all completions are in the task, the report is the first
    if not isinstance(text, str):
        try:
            text, by = markdown_of(text or record, place)
        except NoAnswer as error:
            what = "field 'article' is missing or not a text"
            raise BadReports(f"{place}: {what}.", _LAYOUTS) from error
    name, agent = str(task).removeprefix("qid_"), agent_of(path)
    return Report(text, agent, name, path=f"{path}#{task}", prompt=prompt, converter=by)


def _first(record: Mapping[str, Any], names: Iterable[str]) -> Any:  # noqa: ANN401 - JSON
    return next((record[name] for name in names if record.get(name) is not None), None)


def agent_of(path: Path) -> str:
    """The agent that a JSON Lines file is named after; its folder is, if the file is by a stage."""
    return _STAGE.sub("", path.stem) or _standing(path).parent.name


def _json(path: Path) -> Iterator[Report]:
    """The answer of a provider, or a list of what a JSON Lines file has on its lines."""
    value = read_json_report(path)
    records = value if isinstance(value, list) else [value]
    if records and all(map(_is_record, records)):
        objects = ((f"{path}, object {number}", each) for number, each in enumerate(records, 1))
        yield from _from_records(objects, path)
    else:
        text, by = markdown_of(value, str(path))
        yield Report(text, *whose(path), path=str(path), converter=by)


def _is_record(value: object) -> bool:
    return (
        isinstance(value, dict)
        and _first(value, _TASKS) is not None
        and _first(value, _ARTICLES) is not None
    )


LOADERS: Final = (
    Loader("Markdown and text", TEXT, _markdown),
    Loader("JSON Lines", frozenset({".jsonl"}), _json_lines),
    Loader("JSON of providers", ANSWERS, _json),
)
READERS: Final = (Reader("HTML, PDF and DOCX", DOCUMENTS, read_document),)
