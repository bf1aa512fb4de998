import json
import re

import pytest

from deepassay.protocols.presentation.by_rule import MECHANICAL
from deepassay.protocols.presentation.protocol import (
    CHECKS,
    GATHER_EVIDENCE,
    JUDGE_CHECKS,
    JUDGE_ON_EVIDENCE,
    JUDGE_REST,
    REST,
    Presentation,
)
from deepassay.protocols.protocol import PROMPTS, Case, RoleAskers
from deepassay.reports.report import Report
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.task import Task
from tests.protocols.judges import NO_SOURCES, ByRule, Scripted, Silent, verdicts

TASK = Task(id="t1", prompt="Which boats are quiet?")
REPORT = Report(
    """# Quiet boats

## Findings

Electric ferries are quieter than diesel ferries [1]. The gap is 12 decibels [3].

| Boat | Noise |
|---|---|
| ferry | TBD |

## References

[1] Harbour survey. https://example.org/survey
[2] Ferry register. https://example.org/register
"""
)
ALL_MET = verdicts(**dict.fromkeys(CHECKS, 1))
FOUR = verdicts(p1=1, p2=1, p6=1, p7=0)


async def scored(protocol, judge, repeat=0):
    return await protocol.score(Case(TASK, REPORT, repeat), RoleAskers.alone(judge), NO_SOURCES)


@pytest.mark.asyncio
async def test_the_judge_decides_all_ten_checks():
    judge = Scripted(verdicts(**dict.fromkeys(CHECKS, 1) | {"p2": 0, "p9": 0, "p10": 0}))
    score = await scored(Presentation(), judge, repeat=2)
    assert score.value == 70
    assert score.tally == (7, 10)
    assert [part for part, value in score.parts.items() if value == 0] == ["P2", "P9", "P10"]
    ((operation, inputs, repeat),) = judge.asked
    assert (operation, inputs.report, inputs.query, repeat) == (
        JUDGE_CHECKS,
        REPORT.text,
        TASK.prompt,
        2,
    )


@pytest.mark.asyncio
async def test_edition_code_counts_whatever_the_judge_answers():
    judge = Scripted(verdicts(**dict.fromkeys(CHECKS, 1), p11=1))
    score = await scored(Presentation(edition="code"), judge)
    assert score.value == 11 / 10 * 100
    assert score.bounds is None
    assert score.details["quirks"] == ["unasked-item", "out-of-range"]


@pytest.mark.asyncio
async def test_mechanical_checks_are_decided_by_code_with_places_and_the_rest_by_the_judge():
    judge = Scripted(FOUR)
    score = await scored(Presentation(mechanical=True), judge)
    items = {item["key"]: item for item in score.details["items"]}
    assert list(items) == list(CHECKS)
    assert [key for key in CHECKS if not items[key]["score"]] == ["p3", "p4", "p7", "p8"]
    assert items["p7"]["justification"] == "p7!"
    assert "decided_by" not in items["p7"]
    assert {items[key]["decided_by"] for key in MECHANICAL} == {"rule"}
    (place,) = items["p4"]["places"]
    assert (place["line"], place["column"]) == (5, 78)
    assert "[3]" in place["message"]
    assert score.value == 60


@pytest.mark.asyncio
async def test_the_judge_of_the_rest_is_shown_what_the_code_found():
    judge = Scripted(FOUR)
    report = Report(REPORT.text.replace("[3]", "[a register](https://example.org/a)"))
    await Presentation(mechanical=True).score(
        Case(TASK, report), RoleAskers.alone(judge), NO_SOURCES
    )
    ((operation, inputs, _),) = judge.asked
    assert operation is JUDGE_REST
    assert inputs.hints.startswith("p6, line 5: citation styles are mixed")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "protocol", [Presentation(), Presentation("code"), Presentation("paper", True)]
)
async def test_a_failed_judgement_is_handed_on_with_its_cause(protocol):
    refused = Unscored(Cause.JUDGE_REFUSED, "it would not")
    assert await scored(protocol, Silent(refused)) is refused


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "protocol", [Presentation(), Presentation("code"), Presentation("paper", True)]
)
async def test_the_offline_rule_answers_every_form_of_the_protocol_alike(protocol):
    score = await scored(protocol, ByRule())
    assert isinstance(score, Score)
    assert score.value == 70
    assert [part for part, value in score.parts.items() if value == 0] == ["P3", "P4", "P8"]


def test_the_offline_rule_survives_half_a_character_in_a_citation():
    report = "The ferry [7\ud800](https://example.org/a) left [9]."
    inputs = JUDGE_CHECKS.takes(language="en", report=report, query="q")
    assert json.loads(JUDGE_CHECKS.offline(inputs).model_dump_json())


@pytest.mark.parametrize("name", [GATHER_EVIDENCE.name, JUDGE_ON_EVIDENCE.name])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_ten_checks_are_worded_alike_for_reports_in_windows(language, name):
    whole, windows = (
        [
            line
            for line in (PROMPTS / f"{each}.{language}.md").read_text("utf-8").splitlines()
            if re.match(r"- p\d+[:：]", line)
        ]
        for each in (JUDGE_CHECKS.name, name)
    )
    assert whole == windows


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_four_checks_are_worded_alike_wherever_they_are_asked(language):
    ten, four = (
        [
            line
            for line in (PROMPTS / f"{name}.{language}.md").read_text("utf-8").splitlines()
            if line.startswith("- p")
        ]
        for name in (JUDGE_CHECKS.name, JUDGE_REST.name)
    )
    assert len(ten) == 10
    assert four == [line for line in ten if line[2:].startswith(tuple(REST)) and "p10" not in line]
