"""The summary of cited addresses says of a text in doubt what the judges said that it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from deepassay.models.functions import FunctionClient
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.asking.plan import AskedModel
from deepassay.runfile import Capture, RunFile
from tests.asked import Asked, asked
from tests.captured import keep
from tests.judging import verdicts

HOST = "https://town.example"
SAID = {"1": "page", "2": "not_found", "3": "unclear", "4": "page", "5": "blocked"}
LANGUAGES = {"en": "What of the town?", "zh": "这个城镇的情况如何？"}


def judge(name: str, said: Mapping[str, str]) -> AskedModel:
    """One that says of the page at each address what it is, or nothing that can be read."""

    async def answer(prompt: str) -> str:
        if '"came"' not in prompt:
            return verdicts({"messages": [{"role": "user", "content": prompt}]})
        at = prompt.partition(f"{HOST}/")[2][:1]
        return json.dumps({"came": said.get(at, "no menu has this"), "reason": "seen"})

    answer.__qualname__ = name  # by which judges of a panel are told apart
    return AskedModel(name, client=FunctionClient(answer, 50))


@pytest.fixture
def given(tmp_path: Path) -> Asked:
    """A report in two languages that cites seven pages; all but the last say little."""
    cited = " ".join(f"In 19{at}2 a wall fell ({HOST}/{at})." for at in range(1, 8))
    tasks = [{"id": each, "prompt": asks, "language": each} for each, asks in LANGUAGES.items()]
    (tmp_path / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)), "utf-8")
    (tmp_path / "heron").mkdir()
    for each in LANGUAGES:
        (tmp_path / "heron" / f"{each}.md").write_text(cited, "utf-8")
    with RunFile.create(tmp_path / "run.assay") as run:
        for at in range(1, 8):
            doubt = "It says little." if at < 7 else ""
            text = f"Page {at} says how the weather was."
            keep(run, Capture(f"{HOST}/{at}", "2026-05-04", "direct", text=text, detail=doubt))
    return asked(
        tmp_path / "tasks.jsonl",
        [tmp_path / "heron"],
        protocols=("fact", "retrieval"),
        offline_sources=True,
        date="2026-05-04",
        run=tmp_path / "run.assay",
    )


def told(given: Asked, *judges: AskedModel) -> list[str]:
    summary = evaluate(*given, judges=judges or None)
    assert summary.pages is not None
    return [*summary.pages.lines()]


def test_a_page_in_doubt_is_what_the_judge_says_that_it_is(given: Asked) -> None:
    assert told(given, judge("steady", SAID)) == [
        "cited addresses: 7 came in, 7 have an outcome, 3 can be read, 2 may be no page.",
        f"counts against reports in fact: {HOST}/2: gone.",
        f"left out: {HOST}/5: blocked.",
    ]


def test_a_page_of_which_judges_differ_stays_in_doubt(given: Asked) -> None:
    other = SAID | {"1": "not_found", "5": "unclear", "6": "page"}
    assert told(given, judge("steady", SAID | {"6": "page"}), judge("other", other)) == [
        "cited addresses: 7 came in, 7 have an outcome, 3 can be read, 3 may be no page.",
        f"counts against reports in fact: {HOST}/2: gone.",
    ]


def test_what_one_language_was_told_counts_where_the_other_was_not_asked(given: Asked) -> None:
    lines = told(given.but(limit=1), judge("steady", SAID | {"6": "empty"}))
    assert lines[0].endswith("7 have an outcome, 3 can be read, 1 may be no page.")


def test_without_a_judge_a_page_in_doubt_stays_so(given: Asked) -> None:
    (line,) = told(given)
    assert line.endswith("7 have an outcome, 1 can be read, 6 may be no page.")
