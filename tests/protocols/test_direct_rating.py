"""Direct rating: a question for each side, the mean, what is open."""

import asyncio

import pytest

from deepassay.errors import BadSetting
from deepassay.models.ask import Answer
from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.direct_rating import RATE, SIDES, DirectRating
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.registry import DEEPEVAL
from deepassay.reports.report import Report
from deepassay.results.evidence import EvidenceItem
from deepassay.results.explain import verdict_of
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.task import Task
from tests.protocols.judges import NO_SOURCES


class Judge:
    """Rates sides by their names; a cause instead of a number is a failure."""

    def __init__(self, **ratings):
        self.identity = {"model": "judge"}
        self.ratings = ratings
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        side = operation.name.partition("/")[2]
        self.asked.append((side, repeat))
        rating = self.ratings.get(side, 5)
        if isinstance(rating, Cause):
            return Unscored(rating, "told so")
        raw = f'{{"justification": "so it is", "rating": {rating}}}'
        return Answer(read_reply(operation, inputs, raw).value, "key", "judge")


def score(judge, protocol=None, repeat=0):
    case = Case(Task(id="t", prompt="How loud are ferries?"), Report("Loud."), repeat)
    return asyncio.run(
        (protocol or DirectRating()).score(case, RoleAskers.alone(judge), NO_SOURCES)
    )


def test_every_side_is_asked_about_by_itself_and_the_score_is_their_mean():
    judge = Judge(presentation=9, consistency=7, coverage=6, depth=2, citation_association=1)
    found = score(judge, repeat=3)
    assert judge.asked == [(side, 3) for side in SIDES]
    assert found.value == 50.0
    assert found.parts == {
        "presentation": 90.0,
        "consistency": 70.0,
        "coverage": 60.0,
        "depth": 20.0,
        "citation_association": 10.0,
    }


def test_one_side_alone():
    judge = Judge(depth=4)
    assert score(judge, DirectRating(metric="depth")).value == 40.0
    assert judge.asked == [("depth", 0)]
    assert str(DirectRating(metric="depth")) == "direct_rating(metric='depth')"
    with pytest.raises(BadSetting, match="no metric 'length'"):
        DirectRating(metric="length")


def test_the_sides_are_metrics_of_deepeval():
    assert set(SIDES) < set(DEEPEVAL)


def test_a_rating_is_read_out_with_its_reason():
    found = score(Judge(depth=4, coverage=Cause.TIMEOUT))
    items = {item["key"]: EvidenceItem.read(item) for item in found.details["items"]}
    assert verdict_of(items["depth"]) == "4 of 10"
    assert items["depth"].reason == "so it is"
    assert verdict_of(items["coverage"]) == "unscored"
    assert items["coverage"].cause == "timeout"


def test_what_was_not_rated_is_left_out_and_bounded():
    found = score(Judge(depth=Cause.TIMEOUT))
    assert isinstance(found, Score)
    assert found.value == 50.0
    assert (found.details["low"], found.details["high"]) == (40.0, 60.0)
    assert found.details["open"] is True
    assert found.parts["depth"] is None


def test_no_rating_at_all_is_unscored_by_the_commonest_cause():
    failures = dict.fromkeys(SIDES, Cause.JUDGE_REFUSED) | {"depth": Cause.TIMEOUT}
    found = score(Judge(**failures))
    assert isinstance(found, Unscored)
    assert found.cause is Cause.JUDGE_REFUSED


def test_a_spent_budget_leaves_the_case_open_for_another_run():
    found = score(Judge(depth=Cause.BUDGET))
    assert isinstance(found, Unscored)
    assert found.cause is Cause.BUDGET


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("side", SIDES)
def test_ratings_are_whole_numbers_from_0_to_10_in_both_languages(side, language):
    inputs = ReportAndQuery(language=language, report="Loud.", query="How loud?")
    operation = RATE[side]
    assert (
        read_reply(operation, inputs, '{"justification": "so", "rating": 10.0}').value.rating == 10
    )
    for rating in ("11", "-1", "6.5", "true", '"good"'):
        with pytest.raises(Unreadable):
            read_reply(operation, inputs, f'{{"justification": "so", "rating": {rating}}}')
    assert operation.digest("en") != operation.digest("zh")


def test_the_rule_rates_all_sides_alike_and_so_gives_no_order():
    inputs = ReportAndQuery(
        language="en", report="Ferries are loud.", query="How loud are ferries?"
    )
    assert len({RATE[side].offline(inputs).rating for side in SIDES}) == 1
    assert DirectRating().offline_reads is False
