"""What a run says of itself when it is over."""

import asyncio
import json
import os
import shutil
import signal
from dataclasses import replace
from types import SimpleNamespace

import pytest

from deepassay.errors import BadRunFile
from deepassay.run.evaluate import evaluate, pages_of_no_host
from deepassay.run.request import Request
from deepassay.runfile import Capture, RunFile, writer
from deepassay.runfile.seals import keep_seals
from deepassay.sources.faults import NO_HOST
from tests.judging import verdicts
from tests.loopback import FakeJudge

NOWHERE = Capture("https://a.example/1", "2026-11-20T10:00:00Z", "direct", failure="dead")
NOWHERE = replace(NOWHERE, detail=NO_HOST)
ELSEWHERE = replace(NOWHERE, url="https://b.example/2")
GONE = replace(NOWHERE, url="https://c.example/3", detail="The server answered with status 404.")


@pytest.mark.parametrize(
    ("captures", "pages"),
    [((), 0), ((NOWHERE, ELSEWHERE), 2), ((NOWHERE, GONE), 0)],
    ids=["no pages", "no host at all", "a host that answered"],
)
def test_a_network_without_names_is_noticed(captures, pages, tmp_path):
    async def keep(run):
        for capture in captures:
            await run.captures.keep(capture)

    with RunFile.create(tmp_path / "run.assay") as run:
        asyncio.run(keep(run))
        assert pages_of_no_host(run) == pages


def asked_of(judge, folder, texts, connections):
    """A request of one question for each text, to a judge on loopback."""
    tasks = [json.dumps({"id": f"t{number}", "prompt": "Why?"}) for number in range(len(texts))]
    (folder / "tasks.jsonl").write_text("\n".join(tasks))
    (folder / "heron").mkdir()
    for number, text in enumerate(texts):
        (folder / "heron" / f"t{number}.md").write_text(text)
    return Request(
        folder / "tasks.jsonl",
        [folder / "heron"],
        protocols=["presentation"],
        run=folder / "run.assay",
        judges=["openai:good"],
        base_url=judge.base_url,
        max_connections=connections,
        allow_unpriced=True,
    )


@pytest.mark.parametrize("free", [1_000_000, 10**12])
def test_where_what_a_run_is_about_may_not_fit_it_is_written_before_anybody_is_asked(
    tmp_path, monkeypatch, free
):
    def on_a_full_disk(db):
        keep_seals(db)
        db.execute("PRAGMA max_page_count=1")

    texts = [f"# Noise\n\n{os.urandom(5_000).hex()}\n" for _ in range(40)]
    monkeypatch.setattr(writer, "keep_seals", on_a_full_disk)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    with FakeJudge(verdicts, latency=0.5) as judge:
        request = asked_of(judge, tmp_path, texts, connections=4)
        with pytest.raises(BadRunFile, match="disk is full"):
            evaluate(request)
        assert len(judge.requests) <= (4 if free > 10**9 else 0)


def test_no_outcome_is_kept_where_what_it_is_about_cannot_be(tmp_path, monkeypatch):
    def on_a_full_disk(db):
        keep_seals(db)
        db.execute("PRAGMA max_page_count=1")  # as large as it is, and no larger

    tasks, report = tmp_path / "tasks.jsonl", tmp_path / "heron" / "a.md"
    tasks.write_text('{"id": "a", "prompt": "Why?"}\n')
    report.parent.mkdir()
    report.write_text(f"# Noise\n\n{os.urandom(100_000).hex()}\n")
    request = Request(tasks, [report], protocols=["presentation"], run=tmp_path / "run.assay")
    with monkeypatch.context() as patch, pytest.raises(BadRunFile, match="disk is full"):
        patch.setattr(writer, "keep_seals", on_a_full_disk)
        evaluate(request)
    with RunFile.read(request.run) as run:
        assert list(run.answers()), "there was no room for anything"
        assert list(run.score_places()) == []
    assert evaluate(request).tally.scored == 1


def test_after_a_signal_nothing_is_asked_that_was_only_made_ready(tmp_path):
    def answer(body):  # the signal comes while both connections are in use
        asked.append(body)
        if len(asked) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return verdicts(body)

    asked = []
    texts = [f"# Rain\n\nIt rained {number} times.\n" for number in range(9)]
    with FakeJudge(answer, latency=0.5) as judge:
        request = asked_of(judge, tmp_path, texts, connections=2)
        stopped = evaluate(request)
        assert len(judge.requests) == 2
        assert (stopped.signal, stopped.tally.scored, stopped.tally.left) == (signal.SIGINT, 2, 7)
        assert stopped.calls == {"answered": 2}
        assert evaluate(request).tally.scored == 9
        assert len(judge.requests) == 9
