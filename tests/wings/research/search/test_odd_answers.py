"""Whatever a search service answers costs that search at most, and can be kept."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.agents.search_results import SearchHits, shortened_query
from deepassay.errors import SearchFailed
from deepassay.wings.research.search.answers import LONGEST_ANSWER, LONGEST_LINE, read_hits
from deepassay.wings.research.search.opening import KeptSearch
from deepassay.wings.research.search.providers import PROVIDERS
from tests.wings.research.search.test_providers import ANSWERS
from tests.wings.research.sessions import session

GOOD = {"url": "https://good.example/", "title": "Good", "highlights": ["Fine."]}


def deep(depth, inner='"x"'):
    return "[" * depth + inner + "]" * depth


BESIDE = {
    "a cost of 400 digits": ("costDollars", '{"total": ' + "9" * 400 + "}"),
    "a negative cost": ("costDollars", '{"total": -5}'),
    "no number as cost": ("costDollars", '{"total": NaN}'),
    "an endless cost": ("costDollars", '{"total": 1e999}'),
    "a cost that is true": ("costDollars", '{"total": true}'),
    "a cost in words": ("costDollars", '{"total": "5"}'),
    "costs in a list": ("costDollars", "[1, 2]"),
    "credits of 400 digits": ("credits", "9" * 400),
    "credits below none": ("credits", "-4"),
    "engines in 900 lists": ("unresponsive_engines", deep(900)),
    "engines as a number": ("unresponsive_engines", "7"),
    "an error in 900 lists": ("error", deep(900)),
}


@pytest.mark.parametrize("title", BESIDE)
def test_what_is_odd_beside_the_hits_costs_no_hit(title):
    name, value = BESIDE[title]
    answer = f'{{"results": [{json.dumps(GOOD)}], "{name}": {value}}}'
    found = read_hits(PROVIDERS["exa"], answer, 10)
    assert [hit.url for hit in found.hits] == ["https://good.example/"] and found.cost is None
    assert not [note for note in found.notes if "credits" in note]
    json.dumps(found.as_json(), allow_nan=False)


ENTRIES = {
    "a title in 900 lists": '{"url": "https://a.example/", "title": ' + deep(900) + "}",
    "a title as a mapping": '{"url": "https://a.example/", "title": {"x": 1}}',
    "half a character": '{"url": "https://a.example/", "title": "\\ud800", "text": "\\udfff"}',
    "a title without an end": '{"url": "https://a.example/", "title": "' + "a" * 10**6 + '"}',
    "a date of numbers": '{"url": "https://a.example/", "publishedDate": 20250101}',
    "a text of texts": '{"url": "https://a.example/", "text": ["a"], "highlights": {"a": 1}}',
}
NO_HITS = {
    "a user": "https://user:key@a.example/",
    "a user alone": "https://user@a.example/",
    "a line's end": "https://a.example/\\nHost: b.example",
    "a return": "https://a.example/\\r\\nX: y",
    "a tab": "https://a.example/\\tx",
    "a blank": "https://a.example/a b",
    "a null": "https://a.example/\\u0000",
    "a script": "javascript:alert(1)//https://a.example",
    "a file": "file:///etc/passwd",
    "no host": "https:///path",
    "a port of six digits": "https://a.example:123456/",
    "brackets": "https://[::1/",
    "no end": "https://a.example/" + "a" * 5000,
    "nothing": "",
}


@pytest.mark.parametrize("title", ENTRIES)
def test_what_is_odd_in_a_hit_is_not_there(title):
    answer = f'{{"results": [{ENTRIES[title]}, {json.dumps(GOOD)}]}}'
    found = read_hits(PROVIDERS["exa"], answer, 10)
    assert [hit.url for hit in found.hits] == ["https://a.example/", "https://good.example/"]
    assert len(found.hits[0].title) <= LONGEST_LINE and found.hits[1].title == "Good"
    json.dumps(found.as_json(), ensure_ascii=False).encode()


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("title", NO_HITS)
def test_an_address_that_nobody_is_to_ask_for_is_no_hit(name, title):
    provider = PROVIDERS[name]
    entries = f'[{{"{provider.fields.url}": "{NO_HITS[title]}", "title": "x"}}, 3, null, "x", []]'
    for key in reversed(provider.fields.hits):
        entries = f'{{"{key}": {entries}}}'
    assert read_hits(provider, entries, 10).hits == ()


WRONG = {
    "brackets": "[" * 200_000,
    "keys": '{"a":' * 200_000,
    "digits": '{"x": ' + "9" * 5000 + "}",
    "a number": "1e999",
    "nothing": "",
    "a page": "<html>Bad gateway</html>",
    "too much": '{"results": "' + "a" * LONGEST_ANSWER + '"}',
    "a list": "[]",
    "an error in lists": '{"error": ' + deep(800) + "}",
    "a null": "null",
}


@pytest.mark.parametrize("title", WRONG)
def test_what_is_no_answer_is_a_search_that_failed(title):
    with pytest.raises(SearchFailed) as failed:
        read_hits(PROVIDERS["exa"], WRONG[title], 10)
    assert len(str(failed.value)) < 600


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


@settings(max_examples=30, deadline=None)
@given(name=st.sampled_from(list(PROVIDERS)), value=JSON, seed=st.randoms())
def test_any_value_at_any_place_costs_that_search_at_most(name, value, seed):
    """One place of a true answer holds something else; the rest can be read and kept."""
    told = json.loads(json.dumps(ANSWERS[name]))
    places = []

    def walk(within):
        for key in within if isinstance(within, dict) else range(len(within)):
            places.append((within, key))
            if isinstance(within[key], dict | list):
                walk(within[key])

    walk(told)
    within, key = seed.choice(places)
    within[key] = value
    try:
        found = read_hits(PROVIDERS[name], json.dumps(told), 10)
    except SearchFailed:
        return
    assert SearchHits.of(json.loads(json.dumps(found.as_json(), allow_nan=False))) == found


def test_a_search_that_failed_leaves_the_others(tmp_path):
    """Through the store: what was found is kept, what failed is asked anew."""
    answers = [WRONG["brackets"], f'{{"results": [{ENTRIES["half a character"]}]}}']

    class Odd:
        identity = {"provider": "exa"}  # noqa: RUF012

        async def search(self, query, *, count=10, language=None):
            return read_hits(PROVIDERS["exa"], answers.pop(0), count)

    async def asked(given):
        kept = KeptSearch(given.tools.run.answering, Odd(), Odd.identity)
        with pytest.raises(SearchFailed):
            await kept.search("tide")
        first = await kept.search("tide")
        assert await kept.search("tide") == first and len(first.hits) == 1

    with session(tmp_path) as given:
        asyncio.run(asked(given))


def test_a_query_is_cut_to_what_is_asked():
    assert (
        shortened_query("a\n b  c") == "a b c"
        and shortened_query("word " * 130_000).count(" ") < 1000
    )
    assert len(shortened_query("x" * 10**7)) == 2000 and shortened_query("a b c", 400, 2) == "a b"
