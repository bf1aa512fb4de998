"""Commands of which the options are made, not written."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable

import typer


def spread(
    command: Callable[..., None],
    action: Callable[..., None],
    name: str,
    options: Iterable[inspect.Parameter],
) -> Callable[..., None]:
    """A command that is typed as an action is, with options in place of one parameter of it.

    command: takes the context and what was typed, and calls the action. name: of the parameter.
    """
    own = inspect.signature(action, eval_str=True).parameters
    parameters = [
        option
        for each in own.values()
        if each.name != "context"
        for option in (options if each.name == name else [each])
    ]
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    vars(command).update(vars(action))
    command.__name__, command.__doc__ = action.__name__, action.__doc__
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [context, *(each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters)]
    )
    return command
