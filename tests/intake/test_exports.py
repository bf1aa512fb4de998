"""What tools write, read by what stands in it: conversations, fields in fields, lists in lists."""

import json
import shlex

import pytest

from deepassay.errors import BadReports, BadTasks, Notice
from deepassay.intake.choices import choices_in
from deepassay.intake.columns import NamedColumns
from deepassay.reports.files import HERE
from deepassay.reports.loaders import load_reports
from deepassay.run.asking.joining import join
from deepassay.run.asking.reading_inputs import read_both
from deepassay.run.settings import Settings
from deepassay.tasks.loaders import load_tasks

ASKED = ["Why do bees swarm in May?", "How do tides turn a mill?"]
GIVEN = [f"# Report\n\nIt depends, says {name} [1]. " * 9 for name in ("the first", "the second")]
PAIRS = list(zip(ASKED, GIVEN, strict=True))
USER, ASSISTANT = ({"role": "user"}, {"role": "assistant"})

pytestmark = pytest.mark.filterwarnings("ignore:.*no column is known as the agent")


def both(asked, given):
    return [USER | {"content": asked}, ASSISTANT | {"content": given}]


def of(path, said=None):
    """What was asked and answered by whom, as both readers have it."""
    columns = NamedColumns.of(said)
    asked = {task.id: task.prompt for task in load_tasks(path, columns=columns)}
    return [
        (asked[each.task], each.text, each.agent)
        for each in load_reports([path], columns=columns)
        if each.prompt is None or each.prompt == asked[each.task]
    ]


def written(folder, value, name="export.json"):
    path = folder / name
    if name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(each) + "\n" for each in value))
    else:
        path.write_text(json.dumps(value, ensure_ascii=False))
    return path


def node(id, parent, who, text, **more):
    content = {"content_type": "text", "parts": [text]}
    return {
        "id": id,
        "parent": parent,
        "message": {"author": {"role": who}, "content": content, "metadata": more},
    }


EXPORTS = {
    "runs with what went in and came out": [
        {"inputs": {"question": a}, "outputs": {"answer": g}, "extra": {"metadata": {"model": "m"}}}
        for a, g in PAIRS
    ],
    "observations with messages": [
        {
            "input": {"messages": [both(a, g)[0]]},
            "output": both(a, g)[1],
            "metadata": {"model": "m"},
        }
        for a, g in PAIRS
    ],
    "conversations beside their model": [{"model": "m", "messages": both(a, g)} for a, g in PAIRS],
    "messages in parts, with tools between": [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be brief."},
                USER | {"content": [{"type": "text", "text": a}]},
                ASSISTANT | {"content": None, "tool_calls": [{"id": "1"}]},
                {"role": "tool", "content": "a page"},
                ASSISTANT | {"content": [{"type": "text", "text": g}]},
            ],
        }
        for a, g in PAIRS
    ],
    "messages of senders, of whom one has a name": [
        {
            "title": "A chat",
            "chat": [{"sender": "User", "text": a}, {"sender": "M-5", "text": g, "model": "m"}],
        }
        for a, g in PAIRS
    ],
    "results in an object, with a model each": {
        "version": 3,
        "results": {
            "prompts": [{"raw": "{{topic}}", "label": "x"}],
            "results": [
                {"prompt": {"raw": a}, "provider": {"id": "m"}, "response": {"output": g}}
                for a, g in PAIRS
            ],
        },
    },
    "a run with its model above": {
        "run": "r1",
        "config": {"model": "m"},
        "items": [{"question": a, "answer": g} for a, g in PAIRS],
    },
    "runs, each with its answers": [
        {
            "config": {"model": "m"},
            "results": [{"question": a, "final_answer": g} for a, g in PAIRS],
        }
    ],
    "prompts, each with its completions": [
        {"instruction": a, "completions": [{"model": "m", "response": g}]} for a, g in PAIRS
    ],
    "rows as a service pages them": {
        "features": [{"name": "question"}, {"name": "answer"}],
        "rows": [
            {"row_idx": 1, "row": {"question": a, "answer": g, "model": "m"}} for a, g in PAIRS
        ],
    },
    "a table with its schema": {
        "schema": {"fields": [{"name": "question", "type": "string"}]},
        "data": [{"question": a, "answer": g, "model": "m"} for a, g in PAIRS],
    },
    "both sides of a pair": [
        {"prompt": a, "model_a": "m", "response_a": g, "model_b": "n", "response_b": f"{g} No."}
        for a, g in PAIRS
    ],
    "both sides of a pair in a field": [
        {
            "id": n,
            "data": {"prompt": a, "answer_a": g, "answer_b": "No.", "model_a": "m", "model_b": "n"},
            "annotations": [{"result": "left"}],
        }
        for n, (a, g) in enumerate(PAIRS)
    ],
}


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_taken_with_prompt_answer_and_agent(tmp_path, name):
    found = of(written(tmp_path, EXPORTS[name]))
    assert sorted(each for each in found if each[2] == "m") == sorted((a, g, "m") for a, g in PAIRS)
    assert len(found) == len({each[2] for each in found}) * len(PAIRS)


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_a_conversation_that_branches_is_followed_from_its_end(tmp_path):
    nodes = [
        node("a", None, "user", ASKED[0]),
        node("b", "a", "assistant", "An answer that was thrown away."),
        node("c", "a", "assistant", GIVEN[0], model_slug="m"),
    ]
    whole = {"title": "Bees", "current_node": "c", "mapping": {each["id"]: each for each in nodes}}
    assert of(written(tmp_path, [whole])) == [(ASKED[0], GIVEN[0], "m")]


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_chats_with_two_models_are_joined_by_what_was_asked(tmp_path):
    chats = []
    for model in ("m", "n"):
        for number, (asked, given) in enumerate(zip(ASKED, GIVEN, strict=True)):
            nodes = [
                node("a", None, "user", asked),
                node("b", "a", "assistant", f"{given} {model}", model_slug=model),
            ]
            mapping = {each["id"]: each for each in nodes}
            chats.append({"id": f"{model}{number}", "current_node": "b", "mapping": mapping})
    path = written(tmp_path, chats)
    tasks, reports = read_both(path, [path], Settings(), NamedColumns(), HERE)
    known, unmatched = join(tasks, reports)
    assert len(tasks) == len(ASKED) and not unmatched
    assert {each.agent for each in known} == {"m", "n"} and len(known) == len(chats)


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_of_branches_below_a_root_that_says_nothing_each_model_has_its_answer(tmp_path):
    made = [f"{n}c1f7654-8586-4f16-9db2-26ff36be1465" for n in range(4)]
    chats = []
    for number, (asked, given) in enumerate(PAIRS):
        nodes = [
            {"id": made[0], "parent": None, "message": None},
            node(made[1], made[0], "user", asked),
            *(
                node(made[n], made[1], "assistant", f"{given} {n}", model_slug=f"m{n}")
                for n in (2, 3)
            ),
        ]
        mapping = {each["id"]: each for each in nodes}
        whole = {"title": asked[:9], "id": f"c{number}", "default_model_slug": "m2"}
        chats.append(whole | {"current_node": made[3], "mapping": mapping})
    path = written(tmp_path, chats, "conversations.json")
    wanted = [(asked, f"{given} {n}", f"m{n}") for n in (2, 3) for asked, given in PAIRS]
    assert sorted(of(path)) == sorted(wanted)


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_one_conversation_in_a_document_is_a_row(tmp_path):
    chunks = [
        USER | {"text": ASKED[0]},
        {"role": "model", "text": "I think about it.", "isThought": True},
        {"role": "model", "text": GIVEN[0]},
    ]
    value = {"runSettings": {"model": "m"}, "chunkedPrompt": {"chunks": chunks}}
    assert of(written(tmp_path, value)) == [(ASKED[0], GIVEN[0], "m")]


def option_in(error):
    words = shlex.split(error.remedy[error.remedy.index("--columns") :])
    return words[1]


def mended(path, most=3):
    """What is read once each refusal was followed to the letter."""
    said = None
    for _ in range(most):
        try:
            return of(path, said)
        except (BadReports, BadTasks) as error:
            said = option_in(error)
    return of(path, said)


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_of_longer_conversations_it_is_asked_which_question_was_the_task(tmp_path):
    talks = [
        {"messages": both(ASKED[0], GIVEN[0])},
        {"messages": [*both(ASKED[1], "Which mill?"), *both("That of Bréhat.", GIVEN[1])]},
    ]
    path = written(tmp_path, talks, "talks.jsonl")
    with pytest.raises(BadTasks, match="no column is known as the prompt") as caught:
        load_tasks(path)
    assert option_in(caught.value) == "prompt=messages.user.first"
    assert sorted(mended(path)) == sorted((a, g, "talks") for a, g in PAIRS)


BACK, THANKS = "For which mill, and since when?", "You are welcome."
ASKS_BACK = [*both(ASKED[0], BACK), *both("All.", GIVEN[0])]
PLAIN, THANKED = both(ASKED[1], GIVEN[1]), [*both(ASKED[1], GIVEN[1]), *both("Thanks!", THANKS)]


@pytest.mark.parametrize(
    ("talks", "right", "wrong"),
    [
        ([ASKS_BACK, PLAIN], "last", {"first": BACK}),
        ([both(ASKED[0], GIVEN[0]), THANKED], "first", {"last": THANKS}),
        ([both(ASKED[0], GIVEN[0]), [*PLAIN, THANKED[-1]]], "first", {"last": THANKS}),
        ([ASKS_BACK, THANKED], "longest", {"first": BACK, "last": THANKS}),
    ],
)
@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_what_is_said_around_a_report_is_asked_about_with_the_longest_answer_first(
    tmp_path, talks, right, wrong
):
    path = written(tmp_path, [{"messages": each} for each in talks], "talks.jsonl")
    with pytest.raises((BadReports, BadTasks)) as caught:
        read_both(path, path, Settings(), NamedColumns(), HERE)
    ways = {dict(way.said)["report"]: way for way in choices_in(caught.value)[::-1]}
    likeliest = choices_in(caught.value)[0]
    assert likeliest is ways[f"messages.assistant.{right}"]
    assert "shortest" not in likeliest.comes_to
    for which, said in wrong.items():
        told = ways[f"messages.assistant.{which}"].comes_to
        assert told.endswith(f"the shortest of {len(said)} characters: {said!r}")
    found = read_both(path, path, Settings(), NamedColumns(likeliest.said), HERE)
    assert {each.text.strip() for each in join(*found)[0]} == {each.strip() for each in GIVEN}


@pytest.mark.filterwarnings("ignore:.*no column is known as the agent")
def test_small_talk_at_the_end_of_a_conversation_is_not_its_report(tmp_path):
    talks = [
        {"title": f"Mill {n}", "messages": [*both(a, g), *both("Thanks!", "You are welcome.")]}
        for n, (a, g) in enumerate(PAIRS)
    ]
    path = written(tmp_path, talks, "talks.jsonl")
    with pytest.raises(BadReports) as caught:
        load_reports([path])
    said = option_in(caught.value)
    assert said == "prompt=messages.user.first,report=messages.assistant.first"
    with pytest.warns(Notice, match="not used: 'title'"):
        found = load_reports([path], columns=NamedColumns.of(said))
    assert {(each.prompt, each.text) for each in found} == {*PAIRS}


MENDS = {
    "texts by name and agent": {"q1": {"m": GIVEN[0], "n": GIVEN[1]}},
    "fields by question and agent": {
        a: {"m": {"response": g, "seconds": 3}, "n": {"response": f"{g} n", "seconds": 4}}
        for a, g in PAIRS
    },
    "pairs": [list(each) for each in PAIRS],
    "an agent each, in columns": {"prompts": ASKED, "responses": {"m": GIVEN, "n": GIVEN[::-1]}},
    "a list for each agent": {
        name: [{"question": a, "answer": f"{g} {name}"} for a, g in PAIRS] for name in ("m", "n")
    },
    "turns of a benchmark": [{"turns": [a], "choices": [{"turns": [g]}]} for a, g in PAIRS],
}


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
@pytest.mark.parametrize("name", [each for each in MENDS if each != "texts by name and agent"])
def test_what_is_asked_for_is_taken_when_the_line_is_followed(tmp_path, name):
    found = mended(written(tmp_path, MENDS[name]))
    assert {each[0] for each in found} == {*ASKED}
    assert len(found) == len({each[2] for each in found}) * len(PAIRS)


def test_of_texts_with_two_names_both_readings_are_offered(tmp_path):
    path = written(tmp_path, MENDS["texts by name and agent"])
    with pytest.raises(BadReports) as caught:
        load_reports([path])
    assert "'id=outer name,agent=inner name'" in caught.value.remedy
    assert "'id=inner name,agent=outer name'" in caught.value.remedy
    first, second = load_reports([path], columns=NamedColumns.of(option_in(caught.value)))
    assert (first.task, first.agent, second.agent) == ("q1", "m", "n")


def test_a_right_answer_is_no_report_and_a_judge_no_agent(tmp_path):
    rows = [
        {
            "doc": {"question": a, "answer": "As it is."},
            "reference_outputs": {"answer": "So it is."},
            "judge": {"model": "j"},
            "outputs": {"answer": g},
        }
        for a, g in PAIRS
    ]
    with pytest.warns(Notice, match="not used"):
        found = of(written(tmp_path, rows))
    assert sorted(found) == sorted((a, g, "export") for a, g in PAIRS)


def test_rows_of_another_kind_in_a_log_are_told_of(tmp_path):
    events = [
        {"spec": {"name": "x"}},
        *({"data": {"question": a, "answer": g}} for a, g in PAIRS),
        {"final": {"accuracy": 0}},
    ]
    with pytest.warns(Notice) as told:
        found = of(written(tmp_path, events, "log.jsonl"))
    assert sorted(found) == sorted((a, g, "log") for a, g in PAIRS)
    assert any(
        "2 of 4 rows have no 'data.answer' nor 'data.question'" in str(each.message)
        for each in told
    )


def test_what_stands_in_cells_as_json_is_opened(tmp_path):
    path = tmp_path / "traces.csv"
    cells = [[json.dumps(both(a, g)[:1]), json.dumps(both(a, g)[1])] for a, g in PAIRS]
    quoted = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in cells]
    path.write_text("\n".join(["input,output", *quoted]))
    assert sorted(of(path)) == sorted((a, g, "traces") for a, g in PAIRS)


def test_messages_in_rows_are_put_together_by_conversation(tmp_path):
    path = tmp_path / "chat.csv"
    rows = [("c1", "user", ASKED[0]), ("c2", "user", ASKED[1])]
    rows += [("c1", "assistant", "Yes [1]."), ("c2", "assistant", "No [1].")]
    path.write_text("\n".join(["conversation_id,role,content", *map(",".join, rows)]))
    with pytest.warns(Notice, match="not used: 'conversation_id'"):
        found = of(path)
    assert sorted(found) == sorted(
        (asked, given, "chat") for asked, given in zip(ASKED, ("Yes [1].", "No [1]."), strict=True)
    )


def test_a_deep_document_ends_somewhere(tmp_path):
    deep = {"question": ASKED[0], "answer": GIVEN[0]}
    for _ in range(40):
        deep = {"inner": deep}
    with pytest.raises(BadTasks):
        load_tasks(written(tmp_path, [deep]))
    text = "[" * 100_000
    (tmp_path / "deep.csv").write_text(f"question,answer\nWhy?,{text}\n")
    assert load_reports([tmp_path / "deep.csv"])[0].text == text


def test_a_short_answer_beside_a_longer_text_is_asked_about(tmp_path):
    rows = [{"question": a, "answer": "In May.", "what the agent wrote": g} for a, g in PAIRS]
    path = written(tmp_path, rows)
    with pytest.raises(BadReports, match="'answer' and 'what the agent wrote' may each be"):
        load_reports([path])
    asked = [{"question": a, "answer": "In May."} for a in ASKED]
    assert [each.text for each in load_reports([written(tmp_path, asked)])] == ["In May."] * 2


def test_numbers_of_questions_are_no_prompts(tmp_path):
    rows = [{"Question": f"Q{n}", "What was asked": a} for n, a in enumerate(ASKED)]
    with pytest.raises(BadTasks, match="no column is known as the prompt") as caught:
        load_tasks(written(tmp_path, rows))
    assert option_in(caught.value) == "prompt=What was asked"


def test_steps_of_a_run_are_no_reports_of_their_own(tmp_path):
    spans = [
        {"name": "agent", "span_id": "1", "parent_id": None, "input": ASKED[0], "output": GIVEN[0]},
        {"name": "search", "span_id": "2", "parent_id": "1", "input": "bees", "output": GIVEN[1]},
    ]
    with pytest.warns(Notice) as told:
        found = of(written(tmp_path, spans))
    assert "1 of 2 rows are steps of others (parent_id)" in str(told[0].message)
    assert found == [(ASKED[0], GIVEN[0], "export")]


def test_messages_of_bots_answer_the_threads_they_stand_in(tmp_path):
    day = [
        {"user": "U1", "text": ASKED[0], "thread_ts": "17.1"},
        {"bot_id": "B1", "username": "Heron", "text": GIVEN[0], "thread_ts": "17.1"},
    ]
    with pytest.warns(Notice, match="not used: 'thread_ts'"):
        found = of(written(tmp_path, day))
    assert found == [(ASKED[0], GIVEN[0], "Heron")]


def test_a_row_of_a_log_without_an_answer_is_no_task_and_html_is_told(tmp_path):
    events = [
        {"title": a, "app": "m", "items": [{"html": f"<p>{g}</p>\n<p>So.</p>"}]} for a, g in PAIRS
    ]
    path = written(tmp_path, [*events, {"title": "Opened", "app": "m"}], "log.json")
    columns = NamedColumns.of("report=items.0.html,agent=app")
    with pytest.warns(Notice, match=r"1 of 3 rows have no 'items\.0\.html'"):
        assert [task.prompt for task in load_tasks(path, columns=columns)] == [a for a, _ in PAIRS]
    with pytest.warns(Notice) as told:
        assert len(load_reports([path], columns=columns)) == 2
    assert any("2 of its reports are HTML" in str(each.message) for each in told)
