"""A judge holds the statements of a report against what its agent read."""

from __future__ import annotations

import asyncio
import re

import pytest

from deepassay.protocols.process.protocol import Process
from deepassay.protocols.protocol import Case, RoleAskers, Sources
from deepassay.protocols.support import JUDGE_SUPPORT
from deepassay.results.evidence import reading_of
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import Task
from tests.protocols.fact.web import Model, Rows
from tests.protocols.process.test_process import A, B, page, search, written

TEXT = f"""# Pumps

Pumps save 34 % of it [1]. The town is glad [2]. It covers 212 homes [1]. This is a report.

## Sources

[1] {A}
[2] {B}
"""
EVENTS = (
    search("pumps", A, B, text="Hits on pumps."),
    page(A, "Pumps save 34 % of it in 212 homes."),
    page(B, "Our own count finds a saving of 22 %, not more."),
)


def says(inputs):
    """A judge by the words that the page has."""
    verdicts = []
    for number, statement in enumerate(inputs.statements, start=1):
        said = {"statement": number, "verdict": "unsupported", "quote": ""}
        if "34 %" in statement and "22 %" in inputs.page:
            said["quote"] = "a saving of 22 %"
        elif "34 %" in statement and "34 %" in inputs.page:
            said |= {"verdict": "supported", "quote": "Pumps save 34 %"}
        elif "212" in statement and "212" in inputs.page:
            said |= {"verdict": "supported", "quote": "212 homes"}
        verdicts.append(said)
    return {"verdicts": verdicts}


def scored(events=EVENTS, text=TEXT, answer=says):
    asked = []

    def told(operation, inputs, *_):
        assert operation is JUDGE_SUPPORT
        asked.append(inputs)
        return answer(inputs)

    case = Case(Task(id="t", prompt="How much?"), written(*events, text=text))
    sources = Sources(None, Rows())
    outcome = asyncio.run(Process(judged=True).score(case, RoleAskers.alone(Model(told)), sources))
    return outcome, asked


def found(outcome):
    return {(i.verdict, i.item): i for i in reading_of(outcome).evidence.items}


def test_statements_that_pages_dispute_and_those_that_nothing_supports():
    outcome, asked = scored()

    items = found(outcome)
    disputed = ("supported by one page that was read, contradicted by another",)
    assert [(kind, what) for kind, what in items if "read" in kind] == [
        (*disputed, "Pumps save 34 % of it."),
        ("supported by nothing that was read", "The town is glad."),
    ]
    item = items[(*disputed, "Pumps save 34 % of it.")]
    assert (item.urls, item.quotes) == ((A, B), ("a saving of 22 %",))
    assert f"span p-{B}" in item.reason and item.places[0].line == 3
    assert {name: outcome.parts[name] for name in ("contradicted", "disputed", "unsupported")} == {
        "contradicted": 0,
        "disputed": 1,
        "unsupported": 1,
    }
    assert outcome.value == 100.0  # that of code
    assert len(asked) == 3  # each page once, and the hits together
    assert all("This is a report." not in each.statements for each in asked)


def test_what_only_speaks_against_a_statement_contradicts_it():
    outcome, _ = scored(events=(EVENTS[0], EVENTS[2], page(A, "Words.")))

    assert ("contradicted by what was read", "Pumps save 34 % of it.") in found(outcome)


def test_where_not_all_that_was_read_is_known_nothing_is_said_to_be_unsupported():
    hidden = page("https://x.example/", None)

    outcome, _ = scored(events=(*EVENTS, hidden))

    assert not [kind for kind, _ in found(outcome) if kind.startswith("supported by nothing")]


def test_a_page_that_says_nothing_is_no_reason_either():
    def unknown(inputs):
        numbers = range(1, len(inputs.statements) + 1)
        return {"verdicts": [{"statement": n, "verdict": "unknown", "quote": ""} for n in numbers]}

    outcome, _ = scored(answer=unknown)

    assert not [kind for kind, _ in found(outcome) if "supported" in kind]


def test_a_judge_that_fails_leaves_the_report_unscored():
    outcome, _ = scored(answer=lambda inputs: Cause.JUDGE_REFUSED)

    assert isinstance(outcome, Unscored) and outcome.cause is Cause.JUDGE_REFUSED


@pytest.mark.parametrize("judged", [True, False])
def test_only_where_it_is_wanted_anything_is_asked(judged):
    protocol = Process(judged=judged)

    assert protocol.operations() == ((JUDGE_SUPPORT,) if judged else ())
    assert re.fullmatch(r"process(\(judged=True\))?", str(protocol))
