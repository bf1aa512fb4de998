"""A recorded run: what an agent was asked, what it asked for, what it wrote and what that took."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from deepassay.reports.answers import answer_as_markdown, answer_of
from deepassay.reports.traces.calls import ENDS, SeenCalls, Tools, seen_in
from deepassay.reports.traces.exports import moment_of
from deepassay.reports.traces.messages import MOST_ASKED, longest_text, walk
from deepassay.reports.traces.span_calls import agent_said, answer_in, calls_of, conversation
from deepassay.reports.traces.spans import OFFERED, TraceSpan
from deepassay.reports.traces.values import all_text_of, breaks_off, opened_json
from deepassay.runfile import AgentRun
from deepassay.score import Json

WRITTEN_KEYS: Final = (
    *("final_report", "report", "final_output", "output", "answer", "response", "result", "raw"),
    *("content", "text", "message", "final_answer"),
)
"""Under which keys programs that give objects have what was written."""

NOTHING_TOLD: Final = (
    "the trace has {} calls of tools and says neither what they were given nor what they brought"
)
NO_TOOLS: Final = "the trace has no call of a tool, and does not say which could be called"


_PRINTED: Final = re.compile(r"\s*(?:<[\w.]+ |[A-Za-z_][\w.]*\((?:\w+=|[A-Z]\w*\(|\)))")
"""How an object begins that a program printed in place of what it holds."""

MOST_AGENTS: Final = 50
"""Agents within a trace that are looked at for what they were asked."""

_FIRST: Final = 5
"""Of so many answers of models one was told what the user asked."""


@dataclass(frozen=True)
class RecordedRun:
    """One run of an agent, as a trace has it.

    name: of the trace. agent: who that says ran, "" where it does not. prompts: what was asked, in
    every wording that stands there, the likeliest first. names: what may be the identifier of its
    task, the surest first. start: in nanoseconds, to order runs. path: the file. heard: what users
    had asked before the agent did anything, in order; later: what they, or a program, asked then.
    """

    name: str
    agent: str
    prompts: tuple[str, ...]
    names: tuple[str, ...]
    start: int
    path: str
    run: AgentRun
    heard: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


class FinalAnswer(NamedTuple):
    """What was written in the end, and which span says so.

    cut: whether its end is missing. at: when it was begun, in nanoseconds, 0 where nobody knows.
    """

    text: str
    by: str
    cut: bool = False
    at: int = 0


def recorded_of_spans(
    spans: Sequence[TraceSpan], path: str, *, torn: bool = False, tools: Tools | None = None
) -> RecordedRun:
    """The run that the spans of one trace tell of, or of several that are turns of one run.

    torn: the file ended before its end. tools: what some of them do.
    """
    models = [each for each in spans if each.kind == "model"]
    calls = calls_of(spans)
    seen = seen_in(calls, tools)
    from_models = not any(each.kind in ("tool", "search") for each in spans)
    lost = seen.lost + torn + _missing(spans)
    if from_models:
        lost += sum(each.dropped > 0 or each.is_cut(each.get("heard")) for each in models)
    last = spans[-1].trace  # of several turns the last one has the report
    ending = [each for each in spans if each.trace == last]
    written = _written(ending, [each for each in ending if each.kind == "model"])
    offered = any(key.startswith(OFFERED) for each in models for key in each.own)
    record: dict[str, Json] = {
        "trace": spans[0].trace,
        "root": _root(spans).id,
        "instrumentation": sorted({each.scope for each in spans if each.scope})[:20],
        "models": sorted({name for each in models if (name := each.text("model"))})[:20],
        "calls": len(models),
        "asked": _asked(spans, models),
    }
    start, end = min(each.start for each in spans), max(each.end for each in spans)
    run = AgentRun(
        None,
        "failed",
        usage=_tokens((each.get("input"), each.get("output")) for each in _outermost(models)),
        seconds=max(0.0, (end - start) / 1e9) if start else 0.0,
        cost=_cost(models),
        record=record,
    )
    agents = [each for each in spans if each.kind == "agent"]
    return RecordedRun(
        spans[0].trace,
        _agent(spans, agents),
        tuple(dict.fromkeys(_prompts(spans, models))),
        tuple(dict.fromkeys(_names(spans))),
        start,
        path,
        _with_report(_with_calls(run, seen, lost, bool(calls) or offered), written, start),
        *_turns(models, agents),
    )


def recorded_of_messages(
    value: Json,
    path: str,
    name: str,
    agent: str = "",
    names: Sequence[str] = (),
    tools: Tools | None = None,
) -> RecordedRun:
    """The run that a conversation tells of. name: of it; names: of its task. tools: as above."""
    walked = walk(value)
    seen = seen_in(walked.joined(), tools)
    text, by = walked.report
    calls = len(walked.usage) or None
    record: dict[str, Json] = {"trace": name, "calls": calls, "asked": walked.asked}
    run = AgentRun(
        None, "failed", usage=_tokens(walked.usage), seconds=_seconds(value), record=record
    )
    if isinstance(value, Mapping) and isinstance(final := value.get("final_metrics"), Mapping):
        told = (final.get("total_prompt_tokens"), final.get("total_completion_tokens"))
        usage, cost = _tokens([told]) or run.usage, final.get("total_cost_usd")
        known = float(cost) if isinstance(cost, int | float) else None
        run = replace(run, usage=usage, cost=known)
    return RecordedRun(
        name,
        agent,
        tuple(dict.fromkeys(walked.prompts)),
        tuple(names),
        0,
        path,
        _with_report(_with_calls(run, seen, seen.lost, bool(walked.calls)), FinalAnswer(text, by)),
        tuple(walked.prompts[: walked.heard]),
        () if walked.heard is None else tuple(walked.prompts[walked.heard :]),
    )


def _seconds(value: Json) -> float:
    """Wall time of steps in ATIF, from the question to the last; 0.0 where these do not say it."""
    steps = value.get("steps") if isinstance(value, Mapping) else None
    told = [each for each in steps if isinstance(each, Mapping)] if isinstance(steps, list) else []
    asked = next((at for at, each in enumerate(told) if each.get("source") == "user"), 0)
    ends = [told[asked], told[-1]] if told else []
    times = [moment_of(each.get("timestamp")) for each in ends]
    return max(0.0, round((times[-1] - times[0]) / 1e9, 3)) if times and all(times) else 0.0


def watched_by_messages(run: AgentRun, messages: Json, tools: Tools | None = None) -> AgentRun:
    """A run with what the messages of its agent say that it asked for. tools: as above."""
    walked = walk(messages)
    seen = seen_in(walked.joined(), tools)
    run = replace(run, record={**run.record, "asked": walked.asked})
    return _with_calls(run, seen, seen.lost, bool(walked.calls))


def _with_calls(run: AgentRun, seen: SeenCalls, lost: int, told: bool) -> AgentRun:
    """A run with its events, as far as a trace has them.

    told: whether the trace says which tools were called, if only that none was. Where it has calls
    and nothing of what these asked for, nobody saw anything.
    """
    tools = {name: dict(each) for name, each in [*seen.tools.items()][:100]}
    record = {
        **run.record,
        **({"tools": tools} if tools else {}),
        **({"lost": lost} if lost else {}),
    }
    if not told or (lost and not seen.events):
        total = sum(count for each in tools.values() for count in each.values())
        why = NOTHING_TOLD.format(total) if told else NO_TOOLS
        return replace(run, record={**record, "unseen": why})
    return replace(run, record=record).watched(seen.events, whole=not lost)


def _with_report(run: AgentRun, written: FinalAnswer, start: int = 0) -> AgentRun:
    if not written.text.strip():
        return replace(run, report="", detail="the trace holds no report")
    record = {**run.record, "report_by": written.by}
    if start and written.at:
        record["written_at"] = (written.at - start) / 1e9
    told = replace(run, report=written.text, raw=written.text, stop="done", record=record)
    if written.cut:
        return replace(told, stop="truncated", detail="the trace holds the beginning of the report")
    return told


def _root(spans: Sequence[TraceSpan]) -> TraceSpan:
    """The span around all others: the first without one around it."""
    known = {each.id for each in spans}
    return next((each for each in spans if each.parent not in known), spans[0])


def _missing(spans: Sequence[TraceSpan]) -> int:
    """How many spans are named as being around others and are not there."""
    known = {each.id for each in spans}
    return len({e.parent for e in spans if e.parent and e.parent not in known and not e.remote})


def _outermost(models: Sequence[TraceSpan]) -> list[TraceSpan]:
    """Calls of models without those within others, which count the same tokens."""
    known = {each.id for each in models}
    return [each for each in models if each.parent not in known]


def _tokens(told: Iterable[tuple[Json, Json]]) -> dict[str, int] | None:
    counted = [(a, b) for a, b in told if isinstance(a, int) and isinstance(b, int)]
    if not counted:
        return None
    return {"input": sum(a for a, _ in counted), "output": sum(b for _, b in counted)}


def _cost(models: Sequence[TraceSpan]) -> float | None:
    """What all answers cost; None where one does not say."""
    told = [each.get("cost") for each in _outermost(models)]
    costs = [float(each) for each in told if isinstance(each, int | float)]
    return sum(costs) if costs and len(costs) == len(told) else None


def _agent(spans: Sequence[TraceSpan], agents: Sequence[TraceSpan]) -> str:
    """Who ran: as somebody said for us, as the service is called, as the outermost agent is."""
    if said := agent_said(spans):
        return said
    named = (each.text("agent") or each.name.removeprefix("invoke_agent ") for each in agents)
    return next(filter(None, named), "")[:200]


def _names(spans: Sequence[TraceSpan]) -> Iterator[str]:
    yield from (name for each in spans if (name := each.text("task")))
    yield spans[0].trace
    yield from (name for each in spans if (name := each.text("session")))


def _asked(spans: Sequence[TraceSpan], models: Sequence[TraceSpan]) -> str:
    """What a model was told and asked first; where that is no message, as a program printed it."""
    told = (conversation(each).asked for each in models[:_FIRST])
    if asked := next(filter(None, told), ""):
        return asked
    begun = [*spans[:1], *models[:1]]
    printed = (all_text_of(each.get("asked")).replace("\\n", "\n") for each in begun)
    return "\n".join(printed)[:MOST_ASKED]


def _prompts(spans: Sequence[TraceSpan], models: Sequence[TraceSpan]) -> Iterator[str]:
    """What was asked: what a model heard first of the user, and what the run began with."""
    heard = (conversation(span).prompts for span in models[:_FIRST])
    yield from next(filter(None, heard), [])[:3]
    for span in [*spans[:1], *(each for each in spans if each.kind == "agent")][:3]:
        asked = opened_json(span.get("asked"))
        if isinstance(asked, str):
            yield asked
        elif asked is not None:
            yield from walk(asked).prompts[:3]
            yield longest_text(asked)


def _turns(
    models: Sequence[TraceSpan], agents: Sequence[TraceSpan]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What users had asked when a model answered first, and what was asked by the end."""
    told = (conversation(span).prompts for span in models[:_FIRST])
    heard = next(filter(None, told), [])
    later = conversation(models[-1]).prompts if models else []
    for span in agents[:MOST_AGENTS]:
        asked = opened_json(span.get("asked"))
        later += [asked] if isinstance(asked, str) else walk(asked).prompts
    return tuple(heard), tuple(each for each in later if each not in heard)


def _written(spans: Sequence[TraceSpan], models: Sequence[TraceSpan]) -> FinalAnswer:
    """What was written in the end.

    The last answer of a model beside which it called nothing; where what is around all says more
    or other things, that; else what a tool was given that ends a run.
    """
    last = next(filter(None, map(_answer, reversed(models))), FinalAnswer("", ""))
    around = [each for each in spans if each.kind == "agent"] + list(spans[:1])
    for span in around:
        said = span.get("said")
        text = _text_written(opened_json(said))
        if text.strip() and not _PRINTED.match(text):
            if last.text and not last.cut and last.text.strip() in text:
                return last  # in words of a program around it
            by = f"{span.kind} {span.name}".strip()
            return FinalAnswer(text, by, span.is_cut(said) or breaks_off(said))
    if last.text:
        return last
    for span in reversed(spans):
        if span.kind == "tool" and ENDS.search(span.text("tool") or span.name):
            given = span.get("arguments")
            if text := longest_text(given):
                return FinalAnswer(text, f"argument of {span.name}", span.is_cut(given))
    return last


def _answer(span: TraceSpan) -> FinalAnswer | None:
    """What a model wrote, if it called no tool of the agent beside it."""
    by = f"model {span.name}".strip()
    if (whole := span.own.get("output.value")) is not None:
        given = opened_json(whole)
        answer = answer_of(given) if isinstance(given, dict) else None
        if answer is not None and any(part.annotations for part in answer.parts):
            return FinalAnswer(answer_as_markdown(answer).text, by, at=span.start)
    walked = answer_in(span)
    if walked.said and not walked.own:
        cut = any(span.is_cut(value) for value in span.own.values())
        is_cut = cut and _is_end_cut(span, walked.said[-1])
        return FinalAnswer(walked.said[-1], by, is_cut, span.start)
    return None


def _is_end_cut(span: TraceSpan, text: str) -> bool:
    """Whether an attribute that holds the end of a text was cut."""
    tail = text[-40:]
    holds = [v for key, v in span.own.items() if isinstance(v, str) and "output" in key]
    mine = [value for value in holds if tail in value or breaks_off(value)]
    return bool(mine) and all(span.is_cut(value) for value in mine)


def _text_written(said: Json, depth: int = 0) -> str:
    """What was written, of a text or of an object around it."""
    if isinstance(said, str):
        return said
    if depth > 4 or said is None:
        return ""
    if text := walk(said).report[0]:
        return text
    if isinstance(said, Mapping):
        for key in WRITTEN_KEYS:
            if text := _text_written(opened_json(said.get(key)), depth + 1):
                return text
    return ""
