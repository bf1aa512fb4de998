"""Placeholders in what users declare: `{prompt_file}`, `{env:NAME}`, replaced once and literally.

A prompt with braces stays as it is, because what is put in is not looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from deepassay.errors import BadSetting
from deepassay.tasks.task import Task

LONG: Final = 16
"""Characters from which on a value of the environment is a secret, whatever it is made of."""

_ADDRESS: Final = re.compile(r"https?://[^\s\[\]]+\Z")
_PLACEHOLDER: Final = re.compile(r"\{(env:)?([A-Za-z_][A-Za-z0-9_]*)\}")


def filled(value: Any, values: Mapping[str, str], environment: Mapping[str, str]) -> Any:  # noqa: ANN401
    """Texts, lists and mappings with their placeholders filled in; other values as they are.

    Raises BadSetting for a placeholder that nothing fills.
    """

    def one(found: re.Match[str]) -> str:
        there = environment if found[1] else values
        if found[2] not in there:
            raise _nothing(found, values)
        return there[found[2]]

    return _mapped(value, lambda text: _PLACEHOLDER.sub(one, text))


def values_of(task: Task | None) -> dict[str, str]:
    """What placeholders about a task stand for; nothing where there is none yet."""
    return {
        "prompt": task.prompt if task else "",
        "task_id": task.id if task else "",
        "language": task.language if task else "",
        "date": task.day.isoformat() if task and task.day else "",
    }


def check_placeholders(
    value: object, names: frozenset[str], environment: Mapping[str, str]
) -> None:
    """Raises BadSetting for a placeholder that is not among `names`, or no variable that is set."""
    filled(value, dict.fromkeys(names, ""), environment)


def secrets(value: object, environment: Mapping[str, str]) -> Iterator[str]:
    """What `{env:NAME}` stands for, to be kept out of everything that is written down."""
    for text in _texts(value):
        for placeholder in _PLACEHOLDER.finditer(text):
            if placeholder[1] and environment.get(placeholder[2]):
                yield from _secret_parts(environment[placeholder[2]])


def _secret_parts(value: str) -> Iterator[str]:
    """What of a value is secret: all; of an address its user and query, as reports name hosts.

    A short value without digits, such as `production`, may be a word of the report.
    """
    parts = urlsplit(value) if _ADDRESS.match(value) else None
    if parts is not None:
        yield from filter(None, (parts.password, parts.query))
    name = value if parts is None else parts.username or ""
    if len(name) >= LONG or (re.search(r"\d", name) and re.search(r"[^\W\d_]", name)):
        yield name


def _mapped(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _mapped(each, change) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(each, change) for each in value]
    return value


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _nothing(found: re.Match[str], values: Mapping[str, str]) -> BadSetting:
    if found[1]:
        return BadSetting(
            f"{found[0]}: the environment variable {found[2]} is not set.",
            f"Set it: export {found[2]}=...",
        )
    known = ", ".join(f"{{{name}}}" for name in values)
    return BadSetting(
        f"{found[0]} is not known in the declaration of an agent.",
        f"Known are {known}, {{env:NAME}}.",
    )
