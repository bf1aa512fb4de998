"""assay.toml: defaults for everything that `evaluate` takes, also per protocol.

judge = ["openai:gpt-x"]
budget = 20.0

protocols = ["presentation", "coverage"]

[protocol.coverage]
judge = ["anthropic:claude-x", "google:gemini-x"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from deepassay.errors import BadSetting

LARGEST: Final = 1e15
DEFAULT: Final = Path("assay.toml")
LISTS: Final = frozenset({"reports", "protocol", "judge", "allow_host"})
TEXTS: Final = (
    *("tasks", "edition", "base_url", "effort", "date", "prices", "run", "extractor", "cleaner"),
    *("reference", "criteria", "rubric", "ace", "maker", "reader", "snapshots"),
)
SWITCHES: Final = (
    "structured",
    "frozen_dates",
    "allow_unpriced",
    "retry_unscored",
    "offline_sources",
)
PER_PROTOCOL: Final = frozenset(
    {
        *("judge", "base_url", "effort", "temperature", "max_output", "structured"),
        "context_window",
    }
)

Kind = tuple[Callable[[Any], bool], str]
"""Whether a value may stand there, and what may, in words."""


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < LARGEST  # neither nan nor inf nor what no float can hold


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


_TEXT: Final[Kind] = _is_text, "a text"
_TEXTS: Final[Kind] = _is_texts, "a text, or a list of one or more"
_SWITCH: Final[Kind] = lambda value: isinstance(value, bool), "true or false"
_COUNT: Final[Kind] = lambda value: type(value) is int and value >= 1, "a whole number from 1 on"
_AMOUNT: Final[Kind] = lambda value: _is_number(value) and value >= 0, "a number from 0 on"
OPTIONS: Final[Mapping[str, Kind]] = {
    **dict.fromkeys(TEXTS, _TEXT),
    **dict.fromkeys(LISTS, _TEXTS),
    **dict.fromkeys(SWITCHES, _SWITCH),
    **dict.fromkeys(("repeat", "limit", "max_connections", "max_output", "context_window"), _COUNT),
    **dict.fromkeys(("temperature", "budget"), _AMOUNT),
    "deadline": (lambda value: _is_number(value) and value >= 0.1, "seconds, 0.1 or more"),
    "min_coverage": (lambda value: _is_number(value) and 0 <= value <= 1, "a share from 0 to 1"),
}

Options = dict[str, Any]


def read_configuration(path: Path | None) -> tuple[Options, dict[str, Options]]:
    """Options by parameter name, and those of single protocols. Raises BadSetting."""
    if path is None and not DEFAULT.exists():
        return {}, {}
    path = path or DEFAULT
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSetting(
            f"{path}: cannot be read ({error.strerror}).", "Check --config."
        ) from error
    except (ValueError, RecursionError) as error:  # also of numbers too long to read
        raise BadSetting(f"{path}: is not TOML: {error}", "Correct the file.") from error
    options = {_parameter(name): value for name, value in content.items()}
    tables = options.pop("protocol") if isinstance(options.get("protocol"), dict) else {}
    # TOML has one value a key: beside tables [protocol.NAME] the list is named `protocols`.
    if "protocols" in options:
        options["protocol"] = options.pop("protocols")
    per_protocol: dict[str, Options] = {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise BadSetting(
                f"{path}: [protocol] {name} is {table!r}, not a table.",
                f"Give the settings of one protocol below a line [protocol.{name}].",
            )
        own = {_parameter(key): value for key, value in table.items()}
        per_protocol[name] = _checked(path, f"[protocol.{name}] ", own, PER_PROTOCOL)
    return _checked(path, "", options, frozenset(OPTIONS)), per_protocol


def _checked(path: Path, where: str, options: Options, known: frozenset[str]) -> Options:
    """The options as the command line takes them. Raises BadSetting, naming the place."""
    _refuse_unknown(path, where, options, known)
    options = {name: _as_on_the_command_line(name, value) for name, value in options.items()}
    for name, value in options.items():
        fits, wanted = OPTIONS[name]
        if not fits(value):
            raise BadSetting(
                f"{path}: {where}{name} = {value!r} is not possible.", f"Give {wanted}."
            )
    return options


def _as_on_the_command_line(name: str, value: object) -> object:
    if name in LISTS and isinstance(value, str):
        return [value]
    if name == "date" and isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()  # TOML has dates of its own
    return value


def _parameter(name: str) -> str:
    return name.replace("-", "_")


def _refuse_unknown(path: Path, where: str, options: Options, known: frozenset[str]) -> None:
    if unknown := sorted(set(options) - known):
        raise BadSetting(
            f"{path}: {where}has no setting named {', '.join(unknown)}.",
            f"These exist: {', '.join(sorted(known))}.",
        )
