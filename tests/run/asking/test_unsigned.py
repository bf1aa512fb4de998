"""Traces in place of reports of which none says whose it is."""

import json

import pytest

from deepassay.errors import Notice
from deepassay.reports.loaders import load_reports
from deepassay.run.asking.joining import join
from deepassay.score import report_key
from deepassay.tasks.task import Task

ASKED = {"t1": "Which ferries to Alderby run in winter?", "t2": "阿尔德比的电费是多少？"}
TASKS = [Task(id=id, prompt=prompt) for id, prompt in ASKED.items()]
FOUR = [(agent, task) for agent in ("finch", "wren") for task in ASKED]


def recorded(path, agent, task):
    path.parent.mkdir(parents=True, exist_ok=True)
    said = [
        {"role": "user", "content": f"Answer with care. {ASKED[task]}" * (task == "t1")},
        {"role": "user", "content": ASKED[task]},
        {"role": "assistant", "content": f"The answer of {agent} to {task}."},
    ]
    path.write_text(json.dumps([each for each in said if each["content"]], ensure_ascii=False))


def spans(path, agent, task):
    path.parent.mkdir(parents=True, exist_ok=True)
    said = {
        "openinference.span.kind": "LLM",
        "input.value": ASKED[task],
        "output.value": f"The answer of {agent} to {task}.",
    }
    attributes = [{"key": key, "value": {"stringValue": text}} for key, text in said.items()]
    times = {"startTimeUnixNano": "1000", "endTimeUnixNano": "2000"}
    trace = f"{FOUR.index((agent, task)) + 1:032x}"
    span = {"traceId": trace, "spanId": "1" * 16, "name": "chat", "attributes": attributes, **times}
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) + "\n")


def joined(folder):
    """Agent, task and sample of each report, each with its text, and what was told of agents."""
    with pytest.warns(Notice) as told:
        known, unmatched = join(TASKS, load_reports([folder]))
    assert not unmatched
    about = [str(each.message) for each in told if "Traces: " not in str(each.message)]
    return sorted((*report_key(each), each.text) for each in known), about


@pytest.mark.parametrize(("write", "kind"), [(recorded, "messages.json"), (spans, "otlp.jsonl")])
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("runs/{agent}_{task}", ["files are named after agent and task"]),
        ("runs/{task}_{agent}", ["files are named after agent and task"]),
        ("{task}/{agent}", ["folders are named after tasks, and files after"]),
        ("{agent}/{task}", []),
    ],
)
def test_files_of_traces_say_whose_they_are_as_those_of_reports_do(
    tmp_path, name, told, write, kind
):
    for agent, task in FOUR:
        write(tmp_path / f"{name.format(agent=agent, task=task)}.{kind}", agent, task)
    found, about = joined(tmp_path)
    assert found == [(a, t, 1, f"The answer of {a} to {t}.") for a, t in FOUR]
    assert [part in said for part, said in zip(told, about, strict=True)] == [True] * len(told)


@pytest.mark.parametrize(
    "names",
    [
        ["finch", "finch-b", "wren", "wren-b"],
        ["finch_t2", "finch_t1", "wren_t2", "wren_t1"],  # not what they were asked
    ],
)
def test_that_a_folder_was_taken_for_the_agent_is_told(tmp_path, names):
    for name, (agent, task) in zip(names, FOUR, strict=True):
        recorded(tmp_path / "runs" / f"{name}.messages.json", agent, task)
    found, (about,) = joined(tmp_path)
    assert [each[:3] for each in found] == [("runs", t, n) for t in ASKED for n in (1, 2)]
    assert "which agent ran in runs: the agent is called so after the folder" in about
