"""Reports to be looked at one by one, as `lint` does, in every layout that is registered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from deepassay.errors import BadReports
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.reports.documents.convert import Converted
from deepassay.reports.faults import none_in
from deepassay.reports.files import (
    ANSWERS,
    CONVERTED,
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
from deepassay.reports.loaders import loader_of, loaders, readers, report_layouts
from deepassay.reports.report import Report


def report_files(paths: Sequence[Path], tell: Tell) -> Iterator[Path]:
    """The files named, and the reports in the folders named.

    tell: called with what is wrong with a folder.
    """
    endings = (WRITTEN | ANSWERS | loaders().keys() | readers().keys()) - ONLY_NAMED
    return markdown_files(paths, tell, endings)


def looked_at(path: Path, columns: NamedColumns = UNSAID, named: bool = True) -> Iterable[Report]:
    """The reports of a file, with its byte order mark where it is text. columns: of tables.

    named: by a person, and not found in a folder, where JSON is no table, and rows are left that
    need not be reports.

    Raises BadReports, as NoAnswer for JSON that holds no answer and for such rows, and
    MissingExtra.
    """
    ending = ending_of(path, {*loaders(), *readers()})
    if ending in ANSWERS and not path.is_dir():
        return list(json_of(path, columns, tables=named))
    if path.is_dir() or ending in TEXT | CONVERTED:
        return [Report(read_markdown(path), path=str(path))]
    if ending in readers():
        return [Report(converted(path).text, path=str(path))]
    if loader := loader_of(path):
        given = [path] if loader.together else path
        try:
            found = list(loader.load(given, columns) if loader.by_columns else loader.load(given))
        except NoReports as error:
            if named:
                raise
            raise NoAnswer(
                f"{path}: its columns do not say for certain that it holds reports; name it, and "
                "what helps is told.",
                error.remedy,
            ) from error
        if named and not found:
            raise none_in([path])
        return found
    raise BadReports(f"{path}: not a kind of file that holds reports.", report_layouts())


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
