from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.topics import TOPICS
from deepassay.wings.build.topics.allocation import allocate, sainte_lague, spread_over_cells

# DeepResearch Bench, table 4: shares in per cent. Those of the other eleven are not printed; they
# have 16.98 together, and none can have more than the last that is printed.
PRINTED = {
    "Science & Technology": 17.80,
    "Finance & Business": 14.45,
    "Software Development": 11.59,
    "Education & Jobs": 8.38,
    "Health": 8.02,
    "Literature": 5.01,
    "History": 4.23,
    "Hardware": 3.68,
    "Industrial": 3.4,
    "Art & Design": 3.24,
    "Games": 3.22,
}
OTHERS = [topic for topic in TOPICS if topic not in PRINTED]
LEFT = 100 - sum(PRINTED.values())
TAILS = {
    "equal": [1.0] * 11,
    "linear": [float(n) for n in range(20, 9, -1)],
    "steep": [2.08, 2.07, 2.0, 1.9, 1.8, 1.6, 1.4, 1.2, 1.1, 1.0, 0.83],
    "one large": [3.2] + [1.378] * 10,
}

# Tasks of the released set (figure 3 and query.jsonl).
RELEASED = dict.fromkeys(TOPICS, 2) | {
    "Science & Technology": 16,
    "Finance & Business": 14,
    "Software Development": 10,
    "Education & Jobs": 8,
    "Health": 8,
    "Literature": 4,
    "History": 4,
    "Hardware": 4,
    "Industrial": 4,
    "Art & Design": 4,
}


def shares(tail):
    total = sum(TAILS[tail])
    rest = [LEFT * each / total for each in TAILS[tail]]
    assert max(rest) <= min(PRINTED.values())
    return PRINTED | dict(zip(OTHERS, rest, strict=True))


@pytest.mark.parametrize("tail", TAILS)
def test_the_printed_shares_give_the_released_100_tasks(tail):
    found = allocate(shares(tail), 100, ["zh", "en"])
    assert {topic: found.of(topic) for topic in TOPICS} == RELEASED
    assert all(each["zh"] == each["en"] for each in found.tasks.values())
    assert found.rest == ()


def test_one_divisor_explains_the_released_numbers_of_pairs():
    """Worked by hand from the printed shares: any divisor between 2.147 and 2.160."""
    pairs = {topic: RELEASED[topic] // 2 for topic in PRINTED}
    low = max(share / (pairs[topic] + 0.5) for topic, share in PRINTED.items())
    high = min(share / (pairs[topic] - 0.5) for topic, share in PRINTED.items() if pairs[topic] > 1)
    assert (low, high) == (pytest.approx(2.147, abs=5e-4), pytest.approx(2.160, abs=5e-4))


def test_single_tasks_in_place_of_pairs_would_leave_odd_numbers():
    odd = [n for n in sainte_lague(shares("equal"), 100).values() if n % 2]
    assert len(odd) > 5


def test_the_published_half_stands_where_these_numbers_put_it(shared):
    """At hand are odd identifiers. Chinese tasks are 1 to 50, English 51 to 100, topic by topic."""
    tasks = load_tasks(shared / "data" / "bench" / "query.jsonl")
    for begin, language in ((1, "zh"), (51, "en")):
        own = {int(task.id): task.labels["topic"] for task in tasks if task.language == language}
        order = [topic for topic in dict.fromkeys(own.values()) if RELEASED[topic] > 2]
        assert {*order} == {topic for topic, count in RELEASED.items() if count > 2}
        place = begin
        for topic in order:
            there = range(place, place + RELEASED[topic] // 2)
            assert [n for n, name in own.items() if name == topic] == [n for n in there if n % 2]
            place = there.stop
        single = [name for n, name in own.items() if n >= place]
        assert len({*single}) == len(single) == 6
        assert begin + 50 - place == 22 - len(order)


demand = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=4),
    st.integers(0, 10_000).map(float),
    min_size=1,
    max_size=22,
).filter(lambda given: any(given.values()))
spoken = st.lists(st.sampled_from(["en", "zh", "fr", "de"]), min_size=1, max_size=4, unique=True)


@given(demand, spoken, st.integers(0, 150))
def test_tasks_add_up_every_topic_has_one_in_each_language_and_languages_are_even(
    shares, languages, more
):
    size = len(shares) * len(languages) + more
    found = allocate(shares, size, languages)
    by_language = [sum(each[name] for each in found.tasks.values()) for name in languages]
    assert sum(by_language) == size
    assert max(by_language) - min(by_language) <= 1
    for topic, tasks in found.tasks.items():
        assert list(tasks) == languages
        assert min(tasks.values()) >= 1
        assert max(tasks.values()) - min(tasks.values()) <= 1
        uneven = {name for taker, name in found.rest if taker == topic}
        assert uneven == {name for name in languages if tasks[name] > min(tasks.values())}
        assert found.of(topic) == sum(tasks.values())
    assert [language for _, language in found.rest] == languages[: size % len(languages)]


@given(demand, st.integers(0, 150))
def test_no_seat_would_be_better_placed(shares, more):
    """The property of Sainte-Laguë's rule (Balinski and Young): one divisor explains all seats."""
    found = sainte_lague(shares, len(shares) + more)
    claims = [Fraction(shares[name]) / (Fraction(found[name]) + Fraction(1, 2)) for name in shares]
    held = [
        Fraction(shares[name]) / (Fraction(found[name]) - Fraction(1, 2))
        for name in shares
        if found[name] > 1
    ]
    assert not held or max(claims) <= min(held)


@given(demand, st.integers(0, 100))
def test_a_larger_set_takes_no_task_away(shares, more):
    fewer, larger = (sainte_lague(shares, len(shares) + more + k) for k in (0, 1))
    assert all(larger[name] >= fewer[name] for name in shares)


@given(demand, st.integers(0, 100), st.sampled_from([2.0, 0.5, 4.0]))
def test_the_unit_of_shares_and_the_order_of_names_do_not_matter(shares, more, unit):
    turned = {name: unit * shares[name] for name in reversed(shares)}
    assert sainte_lague(turned, len(shares) + more) == sainte_lague(shares, len(shares) + more)


def test_of_equal_claims_the_larger_share_and_then_the_first_name_wins():
    # 3 / 1.5 and 1 / 0.5 are equal where nobody has a seat yet.
    assert sainte_lague({"b": 1.0, "a": 3.0}, 2, least=0) == {"b": 0, "a": 2}
    assert sainte_lague({"b": 1.0, "a": 1.0}, 3) == {"b": 1, "a": 2}


def test_what_three_languages_leave_over_goes_where_most_is_lacking():
    """Of 10 tasks, 6.5, 2.5 and 1 by their shares; three languages give 3, 3 and 3."""
    found = allocate({"a": 65.0, "b": 25.0, "c": 10.0}, 10, ["en", "zh", "fr"])
    assert found.tasks == {
        "a": {"en": 2, "zh": 1, "fr": 1},
        "b": {"en": 1, "zh": 1, "fr": 1},
        "c": {"en": 1, "zh": 1, "fr": 1},
    }
    assert found.rest == (("a", "en"),)


@pytest.mark.parametrize(
    ("size", "languages", "says"),
    [
        (5, ["en", "zh"], "Give a --size of 6 or more"),
        (2, ["en"], "Give a --size of 3 or more"),
        (100, ["en", "en"], "Name every --language once"),
    ],
)
def test_what_cannot_be_allotted_is_refused(size, languages, says):
    with pytest.raises(BadSetting, match=says):
        allocate({"a": 1.0, "b": 1.0, "c": 1.0}, size, languages)


# ------------------------------------------------------------------ cells

CELLS = st.dictionaries(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("vwxyz")),
    st.floats(0.1, 50),
    min_size=1,
    max_size=12,
)


@settings(deadline=None, max_examples=30)
@given(CELLS, st.integers(5, 60))
def test_tasks_over_cells_have_the_sums_of_both_kinds(weights, size):
    given_ = spread_over_cells(weights, size)
    for side in (0, 1):
        sums = {}
        for cell, weight in weights.items():
            sums[cell[side]] = sums.get(cell[side], 0) + weight
        expected = sainte_lague(sums, size)
        found = dict.fromkeys(expected, 0)
        for cell, tasks in given_.items():
            found[cell[side]] += tasks
        assert found == expected
        assert min(found.values()) >= 1
    assert all(tasks > 0 for tasks in given_.values())


def test_cells_are_as_near_to_their_parts_as_whole_numbers_can_be():
    weights = {("law", "review"): 4.2, ("law", "market"): 1.8, ("art", "review"): 1.8}
    assert spread_over_cells(weights, 8) == {
        ("law", "review"): 4,
        ("law", "market"): 2,
        ("art", "review"): 2,
    }


def test_a_cell_that_nobody_named_stays_empty_unless_the_sums_need_it():
    weights = {("law", "review"): 9.0, ("art", "market"): 9.0}
    assert spread_over_cells(weights, 6) == {("law", "review"): 3, ("art", "market"): 3}


def test_both_printed_distributions_of_the_paper_are_kept_to_a_task():
    """LiveResearchBench, appendix I: shares of eleven categories, here over seven even domains."""
    kinds = (24.5, 22.8, 16.7, 8.2, 6.5, 5.2, 4.8, 4.3, 3.5, 2.0, 1.5)
    weights = {(f"d{d}", f"k{k}"): share / 7 for d in range(7) for k, share in enumerate(kinds)}
    found = spread_over_cells(weights, 100)
    for k, share in enumerate(kinds):
        own = sum(tasks for cell, tasks in found.items() if cell[1] == f"k{k}")
        assert abs(own - share) < 1
    assert max(found.values()) <= 5
