import pytest

from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.protocols.rubrics.released import (
    DECIDE_AS_RELEASED,
    GATHER_AS_RELEASED,
    JUDGE_AS_RELEASED,
    chunks_of,
)
from deepassay.protocols.rubrics.released_grades import RubricQuirk as Quirk
from deepassay.protocols.rubrics.released_grades import released_value
from deepassay.reports.report import Report
from deepassay.score import Cause, Score, Unscored
from tests.protocols.judges import NO_SOURCES, ByRule
from tests.protocols.rubrics.graders import GraderAsReleased, criterion, graded, task

TASK = task(criterion("noise", 5, "Explicit Criteria"), criterion("a wrong year", -4, "Explicit"))
LONG = "\n\n".join(["p" * 100] * 6000)


@pytest.mark.parametrize(
    ("weights", "merits", "value"),
    [
        ([5, 3, -4], [1, 0.5, 1], 0.3125),  # (5 + 1.5 - 4) / (5 + 3)
        ([5, -4], [1, 0], 1),
        ([5, -4], [0, 1], -0.8),
        ([2, 2, 6], [1, 0.5, 0], 0.3),
        ([0, 4], [1, 0.25], 0.25),
        ([1, 1, -1], [1, 0, 0], 0.5),
        ([0.5, 0.25], [0, 1], 1 / 3),
        ([4, 4], [2.5, -1], 0.75),  # numbers off the scale count as they are
        ([5, 3], [1], 0.625),  # an answer too few
        ([5], [1, 1], 1),  # and one too many
        ([-2, 0], [1, 1], 0),  # nothing to earn
        ([], [], 0),
    ],
)
def test_the_score_is_what_was_earned_of_what_can_be_earned(weights, merits, value):
    assert released_value(weights, merits) == pytest.approx(value)


async def scored(judge, scale="ternary", report="The text.", about=TASK):
    protocol = Rubrics(edition="code", scale=scale)
    return await protocol.score(Case(about, Report(report)), RoleAskers.alone(judge), NO_SOURCES)


def answering(noise, fault):
    return GraderAsReleased({"noise": noise, "a wrong year": fault})


@pytest.mark.asyncio
async def test_the_judge_is_told_title_category_and_weight_and_not_the_request():
    judge = answering(graded("Satisfied", 1.0), graded("Not Satisfied", 0.0))
    score = await scored(judge)
    assert (score.value, score.details["quirks"]) == (1, [])
    told = [(each.title, each.category, each.weight) for _, each, _ in judge.asked]
    assert told == [("noise", "Explicit Criteria", 5.0), ("a wrong year", "Explicit", -4.0)]
    assert {operation for operation, _, _ in judge.asked} == {JUDGE_AS_RELEASED}
    assert "query" not in JUDGE_AS_RELEASED.takes.model_fields


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("scale", "value", "quirks"),
    [
        ("ternary", 1.0, [Quirk.VERDICT_BELIEVED]),
        ("binary", 0.0, [Quirk.SCORE_BELIEVED]),
    ],
)
async def test_one_program_believes_the_verdict_and_the_other_the_number(scale, value, quirks):
    score = await scored(answering(graded("Satisfied", 0.0), graded("Not Satisfied", 0.0)), scale)
    assert (score.value, score.details["quirks"]) == (value, quirks)


@pytest.mark.asyncio
async def test_any_number_counts_and_takes_the_scale_away():
    score = await scored(answering(graded("Satisfied", "7"), graded("Not Satisfied", 0)), "binary")
    assert (score.value, score.bounds) == (7, None)
    assert score.details["quirks"] == [Quirk.SCORE_BELIEVED, Quirk.OFF_SCALE_SCORE]


@pytest.mark.asyncio
@pytest.mark.parametrize("scale", ["ternary", "binary"])
@pytest.mark.parametrize("verdict", [None, 1, ["Satisfied"], {"a": 1}, "satisfied", ""])
async def test_a_word_off_the_menu_is_a_quirk_whatever_it_is(scale, verdict):
    score = await scored(answering(graded(verdict, 1.0), graded("Not Satisfied", 0.0)), scale)
    assert score.value == (1 if scale == "binary" else 0)
    assert Quirk.UNKNOWN_VERDICT in score.details["quirks"]


@pytest.mark.asyncio
@pytest.mark.parametrize("number", ["inf", "-inf", "nan", 1e308, "-1e308"])
async def test_numbers_beyond_all_bounds_break_nothing(number):
    outcome = await scored(answering(graded("Satisfied", number), graded("x", number)), "binary")
    assert isinstance(outcome, Score | Unscored)
    assert "low" not in outcome.details


@pytest.mark.asyncio
async def test_a_failed_call_counts_nothing_and_may_be_asked_again():
    timeout = Unscored(Cause.TIMEOUT, "too late")
    score = await scored(answering(graded("Satisfied", 1.0), timeout))
    assert isinstance(score, Score)
    assert score.value == 1
    assert score.details["quirks"] == [Quirk.ERROR_IS_ZERO, Quirk.PENALTY_WAIVED]
    assert (score.details["low"], score.details["high"]) == (pytest.approx(0.2), 1)
    item = score.details["items"][1]
    assert (item["verdict"], item["score"], item["cause"]) == ("Error", 0, "timeout")


@pytest.mark.asyncio
async def test_where_nothing_was_answered_there_is_no_score():
    timeout = Unscored(Cause.TIMEOUT, "too late")
    outcome = await scored(answering(timeout, timeout))
    assert outcome.cause is Cause.TIMEOUT


@pytest.mark.asyncio
async def test_an_answer_without_reasoning_drops_the_report():
    outcome = await scored(
        answering(graded("Satisfied", 1.0, None), graded("Not Satisfied", 0.0)), "binary"
    )
    assert outcome.cause is Cause.ANSWER_UNREADABLE
    assert outcome.details["quirks"] == [Quirk.NO_REASONING]


@pytest.mark.asyncio
async def test_penalties_alone_score_0():
    about = task(criterion("a wrong year", -4))
    score = await scored(answering("", graded("Satisfied", 1.0)), about=about)
    assert score.value == 0
    assert score.details["quirks"] == [Quirk.NOTHING_TO_EARN]


@pytest.mark.parametrize(
    ("paragraphs", "lengths"),
    [
        ([199_999, 199_998], [399_999]),  # with the blank line between them
        ([199_999, 199_999], [199_999, 199_999]),  # would reach 400,000
        ([100_000] * 7, [300_004, 300_004, 100_000]),
        ([10, 500_000, 10], [10, 500_000, 10]),
        ([400_000, 10], [400_000, 10]),
    ],
)
def test_a_chunk_ends_before_the_paragraph_with_which_it_would_reach_its_size(paragraphs, lengths):
    text = "\n\n".join("p" * length for length in paragraphs)
    assert [*map(len, chunks_of(text))] == lengths


def test_chunks_have_no_blanks_at_their_ends():
    chunks = chunks_of(f"\n\n  {'a' * 300_000} \n\n\n{'b' * 300_000}\n\n\n")
    assert [(each[0], len(each)) for each in chunks] == [("a", 300_000), ("b", 300_000)]


class Chunked(GraderAsReleased):
    """Finds one passage in every chunk."""

    async def __call__(self, operation, inputs, *, repeat=0):
        self.by_title = dict.fromkeys(("noise", "a wrong year"), graded("Satisfied", 1.0))
        if operation is GATHER_AS_RELEASED:
            found = f'{{"relevant_evidence": ["in {inputs.number}"]}}'
            self.by_title = dict.fromkeys(self.by_title, found)
        return await super().__call__(operation, inputs, repeat=repeat)


@pytest.mark.asyncio
async def test_a_long_report_is_read_in_chunks_one_after_the_other():
    judge = Chunked({})
    score = await scored(judge, report=LONG)
    asked = [
        (operation, getattr(inputs, "number", 0))
        for operation, inputs, _ in judge.asked
        if inputs.title == "noise"
    ]
    assert asked == [(GATHER_AS_RELEASED, 1), (GATHER_AS_RELEASED, 2), (DECIDE_AS_RELEASED, 0)]
    shown = [each.evidence for operation, each, _ in judge.asked if operation is DECIDE_AS_RELEASED]
    assert shown == [("in 1", "in 2")] * 2
    assert score.details["quirks"] == [Quirk.CHUNKED]


@pytest.mark.asyncio
@pytest.mark.parametrize("scale", ["ternary", "binary"])
@pytest.mark.parametrize("report", ["The noise is 61 decibels.", LONG], ids=["short", "long"])
async def test_the_offline_rule_answers_every_question(scale, report):
    outcome = await scored(ByRule(), scale, report)
    assert isinstance(outcome, Score)
    menu = {"Satisfied", "Not Satisfied"} | (
        {"Partially Satisfied"} if scale == "ternary" else set()
    )
    assert {item["verdict"] for item in outcome.details["items"]} <= menu
