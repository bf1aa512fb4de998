"""Every setting of commands that ask a model, declared once.

The command line takes its options from here, `assay.toml` is checked against it, Python passes
`Settings(judge="openai:x", budget=5)`, and `deepassay settings` prints it. What only one command
takes (`--samples`, `--group-size`) is an argument of that command's function and no setting: a
file that holds for a whole project has no use for it.
"""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo

from deepassay.errors import BadSetting

DEFAULT_FILE: Final = Path("assay.toml")
OTHER_NAMES: Final = {"protocol": "protocols", "judges": "judge", "allow_hosts": "allow_host"}
"""Second spellings of names, accepted in the file and from Python."""


@dataclass(frozen=True)
class Shown:
    """How a setting is told, where that does not follow from its type: see `Declared`."""

    default: str = ""
    possible: str = ""
    flag: str = ""


def _listed(value: object) -> object:
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


def _path(value: object) -> object:
    if value == "":
        raise ValueError("no path")
    return value


Text = Annotated[str, Field(strict=True, min_length=1)]
Switch = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(strict=True, ge=1)]
Amount = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Seconds = Annotated[
    float, Field(strict=True, ge=0.1, allow_inf_nan=False), Shown(possible="seconds, 0.1 or more")
]
File = Annotated[Path, BeforeValidator(_path)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_listed), Field(min_length=1)]
Files = Annotated[tuple[File, ...], BeforeValidator(_listed), Field(min_length=1)]
Protocols = Annotated[
    tuple[Annotated[Any, BeforeValidator(_name_or_protocol)], ...],
    BeforeValidator(_listed),
    Field(min_length=1),
]
Day = Annotated[Text, BeforeValidator(_day), Shown(possible="a date as in 2026-11-20")]


class ProtocolSettings(BaseModel):
    """Settings that may differ by protocol, below `[protocol.NAME]` of assay.toml.

    What is not given there is as for all protocols.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _spelled(cls, given: object) -> object:
        return spelled(given) if isinstance(given, Mapping) else given

    judge: Annotated[
        Texts,
        Field(description="offline, or PROVIDER:NAME; repeated: a panel."),
        Shown("offline"),
    ] = ("offline",)
    base_url: Annotated[Text | None, Field(description="An OpenAI-compatible endpoint.")] = None
    effort: Annotated[Text | None, Field(description="Reasoning effort: low, medium, high.")] = None
    temperature: Annotated[
        Amount | None, Field(description="Sent to the model."), Shown("the provider's")
    ] = None
    max_output: Annotated[Count | None, Field(description="Tokens of one answer at most.")] = None
    structured: Annotated[
        Switch, Field(description="Have the provider enforce the JSON schema.")
    ] = False
    context_window: Annotated[
        Count | None, Field(description="Tokens that the judge takes, if nobody else knows.")
    ] = None
    baseline: Annotated[
        Text | None,
        Field(description="An agent, or a file of reports, that pairs are made with."),
        Shown("every agent"),
    ] = None


class Settings(ProtocolSettings):
    """All settings. None stands for the default. Raises BadSetting for what is not possible."""

    protocols: Annotated[
        Protocols,
        Field(description="A protocol or a group of them; may be repeated."),
        Shown(
            "all metrics that the tasks have the inputs for, but for those that read cited pages",
            flag="--protocol",
        ),
    ] = ()
    edition: Annotated[
        Literal["paper", "code"],
        Field(description="paper: as printed; code: as the released program."),
    ] = "paper"
    repeat: Annotated[Count, Field(description="Independent judgements of every report.")] = 1
    date: Annotated[
        Day | None, Field(description="Today, as tasks are told: YYYY-MM-DD."), Shown("today")
    ] = None
    frozen_dates: Annotated[
        Switch, Field(description="The dates that the set was published with.")
    ] = False
    limit: Annotated[Count | None, Field(description="Only the first tasks.")] = None
    extractor: Annotated[
        Text | None,
        Field(description="Who reads statements out of reports."),
        Shown("the judge"),
    ] = None
    cleaner: Annotated[
        Text | None,
        Field(description="Who takes citations out of reports."),
        Shown("the judge"),
    ] = None
    maker: Annotated[
        Text | None,
        Field(description="Who makes the checklists of ACE that no file gives."),
        Shown("the judge"),
    ] = None
    reference: Annotated[
        Text | None, Field(description="An agent, or a file of reports, to compare with.")
    ] = None
    criteria: Annotated[
        File | None, Field(description="Criteria of the tasks: see `tasks criteria`.")
    ] = None
    rubric: Annotated[
        File | None, Field(description="Rubrics of the tasks: see `tasks rubric`.")
    ] = None
    ace: Annotated[
        File | None, Field(description="ACE's checklists of tasks: see `tasks checklist`.")
    ] = None
    reader: Annotated[
        Text, Field(description="Who reads cited pages: direct, jina, or archive:YYYY-MM-DD.")
    ] = "direct"
    snapshots: Annotated[
        File | None, Field(description="A file of cited pages that several runs share.")
    ] = None
    offline_sources: Annotated[Switch, Field(description="Fetch no page: only what is kept.")] = (
        False
    )
    allow_host: Annotated[
        Texts,
        Field(description="HOST or HOST:PORT that pages may come from though it is not public."),
    ] = ()
    page_proxy: Annotated[
        Text | None,
        Field(description="URL of a proxy to fetch cited pages through; no other is used."),
    ] = None
    max_connections: Annotated[Count, Field(description="Calls at the same time at most.")] = 16
    deadline: Annotated[Seconds, Field(description="Seconds for one attempt at a question.")] = (
        120.0
    )
    budget: Annotated[Amount | None, Field(description="USD that the run may cost in all.")] = None
    allow_unpriced: Annotated[Switch, Field(description="Ask models of unknown price.")] = False
    prices: Annotated[
        File | None, Field(description="A file of prices that override the known ones.")
    ] = None
    run: Annotated[File, Field(description="Where everything is kept.")] = Path("run.assay")
    min_coverage: Annotated[
        Share | None, Field(description="Exit with 1 if less is scored for any agent.")
    ] = None
    retry_unscored: Annotated[Switch, Field(description="Ask again for what failed.")] = False
    per_protocol: Annotated[
        Mapping[str, ProtocolSettings],
        Field(description="Other settings for single protocols, by their names."),
        Shown(possible="a table for each protocol"),
    ] = {}

    if not TYPE_CHECKING:  # type checkers take the signature that pydantic gives

        def __init__(self, **given: object) -> None:
            try:
                super().__init__(**given)
            except ValidationError as error:
                raise _refusal(error, type(self), spelled(given)) from None

    def of(self, protocol: str) -> ProtocolSettings:
        """The settings that may differ by protocol, as they are for the protocol of this name."""
        given = {name: getattr(self, name) for name in ProtocolSettings.model_fields}
        if (own := self.per_protocol.get(protocol)) is not None:
            given |= {name: getattr(own, name) for name in own.model_fields_set}
        return ProtocolSettings.model_construct(**given)


class FileSettings(Settings):
    """What assay.toml may hold: all settings, and what is evaluated."""

    tasks: Annotated[File | None, Field(description="JSON Lines, CSV or Parquet.")] = None
    reports: Annotated[Files, Field(description="Folders of reports, or JSON Lines.")] = ()


def spelled(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings under the names that are declared; None is as good as not given."""
    known: dict[str, Any] = {}
    for written, value in given.items():
        name = written.replace("-", "_")
        name = OTHER_NAMES.get(name, name)
        if name == "protocols" and isinstance(value, Mapping):
            name = "per_protocol"
        if value is not None:
            known[name] = value
    return known


def read_settings(path: Path | None = None) -> FileSettings:
    """What a file says, by default `assay.toml` if there is one. Raises BadSetting."""
    if path is None and not DEFAULT_FILE.exists():
        return FileSettings()
    path = path or DEFAULT_FILE
    try:
        return FileSettings(**tomllib.loads(path.read_text(encoding="utf-8")))
    except BadSetting as error:
        raise BadSetting(f"{path}: {error.problem}", error.remedy) from None
    except OSError as error:
        raise BadSetting(
            f"{path}: cannot be read ({error.strerror}).", "Check --config."
        ) from error
    except (ValueError, RecursionError) as error:  # also of numbers too long to read
        raise BadSetting(f"{path}: is not TOML: {error}", "Correct the file.") from error


@dataclass(frozen=True)
class Declared:
    """One setting as it is declared.

    kind: of its value or, if there may be `many`, of each. low, high: bounds of a number. default:
    in words. possible: what may be given, in words. flag: its option, "" if named after it.
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


def declared(name: str, among: type[BaseModel] = FileSettings) -> Declared:
    """The declaration of a setting."""
    field = among.model_fields[name]
    kind, notes = _unwrapped(field.annotation, list(field.metadata))
    many = get_origin(kind) is tuple
    if many:
        kind, _ = _unwrapped(get_args(kind)[0], [])
    low: Any = next((note.ge for note in notes if isinstance(note, Ge)), None)
    high: Any = next((note.le for note in notes if isinstance(note, Le)), None)
    shown = [note for note in notes if isinstance(note, Shown)]
    default = "" if field.default in (None, (), False) else str(field.default)
    return Declared(
        name,
        str if kind is Any else kind,
        many,
        low,
        high,
        next((each.default for each in shown if each.default), default),
        next((each.possible for each in shown if each.possible), _possible(kind, many, low, high)),
        next((each.flag for each in shown if each.flag), ""),
        field.description or "",
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
        return f"a whole number from {low:g} on"
    if kind is float:
        return (
            f"a share from {low:g} to {high:g}" if high is not None else f"a number from {low:g} on"
        )
    return "true or false" if kind is bool else "a text"


def _refusal(error: ValidationError, model: type[Settings], given: Mapping[str, Any]) -> BadSetting:
    """The first thing that is wrong, in one sentence, and what may stand there instead."""
    first = error.errors(include_url=False)[0]
    names = [str(each) for each in first["loc"]]
    where, value = "", given
    fields: type[ProtocolSettings] = model
    if names[0] == "per_protocol" and len(names) == 2:
        return BadSetting(
            f"[protocol] {names[1]} is {first['input']!r}, not a table.",
            f"Give the settings of one protocol below a line [protocol.{names[1]}].",
        )
    if names[0] == "per_protocol" and len(names) > 2:
        where, fields = f"[protocol.{names[1]}] ", ProtocolSettings
        value, names = spelled(given["per_protocol"][names[1]]), names[2:]
    if first["type"] == "extra_forbidden":
        known = sorted(fields.model_fields)
        meant = [f"Did you mean {each}?" for each in get_close_matches(names[0], known, 1)]
        return BadSetting(
            f"{where}has no setting named {names[0]}."
            if where
            else f"There is no setting named {names[0]}.",
            " ".join([*meant, f"These exist: {', '.join(known)}."]),
        )
    shown = repr(value[names[0]])
    shown = f"{shown[:80]}…" if len(shown) > 80 else shown
    return BadSetting(
        f"{where}{names[0]} = {shown} is not possible.",
        f"Give {declared(names[0], fields).possible}.",
    )
