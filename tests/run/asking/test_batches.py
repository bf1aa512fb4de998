"""A run in batches: the scores of a live run at half the price, wherever it is stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from deepassay.errors import BadInput, BadSetting
from deepassay.models.batches import batchers
from deepassay.models.batches.interface import Pacing
from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.asking.waiting import forget
from deepassay.run.settings import Settings
from deepassay.run.showing.records import as_lines
from deepassay.runfile import RunFile
from deepassay.wings.build.yardsticks.steps import make_checklists
from tests.batching import NEVER, FakeBatches
from tests.judging import verdicts
from tests.run.kills import DEMO
from tests.run.kills import settings as of_the_demo

pytestmark = [
    pytest.mark.filterwarnings("ignore:Questions in batches"),
    pytest.mark.filterwarnings("ignore:.*no price for tests.run.asking.test_batches"),
]

QUICK = Pacing(idle=0.05, first=0.01, longest=0.02)
PRICE = {"input": 10, "output": 100}


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Five protocols over the reports of one task of the demo, at a known price."""
    monkeypatch.setattr(batchers, "PACING", QUICK)
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"good": PRICE}))
    return of_the_demo(tmp_path, tasks=1) | {"prices": str(prices), "allow_unpriced": False}


def run_of(options: dict[str, Any], **more: Any) -> Any:
    given = options | more
    tasks, reports = Path(given.pop("tasks")), [Path(given.pop("reports"))]
    return evaluate(tasks, reports, Settings(**given), tell_of_signal=lambda: None)


def scores_in(path: Path) -> list[str]:
    """Every outcome as it is exported, but for its cost, and by which way it was come by."""
    with RunFile.read(path) as run:
        lines = list(as_lines(run))
    for line in lines:
        line["record"] = {**line["record"], "batched": None}
    return [json.dumps(line, sort_keys=True) for line in lines]


def test_scores_in_batches_are_those_of_live_asking_at_half_the_price(tmp_path, options):
    with FakeBatches(verdicts) as service:
        options["base_url"] = service.base_url
        live = run_of(options, run=tmp_path / "live")
        asked = service.paid.total()
        batched = run_of(options, run=tmp_path / "batched", batch=True)
        again = run_of(options, run=tmp_path / "batched")
    assert scores_in(tmp_path / "batched") == scores_in(tmp_path / "live")
    # What is asked next depends on what was answered: some waves, and not a batch for each case.
    assert 2 <= len(service.batches) <= 6
    assert service.paid.total() == 2 * asked  # and nothing for the last run
    assert batched.spent == pytest.approx(live.spent / 2) and again.spent == batched.spent
    with RunFile.read(tmp_path / "batched") as run:
        records = [score.record for score in run.scores()]
    for record in records:  # an agent that cites nothing is scored without a question
        assert record.get("batched", []) == [name for name in record["served"] if name != "offline"]
    assert sum("batched" in record for record in records) > 10


def test_a_run_that_waits_for_no_batch_goes_on_when_it_is_back(tmp_path, options):
    path = tmp_path / "run.assay"
    with FakeBatches(verdicts, polls=NEVER) as service:
        options |= {"base_url": service.base_url, "run": path}
        ends = [run_of(options, batch=True, batch_wait=0.0) for _ in range(2)]
        assert [end.out_of_time for end in ends] == [True, True]
        assert ends[0].tally.left and ends[0].waiting[0].state == "submitted"
        assert "the same command collects the answers" in "".join(ends[0].lines())
        with pytest.raises(BadSetting, match="questions wait in batch 1"):
            run_of(options)  # live they would be paid for twice
        service.polls = 1
        whole = run_of(options, batch=True)
        assert whole.tally.left == 0 and not whole.waiting
        live = run_of(options, run=tmp_path / "live")
    assert scores_in(path) == scores_in(tmp_path / "live")
    assert set(service.paid.values()) == {1}
    assert whole.spent == pytest.approx(live.spent / 2)


async def slowly(prompt: str) -> str:
    """A judge in this process, who takes longer than batches are waited for."""
    await asyncio.sleep(0.5)
    return verdicts({"messages": [{"role": "user", "content": prompt}]})


def test_a_run_that_waits_for_no_batch_lets_the_judge_beside_it_end(tmp_path, options):
    with FakeBatches(verdicts, polls=NEVER) as service:
        options |= {"base_url": service.base_url, "run": tmp_path / "run.assay"}
        options |= {"judges": ["openai:good", f"{__name__}:slowly"], "protocols": ["presentation"]}
        end = run_of(options, batch=True, batch_wait=0.0)
    assert end.out_of_time and end.tally.left == end.tally.total
    with RunFile.read(tmp_path / "run.assay") as run:
        assert len([*run.exchanges()]) == end.tally.total  # by one of two; the others wait


@pytest.mark.parametrize("batch", [True, False])
def test_the_pace_of_what_is_in_batches_promises_no_end(tmp_path, options, batch):
    seconds = []
    with FakeBatches(verdicts) as service:
        given = {"base_url": service.base_url, "protocols": ["presentation"], "batch": batch}
        tasks, reports = Path(options.pop("tasks")), [Path(options.pop("reports"))]
        settings = Settings(**options | given, run=tmp_path / "run.assay")
        evaluate(tasks, reports, settings, lambda tally, spent: seconds.append(tally.seconds_left))
    assert seconds and all((each is None) == batch for each in seconds)


def test_a_signal_leaves_batches_where_they_are(tmp_path, options):
    """Ctrl-C while a batch is waited for."""
    with FakeBatches(verdicts, polls=NEVER) as service:
        service.moments["before GET /v1/batches/{id}"] = lambda: os.kill(os.getpid(), signal.SIGINT)
        options |= {"base_url": service.base_url, "run": tmp_path / "run.assay"}
        end = run_of(options, batch=True)
        assert end.signal == signal.SIGINT and end.tally.left > 10
        assert [batch.state for batch in end.waiting] == ["submitted"]
        assert "POST /v1/batches/{id}/cancel" not in service.requests
        service.polls = 1
        assert run_of(options, batch=True).tally.left == 0
        assert set(service.paid.values()) == {1}


def test_a_batch_that_is_given_up_is_asked_anew(tmp_path, options):
    with FakeBatches(verdicts, polls=NEVER) as service:
        options |= {"base_url": service.base_url, "run": tmp_path / "run.assay"}
        run_of(options, batch=True, batch_wait=0.0)
        forget(tmp_path / "run.assay", 1)
        with pytest.raises(BadInput, match="no batch 1 is waited for"):
            forget(tmp_path / "run.assay", 1)
        assert run_of(options).tally.left == 0  # live
    with RunFile.read(tmp_path / "run.assay") as run:
        (batch,) = run.batching.batches()
    assert (batch.state, batch.detail) == ("gone", "it was given up")


def test_results_that_are_back_and_not_read_are_not_asked_for_live(tmp_path, options, monkeypatch):
    """A process died between the two; then somebody gives the batch up all the same."""
    options |= {"run": tmp_path / "run.assay", "protocols": ["presentation"]}

    async def die(*given):
        raise KeyError("killed")

    with FakeBatches(verdicts) as service:
        options |= {"base_url": service.base_url}
        with monkeypatch.context() as dying, pytest.raises(KeyError):
            dying.setattr(RunFile, "keep_answer", die)
            run_of(options, batch=True)
        with pytest.raises(BadSetting, match=r"(?s)questions wait in batch 1.*--forget 1"):
            run_of(options)
        with RunFile.read(options["run"]) as run:
            assert not run.batching.open() and run.batching.requests
        forget(options["run"], 1)
        asked = service.paid.total()
        assert run_of(options).tally.left == 0
        assert service.paid.total() == 2 * asked  # what was given up is paid for again


def test_what_may_come_to_a_batch_counts_against_the_budget(tmp_path, options):
    """One batch whose worst case just fits, and no second one: neither now nor later."""
    with FakeBatches(verdicts, polls=NEVER) as service:
        options |= {"base_url": service.base_url, "run": tmp_path / "run.assay"}
        options |= {"protocols": ["presentation"], "batch": True, "batch_wait": 0.0}
        options |= {"max_output": 1000}
        run_of(options)
        with RunFile.read(tmp_path / "run.assay") as run:
            (batch,) = run.batching.batches()
        # 1,000 tokens out at half of $100 a million, and what goes in
        assert batch.requests * 0.05 < batch.reserved < batch.requests * 0.5
        options |= {"protocols": ["presentation", "coverage"], "budget": batch.reserved + 0.01}
        refused = run_of(options)
        assert refused.out_of_budget or refused.out_of_time
        assert len(service.batches) == 1
        service.polls = 1
        assert run_of(options, batch_wait=None).tally.left == 0  # what it cost leaves room


PAGES = {
    f"https://{name}.example/": f"# Tides of {name}\n\n" + f"The tides of {name} are high. " * 30
    for name in ("harbour", "island", "delta")
}


def citing(folder: Path, agents: int) -> dict[str, str]:
    """Reports of so many agents that cite the same pages: each for its own, some for the same."""
    for agent in range(agents):
        lines = [
            f"Agent {agent} measured {agent + 3} metres of tide by this gauge [1]({url}).\n\n"
            f"The tide of gauge {agent // 2} is the highest of them all [1]({url}).\n\n"
            f"Every agent reads of tides that are high here [1]({url})."
            for url in PAGES
        ]
        path = folder / "reports" / f"agent{agent}" / "tides.md"
        path.parent.mkdir(parents=True)
        path.write_text("# Tides\n\n" + "\n\n".join(lines), "utf-8")
    tasks = folder / "tides.jsonl"
    tasks.write_text('{"id": "tides", "prompt": "How high are tides?"}\n', "utf-8")
    return {"tasks": str(tasks), "reports": str(folder / "reports")}


@pytest.mark.parametrize(("protocol", "about_pages"), [("fact", 0), ("citation_accuracy", 3)])
def test_agents_that_cite_the_same_pages_take_no_more_waves_than_one(
    tmp_path, options, protocol, about_pages
):
    pages = tmp_path / "pages.jsonl"
    pages.write_text(
        "\n".join(json.dumps({"url": u, "text": t}) for u, t in PAGES.items()), "utf-8"
    )
    import_pages([pages], tmp_path / "tides.assay", None)
    options |= {"protocols": [protocol], "snapshots": str(tmp_path / "tides.assay")}
    options |= dict.fromkeys(("criteria", "rubric", "reference"))
    waves, asked = {}, {}
    for agents in (1, 6):
        folder = tmp_path / str(agents)
        with FakeBatches(verdicts) as service:
            given = options | citing(folder, agents) | {"base_url": service.base_url}
            run_of(given, run=folder / "batched", batch=True)
            waves[agents] = len(service.batches)
            asked[agents] = service.paid.total()
            assert set(service.paid.values()) == {1}
    assert waves[6] == waves[1] <= 2
    assert asked == {agents: 3 * agents + about_pages for agents in (1, 6)}
    with RunFile.read(folder / "batched") as run:
        assert len([*run.verdicts.each()]) == 3 * (6 + 3 + 1)


def test_criteria_are_made_in_batches_too(tmp_path, monkeypatch):
    monkeypatch.setattr(batchers, "PACING", QUICK)
    answer = json.dumps({"checklist": [{"item": "Does it say why?", "weight": 5}]})
    with FakeBatches(lambda asked: answer, polls=NEVER) as service:
        given = Settings(
            maker="openai:m",
            base_url=service.base_url,
            batch=True,
            batch_wait=0.0,
            run=tmp_path / "run.assay",
        )
        tasks, output = DEMO / "tasks.jsonl", tmp_path / "ace.jsonl"
        made = make_checklists(tasks, output, given)
        assert made.left == made.total and made.waiting[0].requests == made.total
        service.polls = 1
        again = make_checklists(tasks, output, given.model_copy(update={"batch_wait": None}))
    assert not again.left and not again.waiting
    assert service.paid.total() >= made.total and set(service.paid.values()) == {1}
