"""Each provider is asked as it documents, and its answers are read; what it refuses is named."""

import asyncio
import json
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.agents.search_results import SearchHit
from deepassay.errors import BadSetting, SearchFailed
from deepassay.wings.research.search import providers
from deepassay.wings.research.search.providers import PROVIDERS, LiveSearch, read_hits
from tests.loopback import FakeJudge, Reply

KEY = "key-of-the-test-0123456789"

# Written by us after what each provider documents of its answers.
ANSWERS = {
    "searxng": {
        "query": "tide mills",
        "number_of_results": 0,
        "results": [
            {
                "url": "https://Mills.example/tide?utm_source=x#top",
                "title": "Tide mills",
                "content": "A mill that the tide turns.",
                "publishedDate": "2025-06-01T08:30:00",
                "engine": "duckduckgo",
                "engines": ["duckduckgo", "bing"],
                "score": 4.0,
            },
            {"url": "https://mills.example/tide", "title": "The same", "content": "Again."},
            {"url": "magnet:?xt=urn", "title": "No page"},
            {
                "url": "https://ardle.example/",
                "title": "Ardle",
                "content": "",
                "publishedDate": None,
            },
        ],
        "answers": [],
        "suggestions": ["tidal mill"],
        "unresponsive_engines": [["google", "Suspended: CAPTCHA"]],
    },
    "tavily": {
        "query": "tide mills",
        "answer": None,
        "results": [
            {
                "url": "https://mills.example/tide",
                "title": "Tide mills",
                "content": "A mill that the tide turns.",
                "score": 0.93,
                "raw_content": "# Tide mills\n\nA mill that the tide turns.",
                "published_date": "2025-06-01",
            },
            {"url": "https://ardle.example/", "title": "Ardle", "content": "", "raw_content": None},
        ],
        "response_time": 1.2,
    },
    "brave": {
        "type": "search",
        "query": {"original": "tide mills", "more_results_available": True},
        "web": {
            "type": "search",
            "results": [
                {
                    "url": "https://mills.example/tide",
                    "title": "Tide mills",
                    "description": "A <strong>mill</strong> that the tide turns &amp; drives.",
                    "extra_snippets": ["One stands at Ardle.", "It is old."],
                    "age": "June 1, 2025",
                    "page_age": "2025-06-01T08:30:00",
                },
                {"url": "https://ardle.example/", "title": "Ardle", "description": ""},
            ],
        },
    },
    "exa": {
        "requestId": "r1",
        "resolvedSearchType": "neural",
        "results": [
            {
                "id": "https://mills.example/tide",
                "url": "https://mills.example/tide",
                "title": "Tide mills",
                "publishedDate": "2025-06-01T00:00:00.000Z",
                "author": "",
                "text": "# Tide mills\n\nA mill that the tide turns.",
                "highlights": ["A mill that the tide turns."],
            },
            {"id": "2", "url": "https://ardle.example/", "title": "Ardle"},
        ],
        "costDollars": {"total": 0.007, "search": {"neural": 0.007}},
    },
    "serper": {
        "searchParameters": {"q": "tide mills", "type": "search"},
        "organic": [
            {
                "title": "Tide mills",
                "link": "https://mills.example/tide",
                "snippet": "A mill that the tide turns.",
                "date": "1 июня 2025 г.",
                "position": 1,
            },
            {"title": "Ardle", "link": "https://ardle.example/", "position": 2},
        ],
        "credits": 1,
    },
}
SNIPPETS = {
    "brave": "A mill that the tide turns & drives. … One stands at Ardle. … It is old.",
}
TEXT = "# Tide mills\n\nA mill that the tide turns."


@contextmanager
def serving(name, reply):
    """A provider on loopback. reply: to each request, by its number."""
    with FakeJudge() as server:
        server.paths[PROVIDERS[name].path] = lambda request, text: reply(request.number)
        yield server, f"http://127.0.0.1:{server.port}"


def answering(name):
    return lambda number: Reply(body=json.dumps(ANSWERS[name]).encode())


def failing(status, body=b"no", headers=None, *, times=99, name="tavily"):
    trouble = Reply(status, headers or {}, body)
    return lambda number: trouble if number <= times else answering(name)(number)


async def asked(name, base, query="tide  mills", **options):
    provider = replace(PROVIDERS[name], spacing=0.0)
    async with LiveSearch(provider, base, KEY, first_wait=0.0) as search:
        return await search.search(query, **options)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_an_answer_is_read(name):
    with serving(name, answering(name)) as (_, base):
        found = await asked(name, base)
    first = SearchHit(
        "https://mills.example/tide",
        "Tide mills",
        SNIPPETS.get(name, "A mill that the tide turns."),
        TEXT if name in ("tavily", "exa") else None,
        "1 июня 2025 г." if name == "serper" else "2025-06-01",
        1,
        name,
    )
    assert found.hits == (
        first,
        SearchHit("https://ardle.example/", "Ardle", "", rank=2, provider=name),
    )
    assert found.requests == 1
    assert json.loads(found.raw) == ANSWERS[name]
    assert found.cost == (0.007 if name == "exa" else None)
    notes = {
        "searxng": ("An engine gave no answer: google, Suspended: CAPTCHA.",),
        "serper": ("It took 1 of the plan's credits.",),
    }
    assert found.notes == notes.get(name, ())


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "parameters", "header"),
    [
        ("searxng", {"q": "潮汐", "format": "json", "language": "zh"}, None),
        ("tavily", {"query": "潮汐", "max_results": 20}, ("authorization", f"Bearer {KEY}")),
        (
            "brave",
            {"q": "潮汐", "count": "20", "search_lang": "zh-hans"},
            ("x-subscription-token", KEY),
        ),
        ("exa", {"query": "潮汐", "numResults": 10}, ("x-api-key", KEY)),
        ("serper", {"q": "潮汐", "num": 30, "hl": "zh-cn"}, ("x-api-key", KEY)),
    ],
)
async def test_each_provider_is_asked_in_its_own_words(name, parameters, header):
    with serving(name, answering(name)) as (server, base):
        await asked(name, base, "潮汐", count=30, language="zh")
    (request,) = server.requests
    sent = request.body or {
        key: value for key, (value,) in parse_qs(urlsplit(request.path).query).items()
    }
    assert sent | parameters == sent
    assert header is None or request.headers[header[0]] == header[1]
    assert KEY not in request.path


@pytest.mark.asyncio
async def test_no_more_hits_than_wanted_and_no_request_without_words():
    with serving("searxng", answering("searxng")) as (server, base):
        assert len((await asked("searxng", base, count=1)).hits) == 1
        assert (await asked("searxng", base, " \n ")).hits == ()
    assert len(server.requests) == 1


@pytest.mark.asyncio
async def test_a_query_that_is_too_long_is_cut_and_that_is_told():
    with serving("brave", answering("brave")) as (server, base):
        found = await asked("brave", base, "tide " * 60)
    (request,) = server.requests
    assert parse_qs(urlsplit(request.path).query)["q"] == [" ".join(["tide"] * 50)]
    assert "brave takes no longer queries" in found.notes[-1]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "trouble",
    [
        failing(429, headers={"Retry-After": "0.01"}, times=2),
        failing(503, times=3),
        failing(500, times=1),
        lambda number: Reply(body=b"{}" * 50, cut_at=5) if number == 1 else answering("tavily")(2),
    ],
    ids=["429", "503", "500", "torn"],
)
async def test_what_passes_is_waited_out(trouble):
    with serving("tavily", trouble) as (server, base):
        found = await asked("tavily", base)
    assert len(found.hits) == 2
    assert found.requests == len(server.requests) > 1


@pytest.mark.asyncio
async def test_waits_and_requests_are_bounded(monkeypatch):
    monkeypatch.setattr(providers, "LONGEST_WAIT", 0.01)
    with (
        serving("tavily", failing(429, b'{"detail": "slow"}', {"Retry-After": "86400"})) as (
            server,
            base,
        ),
        pytest.raises(SearchFailed, match=r"gave no answer: status 429: .*slow"),
    ):
        await asked("tavily", base)
    assert len(server.requests) == providers.ATTEMPTS


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "status", "body", "problem", "remedy"),
    [
        ("tavily", 401, b'{"detail": "bad key"}', "status 401: .*bad key", "Set TAVILY_API_KEY"),
        ("brave", 403, b"no", "status 403: no", "Set BRAVE_API_KEY"),
        ("searxng", 403, b"<h1>Forbidden</h1>", "status 403: Forbidden", "Add `json` to `search:"),
        ("tavily", 432, b"{}", "status 432", "plan of the key in TAVILY_API_KEY"),
        ("exa", 400, b'{"error": "no query"}', "status 400", "Check the address"),
        ("searxng", 302, b"", "status 302: nothing", "Check the address"),
        ("searxng", 200, b"<html>Welcome", "no JSON object: Welcome", "interface for programs"),
        ("exa", 200, b"[1]", "no JSON object", "interface for programs"),
        ("exa", 200, b'{"error": "quota"}', 'answered: "quota"', ""),
        (
            "searxng",
            200,
            b'{"results": [], "unresponsive_engines": [["bing", "timeout"], ["qwant", "denied"]]}',
            r"none of its engines answered \(bing, timeout; qwant, denied\)",
            "Wait until",
        ),
    ],
)
async def test_what_stays_is_named_after_one_request(name, status, body, problem, remedy):
    with (
        serving(name, failing(status, body)) as (server, base),
        pytest.raises(SearchFailed, match=problem) as failed,
    ):
        await asked(name, base)
    assert remedy in failed.value.remedy
    assert len(server.requests) == 1


@pytest.mark.asyncio
async def test_a_key_that_comes_back_is_kept_nowhere():
    body = json.dumps({"results": [{"url": f"https://a.example/?key={KEY}", "title": KEY}]})
    with serving("tavily", lambda number: Reply(body=body.encode())) as (_, base):
        found = await asked("tavily", base)
    assert KEY not in str(found.as_json())
    with (
        serving("tavily", failing(401, f"wrong: {KEY}".encode())) as (_, base),
        pytest.raises(SearchFailed) as failed,
    ):
        await asked("tavily", base)
    assert KEY not in str(failed.value)


@pytest.mark.asyncio
async def test_an_address_where_nobody_listens_is_told():
    with serving("exa", answering("exa")) as (_, base):
        pass
    with pytest.raises(SearchFailed, match=r"gave no answer: .*refuses connections"):
        await asked("exa", base)


@pytest.mark.asyncio
async def test_a_provider_is_asked_by_few_at_a_time():
    with serving("exa", answering("exa")) as (server, base):
        server._latency = 0.02
        provider = replace(PROVIDERS["exa"], spacing=0.0)
        async with LiveSearch(provider, base, KEY) as search:
            found = await asyncio.gather(*(search.search(f"tide {n}") for n in range(12)))
    assert [len(each.hits) for each in found] == [2] * 12
    assert server.peak <= 4


@pytest.mark.parametrize("base", ["ftp://a.example", "a.example", "https://u:p@a.example"])
def test_a_base_that_is_no_address_is_refused(base):
    with pytest.raises(BadSetting, match="no address of a provider"):
        LiveSearch(PROVIDERS["exa"], base)


def test_a_key_that_is_none_is_refused():
    with pytest.raises(BadSetting, match="EXA_API_KEY holds what no key can be"):
        LiveSearch(PROVIDERS["exa"], "https://a.example", "schlüssel")


KEYS = (
    *("results", "organic", "web", "url", "link", "title", "content", "highlights", "snippet"),
    *("text", "date", "error", "unresponsive_engines", "credits", "costDollars", "total"),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.sampled_from(list(PROVIDERS)), JSON)
def test_whatever_an_answer_holds_it_is_read_or_told(name, answer):
    try:
        found = read_hits(PROVIDERS[name], json.dumps(answer), 10)
    except SearchFailed:
        return
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
