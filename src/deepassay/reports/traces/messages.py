"""Conversations of agents: the messages of many programs, read by one walker.

It goes through whatever holds messages, and takes calls of tools, results and texts where they
stand. Under which names they stand, the tables below say: chat completions and responses of
OpenAI and its Agents SDK, blocks of Anthropic, parts of Gemini and of OpenTelemetry's GenAI
names, `messages_to_dict` and `dumps` of LangChain, histories of Pydantic AI, steps of smolagents,
trajectories in ATIF, messages of Inspect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from deepassay.reports.traces.calls import ENDS, FAILED_TEXT, ToolCall
from deepassay.reports.traces.values import DEEPEST, all_text_of, opened_json, unless_hidden
from deepassay.score import Json

ROLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("user", "human", "HumanMessage", "user-prompt", "UserMessage"), "user"),
    **dict.fromkeys(("assistant", "ai", "AIMessage", "AIMessageChunk", "model", "agent"), "agent"),
    **dict.fromkeys(("AssistantMessage", "TextMessage", "output_text", "chatbot"), "agent"),
    **dict.fromkeys(("tool", "ToolMessage", "function", "tool-response", "ToolResult"), "tool"),
    **dict.fromkeys(("system", "developer", "SystemMessage", "system-prompt"), "system"),
}
"""Who speaks, by what stands under one of ROLE_KEYS."""

ROLE_KEYS: Final = ("role", "source", "part_kind", "type")
CALL_TYPES: Final = frozenset(
    {"function_call", "tool_call", "tool-call", "tool_use", "server_tool_use", "mcp_call"}
    | {"builtin-tool-call", "custom_tool_call", "toolCall", "function"}
)
HOSTED: Final = frozenset({"server_tool_use", "builtin-tool-call", "mcp_call"})
"""Calls of a provider's own tools, beside which its model goes on."""

RESULT_TYPES: Final = frozenset(
    {"function_call_output", "tool_result", "tool-return", "tool_call_response", "tool_response"}
    | {"builtin-tool-return", "custom_tool_call_output", "web_search_tool_result", "retry-prompt"}
    | {"web_fetch_tool_result", "toolResult", "tool-result"}
)
NAME_KEYS: Final = ("name", "function_name", "tool_name", "toolName", "function")
ARGUMENT_KEYS: Final = ("arguments", "args", "input", "parameters", "tool_input", "kwargs")
CALL_IDS: Final = ("call_id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "id")
RESULT_IDS: Final = (
    *("tool_call_id", "call_id", "tool_use_id", "source_call_id", "toolCallId", "toolUseId", "id"),
)
RESULT_KEYS: Final = ("content", "output", "result", "response", "observation")
INSIDE: Final = (
    *("messages", "steps", "parts", "contents", "content", "output", "items", "history", "data"),
    *("new_items", "final_output", "trajectory", "kwargs", "message", "turns", "generations"),
    *("choices", "log", "all_messages", "conversation", "input", "subagent_trajectories"),
)
"""What holds messages, or parts of one."""

MOST_ASKED: Final = 100_000
"""Characters kept of what an agent was told and asked."""

USAGE_KEYS: Final = ("usage_metadata", "token_usage", "usage", "metrics", "request_usage")
INPUT_TOKENS: Final = ("input_tokens", "prompt_tokens", "request_tokens", "prompt_token_count")
OUTPUT_TOKENS: Final = (
    *("output_tokens", "completion_tokens", "response_tokens", "candidates_token_count"),
)


@dataclass
class Walked:
    """What was met in a conversation, in order.

    told: what the agent was told before. said: texts of the agent beside which it called no tool.
    calls: by identifier, see ToolCall.
    own: how many of these are of tools of the agent. usage: tokens, input and output, of each
    answer that says so. heard: how many prompts there were before the agent did anything, None
    where it did nothing.
    """

    prompts: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    results: dict[str, tuple[Json, str]] = field(default_factory=dict)
    usage: list[tuple[int, int]] = field(default_factory=list)
    final: str = ""
    own: int = 0
    heard: int | None = None

    def begin(self) -> None:
        """The agent does something."""
        self.heard = len(self.prompts) if self.heard is None else self.heard

    @property
    def asked(self) -> str:
        """What the agent was told and asked before it did anything else, up to a bound."""
        return "\n".join([*self.told[:3], *self.prompts[:1]])[:MOST_ASKED]

    @property
    def report(self) -> tuple[str, str]:
        """What was written in the end, and how that is known."""
        if self.final:
            return self.final, "final answer"
        if self.said:
            return self.said[-1], "last message"
        for call in reversed(self.calls.values()):
            if ENDS.search(call.name) and (text := longest_text(call.arguments)):
                return text, f"argument of {call.name}"
        return "", ""

    def joined(self) -> tuple[ToolCall, ...]:
        """The calls, each with its result."""
        found = []
        for key, call in self.calls.items():
            result, failed = self.results.get(key, (call.result, call.failed))
            found.append(replace(call, result=result, failed=failed))
        return tuple(found)


def longest_text(value: Json) -> str:
    """The longest text in what a tool was given."""
    opened = opened_json(value)
    if isinstance(opened, Mapping):
        texts = [each for each in opened.values() if isinstance(each, str)]
        nested = [longest_text(each) for each in opened.values() if isinstance(each, Mapping)]
        return max([*texts, *nested], key=len, default="")
    return opened if isinstance(opened, str) else ""


def walk(value: Json, walked: Walked | None = None) -> Walked:
    """What stands in messages, or in what holds them."""
    walked = walked if walked is not None else Walked()
    _walk(value, "", walked, 0)
    return walked


def by_task(value: Json, task_of: Callable[[str], str]) -> dict[str, Json]:
    """The parts of a conversation about several tasks, by their identifiers; {} where it is of one.

    Each has what was said before the first prompt, and what came between the prompt of its task and
    that of another; the prompts stand in one list of messages. task_of: the task that a prompt is
    of, "" for none.
    """
    if isinstance(value, Mapping):
        for key in INSIDE:
            if found := by_task(value.get(key), task_of):
                rest = {name: each for name, each in value.items() if name != "final_metrics"}
                return {task: {**rest, key: own} for task, own in found.items()}
    if not isinstance(value, list):
        return {}
    before: list[Json] = []
    found = {}
    own = before
    for each in value:
        asked = (task_of(prompt) for prompt in walk([each]).prompts)
        if task := next(filter(None, asked), ""):
            own = found.setdefault(task, [*before])
        own.append(each)
    return found if len(found) > 1 else {}


def _walk(value: Json, role: str, into: Walked, depth: int) -> None:
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for each in value:
            _walk(each, role, into, depth + 1)
    elif isinstance(value, Mapping):
        _message(value, role, into, depth)


def _message(given: Mapping[str, Json], role: str, into: Walked, depth: int) -> None:
    """A message, a part of one, or what holds several."""
    if "step_number" in given and "observations" in given:
        _step_of_smolagents(given, into)
        return
    if isinstance(task := given.get("task"), str) and len(given) <= 3:
        into.prompts.append(task)
        return
    if role and given.get("type", given.get("part_kind")) in _TEXT_BLOCKS:
        return  # its message has said it
    role = _role(given) or role
    into.usage += _usage(given)
    if _take_result(given, role, into) or _take_call(given, into):
        return
    before = into.own
    _take_listed(given, into)
    for key in INSIDE:
        inner = given.get(key)
        asked = key != "input" or (isinstance(inner, list) and "output" in given)
        if isinstance(inner, Mapping | list) and asked:
            _walk(inner, role, into, depth + 1)
    if (text := _own_text(given)) and role == "user":
        into.prompts.append(text)
    elif text and role == "system":
        into.told.append(text)
    elif text and role == "agent" and into.own == before:
        into.begin()
        into.said.append(text)


def _take_listed(given: Mapping[str, Json], into: Walked) -> None:
    """Keep the calls that a message lists beside its text, and the results that a step has."""
    calls = given.get("tool_calls")
    for each in calls if isinstance(calls, list) else ():
        if isinstance(each, Mapping):
            _take_call({"type": "tool_call", **each}, into)
    observed = given.get("observation")
    results = observed.get("results") if isinstance(observed, Mapping) else None
    for each in results if isinstance(results, list) else ():
        if isinstance(each, Mapping):
            _take_result({"type": "tool_result", **each}, "tool", into)


def _role(given: Mapping[str, Json]) -> str:
    """Who speaks: by a key, or the class that LangChain names."""
    for key in ROLE_KEYS:
        name = given.get(key)
        if isinstance(name, str) and name in ROLES:
            return ROLES[name]
    names = given.get("id")
    if isinstance(names, list) and names and isinstance(names[-1], str):
        return ROLES.get(names[-1], "")
    return {"request": "user", "response": "agent"}.get(str(given.get("kind")), "")


def _own_text(given: Mapping[str, Json]) -> str:
    """What a message says itself; of blocks those that are text."""
    for key in ("content", "contents", "message", "text", "parts"):
        said = given.get(key)
        if isinstance(said, str):
            return said if said.strip() else ""
        if isinstance(said, list):
            texts = [*_texts(said)]
            if texts:
                return "".join(texts)
    return ""


def _texts(blocks: Sequence[Json]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, str):
            yield block
        elif isinstance(block, Mapping):
            kind = block.get("type") or block.get("part_kind") or "text"
            text = block.get("text") if "text" in block else block.get("content")
            if kind in _TEXT_BLOCKS and isinstance(text, str) and "thought" not in block:
                yield text


_TEXT_BLOCKS: Final = frozenset(
    {"text", "output_text", "input_text", "user-prompt", "message_content", "refusal"}
)


def _take_call(given: Mapping[str, Json], into: Walked) -> bool:
    """Keep a call of a tool, if this is one."""
    kind = str(given.get("type") or given.get("part_kind") or "")
    for key in ("function_call", "functionCall", "toolUse", "toolCall", "tool_call"):
        if isinstance(inner := given.get(key), Mapping):
            return _take_call({"type": "tool_call", **inner}, into)
    if kind.endswith("_call") and isinstance(action := given.get("action"), Mapping):
        return _take_hosted(given, action, into)
    name, arguments = _named(given)
    bare = not kind and "role" not in given and arguments is not None
    if not name or not (kind in CALL_TYPES or (bare and _first_text(given, CALL_IDS))):
        return False
    key = _first_text(given, CALL_IDS) or f"call {len(into.calls) + 1}"
    hosted = kind in HOSTED or "result" in given or name.endswith("_call")
    into.own += not hosted
    into.begin()
    into.calls.setdefault(key, ToolCall(name, arguments, hosted=hosted, span=key))
    if kind == "mcp_call" or "result" in given:  # a provider called it, and tells of both at once
        brought = given.get("output", given.get("result"))
        into.results.setdefault(key, (brought, all_text_of(given.get("error") or "")))
    return True


def _named(given: Mapping[str, Json]) -> tuple[str, Json]:
    """The name of the tool that is called, and what it is given."""
    function = given.get("function")
    holder = function if isinstance(function, Mapping) else given
    name = _first_text(holder, NAME_KEYS)
    arguments = next((holder[key] for key in ARGUMENT_KEYS if key in holder), None)
    return name, unless_hidden(arguments)


def _take_hosted(given: Mapping[str, Json], action: Mapping[str, Json], into: Walked) -> bool:
    """What a provider did itself: a search with its sources, or a page that it opened."""
    key = _first_text(given, CALL_IDS) or f"call {len(into.calls) + 1}"
    name = str(given.get("type") or "web_search_call")
    failed = "failed" if given.get("status") == "failed" else ""
    if action.get("type") == "search":
        sources = action.get("sources")
        found = sources if isinstance(sources, list) else given.get("results")
        query = action.get("query") or action.get("queries")
        into.calls[key] = ToolCall(
            name, {"query": query}, found, failed, seeks=True, hosted=True, span=key
        )
    elif action.get("url"):
        asked = {"url": action["url"]}
        opened = {**asked, "status": 200}  # and its text is not shown
        into.calls[key] = ToolCall(
            name, asked, opened, failed, result_cut=True, hosted=True, span=key
        )
    return True


def _take_result(given: Mapping[str, Json], role: str, into: Walked) -> bool:
    """Keep the result of a call, if this is one."""
    kind = str(given.get("type") or given.get("part_kind") or "")
    for key in ("function_response", "functionResponse", "toolResult", "tool_call_result"):
        if isinstance(inner := given.get(key), Mapping):
            return _take_result({"type": "tool_result", **inner}, "tool", into)
    bare = not kind and not {"call_id", "tool_call_id"}.isdisjoint(given)
    if kind not in RESULT_TYPES and not bare and role != "tool":
        return False
    inner = given.get("data") if isinstance(given.get("data"), Mapping) else given.get("kwargs")
    if isinstance(inner, Mapping):
        given = inner
    if isinstance(origin := given.get("origin"), Mapping):
        given = {**given, "id": origin.get("id")}
    key = _first_text(given, RESULT_IDS)
    content = next((given[name] for name in RESULT_KEYS if given.get(name) is not None), None)
    if not key and kind not in RESULT_TYPES and not isinstance(content, str):
        return False
    key = key if key in into.calls else _oldest_open(into, _first_text(given, NAME_KEYS)) or key
    failed = ""
    if given.get("error"):
        failed = all_text_of(given["error"]) or all_text_of(content) or "error"
    elif given.get("is_error") is True or given.get("status") == "error" or kind == "retry-prompt":
        failed = all_text_of(content) or "error"
    if key and key not in into.results:
        into.results[key] = unless_hidden(content if content is not None else ""), failed
    return True


def _oldest_open(into: Walked, name: str) -> str:
    """Of the calls without a result the oldest, of a tool if that is named."""
    waiting = (
        key
        for key, call in into.calls.items()
        if key not in into.results and name in ("", call.name)
    )
    return next(waiting, "")


def _first_text(given: Mapping[str, Json], keys: Sequence[str]) -> str:
    return next((str(given[key]) for key in keys if isinstance(given.get(key), str | int)), "")


def _usage(given: Mapping[str, Json]) -> Iterator[tuple[int, int]]:
    for key in USAGE_KEYS:
        told = given.get(key)
        if isinstance(told, Mapping):
            counts = [_count(told, names) for names in (INPUT_TOKENS, OUTPUT_TOKENS)]
            if None not in counts:
                yield counts[0] or 0, counts[1] or 0
                return


def _count(told: Mapping[str, Json], names: Sequence[str]) -> int | None:
    return next((int(told[name]) for name in names if isinstance(told.get(name), int)), None)


def _step_of_smolagents(given: Mapping[str, Json], into: Walked) -> None:
    """A step, whose calls share one text of what they brought.

    Where no line of it is an error, something came of each; else nobody knows of which nothing
    came.
    """
    into.usage += _usage(given)
    before = [*into.calls]
    for each in given.get("tool_calls") or ():
        if isinstance(each, Mapping):
            _take_call({**each, "type": "tool_call"}, into)
    own = [key for key in into.calls if key not in before]
    observed = given.get("observations")
    failed = all_text_of(given["error"]) if given.get("error") else ""
    if isinstance(observed, str):
        broke = any(FAILED_TEXT.match(line[:1500]) for line in observed.splitlines())
        for key in own:
            known = len(own) == 1 or not broke
            into.results[key] = (observed if known else None), failed if len(own) == 1 else ""
    elif failed and len(own) == 1:
        into.results[own[0]] = "", failed
    if given.get("is_final_answer") and isinstance(answer := given.get("action_output"), str):
        into.final = answer
