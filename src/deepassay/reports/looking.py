"""Reports to be looked at one by one, as `lint` does, in every layout that is registered."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from deepassay.errors import BadReports
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.reports.documents.convert import Converted
from deepassay.reports.faults import SecondOfTable, SecondReport, none_in
from deepassay.reports.files import (
    ANSWERS,
    TEXT,
    WRITTEN,
    NoAnswer,
    NoReports,
    Tell,
    ending_of,
    markdown_files,
    read_document,
    read_markdown,
)
from deepassay.reports.from_rows import json_of
from deepassay.reports.given_files import ONLY_NAMED
from deepassay.reports.loaders import Loader, loader_of, loaders, readers, report_layouts
from deepassay.reports.report import Report


def report_files(paths: Sequence[Path], tell: Tell) -> Iterator[Path]:
    """The files named, and the reports in the folders named.

    tell: called with what is wrong with a folder.
    """
    endings = (WRITTEN | ANSWERS | loaders().keys() | readers().keys()) - ONLY_NAMED
    return markdown_files(paths, tell, endings)


def read_together(files: Sequence[Path], tell: Tell) -> dict[Path, list[Report]]:
    """The reports of the files whose loaders take all of theirs at once, by the file of each.

    A file in which none begins has an empty list. tell: called with what is wrong with one.
    """
    several: dict[Loader, list[Path]] = {}
    for file in dict.fromkeys(files):
        if (loader := loader_of(file)) and loader.together:
            several.setdefault(loader, []).append(file)
    found: dict[Path, list[Report]] = {}
    for loader, those in several.items():
        found |= {file: [] for file in those}
        try:
            reports = _of_all(loader, those, tell)
        except BadReports as error:
            tell(error)
            continue
        for each in reports:
            found.get(Path(each.path or ""), found[those[0]]).append(each)
    return found


def _of_all(loader: Loader, files: Sequence[Path], tell: Tell) -> list[Report]:
    """The reports of files that are read at once, without such files as cannot be read."""
    try:
        return [*loader.load(files)]
    except BadReports:
        if len(files) == 1:
            raise
    whole: list[Path] = []
    for file in files:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the whole ones are told of below
                list(loader.load([file]))
            whole.append(file)
        except BadReports as error:
            tell(error)
    return [*loader.load(whole)] if whole else []


def looked_at(path: Path, columns: NamedColumns = UNSAID, named: bool = True) -> Iterable[Report]:
    """The reports of a file, with its byte order mark where it is text. columns: of tables.

    named: by a person, and not found in a folder, where JSON is no table, and rows are left that
    need not be reports, or of which two are the same one.

    Raises BadReports, as NoAnswer for JSON that holds no answer and for such rows, and
    MissingExtra.
    """
    ending = ending_of(path, {*loaders(), *readers()})
    if path.is_dir() or ending in WRITTEN:
        return [Report(read_markdown(path), path=str(path))]
    loader = loader_of(path)
    if ending in readers():
        return [Report(converted(path).text, path=str(path))]
    if not loader:
        raise BadReports(f"{path}: not a kind of file that holds reports.", report_layouts())
    given = [path] if loader.together else path
    try:
        if ending in ANSWERS and not loader.together:
            found = list(json_of(path, columns, tables=named))
        else:
            found = list(loader.load(given, columns) if loader.by_columns else loader.load(given))
    except (NoReports, SecondReport, SecondOfTable) as error:
        if named:
            raise
        unsaid = (
            f"{path}: its columns do not say for certain that it holds reports; name it, and what "
            "helps is told."
        )
        told = (
            unsaid
            if isinstance(error, NoReports)
            else f"{error.problem}, so that nothing of the file is read."
        )
        raise NoAnswer(told, error.remedy) from error
    if named and not found:
        raise none_in([path])
    return found


def is_markdown(path: Path) -> bool:
    """Whether a file is the text of one report, which can be repaired in it."""
    return ending_of(path, {*loaders(), *readers()}) in TEXT


def converted(path: Path) -> Converted:
    """The Markdown of a document or an answer. Raises BadReports, and MissingExtra."""
    reader = readers().get(ending_of(path, readers()))
    return reader.read(path) if reader else read_document(path)


def only_one(path: Path, columns: NamedColumns = UNSAID) -> Report:
    """The report of a file that holds one. Raises BadReports, and MissingExtra."""
    reports = [*looked_at(path, columns)]
    if len(reports) != 1:
        raise BadReports(
            f"{path}: it holds {len(reports)} reports, and this takes one.",
            "Put the one that you mean into a file of its own.",
        )
    return reports[0]
