"""What a call of a tool was: a search, a page, or neither; and what came of it."""

from __future__ import annotations

import json

import pytest

from deepassay.reports.traces.calls import ToolCall, seen_in

A, B = "https://a.example/1", "https://b.example/2"
LONG = "Words of a page. " * 80


def seen(name, arguments, result, **more):
    return seen_in([ToolCall(name, arguments, result, **more)]).events


@pytest.mark.parametrize(
    ("name", "arguments", "result", "query", "urls"),
    [
        ("web_search", {"query": "q"}, [{"url": A}, {"url": B}], "q", (A, B)),
        ("tavily", "q", json.dumps({"results": [{"url": A, "content": "x"}]}), "q", (A,)),
        ("serper", {"q": "q"}, {"organic": [{"link": A, "sitelinks": [{"link": B}]}]}, "q", (A,)),
        ("duckduckgo", {"args": ["q"], "kwargs": {}}, f"[T]({A})\nx\n\n[U]({B})", "q", (A, B)),
        ("lookup", "{'query': 'q'}", f"See {A}, and {B}.", "q", (A, B)),
        ("ask", {"query": "q"}, [{"metadata": {"source": A}, "page_content": "x"}], "q", (A,)),
        ("search", {"queries": ["q", "r"]}, [{"href": A}], "q | r", (A,)),
        ("google", {"query": "q", "site": "https://a.example"}, [{"url": A}], "q", (A,)),
        ("web_search", {"query": "q"}, "No results found for q; try again with less", "q", ()),
        ("web_search", {"query": "q"}, [], "q", ()),
        ("search", {"query": "q"}, {"content": [{"type": "text", "text": f"at {A}"}]}, "q", (A,)),
        ("web_search", {"query": "q"}, [{"url": f"{A}?utm_source=x#top"}], "q", (A,)),
    ],
)
def test_searches(name, arguments, result, query, urls):
    (event,) = seen(name, arguments, result)

    assert (event.kind, event.query, event.urls, event.listed) == ("search", query, urls, True)


@pytest.mark.parametrize(
    ("name", "arguments", "result", "status"),
    [
        ("visit_webpage", {"url": A}, LONG, 200),
        ("anything", A, LONG, 200),
        ("fetch", {"kwargs": {"url": A}, "args": []}, {"url": A, "status": 200, "text": "x"}, 200),
        ("crawl", {"url": A, "query": "what to look for"}, LONG, 200),
        ("open_url", {"link": "a.example/1"}, LONG, 200),
        ("visit", {"url": A}, "", 200),
        ("visit", {"url": A}, "Error fetching the page: 404 Client Error", 404),
        ("visit", {"url": A}, "HTTP 403 for https://a.example/1", 403),
        ("visit", {"url": A}, {"url": A, "status": 500, "error": "x"}, 500),
        ("visit", {"url": A}, {"error": "no such host"}, 599),
        ("visit", {"url": A}, json.dumps(json.dumps({"status": 403, "error": "x"})), 403),
        ("visit", {"url": A}, {"content": [{"text": "Gone (410)"}], "isError": True}, 410),
        ("visit", {"url": A}, {"result": "Failed to fetch"}, 599),
        ("visit", {"url": A}, "Request failed with status code 429", 429),
        ("visit", {"url": A}, "ValueError: bad address", 599),
        ("visit", {"url": A}, "无法访问该网页", 599),
        ("visit", {"url": A}, "404 homes were audited in 2025.", 200),
        ("visit", {"url": A}, "Failed harvests halved the price of grain.", 200),
        ("visit", {"url": A}, f"Error bars are shown for every figure. {LONG}", 200),
        ("visit", {"url": A}, "Error analysis of the tide tables, 1999.", 200),
    ],
)
def test_pages(name, arguments, result, status):
    (event,) = seen(name, arguments, result)

    assert (event.kind, event.urls, event.status) == ("page", (A,), status)


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("final_answer", {"answer": f"See {A}."}, "ok"),
        ("think", {"thought": "What now?"}, "ok"),
        ("write_file", {"path": "x.md", "content": LONG}, "ok"),
        ("submit_report", {"query": "q", "report": A + " " + LONG}, [{"url": A}]),
        ("transfer_to_writer", {}, "done"),
    ],
)
def test_neither(name, arguments, result):
    seen = seen_in([ToolCall(name, arguments, result)])

    assert {each.kind for each in seen.events} <= {"other"}
    assert (seen.tools, seen.lost) == ({name: {"other": 1}}, 0)


def test_of_several_addresses_each_has_its_own_fate():
    result = {"results": [{"url": A, "raw_content": LONG}], "failed": [{"url": B, "error": "403"}]}

    events = seen("extract", {"urls": [A, B]}, result)

    assert [(each.urls, each.status) for each in events] == [((A,), 200), ((B,), 403)]


def test_hits_that_bring_their_pages_are_opened_and_snippets_are_not():
    hits = [{"url": A, "raw_content": LONG}, {"url": B, "content": "A snippet."}]

    events = seen("tavily_search", {"query": "q"}, hits)

    assert [(each.kind, each.urls) for each in events] == [("search", (A, B)), ("page", (A,))]


def test_where_a_page_led_it_was_opened_too():
    (event,) = seen("fetch", {"url": A}, {"final_url": B, "text": LONG})

    assert event.urls == (A, B)


def test_results_without_addresses_are_not_all_that_was_found():
    (event,) = seen("web_search", {"query": "q"}, LONG)

    assert (event.urls, event.whole, event.listed) == ((), True, False)


def test_what_was_not_kept_is_lost():
    calls = [ToolCall("visit", None, None), ToolCall("visit", {"url": A}, None)]

    seen = seen_in(calls)

    assert (seen.lost, [each.status for each in seen.events]) == (1, [None])


def test_texts_are_kept_up_to_a_bound():
    calls = [ToolCall("visit", {"url": f"{A}{n}"}, "x" * 500_000) for n in range(30)]

    events = seen_in(calls).events

    assert sum(len(each.text or "") for each in events) <= 8_000_000
    assert not any(each.whole for each in events)
    assert events[-1].text is None


@pytest.mark.parametrize(
    "text", ["{" * 100_000, "[" * 100_000, "https://" * 100_000, "http" * 9**6]
)
def test_strange_texts_take_linear_time(text):
    assert seen("visit", {"url": A}, text)
    assert seen_in([ToolCall("web_search", text, text)]).tools
