"""Every protocol there is against one judge on loopback: each question gets an answer it can use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import deepassay
from deepassay.protocols.registry import PROTOCOLS
from deepassay.run.records import records_of
from deepassay.run.sourcing import import_pages
from deepassay.runfile import RunFile
from deepassay.score import Score
from tests.loopback import FakeJudge

MADE = "ace(make=True)"
"""Stands for `ace`, for which the demo has no checklists."""


@pytest.fixture
def two(tmp_path: Path, demo: Path) -> Path:
    """The demo's tasks in both languages, one of each."""
    rows = (demo / "tasks.jsonl").read_text("utf-8").splitlines()
    chosen = [row for row in rows if json.loads(row)["id"] in ("swift-boxes", "compost-yard")]
    (tmp_path / "tasks.jsonl").write_text("\n".join(chosen), "utf-8")
    return tmp_path / "tasks.jsonl"


def request(tasks: Path, demo: Path, judge: FakeJudge, **more: object) -> deepassay.Request:
    agents = [demo / "reports" / name for name in ("heron", "magpie")]
    return deepassay.Request(
        **{
            "tasks": tasks,
            "reports": agents,
            "judges": ["openai:good"],
            "base_url": judge.base_url,
            "reference": "heron",
            "baseline": "heron",
            "criteria": demo / "criteria.yaml",
            "rubric": demo / "rubrics.yaml",
            "offline_sources": True,
            "date": "2026-05-04",
            "run": tasks.parent / "run.assay",
            **more,
        }
    )


def causes(run: Path) -> set[str | None]:
    """How questions ended: None for those that were answered."""
    with RunFile.read(run) as file:
        return {each.cause for each in file.answers()}


@pytest.mark.parametrize("edition", ["paper", "code"])
def test_every_protocol_gets_answers_that_it_can_use(
    two: Path, demo: Path, judge: FakeJudge, edition: str
) -> None:
    named = [name for name, kind in PROTOCOLS.items() if edition in kind.editions]
    names = [MADE if name == "ace" else name for name in named]
    asked = request(two, demo, judge, protocols=names, edition=edition)
    import_pages([demo / "pages.jsonl"], asked.run, url=None)
    deepassay.evaluate(asked)
    assert causes(asked.run) == {None}
    scored = {
        each.protocol.partition("(")[0]
        for each in records_of([asked.run])
        if isinstance(each.outcome, Score)
    }
    assert scored == set(named)


@pytest.mark.parametrize("edition", ["paper", "code"])
def test_so_do_those_that_read_a_long_report_in_parts(
    two: Path, demo: Path, judge: FakeJudge, tmp_path: Path, edition: str
) -> None:
    text = (demo / "reports" / "heron" / "swift-boxes.md").read_text("utf-8")
    (tmp_path / "crane").mkdir()
    (tmp_path / "crane" / "swift-boxes.md").write_text(text * (150_000 // len(text)), "utf-8")
    asked = request(
        *(two, demo, judge),
        reports=[tmp_path / "crane"],
        protocols=["presentation", "coverage", "error_patterns", "rubrics"][edition == "code" :],
        edition=edition,
        context_window=30_000,
        limit=1,
        reference=None,
        baseline=None,
    )
    deepassay.evaluate(asked)
