import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.fact.arithmetic import (
    OUTCOMES,
    CitedClaims,
    Outcome,
    accuracy_bounds,
    counts_of,
    paper_score,
    recall,
    uncited_share,
)
from deepassay.protocols.fact.pairs import CitedPair
from deepassay.results.citations import accuracy_of
from deepassay.score import Cause, Unscored

NOBODY = CitedClaims(frozenset(), frozenset())


def outcomes_of(*kinds):
    return {
        CitedPair(f"s{place}", "u", (place,)): Outcome(kind, cause=Cause.TIMEOUT)
        for place, kind in enumerate(kinds)
    }


def counts(*kinds, claims=(), cited=()):
    return counts_of(outcomes_of(*kinds), CitedClaims(frozenset(claims), frozenset(cited)))


@pytest.mark.parametrize(
    ("kinds", "value"),
    [
        ([], 0.0),
        (["supported"], 1.0),
        (["supported", "unsupported"], 0.5),
        (["supported", "unknown"], 0.5),
        (["supported", "gone"], 0.5),
        (["supported", "refused"], 0.5),
        (["supported", "blocked"], 1.0),
        (["supported", "unsupported", "timeout", "failed", "not_archived"], 0.5),
        (["blocked", "too_large", "not_text"], None),
    ],
)
def test_accuracy_is_supported_of_all_that_could_be_judged(kinds, value):
    assert accuracy_of(counts(*kinds)) == value


def test_what_is_unscored_widens_the_bounds_and_is_said_to_be_open():
    outcomes = outcomes_of("supported", "unsupported", "blocked", "blocked")
    score = paper_score(outcomes, counts_of(outcomes, NOBODY), {})
    assert (score.value, score.details["low"], score.details["high"]) == (0.5, 0.25, 0.75)
    assert score.details["open"] is True and score.tally == (1.0, 2.0)


def test_one_pair_that_is_unscored_leaves_the_report_open():
    outcomes = outcomes_of("supported", "blocked")
    assert paper_score(outcomes, counts_of(outcomes, NOBODY), {}).details["open"] is True


def test_a_report_of_which_everything_is_judged_is_not_open():
    outcomes = outcomes_of("supported", "gone")
    assert paper_score(outcomes, counts_of(outcomes, NOBODY), {}).details["open"] is False


def test_without_pairs_the_accuracy_is_0_and_so_are_its_bounds():
    assert accuracy_bounds(counts()) == (0, 0)
    score = paper_score({}, counts(), {})
    assert (score.value, score.tally, score.details["open"]) == (0, (0, 0), False)


@pytest.mark.parametrize(
    ("kinds", "again"),
    [
        (["supported", "unsupported", "unknown"], False),
        (["supported", "gone"], True),
        (["supported", "refused"], True),
        (["supported", "blocked"], False),  # which is open, and so asked for again anyway
    ],
)
def test_pages_that_are_gone_or_refused_may_be_asked_for_again(kinds, again):
    outcomes = outcomes_of(*kinds)
    assert paper_score(outcomes, counts_of(outcomes, NOBODY), {}).details["again"] is again


def test_if_every_pair_is_unscored_so_is_the_report_for_the_commonest_cause():
    outcomes = {
        CitedPair("a", "u", (0,)): Outcome("blocked", cause=Cause.PAGE_BLOCKED),
        CitedPair("b", "v", (1,)): Outcome("failed", cause=Cause.JUDGE_REFUSED),
        CitedPair("c", "v", (2,)): Outcome("failed", cause=Cause.JUDGE_REFUSED),
    }
    outcome = paper_score(outcomes, counts_of(outcomes, NOBODY), {})
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.JUDGE_REFUSED
    assert outcome.details["counts"]["blocked"] == 1


def test_recall_counts_statements_and_not_pairs():
    outcomes = {
        CitedPair("a", "u", (0,)): Outcome("unsupported"),
        CitedPair("a", "v", (0, 1)): Outcome("supported"),
        CitedPair("b", "w", (2,)): Outcome("blocked"),
    }
    counted = counts_of(outcomes, CitedClaims(frozenset({0, 1, 2, 3, 4}), frozenset({0, 1, 2, 5})))
    assert recall(counted) == 2 / 5  # of 0, 1, 3, 4 and 5; statement 2 is open
    assert uncited_share(counted) == 2 / 5  # 3 and 4


def test_without_claims_there_is_no_recall_and_no_share():
    assert recall(counts()) is None and uncited_share(counts()) is None


def test_the_evidence_names_address_verdict_and_quote():
    outcomes = {CitedPair("It grew.", "https://a/", (0,)): Outcome("supported", "“it grew”")}
    (item,) = paper_score(outcomes, counts_of(outcomes, NOBODY), {}).details["items"]
    assert item["item"] == "It grew." and item["score"] == 1
    assert item["justification"] == "https://a/ · “it grew”"
    assert item["verdict"] == "supported"


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from(OUTCOMES), max_size=30))
def test_the_accuracy_lies_within_its_bounds_and_every_pair_is_counted_once(kinds):
    counted = counts(*kinds)
    low, high = accuracy_bounds(counted)
    value = accuracy_of(counted)
    assert 0 <= low <= high <= 1
    assert sum(counted.get(kind, 0) for kind in OUTCOMES) == counted["pairs"] == len(kinds)
    if value is not None:
        assert low <= value <= high or counted["pairs"] == 0


@pytest.mark.parametrize(
    ("kinds", "value"),
    [
        ([], 0.0),
        (["supported", "unsupported", "unknown", "supported"], 0.5),
        (["supported", "gone", "refused", "redirected_home"], 1.0),
        (["unsupported", "gone", "blocked"], 0.0),
        (["gone", "refused"], None),
        (["gone", "blocked"], None),
        (["timeout"], None),
    ],
)
def test_faithfulness_is_supported_of_what_was_held_against_a_page(kinds, value):
    outcomes = {
        pair: Outcome(each.kind, cause=None if each.kind == "gone" else each.cause)
        for pair, each in outcomes_of(*kinds).items()
    }
    found = paper_score(outcomes, counts_of(outcomes, NOBODY), {}, verified=True)
    if value is None:
        assert isinstance(found, Unscored)
        return
    assert found.value == found.parts["faithful"] == value
    assert found.parts["C.Acc"] == accuracy_of(counts_of(outcomes, NOBODY))
    assert found.details["low"] <= value <= found.details["high"]


def test_groundedness_is_the_share_of_claims_with_a_source():
    outcomes = outcomes_of("supported", "gone")
    body = CitedClaims(frozenset({0, 1, 2, 3}), frozenset({0, 1, 9}))
    found = paper_score(outcomes, counts_of(outcomes, body), {}, verified=True)
    assert found.parts["grounded"] == 0.5
    assert "grounded" not in paper_score(outcomes, counts_of(outcomes, body), {}).parts
