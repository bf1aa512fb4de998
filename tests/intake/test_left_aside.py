"""What is left aside of a table is asked about, unless something says that it is nothing."""

import json
import warnings

import pytest

from deepassay.errors import BadInput, Notice
from deepassay.intake.columns import NamedColumns
from deepassay.reports.loaders import load_reports
from deepassay.tasks.loaders import load_tasks
from tests.growth import assert_linear
from tests.intake.test_choices import AGENTS, ASKED, LONG, offered, planned, sheet, told
from tests.intake.test_tables import written

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")

HEAD = ["prompt", "agent", "report"]
RIGHT = {(a, q, t) for q, a, t in LONG}


def document(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("beside", ["Übersetzung", "draft", "answer 2", "Second opinion"])
def test_texts_beside_all_that_is_known_are_asked_about(tmp_path, beside):
    rows = [
        [q, a, t, f"It may be so or not, {a} says of it in {n} words."]
        for n, (q, a, t) in enumerate(LONG)
    ]
    path = sheet(tmp_path, [[*HEAD, beside], *rows])
    first = offered(path)[0]
    assert first.startswith("report=report")
    assert planned(path, first) == RIGHT


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        *(
            ("Review notes", "Well said {} but rather long for it."),
            ("gold", "It is {} by and large."),
        ),
        *(("sources", "https://example.org/{0} and https://example.org/{0}/b"), ("pages", "{}")),
        *(
            ("system told", "You answer with sources and in few words."),
            ("title", "What {} was asked"),
        ),
    ],
)
def test_what_its_name_or_itself_says_to_be_nothing_is_left(tmp_path, name, cell):
    rows = [[q, a, t, cell.format(ASKED.index(q))] for q, a, t in LONG]
    assert planned(sheet(tmp_path, [[*HEAD, name], *rows])) == RIGHT


def test_a_right_answer_under_a_known_name_is_not_taken_for_a_report(tmp_path):
    right = {q: f"It was {n}, says the atlas." for n, q in enumerate(ASKED)}
    rows = [{"question": q, "answer": right[q], "tern_v2": t} for q, _, t in LONG[::2]]
    assert "report=tern_v2" in offered(document(tmp_path / "a.json", rows))
    tried = {q: [{"model": a, "text": t} for p, a, t in LONG if p == q] for q in ASKED}
    nested = [{"question": q, "answer": right[q], "tried": tried[q]} for q in ASKED]
    assert offered(document(tmp_path / "b.json", nested))[:1] == ["sheet=tried,report=text"]


def test_the_same_prompt_in_all_rows_is_asked_about_where_others_differ(tmp_path):
    config = {"prompt": "You answer with sources.", "model": "tern"}
    rows = [{"config": config, "topic": q, "output": t} for q, _, t in LONG[::2]]
    path = document(tmp_path / "a.json", rows)
    assert any("prompt=topic" in each and "report=output" in each for each in offered(path))


@pytest.mark.parametrize("name", ["pipeline", "provider", "variant"])
def test_what_tells_answers_of_one_agent_apart_is_offered_before_their_order(tmp_path, name):
    rows = [[q, "m-5", a, t] for q, a, t in LONG]
    path = sheet(tmp_path, [["prompt", "model", name, "report"], *rows])
    assert offered(path)[:2] == [f"agent={name}", "sample=(order)"]
    assert planned(path, f"agent={name}") == RIGHT
    numbers = [
        {"prompt": q, "model": "m-5", name: AGENTS.index(a), "report": t} for q, a, t in LONG
    ]
    assert offered(document(tmp_path / "a.json", numbers))[0] == f"agent={name}"


def test_rows_that_are_none_of_an_answer_are_refused(tmp_path):
    for last in (["Mean", "", ""], ["All were asked again in May, as Ann noted", "", ""]):
        with pytest.raises(BadInput, match="is hardly a prompt"):
            planned(sheet(tmp_path, [HEAD, *map(list, LONG), last, ["Std. dev.", "", ""]]))


def test_a_prompt_with_a_picture_in_it_is_read_in_linear_time(tmp_path):
    def asked(size):
        seen = f"![](data:image/png;base64,{'x' * size})"
        return sheet(tmp_path, [HEAD, *([f"{seen} {q} Say it", a, t] for q, a, t in LONG)])

    assert_linear(planned, asked, 40_000)


@pytest.mark.parametrize("ending", ["csv", "json"])
@pytest.mark.parametrize(
    "nothing",
    [
        *("k. A.", "n.a.", "n/a", "timeout", "Error 429", "#N/A", "-", "无", "1."),
        "nicht verfügbar",
        *("ERROR: timeout", "Error code: 429 - {'error': {'message': 'Too many. Wait.'}}"),
    ],
)
def test_what_is_no_sentence_beside_long_reports_is_left_out_and_told(tmp_path, nothing, ending):
    rows = [[q, a, t if n else nothing] for n, (q, a, t) in enumerate(LONG)]
    path = sheet(tmp_path, [HEAD, *rows])
    if ending == "json":
        path = document(tmp_path / "a.json", [dict(zip(HEAD, e, strict=True)) for e in rows])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert planned(path) == RIGHT - {(LONG[0][1], *LONG[0][::2])}
    if ending == "json" or nothing.lower() not in ("n/a", "#n/a", "-"):
        assert any(f"{nothing!r} (tern, {path}#" in str(each.message) for each in told)
    short = [[q, a, f"It is {q}" if n else nothing] for n, (q, a, t) in enumerate(LONG)]
    found = planned(sheet(tmp_path, [HEAD, *short]))
    assert len(found) == len(LONG) - (nothing in ("n/a", "#N/A", "-"))


def test_short_answers_are_reports_also_beside_long_ones(tmp_path):
    for short in ("It could not be found.", "Nobody knows. See the (old) atlas"):
        rows = [[q, a, t if n else short] for n, (q, a, t) in enumerate(LONG)]
        assert len(planned(sheet(tmp_path, [HEAD, *rows]))) == len(LONG)
    own = [[q, "wren", f"{n} gulls"] for n, (q, _, _) in enumerate(LONG[::2])]
    rows = [*map(list, LONG), *own]
    assert len(planned(sheet(tmp_path, [HEAD, *rows]))) == len(rows)
    rows = [*map(list, LONG), *([q, "wren", "timeout"] for q, _, _ in LONG[::2])]
    assert planned(sheet(tmp_path, [HEAD, *rows])) == RIGHT


def test_a_word_with_which_all_titles_begin_is_asked_about(tmp_path):
    rows = [
        {"title": f"Prompted {q}", "model": "tern", "answer": f"<p>{t}</p>\n<p>So.</p>"}
        for q, _, t in LONG[::2]
    ]
    path = document(tmp_path / "a.json", rows)
    assert offered(path) == ["drop=Prompted ", "drop="]
    found = planned(path, "drop=Prompted ")
    assert {q for _, q, _ in found} == {*ASKED}
    assert all("<" not in text and text.endswith("So.\n") for _, _, text in found)
    assert {q for _, q, _ in planned(path, "drop=")} == {f"Prompted {q}" for q in ASKED}


def test_a_column_may_be_the_reference(tmp_path):
    path = sheet(
        tmp_path, [[*HEAD, "gold"], *([q, a, t, f"It is {ASKED.index(q)}."] for q, a, t in LONG)]
    )
    tasks = load_tasks(path, columns=NamedColumns.of("reference=gold"))
    assert [task.reference for task in tasks] == ["It is 0.", "It is 1.", "It is 2."]
    assert all(task.reference is None for task in load_tasks(path))


def test_answers_under_several_names_are_refused_where_no_row_has_two(tmp_path):
    rows = [
        {"prompt": q, "agent": a, "answer" if a == "tern" else "response": t} for q, a, t in LONG
    ]
    with pytest.raises(BadInput, match="'answer' and 'response' never stand in one row"):
        planned(document(tmp_path / "a.json", rows))


def test_remarks_above_a_table_and_several_documents_of_yaml_are_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("# kit 2.1, of May\n# host a\n" + written([HEAD, *LONG]))
    with pytest.warns(Notice, match="2 lines above the table are left out: '# kit"):
        assert planned(path) == RIGHT
    rows = [json.dumps(dict(zip(HEAD, row, strict=True))) + "\n" for row in LONG]
    (tmp_path / "a.yaml").write_text("---\n".join(rows))
    assert planned(tmp_path / "a.yaml") == RIGHT


# ------------------------------------------------------------------ folders


def reports_of(folder):
    return {(each.agent, each.task) for each in load_reports([folder])}


def put(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(told("tern", 1), encoding="utf-8")


def test_days_of_runs_are_no_agents(tmp_path):
    put(tmp_path, "tern/2026-05-01/t1.md", "auk/20260502/t1/report.md")
    assert reports_of(tmp_path) == {("tern", "t1"), ("auk", "t1")}


def test_folders_that_may_be_no_agents_are_asked_about(tmp_path):
    put(tmp_path, "tern/t1.md", "auk/t1.md", "gold/t1.md")
    with pytest.raises(BadInput, match="gold stands beside auk, tern") as caught:
        load_reports([tmp_path])
    assert "--columns sheet=auk,sheet=tern  (without gold)" in caught.value.remedy
    found = load_reports([tmp_path], columns=NamedColumns.of("sheet=auk,sheet=tern"))
    assert {each.agent for each in found} == {"auk", "tern"}


def test_a_folder_in_that_of_an_agent_is_refused(tmp_path):
    put(tmp_path, "tern/t1.md", "tern/old/t1.md")
    with pytest.raises(BadInput, match="old stands in another folder with reports"):
        load_reports([tmp_path])


def test_texts_are_not_read_as_prompts_and_as_reports(tmp_path):
    put(tmp_path, "t1.md", "t2.md")
    with pytest.raises(BadInput, match="The reports are the prompts themselves"):
        planned(tmp_path)


def test_what_programs_for_notes_keep_above_a_prompt_is_no_part_of_it(tmp_path):
    (tmp_path / "t1.md").write_text(f"---\ntags: [a]\ntitle: Coast\n---\n\n{ASKED[0]}\n")
    with pytest.warns(Notice, match=r"t1\.md: what stands above the prompt is left out"):
        assert [task.prompt for task in load_tasks(tmp_path)] == ASKED[:1]


def test_a_text_of_questions_and_answers_with_a_table_in_it_is_no_table(tmp_path):
    table = "| tool | price |\n|---|---|\n| tern | $20 |\n| auk | $22 |\n"
    said = [f"## {q}\n\n### {a}\n\n{t}\n" for q, a, t in LONG]
    path = tmp_path / "a.md"
    path.write_text("\n".join(["# All answers", table, *said]))
    with pytest.raises(BadInput, match="a text and no table of prompts") as caught:
        planned(path)
    assert "each task into a text file of its own" in caught.value.remedy
    for number, asked in enumerate(ASKED):
        (tmp_path / "tasks").mkdir(exist_ok=True)
        (tmp_path / "tasks" / f"q{number}.md").write_text(asked)
    for q, a, t in LONG:
        (tmp_path / "r" / a).mkdir(parents=True, exist_ok=True)
        (tmp_path / "r" / a / f"q{ASKED.index(q)}.md").write_text(t)
    assert planned(tmp_path / "tasks", reports=tmp_path / "r") == RIGHT


def test_what_neither_tasks_nor_reports_use_is_told_once(tmp_path):
    rows = [[q, a, t, "easy", f"{n}.5"] for n, (q, a, t) in enumerate(LONG)]
    path = sheet(tmp_path, [[*HEAD, "effort", "took"], *rows])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert planned(path) == RIGHT
    told_of = [str(each.message) for each in caught if "not used" in str(each.message)]
    assert [each.rpartition("a.csv")[2] for each in told_of] == [": not used: 'took'."]


def test_lists_of_what_was_found_are_no_answers(tmp_path):
    found = ["It says that the storms came late.", "Another text says that of the gulls."]
    name = "retrieved_contexts"
    rows = [{"prompt": q, "agent": a, "response": t, name: [f"{n} {x}" for x in found]}
            for n, (q, a, t) in enumerate(LONG)]  # fmt: skip
    assert planned(document(tmp_path / "a.json", rows)) == RIGHT
    table = [[*{**each, name: repr(each[name])}.values()] for each in rows]
    assert planned(sheet(tmp_path, [[*rows[0]], *table])) == RIGHT


@pytest.mark.parametrize("label", ["label", "name"])
def test_the_name_that_people_gave_to_an_agent_is_taken_before_its_identifier(tmp_path, label):
    rows = [{"prompt": q, "response": t, "provider": {"id": f"exec:{a}.py", label: a}}
            for q, a, t in LONG]  # fmt: skip
    assert planned(document(tmp_path / "a.json", rows)) == RIGHT


def test_a_page_without_a_text_is_no_report(tmp_path):
    for n, (q, a, t) in enumerate(LONG):
        text = "" if n == 1 else t
        (tmp_path / f"{n}.md").write_text(f"---\nquestion: {q}\nmodel: {a}\n---\n{text}\n")
    assert planned(tmp_path) == {(a, q, t) for n, (q, a, t) in enumerate(LONG) if n != 1}


@pytest.mark.parametrize("other", ["Diary/q1.md", "Index.md", "Diary/2026-10-12.md"])
def test_a_text_without_the_fields_of_all_others_is_left_out_with_a_word(tmp_path, other):
    for n, (q, a, t) in enumerate(LONG):
        above = f"---\nid: q{ASKED.index(q)}\nquestion: {q}\nmodel: {a}\ndate: 2026-10-1{n}\n---\n"
        path = tmp_path / "v" / "Reports" / f"{n} {a}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{above}{t}\n")
    (tmp_path / "v" / other).parent.mkdir(exist_ok=True)
    (tmp_path / "v" / other).write_text("- [x] asked q1 to q3, and slept well.")
    with pytest.warns(
        Notice,
        match=f"{other.rpartition('/')[2]}: left out, as 6 texts in other folders have fields",
    ):
        assert planned(tmp_path / "v") == RIGHT
