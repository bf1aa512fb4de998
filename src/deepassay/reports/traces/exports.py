"""Spans in files, in whichever shape programs write them.

Read are lines of OTLP in JSON, the objects that the SDK prints to a console, what Phoenix
downloads, and the spans that the Agents SDK of OpenAI exports itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from deepassay.reports.traces.spans import TraceSpan
from deepassay.reports.traces.values import opened_json
from deepassay.score import Json

_REMOTE: Final = 0x300
"""Of the flags of a span: that it is known whether its parent is remote, and that it is."""


def spans_in(document: Json) -> Iterator[TraceSpan]:
    """The spans of an object or a list, in whichever shape; nothing for what has none."""
    if isinstance(document, list):
        for each in document:
            yield from spans_in(each)
    elif not isinstance(document, dict):
        return
    elif "resourceSpans" in document or "resource_spans" in document:
        yield from _otlp(document)
    elif document.get("object") == "trace.span":
        yield _of_agents_sdk(document)
    elif isinstance(document.get("context"), dict) and "name" in document:
        yield _printed(document)
    elif isinstance(document.get("spans"), list):
        yield from spans_in(document["spans"])


def _both(given: Mapping[str, Json], camel: str) -> Json:
    """What stands under a name as protobuf spells it in JSON, or as it is declared."""
    return given.get(camel, given.get(re.sub(r"([A-Z])", r"_\1", camel).lower()))


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _objects(value: Json) -> list[Mapping[str, Json]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _otlp(document: Mapping[str, Json]) -> Iterator[TraceSpan]:
    for resource in _objects(_both(document, "resourceSpans")):
        around = _attributes(_object(resource.get("resource")).get("attributes"))
        for scope in _objects(_both(resource, "scopeSpans")):
            named = _object(scope.get("scope"))
            for span in _objects(scope.get("spans")):
                yield _of_otlp(span, around, str(named.get("name") or ""))


def _of_otlp(span: Mapping[str, Json], around: Mapping[str, Json], scope: str) -> TraceSpan:
    own = _with_events(_attributes(span.get("attributes")), span.get("events"))
    status = _object(span.get("status"))
    bad = status.get("code") in (2, "2", "STATUS_CODE_ERROR", "ERROR")
    why = str(status.get("message") or own.get("exception.message") or "error") if bad else ""
    return TraceSpan(
        str(_both(span, "traceId") or ""),
        str(_both(span, "spanId") or ""),
        str(_both(span, "parentSpanId") or ""),
        str(span.get("name") or ""),
        _whole(_both(span, "startTimeUnixNano")),
        _whole(_both(span, "endTimeUnixNano")),
        why,
        own,
        scope,
        around,
        _whole(_both(span, "droppedAttributesCount")),
        _whole(span.get("flags")) & _REMOTE == _REMOTE,
    )


def _with_events(own: dict[str, Json], events: Json) -> dict[str, Json]:
    """Attributes, with what older names of OpenTelemetry tell in events of a span instead."""
    heard: list[Json] = []
    said: list[Json] = []
    for event in _objects(events):
        name, told = str(event.get("name")), _attributes(event.get("attributes"))
        if name == "exception":
            own.setdefault("exception.message", told.get("exception.message"))
        elif name == "gen_ai.client.inference.operation.details":
            own = {**told, **own}
        elif name == "gen_ai.choice":
            message = opened_json(told.get("message", told.get("content")))
            said.append({"role": "assistant", "content": message, **_calls(told)})
        elif (role := name.removeprefix("gen_ai.").removesuffix(".message")) in _SPEAKERS:
            content = opened_json(told.get("content"))
            heard.append({**told, "role": _SPEAKERS[role], "content": content, **_calls(told)})
    if own.get("gen_ai.operation.name") == "execute_tool":
        given = next((each["content"] for each in heard), None)
        own.setdefault("gen_ai.tool.call.arguments", given)
        own.setdefault("gen_ai.tool.call.result", next((e["content"] for e in said), None))
        return own
    if heard:
        own.setdefault("gen_ai.input.messages", heard)
    if said:
        own.setdefault("gen_ai.output.messages", said)
    return own


_SPEAKERS: Final = {"user": "user", "system": "system", "assistant": "assistant", "tool": "tool"}


def _calls(told: Mapping[str, Json]) -> dict[str, Json]:
    calls = opened_json(told.get("tool_calls"))
    return {"tool_calls": calls} if isinstance(calls, list) else {}


def _attributes(given: Json) -> dict[str, Json]:
    """Attributes by name: of OTLP's list of pairs, or as objects have them, nested or not."""
    if isinstance(given, dict):
        found: dict[str, Json] = {}
        for key, value in given.items():
            if isinstance(value, dict) and value:
                found |= {f"{key}.{name}": each for name, each in _attributes(value).items()}
            else:
                found[str(key)] = value
        return found
    return {str(each.get("key")): _any_value(each.get("value")) for each in _objects(given)}


def _any_value(given: Json, depth: int = 0) -> Json:
    """An AnyValue of OTLP as Python has it."""
    if not isinstance(given, dict) or len(given) != 1 or depth > 12:
        return None
    ((kind, value),) = given.items()
    if kind in ("arrayValue", "array_value"):
        those = _object(value).get("values")
        return [_any_value(each, depth + 1) for each in (those if isinstance(those, list) else ())]
    if kind in ("kvlistValue", "kvlist_value"):
        pairs = _objects(_object(value).get("values"))
        return {str(each.get("key")): _any_value(each.get("value"), depth + 1) for each in pairs}
    return _whole(value) if kind in ("intValue", "int_value") else value


def _whole(value: Json) -> int:
    try:
        return int(str(value)[:32]) if value is not None else 0
    except ValueError:
        return 0


def moment_of(value: Json) -> int:
    """Nanoseconds of a time as ISO 8601 has it; 0 for what is none."""
    try:
        return int(datetime.fromisoformat(str(value)).timestamp() * 1e9)
    except (ValueError, OverflowError):
        return _whole(value)


def _printed(span: Mapping[str, Json]) -> TraceSpan:
    """As ConsoleSpanExporter prints it, and Phoenix gives it."""
    context = span["context"]
    own = _with_events(_attributes(span.get("attributes")), span.get("events"))
    if isinstance(kind := span.get("span_kind"), str):
        own.setdefault("openinference.span.kind", kind)
    told = _object(span.get("status")) or {"status_code": span.get("status_code")}
    bad = str(told.get("status_code")) == "ERROR"
    why = str(told.get("description") or span.get("status_message") or "error") if bad else ""
    around = _attributes(_object(span.get("resource")).get("attributes"))
    return TraceSpan(
        str(context.get("trace_id") or ""),
        str(context.get("span_id") or ""),
        str(span.get("parent_id") or ""),
        str(span.get("name") or ""),
        moment_of(span.get("start_time")),
        moment_of(span.get("end_time")),
        why,
        own,
        "",
        around,
    )


def _of_agents_sdk(span: Mapping[str, Json]) -> TraceSpan:
    data = _object(span.get("span_data"))
    kind = str(data.get("type") or "")
    own = {"gen_ai.operation.name": kind, "model": data.get("model")}
    if kind == "function":
        own |= {"tool.name": data.get("name"), "input.value": data.get("input")}
        own["output.value"] = data.get("output")
    elif kind == "generation":
        usage = _object(data.get("usage"))
        own |= {"gen_ai.input.messages": data.get("input"), "llm.model_name": data.get("model")}
        own["gen_ai.output.messages"] = data.get("output")
        own["gen_ai.usage.input_tokens"] = usage.get("input_tokens")
        own["gen_ai.usage.output_tokens"] = usage.get("output_tokens")
    error = _object(span.get("error"))
    return TraceSpan(
        str(span.get("trace_id") or ""),
        str(span.get("id") or ""),
        str(span.get("parent_id") or ""),
        str(data.get("name") or kind),
        moment_of(span.get("started_at")),
        moment_of(span.get("ended_at")),
        str(error.get("message") or "error") if error else "",
        own,
        "openai-agents",
    )
