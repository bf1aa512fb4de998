"""Which report answers which task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.errors import BadReports, Notice
from deepassay.intake.columns import NamedColumns
from deepassay.intake.rows import made_id
from deepassay.reports.report import Report
from deepassay.run.asking.joining import join, join_reports
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task

TASKS = (
    Task(id="1", prompt="Why do terraces overheat?"),
    Task(id="2", prompt="What changed between {{last_year}} and {{date}} in Rennes?"),
)


def report(task, prompt=None):
    return Report("# Text", agent="heron", task=task, path="heron.jsonl", prompt=prompt)


def test_reports_are_joined_by_identifier_and_the_others_are_left_out():
    known, unmatched = join(TASKS, [report("2"), report("9"), report("1")])
    assert [each.task for each in known] == ["2", "1"]
    assert [each.task for each in unmatched] == ["9"]


def test_an_ending_of_a_file_is_no_part_of_an_identifier():
    tasks = [Task(id=name, prompt=f"Why {name}?") for name in ("001.md", "a.md", "a.txt", "v1.5")]
    given = [report("001"), report("a.md"), report("v1.5.html"), report("v1")]
    with pytest.warns(Notice, match=r"2 identifiers joined .*: 001 to 001\.md, v1\.5\.html to"):
        known, unmatched = join(tasks, given)
    assert [each.task for each in known] == ["001.md", "a.md", "v1.5"]
    assert [each.task for each in unmatched] == ["v1"]
    with pytest.raises(BadReports, match="No report answers any"):
        join(tasks, [report("a")])


def test_tasks_whose_identifiers_are_made_are_shown_with_their_prompts():
    tasks = [Task(id=made_id("Why so?"), prompt="Why so?")]
    with pytest.raises(BadReports, match=r"the tasks p-\w{10} \('Why so\?'\)") as caught:
        join(tasks, [report("why")])
    assert "number the files in the order of the prompts" in caught.value.remedy
    with pytest.raises(BadReports) as caught:
        join(TASKS, [report("why")])
    assert "number the files" not in caught.value.remedy


def test_most_reports_for_no_task_are_an_error_unless_the_tasks_are_a_part_of_a_set():
    whole = [report(name) for name in "12345"]
    known, unmatched = join(TASKS, whole)
    assert (len(known), len(unmatched)) == (2, 3)
    with pytest.raises(BadReports, match=r"3 of 4 reports found no tasks: heron on 3: there is no"):
        join(TASKS, whole[1:])


@given(st.sets(st.tuples(st.sampled_from("ab"), st.sampled_from("123456")), min_size=1))
def test_reports_are_matched_or_left_out_and_most_left_out_is_an_error(places):
    reports = [Report("# Text", agent, task) for agent, task in sorted(places)]
    found = sum(task in "12" for _, task in places)
    every = found == 2 * len({agent for agent, _ in places})
    if not found or (2 * found < len(places) and not every):
        with pytest.raises(BadReports):
            join(TASKS, reports)
        return
    known, unmatched = join(TASKS, reports)
    counted = join_reports(TASKS[:1], known, unmatched)
    assert (counted.came, counted.matched) == (len(places), found)
    assert counted.used == sum(task == "1" for _, task in places)


@pytest.mark.parametrize(
    ("task", "prompt"),
    [
        ("1", "Why do terraces overheat?"),
        ("1", " Why do\nterraces  overheat? "),
        ("2", "What changed between 2025 and November 20, 2026 in Rennes?"),
        ("2", "What changed between {{last_year}} and {{date}} in Rennes?"),
    ],
)
def test_the_prompt_of_a_report_may_differ_in_blanks_and_dates(task, prompt):
    known, _ = join(TASKS, [report(task, prompt)])
    assert len(known) == 1


@given(st.lists(st.sampled_from(["{{date}}", "{{ last_year }}", "{{", "a", "b", "\u3000", "\n"])))
def test_a_prompt_fits_itself_dates_left_open_with_blanks_added_or_not(pieces):
    prompt = "".join(["?", *pieces])
    for said in (prompt, f" {prompt} "):
        known, _ = join([Task(id="1", prompt=prompt)], [report("1", said)])
        assert len(known) == 1


@pytest.mark.parametrize(
    ("task", "prompt"),
    [
        ("1", "Why do terraces collapse?"),
        ("2", "What changed between 2025 and 2026 in Lyon?"),
        ("2", "What changed in Rennes?"),
    ],
)
def test_a_report_for_another_prompt_is_refused(task, prompt):
    with pytest.raises(BadReports, match=f"another prompt than task {task}"):
        join(TASKS, [report(task, prompt)])


def test_when_no_report_fits_the_message_shows_both_kinds_of_names():
    with pytest.raises(BadReports, match=r"named 7 …, the tasks 1, 2"):
        join(TASKS, [report("7")])


def test_a_report_that_was_numbered_otherwise_is_joined_by_its_prompt():
    known, unmatched = join(TASKS, [report("7", "Why do terraces overheat?")])
    assert [each.task for each in known] == ["1"]
    with pytest.warns(Notice, match="1 report joined by prompt, .*: 2 to 1"):
        known, _ = join(TASKS, [report("2", "Why do  terraces overheat?")])
    assert [each.task for each in known] == ["1"]
    assert not unmatched


def titled(name, agent="heron", path=None):
    return Report("# Text", agent, name, path=path)


NAMED = [Task(id="q1", prompt="Why do terraces overheat?"), Task(id="q2", prompt="How do mills?")]
PLAIN = [Task(id=made_id(each.prompt), prompt=each.prompt) for each in NAMED]


@pytest.mark.parametrize(
    ("tasks", "reports", "how"),
    [
        (NAMED, [titled("Q1.md"), titled(" q-02")], "written differently: Q1.md to q1"),
        (
            [Task(id=each, prompt=each) for each in ("1", "2")],
            [titled("01"), titled("2.0")],
            "2 identifiers joined though written differently",
        ),
        (PLAIN, [titled("01"), titled("02")], "the numbers of the prompts, in their order"),
        (PLAIN, [titled("why-do-terraces-overheat"), titled("How do mills")], "named as their"),
        (NAMED, [titled("cedar", "q1"), titled("cedar", "q2")], "folders are named after tasks"),
        (NAMED, [titled("1"), titled("02")], "have one number in common"),
        (NAMED, [titled("cedar_q1"), titled("q2_cedar")], "named after agent and task"),
        (
            NAMED,
            [titled("text", each, f"runs/cedar/{each}/text.md") for each in ("1_q1", "q2-mills")],
            None,
        ),
    ],
)
def test_names_that_are_written_otherwise_are_joined_and_told_of(tasks, reports, how):
    if how is None:  # of one of the folders no task is known
        with pytest.raises(BadReports, match="No report answers any of the tasks"):
            join(tasks, reports)
        return
    with pytest.warns(Notice, match=how):
        known, unmatched = join(tasks, reports)
    assert [each.task for each in known] == [task.id for task in tasks]
    assert {each.agent for each in known} <= {"heron", "cedar"}
    assert not unmatched


def test_the_number_of_a_task_is_the_one_that_all_names_write_alike():
    tasks = [Task(id=str(n), prompt=f"Why is {n} a number?") for n in range(1, 6)]
    agents = ("Chat", "GPT-5", "Sonnet 4.5")
    for pattern in ("Q{task}_{agent}", "{agent}_Q0{task}", "{agent} - Q{task}.md"):
        reports = [
            titled(pattern.format(task=task.id, agent=each)) for task in tasks for each in agents
        ]
        with pytest.warns(Notice, match="named after agent and number of the task"):
            known, unmatched = join(tasks, reports)
        found = {(each.task, each.agent) for each in known}
        assert found == {(task.id, each) for task in tasks for each in agents}
        assert not unmatched
    with pytest.raises(BadReports, match="No report answers any of the tasks"):
        join(tasks, [titled("Q1_a2"), titled("Q2_a1")])  # of either number


def test_numbers_are_no_places_where_one_is_missing_or_tasks_have_names_of_their_own():
    for tasks, names in ((PLAIN, ["1"]), (PLAIN, ["1", "3"]), (NAMED, ["1", "3"])):
        with pytest.raises(BadReports, match="No report answers any of the tasks"):
            join(tasks, [titled(each) for each in names])


def test_prompts_that_were_given_as_reports_are_refused():
    same = [Report(each.prompt, "heron", each.id) for each in NAMED]
    with pytest.raises(BadReports, match="The reports are the prompts themselves"):
        join(NAMED, same)


def test_two_reports_for_one_prompt_are_refused():
    with pytest.raises(BadReports, match="by its prompt this is a second report of agent 'heron'"):
        join(TASKS, [report("1"), report("7", "Why do terraces overheat?")])


def test_names_out_of_two_columns_are_no_names_of_tasks():
    tasks = [
        Task(id=made_id(f"Why {n}?"), prompt=f"Why {n}?", labels={"short": n, "day": f"{at} May"})
        for at, n in enumerate(("bees", "gulls", "tides"), start=1)
    ]
    own = [Report("# Text", "tern", name) for name in ("Bees", "gulls", "tides")]
    with pytest.warns(Notice, match="stand in another column of the tasks"):
        assert len(join(tasks, own)[0]) == 3
    with pytest.raises(BadReports, match="No report answers any"):
        join(tasks, [*own, Report("Slept well.", "diary", "2 May")])


def test_a_text_that_does_not_say_what_it_was_asked_is_none_beside_others_that_do():
    tasks = [
        Task(id=made_id(f"Why {n}?"), prompt=f"Why {n}?", labels={"day": f"2026-05-0{n}"})
        for n in range(1, 4)
    ]
    own = [Report(f"# Text {each.id}", "tern", each.id, prompt=each.prompt) for each in tasks]
    known, unmatched = join(tasks, [*own, Report("Slept well.", "diary", "2026-05-02")])
    assert ({each.agent for each in known}, [each.agent for each in unmatched]) == (
        {"tern"},
        ["diary"],
    )


def test_a_column_is_offered_only_where_a_table_has_it_and_it_tells_every_task(tmp_path):
    table = tmp_path / "tasks.csv"
    table.write_text(
        "id,prompt,title,region\nt1,What moves tides?,Tides,north\n"
        "t2,Wo nisten die Möwen?,Gulls,north\nt3,为什么天空是蓝色的？,Sky,south\n"
    )
    labels = [
        {"title": title, "region": "south" if title == "Sky" else "north"}
        for title in ("Tides", "Gulls", "Sky")
    ]
    read = NamedColumns()
    tasks = load_tasks(table, columns=read)
    objects = [
        Task(id=each.id, prompt=each.prompt, labels=own)
        for each, own in zip(tasks, labels, strict=True)
    ]

    def remedy(tasks, names, columns):
        with pytest.raises(BadReports) as caught:
            join(tasks, [Report("It is so.", "wren", name) for name in names], columns)
        return caught.value.remedy

    assert "--columns id=title" in remedy(tasks, ["Tides", "Sky"], read.met)
    for names in (["north", "south"], ["en", "zh"]):
        assert "--columns" not in remedy(tasks, names, read.met)
    for names in (["Tides", "Sky"], ["north"], ["en", "zh"]):
        assert "--columns" not in remedy(objects, names, NamedColumns().met)
