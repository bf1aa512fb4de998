"""Where a table may be read in several ways: none is taken, and each is offered whole."""

import json
import shlex
import warnings
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadInput, Notice
from deepassay.files import BadFile
from deepassay.intake.choices import Unclear, choices_in
from deepassay.intake.columns import NamedColumns, option
from deepassay.intake.heads import is_head
from deepassay.intake.rows import InputRow
from deepassay.intake.searching import find_table
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.tasks.loaders import load_tasks
from tests.intake.test_tables import workbook, written

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")

ASKED = [
    f"What did the {each} bring to the coast in spring?" for each in ("storms", "gulls", "tides")
]
AGENTS = ("tern", "auk")
NEEDED = (("report",), ("prompt", "id"))


def told(agent, number):
    return f"It is not settled, says {agent} of question {number}; three studies disagree [1]." * 5


LONG = [(asked, agent, told(agent, n)) for n, asked in enumerate(ASKED) for agent in AGENTS]


def planned(given, said=None, reports=None):
    """Agent, prompt and text of all reports."""
    settings = Settings(columns=said, judge=("offline",))
    plan = plan_of(given, [reports or given], settings)
    return {(each.agent, plan.tasks[each.task].prompt, each.text) for each in plan.reports}


def offered(given, reports=None):
    """What is offered for `--columns`, in its order."""
    with pytest.raises(BadInput) as caught:
        planned(given, reports=reports)
    lines = [line for line in caught.value.remedy.split("\n") if "--columns" in line]
    return [shlex.split(line[line.index("--columns") :])[1] for line in lines]


def sheet(folder, rows, name="a.csv"):
    path = folder / name
    path.write_text(written(rows), encoding="utf-8")
    return path


# ------------------------------------------------------------------ of any table

WORDS = st.text("bcdfghklmnprtvwz", min_size=3, max_size=9).filter(lambda word: not is_head(word))
"""Heads that mean nothing."""


@st.composite
def tables(draw, known=()):
    """Rows of prompts, agents and reports in any order of columns, and what each is called."""
    parts = [
        "prompt",
        "agent",
        "report",
        *draw(st.lists(st.sampled_from("abc"), max_size=2, unique=True)),
    ]
    words = draw(st.lists(WORDS, min_size=len(parts), max_size=len(parts), unique=True))
    heads = {p: p if p in known else word for p, word in zip(parts, words, strict=True)}
    order = draw(st.permutations(parts))
    aside = {"a": lambda n: str(n % 2), "b": lambda n: f"2026-05-0{n + 1}", "c": lambda n: f"x{n}"}
    rows = [
        {
            heads[part]: dict(zip(parts, row, strict=False)).get(part) or aside[part](n)
            for part in order
        }
        for n, row in enumerate(LONG)
    ]
    return [InputRow(f"t, line {n}", row, flat=True) for n, row in enumerate(rows, 2)], heads


@settings(max_examples=60, deadline=None)
@given(tables())
def test_a_table_whose_heads_mean_nothing_is_asked_about_in_one_round(table):
    rows, heads = table
    with pytest.raises(Unclear) as caught:
        find_table(rows, NamedColumns(), NEEDED, "t")
    right = {(part, heads[part]) for part in ("prompt", "report", "agent")}
    assert {*caught.value.choices[0].said} == right
    for choice in caught.value.choices[:6]:
        _, found = find_table(rows, NamedColumns(choice.said), NEEDED, "t")
        assert {*found.report} == {name for part, name in choice.said if part == "report"}


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sets(st.sampled_from(["prompt", "report", "agent"]), min_size=1))
def test_what_is_known_is_taken_and_the_rest_asked_about(data, known):
    rows, heads = data.draw(tables(known))
    said = ()
    if len(known) < 3:
        with pytest.raises(Unclear) as caught:
            find_table(rows, NamedColumns(), NEEDED, "t")
        said = caught.value.choices[0].said
        assert {*said} == {(p, heads[p]) for p in ("prompt", "report", "agent") if p not in known}
    _, found = find_table(rows, NamedColumns(said), NEEDED, "t")
    assert (found.prompt, found.report, found.agent) == (
        heads["prompt"], (heads["report"],), heads["agent"],
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=3, max_size=5, unique=True), st.booleans())
def test_columns_of_texts_are_never_taken_for_agents_by_themselves(words, asked):
    heads = ["prompt" if asked else words[0], *words[1:]]
    rows = [
        InputRow(
            f"t, line {n}", dict(zip(heads, [q, *(told(w, n) for w in words[1:])], strict=True))
        )
        for n, q in enumerate(ASKED)
    ]
    with pytest.raises(Unclear) as caught:
        find_table(rows, NamedColumns(), NEEDED, "t")
    first = caught.value.choices[0].said
    assert [name for part, name in first if part == "report"] == words[1:]
    assert asked or ("prompt", words[0]) in first


# ------------------------------------------------------------------ who wrote them


def test_a_column_of_names_is_asked_about_and_a_label_is_not(tmp_path):
    rows = [[q, t, a] for q, a, t in LONG[::2]]
    one = sheet(tmp_path, [["prompt", "answer", "Kategorie"], *rows])
    with pytest.warns(Notice, match="no column is known as the agent, which is called 'a' after"):
        assert {agent for agent, _, _ in planned(one)} == {"a"}
    rows[0][2] = "auk"
    other = sheet(tmp_path, [["prompt", "answer", "Vogel"], *rows])
    assert offered(other) == ["agent=", "agent=Vogel"]
    assert {agent for agent, _, _ in planned(other, "agent=")} == {"a"}
    assert {agent for agent, _, _ in planned(other, "agent=Vogel")} == {*AGENTS}


def test_texts_beside_the_reports_may_be_those_of_another_agent(tmp_path):
    rows = [[q, told("tern", n), told("auk", n)] for n, q in enumerate(ASKED)]
    path = sheet(tmp_path, [["prompt", "answer", "Auk"], *rows])
    assert offered(path)[:2] == ["report=answer", "report=answer,report=Auk"]
    assert len(planned(path, "report=answer,report=Auk")) == 6
    comments = sheet(tmp_path, [["prompt", "answer", "comments"], *rows])
    assert len(planned(comments)) == 3


EACH = "report=Tern,report=Auk,report=Owl"


@pytest.mark.parametrize("times", [(1, 4, 9), (20, 1, 2), (1, 30, 1)])
@pytest.mark.parametrize("between", ["\n\n", " "])
def test_agents_of_which_one_writes_far_more_may_be_an_agent_each(tmp_path, times, between):
    heads, rows = ["Frage", "Tern", "Auk", "Owl"], []
    for n, asked in enumerate(ASKED):
        texts = [between.join([told(head, n)] * (2 * many))
                 for head, many in zip(heads[1:], times, strict=True)]  # fmt: skip
        rows.append([asked, *texts])
    path = sheet(tmp_path, [heads, *rows])
    ways = offered(path)
    if between.strip(" "):  # several paragraphs are a report
        assert ways[0] == EACH
    assert EACH in ways[:3]
    assert len(planned(path, EACH)) == 9
    remarks = [[*heads, "Kommentar"], *([*row, told("I", n)] for n, row in enumerate(rows))]
    assert EACH in offered(sheet(tmp_path, remarks, "b.csv"))[:3]


@pytest.mark.parametrize("short", ["Not bad.", "Too long, and the third part is off topic."])
def test_short_texts_beside_long_ones_are_no_agent_each(tmp_path, short):
    rows = [[q, told("tern", n) * 9, f"{short} {n}"] for n, q in enumerate(ASKED)]
    ways = offered(sheet(tmp_path, [["Frage", "Tern", "Sicht"], *rows]))
    assert ways and not any(way.count("report=") > 1 for way in ways)


@pytest.mark.parametrize("right", ["Musterlösung", "参考答案", "Respuesta esperada", "Ideal text"])
def test_an_answer_that_is_expected_is_asked_about_as_such(tmp_path, right):
    rows = [[q, told("x", n), told("tern", n), told("auk", n)] for n, q in enumerate(ASKED)]
    path = sheet(tmp_path, [["prompt", right, "Tern", "Auk"], *rows])
    first, second, *_ = offered(path)
    assert (first, second) == ("report=Tern,report=Auk", f"report={right},report=Tern,report=Auk")
    with pytest.raises(BadInput, match=f"'{right}': what is expected"):
        planned(path)


def test_the_model_of_a_batch_is_the_agent(tmp_path):
    asked = [{"custom_id": f"t{n}", "body": {"messages": [{"role": "user", "content": q}]}}
             for n, q in enumerate(ASKED)]  # fmt: skip
    given = [
        {"id": "b", "custom_id": f"t{n}", "response": {"body": {
            "model": "tern-2", "object": "chat.completion",
            "choices": [{"message": {"role": "assistant", "content": told("tern", n)}}]}}}
        for n in range(3)
    ]  # fmt: skip
    for name, rows in (("in.jsonl", asked), ("out.jsonl", given)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
    found = planned(tmp_path / "in.jsonl", reports=tmp_path / "out.jsonl")
    assert {agent for agent, _, _ in found} == {"tern-2"}


def test_a_row_of_sums_or_a_group_does_not_hide_who_wrote_the_reports(tmp_path):
    rows = [["question", "Vogel", "answer", "n"], *([q, a, t, 1] for q, a, t in LONG)]
    summed = sheet(tmp_path, [*rows, ["Average", "", "", 1]])
    assert planned(summed, offered(summed)[0]) == {(a, q, t) for q, a, t in LONG}
    for row in rows[2::2]:
        row[0] = ""
    grouped = sheet(tmp_path, rows)
    assert offered(grouped)[0] == "agent=Vogel"
    assert planned(grouped, "agent=Vogel") == {(a, q, t) for q, a, t in LONG}


def test_of_two_names_of_models_in_tasks_nothing_is_asked(tmp_path):
    rows = [["prompt", "model", "system"], *([q, "a", "b"] for q in ASKED)]
    assert [task.prompt for task in load_tasks(sheet(tmp_path, rows))] == ASKED


# ------------------------------------------------------------------ several files and tables


def test_what_is_open_in_tasks_and_reports_is_asked_about_at_once(tmp_path):
    tasks = sheet(tmp_path, [["Réf.", "Consigne"], *enumerate(ASKED)], "t.csv")
    rows = [["Tâche", "assistant", "rapport"], *([ASKED.index(q), a, t] for q, a, t in LONG)]
    reports = sheet(tmp_path, rows, "r.csv")
    first = offered(tasks, reports)[0]
    assert first == "prompt=Consigne,id=Tâche"
    assert planned(tasks, first, reports) == {(a, q, t) for q, a, t in LONG}


def test_sheets_with_other_heads_are_read_together_if_people_say_so(tmp_path):
    pytest.importorskip("python_calamine")
    sheets = {
        "Tern": [["Frage", "Antwort"], *([q, t] for q, _, t in LONG[::2])],
        "Auk": [["Frage", "Was es schrieb"], *([q, t] for q, _, t in LONG[1::2])],
    }
    path = workbook(tmp_path / "a.xlsx", sheets)
    first, alone = offered(path)
    assert (first, alone) == ("report=Was es schrieb,agent=(sheet)", "sheet=Tern")
    assert planned(path, first) == {(a.title(), q, t) for q, a, t in LONG}
    assert planned(path, alone) == {("a", q, t) for q, _, t in LONG[::2]}


def archive(path, members):
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in members.items():
            packed.writestr(name, text)
    return path


def test_of_several_tables_in_an_archive_it_is_asked_which_is_meant(tmp_path):
    one = {
        a: written([["question", "answer"], *([q, t] for q, b, t in LONG if a == b)])
        for a in AGENTS
    }
    path = archive(tmp_path / "a.zip", {f"{a}.csv": text for a, text in one.items()})
    together, first, second = offered(path)  # else one agent would answer twice
    assert (together, first, second) == (
        "sheet=auk.csv,sheet=tern.csv", "sheet=auk.csv", "sheet=tern.csv",
    )  # fmt: skip
    assert planned(path, together) == {(a, q, t) for q, a, t in LONG}
    assert {agent for agent, _, _ in planned(path, second)} == {"tern"}
    parts = {f"p{n}.csv": written([["question", "answer"], [q, t]])
             for n, (q, _, t) in enumerate(LONG[::2])}  # fmt: skip
    path = archive(tmp_path / "parts.zip", parts)
    assert len({agent for agent, _, _ in planned(path, offered(path)[1])}) == 1


def test_tasks_among_the_folders_of_agents_are_what_was_asked(tmp_path):
    members = {f"all/{a}/{ASKED.index(q)}.md": t for q, a, t in LONG}
    tasks = "\n".join(json.dumps({"id": n, "prompt": q}) for n, q in enumerate(ASKED))
    path = archive(tmp_path / "a.zip", {"all/tasks.jsonl": tasks, **members})
    with pytest.warns(Notice, match=r"a\.zip.*tasks\.jsonl is taken for what was asked") as warned:
        assert planned(path) == {(a, q, t) for q, a, t in LONG}
    assert not any("deepassay-" in str(each.message) for each in warned)


def test_of_an_export_of_chats_the_chats_are_read_and_nothing_beside(tmp_path):
    chats = [
        {"uuid": f"u{n}", "chat_messages": [
            {"sender": "human", "text": q}, {"sender": "assistant", "text": told("x", n)}]}
        for n, q in enumerate(ASKED)
    ]  # fmt: skip
    beside = {"chat.html": "<p>Chats that are shown.</p>", "user.json": "{}"}
    path = archive(tmp_path / "a.zip", {"conversations.json": json.dumps(chats), **beside})
    with pytest.warns(Notice, match=r"2 files \(chat\.html, user\.json\) are left out beside"):
        assert {q for _, q, _ in planned(path)} == {*ASKED}


def test_answers_in_a_list_of_each_prompt_are_read_by_its_name(tmp_path):
    path = tmp_path / "a.json"
    rows = [
        {"pregunta": q, "respuestas": [{"agente": a, "texto": t} for p, a, t in LONG if p == q]}
        for q in ASKED
    ]
    path.write_text(json.dumps(rows))
    assert planned(path) == {(a, q, t) for q, a, t in LONG}
    rows = [{"pregunta": each["pregunta"], "x": each["respuestas"]} for each in rows]
    path.write_text(json.dumps(rows).replace("agente", "quién").replace("texto", "dijo"))
    assert planned(path, offered(path)[0]) == {(a, q, t) for q, a, t in LONG}


# ------------------------------------------------------------------ how tables lie


def test_a_prompt_that_stands_once_for_a_group_of_agents_is_theirs(tmp_path):
    rows = [[q if a == "tern" else "", a, t] for q, a, t in LONG]
    path = sheet(tmp_path, [["question", "agent", "answer"], *rows])
    with pytest.warns(Notice, match="3 rows without a prompt have that of the row above"):
        assert planned(path) == {(a, q, t) for q, a, t in LONG}
    rows[3][1] = "tern"  # twice below one prompt: it may be another's
    with pytest.raises(BadInput, match="the prompt is missing"):
        planned(sheet(tmp_path, [["question", "agent", "answer"], *rows]))


def test_a_second_head_is_none_of_the_rows(tmp_path):
    head = ["question", "agent", "answer"]
    path = sheet(tmp_path, [head, *([q, a, t] for q, a, t in LONG[:2]), head, *map(list, LONG[2:])])
    with pytest.warns(Notice, match=r"a\.csv, line 4: the same head again"):
        assert planned(path) == {(a, q, t) for q, a, t in LONG}
    other = sheet(
        tmp_path, [head, *map(list, LONG), ["model", "prompt", "report"], *map(list, LONG)]
    )
    with pytest.raises(BadInput, match="another table seems to begin: 'model', 'prompt', 'report'"):
        planned(other)


def test_choices_are_found_however_an_error_was_passed_on():
    try:
        try:
            raise Unclear("t: which?", [])
        except BadFile as error:
            raise BadInput("said again") from error
    except BadInput as last:
        assert choices_in(last) == ()
    assert choices_in(None) == choices_in(BadFile("a", "b")) == ()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not choices_in(BadInput("x"))


def test_an_apostrophe_is_quoted_as_every_shell_reads_it():
    assert option([("report", "GPT's answer")]) == '--columns "report=GPT\'s answer"'
    dear = [("report", "GPT's $5")]
    assert shlex.split(option(dear)) == ["--columns", "report=GPT's $5"]
