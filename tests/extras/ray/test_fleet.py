"""Workers behind messages: the rows of one process, whoever is lost, whatever is stopped."""

import pytest

from deepassay.errors import DeepAssayError, Notice
from deepassay.reports.report import Report
from tests.extras.ray.crew import Crew, at_request, local, rows
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.run.kills import exported, settings


@pytest.fixture(scope="module")
def judge():
    with FakeJudge(verdicts) as judge:
        yield judge


@pytest.fixture(scope="module")
def options(tmp_path_factory, judge):
    folder = tmp_path_factory.mktemp("options")
    return settings(folder, 1) | {"base_url": judge.base_url}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, options, judge):
    """A run in one process, and how many calls it took."""
    path = tmp_path_factory.mktemp("local") / "run.assay"
    judge.requests.clear()
    local(options, path)
    return path, len(judge.requests)


@pytest.fixture
def crew(monkeypatch, judge):
    judge.requests.clear()
    return Crew(monkeypatch)


@pytest.mark.parametrize("workers", [1, 3])
def test_workers_leave_the_rows_of_one_process(tmp_path, crew, options, undisturbed, workers):
    crew.evaluate(options, tmp_path / "run.assay", workers=workers)
    assert rows(tmp_path / "run.assay") == rows(undisturbed[0])
    assert exported(tmp_path / "run.assay") == exported(undisturbed[0])


def test_what_a_lost_worker_had_is_carried_out_by_another(
    tmp_path, crew, options, undisturbed, judge
):
    expected, calls = undisturbed

    def lose_one():
        crew.links[0].kill_soon()

    lost = pytest.warns(Notice, match="Lost on the way: worker 1")
    with at_request(judge, calls // 2, lose_one), lost:
        crew.evaluate(options, tmp_path / "run.assay")
    assert exported(tmp_path / "run.assay") == exported(expected)
    assert calls <= len(judge.requests) <= calls + options["max_connections"]


def test_when_no_worker_is_left_what_is_done_is_kept(tmp_path, crew, options, undisturbed, judge):
    expected, calls = undisturbed

    def lose_all():
        for link in crew.links:
            link.kill_soon()

    with at_request(judge, calls // 2, lose_all):
        with pytest.raises(DeepAssayError, match=r"No worker is left: worker \d") as error:
            crew.evaluate(options, tmp_path / "run.assay")
        assert "the same command goes on from here" in error.value.remedy
        local(options, tmp_path / "run.assay")
    assert exported(tmp_path / "run.assay") == exported(expected)
    assert calls < len(judge.requests) <= calls + options["max_connections"]


def test_the_same_question_of_two_workers_is_asked_once(tmp_path, crew, judge):
    """Two tasks with one prompt, two reports with one text: one question, under two homes."""
    tasks = [{"id": each, "prompt": "What causes tides?"} for each in "ab"]
    reports = [Report("The moon does.", "x", each) for each in "ab"]
    options = {
        "tasks": tasks, "reports": reports, "protocols": ["presentation"],
        "judges": ["openai:good"], "base_url": judge.base_url, "max_connections": 4,
    }  # fmt: skip
    summary = crew.evaluate(options, tmp_path / "run.assay")
    assert summary.tally.scored == 2
    asked = len(judge.requests)
    local(options, tmp_path / "local.assay")
    assert len(judge.requests) == 2 * asked
