from deepassay.protocols.entries import Judgement, out_of_budget
from deepassay.score import Cause, Unscored, commonest

LATE = Judgement.failed(Unscored(Cause.TIMEOUT, "too late"))
SPENT = Judgement.failed(Unscored(Cause.BUDGET, "all is spent"))


def test_a_judgement_that_failed_says_why():
    assert (LATE.verdict, LATE.cause, LATE.reason) == (None, Cause.TIMEOUT, "too late")


def test_what_the_budget_leaves_open_ends_the_report_and_nothing_else_does():
    assert out_of_budget([Judgement(3), LATE]) is None
    assert out_of_budget([]) is None
    assert out_of_budget([LATE, Judgement(3), SPENT]) == Unscored(Cause.BUDGET, "all is spent")


def test_the_commonest_cause_is_the_first_of_equals():
    refused = Cause.JUDGE_REFUSED
    assert commonest([None, Cause.TIMEOUT, None, refused, refused]) is refused
    assert commonest([Cause.TIMEOUT, refused, None]) is Cause.TIMEOUT
