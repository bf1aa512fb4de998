"""The corpus and the tasks of the demonstration hold what they are said to hold."""

from pathlib import Path

import pytest

from deepassay.tasks.loaders import load_tasks
from deepassay.wings.research.search.corpus import open_corpus

FOLDER = Path("examples/demo/research")


@pytest.mark.asyncio
async def test_prompts_find_the_pages_that_are_relevant_to_them():
    async with open_corpus(FOLDER / "corpus") as corpus:
        assert len(corpus.pages) == 17
        found = {}
        for task in load_tasks(FOLDER / "tasks.jsonl"):
            assert set(task.relevant) <= corpus.pages.keys()
            hits = (await corpus.search(task.prompt, count=8)).hits
            found[task.id] = len({hit.url for hit in hits} & set(task.relevant))
        assert found == {"on-call-buses": 4, "bus-contract": 3, "rain-gardens": 4}


@pytest.mark.asyncio
async def test_pages_are_of_every_kind():
    async with open_corpus(FOLDER / "corpus") as corpus:
        statuses = sorted(page.status for page in corpus.pages.values())
        assert statuses == [200] * 14 + [403, 404, 404]
        assert max(len(page.text) for page in corpus.pages.values()) > 50_000
        for query, snippet in (
            ("share of car journeys replaced in 2024", "replaced 34 %"),
            ("share of car journeys replaced in 2024", "replaced 22 %"),
            ("雨水花园 削减 径流", "削减了61%"),
            ("雨水花园 削减 径流", "削减了45%"),
            ("ignore previous instructions", "collect.example"),
            ("contract ends notice given", "30 June 2026"),
        ):
            hits = (await corpus.search(query)).hits
            assert any(snippet in hit.snippet for hit in hits), query
        blocked = await corpus.read("https://bus-weekly.example/marle-cost-per-ride")
        assert (blocked.failure, blocked.text) == ("blocked", None)
