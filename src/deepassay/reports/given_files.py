"""Which files hold reports, of the files and folders that are given."""

from __future__ import annotations

import stat
import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import BadReports, Notice
from deepassay.files import BadFile
from deepassay.intake.columns import NamedColumns
from deepassay.intake.folders import (
    asked_in_folders,
    is_of_chats,
    may_have_reports,
    named_files,
    refuse_odd,
    tables_of_folder,
    tasks_of_folder,
    which_file,
    without_copies,
)
from deepassay.intake.tables import TABLES
from deepassay.reports.files import (
    ANSWERS,
    LAYOUTS,
    WRITTEN,
    NoAnswer,
    markdown_of,
    read_json_report,
    reports_in,
)
from deepassay.reports.levels import by_levels, by_tasks, placed, said_of_levels
from deepassay.reports.naming import is_bare, standing, whose
from deepassay.score import ReportKey
from deepassay.text import brief

ONLY_NAMED: Final = TABLES | {".zip"}
"""Endings of what is nothing of a folder: it may be a table of anything."""
_SHOWN: Final = 4
"""Names of files that a Notice shows."""
GIVEN: Final = (
    "Give files and folders of reports, Report(text, agent=..., task=...) objects, or rows with a "
    "prompt, a report and an agent: mappings, or a data frame."
)


def files_given(
    path: Path, endings: Collection[str], columns: NamedColumns, layouts: str
) -> tuple[dict[Path, bool], dict[Path, ReportKey], NamedColumns]:
    """The files of a path, each with whether it was only met in a folder, and what is said of them.

    In between, whose they are, where more than the names of files and folders says it.

    endings: of what holds reports in a folder. layouts: what those are, for a message. Raises
    BadReports.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise BadReports(f"{path}: there is no such file or folder.", LAYOUTS) from error
    except (OSError, ValueError) as error:  # a text that is no path: too long, or with a null byte
        why = getattr(error, "strerror", None) or error
        raise BadReports(f"{brief(str(path))}: it cannot be read ({why}).", GIVEN) from error
    found = {path: False}
    whose_are: dict[Path, ReportKey] = {}
    if stat.S_ISDIR(mode):
        levels, columns = said_of_levels(columns)
        named, columns = named_files(path, columns)
        tables = [] if named else tables_of_folder(path)
        chats = [each for each in tables if is_of_chats(each)]
        files = reports_in(path, endings)
        if chats:
            left = [each for each in files if each not in chats]
            _tell_of_left(path, left, f"left out beside {chats[0].name}")
        asked = asked_in_folders(path)
        found = dict.fromkeys(named or chats, False)
        found = found or _met(path, files, columns, asked, bool(levels))
        if levels:
            whose_are = placed(path, [*found], levels)
        elif not chats:
            whose_are = by_tasks(path, [*found], columns, asked) or by_levels(
                path, [*found], columns, bool(named)
            )
        if not found:
            found = dict.fromkeys(_only_table(path, columns, layouts), False)
    for file in found:
        _check_name(file)
    return found, whose_are, columns


def _met(
    folder: Path,
    files: list[Path],
    columns: NamedColumns,
    asking: Collection[Path],
    by_level: bool,
) -> dict[Path, bool]:
    """The files of a folder without those that say what was asked, of which a Notice tells.

    asking: those that do. by_level: people say which of several folders is the agent. Raises
    BadReports where some may be no reports.
    """
    asked = [each for each in asking if each in files]
    table = tasks_of_folder(folder, columns)
    asked += [table] if table in files else []
    _tell_of_left(folder, asked, "taken for what was asked, and no reports")
    met = [each for each in files if each not in asked]
    places = {each.parent for each in asking if each.parent != folder}
    beside = _beside_reports(met, places if len(places) > 1 else ())
    _tell_of_left(folder, beside, "left out, as of runs whose reports stand beside")
    met = [each for each in met if each not in beside]
    try:
        refuse_odd(
            folder, [each for each in met if each.suffix.lower() in WRITTEN], columns, bool(asked)
        )
    except BadFile as error:
        raise BadReports(f"{error.problem}.", error.remedy) from error
    if not by_level:
        _refuse_inner(folder, met, columns)
    return dict.fromkeys(met, True)


def _beside_reports(files: Sequence[Path], places: Collection[Path]) -> list[Path]:
    """What a harness writes beside the report of a run: a trace, its usage, an error.

    places: the folders of runs, by what was asked in each; else those with a file that is called as
    a report alone is. Other texts are left only where they are rare: else it is asked.
    """
    written = [each for each in files if each.suffix.lower() in WRITTEN]
    bare = [each for each in written if is_bare(each.stem)]
    places = places or {each.parent for each in bare}
    inside = [each for each in files if each.parent in places]
    reports = [each for each in bare if each.parent in places]
    mostly = len({each.parent for each in reports}) * 2 > len(places) > 1
    if not mostly:
        reports = [each for each in written if each.parent in places]
        if len({each.parent for each in reports}) * 2 <= len(places) or len(places) < 2:
            return []
    number = Counter(each.name for each in inside)
    return [
        each
        for each in inside
        if each not in reports
        and not is_bare(each.stem)
        and (each not in written or number[each.name] * 2 < len(places))
    ]


def _refuse_inner(folder: Path, files: list[Path], columns: NamedColumns) -> None:
    """Raise BadReports for reports in a folder of an agent's folder, as `cedar/old/t1.md`."""
    agents = {each.parent for each in files if each.parent != folder}
    agents &= {each.parent for each in files if whose(each)[0] == each.parent.name}
    inner = sorted(each for each in agents if not agents.isdisjoint(each.parents))
    outer = {place for each in inner for place in each.parents} & agents
    if not any(_may_hold(each, columns) for each in files if each.parent in outer):
        return  # but what a harness keeps of a run, as its settings
    if inner:
        raise BadReports(
            f"{inner[0]} stands in another folder with reports, and nothing says whether it is an "
            "agent, or what is older.",
            f"Move it out of {inner[0].parent}: beside it, if it is an agent.",
        )


def _may_hold(path: Path, columns: NamedColumns) -> bool:
    """Whether a file may hold reports; of JSON, by what stands in it."""
    if path.suffix.lower() not in ANSWERS:
        return True
    try:
        markdown_of(read_json_report(path), str(path))
    except NoAnswer:
        return may_have_reports(path, columns)
    except BadReports:
        return True
    return True


def _tell_of_left(folder: Path, files: list[Path], why: str) -> None:
    if files:
        names = sorted({each.name for each in files})
        named = ", ".join(names[:_SHOWN]) + " and more" * (len(names) > _SHOWN)
        number = f"{len(files)} files ({named}) are" if files[1:] else f"{named} is"
        warnings.warn(Notice(f"{folder}: {number} {why}."), stacklevel=4)


def _only_table(folder: Path, columns: NamedColumns, layouts: str) -> list[Path]:
    """The only table of a folder that has nothing else. Raises BadReports."""
    asked = tasks_of_folder(folder, columns)
    tables = without_copies([e for e in reports_in(folder, ONLY_NAMED) if e != asked])
    if len(tables) == 1:
        return tables
    problem = f"{folder}: there is no report in this folder"
    if not tables:
        raise BadReports(f"{problem}.", layouts)
    which = which_file(folder, tables, columns)
    raise BadReports(f"{problem}; {which.problem}.", which.remedy) from which


def _check_name(path: Path) -> None:
    try:
        str(standing(path)).encode()
    except UnicodeEncodeError as error:
        raise BadReports(
            f"{str(path)!r}: the name is not UTF-8.", "Rename the file, or the folder it is in."
        ) from error
