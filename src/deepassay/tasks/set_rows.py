"""Rows of a set by its layout: each as the fields of the task that it holds."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from deepassay.errors import BadTasks, Notice
from deepassay.intake.rows import InputRow, Way
from deepassay.score import Json
from deepassay.tasks.fields import field_name
from deepassay.tasks.set_tables import (
    ABOVE,
    EACH,
    HERE,
    ROW,
    Entry,
    PublishedSet,
    SetLayout,
    entries_at,
    field_at,
    file_of,
    fits,
    leads_on,
    name_in_file,
    published_sets,
    rows_of_set,
)

Fields = dict[str, Json]
"""Of a task, as it is read from a file."""

_SAID: Final = r"\s*[(（][^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)*[)）]"
_MARK: Final = rf"[A-Za-z]+(?:{_SAID})?\s*=\s*-?\d+(?:\.\d+)?(?:{_SAID})?"
_MARKS: Final = re.compile(rf"\s*({_MARK}(?:[,;，；]\s*{_MARK})+)\s*[.。]?\s*\Z")
_ONE_MARK: Final = re.compile(rf"([A-Za-z]+)({_SAID})?\s*=\s*(-?\d+(?:\.\d+)?)({_SAID})?")
MARKS_WITHIN: Final = 2_000
"""Characters at the end of a criterion in which its marks stand, with what is said of each."""
_BRACED: Final = re.compile(r"\{([^{}]+)\}")


def set_rows(found: PublishedSet, rows: Sequence[InputRow]) -> Iterator[tuple[InputRow, Fields]]:
    """Each row with the fields of a task that it holds; without `prompt` where the set has none.

    A Notice tells of rows in a folder that are of other files. Raises BadTasks.
    """
    layout = found.layout or SetLayout(columns=())
    if not fits(layout, rows):
        raise BadTasks(
            f"{rows[0].place}: this is no file of {found.title}: it has to have "
            f"{', '.join(layout.columns)}.",
            "If these are its tasks, give its file beside them as --rubric FILE; else name another "
            "file, or leave --set out.",
        )
    own = rows_of_set(layout, rows)
    _tell_lost_ways(found, layout, own)
    if len(own) < len(rows):
        told = f"{len(rows) - len(own)} rows of files that are not called {layout.files}: not used."
        warnings.warn(Notice(told), stacklevel=2)
    asked = _BRACED.findall(layout.prompt) or [layout.prompt]
    asks = any(field_at(row.fields, way) is not None for row in own for way in asked)
    for number, row in enumerate(own, start=1):
        said = {label: field_at(row.fields, way) for label, way in layout.labels.items()}
        labels = {
            label: str(value)
            for label, value in said.items()
            if isinstance(value, str | int | float) and value != ""
        }
        fields: dict[str, Json] = {
            "id": _id_in(layout, row, number),
            "labels": {"set": found.title, **labels},
        }
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


_OF_ROW: Final = ("request", "language", "blocked", "relevant")
_OF_CRITERION: Final = ("weight", "axis", "tags", "importance", "examples", "critical", "within")
_DECIDING: Final = ("weight", "critical", "within")
"""Fields of criteria by which they are counted."""


def _tell_lost_ways(found: PublishedSet, layout: SetLayout, rows: Sequence[InputRow]) -> None:
    """Raise BadTasks if nothing in any row stands where criteria should say how they are counted.

    Of other ways that lead to nothing in any row a Notice tells. Ours are spared: files of one
    published set come in several forms.
    """
    if any(found is each for each in published_sets().values()):
        return
    of_row = {f"labels.{label}": way for label, way in layout.labels.items()}
    of_row |= {name: way for name in _OF_ROW if (way := getattr(layout, name))}
    lost = {name: way for name in _OF_CRITERION if (way := getattr(layout, name))}
    empty = True
    for row in rows:
        for entry in entries_at(row.fields, layout.criteria) if lost and layout.criteria else ():
            empty = False
            lost = {name: w for name, w in lost.items() if entry.field(w, row.fields) is None}
        of_row = {
            name: way
            for name, way in of_row.items()
            if all(
                next(entries_at(row.fields, each), None) is None
                for each in _BRACED.findall(way) or [way]
            )
        }
    lost = of_row if empty else lost | of_row
    for name in _DECIDING:
        if name in lost and (name != "weight" or layout.default_weight is None):
            raise BadTasks(
                f"layout.{name}: {lost[name]!r} leads to nothing in any criterion.",
                "Correct the way in the file of the set, or take it out.",
            )
    if lost:
        told = ", ".join(f"{name} ({way!r})" for name, way in lost.items())
        told = f"Of the set's layout, these lead to nothing in any row: {told}."
        warnings.warn(Notice(told), stacklevel=2)


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
    if row.place == file_of(row):  # the file is the row
        key = PurePosixPath(row.place).stem
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
    said: dict[str, Json] = {"id": f"c{number}"} | ({} if text is None else {"criterion": text})
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


def field_in(found: PublishedSet) -> Callable[[Way], str]:
    """How the files of a set call a field of a task."""
    layout = found.layout or SetLayout(columns=())

    def called(way: Way) -> str:
        (first, *rest) = way
        if first == "labels":
            return layout.labels.get(".".join(map(str, rest)), field_name(way))
        said = "criteria" if first == "rubric" else str(first)
        name = getattr(layout, said, "") if said in SetLayout.model_fields else ""
        if not name or "{" in name:
            return field_name(way)
        whole = field_name((name, *rest[:1]))
        if first != "rubric" or len(rest) < 2:
            return whole
        inner = getattr(layout, "text" if rest[1] == "criterion" else str(rest[1]), "")
        plain = inner and inner != HERE and inner[0] not in (EACH, ABOVE, ROW)
        return f"{whole}.{inner}" if plain else whole

    return called


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
