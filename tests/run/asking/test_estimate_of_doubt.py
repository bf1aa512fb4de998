"""Questions whether a text is the page: `estimate` counts them, and what follows from an answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deepassay.models.functions import FunctionClient
from deepassay.run.asking.estimate import estimate
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.asking.plan import AskedModel
from deepassay.runfile import Capture, RunFile
from tests.asked import Asked, asked
from tests.captured import keep
from tests.judging import verdicts

REPORTS = {
    "heron": "Some 14 storms came ({0}/1). The wall fell in 1912 ({0}/2). It had 3 gates ({0}/3).",
    "magpie": "In 1912 the wall fell ({0}/2). Boats sank in 9 storms ({0}/1). Oak is old ({0}/4).",
}
HOST = "https://town.example"


class Reader:
    """Says of every text the same, and counts what it is asked of each kind."""

    def __init__(self, came: str) -> None:
        self.came = came
        self.pages = 0
        self.others = 0

    async def __call__(self, prompt: str) -> str:
        if '"came"' in prompt:
            self.pages += 1
            return json.dumps({"came": self.came, "reason": "seen"})
        self.others += 1
        if '"on_topic"' in prompt:
            return json.dumps({"on_topic": True, "reason": "seen"})
        return verdicts({"messages": [{"role": "user", "content": prompt}]})


@pytest.fixture
def given(tmp_path: Path) -> Asked:
    """Two tasks, two agents; of four pages two are in doubt, and both agents cite them."""
    ids = ("one", "two")
    tasks = [json.dumps({"id": each, "prompt": f"What of town {each}?"}) for each in ids]
    (tmp_path / "tasks.jsonl").write_text("\n".join(tasks), "utf-8")
    for agent, text in REPORTS.items():
        (tmp_path / agent).mkdir()
        for each in ids:
            (tmp_path / agent / f"{each}.md").write_text(text.format(HOST), "utf-8")
    with RunFile.create(tmp_path / "run.assay") as run:
        for at in range(1, 5):
            doubt = "It says little." if at in (1, 2) else ""
            text = f"Page {at} says how the weather was."
            keep(run, Capture(f"{HOST}/{at}", "2026-05-04", "direct", text=text, detail=doubt))
    return asked(
        tmp_path / "tasks.jsonl",
        [tmp_path / each for each in REPORTS],
        protocols=("fact", "citation_accuracy"),
        offline_sources=True,
        date="2026-05-04",
        run=tmp_path / "run.assay",
    )


@pytest.mark.parametrize(("came", "end"), [("not_found", 1), ("page", 2)])
def test_each_text_in_doubt_is_asked_about_once_and_the_ends_of_the_span_are_met(
    given: Asked, came: str, end: int
) -> None:
    reader = Reader(came)
    judges = [AskedModel("steady", client=FunctionClient(reader, 50))]
    (reckoned,) = estimate(*given, judges=judges).models.values()
    span = reckoned.of(lambda each: each.calls)
    evaluate(*given, judges=judges)
    assert reader.pages == 2
    assert span[end] == reader.pages + reader.others
    assert span[1] < span[2]
    assert any("in doubt" in each for each in reckoned.deciding)
