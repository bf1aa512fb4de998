"""Shapes that people have their answers in: what was once taken wrongly, or refused for nothing."""

import json

import pytest

from deepassay.errors import BadReports, BadTasks, Notice
from deepassay.intake.choices import choices_in
from deepassay.intake.columns import NamedColumns
from deepassay.intake.tables import read_tables
from deepassay.reports.loaders import load_reports, reports_of
from deepassay.run.asking.joining import join
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.tasks.loaders import load_tasks
from tests.intake.test_tables import written

WHY = "Why do swifts sleep while they fly?"
HOW = "How do lighthouses get their fuel in winter?"
LONG = "# What is known\n\nThree long studies looked at it, and two of them agree [1]. " * 4

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")


def taken(path, columns=None):
    """Agent, prompt and text of each report that answers a task of the same file."""
    said = NamedColumns.of(columns)
    tasks = load_tasks(path, columns=said)
    known, unmatched = join(tasks, load_reports([path], columns=said))
    assert not unmatched
    prompts = {task.id: task.prompt for task in tasks}
    return {(each.agent, prompts[each.task], each.text) for each in known}


def sheet(path, rows):
    path.write_text(written(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "last",
    [["Total", "2 demandes", "", ""], ["", "", "Moyenne", ""], ["Promedio", "", "", ""]],
)
def test_a_last_row_that_sums_up_in_any_language_is_none(tmp_path, last):
    rows = [
        ["Nr.", "question", "answer", "model"],
        ["1", WHY, LONG, "tern"],
        ["2", HOW, LONG, "tern"],
    ]
    path = sheet(tmp_path / "a.csv", [*rows, last])
    assert len(load_tasks(path)) == 2
    with_prompt = sheet(tmp_path / "b.csv", [*rows, ["Total", "2 reasons", LONG, "tern"]])
    assert len(load_reports([with_prompt])) == 3


def test_a_head_of_two_lines_names_each_column_by_both(tmp_path):
    rows = [
        ["", "question", "tern", "", "auk", ""],
        ["", "question", "report", "minutes", "report", "minutes"],
        ["A", WHY, f"{LONG}t", 3, f"{LONG}a", 4],
    ]
    path = sheet(tmp_path / "a.csv", rows)
    ((row,),) = read_tables(path).values()
    assert [*row.fields][1:] == [
        "question", "tern report", "tern minutes", "auk report", "auk minutes",
    ]  # fmt: skip
    found = taken(path, "report=tern report,report=auk report")
    assert found == {("tern", WHY, f"{LONG}t"), ("auk", WHY, f"{LONG}a")}


def test_two_equal_answers_below_a_head_are_no_second_head(tmp_path):
    rows = [["question", "tern answer", "auk answer"], [WHY, "No.", "No."], [HOW, "Yes.", "No."]]
    ((first, *_),) = read_tables(sheet(tmp_path / "a.csv", rows)).values()
    assert [*first.fields] == rows[0]


@pytest.mark.parametrize("of", ["Antwort von", "Réponse de", "Respuesta de"])
def test_columns_of_answers_are_named_after_whose_they_are(tmp_path, of):
    rows = [["prompt", f"{of} Tern", f"{of} Auk"], [WHY, f"{LONG}t", f"{LONG}a"]]
    found = taken(sheet(tmp_path / "a.csv", rows), f"report={of} Tern,report={of} Auk")
    assert {agent for agent, _, _ in found} == {"Tern", "Auk"}


def test_numbers_of_questions_are_their_identifiers_in_every_language(tmp_path):
    tasks = sheet(tmp_path / "t.csv", [["Kennung", "Frage"], ["Q-001", WHY], ["Q-002", HOW]])
    rows = [["Frage-ID", "Agent", "Antwort"], ["q1", "tern", LONG], ["q2", "tern", LONG]]
    known, _ = join(load_tasks(tasks), load_reports([sheet(tmp_path / "r.csv", rows)]))
    assert len(known) == 2


def test_an_identifier_that_all_prompts_have_is_none(tmp_path):
    rows = [
        {"prompt_id": "v3", "prompt": each, "model": "tern", "answer": LONG} for each in (WHY, HOW)
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert taken(path) == {("tern", WHY, LONG), ("tern", HOW, LONG)}


def test_documents_with_tables_at_some_depth(tmp_path):
    path = tmp_path / "a.json"
    lines = [[WHY, "tern", LONG], [HOW, "auk", LONG]]
    split = {"columns": ["question", "model", "report"], "data": lines, "nrows": 2, "kinds": {}}
    path.write_text(json.dumps(split), encoding="utf-8")
    expected = {("tern", WHY, LONG), ("auk", HOW, LONG)}
    assert taken(path) == expected
    deep = [
        {"query": asked, "answers": [{"agent": {"name": by}, "report": {"markdown": text}}]}
        for asked, by, text in lines
    ]
    path.write_text(json.dumps({"study": "spring", "items": deep}), encoding="utf-8")
    assert taken(path) == expected
    path.write_text(json.dumps({WHY: {"tern": LONG}, HOW: {"auk": LONG}}), encoding="utf-8")
    with pytest.raises(BadReports) as caught:
        load_reports([path])
    assert "--columns 'prompt=outer name,agent=inner name'" in caught.value.remedy
    assert taken(path, "prompt=outer name,agent=inner name") == expected


def test_of_several_tables_the_fault_of_the_longest_is_told(tmp_path):
    rows = [
        {"first": {"query": each, "question": f"{each} Say."}, "answer": LONG}
        for each in (WHY, HOW)
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"models": [{"raw": "Be brief and exact, please."}], "rows": rows}))
    with pytest.raises(BadReports, match="may each be the prompt") as caught:
        load_reports([path])
    assert "prompt=first.query" in caught.value.remedy


def test_the_column_that_is_offered_as_the_agent_tells_answers_apart(tmp_path):
    rows = [["Code", "question", "Tool used", "answer", "Rater"]]
    rows += [[f"C{n}", asked, tool, f"{LONG}{tool}", "Ann"]
             for n, asked in enumerate((WHY, HOW)) for tool in ("tern", "auk")]  # fmt: skip
    with pytest.raises(BadReports) as caught:
        load_reports([sheet(tmp_path / "a.csv", rows)])
    assert "first:\n    --columns 'agent=Tool used'\n" in caught.value.remedy


def test_answers_of_several_models_to_one_question_are_a_report_each(tmp_path):
    def said(id, parent, role, text, model=None):
        return {"id": id, "parentId": parent, "role": role, "content": text, "model": model}

    tree = [
        said("a", None, "user", WHY),
        said("b", "a", "assistant", f"{LONG}old", "tern"),
        said("c", "a", "assistant", f"{LONG}t", "tern"),
        said("d", "a", "assistant", f"{LONG}k", "auk"),
    ]
    talk = {"history": {"all": {each["id"]: each for each in tree}}, "shown": [tree[0], tree[3]]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"title": "Swifts", "chat": talk}]), encoding="utf-8")
    found = {(each.agent, each.sample, each.text[-1]) for each in load_reports([path])}
    assert found == {("tern", 1, "d"), ("tern", 2, "t"), ("auk", 1, "k")}


def test_values_of_python_are_read_as_files_of_the_same_shape_are():
    columns = {"prompt": [WHY, HOW], "model": ["tern", "auk"], "answer": [LONG, f"{LONG}2"]}
    assert {(each.agent, each.prompt) for each in reports_of(columns)} == {
        ("tern", WHY),
        ("auk", HOW),
    }
    (one,) = reports_of({"prompt": WHY, "model": "tern", "answer": LONG})
    assert (one.agent, one.text) == ("tern", LONG)


class Pivoted:
    """A frame whose columns have names of two levels, as far as it is looked at."""

    def to_dict(self, orient):
        assert orient == "records"
        return [{("prompt", ""): WHY, ("answer", "tern"): LONG, ("answer", "auk"): f"{LONG}2"}]


def test_names_of_two_levels_are_one_with_a_blank():
    said = NamedColumns.of("report=answer tern,report=answer auk")
    assert {each.agent for each in reports_of(Pivoted(), columns=said)} == {"tern", "auk"}


# ------------------------------------------------------------------ folders


def test_files_of_one_name_are_of_the_agents_that_their_folders_are_named_after(tmp_path):
    for agent in ("tern", "auk"):
        (tmp_path / agent).mkdir()
        line = {"question": WHY, "answer": f"{LONG}{agent}"}
        (tmp_path / agent / "samples.jsonl").write_text(json.dumps(line), encoding="utf-8")
    assert {each.agent for each in load_reports([tmp_path])} == {"tern", "auk"}
    (tmp_path / "auk" / "samples.jsonl").write_text(json.dumps({"question": HOW, "answer": LONG}))
    assert {each.agent for each in load_reports([tmp_path])} == {"samples"}  # parts of one


def test_a_folder_of_nothing_but_tables_of_json_is_read_with_its_own_tasks(tmp_path):
    for agent in ("tern", "auk"):
        (tmp_path / agent).mkdir()
        rows = [{"instruction": WHY, "output": LONG, "generator": agent}]
        (tmp_path / agent / "outputs.json").write_text(json.dumps(rows), encoding="utf-8")
    plan = plan_of(tmp_path, [tmp_path], Settings())
    assert [task.prompt for task in plan.tasks.values()] == [WHY]
    assert [each.agent for each in plan.reports] == ["auk", "tern"]


def test_a_folder_for_each_task_with_what_was_asked_in_it(tmp_path):
    for task, asked in (("swifts", WHY), ("lights", HOW)):
        (tmp_path / task).mkdir()
        (tmp_path / task / "question.txt").write_text(asked, encoding="utf-8")
        for agent in ("tern", "auk"):
            (tmp_path / task / f"{agent}.md").write_text(f"{LONG}{agent}", encoding="utf-8")
    with pytest.warns(Notice, match=r"2 files \(question\.txt\) are taken for what was asked"):
        found = taken(tmp_path)
    assert found == {(a, q, f"{LONG}{a}") for a in ("tern", "auk") for q in (WHY, HOW)}
    (tmp_path / "lights" / "question.txt").unlink()
    with pytest.raises(BadReports, match=r"question\.txt stands beside auk\.md, tern\.md"):
        load_reports([tmp_path])  # the other may be a report after all


@pytest.mark.parametrize("odd", ["notes", "gold", "wren"])
def test_a_file_of_another_kind_in_each_folder_is_asked_about(tmp_path, odd):
    for task, asked in (("swifts", WHY), ("lights", HOW)):
        (tmp_path / task).mkdir()
        texts = {"prompt.txt": asked, f"{odd}.txt": "Took long.", "tern.md": f"{LONG * 3}tern"}
        for name, text in texts.items():
            (tmp_path / task / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadReports, match=rf"{odd}\.txt stands in each of 2 folders") as caught:
        taken(tmp_path)
    without, also = (way.said for way in choices_in(caught.value))
    assert without == (("sheet", "*/tern.md"),)
    for said, agents in ((without, {"tern"}), (also, {"tern", odd})):
        columns = NamedColumns(said)
        assert {task.id for task in load_tasks(tmp_path, columns=columns)} == {"swifts", "lights"}
        assert {each.task for each in load_reports([tmp_path], columns=columns)} == agents
    (tmp_path / "lights" / f"{odd}.txt").write_text(LONG * 3, encoding="utf-8")
    if odd == "wren":
        assert len(load_reports([tmp_path])) == 4  # as long as a report
    else:  # no agent is called so
        with pytest.raises(BadReports, match="may be no reports"):
            load_reports([tmp_path])


def test_names_of_files_that_begin_with_those_of_tasks(tmp_path):
    tasks = sheet(tmp_path / "t.csv", [["id", "prompt"], ["task_01", WHY], ["task_10", HOW]])
    names = {"tern": "Task {} - final.md", "auk": "task-{}.md"}
    for agent, name in names.items():
        for number in (1, 10):
            path = tmp_path / "out" / agent / name.format(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(LONG, encoding="utf-8")
    reports = load_reports([tmp_path / "out"])
    with pytest.warns(Notice, match="names of reports begin with those of tasks"):
        known, unmatched = join(load_tasks(tasks), reports)
    assert (len(known), unmatched) == (4, ())
    (tmp_path / "out" / "auk" / "task-1 again.md").write_text(f"{LONG}2", encoding="utf-8")
    known, unmatched = join(load_tasks(tasks), load_reports([tmp_path / "out"]))
    assert (len(known), [each.task for each in unmatched]) == (4, ["task-1 again"])
    (tmp_path / "out" / "tern" / "Task 1 - again.md").write_text(f"{LONG}2", encoding="utf-8")
    with pytest.raises(BadReports):  # two by one agent for a task: nobody chooses
        join(load_tasks(tasks), load_reports([tmp_path / "out"]))


def test_names_of_files_that_hold_a_column_of_the_tasks(tmp_path):
    rows = [["code", "question", "owner"], ["q01", WHY, "Jo"], ["q02", HOW, "Jo"]]
    tasks = sheet(tmp_path / "t.csv", rows)
    (tmp_path / "out").mkdir()
    for agent in ("auk-2", "tern"):
        for code in ("q01", "q02"):
            (tmp_path / "out" / f"{agent}__{code}.md").write_text(f"{LONG}{agent}{code}")
    known, unmatched = join(load_tasks(tasks), load_reports([tmp_path / "out"]))
    prompts = {task.id: task.prompt for task in load_tasks(tasks)}
    assert ({(e.agent, prompts[e.task], e.text[-3:]) for e in known}, unmatched) == (
        {(a, q, c) for a in ("auk-2", "tern") for q, c in ((WHY, "q01"), (HOW, "q02"))},
        (),
    )


def test_questions_and_files_that_have_a_letter_before_their_number(tmp_path):
    (tmp_path / "asked.txt").write_text(f"Q1. {WHY}\n\nQ2. {HOW}\n", encoding="utf-8")
    for agent in ("auk", "tern"):
        (tmp_path / "out" / agent).mkdir(parents=True)
        for number in (1, 2):
            (tmp_path / "out" / agent / f"Q{number}.md").write_text(f"{LONG}{number}")
    tasks = load_tasks(tmp_path / "asked.txt")
    assert [task.prompt for task in tasks] == [WHY, HOW]
    known, unmatched = join(tasks, load_reports([tmp_path / "out"]))
    asked = {tasks[0].id: "1", tasks[1].id: "2"}
    assert [asked[each.task] for each in known] == [each.text[-1] for each in known]
    assert (len(known), unmatched) == (4, ())


def test_a_list_below_a_title_is_a_table_in_yaml(tmp_path):
    rows = [{"question": q, "answer": f"{LONG}{q}", "agent": "tern"} for q in (WHY, HOW)]
    document = {"title": "Pilot", "author": "R. Lind", "items": rows}
    (tmp_path / "a.yaml").write_text(json.dumps(document), encoding="utf-8")
    assert {text for _, _, text in taken(tmp_path / "a.yaml")} == {f"{LONG}{q}" for q in (WHY, HOW)}


def test_a_markdown_file_with_little_else_than_a_table_is_one(tmp_path):
    cells = "<br>".join(each for each in LONG.split("\n") if each)
    rows = [f"| {q} | {cells} a\\|b | tern |" for q in (WHY, HOW)]
    table = "\n".join(["| question | answer | agent |", "|---|:--|---|", *rows])
    path = tmp_path / "a.md"
    path.write_text(f"# Pilot\n\n{table}\n\nMore to come.\n")
    text = cells.replace("<br>", "\n") + " a|b"
    assert taken(path) == {("tern", WHY, text), ("tern", HOW, text)}
    path.write_text(f"{LONG * 20}\n\n{table}\n")  # a report with a table
    assert [each.text for each in load_reports([path])] == [path.read_text()]
    path.write_text(LONG)
    with pytest.raises(BadTasks, match="a text and no table of prompts"):
        load_tasks(path)


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("Student", ("Anna B.", "Ben K.")),
        ("Vendor", ("Acme Inc.", "Borel Ltd.")),
        ("Type", ("AI", "Human")),
        ("temperature", ("0.0", "0.7")),
    ],
)
def test_what_tells_the_answers_to_one_prompt_apart_is_offered_as_the_agent(tmp_path, head, names):
    path = tmp_path / "a.csv"
    rows = [[n, ask, f"{LONG}{n}{ask}"] for ask in (WHY, HOW) for n in names]
    path.write_text(written([[head, "question", "answer"], *rows]), encoding="utf-8")
    with pytest.raises(BadReports) as caught:
        load_reports([path])
    assert choices_in(caught.value)[0].said == (("agent", head),)
    found = load_reports([path], columns=NamedColumns.of(f"agent={head}"))
    assert {each.agent for each in found} == {*names}


def test_an_answer_beside_those_of_systems_may_be_the_right_one(tmp_path):
    path = tmp_path / "a.csv"
    rows = [[ask, *(f"{LONG}{n}{ask}" for n in "abc")] for ask in (WHY, HOW)]
    head = ["question", "answer", "tern answer", "auk answer"]
    path.write_text(written([head, *rows]), encoding="utf-8")
    with pytest.raises(BadReports) as caught:
        load_reports([path])
    without = (("report", "tern answer"), ("report", "auk answer"))
    assert without in [each.said for each in choices_in(caught.value)]


@pytest.mark.parametrize("nothing", ["n/a", "-", "N/A", "NONE"])
def test_what_says_that_there_is_nothing_counts_as_empty(tmp_path, nothing):
    path = tmp_path / "a.csv"
    rows = [[WHY, "tern", LONG], [HOW, "tern", nothing], [HOW, "auk", LONG]]
    path.write_text(written([["question", "agent", "answer"], *rows]), encoding="utf-8")
    assert len(load_reports([path])) == 2
