"""Real traces of five frameworks, with what stands in each."""

from __future__ import annotations

import json

import pytest

from deepassay.reports.loaders import load_reports

SPANS = ("smolagents-tools", "openai-agents", "langgraph", "pydantic-ai")
OTHERS = ("alderby.atif.json", "openai-agents.items.json", "smolagents-tools.memory.json")
FILES = (*(f"{each}.otlp.jsonl" for each in SPANS), *OTHERS, "openai-agents.native.jsonl")


@pytest.fixture(scope="module")
def traces(shared):
    if not (folder := shared / "data" / "traces").is_dir():
        pytest.skip("needs data/traces")
    return folder


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
@pytest.mark.parametrize("name", [*FILES, "inspect.eval", "langgraph.messages.json"])
def test_what_was_found_opened_and_written(traces, name):
    planted = json.loads((traces / "planted.json").read_text())

    (report,) = load_reports([traces / name])

    assert report.prompt.endswith(planted["task"]["prompt"])
    assert report.text.strip() == planted["report"].strip()
    assert report.run.opened == tuple(planted["opened"])
    # The messages of LangGraph have no address of a hit: what was found is not known.
    known = None if name == "langgraph.messages.json" else tuple(planted["found"])
    assert report.run.found == known
    failed = [each.urls for each in report.run.events if not each.came]
    assert failed == [(url,) for url in planted["asked but not opened"]]
