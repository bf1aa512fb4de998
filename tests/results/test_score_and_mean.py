"""Sets whose score is one share, or ends at 0 and 1: what is said of it, and what of the mean."""

import json
from dataclasses import replace

import pytest

from deepassay.results.comparing import compare, leading
from deepassay.results.comparison_tables import write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.leads import lead_of, said_of
from deepassay.results.opening import opening
from deepassay.results.ranking import rank
from deepassay.score import Cause, Metric, Score

from .judgements import make
from .test_opening import HIGH, LOW, MODEL, judged


def tallied(protocol, clips=False, **tallies):
    """Scores of a metric that pools, or keeps its mean between 0 and 1; None where none is."""
    metric = Metric(protocol, pools=not clips, clips=clips)

    def outcome(tally):
        if tally is None:
            return Cause.TIMEOUT
        return Score(tally[0] / tally[1], (-1.0, 1.0), tally=tally)

    return [
        replace(
            make(agent, f"t{task}", outcome(tally), recipe=MODEL), protocol=protocol, metric=metric
        )
        for agent, own in tallies.items()
        for task, tally in enumerate(own)
    ]


def of_several(records, *protocols):
    """What is said of these and of a protocol by which a is ahead."""
    others = judged("coverage", a=HIGH, b=LOW)
    return opening(leading(records + others, [*protocols, "coverage"]))[1]


def test_who_is_first_by_a_pooled_score_is_first_in_the_opening_too():
    # Pooled b has .50 and a .20; by the mean over tasks a has .5556 and b .50.
    records = tallied("pooled", a=[(1, 1), (1, 9)], b=[(5, 10), (5, 10)])
    told = said_of(*leading(records, ["pooled"]))
    assert told.startswith(
        "b has the highest score (0.5000; a 0.2000), one share over all its reports. Chance is "
        "told of the mean over tasks: a (0.5556) is ahead of b (0.5000) by 0.0556"
    )
    others = judged(a=HIGH[:2], b=LOW[:2])
    several = " ".join(opening(leading(records + others, ["pooled", "coverage"])))
    assert "b is first by pooled" in several and "a is first by coverage" in several
    assert "By pooled the mean over tasks has a ahead of b." in several
    level = " ".join(opening(leading(records + judged(a=(5, 5), b=(5, 5)), ["pooled", "coverage"])))
    assert "may be chance: a over b by pooled (mean over tasks), 0.0556" in level
    alone = said_of(*leading(tallied("pooled", a=[(1, 1), (1, 9)]), ["pooled"]))
    assert alone.startswith("a has 0.2000 ")


def test_scores_that_a_mean_within_0_and_1_makes_equal_are_level_in_the_opening():
    # Both means are below 0, at which the score of the set ends.
    records = tallied("clipped", clips=True, a=[(-1, 10), (0, 10)], b=[(-3, 10), (-1, 10)])
    (board,) = rank(records)
    assert {row.place for row in board.standings} == {"1"}
    told = said_of(*leading(records, ["clipped"]))
    assert told.startswith(
        "a and b have the same score (0.0000), the mean over tasks kept within 0 and 1. Chance is "
        "told of the mean over tasks: a (-0.0500) is ahead of b (-0.2000) by 0.1500"
    )
    others = judged(a=HIGH[:2], b=LOW[:2])
    several = " ".join(opening(leading(records + others, ["clipped", "coverage"])))
    assert "nobody is first alone by clipped" in several


def test_where_score_and_mean_are_one_nothing_is_said_of_two():
    pooled = tallied("pooled", a=[(8, 10), (9, 10)], b=[(5, 10), (5, 10)])
    assert said_of(*leading(pooled, ["pooled"])).startswith("a (0.8500) is ahead of b (0.5000)")


WITHOUT = "has no rank by pooled: it is scored in fewer than 80% of the tasks."


@pytest.mark.parametrize(
    ("one", "said_alone", "said"),
    [
        # a: one task of ten, behind b there; its .50 is more than the share of b, .3417.
        (
            [(5, 10)],
            "b has the highest score of those with a rank (0.3417; a 0.5000), ",
            f"a is first by coverage; b is first by pooled. a {WITHOUT}",
        ),
        # a: as much as b on that task.
        (
            [(6, 10)],
            "b has the highest score of those with a rank (0.3417; a 0.6000), ",
            "a is first by coverage; b is first by pooled. By pooled the mean over tasks has a "
            f"level with b over the tasks of both. a {WITHOUT}",
        ),
        # a: ahead of b there.
        (
            [(7, 10)],
            "b has the highest score of those with a rank (0.3417; a 0.7000), ",
            "a is first by coverage; b is first by pooled. By pooled the mean over tasks has a "
            f"ahead of b over the tasks of both. a {WITHOUT}",
        ),
    ],
)
def test_by_a_pooled_score_nobody_without_a_rank_is_called_first(one, said_alone, said):
    records = tallied("pooled", a=[*one, *[None] * 9], b=[(6, 10), (3, 30), *[(4, 10)] * 8])
    (board,) = rank(records)
    assert [(row.agent, row.place) for row in board.standings] == [("b", "1"), ("a", "–")]
    (contest,) = leading(records, ["pooled"])
    assert lead_of(contest).leader == "b"
    assert said_of(contest).startswith(said_alone)
    assert of_several(records, "pooled") == said


def test_where_two_have_no_rank_neither_is_first_by_a_pooled_score():
    thin = tallied(
        "pooled",
        a=[(5, 10), (1, 1), *[None] * 8],
        b=[(3, 10), (1, 90), *[None] * 8],
    )
    (contest,) = leading(thin, ["pooled"])
    assert lead_of(contest).leader is None
    assert said_of(contest).startswith(
        "Nobody with a rank has a score, one share over all its reports. Chance is told of the "
        "mean over tasks: a (0.7500) is ahead of b (0.1556)"
    )
    assert of_several(thin, "pooled").startswith(
        "a is first by coverage. a is ahead of b over the tasks of both by pooled (mean over "
        f"tasks). a {WITHOUT}"
    )


def test_who_is_behind_over_the_tasks_of_both_is_not_level():
    third = [*[(1, 10)] * 8, (1, 1), (1, 90)]
    high = {"a": [*[(9, 10)] * 8, (5, 10), None], "b": [*[(10, 10)] * 8, (0, 10), (0, 10)]}
    level = {"a": [*[(9, 10)] * 8, (8, 10), None], "b": [*[(10, 10)] * 8, (0, 10), (0, 10)]}
    first = "a is first by coverage and pooled."
    assert of_several(tallied("pooled", **high, c=third), "pooled") == (
        f"{first} By pooled the mean over tasks has b ahead of a over the tasks of both."
    )
    assert of_several(tallied("pooled", **level, c=third), "pooled") == (
        f"{first} By pooled the mean over tasks has a level with b over the tasks of both."
    )


# The share falls from .6122 to .2857, and the mean over tasks rises from .0741 to .9136.
FEW, MANY = [*[(0, 1)] * 8, (60, 90)], [*[(1, 1)] * 8, (20, 90)]


def test_who_has_no_score_stands_below_those_with_a_negative_one():
    # What c was judged by counts nothing, so its share is of nothing.
    metric = Metric("pooled", pools=True)
    none = [
        replace(
            make("c", f"t{n}", Score(0.4, (-1.0, 1.0)), recipe=MODEL),
            protocol="pooled",
            metric=metric,
        )
        for n in range(2)
    ]
    records = none + tallied("pooled", a=[(-5, 10), (-3, 10)], b=[(-1, 10), (-20, 100)])
    contests = compare(records, None, ComparisonTerms())
    table = write_contests(contests, "text", ranked=True).partition("pooled: agents")[2]
    rows = [line[0] for line in table.partition("\n\n")[2].splitlines() if line[1:3] == "  "]
    assert rows[:3] == ["b", "a", "c"]


def test_the_json_of_a_comparison_has_the_intervals_of_score_and_mean():
    records = tallied("pooled", a=FEW, b=MANY) + judged("coverage", a=HIGH, b=LOW)
    contests = compare(records, None, ComparisonTerms())
    for contest, told in zip(
        contests, json.loads(write_contests(contests, "json", ranked=True)), strict=True
    ):
        for row, each in zip(contest.contestants, told["agents"], strict=True):
            ends = each["score_interval_low"], each["score_interval_high"]
            assert ends == (row.score_interval.low, row.score_interval.high)
            assert (each["interval_low"], each["interval_high"]) == (
                row.interval.low,
                row.interval.high,
            )
            is_mean = contest.protocol == "coverage"
            assert (row.score_interval == row.interval) == is_mean
