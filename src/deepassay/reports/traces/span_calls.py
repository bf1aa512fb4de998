"""From the spans of a trace to the calls of tools, and to what models were told and said."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from deepassay.reports.traces.calls import ToolCall, asked_in
from deepassay.reports.traces.messages import Walked, walk
from deepassay.reports.traces.spans import TraceSpan, texts_in
from deepassay.reports.traces.values import opened_json
from deepassay.score import Json


def traces_of(spans: Iterable[TraceSpan]) -> dict[str, list[TraceSpan]]:
    """The spans of each trace in order of time, each once, and with the length of cut texts.

    Of a span that came twice the one counts that has more: a first export may have lost some.
    """
    found: dict[tuple[str, str], TraceSpan] = {}
    for span in spans:
        key = (span.trace, span.id)
        there = found.get(key)
        if there is None or _size(there) < _size(span):
            found[key] = span
    traces: defaultdict[str, list[TraceSpan]] = defaultdict(list)
    for span in found.values():
        traces[span.trace].append(span)
    return {trace: _in_order(own) for trace, own in traces.items()}


def joined_by_session(
    traces: Mapping[str, Sequence[TraceSpan]], tasks: Mapping[str, str]
) -> dict[str, list[TraceSpan]]:
    """Traces that name the same session as one, under the name of the first; others as they are.

    Sessions of two agents are two, whatever they are called: names such as `1` come twice. A trace
    that does not say whose it is belongs to its session, where that is of one agent alone. tasks:
    what each trace was asked, "" where that is not known. A session that was asked several is a run
    for each: what is of none belongs to the one before.
    """
    said: list[tuple[str, str, str]] = []
    agents: defaultdict[str, set[str]] = defaultdict(set)
    for trace, spans in sorted(traces.items(), key=lambda each: each[1][0].start):
        name = next(filter(None, (each.text("session") for each in spans)), "")
        session, agent = f"session {name}" if name else f"trace {trace}", agent_said(spans)
        said.append((trace, session, agent))
        agents[session] |= {agent} - {""}
    turns: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    now: dict[tuple[str, str], str] = {}
    for trace, session, agent in said:
        whose = agent or (next(iter(agents[session])) if len(agents[session]) == 1 else "")
        now[session, whose] = tasks[trace] or now.get((session, whose), "")
        turns[session, whose, now[session, whose]].append(trace)
    return {own[0]: [span for trace in own for span in traces[trace]] for own in turns.values()}


def agent_said(spans: Sequence[TraceSpan]) -> str:
    """Whose the spans of a trace are, as somebody said for us or the service is called; else ""."""
    said = [
        name
        for each in spans
        if isinstance(name := {**each.resource, **each.own}.get("deepassay.agent"), str)
    ]
    service = str({**spans[0].own, **spans[0].resource}.get("service.name") or "")
    named = [] if service.startswith("unknown_service") else [service]
    return next(iter([*said, *named]), "").strip()[:200]


def _size(span: TraceSpan) -> tuple[int, int, str]:
    written = json.dumps(span.own, sort_keys=True, default=str)
    return span.end > 0, len(written), written


def _in_order(spans: Sequence[TraceSpan]) -> list[TraceSpan]:
    cut = _cut_length(spans)
    ordered = sorted(spans, key=lambda each: (each.start, -each.end, each.id))
    return [replace(each, cut=cut) for each in ordered]


_ROUND: Final = frozenset({2**n for n in range(7, 25)} | {2**n - 1 for n in range(8, 25)})
"""Lengths that people choose as limits."""


def _cut_length(spans: Sequence[TraceSpan]) -> int:
    """The length that texts were cut to, of which they keep no mark; 0 where none is seen.

    Two that differ, of exactly the greatest length, were cut; so was one of a length as limits are.
    """
    texts = {text for each in spans for value in each.own.values() for text in texts_in(value)}
    lengths = Counter(map(len, texts))
    longest = max(lengths, default=0)
    limit = longest in _ROUND or (longest >= 1000 and longest % 500 == 0)
    return longest if longest and (lengths[longest] > 1 or limit) else 0


def calls_of(spans: Sequence[TraceSpan]) -> tuple[ToolCall, ...]:
    """The calls of tools in the spans of one trace, in order of time.

    Where no span is of a tool, what models were told of calls and results counts.
    """
    parents = {each.id: each.parent for each in spans}
    first = min((each.start for each in spans if each.start), default=0)
    found = [_call(each, parents, first) for each in spans if each.kind in ("tool", "search")]
    hosted = [call for each in spans if each.kind == "model" for call in _hosted(each, first)]
    if not found:
        walked = Walked()
        for each in spans:
            if each.kind == "model":
                conversation(each, walked)
        found = [each for each in walked.joined() if not each.hosted]
    else:
        found += _without_span(spans, found, first)
    return tuple(sorted([*found, *hosted], key=lambda each: each.at or 0.0))


def _without_span(
    spans: Sequence[TraceSpan], found: Sequence[ToolCall], first: int
) -> Iterator[ToolCall]:
    """Searches and pages that a model asked for and no span of a tool tells of: one was lost.

    What came back is what a later answer was told, where that is whole.
    """
    asked: dict[str, ToolCall] = {}
    for span in spans:
        if span.kind == "model":
            at = (span.start - first) / 1e9 if span.start and first else None
            part = span.dropped > 0 or any(map(span.is_cut, span.own.values()))
            for call in conversation(span).joined():
                if call.hosted or call.span.startswith("call "):  # it has no identifier
                    continue
                known = replace(call, result=None, failed="") if part else call
                there = asked.get(call.span)
                if there is None or (there.result is None and known.result is not None):
                    at = there.at if there else at
                    asked[call.span] = replace(known, span=f"{span.id}#{call.span}", at=at)
    seen = Counter(what for call in found for what in asked_in(call))
    for call in asked.values():
        for what in asked_in(call):
            seen[what] -= 1
            if seen[what] < 0:
                yield call


def conversation(span: TraceSpan, walked: Walked | None = None) -> Walked:
    """What a model heard and answered, as messages."""
    walked = walked if walked is not None else Walked()
    for heard in (span.nested("llm.input_messages"), opened_json(span.get("heard"))):
        walk(heard, walked)  # the second may tell of calls that the first leaves out
    return answer_in(span, walked)


def answer_in(span: TraceSpan, walked: Walked | None = None) -> Walked:
    """What a model answered, as messages."""
    return walk(span.nested("llm.output_messages") or opened_json(span.get("answered")), walked)


def _around(span: TraceSpan, parents: Mapping[str, str]) -> tuple[str, ...]:
    found: list[str] = []
    above = span.parent
    while above and above not in found and len(found) < 200:
        found.append(above)
        above = parents.get(above, "")
    return tuple(found)


def _call(span: TraceSpan, parents: Mapping[str, str], first: int) -> ToolCall:
    seeks = span.kind == "search"
    arguments = span.get("query" if seeks else "arguments")
    result = span.get("result")
    if seeks:
        documents = span.nested("retrieval.documents") or span.get("documents")
        arguments = {"query": arguments} if isinstance(arguments, str) else arguments
        result = documents if documents is not None else result
    name = span.text("tool") or span.name.removeprefix("execute_tool ").strip() or "tool"
    lost = span.dropped > 0
    return ToolCall(
        name,
        arguments,
        result,
        span.failed,
        arguments_cut=span.is_cut(span.get("arguments")) or (lost and arguments is None),
        result_cut=_result_cut(span) or lost,
        seeks=seeks,
        span=span.id,
        within=_around(span, parents),
        at=(span.start - first) / 1e9 if span.start and first else None,
    )


def _result_cut(span: TraceSpan) -> bool:
    if span.is_cut(span.get("result")):
        return True
    return span.kind == "search" and any(
        span.is_cut(value)
        for key, value in span.own.items()
        if key.startswith("retrieval.documents.")
    )


def _hosted(span: TraceSpan, first: int) -> Iterator[ToolCall]:
    """Searches that a provider did itself, which have no span of their own."""
    at = (span.start - first) / 1e9 if span.start and first else None
    written = span.nested("llm.output_messages")
    spoken = opened_json(span.get("answered"))
    walked = walk(_hosted_only(written) or _hosted_only(spoken))
    for number, call in enumerate(walked.joined(), start=1):
        yield replace(call, span=f"{span.id}#{number}", at=at)


def _hosted_only(value: Json, depth: int = 0) -> list[Json]:
    """Calls of a provider's own tools, in the shape of its answers."""
    if depth > 8:
        return []
    if isinstance(value, list):
        return [each for inner in value for each in _hosted_only(inner, depth + 1)]
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("action"), dict) and str(value.get("type", "")).endswith("_call"):
        return [value]
    function = value.get("function")
    if isinstance(function, dict) and str(function.get("name", "")).endswith("_call"):
        action = opened_json(function.get("arguments"))
        kind = str(function["name"])
        return [{"type": kind, "id": value.get("id"), "action": action}] if action else []
    return [each for inner in value.values() for each in _hosted_only(inner, depth + 1)]
