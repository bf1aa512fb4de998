"""What an agent did comes along with its report: into other run files, resumed runs and replay."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from deepassay.errors import ConfigurationChanged
from deepassay.results.evidence import evidence_of
from deepassay.run.asking import plan as plans
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.asking.planning import plan_of
from deepassay.run.showing.records import records_of
from deepassay.run.showing.replay import replay
from deepassay.runfile import AgentRun, RunFile, StoredRun
from deepassay.score import Cause, Score
from tests.asked import asked

A, B = "https://a.example/", "https://b.example/"
TEXT = f"# Tides\n\nThe tide is high [1].\n\n## Sources\n\n[1] {A}\n"


def ran(path: Path, text=TEXT, found=(A, B), opened=(A,), task="t") -> Path:
    """A run file into which heron answered."""
    run = AgentRun(text, "done", raw="raw", found=found, opened=opened, cost=0.5)

    async def kept(file: RunFile) -> None:
        await file.answering.keep(StoredRun("heron", task, 1, run))

    with RunFile.create(path) as file:
        asyncio.run(kept(file))
    return path


@pytest.fixture
def tasks(tmp_path) -> Path:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps({"id": "t", "prompt": "How high?", "relevant": [A, B]}))
    return path


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "heron").mkdir()
    (tmp_path / "heron" / "t.md").write_text(TEXT)
    return tmp_path / "heron"


def scored(tasks, reports, run, **settings):
    """The outcomes that the run file then holds, and whether replay makes the same of it."""
    settings |= {"protocols": ("retrieval",), "run": run, "offline_sources": True}
    evaluate(*asked(tasks, [reports], date="2026-11-20", **settings))
    with RunFile.read(run) as kept:
        proof = replay(kept)
    assert proof.proved, [*proof.problems()]
    return [each.outcome for each in records_of([run])]


def values(outcomes):
    return [each.value if isinstance(each, Score) else each.cause for each in outcomes]


def test_from_the_run_file_of_the_agent(tasks, tmp_path):
    run = ran(tmp_path / "run.assay")
    assert values(scored(tasks, run, run)) == [50.0]
    with RunFile.read(run) as kept:
        assert [each.run.raw for each in kept.answering.runs()] == ["raw"]


def test_into_another_run_file_what_the_agent_did_comes_along(tasks, tmp_path):
    first, other = ran(tmp_path / "run.assay"), tmp_path / "other.assay"
    assert values(scored(tasks, first, other)) == [50.0]
    first.unlink()
    assert values(scored(tasks, other, other)) == [50.0]  # nothing of the first is needed
    with RunFile.read(other) as kept:
        (run,) = kept.answering.runs()
    assert (run.run.opened, run.run.cost, run.run.raw) == ((A,), 0.5, "")


def test_the_day_is_that_of_the_agents_whose_runs_are_scored(tasks, tmp_path):
    days = {tmp_path / "first.assay": "2026-03-01", tmp_path / "second.assay": "2026-04-01"}
    for number, (path, day) in enumerate(days.items()):
        ran(path, task="tu"[number])
        with RunFile.create(path) as file:
            file.answering.register({"heron": {"date": day}})

    def day_of(*reports, **given):
        given |= {"protocols": ("retrieval",), "run": tmp_path / "r", "offline_sources": True}
        return plan_of(*asked(tasks, reports, **given)).day.isoformat()

    first, second = days
    assert day_of(first) == "2026-03-01"
    assert day_of(first, date="2026-11-20") == "2026-11-20"
    assert day_of(first, second) not in days.values()  # of two, neither is that of all


def test_a_report_in_a_folder_is_known_again_by_its_text(tasks, folder, tmp_path):
    assert values(scored(tasks, folder, ran(tmp_path / "run.assay"))) == [50.0]
    edited = ran(tmp_path / "edited.assay", text=f"{TEXT}\nMore.\n")
    assert values(scored(tasks, folder, edited)) == [Cause.MISSING_INPUT]


def test_what_was_not_seen_may_be_seen_later(tasks, folder, tmp_path):
    run = tmp_path / "run.assay"
    assert values(scored(tasks, folder, run)) == [Cause.MISSING_INPUT]
    assert values(scored(tasks, ran(tmp_path / "seen.assay"), run)) == [50.0]


def test_answering_into_a_file_that_was_scored_already(tasks, folder, tmp_path):
    run = tmp_path / "run.assay"
    assert values(scored(tasks, folder, run)) == [Cause.MISSING_INPUT]
    assert values(scored(tasks, folder, ran(run))) == [50.0]


def test_another_run_of_the_agent_never_mixes_with_the_first(tasks, tmp_path):
    run = tmp_path / "scores.assay"
    scored(tasks, ran(tmp_path / "first.assay"), run)
    again = ran(tmp_path / "again.assay", opened=())
    with pytest.raises(ConfigurationChanged, match="another run of heron on task t"):
        scored(tasks, again, run)
    assert values(scored(tasks, run, run)) == [50.0]
    assert values(scored(tasks, again, tmp_path / "other.assay")) == [0.0]


def recipes(run):
    return {str(each.signature) for each in records_of([run])}


def test_whoever_judges_is_no_part_of_the_recipe_where_nobody_is_asked(tasks, tmp_path):
    first = ran(tmp_path / "run.assay")
    alone, panel = tmp_path / "alone.assay", tmp_path / "panel.assay"
    assert values(scored(tasks, first, alone)) == [50.0]
    two = ["tests.judging:verdicts", "offline"]
    assert values(scored(tasks, first, panel, judges=two)) == [50.0]
    assert recipes(alone) == recipes(panel) and "judges:model=none" in recipes(alone).pop()
    (record,) = records_of([panel])
    assert not evidence_of(record).judges


def test_a_file_that_names_a_judge_who_was_not_asked_goes_on(tasks, tmp_path, monkeypatch):
    first, new, old = (tmp_path / f"{name}.assay" for name in ("run", "new", "old"))
    ran(first)
    scored(tasks, first, new)

    def as_it_was(plan, protocol, panel):
        return {**plans.identity_of(plan, protocol, panel), "judges": [{"model": "offline"}]}

    with monkeypatch.context() as patch:
        patch.setattr("deepassay.run.asking.execute.identity_of", as_it_was)
        scored(tasks, first, old)
    with RunFile.read(old) as kept:
        before = [each.key for each in kept.scores()]
        assert kept.protocols()["retrieval"]["judges"] == [{"model": "offline"}]
    assert values(scored(tasks, first, old)) == [50.0]
    with RunFile.read(old) as kept:
        assert [each.key for each in kept.scores()] == before
    assert recipes(old) == recipes(new)


def test_without_relevant_pages_the_counts_are_kept_and_replayed(tasks, tmp_path):
    tasks.write_text(json.dumps({"id": "t", "prompt": "How high?"}))
    run = ran(tmp_path / "run.assay")
    assert values(scored(tasks, run, run)) == [Cause.MISSING_INPUT]
    (record,) = records_of([run])
    pages = evidence_of(record).funnel.pages
    assert (pages.found, pages.opened, pages.cited) == (2, 1, 1)
