"""Files of traces: what stands in them, packed or not, and the runs that they tell of."""

from __future__ import annotations

import gzip
import io
import json
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import zstandard

from deepassay.errors import BadReports, Notice
from deepassay.files import BadFile, decode_text, without_surrogates
from deepassay.intake.rows import same_words
from deepassay.reports.files import ending_of
from deepassay.reports.naming import whose
from deepassay.reports.report import Report
from deepassay.reports.traces.calls import Tools
from deepassay.reports.traces.endings import ENDINGS, TURNS
from deepassay.reports.traces.exports import spans_in
from deepassay.reports.traces.messages import by_task
from deepassay.reports.traces.recorded import (
    RecordedRun,
    recorded_of_messages,
    recorded_of_spans,
)
from deepassay.reports.traces.span_calls import joined_by_session, traces_of
from deepassay.reports.traces.spans import TraceSpan
from deepassay.score import Json
from deepassay.text import first_few, natural_order

MOST_BYTES: Final = 200_000_000
"""Bytes of a file, once it is unpacked."""

READ: Final = (
    "Traces are read as OTLP in JSON lines (OpenInference or GenAI names), as ATIF, and as "
    "messages that LangChain, the OpenAI Agents SDK, smolagents or Pydantic AI export as JSON."
)
_REMEDY: Final = "Export it again, or leave it out."
TaskOf = Callable[[RecordedRun], str]
"""The identifier of the task that a run was of, by its names, else by what was asked last before
the agent did anything; "" where that is not known."""

_NAMED: Final = ("task_id", "task", "id", "custom_id", "session_id", "name")
_HOLDS: Final = ("messages", "steps", "items", "all_messages", "trajectory", "history")
_GAP: Final = " \t\r\n,\x1e"


def recorded_in(
    paths: Iterable[Path],
    met: Collection[Path] = (),
    tools: Tools | None = None,
    task_of: TaskOf = lambda _: "",
    *,
    sessions: bool = False,
) -> list[RecordedRun]:
    """The runs in files, in order of time; the spans of one may stand in several files.

    met: files that nobody named as traces. Of these, what is none is left out with a Notice; of
    the others, BadReports is raised for it. tools: what some of them do. task_of: see TaskOf; a
    conversation about several tasks is a run for each. sessions: traces of one session are turns of
    one run, or of one for each task that it was asked.
    """
    spans: list[TraceSpan] = []
    places: dict[str, str] = {}
    torn: set[str] = set()
    found: list[RecordedRun] = []
    for path in paths:
        try:
            documents, breaks = _documents(path)
            own = [span for each in documents for span in spans_in(each)]
            if breaks and not own:
                raise BadReports(f"{path}: it ends before its end.", _REMEDY)
            found += [] if own else _conversations(path, documents, tools, task_of)
        except BadReports as error:
            if path not in met:
                raise
            warnings.warn(Notice(f"{error.problem} It is left out."), stacklevel=2)
            continue
        for span in own:
            places.setdefault(span.trace, str(path))
            torn |= {span.trace} if breaks else set()
        spans += own
    others = 0
    traces = traces_of(spans)
    tasks: dict[str, str] = {}
    if sessions:
        alone = {trace: recorded_of_spans(own, places[trace]) for trace, own in traces.items()}
        tasks = {trace: task_of(own) for trace, own in alone.items()}
        traces = joined_by_session(traces, tasks)
    for trace, each in traces.items():
        if all(span.kind == "other" for span in each):
            others += 1
        else:
            breaks_off = any(span.trace in torn for span in each)
            run = recorded_of_spans(each, places[trace], torn=breaks_off, tools=tools)
            known = (tasks[trace],) if tasks.get(trace) else ()
            found.append(replace(run, names=(*known, *run.names)))
    if others:
        told = f"{others} traces are left out, in which no agent, model or tool is at work."
        warnings.warn(Notice(told), stacklevel=2)
    return sorted(found, key=lambda each: (each.start, natural_order(each.path), each.name))


def _documents(path: Path) -> tuple[list[Json], bool]:
    """The values of JSON in a file, one after another, and whether the last one breaks off."""
    try:
        text = decode_text(_unpacked(path)).removeprefix("\ufeff")
    except BadFile as error:
        raise BadReports(f"{error.at(path)}: {error.problem}.", error.remedy) from error
    found: list[Json] = []
    decoder = json.JSONDecoder()
    at = _after_gap(text, 0)
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except RecursionError:
            raise BadReports(f"{path}: it is nested too deep.", READ) from None
        except ValueError as error:
            if found and "\n" not in text[at:].rstrip("\n"):
                told = f"{path}: its last line breaks off. Nothing is said of what may be missing."
                warnings.warn(Notice(told), stacklevel=2)
                return found, True
            line = text.count("\n", 0, at) + 1
            raise BadReports(f"{path}, line {line}: not JSON ({error}).", READ) from error
        found.append(value)
        at = _after_gap(text, at)
    if not found:
        raise BadReports(f"{path}: the file is empty.", READ)
    return _without_surrogates(found), False


def _after_gap(text: str, at: int) -> int:
    while at < len(text) and text[at] in _GAP:
        at += 1
    return at


def _without_surrogates(found: list[Json]) -> list[Json]:
    """Values whose texts can be written down again."""
    whole = json.dumps(found, ensure_ascii=False)
    bare = without_surrogates(whole)
    return found if bare == whole else list(json.loads(bare))


def _unpacked(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
            file.seek(0)
            stream: Any = file
            if magic[:2] == b"\x1f\x8b":
                stream = gzip.GzipFile(fileobj=file)
            elif magic == b"\x28\xb5\x2f\xfd":
                stream = io.BufferedReader(
                    zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
                )
            content: bytes = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise BadReports(f"{path}: there is no such file.", "Check the path.") from None
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        why = getattr(error, "strerror", None) or error
        raise BadReports(f"{path}: the file cannot be read ({why}).", _REMEDY) from error
    if len(content) > MOST_BYTES:
        raise BadReports(
            f"{path}: it holds more than {MOST_BYTES:,} bytes.", "Split it into several files."
        )
    return content


def _conversations(
    path: Path, documents: Sequence[Json], tools: Tools | None, task_of: TaskOf
) -> Iterator[RecordedRun]:
    """The conversations of a file, each about one task as far as prompts tell."""
    for value, found in _whole_conversations(path, documents, tools):
        _refuse_nothing(path, found)
        bare = replace(found, heard=(), later=())
        apart = {} if task_of(bare) else by_task(value, partial(_task_asked, bare, task_of))
        for task, own in apart.items():
            yield recorded_of_messages(own, found.path, found.name, found.agent, (task,), tools)
        if not apart:
            yield found


def _task_asked(bare: RecordedRun, task_of: TaskOf, prompt: str) -> str:
    return task_of(replace(bare, names=(), heard=(prompt,)))


def _whole_conversations(
    path: Path, documents: Sequence[Json], tools: Tools | None
) -> Iterator[tuple[Json, RecordedRun]]:
    """One, or one for each object that holds messages."""
    several = documents
    if len(documents) == 1 and isinstance(documents[0], list):
        several = documents[0]
    apart = [
        each for each in several if isinstance(each, Mapping) and not _HOLDING.isdisjoint(each)
    ]
    agent, task, _ = whose(path, ending_of(path, ENDINGS))
    if len(apart) < len(several) or not apart:  # messages, and no conversations
        given = documents[0] if len(documents) == 1 else list(documents)
        yield given, recorded_of_messages(given, str(path), task, agent, (task,), tools)
        return
    for number, each in enumerate(apart, start=1):
        names = [str(each[key]) for key in _NAMED if isinstance(each.get(key), str | int)]
        name = (names or [task])[0] if len(apart) > 1 else task
        yield (
            each,
            recorded_of_messages(
                each,
                f"{path}#{number}" if len(apart) > 1 else str(path),
                name,
                _agent_named(each) or agent,
                (*names, *((task,) if len(apart) == 1 else ())),
                tools,
            ),
        )


_HOLDING: Final = frozenset(_HOLDS)


def _agent_named(given: Mapping[str, Json]) -> str:
    agent = given.get("agent")
    name = agent.get("name") if isinstance(agent, Mapping) else agent
    return name.strip()[:200] if isinstance(name, str) else ""


def _refuse_nothing(path: Path, found: RecordedRun) -> None:
    if not (found.run.report or found.run.events or found.prompts):
        raise BadReports(f"{path}: it holds no trace and no messages that are known.", READ)


def reports_of_traces(paths: Sequence[Path]) -> Iterator[Report]:
    """A report for each recorded run; several of one agent and task are its samples, by time.

    Where users asked several things, the record of the run has these as TURNS until it is joined.
    """
    recorded = recorded_in(paths)
    counted: Counter[tuple[str, str]] = Counter()
    for each in recorded:
        agent, task = each.agent or Path(each.path).name.partition(".")[0], each.names[0]
        prompt = next(iter(each.prompts), None)
        last = each.heard[-1] if each.heard else prompt or task
        keys = {(agent, task), (agent, same_words(last))}
        sample = 1 + max(counted[key] for key in keys)
        counted.update(dict.fromkeys(keys, 1))
        turns = {"heard": [*each.heard], "later": [*each.later]}
        several = len({*each.heard, *each.later}) > 1
        record = {**each.run.record, **({TURNS: turns} if several else {})}
        run = replace(each.run, record=record)
        yield Report(each.run.report or "", agent, task, sample, each.path, prompt, run=run)
    warnings.warn(Notice(taken_for(recorded)), stacklevel=2)


def taken_for(recorded: Sequence[RecordedRun]) -> str:
    """How many runs were read, and what their tools were taken for."""
    counts: dict[tuple[str, str], int] = {}
    for each in recorded:
        for tool, kinds in dict(each.run.record.get("tools") or {}).items():
            for kind, count in dict(kinds).items():
                counts[kind, tool] = counts.get((kind, tool), 0) + count
    told = [f"{count} × {tool}: {kind}" for (kind, tool), count in sorted(counts.items())]
    unseen = sum(each.run.events is None for each in recorded)
    without = f" Of {unseen} nobody can say what was searched and opened." if unseen else ""
    return f"Traces: {len(recorded)} runs. Calls: {first_few(told, 12) or 'none'}.{without}"
