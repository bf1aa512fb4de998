"""Models that are Python objects: a function from prompt to answer, or a client of one's own."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final

from deepassay.errors import BadSetting
from deepassay.models.client import AdaptivePace, Call, Client, Completion, Fault, FaultKind
from deepassay.plugins import code_of, is_reference, load_reference, module_and_name, one
from deepassay.score import Json

if TYPE_CHECKING:
    from deepassay.models.prices import Price

Judge = Callable[[str], str | Awaitable[str]] | Client
"""Who answers: a function of the rendered prompt, async or not, or a `Client`.

A function that is not async is called in a thread. What it raises becomes an unscored judgement:
a ConnectionError or TimeoutError is tried again, anything else is not.
"""

_CLIENT: Final = ("identity", "pace", "price", "max_output", "context_window", "complete")


class FunctionClient:
    """A function as a client. Its recipe is its name with the version of its package.

    most: calls at the same time.
    """

    price: Price | None = None
    max_output = 16_384
    context_window: int | None = None

    def __init__(self, function: Callable[[str], str | Awaitable[str]], most: int = 16) -> None:
        self._function = function
        self.pace = AdaptivePace(most)
        named = function if inspect.isroutine(function) else type(function)
        code = code_of(named)
        self.identity: Mapping[str, Json] = {
            "model": module_and_name(named),
            **({"code": code} if code else {}),
        }

    async def complete(self, call: Call) -> Completion:
        """Call the function. Raises Fault for what it raises, and for an answer that is no text."""
        try:
            answer = await self._answer(_as_text(call))
        except Fault:
            raise
        except TimeoutError as error:
            raise Fault(FaultKind.TIMEOUT, _in_words(error)) from error
        except ConnectionError as error:
            raise Fault(FaultKind.CONNECTION, _in_words(error)) from error
        except Exception as error:  # a judgement that fails is a record, whatever failed in it
            raise Fault(FaultKind.REJECTED, _in_words(error)) from error
        if not isinstance(answer, str):
            kind = type(answer).__name__
            raise Fault(FaultKind.REJECTED, f"the function gave no text but {kind}")
        return Completion(answer, "stop", None, str(self.identity["model"]))

    async def _answer(self, prompt: str) -> object:
        if inspect.iscoroutinefunction(self._function) or inspect.iscoroutinefunction(
            getattr(self._function, "__call__", None)  # noqa: B004
        ):
            return await self._function(prompt)  # type: ignore[misc]
        answer = await asyncio.to_thread(self._function, prompt)
        return await answer if inspect.isawaitable(answer) else answer


def _as_text(call: Call) -> str:
    """The whole of a question as one text, with earlier answers that could not be used."""
    earlier = [part for correction in call.again for part in correction]
    return "\n\n".join(filter(None, [call.prompt.system, call.prompt.text, *earlier]))


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def client_of(judge: object, most: int = 16) -> Client:
    """The client that asks this object. Raises BadSetting for what cannot be asked."""
    if all(hasattr(judge, name) for name in _CLIENT):
        return judge  # type: ignore[return-value]
    if callable(judge) and not isinstance(judge, type):
        return FunctionClient(judge, most)
    raise BadSetting(
        f"{judge!r} is no judge.",
        "Give offline, PROVIDER:NAME, module:name, or a function that takes the prompt and "
        "returns the answer as text.",
    )


def client_named(name: str) -> Client | None:
    """The client of a model that Python code plays, by its name; None for all other models.

    `PROVIDER:NAME` of a package that registers PROVIDER in the group `deepassay.models`: a
    function from NAME to a judge. Or `module:name`: the judge itself. Raises BadSetting.
    """
    provider, _, model = name.partition(":")
    if not model:
        return None
    from deepassay.models.endpoints import PROVIDERS

    if provider in (*PROVIDERS, "local", "cascade"):
        return None
    plugin = one("models", provider)
    if plugin is not None:
        make = plugin.load()
        if not callable(make):
            raise BadSetting(
                f"Package {plugin.package} registers {plugin.reference} as the models "
                f"{provider!r}, and that cannot be called.",
                "Register a function from the name of a model to a judge.",
            )
        return client_of(make(model))
    if is_reference(name):
        return client_of(load_reference(name, "judge"))
    return None
