"""Published sets as tables of field names: what a set is, where in its files what is, and its rows.

A set is a TOML file, ours in `sets/` beside this one, other people's wherever they are: what it
measures and where one gets it; `[layout]`, the names of its fields; `[setting]`, how its reports
are judged, which the protocol `rubrics` reads.

Where something is in a row is said by a way. `content.rubric.*` leads through mappings by their
keys, `*` through each of them; through each entry of a list, or the one of a number, from 0 on; and
through JSON that is written as a text. What a field of an entry is called stands in that entry; `.`
is the entry itself, `*` the key that led to it, `^sections.id` a field of the entry of `sections`
that it stands in, `/metadata.marks.#` what stands in the row at the same place of a list.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from deepassay.errors import BadSetting, BadTasks, meant
from deepassay.intake.rows import InputRow
from deepassay.score import Json
from deepassay.tasks.fields import Record, Text, field_name, first_mistake, problem_of
from deepassay.text import first_few

OURS: Final = files(__package__) / "sets"
ENDING: Final = ".toml"

_Ways = Annotated[tuple[Text, ...], Field(strict=False)]


class FileLayout(Record):
    """By what the files of a set are known: names of fields and ways to them.

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
    its bibliographies, where it has some. labels: that of people's verdicts on its criteria.
    setting: how its reports are judged, unread. verdicts:
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
    labels: FileLayout | None = None
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
        told = first_few([f"{name} ({title})" for name, title in files.items()], 5)
        super().__init__(f"{folder} holds files of several sets: {told}.", "Name one file.")
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


# ------------------------------------------------------------------ ways

HERE: Final = "."
EACH: Final = "*"
ABOVE: Final = "^"
ROW: Final = "/"
SAME: Final = "#"

_PYTHON: Final = re.compile(r"\s*(?:\[\s*[\[{'\"\]]|\{\s*')")
"""How lists and mappings begin that Python wrote, as in the cells of a CSV file."""


@dataclass(frozen=True)
class Entry:
    """What a way leads to. above: the entries that it stands in, by the step that led to each.

    key: of the mapping that `*` went through. place: in its list, from 0 on. listed: whether it
    stands in one.
    """

    value: Json
    above: Mapping[str, Json]
    key: str = ""
    place: int = 0
    listed: bool = False

    def field(self, name: str, row: Json) -> Json:
        """What stands under a name, as it is said above; None where nothing does."""
        if name == HERE:
            return self.value
        if name == EACH:
            return self.key
        if name.startswith(ABOVE):
            step, _, rest = name.removeprefix(ABOVE).partition(HERE)
            return field_at(self.above.get(step), rest)
        if name.startswith(ROW):
            return field_at(row, name.removeprefix(ROW), self.place)
        return field_at(self.value, name)


def entries_at(value: Json, way: str) -> Iterator[Entry]:
    """Everything that a way leads to, in order."""
    yield from _followed(Entry(value, {}), way.split(HERE) if way else [], "")


def _followed(at: Entry, steps: list[str], last: str) -> Iterator[Entry]:
    value = _opened(at.value) if steps else at.value
    if isinstance(value, list) and steps and steps[0].isdigit():
        for each in value[int(steps[0]) : int(steps[0]) + 1]:
            yield from _followed(replace(at, value=each), steps[1:], last)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            inner = Entry(each, {**at.above, last: each}, at.key, place, listed=True)
            yield from _followed(inner, steps, last)
    elif not steps:
        yield at
    elif isinstance(value, Mapping):
        step, *rest = steps
        for key in value if step == EACH else [step] if step in value else []:
            found = value[key] if rest else _opened(value[key])
            inner = replace(at, value=found, key=key if step == EACH else at.key)
            yield from _followed(inner, rest, step)


def leads_on(value: Json, way: str) -> bool:
    """Whether a way can be gone to its end, if only to a list or a mapping that holds nothing."""
    value = _opened(value)
    step, _, rest = way.partition(HERE)
    if not step:
        return value is not None
    if isinstance(value, list):
        return all(leads_on(each, way) for each in value)
    if not isinstance(value, Mapping):
        return False
    inner = value.values() if step == EACH else [value[step]] if step in value else [None]
    return all(leads_on(each, rest) for each in inner)


def field_at(value: Json, way: str, place: int | None = None) -> Json:
    """What a way through mappings leads to; None where it leads nowhere. place: for `#`."""
    for step in way.split(HERE) if way else []:
        value = _opened(value)
        if step == SAME and isinstance(value, list) and place is not None:
            value = value[place] if place < len(value) else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _opened(value: Json) -> Json:
    """What a text holds that is JSON, or as Python writes lists and mappings; else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            pass
        if _PYTHON.match(value):
            try:
                return ast.literal_eval(value.strip())
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                return value
    return value
