"""Every run draws other cases; by the seed that a failure names the benchmark draws them again."""

from random import SystemRandom

import pytest

from tests.differential import CHECKS
from tests.differential.comparing import AGAIN, STOPS, Comparison, compare, same

CASES = 100
SEED = SystemRandom().randrange(10**9)


@pytest.mark.parametrize("name", CHECKS)
def test_ours_is_what_other_code_makes_of_it(name):
    ends = compare(name, CHECKS[name], SEED, CASES)
    assert sum(ends.values()) == CASES
    # Most cases must come to a number, or this test would show little.
    assert ends["a number"] >= CASES / 3, (SEED, ends)


def test_results_are_compared_to_the_last_digits():
    nan = float("nan")
    assert same([1.0, {"a": nan}, None, STOPS], (1, {"a": nan}, None, STOPS))
    assert same(0.1 + 0.2, 0.3) and not same(0.3, 0.3 + 1e-9)
    assert not any(
        same(one, other)
        for one, other in ((1.0, nan), (None, 0), (STOPS, AGAIN), ([1], [1, 1]), ({"a": 1}, {}))
    )


@pytest.mark.parametrize("wrong", ["a number", "a refusal", "an error"])
def test_what_is_unequal_is_named_with_its_seed_and_number(wrong):
    def check(chance):
        drawn = chance.random()
        if drawn < 0.9:
            return Comparison("raw", drawn, drawn)
        if wrong == "an error":
            raise ZeroDivisionError
        return Comparison("raw", drawn, 0 if wrong == "a number" else AGAIN)

    with pytest.raises((AssertionError, ZeroDivisionError)) as failure:
        compare("some check", check, 7, 500)
    assert "some check, seed 7, case" in str(failure.value) + str(failure.value.__notes__)
