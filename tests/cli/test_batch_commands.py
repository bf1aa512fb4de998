"""Batches from the command line: exit statuses, what is told, and the list of a run's batches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deepassay.models.batches import batchers
from deepassay.models.batches.interface import Pacing
from deepassay.runfile import RunFile
from tests.batching import NEVER, FakeBatches
from tests.judging import verdicts


@pytest.fixture
def service(monkeypatch):
    monkeypatch.setattr(batchers, "PACING", Pacing(idle=0.05, first=0.01, longest=0.02))
    with FakeBatches(verdicts, polls=NEVER) as service:
        yield service


@pytest.fixture
def options(service, tmp_path):
    (tmp_path / "prices.json").write_text('{"good": {"input": 10, "output": 100}}')
    return (
        *("--protocol", "coverage", "--judge", "openai:good", "--base-url", service.base_url),
        *("--date", "2026-11-20", "--max-output", "1000", "--prices", "prices.json"),
    )


def test_a_run_that_waits_ends_with_4_and_lists_its_batches(deepassay, small, service, options):
    pending = deepassay("evaluate", *small, *options, "--batch", "--batch-wait", "0")
    assert pending.returncode == 4
    assert "Waiting: 3 questions, in one batch with openai:good at 127.0.0.1." in pending.stderr
    assert "the same command goes on from here" in pending.stderr
    listed = deepassay("batches", "run.assay").stdout
    assert re.search(r"^1 +submitted +3 +0 +\$0\.1\d+ +- +\d{4}-\S+ +- +openai:good", listed, re.M)
    assert "set aside  cost" in listed
    live = deepassay("evaluate", *small, *options)
    assert live.returncode == 2 and "--forget 1" in live.stderr
    service.polls = 1
    done = deepassay("evaluate", *small, *options, "--batch")
    assert done.returncode == 0 and "Scored 3 of 4" in done.stderr
    listed = deepassay("batches", "run.assay").stdout
    with RunFile.read(Path("run.assay")) as run:
        assert 0 < run.spent() < 0.1
        assert re.search(rf"^1 +collected +3 +3 +- +\${run.spent():.4f} +\d{{4}}-", listed, re.M)
    assert service.paid.total() == 3


def test_each_batch_of_several_is_listed_with_what_its_own_answers_cost(
    deepassay, small, service, options
):
    service.polls, put_right = 1, service.answer
    service.answer = lambda asked: put_right(asked) if len(asked["messages"]) > 2 else "Well."
    done = deepassay("evaluate", *small, *options, "--batch", "--batch-size", "2")
    assert done.returncode == 0, done.stderr
    rows = [
        re.split(" {2,}", each) for each in deepassay("batches", "run.assay").stdout.splitlines()
    ]
    costs = [float(row[5].removeprefix("$")) for row in rows[1:]]
    assert len(costs) >= 3 and all(costs) and {row[4] for row in rows[1:]} == {"-"}
    with RunFile.read(Path("run.assay")) as run:
        assert sum(costs) == pytest.approx(run.spent(), abs=1e-3)


def test_a_batch_is_given_up_by_its_number(deepassay, small, service, options):
    deepassay("evaluate", *small, *options, "--batch", "--batch-wait", "0")
    with RunFile.read(Path("run.assay")) as run:
        (batch,) = run.batching.batches()
        assert run.spent() == 0.0
    assert "gone" in deepassay("batches", "run.assay", "--forget", "1").stdout
    with RunFile.read(Path("run.assay")) as run:  # it may go on at the provider
        assert run.spent() == pytest.approx(batch.reserved) and run.attempts() == {"given up": 3}
    again = deepassay("batches", "run.assay", "--forget", "1")
    assert again.returncode == 2 and "no batch 1 is waited for" in again.stderr
    assert deepassay("evaluate", *small, *options).returncode == 0


def test_criteria_that_wait_end_with_4_too(deepassay, small, service, options):
    given = ("--maker", "openai:good", "--base-url", service.base_url)
    command = ("tasks", "checklist", small[0], "-o", "ace.jsonl", *given)
    done = deepassay(*command, "--batch", "--batch-wait", "0")
    assert done.returncode == 4 and "Waiting: 2 questions" in done.stderr


def test_what_no_queue_has_room_for_ends_with_4_and_is_there_for_the_same_command(
    deepassay, small, service, options
):
    service.room, service.polls = 0, 1
    making = ("tasks", "checklist", small[0], "-o", "ace.jsonl", "--maker", "openai:good")
    making += ("--base-url", service.base_url, "--run", "making.assay")
    for command in (("evaluate", *small, *options), making):
        service.room = 0
        for _ in range(2):
            full = deepassay(*command, "--batch", "--batch-wait", "0.3")
            assert full.returncode == 4, full.stderr
            assert "the same command goes on from here" in full.stderr
            assert "judge_unreachable" not in full.stderr
        service.room = NEVER
        assert deepassay(*command, "--batch").returncode == 0
    assert set(service.paid.values()) == {1}


def test_research_waits_as_evaluate_does(deepassay, small, service, tmp_path):
    agent = f'[agent.one]\nchat = "openai:good"\nbase_url = "{service.base_url}"\nlimit_s = 0.01\n'
    (tmp_path / "assay.toml").write_text(agent)  # a batch takes longer, and may
    service.answer = lambda asked: "Air scatters blue light."
    command = ("research", small[0], "--agent", "one", "--batch")
    pending = deepassay(*command, "--batch-wait", "0")
    assert pending.returncode == 4, pending.stderr
    assert "Waiting: 2 questions" in pending.stderr
    service.polls = 1
    assert "2 reports of 2" in deepassay(*command).stderr
    assert service.paid.total() == 2


def test_an_estimate_in_batches_is_half(deepassay, small, options):
    def cost(*more):
        told = deepassay("estimate", *small, *options, *more).stdout
        return float(re.search(r"\$([\d.]+) if every answer", told)[1])

    assert cost("--batch") == pytest.approx(cost() / 2, abs=0.006)


def test_a_server_that_is_not_there_is_named_by_who_does_not_wait(deepassay, small):
    given = ("--judge", "openai:good", "--base-url", "http://127.0.0.1:9/v1")
    done = deepassay("evaluate", *small, *given, "--batch", "--batch-wait", "0")
    assert done.returncode == 4 and "Not heard of: " in done.stderr
    assert "the server refuses connections" in done.stderr
    assert "refuses connections" in deepassay("batches", "run.assay").stdout


def test_an_endpoint_without_batches_is_refused_before_anything_is_asked(deepassay, small, service):
    done = deepassay("evaluate", *small, "--judge", "ollama:llama3", "--batch")
    assert done.returncode == 2 and "cannot be asked in batches" in done.stderr
    assert not service.requests


@pytest.mark.parametrize(
    ("typed", "needed"),
    [
        (["--batch-wait", "0"], "--batch or --batch-file"),
        (["--batch-size", "9"], "--batch or --batch-file"),
        (["--workers", "2"], "--engine ray"),
    ],
)
def test_what_is_typed_in_vain_is_refused_before_anything_is_asked(
    deepassay, small, service, options, typed, needed
):
    done = deepassay("evaluate", *small, *options, *typed)
    assert done.returncode == 2 and not service.requests
    assert f"{typed[0]} has no effect without {needed}" in done.stderr


def test_terms_of_batches_in_the_file_hold_for_the_commands_that_take_batches(
    deepassay, small, service, options, tmp_path
):
    (tmp_path / "assay.toml").write_text("batch_wait = 0\nbatch_size = 2\n")
    assert deepassay("evaluate", *small, *options, "--run", "live.assay").returncode == 0
    assert not service.batches
    assert deepassay("evaluate", *small, *options, "--batch").returncode == 4
    assert [len(each.lines) for each in service.batches.values()] == [2, 1]


def test_files_are_written_and_collected(deepassay, small, service, options, tmp_path):
    pending = deepassay("evaluate", *small, *options, "--batch-file", "files")
    assert pending.returncode == 4
    assert "3 questions, in one batch with openai:good in files: batch-1.jsonl." in pending.stderr
    assert "charged" not in pending.stderr
    service.carry_out(tmp_path / "files" / "batch-1.jsonl")
    done = deepassay("evaluate", *small, *options, "--batch-file", "files")
    assert done.returncode == 0 and "Scored 3 of 4" in done.stderr


@pytest.mark.parametrize("key", [None, "", "clé"])
def test_files_need_no_key_and_batches_that_are_sent_do(
    deepassay, small, service, tmp_path, monkeypatch, key
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    asked = ("--protocol", "coverage", "--date", "2026-11-20")
    asked += ("--judge", "openai:one", "--judge", "openai:other", "--allow-unpriced")
    evaluate = ("evaluate", *small, *asked, "--batch-file", "files")
    pending = deepassay(*evaluate)
    assert pending.returncode == 4, pending.stderr
    files = sorted((tmp_path / "files").glob("batch-?.jsonl"))
    assert len(files) == 2
    for each in files:
        service.carry_out(each)
    done = deepassay(*evaluate)
    assert done.returncode == 0 and "Scored 3 of 4" in done.stderr, done.stderr
    assert not service.requests
    for batches in ((), ("--batch",)):
        sent = deepassay("evaluate", *small, *asked, *batches, "--run", "sent.assay")
        assert sent.returncode == 2 and "OPENAI_API_KEY" in sent.stderr
