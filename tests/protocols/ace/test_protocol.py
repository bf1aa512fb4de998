"""ACE: the checklist, the question about one item, the weighted mean."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.ask import Answer
from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.ace.checklists import MAKE_CHECKLIST
from deepassay.protocols.ace.protocol import (
    BOUNDS,
    GATHER_EVIDENCE,
    SCORE_ITEM,
    Ace,
    ItemOnReport,
    limits,
    score_by_rule,
    weighted_mean,
)
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.reports.report import Report
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import AceItem
from tests.protocols.fact.web import Model
from tests.protocols.judges import NO_SOURCES

WEIGHTS = (0.45, 0.30, 0.15, 0.10)


def items(*weights):
    return tuple(
        AceItem(title=f"Side {n}", description=f"What {n} asks.", weight=weight)
        for n, weight in enumerate(weights, start=1)
    )


CHECKLIST = items(*WEIGHTS)


def task(checklist=None, **labels):
    return Task(id="t", prompt="How loud are ferries?", ace=checklist, labels=labels)


class Judge:
    """Scores items by their titles; a cause instead of a number is a failure."""

    def __init__(self, **by_title):
        self.identity = {"model": "judge"}
        self.by_title = by_title
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation, inputs, repeat))
        rating = self.by_title[inputs.title.replace(" ", "_")]
        if isinstance(rating, Cause):
            return Unscored(rating, "told so")
        raw = json.dumps({"justification": "so it is", "rating": rating})
        return Answer(read_reply(operation, inputs, raw).value, "key", "judge")


REPORT = Report("# Ferries\n\nThe ferry makes 61 decibels at ten metres.\n", "alpha", "t")


def score(judge, checklist=CHECKLIST, protocol=None, maker=None, report=REPORT, **labels):
    case = Case(task(checklist, **labels), report)
    roles = RoleAskers(judge, judge, judge, maker or judge, judge)
    return asyncio.run((protocol or Ace()).score(case, roles, NO_SOURCES))


def test_the_score_is_the_weighted_mean_of_the_items():
    """By hand: .45 x 8 + .30 x 6 + .15 x 4 + .10 x 9 = 3.6 + 1.8 + 0.6 + 0.9 = 6.9."""
    judge = Judge(Side_1=8, Side_2=6, Side_3=4, Side_4=9)
    outcome = score(judge)
    assert outcome.value == pytest.approx(6.9)
    assert outcome.bounds == (0.0, 10.0)
    assert outcome.parts == {"t:A1": 8.0, "t:A2": 6.0, "t:A3": 4.0, "t:A4": 9.0}
    assert not outcome.details["open"]
    assert [inputs.title for _, inputs, _ in judge.asked] == [f"Side {n}" for n in range(1, 5)]


def test_weights_that_almost_sum_to_1_are_normalised():
    outcome = score(Judge(Side_1=10, Side_2=0, Side_3=0), items(0.5, 0.3, 0.18))
    assert outcome.value == pytest.approx(10 * 0.5 / 0.98)


def test_an_item_without_a_score_leaves_the_others_and_bounds():
    outcome = score(Judge(Side_1=8, Side_2=Cause.TIMEOUT, Side_3=4, Side_4=9))
    assert outcome.value == pytest.approx((3.6 + 0.6 + 0.9) / 0.7)
    assert outcome.details["open"]
    assert outcome.details["low"] == pytest.approx(5.1)
    assert outcome.details["high"] == pytest.approx(8.1)
    assert outcome.details["items"][1]["cause"] == "timeout"


def test_without_any_item_scored_there_is_no_score():
    outcome = score(Judge(**{f"Side_{n}": Cause.JUDGE_REFUSED for n in range(1, 5)}))
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.JUDGE_REFUSED


def test_where_the_budget_ends_there_is_no_outcome_yet():
    outcome = score(Judge(Side_1=8, Side_2=6, Side_3=4, Side_4=Cause.BUDGET))
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.floats(0.01, 1), st.one_of(st.none(), st.integers(0, 10))),
        min_size=1,
        max_size=6,
    )
)
def test_the_mean_lies_between_its_limits_and_these_in_the_range(pairs):
    total = sum(weight for weight, _ in pairs)
    shares, ratings = [w / total for w, _ in pairs], [r for _, r in pairs]
    low, high = limits(shares, ratings)
    mean = weighted_mean(shares, ratings)
    assert BOUNDS[0] <= low <= high <= BOUNDS[1]
    assert mean is None or low - 1e-9 <= mean <= high + 1e-9


@pytest.mark.parametrize("rating", [11, -1, 6.5, "11", None, True])
def test_a_score_off_the_scale_is_not_accepted(rating):
    inputs = ItemOnReport(
        language="en", report="x", query="y", context="", title="a", description="b"
    )
    with pytest.raises(Unreadable):
        read_reply(SCORE_ITEM, inputs, json.dumps({"justification": "so", "rating": rating}))


def test_the_judge_is_told_the_kind_of_task_and_no_weight():
    judge = Judge(Side_1=1, Side_2=1, Side_3=1, Side_4=1)
    score(judge, family="Comparative analysis", difficulty="Advanced", secret="x")
    _, inputs, _ = judge.asked[0]
    assert inputs.context == "family: Comparative analysis\ndifficulty: Advanced"
    assert "0.45" not in SCORE_ITEM.render(inputs, "salt").text


def test_without_a_checklist_there_is_no_score_and_a_way_is_named():
    outcome = score(Judge(), checklist=None)
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.MISSING_INPUT
    assert "deepassay tasks checklist" in outcome.detail


def made(operation, inputs):
    assert operation is MAKE_CHECKLIST
    return {"items": [each.model_dump() for each in items(*WEIGHTS)]}


def test_the_maker_makes_the_checklist_and_the_judge_scores_it():
    judge, maker = Judge(Side_1=8, Side_2=6, Side_3=4, Side_4=9), Model(made, "maker")
    outcome = score(judge, checklist=None, protocol=Ace(make=True), maker=maker)
    assert outcome.value == pytest.approx(6.9)
    assert outcome.details["made_by"] == "maker"
    assert len(maker.asked) == 1 and len(judge.asked) == 4


def test_a_checklist_that_cannot_be_made_leaves_no_score():
    maker = Model(lambda *_: Cause.TIMEOUT)
    outcome = score(Judge(), checklist=None, protocol=Ace(make=True), maker=maker)
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.TIMEOUT


def test_roles_and_basis_follow_from_where_the_checklist_comes_from():
    one, other = Case(task(items(*WEIGHTS)), REPORT), Case(task(items(0.5, 0.3, 0.2)), REPORT)
    assert Ace().basis(one) != Ace().basis(other)
    assert Ace(make=True).basis(one) == Ace(make=True).basis(other)
    assert Ace().roles == ("judge",) and Ace(make=True).roles == ("judge", "maker")


def test_by_rule_a_report_on_the_matter_scores_higher_than_an_empty_one():
    def rated(report):
        return score_by_rule(
            ItemOnReport(
                language="en",
                report=report,
                query="How loud are ferries?",
                context="",
                title="Accuracy of the figures on ferries",
                description="Decibels of ferries are given with distance and source.",
            )
        ).rating

    rich = "# Ferries\n\n" + "".join(
        f"The figures on ferries of line {n} are {50 + n} decibels at {n} metres, so "
        f"residents of pier {n} complain about noise.\n\n"
        for n in range(1, 40)
    )
    assert rated("Nothing of that kind.") < rated(rich)
    assert isinstance(score(Model(), report=Report(rich)), Score)


def test_its_operations_have_fitting_prompts():
    for operation in Ace(make=True).operations():
        operation.verify()


class ShortSighted(Judge):
    """Cannot take the whole report; scores by how many of the facts were copied for it."""

    facts = ("It makes 61 decibels.", "It made 74 decibels before.")

    async def __call__(self, operation, inputs, *, repeat=0):
        if operation is SCORE_ITEM:
            return Unscored(Cause.CONTEXT_OVERFLOW, "too long")
        self.asked.append((operation, inputs, repeat))
        if operation is GATHER_EVIDENCE:
            if inputs.number in self.by_title.get("silent_on", ()):
                return Unscored(Cause.TIMEOUT, "too late")
            quotes = [each for each in self.facts if each in inputs.window]
            found = [{"item": "a1", "bearing": "for", "quote": quote} for quote in quotes]
            raw = {"evidence": found}
        else:
            raw = {"justification": "so it is", "rating": 5 * len(inputs.evidence)}
        return Answer(read_reply(operation, inputs, json.dumps(raw)).value, "key", "judge")


LONG = Report("\n\n".join([ShortSighted.facts[0], *["Waves go up and down."] * 12_000,
                          ShortSighted.facts[1]]) + "\n", "alpha", "t")  # fmt: skip


def test_a_report_longer_than_the_context_is_scored_on_evidence_from_all_its_windows():
    judge = ShortSighted()
    outcome = score(judge, report=LONG)
    windows = outcome.details["windows"]
    assert windows > 1 and len(judge.asked) == len(CHECKLIST) * (windows + 1)
    assert outcome.value == 10
    assert "overlapping windows" in outcome.details["summary"]
    places = outcome.details["items"][0]["places"]
    assert [place["line"] for place in places] == [1, 24_003]


def test_without_one_of_the_windows_nothing_is_decided():
    outcome = score(ShortSighted(silent_on=(2,)), report=LONG)
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.TIMEOUT
    assert "window 2 of" in outcome.detail


def test_in_windows_there_is_a_rule_too():
    class ByRuleInParts(Model):
        async def __call__(self, operation, inputs, *, repeat=0):
            if operation is SCORE_ITEM:
                return Unscored(Cause.CONTEXT_OVERFLOW, "too long")
            return Answer(operation.offline(inputs), "key", "judge")

    assert isinstance(score(ByRuleInParts(), report=LONG), Score)
