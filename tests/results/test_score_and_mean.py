"""Sets whose score is one share, or ends at 0 and 1: what is said of it, and what of the mean."""

import json
from dataclasses import replace

import pytest

from deepassay.results.comparing import compare, leading
from deepassay.results.comparison_tables import write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.gates import PairAtGate, worse
from deepassay.results.leads import lead_of, said_of
from deepassay.results.opening import opening
from deepassay.results.ranking import rank
from deepassay.results.revision_tables import write_revisions
from deepassay.results.revisions import Revision, revise
from deepassay.results.trends import series, write_series
from deepassay.score import Cause, Metric, Score

from .judgements import make, unfolded
from .test_opening import HIGH, LOW, MODEL, judged

OF_MEAN = "of the mean over tasks, in which every task weighs the same."
SHARE = "score: one share over all its reports, as in the leaderboard; "


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
        "Nobody is first by score, one share over all its reports. Chance is told of the "
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


def revision(name, day, *records):
    judged = [each for own in records for each in own]
    return Revision(name, day, judged, {(e.protocol, e.task): "same" for e in judged})


# The share falls from .6122 to .2857, and the mean over tasks rises from .0741 to .9136.
FEW, MANY = [*[(0, 1)] * 8, (60, 90)], [*[(1, 1)] * 8, (20, 90)]
SAME = [(8, 10)] * 9
OLD = revision(
    "old.assay",
    "2026-01-01",
    tallied("pooled", a=FEW, b=SAME),
    tallied("share", a=FEW),
    tallied("clipped", clips=True, a=[(-1, 10)] * 9),
    judged("coverage", a=[*LOW, 60]),
)
NEW = revision(
    "new.assay",
    "2026-02-01",
    tallied("pooled", a=MANY, b=SAME),
    tallied("share", a=MANY),
    tallied("clipped", clips=True, a=[(-3, 10)] * 9),
    judged("coverage", a=[*HIGH, 80]),
)


def test_a_series_says_that_changes_are_not_of_the_score():
    text = unfolded(write_series(series([OLD, NEW], [], ComparisonTerms()), "text"))
    assert " a by pooled (mean over tasks) +0.8395" in text
    assert "a by share (mean over tasks) +0.8395" in text
    assert "Better: a by coverage +20.0" in text
    assert "As at first: b by pooled." in text
    assert "Worse: a by clipped (mean over tasks) -0.2000" in text
    changes = f"since first, since the last one and p: {OF_MEAN}"
    assert text.count(SHARE + changes) == 2  # of a, by pooled and by share
    assert (
        text.count(
            f"score: the mean over tasks kept within 0 and 1, as in the leaderboard; {changes}"
        )
        == 1
    )


def test_a_series_says_so_also_where_only_a_run_between_has_another_score():
    between = revision("mid.assay", "2026-01-15", tallied("pooled", a=MANY))
    even = [revision(f"{n}.assay", n, tallied("pooled", a=SAME)) for n in ("2026", "2027")]
    text = unfolded(
        write_series(series([even[0], between, even[1]], [], ComparisonTerms()), "text")
    )
    assert SHARE + "since first, since the last one and p" in text
    plain = unfolded(write_series(series(even, [], ComparisonTerms()), "text"))
    assert "one share" not in plain and "mean over tasks" not in plain


def test_a_run_against_an_earlier_one_says_that_nothing_in_it_is_of_the_score():
    text = unfolded(write_revisions(revise(OLD, NEW), "text"))
    assert "a by pooled (mean over tasks), 0.0741 before and 0.9136 now" in text
    assert "a by coverage, 60.8 before and 80.8 now" in text
    assert "As before: b by pooled." in text
    of_both = f"before, now, change and p: {OF_MEAN}"
    assert f"By pooled and share, {SHARE}{of_both}" in text
    assert text.count(of_both) == 2  # of these two, and of clipped
    plain = revise(
        revision("o", "1", OLD.of("coverage", "a")), revision("n", "2", NEW.of("coverage", "a"))
    )
    assert "score:" not in write_revisions(plain, "text")


def test_a_gate_says_that_worse_is_not_by_the_score():
    failed = worse(revise(NEW, OLD, ["a"]).at_gate).failed
    said = [line.partition(" over 9")[0] for line in failed if not line.startswith(" ")]
    assert said == [
        "a is worse than a (before) under coverage: by 20",
        "a is worse than a (before) under pooled (mean over tasks): by 0.8395",
        "a is worse than a (before) under share (mean over tasks): by 0.8395",
    ]
    told = worse([each for each in revise(OLD, NEW).at_gate if each.contest.protocol != "clipped"])
    assert told.passed.endswith("(by coverage, pooled (mean over tasks), share (mean over tasks)).")
    two = [*tallied("pooled", a=FEW[4:], b=MANY[4:]), *judged("coverage", a=LOW[:5], b=HIGH[:5])]
    open_ = [PairAtGate(each, "a", "b", {}) for each in compare(two, ("a", "b"), ComparisonTerms())]
    lines = worse(open_).failed
    assert sorted(line.partition(" cannot")[0] for line in lines) == [
        "Whether a is worse than b under coverage",
        "Whether a is worse than b under pooled (mean over tasks)",
    ]


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
