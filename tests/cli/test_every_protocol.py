"""Every protocol against one judge on loopback: each question gets an answer that it can use."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from deepassay.protocols.registry import PROTOCOLS
from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.showing.records import records_of
from deepassay.runfile import RunFile, StoredAnswer
from deepassay.score import Cause, Score
from tests.asked import Asked
from tests.asked import asked as asking
from tests.cli.conftest import Run
from tests.loopback import FakeJudge

pytestmark = pytest.mark.filterwarnings("ignore:.*came in, \\d+ found their tasks")

MADE = "ace(make=True)"
"""Stands for `ace`, for which the demo has no checklists."""

OF_PARTS = {
    "presentation/gather_evidence",
    "coverage/gather_evidence",
    "error_patterns/find_places",
    "rubrics/gather_evidence",
    "ace/gather_evidence",
    "rubrics/gather_as_released",
}
"""Operations that are asked about each part of a long report."""


@pytest.fixture
def two(tmp_path: Path, demo: Path) -> Path:
    """The demo's tasks in both languages, one of each, with completions to choose from."""
    rows = map(json.loads, (demo / "tasks.jsonl").read_text("utf-8").splitlines())
    sides = {"chosen": ["It is so."], "rejected": ["It is not.", "Perhaps.", "Who knows?"]}
    chosen = [
        json.dumps({**row, "completions": sides, "feedback": ["Be brief."]}, ensure_ascii=False)
        for row in rows
        if row["id"] in ("swift-boxes", "compost-yard")
    ]
    (tmp_path / "tasks.jsonl").write_text("\n".join(chosen), "utf-8")
    return tmp_path / "tasks.jsonl"


def request(tasks: Path, demo: Path, judge: FakeJudge, **more: object) -> Asked:
    agents = [demo / "reports" / name for name in ("heron", "magpie")]
    return asking(
        **{
            "tasks": tasks,
            "reports": agents,
            "judge": ["openai:good"],
            "base_url": judge.base_url,
            "reference": "heron",
            "baseline": "heron",
            "criteria": demo / "criteria.yaml",
            "rubric": demo / "rubrics.yaml",
            "previous": str(demo / "reports"),
            "offline_sources": True,
            "date": "2026-05-04",
            "run": tasks.parent / "run.assay",
            **more,
        }
    )


def answers(run: Path) -> list[StoredAnswer]:
    """What became of every question."""
    with RunFile.read(run) as file:
        return [answer for key in file.answers() if (answer := file.answer(key)) is not None]


@pytest.mark.parametrize("edition", ["paper", "code"])
def test_every_protocol_gets_answers_that_it_can_use(
    two: Path, demo: Path, judge: FakeJudge, edition: str
) -> None:
    named = [
        name
        for name, kind in PROTOCOLS.items()
        if edition in kind.editions and kind(edition=edition).operations()
    ]
    names = [MADE if name == "ace" else name for name in named]
    asked = request(two, demo, judge, protocols=names, edition=edition)
    import_pages([demo / "pages.jsonl"], asked.run, url=None)
    evaluate(*asked)
    assert [each for each in answers(asked.run) if each.cause is not None] == []
    scored = {
        each.protocol.partition("(")[0]
        for each in records_of([asked.run])
        if isinstance(each.outcome, Score)
    }
    assert scored == set(named)


@pytest.mark.parametrize(
    ("protocols", "edition", "length", "window"),
    [
        (["presentation", "coverage", "error_patterns", "rubrics", MADE], "paper", 150_000, 30_000),
        (["rubrics"], "code", 650_000, None),
    ],
)
def test_so_do_those_that_read_a_long_report_in_parts(
    two: Path, demo: Path, judge: FakeJudge, protocols: list[str], edition: str, length: int,
    window: int | None,
) -> None:  # fmt: skip
    text = (demo / "reports" / "heron" / "swift-boxes.md").read_text("utf-8")
    long = two.parent / "crane" / "swift-boxes.md"
    long.parent.mkdir()
    long.write_text(f"{text}\n\n" * (length // len(text)), "utf-8")
    asked = request(
        *(two, demo, judge), reports=[long.parent], protocols=protocols, edition=edition,
        context_window=window, limit=1, reference=None, baseline=None, previous=None,
    )  # fmt: skip
    summary = evaluate(*asked)
    assert summary.tally.scored == len(protocols)
    found = answers(asked.run)
    assert {each.cause for each in found} <= {None, Cause.CONTEXT_OVERFLOW}
    parts = Counter(each.operation for each in found if each.operation in OF_PARTS)
    in_parts = {each.partition("/")[0] for each, count in parts.items() if count > 1}
    assert in_parts == {each.partition("(")[0] for each in protocols}


def test_what_every_protocol_found_can_be_opened(two: Path, demo: Path, deepassay: Run) -> None:
    names = [MADE if name == "ace" else name for name in PROTOCOLS]
    agents = [demo / "reports" / name for name in ("heron", "magpie")]
    asked = asking(
        tasks=two, reports=agents, protocols=names, reference="heron", baseline="heron",
        criteria=demo / "criteria.yaml", rubric=demo / "rubrics.yaml", offline_sources=True,
        previous=str(demo / "reports"), date="2026-05-04", run=two.parent / "run.assay",
    )  # fmt: skip
    import_pages([demo / "pages.jsonl"], asked.run, url=None)
    evaluate(*asked)
    opened = deepassay("explain", asked.run, "--agent", "magpie", "--task", "swift-boxes")
    assert opened.returncode == 0, opened.stderr
    for name in PROTOCOLS:
        assert f"\n{name}" in f"\n{opened.stdout}", name
    assert deepassay("html", asked.run, "-o", "page.html").returncode == 0
