"""Addresses as a sandbox writes them, and what a run is told that it found and opened."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.runfile import AgentRun, Served
from deepassay.wings.research.sandbox.sandbox import plain_address, watched

A, B, C = "https://a.example/", "https://b.example/x", "https://c.example/"


def rows(*bodies):
    return [
        Served("me", number, "search" if "urls" in body else "page", body)
        for number, body in enumerate(bodies, 1)
    ]


SERVED = rows(
    {"urls": [A, B]},
    {"url": B, "status": 200},
    {"url": C, "status": 404},
    {"urls": [B, C]},
    {"url": B, "status": 200},
)


def test_found_and_opened_are_what_was_served():
    run = watched(AgentRun("# Report", "done"), SERVED)
    assert run.found == (A, B, C) and run.opened == (B,)


def test_what_an_agent_says_itself_holds():
    run = AgentRun("# Report", "done", found=(C,), opened=())
    seen = watched(run, SERVED)
    assert (seen.found, seen.opened) == ((C,), ())


def test_every_request_is_an_event_with_its_place_in_the_session():
    found = watched(AgentRun("# Report", "done"), SERVED[1:4]).events
    assert [(each.kind, each.urls, each.status, each.span) for each in found] == [
        ("page", (B,), 200, "me 2"),
        ("page", (C,), 404, "me 3"),
        ("search", (B, C), 200, "me 4"),
    ]


def test_an_agent_that_nobody_saw_search_found_nothing_that_is_known():
    run = watched(AgentRun("# Report", "done"), [])
    assert run.found is None and run.opened is None


@pytest.mark.parametrize(
    ("title", "address"),
    [
        ("as it is", B),
        ("behind the prefix", f"http://127.0.0.1:8791/w/{B}"),
        ("in a session", f"http://127.0.0.1:8791/s/me/w/{B}"),
        ("a way alone", f"/s/me/w/{B}"),
        ("a slash lost", "/w/https:/b.example/x"),
    ],
)
def test_the_prefix_goes(title, address):
    assert plain_address(address) == B, title


@given(st.text())
def test_taking_the_prefix_off_never_raises(text):
    plain_address(text)
    plain_address(f"http://127.0.0.1/w/{text}")
