"""A span of instrumentation, and the names under which its attributes stand.

Two vocabularies are in use, OpenInference and OpenTelemetry's GenAI names, beside those of a few
programs: each attribute is looked for under every name that NAMES has for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from deepassay.reports.traces.values import DEEPEST, breaks_off, unless_hidden
from deepassay.score import Json

SpanKind = Literal["tool", "search", "agent", "model", "other"]

KIND_KEYS: Final = (
    *("openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind", "mlflow.spanType"),
    *("langfuse.observation.type", "langsmith.span.kind", "ai.operationId", "llm.request.type"),
)
KINDS: Final[Mapping[str, SpanKind]] = {
    **dict.fromkeys(("tool", "execute_tool", "ai.toolcall", "function"), "tool"),
    **dict.fromkeys(("retriever", "retrieval"), "search"),
    **dict.fromkeys(("agent", "invoke_agent", "workflow", "invoke_workflow"), "agent"),
    **dict.fromkeys(("llm", "chat", "generate_content", "text_completion", "chat_model"), "model"),
    **dict.fromkeys(
        ("generation", "completion", "response", "ai.generatetext.dogenerate"), "model"
    ),
    **dict.fromkeys(("ai.streamtext.dostream",), "model"),
}
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "tool": (
        *("tool.name", "gen_ai.tool.name", "traceloop.entity.name", "ai.toolCall.name"),
        *("mcp.tool.name", "tool_name"),
    ),
    "arguments": (
        *("gen_ai.tool.call.arguments", "input.value", "tool_arguments", "traceloop.entity.input"),
        *("gcp.vertex.agent.tool_call_args", "ai.toolCall.args", "mlflow.spanInputs"),
        *("langfuse.observation.input", "gen_ai.tool.input", "tool.arguments", "input", "inputs"),
    ),
    "result": (
        *("gen_ai.tool.call.result", "output.value", "tool_response", "traceloop.entity.output"),
        *("gcp.vertex.agent.tool_response", "ai.toolCall.result", "mlflow.spanOutputs"),
        *("langfuse.observation.output", "gen_ai.tool.output", "tool.result", "output", "outputs"),
    ),
    "query": (
        "gen_ai.retrieval.query.text",
        "input.value",
        "db.query.text",
        "traceloop.entity.input",
    ),
    "documents": ("gen_ai.retrieval.documents", "output.value", "traceloop.entity.output"),
    "said": (
        *("output.value", "final_result", "gen_ai.agent.output", "traceloop.entity.output"),
        *("mlflow.spanOutputs", "langfuse.observation.output", "output"),
    ),
    "asked": (
        *("input.value", "traceloop.entity.input", "mlflow.spanInputs", "user_prompt"),
        *("langfuse.observation.input", "gen_ai.prompt", "input"),
    ),
    "heard": (
        "gen_ai.input.messages",
        "pydantic_ai.all_messages",
        "input.value",
        "ai.prompt.messages",
    ),
    "answered": ("gen_ai.output.messages", "output.value", "ai.response"),
    "input": (
        *("llm.token_count.prompt", "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
        *("llm.usage.prompt_tokens", "ai.usage.promptTokens"),
    ),
    "output": (
        *("llm.token_count.completion", "gen_ai.usage.output_tokens"),
        *("gen_ai.usage.completion_tokens", "llm.usage.completion_tokens"),
        "ai.usage.completionTokens",
    ),
    "cost": ("llm.cost.total", "gen_ai.usage.cost", "gen_ai.cost.total_cost"),
    "model": ("llm.model_name", "gen_ai.response.model", "gen_ai.request.model", "ai.model.id"),
    "agent": (
        "deepassay.agent",
        "gen_ai.agent.name",
        "agent.name",
        "agent_name",
        "graph.node.name",
    ),
    "task": ("deepassay.task", "deepassay.task.id"),
    "session": ("session.id", "gen_ai.conversation.id"),
}
"""What an attribute says -> under which names it stands, the surest first."""

SUMS: Final = frozenset({"(merged tools)"})
"""Names of tools under which a span sums up calls that have spans of their own (Google ADK)."""
OFFERED: Final = ("llm.tools.", "gen_ai.tool.definitions", "llm.request.functions.")
"""Attributes by which an answer of a model shows which tools it could call."""


@dataclass(frozen=True)
class TraceSpan:
    """A span of one trace. start, end: nanoseconds, 0 where unknown. failed: why, "" where not.

    own: its attributes. resource: those of the program, to which no limits apply. dropped: how many
    are missing. remote: whether what is around it was recorded elsewhere. cut: the length that
    texts were cut to, 0 where they were not.
    """

    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    failed: str
    own: Mapping[str, Json]
    scope: str
    resource: Mapping[str, Json] = field(default_factory=dict)
    dropped: int = 0
    remote: bool = False
    cut: int = 0

    @cached_property
    def kind(self) -> SpanKind:
        """What it is a span of: a tool, a model and so on."""
        if self.text("tool") in SUMS:
            return "other"
        for key in KIND_KEYS:
            if isinstance(value := self.own.get(key), str):
                word = value.strip('"').casefold()
                if word in KINDS:
                    return KINDS[word]
        if self.name.startswith(("execute_tool ", "running tool")) and "tool" in self.name:
            return "tool" if self.get("tool") is not None else "other"
        return "other"

    def get(self, what: str) -> Json:
        """What an attribute says, under whichever name; None where it is missing or hidden."""
        for name in NAMES[what]:
            if (value := unless_hidden(self.own.get(name, self.resource.get(name)))) is not None:
                return value
        return None

    def text(self, what: str) -> str:
        """A text that may be a name, "" where the attribute is none."""
        value = self.get(what)
        return value.strip()[:200] if isinstance(value, str) else ""

    def is_cut(self, value: Json) -> bool:
        """Whether the end of an attribute, or of a text in it, is missing."""
        return any(self.cut == len(text) or breaks_off(text) for text in texts_in(value))

    def nested(self, prefix: str) -> Json:
        """The value that attributes were flattened from: `a.0.b` under the prefix `a`."""
        found: dict[str, Json] = {}
        for key, value in self.own.items():
            if key.startswith(f"{prefix}."):
                _put(found, key[len(prefix) + 1 :].split("."), value)
        return _as_lists(found)


def texts_in(value: Json, depth: int = 0) -> Iterator[str]:
    """The texts of an attribute as it was recorded, those that are empty left out."""
    if isinstance(value, str):
        yield from filter(None, [value])
    elif isinstance(value, list | dict) and depth < DEEPEST:
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each, depth + 1)


def _put(into: dict[str, Json], path: Sequence[str], value: Json) -> None:
    *above, last = path[:12]
    for each in above:
        inner = into.setdefault(each, {})
        if not isinstance(inner, dict):
            return
        into = inner
    into[last] = value


def _as_lists(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    if value and all(key.isdigit() for key in value):
        return [_as_lists(value[key]) for key in sorted(value, key=int)]
    # `message.content` of OpenInference: one key deep, which says no more than its inside.
    if len(value) == 1 and (inner := value.get("message", value.get("tool_call"))) is not None:
        return _as_lists(inner)
    if len(value) == 1 and (inner := value.get("message_content", value.get("document"))):
        return _as_lists(inner)
    return {key: _as_lists(each) for key, each in value.items()}
