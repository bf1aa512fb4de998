"""The judge's noise told apart from answers and tasks."""

import numpy as np
import pytest
from scipy import stats

from deepassay.results.aggregate import answers_of, passes_of
from deepassay.score import Cause
from deepassay.stats.variance import noise_of
from tests.results.judgements import make


def balanced(tasks, answers, judgements, deviations, seed=0):
    generator = np.random.default_rng(seed)
    task, answer, judge = deviations
    scores = (
        generator.normal(0, task, (tasks, 1, 1))
        + generator.normal(0, answer, (tasks, answers, 1))
        + generator.normal(0, judge, (tasks, answers, judgements))
    )
    return scores, {str(i): each.tolist() for i, each in enumerate(scores)}


def test_one_answer_a_task_is_the_one_way_analysis_of_variance():
    scores, answers = balanced(12, 1, 4, (2.0, 0.0, 1.0))
    found = noise_of(answers)
    within = scores[:, 0].var(axis=1, ddof=1).mean()
    between = 4 * scores[:, 0].mean(axis=1).var(ddof=1)
    assert stats.f_oneway(*scores[:, 0]).statistic == pytest.approx(between / within)
    assert found.judge**2 == pytest.approx(within, abs=1e-9)
    assert found.task**2 == pytest.approx((between - within) / 4, abs=1e-9)
    assert found.answer is None
    assert found.spread(4) == pytest.approx(found.observed, abs=1e-9)


def test_nested_components_are_found_again():
    _, answers = balanced(4000, 3, 2, (3.0, 2.0, 1.0))
    found = noise_of(answers)
    assert (found.task, found.answer, found.judge) == pytest.approx((3, 2, 1), rel=0.05)
    assert found.share(2) == pytest.approx((1 / 6) / (9 + 4 / 3 + 1 / 6), rel=0.1)


def test_nothing_repeated_tells_nothing_apart():
    found = noise_of({"a": [[1.0]], "b": [[3.0]]})
    assert (found.judge, found.answer, found.task, found.spread(1)) == (None,) * 4
    assert found.observed == pytest.approx(2**0.5)
    assert noise_of({"a": [[1.0, 2.0]]}).half_width(1) is None


def test_failures_do_not_move_the_passes():
    records = [
        make("heron", "a", Cause.TIMEOUT, repeat=0),
        make("heron", "a", 20, repeat=1),
        make("heron", "b", 40, repeat=0),
        make("heron", "b", 60, repeat=1),
    ]
    assert passes_of(records) == (40, 40)
    assert answers_of(records) == {"a": [[20]], "b": [[40, 60]]}
