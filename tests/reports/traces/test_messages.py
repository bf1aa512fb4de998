"""Conversations in the shapes of several programs: one run, whoever wrote it down."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deepassay.errors import BadReports
from deepassay.reports.loaders import load_reports
from deepassay.reports.traces.files import recorded_in
from deepassay.reports.traces.recorded import recorded_of_messages
from tests.reports.traces.building import CALLS, FOUND, GONE, HIGH, LOW, OPENED, PROMPT, REPORT

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")

NUMBERED = [*enumerate(CALLS, start=1)]


def chat() -> list[Any]:
    found: list[Any] = [{"role": "system", "content": "Cite."}, {"role": "user", "content": PROMPT}]
    for n, (tool, given, came) in NUMBERED:
        call = {"id": f"c{n}", "function": {"name": tool, "arguments": json.dumps(given)}}
        found.append({"role": "assistant", "content": "I look.", "tool_calls": [call]})
        found.append({"role": "tool", "tool_call_id": f"c{n}", "content": came})
    return [*found, {"role": "assistant", "content": REPORT}]


def langchain() -> list[Any]:
    found: list[Any] = [{"type": "human", "data": {"content": PROMPT, "type": "human"}}]
    for n, (tool, given, came) in NUMBERED:
        call = {"name": tool, "args": given, "id": f"c{n}", "type": "tool_call"}
        said = {"content": "", "type": "ai", "tool_calls": [call]}
        found.append({"type": "ai", "data": said})
        told = {"content": came, "type": "tool", "tool_call_id": f"c{n}", "id": "m"}
        found.append({"type": "tool", "data": told})
    return [*found, {"type": "ai", "data": {"content": REPORT, "type": "ai", "tool_calls": []}}]


def langchain_dumped() -> Any:
    def one(kind: str, **kwargs: Any) -> Any:
        return {"lc": 1, "type": "constructor", "id": ["langchain", kind], "kwargs": kwargs}

    found = [one("HumanMessage", content=PROMPT, type="human")]
    for n, (tool, given, came) in NUMBERED:
        call = {"name": tool, "args": given, "id": f"c{n}"}
        found.append(one("AIMessage", content="", type="ai", tool_calls=[call]))
        found.append(one("ToolMessage", content=came, type="tool", tool_call_id=f"c{n}"))
    return {"messages": [*found, one("AIMessage", content=REPORT, type="ai")]}


def items() -> list[Any]:
    found: list[Any] = [{"role": "user", "content": PROMPT}]
    for n, (tool, given, came) in NUMBERED:
        call = {"type": "function_call", "call_id": f"c{n}", "id": "x", "name": tool}
        found.append({**call, "arguments": json.dumps(given)})
        found.append({"type": "function_call_output", "call_id": f"c{n}", "output": came})
    text = [{"type": "output_text", "text": REPORT, "annotations": []}]
    return [*found, {"type": "message", "role": "assistant", "content": text}]


def anthropic() -> list[Any]:
    found: list[Any] = [{"role": "user", "content": PROMPT}]
    for n, (tool, given, came) in NUMBERED:
        use = {"type": "tool_use", "id": f"c{n}", "name": tool, "input": given}
        found.append({"role": "assistant", "content": [{"type": "text", "text": "Let me."}, use]})
        told = {"type": "tool_result", "tool_use_id": f"c{n}", "content": came}
        found.append({"role": "user", "content": [told]})
    return [*found, {"role": "assistant", "content": [{"type": "text", "text": REPORT}]}]


def gemini() -> Any:
    found: list[Any] = [{"role": "user", "parts": [{"text": PROMPT}]}]
    for _, (tool, given, came) in NUMBERED:
        found.append({"role": "model", "parts": [{"functionCall": {"name": tool, "args": given}}]})
        told = {"functionResponse": {"name": tool, "response": {"result": came}}}
        found.append({"role": "user", "parts": [told]})
    return {"history": [*found, {"role": "model", "parts": [{"text": REPORT}]}]}


def pydantic_ai() -> list[Any]:
    asked = [{"part_kind": "system-prompt", "content": "Cite."}]
    asked += [{"part_kind": "user-prompt", "content": PROMPT}]
    found: list[Any] = [{"kind": "request", "parts": asked}]
    for n, (tool, given, came) in NUMBERED:
        call = {"part_kind": "tool-call", "tool_name": tool, "args": json.dumps(given)}
        found.append({"kind": "response", "parts": [{**call, "tool_call_id": f"c{n}"}]})
        told = {"part_kind": "tool-return", "tool_name": tool, "content": came}
        found.append({"kind": "request", "parts": [{**told, "tool_call_id": f"c{n}"}]})
    return [*found, {"kind": "response", "parts": [{"part_kind": "text", "content": REPORT}]}]


def genai() -> list[Any]:
    found: list[Any] = [{"role": "user", "parts": [{"type": "text", "content": PROMPT}]}]
    for n, (tool, given, came) in NUMBERED:
        call = {"type": "tool_call", "id": f"c{n}", "name": tool, "arguments": given}
        found.append({"role": "assistant", "parts": [call]})
        told = {"type": "tool_call_response", "id": f"c{n}", "result": came}
        found.append({"role": "tool", "parts": [told]})
    return [*found, {"role": "assistant", "parts": [{"type": "text", "content": REPORT}]}]


def atif() -> Any:
    steps: list[Any] = [{"step_id": 1, "source": "user", "message": PROMPT}]
    for n, (tool, given, came) in NUMBERED:
        call = {"tool_call_id": f"c{n}", "function_name": tool, "arguments": given}
        told = {"results": [{"source_call_id": f"c{n}", "content": came}]}
        step = {"source": "agent", "message": "", "tool_calls": [call], "observation": told}
        steps.append(step | {"metrics": {"prompt_tokens": 3, "completion_tokens": 1}})
    steps.append({"source": "agent", "message": REPORT})
    final = {"total_prompt_tokens": 12, "total_completion_tokens": 4, "total_cost_usd": 0.5}
    return {"schema_version": "ATIF-v1.7", "steps": steps, "final_metrics": final}


def smolagents() -> list[Any]:
    found: list[Any] = [{"task": PROMPT, "task_images": None}]
    for n, (tool, given, came) in NUMBERED:
        call = {"id": f"c{n}", "type": "function", "function": {"name": tool, "arguments": given}}
        found.append({"step_number": n, "tool_calls": [call], "observations": came, "error": None})
    end = {"name": "final_answer", "arguments": {"answer": REPORT}}
    last = {"step_number": 9, "tool_calls": [{"id": "c9", "function": end}], "observations": REPORT}
    return [*found, last | {"is_final_answer": True, "action_output": REPORT}]


def autogen() -> list[Any]:
    found: list[Any] = [{"type": "TextMessage", "source": "user", "content": PROMPT}]
    for n, (tool, given, came) in NUMBERED:
        call = {"id": f"c{n}", "name": tool, "arguments": json.dumps(given)}
        told = {"call_id": f"c{n}", "name": tool, "content": came, "is_error": False}
        found.append({"type": "ToolCallRequestEvent", "source": "writer", "content": [call]})
        found.append({"type": "ToolCallExecutionEvent", "source": "writer", "content": [told]})
    return [*found, {"type": "TextMessage", "source": "writer", "content": REPORT}]


def haystack() -> list[Any]:
    found: list[Any] = [{"role": "user", "content": [{"text": PROMPT}]}]
    for n, (tool, given, came) in NUMBERED:
        call = {"tool_name": tool, "arguments": given, "id": f"c{n}"}
        found.append({"role": "assistant", "content": [{"tool_call": call}]})
        told = {"result": came, "origin": call, "error": False}
        found.append({"role": "tool", "content": [{"tool_call_result": told}]})
    return [*found, {"role": "assistant", "content": [{"text": REPORT}]}]


def strands() -> list[Any]:
    found: list[Any] = [{"role": "user", "content": [{"text": PROMPT}]}]
    for n, (tool, given, came) in NUMBERED:
        call = {"toolUseId": f"c{n}", "name": tool, "input": given}
        found.append({"role": "assistant", "content": [{"text": "Now."}, {"toolUse": call}]})
        told = {"toolUseId": f"c{n}", "status": "success", "content": [{"text": came}]}
        found.append({"role": "user", "content": [{"toolResult": told}]})
    return [*found, {"role": "assistant", "content": [{"text": REPORT}]}]


SHAPES: list[Callable[[], Any]] = [
    *(chat, langchain, langchain_dumped, items, anthropic, gemini),
    *(pydantic_ai, genai, atif, smolagents, autogen, haystack, strands),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_same_run(shape):
    found = recorded_of_messages(shape(), "x.json", "x")

    assert (found.run.report, found.prompts) == (REPORT, (PROMPT,))
    assert (found.run.found, found.run.opened) == (FOUND, OPENED)
    assert [(e.kind, e.urls, e.status) for e in found.run.events] == [
        ("search", FOUND, 200),
        ("page", (HIGH,), 200),
        ("page", (LOW,), 200),
        ("page", (GONE,), 404),
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_results_that_were_not_kept_leave_it_open_what_was_opened(shape):
    calls = shape_without_results(shape())
    run = recorded_of_messages(calls, "x.json", "x").run

    assert (run.found, run.opened) == (None, None)
    assert run.events is None or {each.status for each in run.events} == {None}


def shape_without_results(value: Any) -> list[Any]:
    told = json.loads(json.dumps(value))
    found = told if isinstance(told, list) else next(v for v in told.values() if type(v) is list)
    for each in found:
        for key in ("observation", "observations"):
            if isinstance(each, dict):
                each.pop(key, None) if key == "observation" else each.update({key: None})
    results = ("tool_result", "functionResponse", "tool-return", "tool_call_response", '"tool"')
    more = ("function_call_output", "ToolCallExecutionEvent", "ToolMessage", "toolResult")
    return [e for e in found if not any(name in json.dumps(e) for name in results + more)]


def test_tokens_and_cost_are_those_that_a_trajectory_tells():
    run = recorded_of_messages(atif(), "x.atif.json", "x").run

    assert (run.usage, run.cost) == ({"input": 12, "output": 4}, 0.5)


def timed(*moments: object) -> float:
    trajectory = atif()
    told = {"schema_version": "ATIF-v1.7", "steps": []}
    for step, moment in zip(trajectory["steps"], moments, strict=False):
        told["steps"].append(step | ({} if moment is None else {"timestamp": moment}))
    return recorded_of_messages(told, "x.atif.json", "x").run.seconds


def test_time_is_from_the_question_to_the_last_step_of_a_trajectory():
    assert timed("2026-11-01T10:00:00Z", "2026-11-01T10:00:04Z", "2026-11-01T12:00:09+02:00") == 9.0
    assert timed("2026-11-01T10:00:00.250Z", None, "2026-11-01T10:01:00.500Z") == 60.25


@pytest.mark.parametrize(
    "moments",
    [
        *((None, None), (None, "2026-11-01T10:00:09Z"), ("2026-11-01T10:00:00Z", None)),
        *(
            ("soon", "later"),
            ([1], {"at": 2}),
            ("2026-11-01T10:00:09Z", "2026-11-01T10:00:00Z"),
            (),
        ),
    ],
)
def test_where_steps_do_not_say_when_nobody_knows_the_time(moments):
    assert timed(*moments) == 0.0


def test_parallel_steps_of_smolagents_share_one_text():
    calls = [{"function": {"name": "visit", "arguments": {"url": url}}} for url in (HIGH, LOW)]
    step = {"step_number": 1, "tool_calls": calls, "observations": "High.\nLow."}
    run = recorded_of_messages([step], "x.memory.json", "x").run
    assert run.opened == (HIGH, LOW)

    step["observations"] = "High.\nError: 404 Not Found"
    run = recorded_of_messages([step], "x.memory.json", "x").run
    assert (run.opened, [each.status for each in run.events]) == (None, [None, None])


def test_files_are_named_after_agent_and_task(tmp_path):
    (tmp_path / "heron").mkdir()
    for name, shape in (("a.messages.json", chat), ("b.atif.json", atif)):
        (tmp_path / "heron" / name).write_text(json.dumps(shape()))

    reports = load_reports([tmp_path])

    assert [(each.agent, each.task, each.prompt, each.text) for each in reports] == [
        ("heron", "a", PROMPT, REPORT),
        ("heron", "b", PROMPT, REPORT),
    ]
    assert {each.run.opened for each in reports} == {OPENED}


def test_a_file_may_hold_a_conversation_a_line(tmp_path):
    path = tmp_path / "x.trace.jsonl"
    rows = [{"task_id": name, "agent": "heron", "messages": chat()} for name in "ab"]
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))

    assert [(each.agent, each.names) for each in recorded_in([path])] == [
        ("heron", ("a",)),
        ("heron", ("b",)),
    ]


@pytest.mark.parametrize("text", ["3", '"x"', "[]", '[{"a": 1}]', '{"messages": 3}'])
def test_what_holds_no_messages_is_told(tmp_path, text):
    (tmp_path / "x.messages.json").write_text(text)

    with pytest.raises(BadReports, match="no messages"):
        load_reports([tmp_path / "x.messages.json"])
