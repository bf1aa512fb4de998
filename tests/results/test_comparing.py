"""Pairs and boards made of records."""

import json
from dataclasses import replace
from random import Random
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy import stats

from deepassay.errors import BadInput, BadSetting
from deepassay.results.comparing import compare
from deepassay.results.comparison_tables import write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.ranking import rank
from deepassay.results.tables import p_value, width
from deepassay.score import Cause, Score, Signature
from tests.results.judgements import RECIPE, make, unfolded

SCORES = {
    "heron": (80, 90, 70, 60, 75),
    "magpie": (60, 90, 50, 65, 55),
    "cuckoo": (10, 20, 5, 0, 9),
}
TERMS = ComparisonTerms()
COLOURS = ("red", "red", "blue", "blue", "green")


def records():
    return [
        make(agent, f"t{place}", score, labels={"colour": COLOURS[place]})
        for agent, scores in SCORES.items()
        for place, score in enumerate(scores)
    ]


def pair(records, one="heron", other="magpie", **terms):
    (contest,) = compare(records, (one, other), ComparisonTerms(**terms))
    return contest.differences[0]


def test_a_pair_is_the_paired_t_test_of_scipy():
    found = pair(records())
    ours, theirs = SCORES["heron"], SCORES["magpie"]
    expected = stats.ttest_rel(ours, theirs).confidence_interval(0.95)
    assert found.mean == pytest.approx(fmean(ours) - fmean(theirs), abs=1e-9)
    assert found.interval == pytest.approx(tuple(expected), abs=1e-9)
    gaps = np.subtract(ours, theirs)
    assert found.effect == pytest.approx(gaps.mean() / stdev(gaps.tolist()), abs=1e-9)
    assert (found.wins, found.losses, found.ties) == (3, 1, 1)
    assert found.permutation.p == pytest.approx(4 / 16)


def test_ties_reach_as_far_as_is_said():
    assert (pair(records(), tie=5).losses, pair(records(), tie=5).ties) == (0, 2)
    assert pair(records(), tie=5).mean == pair(records()).mean


def test_a_difference_equal_on_all_tasks_has_no_spread_to_plan_by():
    judged = [
        make(agent, f"t{task}", score + task / 10, repeat=repeat)
        for agent, score in (("heron", 0.7), ("magpie", 0.5))
        for task in range(20)
        for repeat in range(2)
    ]
    found = pair(judged, difference=0.1)
    assert 0 < found.deviation < 1e-15  # rounding alone
    assert (found.effect, found.shown, found.needed, found.judge) == (None, None, None, None)


def test_a_difference_is_no_wider_than_the_scale():
    scores = {"heron": (100, 0), "magpie": (0, 90)}
    found = pair([make(a, f"t{n}", v) for a, own in scores.items() for n, v in enumerate(own)])
    assert found.interval == (-100, 100)


@pytest.mark.parametrize("without", ["heron", "magpie"])
def test_where_a_score_declares_no_scale_nothing_is_cut_to_that_of_others(without):
    scores = {"heron": (700, 900, 400), "magpie": (0, 90, 40)}
    judged = [make(a, f"t{n}", v) for a, own in scores.items() for n, v in enumerate(own)]
    judged = [
        replace(each, outcome=Score(each.outcome.value))
        if (each.agent, each.task) == (without, "t1")
        else each
        for each in judged
    ]
    found = pair(judged)
    assert found.interval.low < found.mean < found.interval.high
    assert rank(judged)[0].limits is None


def test_repeats_and_answers_count_as_one_task():
    repeated = [
        *(each for each in records() if (each.agent, each.task) != ("heron", "t0")),
        make("heron", "t0", 90, sample=1, repeat=0),
        make("heron", "t0", 100, sample=1, repeat=1),
        make("heron", "t0", 65, sample=2),
    ]
    assert pair(repeated).mean == pytest.approx(pair(records()).mean)


def test_what_is_missing_is_left_out_and_counted():
    held = [each for each in records() if (each.agent, each.task) != ("magpie", "t4")]
    found = pair([*held, make("magpie", "t4", Cause.TIMEOUT)])
    assert found.tasks == (4, 5)
    assert found.mean == pytest.approx(fmean((20, 0, 20, -5)))


def test_all_pairs_are_adjusted_together_and_better_agents_come_first():
    (contest,) = compare(records(), None, ComparisonTerms())
    assert [(each.one, each.other) for each in contest.differences] == [
        ("heron", "magpie"),
        ("heron", "cuckoo"),
        ("magpie", "cuckoo"),
    ]
    assert [each.adjusted for each in contest.differences] == pytest.approx([0.25, 0.1875, 0.1875])
    assert pair(records()).adjusted is None
    assert contest.contestants[2].ranks == (3, 3)


def test_labels_cut_and_cluster():
    whole, blue, green, red = compare(records(), ("heron", "magpie"), ComparisonTerms(by="colour"))
    assert [each.label for each in (blue, green, red)] == [
        ("colour", "blue"),
        ("colour", "green"),
        ("colour", "red"),
    ]
    assert (whole.label, green.differences[0].interval) == (None, None)
    clustered = pair(records(), cluster="colour")
    assert clustered.units == 3
    assert clustered.mean == pair(records()).mean
    assert clustered.permutation.p in {2 / 8, 4 / 8, 6 / 8, 1.0}
    with pytest.raises(BadSetting, match="No task has a label 'size'"):
        pair(records(), cluster="size")


def test_tasks_needed_for_what_can_be_shown_are_those_there_are():
    found = pair(records())
    assert pair(records(), difference=found.shown * 1.0001).needed == 5
    assert pair(records(), difference=found.shown / 3).needed > 20


def test_the_judges_part_is_the_variance_that_repeats_explain():
    """Two judgements of deviation 1 on either side: 1/2 and 1/2 of variance come from the judge."""
    generator = Random(1)
    noisy = [
        make(agent, str(task), 50 + base * task + generator.gauss(0, 1), repeat=repeat)
        for agent, base in (("heron", 0.1), ("magpie", 0.0))
        for task in range(60)
        for repeat in range(2)
    ]
    found = pair(noisy)
    assert found.judge == pytest.approx(1 / found.deviation**2, rel=0.3)
    assert pair(records()).judge is None


def test_unequal_recipes_are_refused_with_what_differs():
    other = Signature({**RECIPE.identity, "date": "2026-05-05"})
    mixed = [*records()[:5], *(make("magpie", f"t{i}", 1, recipe=other) for i in range(5))]
    with pytest.raises(BadInput, match=r'date = "2026-05-05": magpie') as refused:
        pair(mixed)
    assert "--allow-mixed" not in str(refused.value)


def test_unknown_agents_and_empty_runs_are_told():
    with pytest.raises(BadSetting, match="'stork' is neither a file nor an agent"):
        pair(records(), other="stork")
    with pytest.raises(BadSetting, match="with itself"):
        pair(records(), other="heron")
    with pytest.raises(BadInput, match="nothing to compare"):
        pair([])


def test_agents_that_share_no_task_make_no_pair():
    apart = [make("heron", "a", 1), make("magpie", "b", 1), make("stork", "a", Cause.TIMEOUT)]
    (contest,) = compare(apart, None, ComparisonTerms())
    assert (contest.differences, contest.silent) == ((), ("stork",))
    assert "No two of these agents" in write_contests([contest], "text", ranked=True)


def test_every_format_holds_the_difference():
    contests = compare(records(), None, ComparisonTerms(difference=5, cluster="colour"))
    text = write_contests(contests, "text", ranked=True)
    assert "needed: to show a difference of 5 likewise." in text
    assert "| heron | magpie | +11.0 |" in write_contests(contests, "markdown", ranked=False)
    first = json.loads(write_contests(contests, "json", ranked=True))[0]["differences"][0]
    assert first["difference"] == 11.0
    assert write_contests(contests, "csv", ranked=True).splitlines()[1].split(",")[9:12] == [
        "heron",
        "magpie",
        "11.0",
    ]
    assert write_contests(contests, "text", ranked=True) == text


def test_a_pair_of_one_shared_task_is_not_tested_and_not_counted_by_holm():
    scores = {"a": (9, 9, 8, 9, 9, 7), "b": (1, 2, 3, 1, 2, 3), "c": (5, *[None] * 5)}
    judged = [
        make(agent, f"t{place}", Cause.TIMEOUT if score is None else score)
        for agent, own in scores.items()
        for place, score in enumerate(own)
    ]
    (contest,) = compare(judged, None, ComparisonTerms())
    tested = {(each.one, each.other): each.permutation for each in contest.differences}
    assert tested["a", "c"] is None and tested["c", "b"] is None
    (pair,) = [each for each in contest.differences if each.permutation]
    assert pair.adjusted == pair.permutation.p == 2 / 64
    text = write_contests([contest], "text", ranked=True)
    assert "p –: of one task alone nothing can be tested" in text
    assert json.loads(write_contests([contest], "json", True))[0]["differences"][0]["p"] is None


@pytest.mark.parametrize(
    ("p", "shown"), [(0.0001, "<.001"), (0.001, "0.001"), (0.03125, "0.031"), (None, "–")]
)
def test_no_p_is_printed_as_zero(p, shown):
    assert p_value(p) == shown


def test_names_in_errors_are_cleaned():
    judged = [make("owl\x1b[31m", "t", 1), make("wren", "t", 2)]
    with pytest.raises(BadSetting) as caught:
        compare(judged, ("egret", "wren"), ComparisonTerms())
    assert "\x1b" not in str(caught.value)
    assert r"Agents: $'owl\033[31m', wren." in str(caught.value)


UNSCORED = Cause.TIMEOUT


def two(ours, theirs, unbounded=False):
    """Two agents, None where a task is unscored, nothing where it was not asked."""
    judged = [
        make(agent, f"t{place:02}", UNSCORED if score is None else score)
        for agent, own in (("heron", ours), ("magpie", theirs))
        for place, score in enumerate(own)
        if score != ""
    ]
    return [
        replace(each, outcome=Score(each.outcome.value))
        if unbounded and isinstance(each.outcome, Score)
        else each
        for each in judged
    ]


NINE = (60, 61, 62, 63, 64, 65, 66, 67, 68)
LOWER = (50, 51, 51, 53, 54, 53, 56, 57, 60)


@pytest.mark.parametrize(
    ("ours", "theirs", "p", "possible"),
    [
        (NINE, LOWER, 2 / 512, (91 / 9, 91 / 9)),
        ((*NINE, None), (*LOWER, 50), 1.0, (4.1, 14.1)),
        ((*NINE, 50), (*LOWER, None), 1.0, (4.1, 14.1)),
        ((*NINE, None), (*LOWER, None), 1.0, (-0.9, 19.1)),
        ((*NINE, None), (*LOWER, 5), 4 / 1024, (8.6, 18.6)),
        ((*NINE, ""), (*LOWER, 50), 2 / 512, (91 / 9, 91 / 9)),
    ],
    ids=["all", "one lacks", "other lacks", "both lack", "cannot undo", "not asked"],
)
def test_p_is_the_largest_that_unscored_tasks_could_lead_to(ours, theirs, p, possible):
    found = pair(two(ours, theirs))
    assert found.mean == pytest.approx(91 / 9)
    assert found.interval == pair(two(NINE, LOWER)).interval
    assert found.possible == pytest.approx(possible)
    if p < 1:
        assert found.permutation.p == pytest.approx(p)
    else:
        assert found.permutation.p > 0.05


def test_without_a_known_range_unscored_tasks_leave_no_p():
    found = pair(two((*NINE, None), (*LOWER, 50), unbounded=True))
    assert (found.permutation, found.possible) == (None, None)
    assert pair(two(NINE, LOWER, unbounded=True)).permutation.p == 2 / 512
    (contest,) = compare(two((*NINE, None), (*LOWER, 50), unbounded=True), None, ComparisonTerms())
    assert [each.ranks for each in contest.contestants] == [None, None]
    text = unfolded(write_contests([contest], "text", ranked=True))
    assert "p –: the range of an unscored task is not known." in text
    assert json.loads(write_contests([contest], "json", True))[0]["differences"][0]["p"] is None


def test_an_unscored_task_opens_rank_intervals():
    def ranks(ours, theirs):
        (contest,) = compare(two(ours, theirs), None, ComparisonTerms())
        return [each.ranks for each in contest.contestants]

    assert ranks(NINE, LOWER) == [(1, 1), (2, 2)]
    assert ranks((*NINE, None), (*LOWER, 90)) == [(1, 2), (1, 2)]


def test_who_lacks_how_many_tasks_and_why_is_one_line():
    ours, theirs = (*NINE, None, None), (*LOWER, None, 50)
    judged = [*two(ours, theirs), make("heron", "t12", Cause.BUDGET), make("magpie", "t12", 1)]
    contests = compare(judged, ("heron", "magpie"), ComparisonTerms())
    (line,) = [
        line
        for line in write_contests(contests, "markdown", True).splitlines()
        if "Unscored" in line
    ]
    assert "heron 3 tasks (budget 1, timeout 2), magpie 1 task (timeout 1). p is the larg" in line
    (found,) = json.loads(write_contests(contests, "json", True))
    assert [each["unscored"] for each in found["agents"]] == [
        {"budget": 1, "timeout": 2}, {"timeout": 1},
    ]  # fmt: skip
    assert "Unscored" not in write_contests(compare(two(NINE, LOWER), None, TERMS), "text", True)


def test_two_without_a_common_score_have_a_short_table_with_the_reason():
    (contest,) = compare(two((1, None), (None, 2)), ("heron", "magpie"), TERMS)
    text = unfolded(write_contests([contest], "text", ranked=False))
    assert "have a score for the same task. Unscored: heron 1 task (timeout 1), magpie" in text
    assert "p is the largest" not in text and "d_z" not in text


@pytest.mark.parametrize("agents", [4, 15])
def test_no_line_is_wider_than_80_columns(agents):
    judged = [
        make(f"agent-with-a-name-{agent}", f"t{task}", 10 + agent * 5 + task, repeat=repeat)
        for agent in range(agents)
        for task in range(13)
        for repeat in range(2)
    ]
    terms = ComparisonTerms(difference=5)
    text = write_contests(compare(judged, None, terms), "text", ranked=True)
    assert max(map(width, text.splitlines())) <= 80
    for head in ("p (Holm)", "can show", "rank interval", "± with 10"):
        assert head in text
