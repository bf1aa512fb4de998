"""The four metrics of DeepResearch Bench, on tasks small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from deepassay.wings.people.agreement.consistency import (
    BETWEEN,
    FAP,
    FAS,
    OPC,
    OVERALL_EACH,
    OVERALL_MEAN,
    PAR_EACH,
    PAR_MEAN,
    RatedReport,
    ScoresByTask,
    consistency,
    consistency_correlations,
    reliability,
)
from tests.draws import few_draws  # noqa: F401 - for all tests; the interval holds the figure yet


def rated(**own: tuple[float, tuple[float, ...]]) -> list[RatedReport]:
    return [
        RatedReport(agent, score, dict(zip("pqr", people, strict=False)))
        for agent, (score, people) in own.items()
    ]


AGREED = rated(a=(3, (7, 9, 8)), b=(2, (5, 6, 7)), c=(1, (2, 7, 3)))
QUARREL = rated(a=(1, (1, 9, 5)), b=(3, (9, 1, 5)), c=(2, (5, 5, 5)))  # ICC(1,1) below 0
SCORES = ScoresByTask({"t1": AGREED, "t2": QUARREL})


def figures(scores: ScoresByTask) -> dict[str, float | None]:
    return {each.name: each.value for each in consistency(scores, seed=1)}


def test_the_two_readings_of_the_agreement_rate() -> None:
    found = figures(SCORES)
    # t1: means 8, 6, 4 as the method has it. t2: all means are 5, ties that the method has not.
    assert found[PAR_MEAN] == pytest.approx(3 / 6)
    # t1: p and r all three, q two (6 before 7). t2: p all three, q none, r only ties.
    assert found[PAR_EACH] == pytest.approx((3 + 3 + 2 + 3) / 18)


def test_people_are_held_against_each_other_over_pairs_of_raters() -> None:
    # t1: p and r alike on 3, p and q on 2, q and r on 2. t2: never.
    assert figures(SCORES)[BETWEEN] == pytest.approx(7 / 18)


def test_fifty_tasks_of_four_reports_and_three_raters_give_900_decisions() -> None:
    tasks = {f"t{n}": rated(**dict.fromkeys("abcd", (1, (1, 2, 3)))) for n in range(50)}
    of = {each.name: each.n for each in consistency(ScoresByTask(tasks), seed=1)}
    assert (of[PAR_MEAN], of[PAR_EACH], of[BETWEEN]) == (300, 900, 900)


def test_tasks_on_which_people_quarrel_are_left_out_of_the_filtered_averages() -> None:
    found = figures(SCORES)
    assert found[FAP] == pytest.approx(stats.pearsonr([3, 2, 1], [8, 6, 4]).statistic)
    assert found[FAS] == pytest.approx(1.0)
    assert next(e.n for e in consistency(SCORES, seed=1) if e.name == FAP) == 1


def test_the_overall_correlation_is_that_of_the_means_of_agents() -> None:
    expected = stats.pearsonr([2, 2.5, 1.5], [6.5, 5.5, 4.5]).statistic
    assert figures(SCORES)[OPC] == pytest.approx(expected, abs=1e-12)


def test_overall_is_the_plain_mean_of_the_four() -> None:
    found = figures(SCORES)
    others = [found[name] or 0.0 for name in (OPC, FAP, FAS)]
    assert found[OVERALL_EACH] == pytest.approx(np.mean([found[PAR_EACH], *others]))
    assert found[OVERALL_MEAN] == pytest.approx(np.mean([found[PAR_MEAN], *others]))


def test_one_rater_leaves_what_needs_no_second_one() -> None:
    alone = ScoresByTask({"t1": rated(a=(3, (7,)), b=(2, (5,)), c=(1, (2,)))})
    found = figures(alone)
    assert found[PAR_MEAN] == found[PAR_EACH] == 1.0
    assert found[FAP] is found[FAS] is found[OVERALL_MEAN] is found[BETWEEN] is None
    assert found["mean Pearson over all tasks"] == pytest.approx(0.9933992678)
    assert reliability(alone, seed=1) == []


def test_a_missing_rating_takes_only_its_own_pairs() -> None:
    gap = ScoresByTask({"t1": rated(a=(3, (7, 9)), b=(2, (5,)), c=(1, (2, 7)))})
    of = {each.name: (each.value, each.n) for each in consistency(gap, seed=1)}
    assert of[PAR_EACH] == (1.0, 4)
    assert of[BETWEEN] == (1.0, 1)


def test_intervals_are_the_same_for_the_same_seed_and_hold_the_figure() -> None:
    generator = np.random.default_rng(3)
    tasks = {
        f"t{n}": rated(**{a: (x, (x + e, x - e, x + 2 * e)) for a, x, e in
                          zip("abcd", generator.normal(size=4), generator.normal(size=4),
                              strict=True)})
        for n in range(30)
    }  # fmt: skip
    scores = ScoresByTask(tasks)
    found = consistency(scores, 7)
    for each in (*found, *consistency_correlations(scores, 7)):
        assert each.value is not None
        assert each.interval is not None
        assert each.interval.low <= each.value <= each.interval.high
    assert consistency(scores, 7) == found != consistency(scores, 8)


def test_correlations_over_reports_are_scipys() -> None:
    found = {each.name: each.value for each in consistency_correlations(SCORES, seed=1)}
    ours, theirs = [3, 2, 1, 1, 3, 2], [8, 6, 4, 5, 5, 5]
    assert found["Spearman's rho"] == pytest.approx(stats.spearmanr(ours, theirs).statistic)
    assert found["Pearson's r"] == pytest.approx(stats.pearsonr(ours, theirs).statistic)
    assert found["Kendall's tau-b"] == pytest.approx(stats.kendalltau(ours, theirs).statistic)
    assert found["Kendall's tau-a"] == pytest.approx(7 / 15)  # 8 pairs concordant, 1 not


def test_of_two_agents_nothing_is_correlated() -> None:
    two = {
        name: [each for each in own if each.agent != "c"]
        for name, own in {"t1": AGREED, "t2": rated(a=(2, (4, 5, 4)), b=(1, (2, 3, 2)))}.items()
    }
    found = {each.name: each for each in consistency(ScoresByTask(two), seed=1)}
    for name in (OPC, FAP, FAS, OVERALL_EACH, OVERALL_MEAN, "mean Pearson over all tasks"):
        assert (found[name].value, found[name].interval) == (None, None)
    assert found[PAR_MEAN].value == 1.0
    assert found[PAR_MEAN].interval is None  # every draw says 1


def test_a_third_agent_makes_the_difference() -> None:
    found = figures(ScoresByTask({"t1": AGREED, "t2": AGREED}))
    assert found[FAP] == pytest.approx(1.0)
