import json
from statistics import fmean

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deepassay.models.operation import OffMenu
from deepassay.models.reading import Unreadable, read_reply
from deepassay.tasks.criteria import CRITERIA_FILE
from deepassay.tasks.task import sentences_asked
from deepassay.tasks.yardsticks import DIMENSIONS
from deepassay.wings.build.yardsticks.criteria import (
    DEVISE,
    FEWEST,
    MOST,
    WEIGH,
    AllDevised,
    Devised,
    Query,
    QueryAndDimension,
    devised_by_rule,
    in_hundredths,
    mean_weights,
    normalised,
    sum_to_one,
    weighed_by_rule,
)
from tests.growth import assert_linear, repeated

QUERY = Query(language="en", query="Why is the sky blue?")


def of(*weights):
    return dict(zip(DIMENSIONS, weights, strict=True))


def weights_answer(*weights):
    shares = ", ".join(f'"{name}": {weight}' for name, weight in of(*weights).items())
    return f'{{"analysis": "because", "weights": {{{shares}}}}}'


def test_the_prompt_files_fit_the_question_of_weights():
    WEIGH.verify()


def test_weights_that_sum_to_1_are_taken():
    assert read_reply(WEIGH, QUERY, weights_answer(0.3, 0.4, 0.2, 0.1)).value.weights.insight == 0.4


@pytest.mark.parametrize(
    "weights", [(0.3, 0.3, 0.3, 0.3), (0.3, 0.4, 0.2, 0.10001), (1.2, -0.2, 0, 0)]
)
def test_other_weights_are_asked_again(weights):
    with pytest.raises(Unreadable):
        read_reply(WEIGH, QUERY, weights_answer(*weights))


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


@settings(deadline=None, max_examples=80)
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


# ------------------------------------------------------------------ criteria


INPUTS = QueryAndDimension(language="en", query="Why is the sky blue?", dimension="insight")


def four(**changed):
    """An answer that fits, and what is to be different in its first criterion."""
    criteria = [
        {"criterion": f"Criterion {n}", "explanation": "It matters.", "weight": 0.25}
        for n in range(4)
    ]
    criteria[0] |= changed
    return criteria


def answer(criteria):
    return json.dumps({"analysis": "because", "criteria": criteria})


def test_the_prompt_files_fit_the_question():
    DEVISE.verify()


def test_criteria_with_explanations_and_weights_are_taken():
    assert len(read_reply(DEVISE, INPUTS, answer(four())).value.criteria) == 4


@pytest.mark.parametrize(
    ("criteria", "says"),
    [
        (four()[:3], "there are 3 criteria; give 4 to 10"),
        (four(criterion=" criterion  1"), "stands there twice"),
        (four(weight=0.2), "sum to 0.95"),
        (four(weight=0.0), "greater than 0"),
        (four(explanation="  "), "is empty"),
        (four(criterion=""), "is empty"),
        (four(criterion="half \ud800"), "hex escape"),
        (four(aspect="x"), "aspect"),
    ],
)
def test_what_does_not_fit_is_asked_again_with_the_reason(criteria, says):
    with pytest.raises(Unreadable, match=says):
        read_reply(DEVISE, INPUTS, answer(criteria))


def test_weights_in_the_task_sum_to_1():
    devised = [Devised(criterion=f"c{n}", explanation="e", weight=0.2500001) for n in range(4)]
    assert [each.weight for each in normalised(devised)] == [0.25] * 4


@pytest.mark.parametrize(
    ("language", "prompt", "named"),
    [
        ("en", "Compare solar and wind power in Peru since 2010. Which is cheaper?", "Peru"),
        ("zh", "比较秘鲁2010年以来的太阳能和风能，哪一种更便宜？", "秘鲁"),
    ],
)
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_rule_makes_criteria_of_this_task(language, prompt, named, dimension):
    inputs = QueryAndDimension(language=language, query=prompt, dimension=dimension)
    made = devised_by_rule(inputs)
    DEVISE.check(inputs, made)
    assert any(named in each.criterion + each.explanation for each in made.criteria)


def test_what_the_prompt_asks_for_stands_first_and_weighs_most():
    inputs = QueryAndDimension(
        language="en",
        query="Who built the canal? What did it cost in 1914? Does it pay today?",
        dimension="comprehensiveness",
    )
    made = devised_by_rule(inputs).criteria
    assert [each.criterion for each in made[:3]] == [
        "Covers: Who built the canal?",
        "Covers: What did it cost in 1914?",
        "Covers: Does it pay today?",
    ]
    assert made[0].weight > made[-1].weight


@settings(deadline=None, max_examples=60)
@given(
    st.text(min_size=1, max_size=300).filter(str.strip),
    st.sampled_from(["en", "zh"]),
    st.sampled_from(DIMENSIONS),
)
def test_the_rule_makes_valid_criteria_of_any_prompt(prompt, language, dimension):
    inputs = QueryAndDimension(language=language, query=prompt, dimension=dimension)
    made = devised_by_rule(inputs)
    DEVISE.check(inputs, made)
    assert FEWEST <= len(made.criteria) <= MOST
    AllDevised.model_validate_json(made.model_dump_json())


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0.1, 9), min_size=1, max_size=20))
@example([2.5, 2.5, 4.125, 5.46875, 7.75, 0.125, 0.125, 0.125])  # more is raised to 1 than was cut
def test_hundredths_sum_to_1_and_none_is_0(weights):
    shares = in_hundredths(weights)
    assert sum(round(100 * share) for share in shares) == 100
    assert min(shares) > 0


def test_of_many_sentences_the_longest_are_taken_in_their_order():
    query = " ".join(f"Is it {'x' * number}?" for number in (3, 1, 4, 5, 9, 2, 6, 5))
    assert [len(part) for part in sentences_asked(query)] == [10, 11, 12, 16, 9, 13]


@pytest.mark.parametrize("piece", ["a, ", "is it, (not) ", "2010-"])
def test_a_long_prompt_takes_linear_time(piece):
    assert_linear(sentences_asked, repeated(piece), 60_000)
