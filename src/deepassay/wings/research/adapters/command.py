"""An agent that is a program: it is given the task, and leaves its report in a file."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

from pydantic import field_validator

from deepassay.agents.agent import Agent, Session, Stop
from deepassay.agents.reported_usage import usage_counts
from deepassay.errors import BadSetting
from deepassay.runfile import AgentRun
from deepassay.tasks.task import Task
from deepassay.text import unkeyed
from deepassay.wings.research.adapters import templates
from deepassay.wings.research.adapters.output_files import UnreadableOutput, newest, read_left
from deepassay.wings.research.adapters.process import ProgramEnd, run
from deepassay.wings.research.concluding import concluded, read_answer

PLACEHOLDERS: Final = frozenset(
    {"prompt", "prompt_file", "out_file", "task_id", "language", "date", "sandbox"}
)


LONGEST_USAGE: Final = 64 * 1024
"""Bytes of a `usage.json`."""


class Command(Agent):
    """`command:...`: a list of words, without a shell, or one line that is split like a shell's.

    The program runs in an empty folder of its own; words with a slash or an ending that name a file
    here mean that file.
    env: variables besides PATH, HOME and LANG. read: `out_file`, `stdout`, or a pattern of files in
    its folder, of which the newest is read. memory_mb: resident, of it and what it starts. map:
    pairs of a beginning of addresses and what stands in its place in the report. In all of them
    `{prompt}`, `{prompt_file}`, `{out_file}`, `{task_id}`, `{language}`, `{date}`, `{sandbox}` and
    `{env:NAME}` are filled in. A `usage.json` in its folder says what it used: `input_tokens`,
    `output_tokens`, `cost` in USD.
    """

    kind: ClassVar[str] = "command"

    command: tuple[str, ...]
    env: Mapping[str, str] = {}
    read: str = "out_file"
    memory_mb: int | None = None
    map: tuple[tuple[str, str], ...] = ()

    @field_validator("command", mode="before")
    @classmethod
    def _split(cls, given: object) -> object:
        words = shlex.split(given) if isinstance(given, str) else given
        if not words or words is True:
            raise ValueError("there is no program")
        return words

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise BadSetting for a program that is not there and for placeholders nothing fills."""
        declared = [
            *self.command,
            *self.env.values(),
            *(each for pair in self.map for each in pair),
        ]
        templates.check_placeholders(declared, PLACEHOLDERS, environment)
        _program(
            templates.filled(_here(self.command[0]), dict.fromkeys(PLACEHOLDERS, ""), environment)
        )

    async def answer(self, task: Task, session: Session) -> AgentRun:
        """Run the program in the session's folder and read what it left."""
        folder = session.folder
        (folder / "prompt.txt").write_text(task.prompt, encoding="utf-8")
        values = {
            **templates.values_of(task),
            "prompt_file": str(folder / "prompt.txt"),
            "out_file": str(folder / "report.md"),
            "sandbox": session.sandbox,
        }
        environment = session.tools.environment
        first, *rest = (_here(each) for each in self.command)
        ended = await run(
            [
                _program(templates.filled(first, values, environment)),
                *templates.filled(rest, values, environment),
            ],
            folder,
            templates.filled(self.env, values, environment),
            seconds=self.limit_s,
            memory_mb=self.memory_mb,
        )
        kept = list(templates.secrets([*self.command, *self.env.values()], environment))
        given = [(first, last) for first, last in templates.filled(self.map, values, environment)]
        pairs = [*given, *session.addresses]
        # In a thread: what was left may take long to find and to read.
        left = await asyncio.to_thread(self._left, folder, ended)
        return await asyncio.to_thread(_outcome, left, ended, pairs, kept)

    def _left(self, folder: Path, ended: ProgramEnd) -> _Left:
        """The report as the program left it, and what it says that it used."""
        try:
            usage, untold = read_left(folder, "usage.json", LONGEST_USAGE), ""
        except UnreadableOutput as problem:
            usage, untold = None, str(problem)
        try:
            return _Left(self._text(folder, ended), ended.unread, usage, untold)
        except UnreadableOutput as problem:
            return _Left(None, str(problem), usage, untold)

    def _text(self, folder: Path, ended: ProgramEnd) -> str | None:
        if self.read == "stdout":
            return ended.stdout
        name = "report.md" if self.read == "out_file" else newest(folder, self.read)
        return None if name is None else read_left(folder, name)


@dataclass(frozen=True)
class _Left:
    """What a program left. unread: why there is no text where there is something; untold: why
    there is no usage.
    """

    text: str | None
    unread: str
    usage: str | None
    untold: str


def _program(name: str) -> str:
    """Where a program is. Raises BadSetting."""
    if (found := shutil.which(name)) is None:
        raise BadSetting(f"{name}: there is no such program.", "Give its path, or install it.")
    return str(Path(found).absolute())


def _here(word: str) -> str:
    """A word, or the whole path where it names a file here."""
    path = Path(word)
    with contextlib.suppress(OSError, ValueError):  # too long for a name, or with a null byte
        if ("/" in word or path.suffix) and path.is_file():
            return str(path.absolute())
    return word


def _outcome(
    left: _Left, ended: ProgramEnd, pairs: Sequence[tuple[str, str]], kept: list[str]
) -> AgentRun:
    """What came of a program that ended so and left this."""
    text = left.text
    for secret in kept:
        text = None if text is None else unkeyed(text, secret)
    how = _how(ended, kept)
    usage, cost = _usage(left.usage)
    record = {"status": ended.status, **({"stderr": how} if how else {})}
    record |= {"usage": f"{left.untold}."} if left.untold else {}
    if text is None or not text.strip():
        stop = Stop.TIME if ended.limit == "time" else Stop.FAILED
        what = "The program left " + ("no report" if text is None else "an empty report")
        if text is None and left.unread:
            what = f"The program left a report that cannot be taken: {left.unread}"
        detail = f"{what}; {how}." if how else f"{what}."
        lost = AgentRun(None, stop.value, detail, usage=usage, cost=cost, record=record)
        return replace(lost, raw=text or "", seconds=ended.seconds)
    found = concluded(
        read_answer(text),
        raw=text,
        addresses=pairs,
        cut=bool(ended.limit) or ended.status != 0,
        usage=usage,
        cost=cost,
        record=record,
    )
    if found.stop == Stop.TRUNCATED and how:
        found = replace(found, detail=f"It wrote a report and did not end well: {how}.")
    return replace(found, seconds=ended.seconds)


def _how(ended: ProgramEnd, kept: list[str]) -> str:
    """How it ended, if not well."""
    words = ended.last_words
    for secret in kept:
        words = unkeyed(words, secret)
    if ended.limit:
        return f"it was stopped at its limit of {ended.limit}"
    if ended.status:
        status = f"it ended with status {ended.status}"
        return f"{status}: {words}" if words else status
    return ""


def _usage(text: str | None) -> tuple[dict[str, int] | None, float | None]:
    """What a program says that it used, as far as it says so in a form that can be believed."""
    try:
        told = json.loads(text or "")
    except (ValueError, RecursionError):
        told = None
    return usage_counts(told, told.get("cost") if isinstance(told, dict) else None)
