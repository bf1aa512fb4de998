"""What is taken without a question is certain by what stands there, or told of."""

import json
from itertools import product

import pytest

from deepassay.errors import BadInput, Notice
from deepassay.intake.choices import choices_in
from deepassay.intake.columns import NamedColumns
from deepassay.reports.loaders import load_reports
from deepassay.tasks.loaders import load_tasks
from tests.intake.test_strangers import HOW, LONG, WHY, sheet, taken

quiet = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")


def samples(path, columns=None):
    found = load_reports([path], columns=NamedColumns.of(columns))
    return {(each.agent, each.sample, each.text.rsplit(" ", 1)[-1]) for each in found}


def lines(path):
    with pytest.raises(BadInput) as caught:
        load_reports([path])
    return [",".join(f"{a}={b}" for a, b in each.said) for each in choices_in(caught.value)]


@pytest.mark.parametrize("head", ["Run #", "sample", "attempt"])
@quiet
def test_a_column_that_numbers_the_rows_numbers_no_answers(tmp_path, head):
    pairs = [*product((WHY, HOW), ("tern", "auk"))]
    rows = [[n, q, a, f"{LONG}{n}"] for n, (q, a) in enumerate(pairs, 1)]
    head = [head, "question", "model", "answer"]
    path = sheet(tmp_path / "a.csv", [head, *rows])
    assert {number for _, number, _ in samples(path)} == {1}
    path = sheet(tmp_path / "b.csv", [head, *rows, [5, WHY, "tern", f"{LONG}5"]])
    assert lines(path)[-1] == "sample=(order)"  # where one agent has two, it is asked


@pytest.mark.parametrize(
    ("values", "numbers"), [((1, 2), {1, 2}), ((0, 1), {1, 2}), ((7, 42), {7, 42})]
)
@quiet
def test_a_column_numbers_answers_by_counting_or_by_what_others_have_too(tmp_path, values, numbers):
    rows = [[n, q, "tern", f"{LONG}{n}"] for q, n in product((WHY, HOW), values)]
    path = sheet(tmp_path / "a.csv", [["seed", "question", "model", "answer"], *rows])
    assert {number for _, number, _ in samples(path)} == numbers


@quiet
def test_what_failed_is_no_first_of_two_answers(tmp_path):
    rows = [[WHY, "tern", "timeout"], [HOW, "tern", f"{LONG}b"], [WHY, "tern", f"{LONG}a"]]
    path = sheet(tmp_path / "a.csv", [["question", "model", "answer"], *rows])
    for columns in (None, "sample=", "sample=(order)"):
        with pytest.warns(Notice, match="Left out, as no sentences.*'timeout'"):
            assert samples(path, columns) == {("tern", 1, "a"), ("tern", 1, "b")}


@quiet
def test_a_question_about_samples_does_not_say_of_them_two_things(tmp_path):
    rows = [[WHY, "tern", f"{LONG}{n}"] for n in "ab"]
    path = sheet(tmp_path / "a.csv", [["question", "model", "answer"], *rows])
    with pytest.raises(BadInput) as caught:
        load_reports([path], columns=NamedColumns.of("sample="))
    assert choices_in(caught.value)[0].said == (("sample", "(order)"),)


def message(id, parent, role, content, model=None):
    author = {"author": {"role": role}, "content": content, "metadata": {"model_slug": model}}
    return {"id": id, "parent": parent, "message": author}


def talk(end, *messages):
    return {"current_node": end, "mapping": {each["id"]: each for each in messages}}


@quiet
def test_thoughts_in_one_message_are_no_table(tmp_path):
    def text(*parts):
        return {"content_type": "text", "parts": [*parts]}

    def asked(at, prompt):
        steps = [{"summary": "Plan", "content": f"{LONG}{at}{n}"} for n in range(3)]
        thoughts = {"content_type": "thoughts", "thoughts": steps}
        made = [f"{at}{n}c1f7654-8586-4f16-9db2-26ff36be1465" for n in range(5)]
        start = [message(made[0], None, "user", text(prompt))]
        if at:
            start += [
                message(made[1], made[0], "assistant", text("May I ask which ones?"), "o3"),
                message(made[2], made[1], "user", text("All of them, please.")),
            ]
        return talk(
            made[4],
            *start,
            message(made[3], start[-1]["id"], "assistant", thoughts, "o3"),
            message(made[4], made[3], "assistant", text(f"{LONG}{at}"), "o3"),
        )

    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([asked(n, each) for n, each in enumerate((WHY, HOW))]))
    with pytest.raises(BadInput) as caught:
        load_reports([path])
    said = [dict(each.said) for each in choices_in(caught.value)]
    assert not any("sheet" in each for each in said)
    assert any(each["report"] == "mapping.assistant.last" for each in said)


@quiet
def test_branches_that_are_not_shown_are_told_of(tmp_path):
    path = tmp_path / "a.json"
    nodes = [
        message("a", None, "user", WHY),
        message("b", "a", "assistant", f"{LONG}old", "m"),
        message("c", "a", "assistant", f"{LONG}new", "m"),
    ]
    path.write_text(json.dumps([talk("c", *nodes)]))
    with pytest.warns(Notice, match="branches that are not shown: 1"):
        assert samples(path) == {("m", 1, "new")}
    texts = [[WHY], [f"{LONG}old", f"{LONG}new"]]
    said = [
        {
            "versions": [{"role": r, "content": x} for x in those],
            "currentlySelected": len(those) - 1,
        }
        for r, those in zip(("user", "assistant"), texts, strict=True)
    ]
    path.write_text(json.dumps([{"model": "m", "messages": said}]))
    with pytest.warns(Notice, match="branches that are not shown: 1"):
        assert samples(path) == {("m", 1, "new")}


@pytest.mark.parametrize("name", ["X 2.md", "X (1).md", "X copy.md"])
@quiet
def test_a_repeat_is_counted_after_the_note_that_it_repeats(tmp_path, name):
    for file, mark in ((name, "second"), ("X.md", "first")):
        above = f"---\nquestion: {WHY}\nmodel: tern\n---\n"
        (tmp_path / file).write_text(f"{above}{LONG} {mark}")
    found = samples(tmp_path, "sample=(order)")
    assert found == {("tern", 1, "first"), ("tern", 2, "second")}


@pytest.mark.parametrize(
    "columns",
    [
        ["model_x", "answer_x", "model_y", "answer_y"],
        ["model left", "answer left", "model right", "answer right"],
        ["new_model", "new_answer", "old_model", "old_answer"],
    ],
)
@quiet
def test_groups_of_columns_that_differ_by_one_word_are_an_answer_each(tmp_path, columns):
    first = [WHY, "tern", f"{LONG}1", "auk", f"{LONG}2"]
    turned = [HOW, "auk", f"{LONG}3", "tern", f"{LONG}4"]
    path = sheet(tmp_path / "a.csv", [["question", *columns], first, turned])
    assert taken(path) == {
        ("tern", WHY, f"{LONG}1"),
        ("auk", WHY, f"{LONG}2"),
        ("auk", HOW, f"{LONG}3"),
        ("tern", HOW, f"{LONG}4"),
    }


@quiet
def test_one_agent_for_all_stands_behind_a_column_that_tells_answers_apart(tmp_path):
    keys = [*product((WHY, HOW), ("tern", "auk"), (1, 2))]
    rows = [[q, a, f"{LONG}{a}{n}"] for q, a, n in keys]
    path = sheet(tmp_path / "a.csv", [["question", "pipeline", "answer"], *rows])
    assert lines(path)[:2] == ["agent=pipeline", "agent=,sample=(order)"]


@quiet
def test_a_favourite_a_commit_and_a_title_beside_a_chat_are_no_agents_and_no_reports(tmp_path):
    wide = [[q, f"{LONG}1{q}", f"{LONG}2{q}", n] for q, n in ((WHY, "Tern"), (HOW, "Auk"))]
    path = sheet(tmp_path / "a.csv", [["question", "Tern", "Auk", "Best"], *wide])
    assert not any("agent=Best" in each for each in lines(path))
    said = [{"role": "user", "content": WHY}, {"role": "assistant", "content": LONG}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"name": "On swifts in the air", "model": "m", "chat": said}]))
    assert len(load_reports([path])) == 1


@quiet
def test_a_longer_answer_before_the_last_is_asked_about(tmp_path):
    said = [{"role": "user", "content": WHY}]
    said += [{"role": "assistant", "content": LONG + more} for more in ("and so on", "")]
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"model": "m", "chat": said}]))
    assert "report=chat.assistant.last" in lines(path)


@quiet
def test_where_all_have_one_model_a_column_of_systems_may_be_the_agent(tmp_path):
    rows = [[WHY, "m-4", "tern", f"{LONG}1"], [HOW, "m-4", "auk", f"{LONG}2"]]
    path = sheet(tmp_path / "a.csv", [["question", "model", "provider", "answer"], *rows])
    assert lines(path) == ["agent=provider", "agent=model"]


@quiet
def test_columns_of_one_report_are_no_labels_of_the_task(tmp_path):
    rows = [[q, f"{LONG}1{q}", f"{LONG}2{q}", "7", "towns"] for q in (WHY, HOW)]
    head = ["question", "Tern", "Auk", "Tern minutes", "kind of task"]
    path = sheet(tmp_path / "a.csv", [head, *rows])
    found = load_tasks(path, columns=NamedColumns.of("report=Tern,report=Auk"))
    assert [{*each.labels} for each in found] == [{"kind of task", "language"}] * 2


@quiet
def test_files_of_systems_that_share_a_model_may_be_an_agent_each(tmp_path):
    paths = [
        sheet(
            tmp_path / f"{name}.csv",
            [["question", "model", "answer"], *([q, "m-4", f"{LONG}{name}"] for q in (WHY, HOW))],
        )
        for name in ("tern", "auk")
    ]
    with pytest.raises(BadInput) as caught:
        load_reports(paths)
    (way,) = choices_in(caught.value)
    found = load_reports(paths, columns=NamedColumns(way.said))
    assert {(each.agent, each.text.rsplit(" ", 1)[-1]) for each in found} == {
        ("tern", "tern"),
        ("auk", "auk"),
    }


@pytest.mark.parametrize("odd", ["..", "L" * 200, "Really?", "Tern: what now?"])
@pytest.mark.parametrize(
    ("head", "text"),
    [*product(("agent", "Agent name", "智能体"), (LONG, "Short.")), ("model", LONG)],
)
@quiet
def test_an_odd_name_does_not_make_one_agent_of_all(tmp_path, odd, head, text):
    rows = [[q, a, f"{text} {a[:9]}"] for q, a in product((WHY, HOW), ("auk", odd))]
    path = sheet(tmp_path / "a.csv", [["question", head, "report"], *rows])
    assert lines(path) == [f"agent={head}", "agent=,sample=(order)"]
    assert {agent for agent, *_ in samples(path, f"agent={head}")} == {"auk", odd}
    path = sheet(tmp_path / "b.csv", [["question", head, "report"], *rows[:2]])
    assert lines(path)[0] == f"agent={head}"


@quiet
def test_the_sides_of_a_chat_are_no_agents(tmp_path):
    rows = [[WHY, f"{LONG}a"], [HOW, f"{LONG}b"]]
    path = sheet(tmp_path / "a.csv", [["user", "agent"], *rows])
    assert "agent=agent" not in ",".join(lines(path))
