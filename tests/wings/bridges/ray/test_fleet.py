"""Workers behind messages: the rows of one process, whoever is lost, whatever is stopped."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.errors import BadSetting, DeepAssayError, Notice
from deepassay.reports.report import Report
from deepassay.wings.bridges.ray import documents, engine
from tests.loopback import FakeJudge
from tests.run.kills import exported, settings, wavering
from tests.wings.bridges.ray.crew import Crew, HereLink, at_request, local, rows


@pytest.fixture(scope="module")
def judge():
    with FakeJudge(wavering) as judge:
        yield judge


@pytest.fixture(scope="module")
def options(tmp_path_factory, judge):
    folder = tmp_path_factory.mktemp("options")
    return settings(folder, 1) | {"base_url": judge.base_url}


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


def test_a_budget_is_spent_to_the_dollar_and_leases_of_a_lost_worker_count_in_full(
    tmp_path, crew, options, judge
):
    prices = tmp_path / "prices.json"
    prices.write_text('{"openai:good": {"input": 0, "output": 10000}}', "utf-8")
    options = options | {"prices": str(prices), "max_output": 100, "budget": 20.0}
    summary = crew.evaluate(options, tmp_path / "run.assay")
    assert (summary.out_of_budget, summary.spent, len(judge.requests)) == (True, 20.0, 20)

    def lose_one():
        crew.links[0].kill_soon()

    lost = pytest.warns(Notice, match="Lost on the way")
    with at_request(judge, 10, lose_one), lost:
        summary = crew.evaluate(options, tmp_path / "lost.assay")
    assert summary.out_of_budget
    assert len(judge.requests) <= 20


@given(st.integers(1, 999), st.integers(1, 99))
def test_all_connections_are_shared_out_evenly(connections, workers):
    shares = engine.shared_out(connections, workers)
    assert (len(shares), sum(shares)) == (workers, connections)
    assert max(shares) - min(shares) <= 1


def test_as_many_calls_are_made_at_a_time_as_there_are_connections(tmp_path, crew, options, judge):
    """Three workers of two, two and one; nobody is answered before all five are busy."""
    judge.hold()
    late = threading.Timer(300, judge.release)  # of a run that would wait for ever
    late.start()
    judge.peak = 0
    with at_request(judge, 5, judge.release):
        crew.evaluate(options, tmp_path / "run.assay", workers=3, max_connections=5)
    late.cancel()
    assert judge.peak == 5


@pytest.mark.parametrize(
    ("room", "what", "other", "told"),
    [
        (documents, "__version__", "9.9", "DeepAssay is .* on worker 1, and 9.9 here"),
        (
            engine,
            "identity_of",
            lambda *given: {"prompts": "other"},
            "worker 1 .* these differ: .*prompts",
        ),
    ],
)
def test_a_worker_that_would_score_otherwise_is_refused(
    tmp_path, crew, options, judge, monkeypatch, room, what, other, told
):
    monkeypatch.setattr(room, what, other)
    with pytest.raises(BadSetting, match=told):
        crew.evaluate(options, tmp_path / "run.assay")
    assert not judge.requests


def test_workers_that_do_not_start_end_the_command(tmp_path, crew, options, judge, monkeypatch):
    async def starve(link, brief):
        await asyncio.Event().wait()

    monkeypatch.setattr(HereLink, "start", starve)
    monkeypatch.setattr(engine, "START", 0.0)
    with pytest.raises(BadSetting, match=r"within 0 s; 3 were asked for\.") as error:
        crew.evaluate(options, tmp_path / "run.assay", workers=3)
    assert "RAY_worker_niceness=0" in error.value.remedy
    assert not judge.requests


def test_what_is_wrong_on_a_worker_is_told_with_its_remedy(tmp_path, crew, options, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    given = {name: value for name, value in options.items() if name != "base_url"}
    with pytest.raises(BadSetting, match="On worker 1: openai:good needs a key") as error:
        crew.evaluate(given, tmp_path / "run.assay")
    assert "OPENAI_API_KEY" in error.value.remedy
