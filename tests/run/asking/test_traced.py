"""Traces beside reports: which came of which, and a word about those that are left out."""

from __future__ import annotations

import json

import pytest

from deepassay.errors import BadReports, BadSetting, Notice
from deepassay.reports.report import Report
from deepassay.results.evidence import evidence_of
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.asking.traced import with_traces
from deepassay.run.settings import Settings
from deepassay.run.showing.records import records_of
from deepassay.run.showing.replay import replay
from deepassay.runfile import RunFile
from deepassay.score import Cause, Score
from deepassay.tasks.task import Task
from tests.asked import asked
from tests.reports.traces.building import (
    CALLS,
    FOUND,
    GONE,
    HIGH,
    HITS,
    LOW,
    OPENED,
    PAGE,
    PROMPT,
    REPORT,
    lines,
    spans,
)
from tests.reports.traces.test_messages import atif, chat

TASKS = (Task(id="tide", prompt=PROMPT), Task(id="other", prompt="Who was the first keeper?"))


def report(agent="norrby", text=REPORT, task="tide", sample=1):
    return Report(text, agent, task, sample)


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "x.otlp.jsonl"
    path.write_text(lines(spans()))
    return path


def joined(reports, *paths):
    with pytest.warns(Notice) as told:
        found = with_traces(TASKS, reports, paths)
    return [each.run and each.run.opened for each in found], str(told[-1].message)


def test_a_trace_is_joined_to_the_report_that_came_of_it(trace):
    opened, told = joined([report(), report(task="other")], trace)

    assert opened == [OPENED, None]
    assert "Traces: 1 runs. Calls: 3 × visit_page: page, 1 × web_search: search." in told
    assert "1 came in, 1 found their tasks, 1 used" in told


@pytest.mark.parametrize(
    ("reports", "used"),
    [
        ([report("a"), report("norrby", text="x")], [True, False]),  # by the text
        ([report("a", text="y"), report("norrby", text="x")], [False, True]),  # by the agent
        ([report("a", text="x"), report("b")], [False, True]),
        ([report("a", text="x"), report("b", text="y")], [False, False]),
        ([report("a", text="x")], [True]),  # the only one
        ([report(sample=1, text="x"), report(sample=2)], [False, True]),
        ([report(task="other")], [False]),
    ],
)
def test_among_several_reports_it_finds_its_own_or_none(trace, reports, used):
    opened, told = joined(reports, trace)

    assert [each is not None for each in opened] == used
    assert any(used) or "of task tide" in told


def test_a_second_trace_of_a_report_is_told(tmp_path, trace):
    (tmp_path / "y.otlp.jsonl").write_text(
        lines([{**each, "traceId": "b" * 32} for each in spans()])
    )

    opened, told = joined([report()], tmp_path)

    assert opened == [OPENED]
    assert (
        "2 found their tasks, 1 used" in told
        and "there is no report of task tide without a trace" in told
    )


def test_tasks_are_found_by_what_stands_around_their_prompts(tmp_path):
    wrapped = f"New task:\n{PROMPT}\n\nToday is Monday."
    (tmp_path / "x.otlp.jsonl").write_text(lines(spans(prompt=wrapped)))

    assert joined([report()], tmp_path / "x.otlp.jsonl")[0] == [OPENED]


def test_tasks_are_found_by_attribute_and_by_the_name_of_the_file(tmp_path):
    whole = spans(prompt="Something else that was asked of it.")
    whole[-1]["attributes"].append({"key": "deepassay.task", "value": {"stringValue": "tide"}})
    (tmp_path / "a.otlp.jsonl").write_text(lines(whole))
    messages = chat()
    messages[1] = {"role": "user", "content": "Quite another wording of it."}
    (tmp_path / "tide.messages.json").write_text(json.dumps(messages))

    for name in ("a.otlp.jsonl", "tide.messages.json"):
        assert joined([report()], tmp_path / name)[0] == [OPENED]


def test_what_is_left_out_is_told_with_its_reason(tmp_path):
    (tmp_path / "a.otlp.jsonl").write_text(lines(spans(prompt="How deep is the sea here?")))
    (tmp_path / "b.otlp.jsonl").write_text(
        lines([{**each, "traceId": "b" * 32} for each in spans(content=False)])
    )

    opened, told = joined([report()], tmp_path)

    assert opened == [None]
    assert "2 came in, 0 found their tasks, 0 used" in told
    assert "no task has its prompt or identifier" in told


def test_a_trace_without_contents_is_told_and_not_used(tmp_path):
    whole = spans(content=False)
    whole[-1]["attributes"].append({"key": "deepassay.task", "value": {"stringValue": "tide"}})
    (tmp_path / "b.otlp.jsonl").write_text(lines(whole))

    opened, told = joined([report()], tmp_path / "b.otlp.jsonl")

    assert opened == [None]
    assert "1 found their tasks, 0 used" in told and "4 calls of tools" in told


def test_files_of_other_names_and_logs_in_a_folder_are_read(tmp_path, trace):
    trace.rename(tmp_path / "export.json")
    (tmp_path / "run.jsonl").write_text(json.dumps(atif()))

    opened, told = joined([report(), report("tmp", text="x")], tmp_path)

    assert "2 came in" in told and opened[0] == OPENED


def test_a_report_that_is_another_than_the_trace_ends_with_is_known(trace):
    with pytest.warns(Notice):
        (found,) = with_traces(TASKS, [report(text="An older report.")], [trace])

    assert (found.run.record["differs"], found.run.report) == (True, "An older report.")


STRANGE = [
    ("peruse", {"ref": 3}, json.dumps({"url": HIGH, "text": PAGE})),
    ("consult_oracle", {"about": "tide", "mood": "calm"}, json.dumps(HITS)),
    ("think_about", {"url": LOW}, "Let me see."),
]


def test_what_a_tool_does_may_be_said(tmp_path):
    path = tmp_path / "x.otlp.jsonl"
    path.write_text(lines(spans(calls=STRANGE)))
    told = ("peruse=page", "consult_oracle=search", "think_about=ignore", "absent=page")
    with pytest.warns(Notice) as said:
        (plain,) = with_traces(TASKS, [report()], [path])
        (found,) = with_traces(TASKS, [report()], [path], told)
    assert plain.run.opened == (LOW,) and plain.run.found == ()
    assert (found.run.opened, found.run.found) == ((HIGH,), (HIGH, GONE))
    words = str(said[-1].message)
    assert "1 × consult_oracle: search" in words and "1 × peruse: page" in words
    assert "No trace calls a tool named absent" in words


def test_a_tool_that_opens_what_nobody_can_name_is_lost_and_not_nothing(tmp_path):
    path = tmp_path / "x.otlp.jsonl"
    path.write_text(lines(spans(calls=[("peruse", {"ref": 3}, PAGE), *CALLS])))
    with pytest.warns(Notice):
        (found,) = with_traces(TASKS, [report()], [path], ["peruse=page"])
    assert found.run.opened is None and found.run.record["lost"] == 1


@pytest.mark.parametrize("told", ["peruse", "=page", "peruse=open", "peruse=", ""])
def test_what_says_nothing_of_a_tool_is_refused(trace, told):
    with pytest.raises(BadSetting, match="does not say what a tool does"):
        with_traces(TASKS, [report()], [trace], [told])


def in_session(own, trace, session, after):
    """Spans as a turn of a session: of a trace of their own, so many seconds later."""
    for each in own:
        each["traceId"] = trace
        each["spanId"] = trace[:4] + each["spanId"][4:]
        each["parentSpanId"] = each["parentSpanId"] and trace[:4] + each["parentSpanId"][4:]
        for name in ("startTimeUnixNano", "endTimeUnixNano"):
            each[name] = str(int(each[name]) + after * 10**9)
        key = {"key": "session.id", "value": {"stringValue": session}}
        each["attributes"].append(key)
    return own


def test_traces_of_one_session_are_turns_of_one_run_where_that_is_said(tmp_path):
    early = in_session(spans(calls=CALLS[:2], report="A first draft."), "b" * 32, "s", 0)
    late = in_session(spans(calls=CALLS[2:]), "c" * 32, "s", 1000)
    for name, own in (("one", late), ("two", early)):
        (tmp_path / f"{name}.otlp.jsonl").write_text(lines(own))
    with pytest.warns(Notice) as said:
        (apart,) = with_traces(TASKS, [report()], [tmp_path])
        (found,) = with_traces(TASKS, [report()], [tmp_path], sessions=True)
    assert len(apart.run.opened) == 1
    assert (found.run.opened, found.run.found) == (OPENED, FOUND)
    assert found.run.record["trace"] == "b" * 32 and "differs" not in found.run.record
    assert "Traces: 1 runs." in str(said[-1].message)


def turns_of(agent, task):
    """Two turns of a session that is called alike for every agent; what they opened, and wrote."""
    opened = [f"https://{agent}.example/{task}/{turn}" for turn in (1, 2)]
    text = f"# {task}\n\nBy {agent} [1].\n\n## Sources\n\n[1] {opened[0]}\n"
    found = []
    for turn, url in enumerate(opened):
        own = spans(
            calls=[("visit_page", {"url": url}, f"# {task}\n\nA page of {agent}. " * 20)],
            report=text if turn else "A first draft.",
            prompt=f"What is known of {task}? Write a short cited report.",
        )
        for each in own[-1]["attributes"]:
            if each["key"] == "service.name":
                each["value"]["stringValue"] = agent
        trace = f"{agent[0]}{task[-1]}{turn}".encode().hex().ljust(32, "0")
        found += in_session(own, trace, f"chat-{task}", 1000 * turn)
    return found, tuple(opened), text


def test_sessions_of_three_agents_are_told_apart_though_they_are_called_alike(tmp_path):
    agents, tasks = ("auk", "bee", "cod"), [f"place-{number}" for number in range(5)]
    reports, wanted = [], []
    for agent in agents:
        file = []
        for task in tasks:
            own, opened, text = turns_of(agent, task)
            file += own
            reports.append(report(agent, text, task))
            wanted.append(opened)
        (tmp_path / f"{agent}.otlp.jsonl").write_text(lines(file))
    asked_of = [
        Task(id=t, prompt=f"What is known of {t}? Write a short cited report.") for t in tasks
    ]
    with pytest.warns(Notice) as said:
        found = with_traces(asked_of, reports, [tmp_path], sessions=True)
    assert [each.run.opened for each in found] == wanted
    assert "15 came in, 15 found their tasks, 15 used" in str(said[-1].message)


def test_a_turn_that_does_not_say_whose_it_is_belongs_to_the_session_of_one_agent(tmp_path):
    own, opened, text = turns_of("auk", "place-0")
    for each in own[: len(own) // 2]:
        each["attributes"] = [at for at in each["attributes"] if at["key"] != "service.name"]
    (tmp_path / "auk.otlp.jsonl").write_text(lines(own))
    task = Task(id="place-0", prompt="What is known of place-0? Write a short cited report.")
    with pytest.warns(Notice):
        (found,) = with_traces([task], [report("auk", text, "place-0")], [tmp_path], sessions=True)
    assert found.run.opened == opened


def test_a_session_of_which_a_later_turn_breaks_off_is_torn(tmp_path):
    own, _, text = turns_of("auk", "place-0")
    half = len(own) // 2
    (tmp_path / "one.otlp.jsonl").write_text(lines(own[:half]))
    (tmp_path / "two.otlp.jsonl").write_text(lines(own[half:]) + '{"resourceSpans": [{"sco')
    task = Task(id="place-0", prompt="What is known of place-0? Write a short cited report.")
    with pytest.warns(Notice):
        (found,) = with_traces([task], [report("auk", text, "place-0")], [tmp_path], sessions=True)
        (apart,) = with_traces(
            [task], [report("auk", text, "place-0")], [tmp_path / "one.otlp.jsonl"]
        )
    assert found.run.record["lost"] == 1 and "lost" not in apart.run.record


TWO = [
    Task(id=name, prompt=f"What is known of {name}? Write a short cited report.")
    for name in ("place-0", "place-1")
]


def one_session(*turns):
    """Spans of turns of one session, each of a trace of its own: opened, prompts, what was written.

    Of the prompts, the last is that of the turn; the model remembers the others.
    """
    found = []
    for number, (url, prompts, text) in enumerate(turns):
        own = spans(
            calls=[("visit_page", {"url": url}, "# A page\n\nOf a place. " * 20)],
            report=text,
            prompt=prompts[-1],
        )
        before = [{"role": "user", "content": each} for each in prompts[:-1]]
        for each in own:
            for at in each["attributes"]:
                if at["key"] == "input.value" and each["name"] == "model":
                    history = json.loads(at["value"]["stringValue"])
                    at["value"]["stringValue"] = json.dumps([*before, *history])
        found += in_session(own, f"{number + 1:x}".zfill(4) + "b" * 28, "chat", 1000 * number)
    return found


def test_a_session_that_answers_several_tasks_is_a_run_for_each(tmp_path):
    """A turn that names no task goes on with the one before, and tasks may come back."""
    first, second = (task.prompt for task in TWO)
    urls = [f"https://a.example/{number}" for number in range(4)]
    reports = [report("norrby", f"# {task.id}\n\nKnown [1].", task.id) for task in TWO]
    drafts = "A draft.", reports[1].text, "Longer.", reports[0].text
    asked = [first], [first, second], [first, second, "Go on."], [second, first]
    turns = zip(urls, asked, (drafts[0], "A draft.", drafts[1], drafts[3]), strict=True)
    (tmp_path / "x.otlp.jsonl").write_text(lines(one_session(*turns)))
    with pytest.warns(Notice) as said:
        found = with_traces(TWO, reports, [tmp_path], sessions=True)
    assert [each.run.opened for each in found] == [(urls[0], urls[3]), (urls[1], urls[2])]
    assert not any("differs" in each.run.record for each in found)
    assert "2 came in, 2 found their tasks, 2 used" in str(said[-1].message)


def test_a_turn_that_remembers_what_was_asked_before_is_of_what_was_asked_last(tmp_path):
    first, second = (task.prompt for task in TWO)
    turns = ("https://a.example/0", [first], "A."), ("https://a.example/1", [first, second], "B.")
    (tmp_path / "x.otlp.jsonl").write_text(lines(one_session(*turns)))
    reports = [report("norrby", text, task.id) for task, text in zip(TWO, "AB", strict=True)]
    with pytest.warns(Notice):
        found = with_traces(TWO, reports, [tmp_path])
    assert [each.run.opened for each in found] == [
        ("https://a.example/0",),
        ("https://a.example/1",),
    ]


@pytest.mark.parametrize("packed", [list, lambda own: {"id": "chat", "messages": own}])
def test_messages_about_several_tasks_are_a_run_for_each(tmp_path, packed):
    later = json.loads(json.dumps(chat()[1:]).replace(HIGH, f"{HIGH}/other"))
    later[0]["content"] = TASKS[1].prompt
    later[-1]["content"] = "Nobody knows."
    (tmp_path / "x.messages.json").write_text(json.dumps(packed([*chat(), *later])))
    reports = [report(), report(text="Nobody knows.", task="other")]
    opened, told = joined(reports, tmp_path / "x.messages.json")
    assert opened == [OPENED, (f"{HIGH}/other", LOW)]
    assert "2 came in, 2 found their tasks, 2 used" in told


def test_one_trace_about_several_tasks_is_left_out_with_what_to_do(tmp_path):
    first, second = (task.prompt for task in TWO)
    turns = ("https://a.example/0", [first], "A."), ("https://a.example/1", [second], "B.")
    whole = [{**each, "traceId": "c" * 32} for each in one_session(*turns)]
    (tmp_path / "x.otlp.jsonl").write_text(lines(whole))
    reports = [report("norrby", text, task.id) for task, text in zip(TWO, "AB", strict=True)]
    with pytest.warns(Notice) as said:
        found = with_traces(TWO, reports, [tmp_path])
    assert [each.run for each in found] == [None, None]
    assert "it is about 2 tasks (place-0, place-1). Record a trace for each" in str(
        said[-1].message
    )


@pytest.mark.parametrize("given", [{"tools": ("a=page",)}, {"sessions": True}])
def test_how_traces_are_read_goes_with_traces(given):
    with pytest.raises(BadSetting, match="no effect without --traces"):
        Settings(**given)


@pytest.mark.parametrize("left", [(), ("README.md", ".hidden/a.jsonl")])
def test_a_folder_without_traces_is_told_as_one(tmp_path, left):
    (tmp_path / "traces").mkdir()
    for name in left:
        (tmp_path / "traces" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "traces" / name).write_text("{}")
    with pytest.raises(BadReports, match="there is no file of traces in this folder"):
        with_traces(TASKS, [report()], [tmp_path / "traces"])


def test_what_is_no_trace_in_a_folder_is_left_out_with_a_word(tmp_path, trace):
    (tmp_path / "settings.json").write_text('{"a": 1}')

    with pytest.warns(Notice) as told:
        (found,) = with_traces(TASKS, [report()], [tmp_path])

    assert found.run.opened == OPENED
    assert any("settings.json: it holds no trace" in str(each.message) for each in told)


def test_what_is_no_trace_is_refused(tmp_path):
    (tmp_path / "x.json").write_text('{"a": 1}')

    with pytest.raises(BadReports, match="no trace"):
        with_traces(TASKS, [report()], [tmp_path / "x.json"])


# ------------------------------------------------------------------ to scores and back


def scored(tmp_path, reports, run, **settings):
    (tmp_path / "tasks.jsonl").write_text(json.dumps({"id": "tide", "prompt": PROMPT}))
    given = {"protocols": ("process", "retrieval"), "run": run, "offline_sources": True}
    evaluate(*asked(tmp_path / "tasks.jsonl", [reports], date="2026-11-20", **given | settings))
    with RunFile.read(run) as kept:
        assert replay(kept).proved
        runs = [each.run for each in kept.answering.runs()]
    return {each.protocol: each for each in records_of([run])}, runs


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "norrby").mkdir()
    (tmp_path / "norrby" / "tide.md").write_text(REPORT)
    return tmp_path / "norrby"


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_from_a_trace_to_a_score_a_replay_and_on(tmp_path, folder, trace):
    run = tmp_path / "run.assay"
    records, _ = scored(tmp_path, folder, run)
    assert records["process"].outcome.cause is Cause.MISSING_INPUT

    records, (kept,) = scored(tmp_path, folder, run, traces=(trace,))
    assert isinstance(records["process"].outcome, Score)
    assert (records["process"].outcome.value, kept.opened) == (50.0, OPENED)
    assert len(kept.events) == len(CALLS)

    again, (same,) = scored(tmp_path, folder, run)  # nothing is given but the run file knows it
    assert again["process"].outcome == records["process"].outcome and same == kept
    assert {i.verdict for i in evidence_of(again["process"]).items} >= {"cited, opening failed"}


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_from_a_trace_in_place_of_reports(tmp_path, trace):
    records, (kept,) = scored(tmp_path, trace, tmp_path / "run.assay")

    assert records["process"].outcome.value == 50.0
    assert kept.record["report_by"].startswith("model")


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_a_report_that_was_scored_without_its_trace_may_get_it_later(tmp_path, folder, trace):
    run, other = tmp_path / "run.assay", tmp_path / "other.assay"
    scored(tmp_path, folder, run, traces=(trace,))

    records, _ = scored(tmp_path, run, other)  # from a run file that has it

    assert records["process"].outcome.value == 50.0


def planned(tmp_path, given):
    (tmp_path / "tasks.jsonl").write_text(
        "\n".join(json.dumps({"id": each.id, "prompt": each.prompt}) for each in TWO)
    )
    settings = {"protocols": ["process"], "date": "2026-05-04", "run": tmp_path / "run.assay"}
    evaluate(*asked(tmp_path / "tasks.jsonl", [given], **settings))
    with RunFile.read(settings["run"]) as run:
        return {(each.task, each.sample, each.text) for each in run.reports()}, [
            each.run.record for each in run.answering.runs()
        ]


@pytest.mark.filterwarnings("ignore")
def test_of_turns_in_place_of_reports_each_is_of_the_task_that_was_asked_last(tmp_path):
    first, second = (task.prompt for task in TWO)
    turns = ("https://a.example/0", [first], "A."), ("https://a.example/1", [first, second], "B.")
    (tmp_path / "x.otlp.jsonl").write_text(lines(one_session(*turns)))
    found, records = planned(tmp_path, tmp_path / "x.otlp.jsonl")
    assert found == {("place-0", 1, "A."), ("place-1", 1, "B.")}
    assert not any("turns" in each for each in records)


@pytest.mark.filterwarnings("ignore")
def test_messages_about_several_tasks_in_place_of_reports_are_refused(tmp_path):
    said = [
        each
        for task in TWO
        for each in (
            {"role": "user", "content": task.prompt},
            {"role": "assistant", "content": f"Of {task.id} little is known."},
        )
    ]
    (tmp_path / "x.messages.json").write_text(json.dumps(said))
    with pytest.raises(BadReports, match=r"about 2 tasks \(place-0, place-1\)") as refused:
        planned(tmp_path, tmp_path / "x.messages.json")
    assert "--traces" in refused.value.remedy
