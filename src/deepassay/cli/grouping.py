"""Options that several commands take, as one parameter of each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def ungrouped(action: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of a group in place of the parameter that takes the group.

    A group is a dataclass whose fields are options, annotated as typer has them.
    """
    own = inspect.signature(action, eval_str=True).parameters
    groups: dict[str, Any] = {
        name: each.annotation for name, each in own.items() if is_dataclass(each.annotation)
    }

    def command(**options: object) -> None:
        given = {
            name: group(**{each.name: options.pop(each.name) for each in fields(group)})
            for name, group in groups.items()
        }
        action(**options, **given)

    parameters = [
        option
        for name, each in own.items()
        for option in (_options(groups[name]) if name in groups else [each])
    ]
    command.__name__, command.__doc__ = action.__name__, action.__doc__
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    )
    return command


def _options(group: type) -> Iterator[inspect.Parameter]:
    annotations = get_type_hints(group, include_extras=True)
    for each in fields(group):
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=annotations[each.name],
        )
