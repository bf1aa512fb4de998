"""What stands inside the fields of a row, by dotted paths: `inputs.question`, `choices.0.text`.

Files of strangers: depth and number of what is looked at are bounded.
"""

from __future__ import annotations

import json
import re
import warnings
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from deepassay.files import BadFile
from deepassay.intake.heads import is_head, is_known, is_target, is_weak, plain
from deepassay.intake.rows import InnerField, InputRow
from deepassay.intake.turns import Turn, conversation_of, turns_in
from deepassay.score import Json
from deepassay.text import brief

_DEEPEST: Final = 8
_MOST: Final = 300
"""Inner fields of a row."""
_MOST_OF_LIST: Final = 4
"""Entries of a list of texts that are looked at."""
_ENVELOPES: Final = 2
"""Levels around an answer of a provider, as of batches."""
_GENERIC: Final = frozenset(
    ("text", "content", "value", "raw", "name", "id", "body", "data", "parts", "message", "string")
)
"""Names that say nothing: what they hold is called as what they stand in."""


def opened(rows: Sequence[InputRow], whole: Callable[[Json], bool]) -> list[InputRow]:
    """The rows with what their fields hold inside. whole: what is not opened, as answers are.

    Cells that hold JSON, in all rows of a column, are what they hold. Where one conversation has
    several questions, or ends in few words, nobody can say which is the task or the report: the
    first and last of each are given, and the longest answer.
    """
    names = dict.fromkeys(name for row in rows for name in row.fields)
    packed = [name for name in names if not is_target(name) and _all_packed(rows, name)]
    found: list[tuple[InputRow, Mapping[str, Json], dict[str, InnerField]]] = []
    several: set[str] = set()
    for row in rows:
        fields = row.fields
        if packed:
            fields = {
                name: unpacked(_something(each)) if name in packed else each
                for name, each in fields.items()
            }
        inner: dict[str, InnerField] = {}
        for name, each in fields.items():
            if isinstance(each, Mapping | list):
                found_in = (
                    _models_in(each, name)
                    if whole(each)
                    else _within(each, name, 0, fields, several)
                )
                for path, field in found_in:
                    if len(inner) < _MOST:
                        inner[path] = field
        found.append((row, fields, inner))
    long = {
        path.removesuffix(".first")
        for _, _, inner in found
        for path in inner
        if path.endswith(".user.first") and path.removesuffix(".first") not in inner
    }
    unsaid = long | {f"{path.removesuffix('user')}assistant" for path in long}
    unsaid |= {
        path.removesuffix(".longest")
        for _, _, inner in found
        for path in inner
        if path.endswith(".assistant.longest") and path.removesuffix(".longest") not in inner
    }
    one_of = tuple(several)
    return [
        replace(
            row,
            fields=fields,
            inner={k: v for k, v in inner.items() if not (k in unsaid or k.startswith(one_of))},
        )
        for row, fields, inner in found
    ]


def _all_packed(rows: Sequence[InputRow], name: str) -> bool:
    """Whether all that stands in a column is JSON: objects and lists of them or of texts, or texts
    with quotes around them.
    """
    cells = [each for row in rows if (each := _something(row.fields.get(name))) is not None]
    held = [*map(unpacked, cells)]
    packed = [one is not other for one, other in zip(cells, held, strict=True)]
    whole = all(each or not isinstance(one, str) for each, one in zip(packed, cells, strict=True))
    opened = any(packed) and whole
    return opened and len({isinstance(each, str) for each in held}) == 1


_NOTHING: Final = frozenset(("", "null", "none", "nan", "[]", '""'))
"""What stands for nothing in a cell beside others that hold JSON."""


def _something(cell: Json) -> Json:
    """What a cell beside others with JSON holds, or None for what stands for nothing."""
    nothing = isinstance(cell, str) and cell.strip().casefold() in _NOTHING
    return None if nothing else cell


_SOURCE: Final = re.compile(
    r"\s*(?:```(?:json)?\s*)?\[?\s*\{\s*(\"[^\"\n]{1,80}\"|'[^'\n]{1,80}')\s*:"
)
"""How the source of an object begins, also of one that is cut off."""


def refuse_source(rows: Sequence[InputRow], name: str) -> None:
    """Raise BadFile for a column in which some cells are JSON and others are none.

    The source of an object is no text that anybody was given.
    """
    texts = [(row.place, text) for row in rows if isinstance(text := row.fields.get(name), str)]
    source = [each for each in texts if is_source(each[1])]
    if source:
        (place, text), *_ = source
        others = [each for each in texts if each not in source and _something(each[1]) is not None]
        beside = f", and at {others[0][0]} it is not: {brief(others[0][1])}" if others else ""
        raise BadFile(
            f"{place}: what stands in {name!r} is the source of JSON: {brief(text)}{beside}",
            "Empty the cells that are not as the others, or write all alike: as texts, or as "
            "objects that are whole.",
        )


_FENCED: Final = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)
"""JSON as models write it where they were asked for it."""


def is_source(text: str) -> bool:
    """Whether a text is JSON, or a value as Python writes it, and no text that people read."""
    return _SOURCE.match(text) is not None or not isinstance(unpacked(text), str)


def unpacked(text: Json) -> Json:
    """What a text holds that is JSON, or such a value as Python writes it, or else itself."""
    if not isinstance(text, str):
        return text
    bare = _FENCED.sub(r"\1", text.strip())
    if len(bare) < 2 or bare[0] + bare[-1] not in ("{}", "[]", '""'):
        return text
    try:
        value = json.loads(bare)
    except (ValueError, RecursionError):
        value = _as_python(bare) if re.match(r"[\[{\s]+'", bare) else text
    if isinstance(value, str):
        return value
    entries = [value] if isinstance(value, dict) else value
    known = isinstance(entries, list) and all(isinstance(e, dict | str | list) for e in entries)
    return value if entries and known else text


def _as_python(text: str) -> Json:
    """The value of a text that Python wrote, as data frames with objects in cells are saved."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a backslash, as reports have them
            value: Json = literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return value


def _within(
    value: Json, path: str, depth: int, beside: Mapping[str, Json], several: set[str]
) -> Iterator[tuple[str, InnerField]]:
    """The texts and numbers in a value, each under its path. several: gets paths of lists of rows,
    of which another row may have one alone.
    """
    if depth > _DEEPEST:
        return
    if not isinstance(held := unpacked(value), str):
        value = held
    if (turns := turns_in(value, beside)) is not None:
        yield from _of_conversation(turns, path)
    elif isinstance(value, Mapping):
        named = is_head(path.rpartition(".")[2], "agent")
        for key, each in (_as_people_name(value) if named else value).items():
            yield from _within(each, f"{path}.{key}", depth + 1, value, several)
    elif isinstance(value, list):
        if len(value) == 1 or all(isinstance(each, str) for each in value):
            for number, each in enumerate(value[:_MOST_OF_LIST]):
                yield from _within(each, f"{path}.{number}", depth + 1, {}, several)
        else:
            several.add(f"{path}.0.")
    elif value is not None and depth:
        yield path, InnerField(value, called_by(path))


def _as_people_name(agent: Mapping[str, Json]) -> Mapping[str, Json]:
    """What is said of an agent, with the name that people gave it in place of its identifier."""
    given = [each for key in ("label", "name") if isinstance(each := agent.get(key), str) and each]
    if not (given and isinstance(agent.get("id"), str)):
        return agent
    return {**{key: agent[key] for key in agent if key not in ("label", "name")}, "id": given[0]}


def _models_in(value: Json, path: str, depth: int = 0) -> Iterator[tuple[str, InnerField]]:
    """Which model gave an answer that stays whole, as far as it says so itself."""
    for key, each in value.items() if isinstance(value, Mapping) else ():
        if plain(key) in ("model", "modelversion") and isinstance(each, str):
            yield f"{path}.{key}", InnerField(each, "model")
        elif depth < _ENVELOPES:
            yield from _models_in(each, f"{path}.{key}", depth + 1)


def _of_conversation(turns: Sequence[Turn], path: str) -> Iterator[tuple[str, InnerField]]:
    """What was asked and answered. By names that are known only where one question was asked."""
    asked, answers, certain, model = conversation_of(turns)
    if len(asked) == 1:
        yield f"{path}.user", InnerField(asked[0], "prompt")
    if asked:
        yield f"{path}.user.first", InnerField(asked[0], "")
        yield f"{path}.user.last", InnerField(asked[-1], "")
    if "last" in answers and certain:
        yield f"{path}.assistant", InnerField(answers["last"], "answer")
    for which, text in answers.items():
        yield f"{path}.assistant.{which}", InnerField(text, "")
    if model:
        yield f"{path}.model", InnerField(model, "model")


def called_by(path: str) -> str:
    """What a field within others is called: by the last name of its path that says anything."""
    names = path.split(".")
    if any(map(is_target, (path, *names))):
        return ""
    telling = [each for each in names if plain(each) not in _GENERIC and not each.isdecimal()]
    if len(telling) > 1 and is_weak("report", telling[-1]) and is_known(telling[-2], "report", 0):
        return telling[-2]  # of `report.markdown` only the form is said behind
    return telling[-1] if telling else ""
