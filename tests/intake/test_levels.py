"""Reports below several levels of folders: asked which is the agent, and taken as people say."""

import json

import pytest

from deepassay.errors import BadReports, BadTasks, Notice
from deepassay.intake.choices import choices_in
from deepassay.intake.columns import NamedColumns, option
from deepassay.reports.files import HERE
from deepassay.reports.loaders import load_reports
from deepassay.run.asking.joining import join
from deepassay.run.asking.reading_inputs import read_both
from deepassay.run.settings import Settings
from deepassay.score import report_key
from deepassay.tasks.loaders import load_tasks

TASKS = ("bees", "swifts")
ASKS = "Why do bees swarm in the month of May?"
SAYS = "They swarm because the hive has grown too large. " * 6

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")


def written(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Found\n\nWhat {name} says.", encoding="utf-8")
    return folder


def keys(folder, columns=None):
    found = load_reports([folder], columns=NamedColumns.of(columns))
    return {(each.agent, each.task, each.sample) for each in found}


@pytest.mark.parametrize(
    ("names", "line", "agents", "samples"),
    [
        (["tern/run1", "tern/run2"], "agent=(folder 1),sample=(folder 2)", {"tern"}, 2),
        (["tern/v1", "auk/v2"], "agent=(folder 1)", {"tern", "auk"}, 1),
        (["tern/run_20260501_1012", "auk/run_20260502_0930"], "agent=(folder 1)", None, 1),
        (["round1/tern", "round2/tern"], "agent=(folder 2),sample=(folder 1)", {"tern"}, 2),
        (
            ["tern/2026-05-01", "tern/2026-05-02", "auk/2026-05-01"],
            "agent=(folder 1),sample=(folder 2)",
            None,
            2,
        ),
    ],
)
def test_of_several_levels_is_asked_which_is_the_agent(tmp_path, names, line, agents, samples):
    written(tmp_path, *(f"{each}/{task}.md" for each in names for task in TASKS))
    with pytest.raises(BadReports, match="each may be the agent") as caught:
        load_reports([tmp_path])
    lines = [option(each.said) for each in choices_in(caught.value)[:6]]
    assert any(f"'{line}'" in each for each in lines)
    found = keys(tmp_path, line)
    assert {agent for agent, _, _ in found} == (agents or {"tern", "auk"})
    assert {task for _, task, _ in found} == {*TASKS}
    assert {sample for _, _, sample in found} == {*range(1, samples + 1)}


def test_every_line_that_is_offered_can_be_followed(tmp_path):
    written(tmp_path, *(f"{a}/{t}/run{n}.md" for a in ("tern", "auk") for t in TASKS for n in "12"))
    with pytest.raises(BadReports) as caught:
        load_reports([tmp_path])
    ways = [each for each in choices_in(caught.value) if each.said[0][0] != "sheet"]
    assert ways[0].said == (("agent", "(folder 1)"), ("id", "(folder 2)"), ("sample", "(file)"))
    read = [load_reports([tmp_path], columns=NamedColumns(way.said)) for way in ways]
    assert [len(each) for each in read] == [8] * len(ways)
    first = {(each.agent, each.task, each.sample) for each in read[0]}
    assert first == {(a, t, n) for a in ("tern", "auk") for t in TASKS for n in (1, 2)}


def test_a_level_that_all_agents_have_is_told_of(tmp_path):
    written(tmp_path, *(f"{each}/outputs/{task}.md" for each in ("tern", "auk") for task in TASKS))
    with pytest.warns(Notice, match="agents are named by the folders above outputs"):
        assert keys(tmp_path) == {(a, t, 1) for a in ("tern", "auk") for t in TASKS}


def test_a_level_that_a_file_does_not_have_is_named(tmp_path):
    written(tmp_path, "tern/run1/bees.md", "auk/bees.md")
    with pytest.raises(BadReports, match=r"stands below 1 folders, and .* named by \(folder 2\)"):
        keys(tmp_path, "agent=(folder 2)")
    assert keys(tmp_path, "agent=(folder 1)") == {("tern", "bees", 1), ("auk", "bees", 1)}


def test_what_stands_around_all_agents_is_none(tmp_path):
    written(tmp_path, *(f"reports/{each}/{task}.md" for each in ("tern", "auk") for task in TASKS))
    assert keys(tmp_path) == {(a, t, 1) for a in ("tern", "auk") for t in TASKS}


def both(folder, columns=None):
    (folder.parent / "tasks.jsonl").write_text(
        "".join(f'{{"id": "{each}", "prompt": "Why do {each}?"}}\n' for each in TASKS)
    )
    said, path = NamedColumns.of(columns), folder.parent / "tasks.jsonl"
    tasks, reports = read_both(path, [folder], Settings(), said, HERE)
    return {report_key(each) for each in join(tasks, reports)[0]}


@pytest.mark.parametrize(
    ("name", "level", "own"),
    [
        ("{agent}_run{n}/{task}.md", "(end of agent)", "tern_run1"),
        ("{task}/{agent}_{n}.md", "(end of agent)", "tern_1"),
        ("{task}_{agent}_{n}.md", "(end of agent)", "tern_1"),
        ("{agent}/{task}_run{n}.md", "(end of task)", None),
    ],
)
def test_agents_that_differ_by_a_number_may_be_answers_of_one(tmp_path, name, level, own):
    every = [(a, t, n) for a in ("tern", "auk") for t in TASKS for n in (1, 2)]
    folder = written(tmp_path / "r", *(name.format(agent=a, task=t, n=n) for a, t, n in every))
    with pytest.raises(BadReports) as caught:
        both(folder)
    ways = [each.said for each in choices_in(caught.value)]
    assert ways == [(("sample", level),), *([(("sample", ""),)] if own else [])]
    assert both(folder, f"sample={level}") == {*every}
    if own:
        assert own in {agent for agent, _, _ in both(folder, "sample=")}


@pytest.mark.parametrize("name", ["tern-v{n}", "tern v {n}", "tern 4.{n}", "tern_version-{n}"])
def test_versions_are_rather_agents_than_answers(tmp_path, name):
    every = [f"{name.format(n=n)}/{task}.md" for task in TASKS for n in (1, 2)]
    with pytest.raises(BadReports) as caught:
        both(written(tmp_path / "r", *every))
    ways = [each.said for each in choices_in(caught.value)]
    assert ways == [(("sample", ""),), (("sample", "(end of agent)"),)]


@pytest.mark.parametrize("name", ["{agent}_task-0{n}", "task-0{n}_{agent}", "{agent}_{n}"])
def test_a_word_before_all_numbers_of_tasks_is_none_of_the_agent(tmp_path, name):
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("".join(f'{{"id": "{n}", "prompt": "Why {n} bees?"}}\n' for n in (1, 2, 3)))
    every = [(agent, n) for agent in ("tern", "auk-2") for n in (1, 2, 3)]
    folder = written(tmp_path / "r", *(f"{name.format(agent=a, n=n)}.md" for a, n in every))
    found = read_both(tasks, [folder], Settings(), NamedColumns(), HERE)
    assert {report_key(e)[:2] for e in join(*found)[0]} == {(a, str(n)) for a, n in every}


def test_versions_of_a_model_are_agents(tmp_path):
    names = [f"{each}/{task}.md" for each in ("gpt-4", "gpt-5") for task in TASKS]
    assert {agent for agent, _, _ in both(written(tmp_path / "r", *names))} == {"gpt-4", "gpt-5"}


@pytest.mark.parametrize(
    ("asked", "reports"),
    [
        ("{task}_prompt.txt", "{task}_{agent}.md"),
        ("{task}/task.md", "{task}/{agent}/report.md"),
        ("{task}/prompt.txt", "{task}/{agent}.md"),
    ],
)
def test_prompts_beside_reports_are_no_reports(tmp_path, asked, reports):
    written(tmp_path, *(asked.format(task=task) for task in TASKS))
    written(tmp_path, *(reports.format(task=t, agent=a) for t in TASKS for a in ("tern", "auk")))
    tasks, found = read_both(tmp_path, [tmp_path], Settings(), NamedColumns(), HERE)
    assert {task.id for task in tasks} == {*TASKS}
    known, unmatched = join(tasks, found)
    assert {report_key(each) for each in known} == {
        (a, t, 1) for a in ("tern", "auk") for t in TASKS
    }
    assert not unmatched


def test_of_several_files_of_one_answer_the_report_can_be_chosen(tmp_path):
    places = [f"{task}/{agent}" for task in TASKS for agent in ("tern", "auk")]
    written(tmp_path, *(f"{each}/{name}.md" for each in places for name in ("outline", "report")))
    with pytest.raises(BadReports) as caught:
        load_reports([tmp_path])
    said = choices_in(caught.value)[0].said
    assert said == (("sheet", "**/report.md"),)
    found = load_reports([tmp_path], columns=NamedColumns(said))
    assert {each.path for each in found} == {str(tmp_path / f"{each}/report.md") for each in places}


def test_a_table_in_which_one_column_would_be_two_things_is_refused_without_lines(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"{n},{who},{n} {text}" for n in "12" for who, text in (("Me", ASKS), ("Bot", SAYS))]
    path.write_text("\n".join(["thread,speaker,message", *rows]))
    with pytest.raises(BadTasks, match="One column would have to be both") as caught:
        read_both(path, [path], Settings(), NamedColumns(), HERE)
    assert "--columns" not in caught.value.remedy


@pytest.mark.parametrize("runs", [("run1", "run2", "run3"), ("batch 1", "batch 2")])
@pytest.mark.parametrize("ids", [("q1", "q2"), ("1", "2"), ("T-01", "T-02", "T-03")])
def test_files_that_are_named_as_tasks_are_no_answers_to_a_task_of_that_number(tmp_path, runs, ids):
    names = [f"{run}/{agent}/{id}.txt" for run in runs for agent in ("tern", "auk") for id in ids]
    written(tmp_path / "out", *names)
    rows = [f"{id},What is said of {id} on the coast?" for id in ids]
    (tmp_path / "t.csv").write_text("\n".join(["id,prompt", *rows]))
    with pytest.raises(BadReports) as caught:
        read_both(tmp_path / "t.csv", tmp_path / "out", Settings(), NamedColumns(), HERE)
    first, *others = choices_in(caught.value)
    assert dict(first.said) == {"agent": "(folder 2)", "sample": "(folder 1)"}
    told = [each.comes_to for each in (first, *others)]
    assert len({*told}) == len(told)  # so that one can choose by them
    columns = NamedColumns(first.said)
    tasks, reports = read_both(tmp_path / "t.csv", tmp_path / "out", Settings(), columns, HERE)
    assert {report_key(each) for each in join(tasks, reports)[0]} == {
        (agent, id, n + 1) for agent in ("tern", "auk") for id in ids for n in range(len(runs))
    }


def test_runs_are_no_tasks_of_their_number(tmp_path):
    written(tmp_path / "tern", "run1.md", "run2.md")
    (tmp_path / "t.csv").write_text("id,prompt\nq1,What is a gull?\nq2,What is an auk?\n")
    with pytest.raises(BadReports, match="No report answers any of the tasks"):
        join(*read_both(tmp_path / "t.csv", tmp_path / "tern", Settings(), NamedColumns(), HERE))


ROWS = {"columns": ["question", "outputs"], "data": [[f"{ASKS} {n}", SAYS] for n in (1, 2)]}


def test_files_of_one_name_in_runs_of_a_tracker_are_told_apart_by_the_level_that_differs(tmp_path):
    for run in ("4f21ab", "9e03cd", "77aa10"):
        table = tmp_path / "8122" / run / "artifacts" / "eval_table.json"
        table.parent.mkdir(parents=True)
        rows = {**ROWS, "data": [[asked, f"{said} By {run}."] for asked, said in ROWS["data"]]}
        table.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(BadReports, match="a second report") as caught:
        read_both(tmp_path, tmp_path, Settings(), NamedColumns(), HERE)
    ways = choices_in(caught.value)
    assert [dict(each.said) for each in ways] == [{"agent": "(folder 2)"}, {"sample": "(folder 2)"}]
    assert [each.comes_to[:18] for each in ways] == ["2 tasks, 6 reports"] * 2
    for way, samples in zip(ways, (1, 3), strict=True):
        reports = read_both(tmp_path, tmp_path, Settings(), NamedColumns(way.said), HERE)[1]
        assert {each.sample for each in reports} == {*range(1, samples + 1)}


def test_folders_of_days_may_number_the_answers_of_agents_in_the_names_of_files(tmp_path):
    folder = tmp_path / "reports"
    names = [f"2026-04-{day}/T{n}__{agent}" for day in (13, 14) for n in (1, 2) for agent in "ab"]
    written(folder, *(f"{each}.md" for each in names))
    tasks = [{"id": f"T{n}", "prompt": f"{ASKS} {n}"} for n in (1, 2)]
    with pytest.raises(BadReports, match="a second report") as caught:
        read_both(tasks, folder, Settings(), NamedColumns(), HERE)
    (way,) = choices_in(caught.value)
    assert way.said == (("sample", "(folder 1)"),)
    found = read_both(tasks, folder, Settings(), NamedColumns(way.said), HERE)
    assert {report_key(each) for each in join(*found)[0]} == {
        (agent, f"T{n}", sample) for agent in "ab" for n in (1, 2) for sample in (1, 2)
    }


RUNS = ("20260412-1015_tern", "20260413-1015_auk")


def of_runs(folder, name="task.json", field="prompt", place="{run}/{task}"):
    """What a harness writes: a folder for each run and task, of which one failed."""
    for run in RUNS:
        for task in TASKS:
            inner = folder / place.format(run=run, task=task)
            written(inner, "trace.jsonl", "usage.json")
            (inner / name).write_text(json.dumps({"id": 3, field: f"{ASKS} {task}"}))
            (inner / "report.md").write_text(f"{SAYS} By {run} on {task}.")
    (inner / "report.md").rename(inner / "error.txt")
    (folder / "summary.csv").write_text("run,tasks,usd\na,2,0.4\nb,2,0.3\n")
    (folder / RUNS[0] / "config.yaml").write_text("agent: tern\n")
    return folder


@pytest.mark.parametrize(
    "laid",
    [
        {},
        {"name": "meta.yaml", "field": "question"},
        {"name": "input.json", "field": "task"},
        {"place": "{task}/{run}"},
        {"place": "out/{run}/results/{task}"},
        {"place": "out/{task}/runs/{run}/files"},
    ],
)
def test_a_folder_for_each_run_and_task_holds_what_was_asked_and_the_report(tmp_path, laid):
    folder = (
        of_runs(tmp_path / "runs", **laid) if laid.get("place", "{run}")[:5] == "{run}" else None
    )
    if folder is None:
        (tmp_path / "runs" / RUNS[0]).mkdir(parents=True)
        folder = of_runs(tmp_path / "runs", **laid)
        (folder / RUNS[0] / "config.yaml").unlink()
        (folder / RUNS[0]).rmdir()
    with pytest.warns(
        Notice, match=r"9 files \(error\.txt, trace\.jsonl, usage\.json\) are left out"
    ):
        tasks, reports = read_both(folder, folder, Settings(), NamedColumns(), HERE)
    assert {(each.id, each.prompt) for each in tasks} == {
        (each, f"{ASKS} {each}") for each in TASKS
    }
    every = {(run, task, 1) for run in RUNS for task in TASKS}
    assert {report_key(each) for each in reports} == every - {(RUNS[1], TASKS[1], 1)}
    assert all(each.text.endswith(f"By {each.agent} on {each.task}.") for each in reports)


def test_of_runs_on_several_levels_it_is_asked_which_is_the_agent(tmp_path):
    for seed in ("seed_0", "seed_1"):
        of_runs(tmp_path / "r" / seed)
        (tmp_path / "r" / seed / "summary.csv").unlink()
    folder = tmp_path / "r"
    with pytest.raises(
        BadReports, match=r"may be the agent: \(folder 1\) or \(folder 2\)"
    ) as caught:
        read_both(folder, folder, Settings(), NamedColumns(), HERE)
    first = choices_in(caught.value)[0]
    assert dict(first.said) == {"agent": "(folder 2)", "id": "(folder 3)", "sample": "(folder 1)"}
    assert first.comes_to.startswith(f"2 tasks, 6 reports of {RUNS[0]}, {RUNS[1]}")
    found = read_both(folder, folder, Settings(), NamedColumns(first.said), HERE)[1]
    assert {each.sample for each in found} == {1, 2}


def test_what_is_the_same_in_every_folder_is_no_task(tmp_path):
    for agent in ("tern", "auk"):
        written(tmp_path / "r" / agent, *(f"{task}.md" for task in TASKS))
        (tmp_path / "r" / agent / "config.json").write_text(f'{{"prompt": "You are {agent}."}}')
    (tmp_path / "tasks.jsonl").write_text(
        "".join(f'{{"id": "{each}", "prompt": "Why do {each}?"}}\n' for each in TASKS)
    )
    assert both(tmp_path / "r") == {(a, t, 1) for a in ("tern", "auk") for t in TASKS}


@pytest.mark.parametrize("name", ["2026-04-1{n}_{agent}", "{agent}-202604{n}1T1015"])
def test_agents_with_the_days_of_runs_may_be_answers_of_one(tmp_path, name):
    every = [(a, t, n) for a in ("tern", "auk-2") for t in TASKS for n in (1, 2)]
    names = [f"{name.format(agent=a, n=n)}/{task}.md" for a, task, n in every]
    folder = written(tmp_path / "r", *names)
    with pytest.raises(BadReports, match=r"may be agents, or several answers of auk-2, tern"):
        both(folder)
    assert both(folder, "sample=(end of agent)") == {*every}
    assert len({agent for agent, _, _ in both(folder, "sample=")}) == 4


def test_a_folder_of_what_was_asked_beside_one_of_answers(tmp_path):
    for task in TASKS:
        written(tmp_path, *(f"outputs/{agent}/{task}/output.md" for agent in ("tern", "auk")))
        (tmp_path / "questions").mkdir(exist_ok=True)
        (tmp_path / "questions" / f"{task}.txt").write_text(f"{ASKS} {task}")
    tasks, reports = read_both(tmp_path, tmp_path, Settings(), NamedColumns(), HERE)
    assert {each.prompt for each in tasks} == {f"{ASKS} {task}" for task in TASKS}
    assert {report_key(e) for e in reports} == {(a, t, 1) for a in ("tern", "auk") for t in TASKS}


def test_fields_above_reports_are_no_prompts_unless_one_is_a_sentence(tmp_path):
    for agent in ("tern", "auk"):
        for task in TASKS:
            path = tmp_path / "r" / agent / f"{task}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# On {task}\n\nTopic: {task} in May\nModel: {agent}\n\n{SAYS}")
    assert both(tmp_path / "r") == {(a, t, 1) for a in ("tern", "auk") for t in TASKS}


def test_what_a_tracker_keeps_above_its_tables_is_no_report(tmp_path):
    for run in ("run-20260401_101500-ab1", "run-20260401_111500-cd2"):
        files = tmp_path / run / "files"
        (files / "media" / "table").mkdir(parents=True)
        rows = {**ROWS, "data": [[asked, f"{said} By {run}."] for asked, said in ROWS["data"]]}
        (files / "media" / "table" / "reports.table.json").write_text(json.dumps(rows))
        (files / "summary.json").write_text('{"score": 0.5, "_runtime": 81}')
    with pytest.raises(BadReports) as caught:
        read_both(tmp_path, tmp_path, Settings(), NamedColumns(), HERE)
    way = choices_in(caught.value)[0]
    assert way.said == (("agent", "(folder 1)"),)
    assert way.comes_to.startswith("2 tasks, 4 reports of run-")


def test_of_several_texts_of_a_run_the_one_that_is_called_as_a_report_is_offered_first(tmp_path):
    folder = of_runs(tmp_path / "r")
    for place in folder.glob("*/*/"):
        (place / "review.md").write_text(f"{SAYS} Says the one who read {place.name}.")
    with pytest.raises(BadReports, match=r"may be the agent: \(folder 1\) or \(file\)") as caught:
        read_both(folder, folder, Settings(), NamedColumns(), HERE)
    first = choices_in(caught.value)[0]
    assert (first.said, first.note) == ((("sheet", "**/report.md"),), "only these")
    found = read_both(folder, folder, Settings(), NamedColumns(first.said), HERE)[1]
    assert all(each.text.endswith(f"By {each.agent} on {each.task}.") for each in found)
    assert len(found) == 3


def test_a_folder_for_each_task_begins_with_its_number_and_locks_of_documents_are_none(tmp_path):
    table = tmp_path / "tasks.csv"
    asked = {"Tides": "What moves the tides?", "Gulls": "Where do gulls nest in winter?"}
    lines = [f"{at},{title},{said}" for at, (title, said) in enumerate(asked.items(), 1)]
    table.write_text("\n".join(["nr,title,prompt", *lines]), encoding="utf-8")
    for folder in ("01 Tides", "2_Gulls"):
        for name in ("tern.md", "auk.md", "~$tern.md", ".~lock.auk.md#"):
            path = tmp_path / "given" / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {folder}\n\n{name} says that it depends.\n", encoding="utf-8")
    with pytest.warns(Notice, match="folders are named after tasks, and files after agents"):
        known, _ = join(load_tasks(table), load_reports([tmp_path / "given"]))
    assert {(each.agent, each.task) for each in known} == {
        (agent, task) for agent in ("tern", "auk") for task in ("1", "2")
    }
    (tmp_path / "given" / "2_Gulls").rename(tmp_path / "given" / "2_Cranes")  # of no task
    with pytest.raises(BadReports, match="No report answers any"):
        join(load_tasks(table), load_reports([tmp_path / "given"]))


@pytest.mark.parametrize(("numbers", "taken"), [("124", True), ("123", False)])
def test_texts_without_one_are_numbered_as_the_prompts_if_the_last_is_there(
    tmp_path, numbers, taken
):
    asked = [f"How many {each} nest here?" for each in ("gulls", "terns", "auks", "swifts")]
    tasks = tmp_path / "asked.txt"
    tasks.write_text("\n".join(asked), encoding="utf-8")
    for number in numbers:
        (tmp_path / "tern").mkdir(exist_ok=True)
        (tmp_path / "tern" / f"{number}.md").write_text(f"# {number}\n\nSome do.\n", "utf-8")
    read = load_tasks(tasks), load_reports([tmp_path / "tern"])
    if taken:
        assert [each.task for each in join(*read)[0]] == [read[0][int(n) - 1].id for n in numbers]
    else:  # they may have been numbered without the one that is missing
        with pytest.raises(BadReports, match="No report answers any"):
            join(*read)


def test_settings_of_agents_are_no_tasks_unless_people_say_so(tmp_path):
    for name in ("tern", "auk"):
        written(tmp_path / "runs", f"{name}/report.md")
        told = json.dumps({"model": name, "prompt": f"You are {name}, who looks for sources."})
        (tmp_path / "runs" / name / "config.json").write_text(told, encoding="utf-8")
    runs = tmp_path / "runs"
    with pytest.raises(BadTasks, match="what an agent was told of itself") as caught:
        read_both(runs, [runs], Settings(), NamedColumns(), HERE)
    (way,) = choices_in(caught.value)
    tasks, reports = read_both(runs, [runs], Settings(), NamedColumns(way.said), HERE)
    assert {each.task for each in reports} == {each.id for each in tasks} == {"tern", "auk"}


def test_of_reports_named_by_another_column_the_line_that_joins_them_is_told(tmp_path):
    table = tmp_path / "tasks.csv"
    table.write_text("nr,title,prompt\n1,Tides,What moves tides?\n2,Gulls,Where do they nest?\n")
    reports = written(tmp_path / "given", "tern/Gulls.md", "tern/Tides.md")
    read = NamedColumns()
    with pytest.raises(BadReports) as caught:
        join(load_tasks(table, columns=read), load_reports([reports]), read.met)
    assert "--columns id=title" in caught.value.remedy
    tasks = load_tasks(table, columns=NamedColumns.of("id=title"))
    assert len(join(tasks, load_reports([reports]))[0]) == 2


@pytest.mark.parametrize("runs", [("run1", "run2"), ("run1_2025-03-03", "run2_2025-03-10")])
@pytest.mark.parametrize("name", ["{task}_{agent}.md", "{agent}_{task}.md"])
def test_folders_of_runs_hold_files_named_after_agent_and_task(tmp_path, runs, name):
    table = tmp_path / "tasks.csv"
    table.write_text("id,prompt\nT1,What moves the tides?\nT2,Where do gulls nest?\n")
    pairs = {(agent, task) for agent in ("tern", "auk") for task in ("T1", "T2")}
    files = [f"{run}/{name.format(agent=a, task=t)}" for run in runs for a, t in sorted(pairs)]
    reports = written(tmp_path / "runs", *files[1:])
    with pytest.raises(BadReports, match="hold answers of the same agents") as caught:
        read_both(table, [reports], Settings(), NamedColumns(), HERE)
    (way,) = choices_in(caught.value)
    assert option(way.said) == "--columns 'sample=(folder 1)'"
    known, _ = join(*read_both(table, [reports], Settings(), NamedColumns(way.said), HERE))
    every = {(*pair, sample) for pair in pairs for sample in (1, 2)}
    assert {*map(report_key, known)} == every - {("auk", "T1", 1)}
