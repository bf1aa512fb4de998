"""How to speak to a service that carries out jobs, as a value: submit, poll, cancel, result.

It comes from a TOML file or a table. In its texts `{prompt}`, `{id}`, `{env:NAME}` and others are
filled in once and literally; nothing else is evaluated. A path is names and integers with dots
between them, `output.-1.text`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from deepassay.errors import BadSetting
from deepassay.score import Json

READY: Final = files("deepassay.wings.research.adapters") / "jobs"
"""The files that come with the package, `NAME.toml`."""


def _several(given: object) -> object:
    return (given,) if isinstance(given, str) else given


Paths = Annotated[tuple[str, ...], BeforeValidator(_several)]
"""A path, or several of which the first that leads anywhere counts."""

State = Literal["running", "done", "cut", "failed", "cancelled", "asked_back"]
STATES: Final[tuple[State, ...]] = ("running", "done", "cut", "failed", "cancelled", "asked_back")


class _RecipeTable(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ServiceRequest(_RecipeTable):
    """One request. headers: those of `submit` where a later one gives none. body: JSON."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    url: str
    headers: Mapping[str, str] | None = None
    body: Mapping[str, Any] | None = None


class Submit(ServiceRequest):
    """Begins a job. id: where its identifier stands in the answer."""

    id: str = "id"


class Poll(ServiceRequest):
    """Asks how far a job is.

    status: where the word stands that says so; the lists say what each word means. error: where
    the reason of a failure stands. every_s: seconds between two polls; every_header_ms: a header
    of the answer that asks for another time. limit_s: seconds of a job in all.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    status: str = "status"
    running: tuple[str, ...]
    done: tuple[str, ...] = Field(min_length=1)
    cut: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()
    asked_back: tuple[str, ...] = ()
    error: Paths = ()
    every_s: float = Field(default=10.0, gt=0)
    every_header_ms: str = ""
    limit_s: float = Field(default=3600.0, gt=0)

    def state(self, word: Json) -> State | None:
        """What a status means; None for one that no list has."""
        return next((each for each in STATES if word in getattr(self, each)), None)


class ResultPlace(_RecipeTable):
    """Where the result stands in the last answer.

    text, annotations, sources: by default wherever the interfaces put them that
    `reports.answers` knows. usage: counts of tokens; cost: USD. redirects: beginnings of addresses
    of a service that leads on to the pages, each of which is asked where it leads.
    """

    text: Paths = ()
    annotations: Paths = ()
    sources: Paths = ()
    usage: Paths = ()
    cost: Paths = ()
    redirects: tuple[str, ...] = ()


class ServiceRecipe(_RecipeTable):
    """A service. base, model: what `{base}` and `{model}` stand for unless the agent says it."""

    name: str
    base: str = ""
    model: str = ""
    submit: Submit
    poll: Poll
    cancel: ServiceRequest | None = None
    result: ResultPlace = ResultPlace()


def service_recipe_of(given: object) -> ServiceRecipe:
    """The recipe in a table, in a file, or of a ready file by its name. Raises BadSetting."""
    where, table = (str(given), _read(given)) if isinstance(given, str | Path) else ("job", given)
    if isinstance(table, ServiceRecipe):
        return table
    try:
        return ServiceRecipe.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise BadSetting(f"{where}: {place}: {first['msg']}.", f"{_takes(first['loc'])}") from None


def _takes(place: Sequence[int | str]) -> str:
    """What may stand where something is wrong."""
    parts: Mapping[str, type[_RecipeTable]] = {
        "submit": Submit, "poll": Poll, "cancel": ServiceRequest, "result": ResultPlace,
    }  # fmt: skip
    name = str(place[0]) if len(place) > 1 else ""
    kind = parts.get(name, ServiceRecipe)
    return f"{f'[{name}]' if name else 'A job'} takes {', '.join(kind.model_fields)}."


def _read(given: str | Path) -> Json:
    ready = sorted(each.name.removesuffix(".toml") for each in READY.iterdir())
    path = READY / f"{given}.toml" if str(given) in ready else Path(given)
    try:
        found: Json = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            why = error.strerror or "it cannot be read"
            remedy = f"Give the path of a TOML file, or a ready one: {', '.join(ready)}."
            raise BadSetting(f"job {str(given)!r}: {why}.", remedy) from None
        raise BadSetting(f"{given}: this is no TOML: {error}.", "Mend the file.") from None
    return found


def at(value: Json, paths: Sequence[str]) -> Json:
    """What the first path leads to that leads anywhere; None where none does."""
    for path in paths:
        found = value
        for step in path.split("."):
            found = _below(found, step)
        if found is not None:
            return found
    return None


def _below(value: Json, step: str) -> Json:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list) and re.fullmatch(r"-?\d{1,9}", step):
        place = int(step)
        return value[place] if -len(value) <= place < len(value) else None
    return None
