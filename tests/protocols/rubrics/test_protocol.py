import asyncio

import pytest

from deepassay.errors import BadSetting
from deepassay.models.operation import OffMenu
from deepassay.models.reading import Unreadable
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.rubrics.criteria import (
    JUDGE_CRITERIA,
    CriteriaOnReport,
    check_quotes,
    verdict_by_rule,
)
from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.reports.report import Report
from deepassay.score import Cause, Unscored
from tests.protocols.judges import NO_SOURCES, ByRule, Scripted
from tests.protocols.rubrics.graders import Grader, criterion, task

NOISE = criterion("gives the noise", 5, "Explicit Criteria")
SOURCE = criterion("cites a survey", 2, "References")
FAULT = criterion("names a wrong year", -4, "Explicit Criteria")
TASK = task(NOISE, SOURCE, FAULT)
REPORT = Report("# Ferries\n\nThe ferry makes **61 decibels** at ten metres.\n")
TIMEOUT = Unscored(Cause.TIMEOUT, "too late")

YES, PARTLY, NO = "Satisfied", "Partially Satisfied", "Not Satisfied"


async def scored(judge, protocol=None, about=TASK):
    protocol = protocol or Rubrics()
    return await protocol.score(Case(about, REPORT), RoleAskers.alone(judge), NO_SOURCES)


def said(noise, source, fault):
    return {NOISE.criterion: noise, SOURCE.criterion: source, FAULT.criterion: fault}


@pytest.mark.asyncio
async def test_every_criterion_is_asked_alone_and_weighed():
    judge = Grader(said(YES, PARTLY, YES))
    score = await scored(judge)
    assert score.value == pytest.approx((5 + 1 - 4) / 7)
    assert score.bounds == (-4 / 7, 1)
    assert [inputs.criteria for _, inputs, _ in judge.asked] == [
        (each.criterion,) for each in TASK.rubric
    ]
    assert [item["verdict"] for item in score.details["items"]] == [YES, PARTLY, YES]
    assert [item["score"] for item in score.details["items"]] == [1, 0.5, 1]
    assert [item["key"] for item in score.details["items"]] == ["c1", "c2", "c3"]
    assert not score.details["open"]


@pytest.mark.asyncio
async def test_several_criteria_share_a_call_on_request():
    judge = Grader(said(YES, PARTLY, NO))
    score = await scored(judge, Rubrics(together=2))
    assert [len(inputs.criteria) for _, inputs, _ in judge.asked] == [2, 1]
    assert score.value == pytest.approx(6 / 7)
    assert str(Rubrics(together=2)) == "rubrics(together=2)"


@pytest.mark.asyncio
async def test_binary_grading_asks_the_same_and_collapses():
    ternary, binary = Grader(said(YES, PARTLY, PARTLY)), Grader(said(YES, PARTLY, PARTLY))
    assert (await scored(ternary)).value == pytest.approx((5 + 1 - 2) / 7)
    score = await scored(binary, Rubrics(scale="binary"))
    assert score.value == pytest.approx(5 / 7)
    assert ternary.asked == binary.asked
    assert [item["verdict"] for item in score.details["items"]] == [YES, NO, NO]
    assert "Partially Satisfied" in score.details["items"][1]["justification"]


@pytest.mark.asyncio
async def test_the_parts_are_axes_and_what_is_mandatory():
    score = await scored(Grader(said(YES, PARTLY, YES)))
    assert score.parts == {
        "Explicit Criteria": pytest.approx(1 / 5),
        "References": 0.5,
        "mandatory": pytest.approx(1 / 5),
        "optional": 0.5,
        "mandatory passed": 0.5,
    }
    assert score.details["mandatory"] == {"passed": 1, "open": 0, "of": 2}


@pytest.mark.asyncio
async def test_an_axis_named_like_another_part_has_a_part_of_its_own():
    about = task(criterion("p", 5, "optional"), criterion("q", 2, "mandatory"))
    score = await scored(Grader({"p": YES, "q": NO}), about=about)
    assert score.parts == {
        "axis optional": 1,
        "axis mandatory": 0,
        "mandatory": 1,
        "optional": 0,
        "mandatory passed": 1,
    }


@pytest.mark.asyncio
async def test_a_criterion_without_a_verdict_is_open_and_no_zero():
    score = await scored(Grader(said(YES, TIMEOUT, NO)))
    assert score.value == 1
    assert (score.details["low"], score.details["high"]) == (pytest.approx(5 / 7), 1)
    assert score.details["open"]
    item = score.details["items"][1]
    assert (item["verdict"], item["score"], item["cause"]) == (None, None, "timeout")
    assert "1 are open" in score.details["summary"]


@pytest.mark.asyncio
async def test_a_penalty_that_was_not_judged_leaves_no_score_if_there_is_no_other():
    outcome = await scored(Grader(said(YES, YES, TIMEOUT)))
    assert (outcome.cause, outcome.details["low"]) == (Cause.TIMEOUT, pytest.approx(3 / 7))
    assert "too late" in outcome.detail


@pytest.mark.asyncio
@pytest.mark.parametrize("edition", ["paper", "code"])
async def test_where_the_budget_ends_there_is_no_outcome_yet(edition):
    class Poor(Grader):
        async def __call__(self, operation, inputs, *, repeat=0):
            self.asked.append(inputs)
            return Unscored(Cause.BUDGET, "spent")

    outcome = await scored(Poor({}), Rubrics(edition=edition))
    assert outcome.cause is Cause.BUDGET


@pytest.mark.asyncio
async def test_the_judge_sees_the_request_and_neither_weight_nor_axis():
    judge = Grader(said(YES, YES, YES))
    await scored(judge)
    for _, inputs, _ in judge.asked:
        assert set(type(inputs).model_fields) == {"language", "report", "query", "criteria"}
    heavier = task(*(each.model_copy(update={"weight": -1.0}) for each in TASK.rubric))
    other = Grader(said(YES, YES, YES))
    await scored(other, about=task(criterion("gives the noise", 1), *heavier.rubric[1:]))
    assert other.asked == judge.asked


@pytest.mark.asyncio
async def test_quotes_are_shown_where_they_stand():
    judge = Grader(said(YES, YES, NO), quotes=["makes 61 decibels"])
    score = await scored(judge)
    assert score.details["items"][0]["places"] == [
        {"line": 3, "column": 11, "message": "makes **61 decibels"}
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, "no verdict for r1"),
        ({"r2": YES}, "nobody asked for r2"),
        ({"r1": "satisfied"}, "r1.verdict"),
        ({"r1": "Error"}, "r1.verdict"),
    ],
)
async def test_an_answer_off_the_menu_is_sent_back(answer, problem):
    verdicts = {
        key: {"reason": "r", "verdict": verdict, "quotes": []} for key, verdict in answer.items()
    }
    with pytest.raises(Unreadable, match=problem):
        await scored(Scripted({"verdicts": verdicts}))


def test_quotes_that_are_too_many_or_too_long_are_sent_back():
    verdict = verdict_by_rule(REPORT.text, "decibels at ten metres")
    check_quotes({"r1": verdict})
    for quotes, problem in [
        (["x" * 801], "longer than 800"),
        (["61 decibels"] * 7, "more than 6 quotes"),
    ]:
        with pytest.raises(OffMenu, match=problem):
            check_quotes({"r1": verdict.model_copy(update={"quotes": quotes})})


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("about", "problem"),
    [(task(), "has no rubric"), (task(FAULT), "no criterion with a positive weight")],
)
async def test_a_task_without_a_rubric_to_earn_by_is_unscored_and_nobody_is_asked(about, problem):
    judge = Grader({})
    outcome = await scored(judge, about=about)
    assert outcome.cause is Cause.MISSING_INPUT
    assert problem in outcome.detail
    assert problem in Rubrics().lacks(Case(about, REPORT))
    assert not judge.asked


@pytest.mark.parametrize(
    "options",
    [
        {"scale": "quaternary"},
        {"together": -1},
        {"together": 51},
        {"together": 2, "edition": "code"},
    ],
)
def test_what_cannot_be_asked_for_is_refused(options):
    with pytest.raises(BadSetting):
        Rubrics(**options)


def test_the_rubric_is_part_of_what_a_score_rests_on():
    lighter = NOISE.model_copy(update={"weight": 4.0})
    cases = [Case(about, REPORT) for about in (TASK, task(lighter, SOURCE, FAULT))]
    first, second = (Rubrics().basis(case)["rubric"] for case in cases)
    assert first != second


@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_questions_about_a_report_begin_the_same(language):
    prompts = [
        JUDGE_CRITERIA.render(
            CriteriaOnReport(language=language, report="the text", query="q", criteria=(text,)), "s"
        )
        for text in ("one", "another")
    ]
    assert prompts[0].beginning == prompts[1].beginning
    assert prompts[0].question != prompts[1].question
    assert "1. one" in prompts[0].question


@pytest.mark.asyncio
async def test_two_thousand_criteria_are_asked_a_few_at_a_time():
    class Crowded(Grader):
        now = most = 0

        async def __call__(self, operation, inputs, *, repeat=0):
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            self.now -= 1
            return await super().__call__(operation, inputs, repeat=repeat)

    many = [criterion(f"says {number}", 1) for number in range(2_000)]
    judge = Crowded({each.criterion: YES for each in many})
    assert (await scored(judge, about=task(*many))).value == 1
    assert 1 < judge.most <= 32


@pytest.mark.asyncio
async def test_the_offline_rule_grades_any_report():
    for text in ("", "\ud800", "***", "<<<BEGIN report 1\nx", "a" * 10_000):
        case = Case(TASK, Report(text))
        outcome = await Rubrics().score(case, RoleAskers.alone(ByRule()), NO_SOURCES)
        assert outcome.value <= 1
