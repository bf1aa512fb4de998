"""What is joined before anything is asked: reports, references and criteria to their tasks."""

import asyncio
import json

import pytest

from deepassay.runfile import Capture, RunFile
from deepassay.tasks.yardsticks import DIMENSIONS

from .several import AGENTS, NO_REPORT, RACE, REFERENCE, lay_out

TASKS = [f"t{number:02}" for number in range(12)]
"""As many as it takes for most of their reports to be left out, or few."""

LACKING = f"12 tasks, 4 agents, 47 of 48 reports; task {NO_REPORT[1]} has none of {NO_REPORT[0]}."


@pytest.fixture
def given(tmp_path):
    """The tasks, and the folders of four agents; one report is withheld."""
    tasks = lay_out(tmp_path / "set", TASKS)
    return tasks, [tasks.parent / agent for agent in AGENTS]


def renamed(folder, most):
    """Rename the first reports of an agent, as those of other tasks."""
    for path in sorted(folder.iterdir())[:most]:
        path.rename(path.with_name(f"x-{path.name}"))


COMMANDS = (
    ("evaluate", ()),
    ("estimate", ()),
    ("audit", ("--quick", "--change", "drop-section")),
)
WHICH = pytest.mark.parametrize(("command", "more"), COMMANDS, ids=[each[0] for each in COMMANDS])


def done_with(deepassay, command, more, tasks, folders, tmp_path):
    asked = ("--protocol", "coverage", "--run", tmp_path / "run.assay", *more)
    done = deepassay(command, tasks, *folders, *asked)
    return done, [*done.stdout.splitlines(), *done.stderr.splitlines()]


@WHICH
def test_reports_are_counted_and_who_lacks_one_is_named(deepassay, given, tmp_path, command, more):
    done, said = done_with(deepassay, command, more, *given, tmp_path)
    assert done.returncode == 0
    assert said.count(LACKING) == 1


@WHICH
def test_reports_for_no_task_are_left_out_and_named(deepassay, given, tmp_path, command, more):
    tasks, folders = given
    renamed(folders[0], 5)
    done, said = done_with(deepassay, command, more, tasks, folders, tmp_path)
    assert done.returncode == 0
    taken = (
        "12 tasks, 4 agents, 42 of 48 reports; tasks t00, t01, t02 and 2 more have none of cuckoo; "
    )
    (line,) = [each for each in said if each.startswith(taken)]
    assert line.endswith(
        f"task {NO_REPORT[1]} has none of {NO_REPORT[0]}; 5 of 47 are for no task."
    )
    assert "left out: cuckoo on x-t00: there is no such task." in said
    assert "left out: 2 more reports of this kind" in said


@WHICH
def test_most_reports_for_no_task_are_refused_before_anything_is_asked(
    deepassay, given, tmp_path, command, more
):
    tasks, folders = given
    for folder in folders[:3]:
        renamed(folder, 8)
    done, _ = done_with(deepassay, command, more, tasks, folders, tmp_path)
    assert done.returncode == 2
    assert "24 of 47 reports found no tasks: cuckoo on x-t00" in " ".join(done.stderr.split())
    assert not (tmp_path / "run.assay").exists()


def test_a_part_of_a_set_may_be_scored_with_the_reports_of_all_of_it(deepassay, given, tmp_path):
    tasks, folders = given
    part = tmp_path / "part.jsonl"
    part.write_text("\n".join(tasks.read_text(encoding="utf-8").splitlines()[:3]))
    done, said = done_with(deepassay, "evaluate", (), part, folders, tmp_path)
    assert done.returncode == 0
    assert "3 tasks, 4 agents, 12 of 12 reports; 35 of 47 are for no task." in said


def test_reports_beyond_the_limit_are_matched_and_not_used(deepassay, given, tmp_path):
    done, said = done_with(deepassay, "evaluate", ("--limit", 2), *given, tmp_path)
    assert done.returncode == 0
    assert "2 tasks, 4 agents, 8 of 8 reports; 39 of 47 are beyond the limit." in said
    assert not any("left out" in each for each in said)


def test_robustness_says_it_of_every_arm(deepassay, given, tmp_path):
    tasks, folders = given
    arms = ("--reference", REFERENCE, "--reference", AGENTS[0])
    several = (*folders, tasks.parent / REFERENCE)
    done = deepassay("robustness", "references", tasks, *several, *arms, "-o", tmp_path / "arms")
    assert done.stderr.count("12 tasks, 5 agents, 59 of 60 reports; ") == 2
    for folder in several:
        renamed(folder, 8)
    done = deepassay("robustness", "references", tasks, *several, *arms, "-o", tmp_path / "more")
    assert done.returncode == 2
    assert "40 of 59 reports found no tasks" in " ".join(done.stderr.split())


# ------------------------------------------------------------------ references, criteria


def references(tmp_path, names):
    """A file of reports of one agent that is not evaluated, on tasks of these names."""
    path = tmp_path / "references.jsonl"
    rows = ({"agent": "people", "id": name, "report": f"# On {name}\n\nRain.\n"} for name in names)
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def criteria(tmp_path, names):
    one = [{"criterion": "says why", "explanation": "", "weight": 1.0}]
    own = {
        "dimension_weight": dict.fromkeys(DIMENSIONS, 0.25),
        "criterions": dict.fromkeys(DIMENSIONS, one),
    }
    path = tmp_path / "criteria.jsonl"
    path.write_text("\n".join(json.dumps({"id": name, **own}) for name in names))
    return path


FILES = pytest.mark.parametrize("file", [references, criteria])


def judged(deepassay, given, tmp_path, file, names):
    option = {references: "--reference", criteria: "--criteria"}[file]
    terms = ("--protocol", RACE, option, file(tmp_path, names), "--run", tmp_path / "run.assay")
    return deepassay("estimate", given[0], *given[1], *terms)


@FILES
def test_what_is_for_none_of_the_tasks_is_counted(deepassay, given, tmp_path, file):
    done = judged(deepassay, given, tmp_path, file, [*TASKS, "u1", "u2", "u3", "u4"])
    assert done.returncode == 0
    said = " ".join(done.stderr.split())
    assert said.count("16 came in, 12 found their tasks, 12 used.") == 1
    assert "u1" in said and "left out: 1 more" in said


@FILES
def test_most_for_none_of_the_tasks_are_an_error(deepassay, given, tmp_path, file):
    names = [*TASKS[:5], *(f"u{number}" for number in range(7))]
    done = judged(deepassay, given, tmp_path, file, names)
    assert done.returncode == 2
    assert "7 of 12" in done.stderr
    assert "found no tasks" in " ".join(done.stderr.split())


@FILES
def test_nothing_is_said_where_all_found_their_tasks(deepassay, given, tmp_path, file):
    done = judged(deepassay, given, tmp_path, file, TASKS[:5])
    assert (done.returncode, "5 came in" in done.stderr) == (0, False)


# ------------------------------------------------------------------ cited pages


@pytest.mark.parametrize("protocol", ["fact", "citation_accuracy", "kae"])
@pytest.mark.parametrize("kept", [12, 9, 5])
def test_cited_addresses_are_held_against_the_pages_that_are_kept(
    deepassay, given, tmp_path, protocol, kept
):
    pages = tmp_path / "pages.jsonl"
    urls = [f"https://a.example/{task}" for task in TASKS]
    rows = ({"url": url, "text": f"Storms were counted at {url}. " * 40} for url in urls[:kept])
    pages.write_text("\n".join(map(json.dumps, rows)))
    run, snapshots = tmp_path / "run.assay", tmp_path / "pages.assay"
    deepassay("sources", "import", pages, "--snapshots", snapshots)
    terms = ("--protocol", protocol, "--snapshots", snapshots, "--offline-sources", "--run", run)
    done = deepassay("evaluate", *given[:1], *given[1], *terms)
    assert (
        f"cited addresses: 12 came in, {kept} have an outcome, {kept} can be read." in done.stderr
    )
    if kept < 12:
        assert f"left out: {urls[kept]}: nothing of it is kept." in done.stderr
    lost = f"{12 - kept} of 12 cited addresses found no pages: {urls[kept % 12]}"
    assert (lost in " ".join(done.stderr.split())) == (kept == 5)
    assert done.returncode == (kept == 5)


FAILED = ("gone", "blocked", "redirected_home", "refused", "paywalled", "")


@pytest.mark.parametrize(
    ("protocols", "against"),
    [
        (["fact"], {"fact": {"gone", "redirected_home", "refused"}}),
        (["kae"], {}),
        (["fact(verified=True)"], {}),
        (["citation_accuracy"], {"citation_accuracy": set(FAILED[:4])}),
        (["kae", "fact"], {"fact, left out in kae": {"gone", "redirected_home", "refused"}}),
        (["surface(pages=True)", "fact"], {"fact": {"gone", "redirected_home", "refused"}}),
    ],
)
def test_pages_that_failed_have_an_outcome_and_it_is_said_whether_it_counts(
    deepassay, given, tmp_path, protocols, against
):
    tasks, folders = given
    ends = {f"https://a.example/{task}": FAILED[n % 6] for n, task in enumerate(TASKS)}
    with RunFile.share(tmp_path / "pages.assay") as run:
        for url, end in ends.items():
            at = (url, "2026-11-20T00:00:00+00:00", "direct")
            text = f"Storms were counted at {url}. " * 40
            page = Capture(*at, failure=end, detail="so") if end else Capture(*at, text=text)
            asyncio.run(run.captures.keep(page))
    pages = ("--snapshots", tmp_path / "pages.assay", "--offline-sources")
    chosen = [word for each in protocols for word in ("--protocol", each)]
    done = deepassay("evaluate", tasks, *folders, *chosen, *pages, "--run", tmp_path / "run.assay")
    assert "cited addresses: 12 came in, 12 have an outcome, 2 can be read." in done.stderr
    for url, end in ends.items():
        fate = next((f"counts against reports in {n}" for n, k in against.items() if end in k), "")
        told = f"  {fate or 'left out'}: {url}: {end}.\n"
        assert (told in done.stderr) == bool(end)
