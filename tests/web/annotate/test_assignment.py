"""Who decides on what: balanced, with an order for each, and no task after itself."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.web.annotate.assignment import assigned

TASKS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=30)


@given(TASKS, st.integers(1, 6), st.data(), st.integers(0, 99))
def test_every_item_has_its_raters_and_every_rater_as_many(tasks, raters, data, seed):
    names = [f"r{number}" for number in range(raters)]
    per_item = data.draw(st.integers(1, raters))
    duties = assigned(tasks, names, per_item, seed)
    assert duties == assigned(tasks, names, per_item, seed)
    by_item = Counter(each.item for each in duties)
    assert dict(by_item) == dict.fromkeys(range(len(tasks)), per_item)
    assert len({(each.rater, each.item) for each in duties}) == len(duties)
    loads = [sum(each.rater == name for each in duties) for name in names]
    assert max(loads) - min(loads) <= 1
    for name in names:
        own = [each.place for each in duties if each.rater == name]
        assert own == [*range(len(own))]


@given(TASKS, st.integers(0, 99))
def test_no_task_follows_itself_where_that_can_be(tasks, seed):
    order = [tasks[each.item] for each in assigned(tasks, ["ana"], 1, seed)]
    again = sum(first == second for first, second in itertools.pairwise(order))
    most = max(Counter(order).values())
    assert again == max(0, 2 * most - len(order) - 1)


@pytest.mark.parametrize(
    ("raters", "per_item", "why"),
    [
        (["ana", "ana"], 1, "'ana' is no name of one rater"),
        (["ana", ""], 1, "'' is no name of one rater"),
        (["ana"], 2, "--per-item 2, and there are 1 raters"),
    ],
)
def test_raters_must_be_enough_and_told_apart(raters, per_item, why):
    with pytest.raises(BadSetting, match=why):
        assigned(["a"], raters, per_item, 0)
