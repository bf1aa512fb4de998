"""Published sets as tables of field names: what a set is, where in its files what is, and its rows.

A set is a TOML file, ours in `sets/` beside this one, other people's wherever they are: what it
measures and where one gets it; `[layout]`, the names of its fields; `[setting]`, how its reports
are judged, which the protocol `rubrics` reads.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from deepassay.errors import BadSetting, BadTasks, meant
from deepassay.intake.rows import InputRow
from deepassay.tasks.fields import Record, Text, field_name, first_mistake, problem_of
from deepassay.tasks.ways import entries_at

OURS: Final = files(__package__) / "sets"
ENDING: Final = ".toml"

_Ways = Annotated[tuple[Text, ...], Field(strict=False)]


class FileLayout(Record):
    """By what the files of a set are known: names of fields and ways to them, see `ways`.

    columns: ways that give the layout away: each leads to something in a file of the set, and those
    of never lead to nothing. files: in a folder, how those are called that are read,
    `{id}_points.json`.
    """

    columns: _Ways
    never: _Ways = ()
    files: str = ""


class ReferencesLayout(FileLayout):
    """Where in the rows of an expert's references, one a row, what is.

    id: of the task; that of the file's name where there is none. named: what may hold a DOI or an
    arXiv number, also inside other words.
    """

    id: str = ""
    title: Text
    named: _Ways = ()


class SetLayout(FileLayout):
    """Where in the rows of a set what is.

    id, prompt: a way, or a text
    with ways in braces; a row without an identifier has that of its file, or its number. A file
    without prompts is one of rubrics. request: what the judge is told was asked, where that is not
    the prompt. criteria: the way to the criteria; the fields of one are text, weight, axis, tags,
    importance, examples, critical, within; without a way to weights all are 1, and default_weight
    is that of a criterion that has none. marked: whether the text ends with a number for each
    verdict, as `Yes=3, No=0`. relevant: the way to the addresses of pages that answer the task.
    labels: by the name that tables show.
    """

    id: str = ""
    prompt: str = ""
    request: str = ""
    language: str = ""
    criteria: str = ""
    text: str = ""
    weight: str = ""
    default_weight: float | None = None
    axis: str = ""
    tags: str = ""
    importance: str = ""
    examples: str = ""
    critical: str = ""
    within: str = ""
    marked: bool = False
    blocked: str = ""
    relevant: str = ""
    labels: Mapping[str, Text] = Field(default_factory=dict)


class PublishedVerdicts(Record):
    """Where verdicts stand that a set's authors published, with the figures that they made of them.

    files: in a folder, how those are called that have them. each: the way to what is of one report.
    id: the field that names it, `*` for the key that led there. verdicts: the way from there to the
    verdicts, word: the verdict of one, importance: of its criterion. figures: by the name of a part
    of our score, or `score`, the way to theirs.
    """

    files: str = "*.json"
    each: str = ""
    id: Text
    verdicts: Text
    word: Text
    importance: str = ""
    figures: Mapping[str, Text]


class PublishedSet(Record):
    """What people ask of a set before they take it. measures, ours: sentences.

    criteria: how many a task has, about, by which a report costs so many calls. layout: None where
    its criteria are in no file of tasks: they are given beside tasks of any. references: that of
    its bibliographies, where it has some. setting: how its reports are judged, unread. verdicts:
    published ones, which `tasks recount` counts again. detected: whether a file of it is known
    without being named.
    """

    title: Text
    measures: Text
    licence: Text
    source: Text
    ours: Text
    criteria: Annotated[float, Field(strict=False, ge=0)] = 0
    detected: bool = True
    layout: SetLayout | None = None
    references: ReferencesLayout | None = None
    setting: Mapping[str, Any] = Field(default_factory=dict)
    verdicts: PublishedVerdicts | None = None


def _text(place: Traversable | Path, name: str) -> str:
    try:
        return place.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"{name}: the set cannot be read ({error}).", "Correct it.") from error


@cache
def set_in(text: str, name: str) -> PublishedSet:
    """The set that a table says. name: for messages. Raises BadSetting."""
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{name}: the set cannot be read ({error}).", "Correct it.") from error
    try:
        return PublishedSet.model_validate(said)
    except ValidationError as error:
        first = first_mistake(error)
    field = field_name(first["loc"])
    problem = "unknown field" if first["type"] == "extra_forbidden" else problem_of(first)
    raise BadSetting(f"{name}: {field}: {problem}.", "docs/own-sets.md shows a set whole.")


@cache
def published_sets() -> Mapping[str, PublishedSet]:
    """Our sets by name, in alphabetical order."""
    found = sorted(each.name for each in OURS.iterdir() if each.name.endswith(ENDING))
    return {each.removesuffix(ENDING): set_in(_text(OURS / each, each), each) for each in found}


def own_table(name: str) -> str:
    """The text of a set that is a file of one's own; nothing for one of ours. Raises BadSetting."""
    return _text(Path(name), name) if name.endswith(ENDING) else ""


def set_named(name: str) -> PublishedSet:
    """The set of a name, or that of a file. Raises BadSetting."""
    if table := own_table(name):
        return set_in(table, name)
    if name not in published_sets():
        raise BadSetting(
            f"There is no set {name!r}.",
            meant(name, published_sets()) + "`deepassay tasks sets` lists them.",
        )
    return published_sets()[name]


# ------------------------------------------------------------------ rows of a set


class SeveralSets(BadTasks):
    """A folder holds files of several published sets. files: the set of each, by its name."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        told = ", ".join(f"{name} ({title})" for name, title in [*files.items()][:5])
        more = f" and {len(files) - 5} more" if len(files) > 5 else ""
        super().__init__(f"{folder} holds files of several sets: {told}{more}.", "Name one file.")
        self.files = files


class NoPrompts(BadTasks):
    """A file that belongs beside tasks is given as one of tasks, which it holds none of.

    field: of `Task` that it fills, and the option under which it is given.
    """

    def __init__(self, row: InputRow, what: str, field: str) -> None:
        super().__init__(
            f"{row.place}: these are {what}, which say no prompts.",
            f"Give the tasks, and this file as --{field} FILE.",
        )
        self.field = field


def set_of(rows: Sequence[InputRow]) -> PublishedSet | None:
    """The set whose layout rows are in: each of its columns leads somewhere in one of the first."""
    for found in published_sets().values():
        if found.detected and found.layout and fits(found.layout, rows):
            return found
    return None


def one_set_of(folder: Path, rows: Sequence[InputRow]) -> PublishedSet | None:
    """The set of all files of a folder that are of one. Raises SeveralSets."""
    by_file: dict[str, list[InputRow]] = {}
    for row in rows:
        by_file.setdefault(file_of(row), []).append(row)
    found = {name: each for name, own in by_file.items() if (each := set_of(own)) is not None}
    if len({each.title for each in found.values()}) > 1:
        raise SeveralSets(folder, {name: each.title for name, each in found.items()})
    return next(iter(found.values()), None)


def file_of(row: InputRow) -> str:
    """The name of the file that a row stands in."""
    return row.place.partition(", ")[0]


def fits(layout: FileLayout, rows: Sequence[InputRow]) -> bool:
    """Whether rows are of a layout, by the first of them."""
    own = rows_of_set(layout, rows)[:50]

    def leads(way: str) -> bool:
        return any(next(entries_at(row.fields, way), None) is not None for row in own)

    return all(map(leads, layout.columns)) and not any(map(leads, layout.never))


def rows_of_set(layout: FileLayout, rows: Sequence[InputRow]) -> Sequence[InputRow]:
    """The rows whose files are called as the layout says; all where none is, as of one file."""
    named = [row for row in rows if name_in_file(layout, row) is not None]
    return named or rows


def name_in_file(layout: FileLayout, row: InputRow) -> str | None:
    """What stands for `{id}` in the name of the file of a row; None if it is called otherwise."""
    if not layout.files:
        return None
    named = re.escape(layout.files).replace(r"\{id\}", "(?P<id>[^/]+)")
    called = re.search(rf"(?:\A|/){named}\Z", file_of(row))
    return called.groupdict().get("id", "") if called else None


def published_references(rows: Sequence[InputRow]) -> ReferencesLayout | None:
    """The layout of a published set that rows are in, a reference in each."""
    known = (found.references for found in published_sets().values())
    return next((each for each in known if each is not None and fits(each, rows)), None)
