"""A short run of an agent, as OTLP in JSON lines, by either vocabulary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

HIGH, LOW, GONE = (f"https://tides.example/{name}" for name in ("high", "low", "gone"))
PROMPT = "How high is the tide at Norrby, and who measured it? Write a short cited report."
REPORT = (
    "# Tides\n\nThe tide is 4 m high [1]. It was measured in 1999 [2].\n\n"
    f"## Sources\n\n[1] {HIGH}\n[2] {GONE}\n"
)
HITS = [{"title": "High", "url": HIGH, "snippet": "High."}, {"title": "Gone", "url": GONE}]
PAGE = "# High\n\nThe tide at Norrby is 3 m high. " + "It rises and falls. " * 10

CALLS: list[tuple[str, Any, Any]] = [
    ("web_search", {"query": "tide Norrby"}, json.dumps(HITS)),
    ("visit_page", {"url": HIGH}, PAGE),
    ("visit_page", {"url": f"{LOW}?utm_source=x"}, "# Low\n\nThe tide falls again to 1 m. " * 4),
    ("visit_page", {"url": GONE}, "Error: 404 Not Found"),
]
FOUND, OPENED = (HIGH, GONE), (HIGH, LOW)

NAMES = {
    "openinference": {
        "kind": ("openinference.span.kind", {"model": "LLM", "tool": "TOOL", "agent": "AGENT"}),
        "tool": "tool.name",
        "arguments": "input.value",
        "result": "output.value",
    },
    "genai": {
        "kind": (
            "gen_ai.operation.name",
            {"model": "chat", "tool": "execute_tool", "agent": "invoke_agent"},
        ),
        "tool": "gen_ai.tool.name",
        "arguments": "gen_ai.tool.call.arguments",
        "result": "gen_ai.tool.call.result",
    },
}


def any_value(value: Any) -> dict[str, Any]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def span(number: int, name: str, own: Mapping[str, Any], parent: int = 1, **more: Any) -> dict:
    """A span of OTLP. number: from 1, in the order in which they begin."""
    attributes = [
        {"key": key, "value": any_value(value)} for key, value in own.items() if value is not None
    ]
    return {
        "traceId": more.pop("trace", "a" * 32),
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": name,
        "startTimeUnixNano": str(10**18 + number * 10**9),
        "endTimeUnixNano": str(10**18 + number * 10**9 + 10**8),
        "attributes": attributes,
        "status": {},
        **more,
    }


def spans(
    vocabulary: str = "openinference",
    calls: Sequence[tuple[str, Any, Any]] = CALLS,
    report: str | None = REPORT,
    prompt: str = PROMPT,
    content: bool = True,
    **more: Any,
) -> list[dict]:
    """The spans of a run: one around all, each call after an answer of the model, the report."""
    names = NAMES[vocabulary]
    key, kinds = names["kind"]

    def kept(value: Any) -> Any:
        return value if content else None

    history: list[dict] = [{"role": "user", "content": prompt}]
    found = []
    for number, (tool, given, came) in enumerate(calls, start=1):
        own = {key: kinds["tool"], names["tool"]: tool}
        own[names["arguments"]] = kept(given if isinstance(given, str) else json.dumps(given))
        own[names["result"]] = kept(came)
        found.append(span(2 * number, tool, own, **more))
        function = {"name": tool, "arguments": json.dumps(given)}
        said = {"role": "assistant", "tool_calls": [{"id": str(number), "function": function}]}
        found.append(span(2 * number + 1, "model", answer(vocabulary, key, kinds, history, said)))
        history += [said, {"role": "tool", "tool_call_id": str(number), "content": came}]
        if not content:
            found[-1]["attributes"] = found[-1]["attributes"][:1]
    last = {"role": "assistant", "content": report}
    own = answer(vocabulary, key, kinds, history, last) if content else {key: kinds["model"]}
    found.append(span(90, "model", own))
    root = {key: kinds["agent"], "service.name": "norrby"}
    return [*found, span(1, "run", root, parent=0)]


def answer(
    vocabulary: str, key: str, kinds: Mapping[str, str], history: list[dict], said: dict
) -> dict[str, Any]:
    """The attributes of an answer of a model."""
    own: dict[str, Any] = {key: kinds["model"]}
    if vocabulary == "genai":
        parts = [{"type": "text", "content": said["content"]}] if said.get("content") else []
        own["gen_ai.input.messages"] = json.dumps(history)
        own["gen_ai.output.messages"] = json.dumps([{**said, "parts": parts}])
        return own | {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 2}
    own["input.value"] = json.dumps(history)
    own["llm.output_messages.0.message.role"] = "assistant"
    own["llm.output_messages.0.message.content"] = said.get("content")
    for number, each in enumerate(said.get("tool_calls", ())):
        start = f"llm.output_messages.0.message.tool_calls.{number}.tool_call"
        own[f"{start}.id"] = each["id"]
        own[f"{start}.function.name"] = each["function"]["name"]
        own[f"{start}.function.arguments"] = each["function"]["arguments"]
    return own | {"llm.token_count.prompt": 10, "llm.token_count.completion": 2}


def lines(found: Sequence[dict], per_line: int = 1) -> str:
    """Spans as an exporter writes them, some to a line."""
    return "".join(
        json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [*found[at : at + per_line]]}]}]})
        + "\n"
        for at in range(0, len(found), per_line)
    )


def cut(found: Sequence[dict], most: int) -> list[dict]:
    """Spans all of whose texts are cut to a length, as OpenTelemetry does where it is told to."""

    def shortened(each: dict) -> dict:
        own = [
            {
                "key": one["key"],
                "value": {
                    kind: value[:most] if kind == "stringValue" else value
                    for kind, value in one["value"].items()
                },
            }
            for one in each["attributes"]
        ]
        return {**each, "attributes": own}

    return [shortened(each) for each in found]
