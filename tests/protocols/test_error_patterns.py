import json

import pytest

from deepassay.errors import BadSetting
from deepassay.models.reading import read_reply
from deepassay.protocols.error_patterns import FIND_PLACES, MOST_PLACES, PATTERNS, ErrorPatterns
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import Task
from tests.protocols.judges import NO_SOURCES, ByRule, Scripted, Silent

TASK = Task(id="t1", prompt="Which boats are quiet?")
CLEAN = """# Quiet boats

Electric ferries are quieter than diesel ferries [1]. They cost more [2].

## References

[1] Harbour survey. https://harbour.example/survey
[2] Ferry register. https://register.example/ferries
"""
SHOWING = {
    "g14": CLEAN.replace("more [2]", "more [2][7]"),
    "g15": CLEAN.replace(" https://register.example/ferries", ""),
    "g16": CLEAN.replace("more [2].", "more [2]. See [a test](https://a.example/x) for that."),
    "g17": CLEAN + "[3] Tide tables. https://tides.example/\n",
    "g18": CLEAN.replace("## Ref", "| Boat | Noise |\n|---|---|\n\n## Ref"),
    "g19": CLEAN.replace("[1] Harbour", "[3] Harbour").replace("ferries [1]", "ferries [3]"),
    "g20": CLEAN.replace("They cost", "A[2]nother ferry costs"),
    "g21": CLEAN.replace("They cost more", "[Insert price here] is what they cost"),
}
LINE_OF = {"g15": 8, "g17": 9, "g18": 5, "g19": 8}
NOTHING = {"places": []}


async def scored(text, judge):
    return await ErrorPatterns().score(
        Case(TASK, Report(text)), RoleAskers.alone(judge), NO_SOURCES
    )


def shown(score):
    return [part for part, value in score.parts.items() if value == 0]


@pytest.mark.asyncio
async def test_a_clean_report_shows_none_of_the_eight():
    score = await scored(CLEAN, ByRule())
    assert (score.value, score.tally) == (100, (8, 8))
    assert list(score.parts) == [f"G{number}" for number in range(14, 22)]


@pytest.mark.asyncio
@pytest.mark.parametrize("key", PATTERNS)
async def test_each_pattern_is_found_with_its_place(key):
    score = await scored(SHOWING[key], ByRule())
    assert key.upper() in shown(score)
    (item,) = (each for each in score.details["items"] if each["key"] == key)
    assert item["places"][0]["line"] == LINE_OF.get(key, 3)


@pytest.mark.asyncio
async def test_what_the_judge_finds_counts_beside_what_code_finds():
    places = [
        {"pattern": "made_up", "quote": "They cost more", "reason": "no such boat"},
        {"pattern": "made_up", "quote": "They cost more", "reason": "said twice"},
        {"pattern": "citation_format", "quote": "more  [2]", "reason": "another style"},
    ]
    score = await scored(CLEAN, Scripted({"places": places}))
    assert shown(score) == ["G16", "G21"]
    made_up = score.details["items"][-1]
    assert made_up["places"] == [
        {"line": 3, "column": 55, "message": "They cost more: no such boat"}
    ]
    assert made_up["decided_by"] == "the judge"


@pytest.mark.parametrize("quote", ["They cost less", "..."])
def test_a_place_whose_words_do_not_stand_in_the_report_is_asked_for_again(quote):
    inputs = FIND_PLACES.takes(language="en", report=CLEAN, number=1, parts=1, query="q")
    answer = {"places": [{"pattern": "text_flow", "quote": quote, "reason": "r"}]}
    read_answer = read_reply(FIND_PLACES, inputs, json.dumps(answer)).value
    assert "do not stand in the report" in FIND_PLACES.quotes(inputs, read_answer)
    assert read_reply(FIND_PLACES, inputs, json.dumps(NOTHING)).value.places == []


@pytest.mark.asyncio
async def test_a_failed_judgement_is_handed_on_with_its_cause():
    refused = Unscored(Cause.JUDGE_REFUSED, "it would not")
    assert await scored(CLEAN, Silent(refused)) is refused


class Short(ByRule):
    """Takes no prompt with more than so many characters of a report."""

    def __init__(self, most):
        self.identity = {"model": "short"}
        self.most = most
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((inputs.number, inputs.parts))
        if len(inputs.report) > self.most:
            return Unscored(Cause.CONTEXT_OVERFLOW, "too long")
        return await super().__call__(operation, inputs)


LONG = "Nothing is noted about this day. " * 9000 + "\n\n" + SHOWING["g21"]


@pytest.mark.asyncio
async def test_a_long_report_is_looked_through_in_windows():
    judge = Short(150_000)
    score = await scored(LONG, judge)
    assert judge.asked[0] == (1, 1)
    assert len(judge.asked) == 1 + judge.asked[1][1] > 3
    (item,) = (each for each in score.details["items"] if each["key"] == "g21")
    assert {place["line"] for place in item["places"]} == {5}


@pytest.mark.asyncio
async def test_what_no_window_holds_is_said_and_not_cut():
    outcome = await scored(LONG, Short(1000))
    assert outcome.cause is Cause.CONTEXT_OVERFLOW
    assert "window 1 of" in outcome.detail


def test_every_pattern_but_the_last_has_a_rule():
    ruled = {source.lower() for rule in RULES for source in rule.sources if source[0] == "G"}
    assert ruled == set(PATTERNS) - {"g21"}


def test_there_is_no_edition_code():
    with pytest.raises(BadSetting):
        ErrorPatterns("code")


@pytest.mark.asyncio
async def test_more_places_than_an_answer_takes_are_said():
    many = "".join(f"\n\nFerry {each} carries cars." for each in range(150))
    places = [
        {"pattern": "made_up", "quote": f"Ferry {each} carries", "reason": "no such ferry"}
        for each in range(MOST_PLACES)
    ]
    text = CLEAN.replace("\n\n## Ref", f"{many}\n\n## Ref")
    score = await scored(text, Scripted({"places": places}))
    made_up = score.details["items"][-1]
    assert made_up["justification"] == (
        "Places found: 100 or more, of which the first 20 are listed."
    )
    assert len(made_up["places"]) == 20
