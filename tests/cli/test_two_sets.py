"""Two task sets given to one run file, as a person does who never types --run."""

import hashlib
import json

import pytest

DATE = ("--date", "2026-05-04", "--protocol", "coverage")


def task_set(folder, name, *tasks):
    """A task file and the reports of one agent; the agent is named after the set."""
    task = {"prompt": "How much do heat pumps cost?", "checklist": ["Names a price?"]}
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps({"id": each, **task}) + "\n" for each in tasks))
    for each in tasks:
        report = folder / name / f"{name}-agent" / f"{each}.md"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text("# Heat pumps\n\nThe price of one is 9,000 euros.\n")
    return path, folder / name


@pytest.fixture
def pumps(tmp_path):
    return task_set(tmp_path, "pumps", "p1", "p2", "p3", "p4")


@pytest.fixture
def roofs(tmp_path):
    return task_set(tmp_path, "roofs", "r1")


def test_another_set_is_refused_before_anything_is_asked_or_written(
    deepassay, pumps, roofs, judge, tmp_path
):
    asked = ("--judge", "openai:good", "--base-url", judge.base_url)
    assert deepassay("evaluate", *pumps, *DATE, *asked).returncode == 0
    requests = len(judge.requests)
    before = hashlib.sha256((tmp_path / "run.assay").read_bytes()).digest()
    for command in ("evaluate", "estimate"):
        done = deepassay(command, *roofs, *DATE, *asked)
        assert done.returncode == 2
        assert done.stderr.splitlines() == [
            "deepassay: run.assay holds 4 tasks ('p1', 'p2', 'p3' …) and none of those given now, "
            "1 task ('r1').",
            "  Give another --run FILE for this set, or --add-tasks if both belong together.",
        ]
    assert len(judge.requests) == requests
    assert hashlib.sha256((tmp_path / "run.assay").read_bytes()).digest() == before
    assert deepassay("evaluate", *roofs, *DATE, *asked, "--run", "roofs.assay").returncode == 0


@pytest.mark.parametrize("said", ["option", "file"])
def test_sets_that_belong_together_stand_in_one_file_by_a_word(
    deepassay, pumps, roofs, tmp_path, said
):
    assert deepassay("evaluate", *pumps, *DATE).returncode == 0
    if said == "file":
        (tmp_path / "assay.toml").write_text("add-tasks = true\n")
    added = deepassay("evaluate", *roofs, *DATE, *(["--add-tasks"] if said == "option" else []))
    assert added.returncode == 0, added.stderr
    (tmp_path / "assay.toml").unlink(missing_ok=True)
    for tasks in (pumps, roofs):  # either of them goes on as it was begun
        again = deepassay("evaluate", *tasks, *DATE)
        assert "were there already" in again.stderr, again.stderr


def test_a_part_of_a_set_and_a_grown_one_go_on_as_before(deepassay, pumps, tmp_path):
    tasks, reports = pumps
    assert deepassay("evaluate", tasks, reports, *DATE, "--limit", "1").returncode == 0
    assert deepassay("evaluate", tasks, reports, *DATE).returncode == 0
    grown = task_set(tmp_path, "pumps", "p0", "p1", "p2", "p3", "p4")
    done = deepassay("evaluate", *grown, *DATE, "--limit", "1")
    assert done.returncode == 0, done.stderr
