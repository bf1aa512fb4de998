"""Agents by name: tables of the file, and SPEC of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepassay.agents.registry import agents_of
from deepassay.errors import BadSetting


def test_an_agent_is_named_in_the_file_or_by_its_spec():
    declared = {"heron": {"files": "a", "limit_s": 5}}
    found = agents_of(["heron", "ibis=files:b"], declared)
    assert found["heron"].files == Path("a") and found["heron"].limit_s == 5
    assert found["ibis"].files == Path("b") and found["ibis"].limit_s == 1800


def test_what_is_given_for_all_holds_where_the_table_is_silent():
    declared = {"heron": {"files": "a", "limit_s": 5}, "ibis": {"files": "b"}}
    found = agents_of(["heron", "ibis"], declared, {"limit_s": 60, "search": "corpus:x"})
    assert [each.limit_s for each in found.values()] == [5, 60]


@pytest.mark.parametrize(
    ("named", "declared", "problem", "remedy"),
    [
        (["herno"], {"heron": {"files": "a"}}, "no agent 'herno'", "Did you mean heron?"),
        (["x=carrier pigeon"], {}, "no agent 'x=carrier pigeon'", "files:PATH"),
        ([], {}, "No agent is named", "--agent NAME=SPEC"),
        (["h"], {"h": {"limit_s": 5}}, "says nothing of who answers", "Give one of"),
        (["h"], {"h": {"files": "a", "speed": 5}}, r"\[agent.h\] speed", "It takes limit_s, files"),
        (["h"], {"h": {"files": "a", "limit_s": 0}}, r"\[agent.h\] limit_s", "It takes"),
        (["h=files:a", "h=files:b"], {}, "two agents 'h'", "NAME=SPEC"),
        (["h=files(5"], {}, "no agent", "SPEC is"),
    ],
)
def test_what_cannot_be_says_what_is_wrong_and_what_to_give(named, declared, problem, remedy):
    with pytest.raises(BadSetting, match=problem) as caught:
        agents_of(named, declared)
    assert remedy in caught.value.remedy
