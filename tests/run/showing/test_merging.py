"""A run in shards, merged: the same to the byte as one run, and nothing foreign gets in."""

import asyncio
import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import warnings
from contextlib import closing
from dataclasses import replace

import pytest

from deepassay.agents.registry import agents_of
from deepassay.errors import BadRunFile, BadSetting, ConfigurationChanged, Notice
from deepassay.models.batches import batchers
from deepassay.models.batches.interface import Pacing
from deepassay.run.asking.agent_runs import ResearchTerms
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.settings import Settings
from deepassay.run.showing.boards import ranking_of
from deepassay.run.showing.export import export
from deepassay.run.showing.merging import merge
from deepassay.run.showing.replay import replay
from deepassay.runfile import Attempt, RunFile, SentBack
from deepassay.runfile.rows import Body
from deepassay.wings.research.answering import research
from tests.asked import asked
from tests.batching import NEVER, FakeBatches
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.preloaded import python

TASKS = 9


@pytest.fixture(scope="module")
def judge():
    with FakeJudge(verdicts) as one:
        yield one


@pytest.fixture(scope="module")
def request_(judge, tmp_path_factory):
    """Two agents on nine tasks, of which one has no report of the second agent."""
    folder = tmp_path_factory.mktemp("set")
    tasks = [
        {"id": f"t{number}", "prompt": f"Why {number}?", "checklist": ["Is it named?"]}
        for number in range(TASKS)
    ]
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    for agent, number in itertools.product(("heron", "magpie"), range(TASKS)):
        if (agent, number) != ("magpie", 4):
            (folder / agent).mkdir(exist_ok=True)
            text = f"# Wind {number}\n\n{agent} saw {number} storms [1].\n\n1. https://a.example/{number}\n"
            (folder / agent / f"t{number}.md").write_text(text)
    return asked(
        folder / "tasks.jsonl",
        [folder / "heron", folder / "magpie"],
        protocols=["presentation", "coverage", "depth"],
        judge=["openai:good"],
        base_url=judge.base_url,
        date="2026-11-20",
        allow_unpriced=True,
    )


def of_shard(request_, folder, shard, **changes):
    """The run file of one shard, worked on: of the same shards once, and copied."""
    run = folder / f"{shard.replace('/', '-of-')}.assay"
    if changes:
        evaluate(*request_.but(shard=shard, run=run, **changes))
        return run
    kept = request_.tasks.parent / run.name
    if not kept.exists():
        evaluate(*request_.but(shard=shard, run=kept))
    return shutil.copy(kept, run)


def exported(run, folder):
    """Every table of a run, byte for byte; the name of the file is a column of each."""
    whole = folder / "whole.assay"
    run.rename(whole)
    export([whole], folder / "tables", texts=True)
    whole.rename(run)
    return {file.name: file.read_bytes() for file in (folder / "tables").iterdir()}


@pytest.fixture(scope="module")
def one(request_, tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    run = folder / "run.assay"
    evaluate(*request_.but(run=run))
    return exported(run, folder)


@pytest.mark.parametrize("count", [1, 2, 10])
def test_shards_merged_are_one_run_to_the_byte(count, request_, one, tmp_path):
    shards = [of_shard(request_, tmp_path, f"{number}/{count}") for number in range(1, count + 1)]
    merged = merge(shards[::-1], tmp_path / "merged.assay")
    assert (merged.missing, merged.left, merged.files) == ((), 0, count)
    assert exported(tmp_path / "merged.assay", tmp_path) == one
    with RunFile.read(tmp_path / "merged.assay") as run:
        assert replay(run).proved


def test_a_shard_asks_of_its_tasks_only_and_the_merged_run_goes_on(request_, judge, one, tmp_path):
    before = len(judge.requests)
    first = tmp_path / "first.assay"
    evaluate(*request_.but(shard="1/2", run=first))
    with RunFile.read(first) as run:
        assert [task for task, _ in run.tasks()] == ["t0", "t2", "t4", "t6", "t8"]
    merged = merge([first], tmp_path / "merged.assay")
    assert merged.missing == ("2/2",)
    assert next(merged.lines()).startswith("Merged 1 shard into ")
    summary = evaluate(*request_.but(run=tmp_path / "merged.assay"))
    assert summary.tally.kept == merged.scores
    with RunFile.read(tmp_path / "merged.assay") as run:
        assert len(judge.requests) - before == len(run.answers())
    assert exported(tmp_path / "merged.assay", tmp_path) == one


def test_a_shard_without_a_task_is_none_the_worse(request_, tmp_path):
    summary = evaluate(*request_.but(shard="12/12", run=tmp_path / "run.assay"))
    assert (summary.expected, summary.tally.left) == (0, 0)


def test_each_shard_has_its_part_of_the_budget(request_, tmp_path):
    request = request_.but(budget=7.0, shard="2/7", run=tmp_path / "run.assay")
    assert request.settings.cap == pytest.approx(1.0)
    assert "$1.00 of the budget of $7.00" in "\n".join(evaluate(*request).lines())
    assert Settings(budget=7.0).cap == 7.0


KILLED = """
import os, signal, sys
from pathlib import Path
import deepassay.run.showing.merging as room

def die(*given):
    os.kill(os.getpid(), signal.SIGKILL)

places = {"describing": (room, "keep_descriptions"), "naming": (Path, "hardlink_to")}
setattr(*places[sys.argv[1]], die)
room.merge([Path(each) for each in sys.argv[3:]], Path(sys.argv[2]))
"""


@pytest.mark.parametrize("moment", ["describing", "naming"])
def test_a_merge_that_is_killed_leaves_nothing_that_stands_in_the_way(moment, request_, tmp_path):
    shards = [of_shard(request_, tmp_path, f"{number}/2") for number in (1, 2)]
    target = tmp_path / "merged.assay"
    program = python(KILLED, moment, str(target), *map(str, shards))
    assert subprocess.run(program, check=False).returncode == -signal.SIGKILL
    assert not target.exists() and list(tmp_path.glob(".merged.assay.*.new"))
    merge(shards, target)
    assert sorted(tmp_path.iterdir()) == sorted([*shards, target])
    merge(shards, tmp_path / "again.assay")
    assert ranking_of([target, tmp_path / "again.assay"])


def test_the_log_of_a_run_that_is_gone_is_not_put_into_a_merged_one(request_, tmp_path):
    shard = of_shard(request_, tmp_path, "1/1")
    log = tmp_path / "merged.assay-wal"
    log.write_bytes(b"what a killed run left")
    with pytest.raises(BadRunFile, match=r"merged.assay-wal of the same run is still beside it"):
        merge([shard], tmp_path / "merged.assay")
    assert sorted(tmp_path.iterdir()) == sorted([shard, log])


# What does not belong together


def test_another_configuration_is_refused_and_named(request_, tmp_path):
    first = of_shard(request_, tmp_path, "1/2")
    other = of_shard(request_, tmp_path, "2/2", date="2026-11-21")
    with pytest.raises(BadRunFile, match=r"date: '2026-11-20' in .*1-of-2.assay, '2026-11-21'"):
        merge([first, other], tmp_path / "merged.assay")
    assert not (tmp_path / "merged.assay").exists()


@pytest.mark.filterwarnings("ignore:Questions in batches")
def test_a_shard_that_waits_for_a_batch_is_refused_and_merged_once_it_is_back(
    request_, one, tmp_path, monkeypatch
):
    monkeypatch.setattr(batchers, "PACING", Pacing(idle=0.05, first=0.01, longest=0.02))
    with FakeBatches(verdicts, polls=NEVER) as service:
        changes = {"base_url": service.base_url, "batch": True}
        first = of_shard(request_, tmp_path, "1/2", **changes, batch_wait=0.0)
        with pytest.raises(BadRunFile, match="questions wait in batches"):
            merge([first], tmp_path / "merged.assay")
        service.polls = 1
        shards = [of_shard(request_, tmp_path, f"{number}/2", **changes) for number in (1, 2)]
    merged = merge(shards, tmp_path / "merged.assay")
    with RunFile.read(tmp_path / "merged.assay") as run:
        assert not merged.left and not run.verify().damage and replay(run).proved
        assert not list(run.batching.batches())  # what they brought stands among the answers


def test_a_shard_of_other_tasks_is_refused(request_, tmp_path):
    first = of_shard(request_, tmp_path, "1/2")
    other = of_shard(request_, tmp_path, "2/2", limit=6)
    with pytest.raises(BadRunFile, match="another plan"):
        merge([first, other], tmp_path / "merged.assay")


def test_another_count_of_shards_is_refused(request_, tmp_path):
    first, other = of_shard(request_, tmp_path, "1/2"), of_shard(request_, tmp_path, "2/3")
    with pytest.raises(BadRunFile, match=r"shards of, evaluate: 2 in"):
        merge([first, other], tmp_path / "merged.assay")
    with pytest.raises(ConfigurationChanged, match=r"holds shards of 2, and this is 1/3"):
        evaluate(*request_.but(shard="1/3", run=first))


def test_a_run_of_all_tasks_is_no_shard_and_a_text_no_run(request_, tmp_path):
    first = of_shard(request_, tmp_path, "1/2")
    evaluate(*request_.but(run=tmp_path / "all.assay"))
    with pytest.raises(BadRunFile, match="is no shard of a run"):
        merge([first, tmp_path / "all.assay"], tmp_path / "merged.assay")
    (tmp_path / "text").write_text("Wind.")
    with pytest.raises(BadRunFile, match="not a run file"):
        merge([first, tmp_path / "text"], tmp_path / "merged.assay")
    with pytest.raises(BadRunFile, match="same run"):
        merge([first, first], tmp_path / "merged.assay")


def test_a_run_file_is_never_overwritten(request_, tmp_path):
    first = of_shard(request_, tmp_path, "1/2")
    kept = first.read_bytes()
    with pytest.raises(BadSetting, match="is a run file"):
        merge([first], first)
    assert first.read_bytes() == kept


def rescored(path, **outcome):
    """Put another outcome in place of the first one of a run file; what it was."""
    with RunFile.create(path) as run:
        score = next(iter(run.scores()))
        run._store.write([("DELETE FROM outcomes WHERE key=?", [score.key])])
        asyncio.run(run.keep_score(replace(score, outcome=outcome or score.outcome)))
    return score


@pytest.fixture
def twins(request_, tmp_path):
    """The same shard, worked on in two files."""
    other = tmp_path / "other.assay"
    evaluate(*request_.but(shard="1/2", run=other))
    return [of_shard(request_, tmp_path, "1/2"), other]


def test_a_contradiction_is_named_and_nothing_is_written(twins, tmp_path):
    merge(twins, tmp_path / "alike.assay")
    score = rescored(twins[1], value=0.123, details={})
    with pytest.raises(BadRunFile, match=f"something else .*\n  the score {score.key:.12}"):
        merge(twins, tmp_path / "contradicting.assay")
    assert not list(tmp_path.glob("*contradicting*"))


def test_an_outcome_that_is_open_gives_way_in_either_order(twins, tmp_path):
    score = rescored(twins[1], cause="judge_unreachable", detail="", details={})
    for number, order in enumerate((twins, twins[::-1])):
        target = tmp_path / f"merged-{number}.assay"
        merge(order, target)
        with RunFile.read(target) as run:
            (kept,) = [each for each in run.scores() if each.key == score.key]
        assert kept.outcome == score.outcome


def test_a_question_that_was_cut_off_goes_on_in_the_merged_run_too(twins, tmp_path):
    """Both were killed while they asked the same, one of them a turn further."""
    said = [SentBack(text, "stop", "m", (Attempt("k", 1, "unreadable"),)) for text in "ab"]
    for path, answers in zip(twins, (said, said[:1]), strict=True):
        with RunFile.create(path) as run:
            asyncio.run(run.keep_sent_back("k", answers))
    merge(twins, tmp_path / "merged.assay")
    with RunFile.read(tmp_path / "merged.assay") as run:
        assert asyncio.run(run.sent_back("k")) == said
        assert not run.verify().damage


def test_a_damaged_shard_is_refused(request_, tmp_path):
    shard = of_shard(request_, tmp_path, "1/2")
    with closing(sqlite3.connect(shard)) as db, db:
        db.execute("UPDATE outcomes SET agent='stork' WHERE rowid=1")
    with pytest.raises(BadRunFile, match="is damaged: outcomes: "):
        merge([shard], tmp_path / "merged.assay")


def test_a_shard_that_lost_reports_is_refused_and_their_lack_is_told(request_, tmp_path):
    """Removed with its seal, a row leaves no trace but what rests on it."""
    shards = [of_shard(request_, tmp_path, f"{number}/2") for number in (1, 2)]
    merged = merge(shards, tmp_path / "whole.assay")
    assert "no report: 1 of 18 (magpie on t4)" in "\n".join(merged.lines())
    with RunFile.create(shards[0]) as run:
        (*lost,) = next(run.report_places())
        of = " WHERE agent=? AND task=? AND sample=?"
        run._store.write([(f"DELETE FROM reports{of}", lost)])
        assert not run.verify().damage
    gone = f"reports that have scores are gone, 1 of them: {lost[0]} on {lost[1]}"
    with pytest.raises(BadRunFile, match=gone):
        merge(shards, tmp_path / "merged.assay")
    with RunFile.create(shards[0]) as run:
        run._store.write([(f"DELETE FROM outcomes{of}", lost)])
    lines = "\n".join(merge(shards, tmp_path / "merged.assay").lines())
    assert f"no report: 2 of 18 (heron on {lost[1]}, magpie on t4)" in lines


def test_a_shard_whose_questions_wait_in_batches_is_refused(request_, tmp_path):
    shard = of_shard(request_, tmp_path, "1/2")
    with RunFile.create(shard) as run:
        run._store.write([("INSERT INTO waiting VALUES('n','k',1,0,NULL,0,'',?,?)", [Body({})])])
    with pytest.raises(BadRunFile, match="1 questions wait in batches"):
        merge([shard], tmp_path / "merged.assay")


def test_a_shard_whose_run_is_still_going_is_told_of(request_, tmp_path):
    shards = [of_shard(request_, tmp_path, f"{number}/2") for number in (1, 2)]
    with (
        RunFile.create(shards[1]),
        pytest.warns(Notice, match=rf"2.assay: its run is still going, in process {os.getpid()}"),
    ):
        merge(shards, tmp_path / "early.assay")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        merge(shards, tmp_path / "late.assay")


def test_a_request_that_was_between_two_batches_when_all_ended_is_nothing_to_wait_for(
    request_, tmp_path
):
    """It expired in the first; the process died before the second, and the rest was asked live."""
    shard = of_shard(request_, tmp_path, "1/2")
    with RunFile.create(shard) as run:
        run._store.write([("INSERT INTO waiting VALUES('n','k',NULL,1,0,0,'',?,?)", [Body({})])])
    assert merge([shard], tmp_path / "merged.assay").left == 0


# What agents answered in shards


@pytest.mark.filterwarnings("ignore:depth is left out")
def test_shards_of_research_are_one_run_too_and_are_scored_as_one(request_, tmp_path):
    agents = agents_of([f"heron=files:{request_.reports[0]}"], {})
    runs = {}
    for shard in (None, "1/2", "2/2"):
        run = tmp_path / f"{str(shard)[0]}.assay"
        settings = Settings(run=run, shard=shard, date="2026-11-20", offline_sources=True)
        research(request_.tasks, agents, settings, ResearchTerms())
        runs[shard] = run
    merged = merge([runs["1/2"], runs["2/2"]], tmp_path / "merged.assay")
    assert (merged.runs, merged.missing) == (TASKS, ())
    whole, ours = (answered(run) for run in (runs[None], merged.target))
    assert ours == whole
    summary = evaluate(request_.tasks, [merged.target], request_.but(run=tmp_path / "s").settings)
    assert summary.tally.scored == summary.expected == 2 * TASKS


def answered(run):
    with RunFile.read(run) as file:
        return [replace(each, run=replace(each.run, seconds=0)) for each in file.answering.runs()]


def test_results_of_a_run_without_all_its_shards_say_so(request_, tmp_path):
    shards = [of_shard(request_, tmp_path, f"{number}/3") for number in (1, 2, 3)]
    with pytest.warns(Notice, match=r"holds 1 of 3 shards of `evaluate`; not 2/3, 3/3"):
        ranking_of([shards[0]])
    merge(shards[:2], tmp_path / "part.assay")
    with pytest.warns(Notice, match=r"holds 2 of 3 shards of `evaluate`; not 3/3"):
        ranking_of([tmp_path / "part.assay"])
    merge(shards, tmp_path / "whole.assay")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranking_of([tmp_path / "whole.assay"])
