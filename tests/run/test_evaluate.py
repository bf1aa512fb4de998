"""What a run says of itself when it is over."""

import asyncio
import os
from dataclasses import replace

import pytest

from deepassay.errors import BadRunFile
from deepassay.run.evaluate import evaluate, pages_of_no_host
from deepassay.run.request import Request
from deepassay.runfile import Capture, RunFile, store
from deepassay.runfile.seals import keep_seals
from deepassay.sources.faults import NO_HOST

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
        patch.setattr(store, "keep_seals", on_a_full_disk)
        evaluate(request)
    with RunFile.read(request.run) as run:
        assert list(run.answers()), "there was no room for anything"
        assert list(run.score_places()) == []
    assert evaluate(request).tally.scored == 1
