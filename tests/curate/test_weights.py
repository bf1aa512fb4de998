from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.curate.weights import (
    WEIGH,
    Query,
    mean_weights,
    sum_to_one,
    weighed_by_rule,
)
from deepassay.models.operation import OffMenu
from deepassay.models.reading import Unreadable, read
from deepassay.tasks.criteria import CRITERIA_FILE, DIMENSIONS

QUERY = Query(language="en", query="Why is the sky blue?")


def of(*weights):
    return dict(zip(DIMENSIONS, weights, strict=True))


def answer(*weights):
    shares = ", ".join(f'"{name}": {weight}' for name, weight in of(*weights).items())
    return f'{{"analysis": "because", "weights": {{{shares}}}}}'


def test_the_prompt_files_fit_the_question():
    WEIGH.verify()


def test_weights_that_sum_to_1_are_taken():
    assert read(WEIGH, QUERY, answer(0.3, 0.4, 0.2, 0.1)).value.weights.insight == 0.4


@pytest.mark.parametrize(
    "weights", [(0.3, 0.3, 0.3, 0.3), (0.3, 0.4, 0.2, 0.10001), (1.2, -0.2, 0, 0)]
)
def test_other_weights_are_asked_again(weights):
    with pytest.raises(Unreadable):
        read(WEIGH, QUERY, answer(*weights))


def test_a_millionth_is_let_pass():
    sum_to_one([0.5, 0.4999995])
    with pytest.raises(OffMenu, match="sum to 0"):
        sum_to_one([0.5, 0.49999])


def test_the_mean_is_in_hundredths_and_readability_takes_the_rest():
    samples = [of(0.333, 0.333, 0.167, 0.167)] * 5
    assert mean_weights(samples) == of(0.33, 0.33, 0.17, 0.17)
    assert mean_weights([of(0.296, 0.354, 0.206, 0.144)]) == of(0.3, 0.35, 0.21, 0.14)
    assert mean_weights([of(0.3, 0.4, 0.2, 0.1), of(0.4, 0.3, 0.2, 0.1)]) == of(
        0.35, 0.35, 0.2, 0.1
    )


def test_readability_never_falls_below_0():
    mean = mean_weights([of(0.336, 0.336, 0.326, 0.002)])  # the released program makes -0.01
    assert mean == of(0.33, 0.34, 0.33, 0.0)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.lists(st.floats(0.001, 1), min_size=4, max_size=4), min_size=1, max_size=7))
def test_means_are_hundredths_that_sum_to_1_and_none_is_negative(samples):
    mean = mean_weights([of(*sample) for sample in samples])
    assert sum(round(100 * weight) for weight in mean.values()) == 100
    assert all(weight >= 0 for weight in mean.values())


@pytest.mark.parametrize("prompt", ["Why do cats purr?", "A simple guide with charts."])
def test_the_rule_gives_the_means_of_the_published_criteria(shared, prompt):
    weights = weighed_by_rule(Query(language="en", query=prompt)).weights.by_dimension
    published = CRITERIA_FILE.load(shared / "data/bench/criteria.jsonl").values()
    means = {
        name: fmean(each.criteria.dimension_weight[name] for each in published)
        for name in DIMENSIONS
    }
    assert weights == pytest.approx(means, abs=0.006)
