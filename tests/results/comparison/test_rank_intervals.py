"""Rank intervals against ranks made one draw at a time."""

import numpy as np
from scipy import stats

from deepassay.results.comparison.rank_intervals import rank_intervals


def test_ranks_are_those_of_means_over_drawn_tasks():
    generator = np.random.default_rng(0)
    scores = generator.normal(size=(4, 30)) + np.array([[0.8], [0.4], [0.3], [-2.0]])
    agents = {
        name: {f"{i:02}": x for i, x in enumerate(scores[j])} for j, name in enumerate("abcd")
    }
    found = rank_intervals(agents, None, seed=3, draws=2000)
    drawn = np.random.default_rng(3).integers(0, 30, (2000, 30))
    ranks = np.array([stats.rankdata(-scores[:, each].mean(axis=1)) for each in drawn])
    for place, name in enumerate("abcd"):
        ordered = np.sort(ranks[:, place])
        assert tuple(found[name]) == (ordered[49], ordered[1949])
    assert tuple(found["d"]) == (4, 4)


def test_only_shared_tasks_count_and_equal_agents_share_the_better_rank():
    agents = {"a": {"1": 5.0, "2": 6.0, "3": 99.0}, "b": {"1": 5.0, "2": 6.0}}
    assert set(rank_intervals(agents, None, seed=0).values()) == {(1, 1)}
    assert rank_intervals({"a": {"1": 5.0}, "b": {"1": 6.0}}, None, seed=0) == {}
    assert rank_intervals(agents, {"1": "x", "2": "x", "3": "x"}, seed=0) == {}
