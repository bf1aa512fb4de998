"""An agent that is a Python function, in a process of its own or in ours.

Agents install handlers, change the working folder, keep event loops and cache clients; so a
process of its own is the rule, and `in_process` the exception, for tests.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from pydantic import field_validator

from deepassay.agents.agent import Agent, Session, Stop
from deepassay.errors import BadSetting
from deepassay.plugins import error_in_one_line, is_reference, load_reference
from deepassay.runfile import AgentRun
from deepassay.tasks.task import Task
from deepassay.wings.research.adapters.command import Command
from deepassay.wings.research.adapters.templates import values_of
from deepassay.wings.research.concluding import answer_of_value, concluded


class Python(Agent):
    """`python:module:function`, with `def function(prompt: str, **context) -> str | Mapping`.

    The function may be async. context: task_id, language, date, sandbox. It returns the report, the
    JSON of a provider, or a mapping with `report` and, if it knows them, `sources` (a list of
    addresses that `[n]` in the report means). interpreter: another Python to
    run it with.
    """

    kind: ClassVar[str] = "python"

    python: str
    interpreter: str = ""
    env: Mapping[str, str] = {}
    memory_mb: int | None = None
    map: tuple[tuple[str, str], ...] = ()
    in_process: bool = False

    @field_validator("python")
    @classmethod
    def _named(cls, given: str) -> str:
        if not is_reference(given):
            raise ValueError("write module:function")
        return given

    @property
    def _command(self) -> Command:
        """The program that calls the function and writes down what it returns."""
        here = str(Path.cwd())
        return Command(
            command=(
                self.interpreter or sys.executable, "-c", CALLER, self.python, here,
                "{prompt_file}", "{out_file}", "{task_id}", "{language}", "{date}", "{sandbox}",
            ),
            env=self.env,
            memory_mb=self.memory_mb,
            map=self.map,
            limit_s=self.limit_s,
        )  # fmt: skip

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise BadSetting for an interpreter, module or, in our process, function not there."""
        if self.in_process:
            load_reference(self.python, "agent")
            return
        self._command.check(environment)
        module = self.python.partition(":")[0].partition(".")[0]
        if not (self.interpreter or self.env or _is_module(module)):
            raise BadSetting(
                f"{self.python}: there is no module {module!r} here or installed.",
                "Start the command in the folder of the module, or name an `interpreter` that has "
                "it. Other agents are written KIND:..., as command:... or chat:....",
            )

    async def answer(self, task: Task, session: Session) -> AgentRun:
        """Call the function with the task, here or in a process of its own."""
        if not self.in_process:
            return await self._command.answer(task, session)
        function = load_reference(self.python, "agent")
        assert callable(function)
        began = time.monotonic()
        context = values_of(task) | {"sandbox": session.sandbox}
        prompt = context.pop("prompt")
        try:
            value = await asyncio.wait_for(_called(function, prompt, context), self.limit_s)
            run = concluded(
                answer_of_value(value),
                raw=_as_text(value),
                addresses=(*self.map, *session.addresses),
            )
        except TimeoutError:
            run = AgentRun(None, Stop.TIME.value, f"It took longer than {self.limit_s:g} s.")
        except Exception as error:  # whatever a function of others does
            run = AgentRun(None, Stop.FAILED.value, f"It raised {error_in_one_line(error)}")
        return replace(run, seconds=time.monotonic() - began)


def _is_module(name: str) -> bool:
    """Whether a process of its own would find a module, without importing it."""
    return bool(PathFinder.find_spec(name, [str(Path.cwd())]) or find_spec(name))


async def _called(function: Callable[..., Any], prompt: str, context: Mapping[str, str]) -> Any:  # noqa: ANN401
    if inspect.iscoroutinefunction(function):
        return await function(prompt, **context)
    value = await asyncio.to_thread(function, prompt, **context)
    return await value if inspect.isawaitable(value) else value


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


CALLER = """\
import importlib, json, sys
reference, here, prompt_file, out_file, task_id, language, date, sandbox = sys.argv[1:]
sys.path.insert(0, here)
module, _, name = reference.partition(":")
function = importlib.import_module(module)
for each in name.split("."):
    function = getattr(function, each)
with open(prompt_file, encoding="utf-8") as file:
    prompt = file.read()
value = function(prompt, task_id=task_id, language=language, date=date, sandbox=sandbox)
if hasattr(value, "__await__"):
    import asyncio
    async def wait():
        return await value
    value = asyncio.run(wait())
if value is None or isinstance(value, (bool, int, float)):
    raise TypeError(f"it returned {value!r} and no report")
text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
with open(out_file, "w", encoding="utf-8", errors="surrogatepass") as file:
    file.write(text)
"""
"""What the process of its own runs; it needs nothing of ours, so that any Python can."""
