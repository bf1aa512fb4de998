"""Folders of texts, notes and pages with fields above them: what is asked, and what is read."""

import warnings
from collections import Counter

import pytest

from deepassay.errors import BadInput, BadTasks, Notice
from deepassay.intake.choices import choices_in
from deepassay.intake.columns import NamedColumns, option
from deepassay.reports.files import HERE
from deepassay.reports.loaders import load_reports
from deepassay.run.asking.joining import join
from deepassay.run.asking.reading_inputs import read_both
from deepassay.run.settings import Settings
from tests.intake.test_choices import (
    AGENTS,
    ASKED,
    LONG,
    offered,
    planned,
    sheet,
    told,
    written,
)

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")

RIGHT = {(a, q, t) for q, a, t in LONG}


def test_fields_above_notes_say_what_was_asked_and_who_answered(tmp_path):
    folder = tmp_path / "vault"
    folder.mkdir()
    for number, (q, a, t) in enumerate(LONG):
        above = f'---\nquestion: "{q}"\nmodel: {a}\ntags: [pilot, {number}]\n---\n'
        (folder / f"{number}.md").write_text(f"{above}\n{t}\n", encoding="utf-8")
    assert planned(folder) == RIGHT
    for each in folder.iterdir():
        each.write_text(each.read_text().replace("model:", "written-by:"))
    assert "agent=written-by" in offered(folder)


@pytest.mark.parametrize("line", ["{}: {}", "- {}:: {}", "**{}:** {}"])
def test_pages_with_their_properties_win_over_the_table_that_lists_them(tmp_path, line):
    fields = [
        {"Agent": a, "Task": q, "Status": "Done", "Created": f"April {n}, 2026 10:12 AM"}
        for n, (q, a, _) in enumerate(LONG, 1)
    ]
    table = written([["Name", *fields[0]], *([f"R{n}", *e.values()] for n, e in enumerate(fields))])
    pages = tmp_path / "Runs"
    pages.mkdir()
    for name in ("Runs 9f2c.csv", "Runs 9f2c_all.csv"):
        (tmp_path / name).write_text(table)
    for n, (above, (_, _, text)) in enumerate(zip(fields, LONG, strict=True)):
        lines = "\n".join(line.format(*pair) for pair in above.items())
        (pages / f"R{n} 77ab.md").write_text(f"# R{n}\n\n{lines}\n\n{text}\n")
    assert planned(tmp_path, "drop=") == RIGHT
    empty = next(pages.iterdir())
    text = next(t for (q, a, t) in LONG if t in empty.read_text())
    empty.write_text(empty.read_text().partition(text)[0].rstrip())
    with pytest.warns(Notice, match=f"1 of {len(LONG)} notes has no text below the fields"):
        assert {t for _, _, t in planned(tmp_path, "drop=")} == {t for _, _, t in LONG} - {text}


def test_a_folder_in_which_only_some_have_their_prompt_is_refused_by_name(tmp_path):
    for task in ("storms", "gulls", "tides"):
        for agent in AGENTS:
            (tmp_path / f"{task}_{agent}.md").write_text(told(agent, task))
        if task != "tides":
            (tmp_path / f"{task}_prompt.txt").write_text(f"Why {task}?")
    with pytest.raises(BadTasks, match="no file says what tides_auk, tides_tern was asked"):
        planned(tmp_path)


def test_of_several_files_in_each_folder_one_can_be_chosen(tmp_path):
    for q, a, t in LONG:
        folder = tmp_path / "w" / a / f"q{ASKED.index(q) + 1}"
        folder.mkdir(parents=True)
        for name, text in (("final.md", t), ("draft.md", t[:150]), ("log.txt", "ok")):
            (folder / name).write_text(text)
    tasks = sheet(tmp_path, [["id", "prompt"], *([f"q{n}", q] for n, q in enumerate(ASKED, 1))])
    lines = offered(tasks, tmp_path / "w")
    assert "sheet=**/final.md" in lines
    assert planned(tasks, "sheet=**/final.md", tmp_path / "w") == RIGHT


@pytest.mark.parametrize("name", ["{}_of it", "{}--x", "Q{} final"])
def test_names_that_begin_with_the_number_of_a_prompt_are_joined(tmp_path, name):
    (tmp_path / "tasks.txt").write_text("\n".join(ASKED))
    for q, a, t in LONG:
        (tmp_path / "r" / a).mkdir(parents=True, exist_ok=True)
        (tmp_path / "r" / a / f"{name.format(ASKED.index(q) + 1)}.md").write_text(t)
    assert planned(tmp_path / "tasks.txt", reports=tmp_path / "r") == RIGHT


def test_which_of_two_texts_in_each_folder_is_the_report_is_asked_with_it_first(tmp_path):
    for q, a, t in LONG:
        folder = tmp_path / "runs" / f"task{ASKED.index(q)}" / a
        folder.mkdir(parents=True)
        (folder.parent / "prompt.txt").write_text(q)
        (folder / "final_report.md").write_text(t)
        (folder / "outline.md").write_text(f"Outline of {a}. {t[:90]}")
    first, *_ = offered(tmp_path / "runs")
    assert first == "sheet=**/final_report.md"
    with pytest.raises(BadInput, match=r"\(3 tasks, 12 reports of auk, tern\)"):  # named once
        planned(tmp_path / "runs")
    assert planned(tmp_path / "runs", first) == RIGHT


def test_fields_above_a_report_are_no_part_of_it(tmp_path):
    for q, a, t in LONG:
        folder = tmp_path / "v" / f"{ASKED.index(q) + 1} birds"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "Prompt.md").write_text(q)
        (folder / f"{a}.md").write_text(f"---\nagent: {a}\ntags:\n  - deep\n---\n\n{t}\n")
    with pytest.warns(Notice, match="between lines --- above texts"):
        assert planned(tmp_path / "v") == RIGHT


def test_folders_that_begin_with_the_number_of_a_prompt_hold_a_file_of_each_agent(tmp_path):
    (tmp_path / "questions.txt").write_text("\n".join(ASKED))
    for q, a, t in LONG:
        folder = tmp_path / "r" / f"0{ASKED.index(q) + 1} birds"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{a}.md").write_text(t)
    assert planned(tmp_path / "questions.txt", reports=tmp_path / "r") == RIGHT


def test_an_agent_whose_files_are_named_otherwise_is_not_lost(tmp_path):
    names = {"tern": "dr{}.md", "auk": "task-{}_final.md"}
    for q, a, t in LONG:
        path = tmp_path / "r" / a / names[a].format(ASKED.index(q) + 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(t)
    tasks = sheet(tmp_path, [["id", "prompt"], *([f"DR-00{n}", q] for n, q in enumerate(ASKED, 1))])
    assert planned(tasks, reports=tmp_path / "r") == RIGHT


def test_folders_of_tasks_may_be_of_some_of_the_tasks(tmp_path):
    for q, a, t in LONG[:4]:
        folder = tmp_path / "r" / f"q{ASKED.index(q) + 1}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{a}.md").write_text(t)
    tasks = sheet(tmp_path, [["id", "prompt"], *([f"q{n}", q] for n, q in enumerate(ASKED, 1))])
    assert planned(tasks, reports=tmp_path / "r") == {(a, q, t) for q, a, t in LONG[:4]}


def test_of_fields_that_stand_above_all_texts_one_may_say_what_was_asked(tmp_path):
    for n, (q, a, text) in enumerate(LONG):
        above = f"Owner: Maya\nTool: {a}\nAssignment: {q}\nUpdated: 3 April 2026"
        (tmp_path / f"page-{n}.md").write_text(f"# Page {n}\n\n{above}\n\n{text}\n")
    with pytest.raises(BadInput, match="reports are the prompts themselves") as caught:
        planned(tmp_path)
    assert "--columns prompt=Assignment  (3 tasks, 6 reports of auk, tern" in caught.value.remedy
    assert planned(tmp_path, "prompt=Assignment") == RIGHT


def test_a_page_whose_field_is_no_sentence_is_a_note_beside_others(tmp_path):
    for n, (q, a, text) in enumerate(LONG):
        asked = q.rstrip("?") if q == ASKED[1] else q
        (tmp_path / f"{n}.md").write_text(f"# {n}\n\nTask: {asked}\nAgent: {a}\n\n{text}\n")
    found = planned(tmp_path, "drop=")
    assert {(a, t) for a, _, t in found} == {(a, t) for _, a, t in LONG}
    assert len({q for _, q, _ in found}) == len(ASKED)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("<h1>504 Gateway Time-out</h1><p>nginx</p>", "Left out, as no sentences"),
        ("<p>It is 42.</p><p>nginx</p>", ""),
        ("", ""),
    ],
)
def test_what_a_server_said_is_no_report_and_a_page_of_no_bytes_an_empty_one(tmp_path, said, told):
    for name, text in (("T1", "<p>It is so. " * 40), ("T2", "<p>It depends. " * 40), ("T3", said)):
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    with warnings.catch_warnings(record=True) as notices:
        warnings.simplefilter("always")
        found = {each.task: each.text for each in load_reports([tmp_path])}
    assert [str(each.message)[:25] for each in notices] == [told] * bool(told)
    assert found.keys() == ({"T1", "T2"} if told else {"T1", "T2", "T3"})
    assert told or bool(found["T3"].strip()) is bool(said)


def folders_of_tasks(place, *, asked="Auftrag.txt"):
    """Three folders of tasks with reports of two agents, of whom one lacks one; and two notes."""
    for at, (name, question) in enumerate(
        {"01 Bees": "swarm", "02 Gulls": "nest", "03": "x"}.items()
    ):
        folder = place / name
        folder.mkdir(parents=True)
        (folder / asked).write_text(f"Why do some of them {question} in May?", encoding="utf-8")
        for agent in ("heron", "tern", "auk")[: 2 if at == 1 else 3]:
            (folder / f"{agent}.md").write_text(f"{agent} says of {name}. " * 40, "utf-8")
        if at < 2:
            (folder / "Notizen.txt").write_text("The link leads nowhere.", encoding="utf-8")
    return place


@pytest.mark.parametrize("asked", ["Auftrag.txt", "prompt.txt", "Auftrag.md"])
def test_short_questions_in_each_folder_were_asked_and_notes_in_some_are_asked_about(
    tmp_path, asked
):
    folder = folders_of_tasks(tmp_path / "given", asked=asked)
    every = ["sheet=*/auk.md", "sheet=*/heron.md", "sheet=*/tern.md"]
    with pytest.raises(BadInput, match=r"Notizen\.txt stands beside") as caught:
        read_both(folder, [folder], Settings(), NamedColumns(), HERE)
    without, also = (option(way.said) for way in choices_in(caught.value))
    assert without == f"--columns '{','.join(every)}'"
    assert also == f"--columns '{','.join([*every, 'sheet=*/Notizen.txt'])}'"
    said = choices_in(caught.value)[0].said
    known, lost = join(*read_both(folder, [folder], Settings(), NamedColumns(said), HERE))
    assert not lost
    assert Counter(each.agent for each in known) == {"heron": 3, "tern": 3, "auk": 2}
