from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.results.weighing import WeightedMerit, compliance, limits, scale_of

merits = st.sampled_from([0.0, 0.5, 1.0])
weights = st.floats(-5, 5).map(lambda weight: round(weight, 2)).filter(bool)
open_marks = st.lists(st.builds(WeightedMerit, weights, merits | st.none()), max_size=12)
marks = st.lists(st.builds(WeightedMerit, weights, merits), max_size=12)


def test_the_score_is_what_equation_1_prints():
    assert compliance([WeightedMerit(5, 1), WeightedMerit(3, 0.5), WeightedMerit(2, 0)]) == 0.65
    assert compliance([WeightedMerit(5, 1), WeightedMerit(-4, 1)]) == 0.2


def test_nothing_is_clipped():
    assert compliance([WeightedMerit(2, 0), WeightedMerit(-5, 1)]) == -2.5
    assert scale_of([2, -5]) == (-2.5, 1)


def test_there_is_no_score_where_nothing_can_be_earned():
    assert compliance([WeightedMerit(-3, 0)]) is None
    assert compliance([]) is None
    assert limits([WeightedMerit(-3, 0)]) == (0, 0)


def test_an_open_penalty_is_neither_waived_nor_met():
    found = [
        WeightedMerit(5, 1),
        WeightedMerit(-2, 1),
        WeightedMerit(-2, 0),
        WeightedMerit(-4, None),
    ]
    assert limits(found) == ((5 - 2 - 4) / 5, (5 - 2) / 5)
    assert compliance(found) == pytest.approx((5 - 2 - 4 * 0.5) / 5)


def test_an_open_merit_is_neither_lost_nor_earned():
    found = [WeightedMerit(2, 1), WeightedMerit(2, 0), WeightedMerit(4, None)]
    assert limits(found) == (0.25, 0.75)
    assert compliance(found) == 0.5


def test_where_all_of_one_sign_is_open_there_are_ends_and_no_score():
    found = [WeightedMerit(5, 1), WeightedMerit(-4, None)]
    assert compliance(found) is None
    assert limits(found) == (0.2, 1)
    assert compliance([WeightedMerit(5, None), WeightedMerit(-4, 1)]) is None


@settings(deadline=None, max_examples=80)
@given(marks)
def test_without_open_criteria_both_ends_are_the_score(found):
    earned = sum(Fraction(weight) * Fraction(merit) for weight, merit in found)
    possible = sum(Fraction(mark.weight) for mark in found if mark.weight > 0)
    if not possible:
        assert compliance(found) is None
        return
    assert limits(found) == (compliance(found), compliance(found))
    assert compliance(found) == pytest.approx(float(earned / possible), rel=1e-12, abs=1e-12)


@settings(deadline=None, max_examples=80)
@given(open_marks)
def test_the_score_lies_between_its_ends_and_they_inside_the_scale(found):
    low, high = limits(found)
    lowest, highest = scale_of(mark.weight for mark in found)
    assert lowest <= low <= high <= highest
    possible = sum(Fraction(mark.weight) for mark in found if mark.weight > 0)
    if not possible:
        assert (low, high, compliance(found)) == (0, 0, None)
        return
    earned = sum(Fraction(mark.weight) * Fraction(mark.merit or 0) for mark in found)
    still = [Fraction(mark.weight) for mark in found if mark.merit is None]
    assert low == pytest.approx(float((earned + sum(w for w in still if w < 0)) / possible))
    assert high == pytest.approx(float((earned + sum(w for w in still if w > 0)) / possible))
    # What is open counts as the decided criteria of its sign do on average.
    shares = {sign: _decided_share(found, sign) for sign in (1, -1)}
    assumed = (
        None if None in shares.values() else sum(w * shares[1 if w > 0 else -1] for w in still)
    )
    wanted = None if assumed is None else float((earned + assumed) / possible)
    assert compliance(found) == (wanted if wanted is None else pytest.approx(wanted))


def _decided_share(found, sign):
    """Of the weight of one sign that is decided, the share that is met; None if all is open."""
    own = [mark for mark in found if mark.weight * sign > 0]
    known = [mark for mark in own if mark.merit is not None]
    if not known:
        return None if own else Fraction(0)
    met = sum(Fraction(mark.weight) * Fraction(mark.merit) for mark in known)
    return met / sum(Fraction(mark.weight) for mark in known)


@settings(deadline=None, max_examples=80)
@given(open_marks.filter(bool), st.data())
def test_opening_a_criterion_never_raises_the_lower_end_or_lowers_the_upper(found, data):
    at = data.draw(st.integers(0, len(found) - 1))
    opened = [*found[:at], found[at]._replace(merit=None), *found[at + 1 :]]
    assert limits(opened)[0] <= limits(found)[0]
    assert limits(opened)[1] >= limits(found)[1]


@settings(deadline=None, max_examples=80)
@given(open_marks.flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_the_order_of_criteria_decides_nothing(orders):
    found, shuffled = orders
    assert limits(shuffled) == limits(found)
    assert compliance(shuffled) == compliance(found)


@settings(deadline=None, max_examples=80)
@given(open_marks, st.floats(0.01, 100))
def test_scaling_all_weights_changes_nothing(found, factor):
    scaled = [mark._replace(weight=mark.weight * factor) for mark in found]
    assert limits(scaled) == pytest.approx(limits(found), rel=1e-9, abs=1e-9)
    score = compliance(found)
    assert compliance(scaled) == (
        None if score is None else pytest.approx(score, rel=1e-9, abs=1e-9)
    )
