"""Ways through what stands in a row: where a table of field names says that something is.

`content.rubric.*` leads through mappings by their keys, `*` through each of them; through each
entry of a list, or the one of a number, from 0 on; and through JSON that is written as a text. What
a field of an entry is called stands in that entry; `.` is the entry itself, `*` the key that led to
it, `^sections.id` a field of the entry of `sections` that it stands in, `/metadata.marks.#` what
stands in the row at the same place of a list.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from deepassay.score import Json

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
