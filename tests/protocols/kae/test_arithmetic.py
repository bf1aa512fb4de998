"""KSR, KCR and KOR from relations and pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.entries import JudgedEntry, Judgement
from deepassay.protocols.kae.key_points import KeyPoint
from deepassay.protocols.kae.protocol import Visit, kae_score, limits, rates_of
from deepassay.score import Cause, Score, Unscored

URL = "https://a.example/"
MERGED = {"merged by text": 0, "merged by model": 0}
POINT = KeyPoint("It rose.", ("It rose.",), (URL,))


def line(relation, cause=None):
    return JudgedEntry(POINT, Judgement(relation, "so it is", cause=cause))


def lines(*relations):
    return [line(each, Cause.TIMEOUT if each is None else None) for each in relations]


READ = Visit(URL, "read", (POINT,))
FAILED = Visit(URL, "failed", cause=Cause.ANSWER_UNREADABLE)
CUT = Visit(URL, "failed", cause=Cause.ANSWER_TRUNCATED, detail="the answer is cut at 300 tokens")
TOO_LARGE = Visit(URL, "too_large", cause=Cause.PAGE_TOO_LARGE, detail="It has many parts.")
RELATIONS = st.sampled_from(["SUPPORTS", "OMITS", "CONTRADICTS", None])
VISITS = st.sampled_from(
    [
        READ,
        Visit(URL, "gone", cause=Cause.PAGE_DEAD),
        Visit(URL, "blocked", cause=Cause.PAGE_BLOCKED),
        FAILED,
    ]
)


def test_rates_are_shares_of_all_key_points():
    found = rates_of(["SUPPORTS"] * 5 + ["CONTRADICTS"] * 2 + ["OMITS"] * 3)
    assert found == {"KSR": 0.5, "KCR": 0.2, "KOR": 0.3}


@settings(deadline=None, max_examples=80)
@given(st.lists(RELATIONS, max_size=40), st.lists(VISITS, max_size=8))
def test_the_rates_sum_to_1_or_there_is_no_score(relations, visits):
    outcome = kae_score(lines(*relations), [READ, *visits] if relations else visits, MERGED)
    judged = [each for each in relations if each is not None]
    assert isinstance(outcome, Score if judged else Unscored)
    if isinstance(outcome, Score):
        assert sum(outcome.parts[rate] for rate in ("KSR", "KCR", "KOR")) == pytest.approx(1)
        assert outcome.value == outcome.parts["KSR"] == judged.count("SUPPORTS") / len(judged)
        low, high = outcome.details["low"], outcome.details["high"]
        assert 0 <= low <= outcome.value + 1e-12
        assert outcome.value - 1e-12 <= high <= 1
        if not outcome.details["open"]:
            assert low == high == pytest.approx(outcome.value)


@pytest.mark.parametrize(
    ("visits", "said"),
    [
        ([READ], "1 key points of 1 pages."),
        ([READ, READ], "1 key points of 2 pages."),
        ([READ._replace(dropped=2), READ._replace(dropped=1)],
         "1 key points of 2 pages; 3 more were dropped, since their spans are not on the page."),
        ([READ, Visit(URL, "gone", cause=Cause.PAGE_DEAD)], "1 key points of 1 pages."),
        ([READ, Visit(URL, "blocked", cause=Cause.PAGE_BLOCKED)],
         "1 key points of 1 pages; 1 cited pages could not be read."),
        ([READ, CUT, FAILED, Visit(URL, "blocked", cause=Cause.PAGE_BLOCKED)],
         "1 key points of 1 pages; 1 cited pages could not be read; 2 cited pages were read, "
         "but there is no usable answer on them (the answer is cut at 300 tokens)."),
    ],
)  # fmt: skip
def test_the_summary_counts_points_pages_and_what_is_missing(visits, said):
    assert kae_score(lines("SUPPORTS"), visits, MERGED).details["summary"] == said


GONE = Visit(URL, "gone", cause=Cause.PAGE_DEAD)
BLOCKED = Visit(URL, "blocked", cause=Cause.PAGE_BLOCKED)


@pytest.mark.parametrize(
    ("visits", "cause", "said"),
    [
        ([], Cause.MISSING_INPUT, "The report cites no address."),
        ([GONE, GONE], Cause.PAGE_DEAD, "No key point: all cited pages (2) are gone."),
        ([GONE, BLOCKED, BLOCKED], Cause.PAGE_BLOCKED,
         "No key point: 2 of 3 cited pages could not be read."),
        ([READ._replace(points=()), GONE], Cause.MISSING_INPUT,
         "No cited page that was read has a key point for the task."),
        ([CUT], Cause.ANSWER_TRUNCATED, "No key point: 1 of 1 cited pages were read, but there "
         "is no usable answer on them (the answer is cut at 300 tokens)."),
        ([READ._replace(points=()), FAILED, FAILED, CUT, BLOCKED], Cause.ANSWER_UNREADABLE,
         "No key point: 1 of 5 cited pages could not be read; 3 of 5 cited pages were read, but "
         "there is no usable answer on them."),
        ([GONE, TOO_LARGE], Cause.PAGE_TOO_LARGE,
         "No key point: 1 of 2 cited pages could not be read."),
    ],
)  # fmt: skip
def test_why_there_is_no_key_point_is_said(visits, cause, said):
    outcome = kae_score([], visits, MERGED)
    assert (outcome.cause, outcome.detail) == (cause, said)


def test_the_commonest_cause_is_that_of_the_report():
    causes = [Cause.TIMEOUT, Cause.JUDGE_REFUSED, Cause.JUDGE_REFUSED]
    outcome = kae_score([line(None, cause) for cause in causes], [READ], MERGED)
    assert outcome.cause is Cause.JUDGE_REFUSED


def test_an_open_page_counts_as_one_of_average_size_in_the_bounds():
    visits = [READ, READ, Visit(URL, "blocked", cause=Cause.PAGE_BLOCKED)]
    low, high = limits(["SUPPORTS", "SUPPORTS", "OMITS", "OMITS"], visits)
    assert (low, high) == (2 / 6, 4 / 6)


def test_a_gone_page_leaves_nothing_open_but_may_come_back():
    outcome = kae_score(
        lines("SUPPORTS"), [READ, Visit(URL, "gone", cause=Cause.PAGE_DEAD)], MERGED
    )
    assert (outcome.details["open"], outcome.details["again"]) == (False, True)


@pytest.mark.parametrize(
    ("judged", "visits", "cause"),
    [
        ([], [], Cause.MISSING_INPUT),
        ([], [Visit(URL, "read")], Cause.MISSING_INPUT),
        ([], [Visit(URL, "gone", cause=Cause.PAGE_DEAD)], Cause.PAGE_DEAD),
        ([], [Visit(URL, "read"), Visit(URL, "blocked", cause=Cause.PAGE_BLOCKED)], "page_blocked"),
        ([], [Visit(URL, "not_archived", cause=Cause.NOT_ARCHIVED)], Cause.NOT_ARCHIVED),
        (lines(None, None), [READ], Cause.TIMEOUT),
    ],
)
def test_without_a_judged_key_point_there_is_no_score_and_the_cause_is_said(judged, visits, cause):
    outcome = kae_score(judged, visits, MERGED)
    assert isinstance(outcome, Unscored)
    assert outcome.cause == cause and outcome.detail
