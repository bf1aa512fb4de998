"""Published sets as tables of field names: what a set is, where in its files what is, and its rows.

A set is a TOML file, ours in `sets/` beside this one, other people's wherever they are: what it
measures and where one gets it; `[layout]`, the names of its fields; `[setting]`, how its reports
are judged, which the protocol `rubrics` reads.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from deepassay.errors import BadSetting, BadTasks, Notice, meant
from deepassay.intake.rows import InputRow
from deepassay.score import Json
from deepassay.tasks.fields import Record, Text, field_name, first_mistake, problem_of
from deepassay.tasks.ways import EACH, HERE, Entry, entries_at, field_at, leads_on

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
    raise BadSetting(f"{name}: {field}: {problem}.", "docs/extending.md shows a set whole.")


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

Fields = dict[str, Json]
"""Of a task, as it is read from a file."""

_SAID: Final = r"\s*[(（][^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)*[)）]"
_MARK: Final = rf"[A-Za-z]+(?:{_SAID})?\s*=\s*-?\d+(?:\.\d+)?(?:{_SAID})?"
_MARKS: Final = re.compile(rf"\s*({_MARK}(?:[,;，；]\s*{_MARK})+)\s*[.。]?\s*\Z")
_ONE_MARK: Final = re.compile(rf"([A-Za-z]+)({_SAID})?\s*=\s*(-?\d+(?:\.\d+)?)({_SAID})?")
MARKS_WITHIN: Final = 2_000
"""Characters at the end of a criterion in which its marks stand, with what is said of each."""
_BRACED: Final = re.compile(r"\{([^{}]+)\}")


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


def set_rows(found: PublishedSet, rows: Sequence[InputRow]) -> Iterator[tuple[InputRow, Fields]]:
    """Each row with the fields of a task that it holds; without `prompt` where the set has none.

    A Notice tells of rows in a folder that are of other files. Raises BadTasks.
    """
    layout = found.layout or SetLayout(columns=())
    if not fits(layout, rows):
        raise BadTasks(
            f"{rows[0].place}: this is no file of {found.title}: it has to have "
            f"{', '.join(layout.columns)}.",
            "Name another file, or leave --set out.",
        )
    own = rows_of_set(layout, rows)
    if len(own) < len(rows):
        told = f"{len(rows) - len(own)} rows of files that are not called {layout.files}: not used."
        warnings.warn(Notice(told), stacklevel=2)
    asked = _BRACED.findall(layout.prompt) or [layout.prompt]
    asks = any(field_at(row.fields, way) is not None for row in own for way in asked)
    for number, row in enumerate(own, start=1):
        labels = {"set": found.title}
        for label, way in layout.labels.items():
            value = field_at(row.fields, way)
            if isinstance(value, str | int | float) and value != "":
                labels[label] = str(value)
        fields: dict[str, Json] = {"id": _id_in(layout, row, number), "labels": labels}
        for name, way in (("prompt", layout.prompt), ("request", layout.request)):
            if way and (name != "prompt" or asks):
                fields[name] = _said(row, way)
        if layout.criteria:
            if not leads_on(row.fields, layout.criteria):
                raise BadTasks(
                    f"{row.place}: the criteria are missing (field '{layout.criteria}').",
                    "Correct that row of the file, or take it out.",
                )
            entries = enumerate(entries_at(row.fields, layout.criteria), start=1)
            fields["rubric"] = [_criterion(layout, row, each, place) for place, each in entries]
        for name, way in (("language", layout.language), ("blocked", layout.blocked)):
            if way and (value := field_at(row.fields, way)) is not None:
                fields[name] = value
        if layout.relevant:
            fields["relevant"] = [entry.value for entry in entries_at(row.fields, layout.relevant)]
        yield row, fields


def _id_in(layout: SetLayout, row: InputRow, number: int) -> str:
    """The identifier of a row: its field, else the name of its file, else its number."""
    if layout.id:
        for way in _BRACED.findall(layout.id) or [layout.id]:
            value = field_at(row.fields, way)
            if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
                raise BadTasks(
                    f"{row.place}: field '{way}': must be a text or a whole number.",
                    "Correct that row of the file.",
                )
        return _filled(row, layout.id) if "{" in layout.id else str(value)
    key = row.fields.get(EACH)
    return name_in_file(layout, row) or (key if isinstance(key, str) else str(number))


def _criterion(layout: SetLayout, row: InputRow, entry: Entry, number: int) -> dict[str, Json]:
    def of(name: str) -> Json:
        return entry.field(name, row.fields) if name else None

    if layout.text == HERE and not entry.listed:
        raise BadTasks(
            f"{row.place}: the criteria are no list (field '{layout.criteria}').",
            "Correct that row of the file, or take it out.",
        )
    text = of(layout.text)
    text, grades = _marked(text) if layout.marked and isinstance(text, str) else (text, {})
    said: dict[str, Json] = {"id": f"c{number}", "criterion": text}
    if grades:
        said |= {"weight": max(grades.values()), "grades": grades}
    elif (weight := of(layout.weight)) is not None or not layout.weight:
        said["weight"] = 1 if weight is None else weight
    elif layout.default_weight is not None:
        said["weight"] = layout.default_weight
    for name, way in (
        ("axis", layout.axis),
        ("tags", layout.tags),
        ("importance", layout.importance),
        ("examples", layout.examples),
        ("critical", layout.critical),
        ("within", layout.within),
    ):
        if (value := of(way)) not in (None, "", []):
            said[name] = value
    return said


def _marked(text: str) -> tuple[str, dict[str, float]]:
    """A criterion without the number of each verdict at its end, and these; a line for each verdict
    of which something is said.
    """
    start = max(0, len(text) - MARKS_WITHIN)
    if (found := _MARKS.search(text, start)) is None:
        return text, {}
    marks = _ONE_MARK.findall(found[1])
    told = [f"{word}{before or behind}" for word, before, _, behind in marks if before or behind]
    asked = "\n".join([text[: found.start()].strip(), *told])
    return asked, {word: float(mark) for word, _, mark, _ in marks}


def _said(row: InputRow, way: str) -> Json:
    """A text of a row, or one made of several; of a conversation what was said, turn by turn."""
    if "{" in way:
        return _filled(row, way)
    value = field_at(row.fields, way)
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        said = [(each.get("role", ""), str(each.get("content", ""))) for each in value]
        return said[0][1] if len(said) == 1 else "\n\n".join(f"{who}: {it}" for who, it in said)
    if value is None:
        raise BadTasks(f"{row.place}: field '{way}': is missing.", "Correct that row of the file.")
    return value


def _filled(row: InputRow, template: str) -> str:
    said = {way: field_at(row.fields, way) for way in _BRACED.findall(template)}
    return _BRACED.sub(lambda at: "" if said[at[1]] is None else str(said[at[1]]), template)
