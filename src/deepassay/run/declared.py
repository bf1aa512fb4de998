"""The types that settings have, what their declaration says to a person, and refusing others."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel, BeforeValidator, Field, ValidationError
from pydantic.fields import FieldInfo

from deepassay.errors import BadSetting
from deepassay.intake.columns import NamedColumns, columns_text
from deepassay.intake.heads import PARTS
from deepassay.text import brief


@dataclass(frozen=True)
class SettingDisplay:
    """How a setting is told, where that does not follow from its type: see `DeclaredSetting`."""

    default: str = ""
    possible: str = ""
    flag: str = ""
    more: str = ""


def one_as_list(value: object) -> object:
    """One text stands for a list of it."""
    if isinstance(value, str) or (not isinstance(value, Sequence) and _is_protocol(value)):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _is_protocol(value: object) -> bool:
    return hasattr(value, "score")


def _name_or_protocol(value: object) -> object:
    if not (isinstance(value, str) and value) and not _is_protocol(value):
        raise ValueError("neither a name nor a protocol")
    return value


def _day(value: object) -> object:
    """A day as text; TOML and Python have dates of their own."""
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, str):
        datetime.date.fromisoformat(value)
    return value


def path_of(value: object) -> Path:
    """A path that a file may have, there or not. Raises ValueError, which says why it is none."""
    if not isinstance(value, str | Path) or value == "":
        raise ValueError("it is not a name")
    try:
        Path(value).stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass  # whoever opens it says so
    except OSError as error:  # as too long a name
        raise ValueError(error.strerror) from error
    return Path(value)


def file_given(given: object) -> Path:
    """The path that a caller gave as text or path. Raises BadSetting for anything else."""
    try:
        return path_of(given)
    except ValueError as error:
        raise BadSetting(f"{brief(given)} is no path: {error}.", "Name a file.") from error


def columns_said(text: str) -> NamedColumns:
    """What `--columns` says. Raises BadSetting."""
    try:
        return NamedColumns.of(columns_text(text))
    except ValueError as error:
        raise BadSetting(
            f"--columns {text} is not possible: {error}.",
            f"Give PART=COLUMN, as in prompt=Frage,agent=Bot; parts are {', '.join(PARTS)}.",
        ) from error


def shard_of(text: str) -> tuple[int, int]:
    """Number and count of a shard, written `2/7`. Raises ValueError."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count) <= 10_000):
        raise ValueError("no shard")
    return int(number), int(count)


def _shard(value: object) -> object:
    if isinstance(value, str):
        shard_of(value)
    return value


Text = Annotated[str, Field(strict=True, min_length=1)]
Switch = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(strict=True, ge=1)]
Amount = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Rate = Annotated[float, Field(strict=True, ge=0.01, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Seconds = Annotated[
    float,
    Field(strict=True, ge=0.1, allow_inf_nan=False),
    SettingDisplay(possible="seconds, 0.1 or more"),
]
File = Annotated[Path, BeforeValidator(path_of)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(one_as_list), Field(min_length=1)]
Shard = Annotated[Text, BeforeValidator(_shard), SettingDisplay(possible="a shard as in 2/7")]
ColumnsText = Annotated[
    Text,
    BeforeValidator(columns_text),
    SettingDisplay(possible="PART=COLUMN, as in prompt=Frage,agent=Bot"),
]
Files = Annotated[tuple[File, ...], BeforeValidator(one_as_list), Field(min_length=1)]
Protocols = Annotated[
    tuple[Annotated[Any, BeforeValidator(_name_or_protocol)], ...],
    BeforeValidator(one_as_list),
    Field(min_length=1),
]
Day = Annotated[Text, BeforeValidator(_day), SettingDisplay(possible="a date as in 2026-11-20")]


OTHER_NAMES: Final = {"protocol": "protocols", "judges": "judge", "allow_hosts": "allow_host"}
"""Second spellings of names, accepted in the file and from Python."""


def given_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings under the names by which they are declared, without those that are None.

    Raises BadSetting for a setting that is given under two names.
    """
    known: dict[str, Any] = {}
    for written, value in given.items():
        name = written.replace("-", "_")
        name = OTHER_NAMES.get(name, name)
        if name == "protocols" and isinstance(value, Mapping):
            name = "per_protocol"
        if value is None:
            continue
        if name in known:
            others = [
                each
                for each in given
                if each != written and given_settings({each: 0}).keys() & {name}
            ]
            raise BadSetting(
                f"{' and '.join([*others, written])} are the same setting.", "Give one of them."
            )
        known[name] = value
    return known


@dataclass(frozen=True)
class DeclaredSetting:
    """One setting as it is declared.

    kind: of its value or, if there may be `many`, of each. low, high: bounds of a number. default:
    in words. possible: what may be given, in words. flag: its option. help: one sentence, for the
    command line; more: what documents say besides.
    """

    name: str
    kind: Any
    many: bool
    low: float | None
    high: float | None
    default: str
    possible: str
    flag: str
    help: str
    more: str


def declared(name: str, among: type[BaseModel]) -> DeclaredSetting:
    """The declaration of a setting."""
    field = among.model_fields[name]
    kind, notes = _unwrapped(field.annotation, list(field.metadata))
    many = get_origin(kind) is tuple
    if many:
        kind, _ = _unwrapped(get_args(kind)[0], [])
    low: Any = next((note.ge for note in notes if isinstance(note, Ge)), None)
    high: Any = next((note.le for note in notes if isinstance(note, Le)), None)
    shown = [note for note in notes if isinstance(note, SettingDisplay)]
    default = "" if field.default in (None, (), False, {}) else str(field.default)
    return DeclaredSetting(
        name,
        str if kind is Any else kind,
        many,
        low,
        high,
        next((each.default for each in shown if each.default), default),
        next((each.possible for each in shown if each.possible), _possible(kind, many, low, high)),
        next((each.flag for each in shown if each.flag), f"--{name.replace('_', '-')}"),
        field.description or "",
        next((each.more for each in shown if each.more), ""),
    )


def _unwrapped(kind: object, notes: list[Any]) -> tuple[Any, list[Any]]:
    """A type without `| None` and annotations, and what the annotations say."""
    while True:
        if type(None) in get_args(kind):
            kind = next(each for each in get_args(kind) if each is not type(None))
        elif get_origin(kind) is Annotated:
            kind, *more = get_args(kind)
            for each in more:
                notes += each.metadata if isinstance(each, FieldInfo) else [each]
        else:
            return kind, notes


def _possible(kind: object, many: bool, low: float | None, high: float | None) -> str:
    if many:
        return "a text, or a list of one or more"
    if get_origin(kind) is Literal:
        return " or ".join(get_args(kind))
    if kind is int:
        return f"a whole number from {low:g} {'on' if high is None else f'to {high:g}'}"
    if kind is float:
        return (
            f"a share from {low:g} to {high:g}" if high is not None else f"a number from {low:g} on"
        )
    if kind is Path:
        return "a path"
    return "true or false" if kind is bool else "a text"


class ImpossibleValue(BadSetting):
    """A setting has a value that it cannot have. name: of the setting. shown: the value."""

    def __init__(self, where: str, name: str, shown: str, possible: str) -> None:
        super().__init__(f"{where}{name} = {shown} is not possible.", f"Give {possible}.")
        self.name = name
        self.shown = shown


def setting_refusal(
    error: ValidationError,
    model: type[BaseModel],
    tables: type[BaseModel],
    given: Mapping[str, Any],
) -> BadSetting:
    """The first thing that is wrong, in one sentence, and what may stand there instead.

    model: of the settings; tables: of those of single protocols.
    """
    first = error.errors(include_url=False)[0]
    names = [str(each) for each in first["loc"]]
    where, value = "", given
    fields: type[BaseModel] = model
    if names[0] == "per_protocol" and len(names) == 2:
        return BadSetting(
            f"[protocol] {names[1]} is {first['input']!r}, not a table.",
            f"Give the settings of one protocol below a line [protocol.{names[1]}].",
        )
    if names[0] == "per_protocol" and len(names) > 2:
        where, fields = f"[protocol.{names[1]}] ", tables
        value, names = given_settings(given["per_protocol"][names[1]]), names[2:]
    if names[0] == "lint" and len(names) > 1:
        fields = type(model.model_fields["lint"].default)
        where, value, names = "[lint] ", given["lint"], names[1:]
    if first["type"] == "extra_forbidden":
        known = sorted(fields.model_fields)
        meant = [f"Did you mean {each}?" for each in get_close_matches(names[0], known, 1)]
        return BadSetting(
            f"{where}has no setting named {names[0]}."
            if where
            else f"There is no setting named {names[0]}.",
            " ".join([*meant, f"These exist: {', '.join(known)}."]),
        )
    shown = brief(value[names[0]])
    return ImpossibleValue(where, names[0], shown, declared(names[0], fields).possible)


ONLY_WITH: Final = {
    **dict.fromkeys(("batch_size", "batch_wait"), "--batch or --batch-file"),
    **dict.fromkeys(("address", "workers", "ray_temp_dir"), "--engine ray"),
    **dict.fromkeys(("tools", "sessions"), "--traces"),
}
"""Settings that nothing looks at without another one."""


def idle(given: Mapping[str, Any]) -> Iterator[str]:
    """The settings among these that have no effect, for want of another one."""
    there = {
        "--batch or --batch-file": given.get("batch") or given.get("batch_file") is not None,
        "--engine ray": given.get("engine") == "ray",
        "--traces": bool(given.get("traces")),
    }
    for name, needed in ONLY_WITH.items():
        is_given = given.get(name) is not None and given[name] is not False
        if is_given and not there[needed]:
            yield name
