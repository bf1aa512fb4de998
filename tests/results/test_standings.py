"""Who has a place in a ranking, and which: with tasks that are unscored, and with a reference."""

import json
from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadInput
from deepassay.results.comparing import compare, leading
from deepassay.results.comparison_tables import write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.leaderboard import write
from deepassay.results.leads import said_of
from deepassay.results.ranking import rank
from deepassay.results.standings import RANKED_FROM, rank_notes
from deepassay.score import Cause, Metric, Score, Signature
from deepassay.stats.ranks import TIE

from .judgements import make, unfolded

MISSING = Cause.TIMEOUT


def judged(**scores):
    """The scores of agents, a task after the other; None where there is none."""
    return [
        make(agent, f"t{task}", MISSING if score is None else score)
        for agent, own in scores.items()
        for task, score in enumerate(own)
    ]


def places(records):
    return {row.agent: row.place for row in rank(records)[0].standings}


def test_one_task_of_six_gives_no_rank_and_compare_is_named():
    # As kae in the demo: five reports cite nothing and are unscored.
    records = judged(wren=(90, *[None] * 5), heron=(60, 50, 55, 60, 50, 70))
    assert places(records) == {"heron": "1", "wren": "–"}
    (board,) = rank(records)
    assert board.standings[1].coverage == pytest.approx(1 / 6)
    text = write([board])
    assert "No rank: scored in fewer than 80% of the tasks (wren 1/6)" in text
    assert "deepassay compare" in text


def test_a_rank_is_open_where_an_unscored_task_decides_it():
    # wren has 60, and between 54 and 64 were the tenth task scored; heron 58; cuckoo 20.
    wren, heron, cuckoo = (*[60] * 9, None), (58,) * 10, (20,) * 10
    records = judged(wren=wren, heron=heron, cuckoo=cuckoo)
    assert places(records) == {"wren": "1 to 2", "heron": "1 to 2", "cuckoo": "3"}
    (board,) = rank(records)
    assert [row.rank for row in board.standings] == [None, None, 3]
    assert "which one depends on tasks that are unscored" in write([board])
    first = json.loads(write([board], "json"))[0]["standings"][0]
    assert (first["rank"], first["rank_best"], first["rank_worst"]) == (None, 1, 2)
    said = said_of(*leading(records, ["coverage"]))
    assert "(p = 0.004), until the unscored task differs by -4.0." in said


def test_a_metric_without_a_range_leaves_every_place_open():
    unbounded = [
        replace(each, outcome=Score(each.outcome.value))
        if isinstance(each.outcome, Score)
        else each
        for each in judged(a=(9, 9, 9, 9, None), b=(1, 1, 1, 1, 1))
    ]
    assert places(unbounded) == {"a": "1 to 2", "b": "1 to 2"}


def test_the_reference_has_no_rank_and_no_p_anywhere():
    records = [
        replace(each, is_reference=each.agent == "heron")
        for each in judged(heron=(50,) * 6, wren=(40, 41, 42, 39, 40, 43), owl=(30,) * 5 + (31,))
    ]
    (board,) = rank(records)
    assert places(records) == {"wren": "1", "owl": "2", "heron": "–"}
    assert "heron (reference)" in write([board])
    said = said_of(*leading(records, ["coverage"]))
    assert said.startswith("wren (40.8) is ahead of owl (30.2) by 10.7 (95 % interval")
    (contest,) = compare(records, None, ComparisonTerms())
    assert [each.permutation is None for each in contest.differences] == [True, True, False]
    assert [each.adjusted for each in contest.differences][:2] == [None, None]
    # The one pair that is left is not adjusted for the two with the reference.
    assert contest.differences[2].adjusted == contest.differences[2].permutation.p == 1 / 32
    assert {each.agent: each.ranks for each in contest.contestants}["heron"] is None
    text = write_contests([contest], "text", ranked=True)
    assert "heron (reference)" in text
    assert "its score is no result: no p, no rank" in unfolded(text)


def test_where_nobody_has_a_place_the_opening_says_why():
    records = judged(a=(90, None, None), b=(10, None, None))
    told = " ".join(rank_notes({"coverage": rank(records)[0].standings}))
    assert told.startswith("No rank: scored in fewer than 80% of the tasks (a 1/3, b 1/3)")
    said = said_of(*leading(records, ["coverage"]))
    assert "a has no rank: it is scored in 1 of 3 tasks." in said


def test_agents_without_a_common_task_are_never_ranked():
    records = judged(a=(90, 90, None, None), b=(None, None, 10, 10))
    assert set(places(records).values()) == {"–"}


def test_a_metric_that_pools_is_ranked_by_its_own_figure():
    # The mean of shares puts a first (.56 against .50), the pooled share b (.20 against .50).
    metric = Metric("coverage", pools=True)
    tallies = {"a": [(1, 1), (1, 9)], "b": [(5, 10), (5, 10)]}
    records = [
        replace(
            make(agent, f"t{task}", Score(met / of, (0.0, 1.0), tally=(met, of))), metric=metric
        )
        for agent, own in tallies.items()
        for task, (met, of) in enumerate(own)
    ]
    (board,) = rank(records)
    means = {row.agent: row.summary.mean for row in board.standings}
    assert means == {"a": pytest.approx(0.2), "b": 0.5}
    assert [row.agent for row in board.standings] == ["b", "a"]
    unpooled = [replace(each, metric=None) for each in records]
    assert [row.agent for row in rank(unpooled)[0].standings] == ["a", "b"]
    text = write_contests(compare(records, None, ComparisonTerms()), "text", ranked=True)
    assert "score: one share over all its reports, as in the leaderboard" in unfolded(text)
    rows = [line.split() for line in text.partition(": agents")[2].splitlines()[3:6]]
    assert [row[:2] for row in rows[-2:]] == [["b", "0.5000"], ["a", "0.2000"]]
    assert "0.5000" in rows[-2][2:] and "0.5556" in rows[-1][2:]


def test_published_scores_of_several_agents_need_a_judge_or_leave_to_mix():
    nameless = Signature({"protocol": "coverage", "judges": [{"model": "not stated"}]})
    records = [make(agent, "t", value, recipe=nameless) for agent, value in (("a", 1), ("b", 2))]
    for refused in (lambda: rank(records), lambda: compare(records, None, ComparisonTerms())):
        with pytest.raises(BadInput, match="do not say who judged a, b") as error:
            refused()
        assert "--judged-by FILE=NAME" in error.value.remedy
    mixed = write(rank(records, allow_mixed=True))
    assert "These files do not say who judged" in mixed.split("\n\n")[0]
    assert "do not say" not in write(rank(records[:1]))


def test_equal_scores_have_no_interval_and_the_dash_is_explained():
    (board,) = rank(judged(a=(100,) * 4, b=(90, 80, 70, 60)))
    assert [row.summary.interval is None for row in board.standings] == [True, False]
    assert "100.0 to 100.0" not in write([board]).split("bounds")[0]
    assert "No interval: there is one task, or all tasks have the same score." in write([board])


SCORES = st.lists(st.one_of(st.none(), st.floats(0, 100, allow_nan=False)), min_size=6, max_size=6)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.sampled_from("abcd"), SCORES, min_size=1), st.sampled_from("abcd-"))
def test_whatever_the_scores_no_rank_below_coverage_and_no_p_for_a_reference(design, reference):
    records = [replace(each, is_reference=each.agent == reference) for each in judged(**design)]
    (board,) = rank(records)
    for row in board.standings:
        enough = row.summary.tasks.scored >= RANKED_FROM * 6
        assert (row.ranks is not None) == (enough and row.agent != reference)
        if row.ranks:
            assert 1 <= row.ranks.best <= row.ranks.worst <= len(board.standings)
        inside(row.summary.interval, row.summary.mean)
    if not any(row.summary.tasks.scored for row in board.standings):
        return
    (contest,) = compare(records, None, ComparisonTerms())
    for pair in contest.differences:
        assert pair.permutation is None or reference not in (pair.one, pair.other)
        assert (pair.adjusted is None) == (pair.permutation is None)
        inside(pair.interval, pair.mean)
        inside(pair.bootstrap, pair.mean)
    for each in contest.contestants:
        inside(each.interval, each.mean)
    text = write_contests([contest], "text", ranked=True)
    assert any(pair.interval is None for pair in contest.differences) == ("interval –" in text)


def inside(interval, value):
    assert interval is None or interval.low - TIE <= value <= interval.high + TIE


@settings(deadline=None, max_examples=80)
@given(st.data())
def test_a_rank_holds_whatever_the_unscored_tasks_would_have_scored(data):
    # In steps that are larger than what counts as a tie.
    scores = st.lists(st.integers(0, 1000).map(lambda each: each / 10), min_size=10, max_size=10)
    whole = {agent: data.draw(scores) for agent in "abc"}
    lost = {agent: data.draw(st.sets(st.integers(0, 9), max_size=2)) for agent in "abc"}
    (board,) = rank(
        judged(
            **{
                agent: [None if task in lost[agent] else score for task, score in enumerate(own)]
                for agent, own in whole.items()
            }
        )
    )
    for row in board.standings:
        truth = 1 + sum(fmean(own) > fmean(whole[row.agent]) + 1e-6 for own in whole.values())
        assert row.ranks.best <= truth <= row.ranks.worst
