"""A search is named by a word; what it brings is kept, so that a run is repeated without it."""

import asyncio

import pytest

from deepassay.agents.search_results import SearchHit, SearchHits
from deepassay.errors import BadSetting, SearchFailed
from deepassay.runfile import RunFile
from deepassay.wings.research.search.corpus import Corpus
from deepassay.wings.research.search.opening import KeptSearch, search_from
from deepassay.wings.research.search.providers import LiveSearch

KEYS = ("TAVILY_API_KEY", "BRAVE_API_KEY", "EXA_API_KEY", "SERPER_API_KEY", "SEARXNG_URL")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.asyncio
async def test_a_corpus_is_named_by_its_path(tmp_path):
    (tmp_path / "mill.md").write_text("Tide mill.")
    async with search_from(f"corpus:{tmp_path}") as search:
        assert isinstance(search, Corpus)
        assert [hit.snippet for hit in (await search.search("tide")).hits] == ["Tide mill."]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("spec", "environment", "base"),
    [
        ("tavily", {"TAVILY_API_KEY": "tvly-1"}, "https://api.tavily.com"),
        ("brave", {"BRAVE_API_KEY": " b \n"}, "https://api.search.brave.com"),
        ("searxng", {"SEARXNG_URL": "https://searx.example/"}, "https://searx.example"),
        ("searxng:http://127.0.0.1:8888/x/", {}, "http://127.0.0.1:8888/x"),
        ("exa:http://127.0.0.1:8888", {}, "http://127.0.0.1:8888"),
    ],
)
async def test_a_provider_is_named_by_a_word(spec, environment, base, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    async with search_from(spec) as search:
        assert isinstance(search, LiveSearch)
        assert search.identity["base"] == base
        assert search.key == search.key.strip()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("spec", "problem", "remedy"),
    [
        ("google", "'google' names no search", "corpus:PATH, searxng:URL, tavily, brave, exa"),
        ("", "'' names no search", "Choose one of"),
        ("corpus:", "of which files", "corpus:PATH"),
        ("tavily", "TAVILY_API_KEY is not set", "Set the variable"),
        ("serper", "SERPER_API_KEY is not set", "Set the variable"),
        ("searxng", "its address is missing", "Set SEARXNG_URL"),
        ("searxng:searx.example", "no address of a provider", "https://search.example"),
    ],
)
async def test_what_names_no_search_is_told(spec, problem, remedy):
    with pytest.raises(BadSetting, match=problem) as refused:
        async with search_from(spec):
            pass
    assert remedy in refused.value.remedy


class Counting:
    """Finds one page, and counts how often."""

    identity = {"provider": "counting"}  # noqa: RUF012

    def __init__(self):
        self.asked = []

    async def search(self, query, *, count=10, language=None):
        self.asked.append(query)
        await asyncio.sleep(0)
        hits = (
            SearchHit("https://a.example/", "A", query, date="2025-06-01", provider="counting"),
        )
        return SearchHits(hits, ("A note.",), 0.5, 1, "raw")


@pytest.mark.asyncio
async def test_no_query_is_asked_twice_and_a_run_is_repeated_without_the_search():
    with RunFile.in_memory() as run:
        kept = run.answering
        live = Counting()
        search = KeptSearch(kept, live, live.identity)
        first, again = await asyncio.gather(search.search("tide"), search.search("tide"))
        await search.search("tide", language="zh")
        await search.search("tide", count=5)
        assert first == again
        assert len(live.asked) == 3
        later = KeptSearch(kept, None, live.identity)
        assert await later.search("tide") == first
        with pytest.raises(SearchFailed, match="a search for 'mill' brought is not kept"):
            await later.search("mill")
        with pytest.raises(SearchFailed):
            await KeptSearch(kept, None, {"provider": "another"}).search("tide")


def test_what_is_found_survives_json():
    found = asyncio.run(Counting().search("潮汐"))
    assert SearchHits.of(found.as_json()) == found
