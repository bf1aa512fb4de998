"""Who decides on what: balanced, with an order for each, and no task after itself."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.runfile.questions import Item, Question
from deepassay.wings.people.annotate.assignment import assigned

ASKED = (Question(protocol="useful", text="Is it?", menu=("yes", "no")),)


def items(tasks, **more):
    return [Item(task=task, questions=ASKED, **more) for task in tasks]


TASKS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=30)


@given(TASKS, st.integers(1, 6), st.data(), st.integers(0, 99))
def test_every_item_has_its_raters_and_every_rater_as_many(tasks, raters, data, seed):
    names = [f"r{number}" for number in range(raters)]
    per_item = data.draw(st.integers(1, raters))
    duties = assigned(items(tasks), names, per_item, seed)
    assert duties == assigned(items(tasks), names, per_item, seed)
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
    order = [tasks[each.item] for each in assigned(items(tasks), ["ana"], 1, seed)]
    again = sum(first == second for first, second in itertools.pairwise(order))
    most = max(Counter(order).values())
    assert again == max(0, 2 * most - len(order) - 1)


@pytest.mark.parametrize(
    ("raters", "per_item", "why"),
    [
        (["ana", "ana"], 1, "--raters ana: it is there 2 times"),
        (["ana", "ana "], 1, "--raters ana: it is there 2 times"),
        (["ana", "leader"], 1, "whoever leads the study is called so"),
        (["ana", ""], 1, "a name is empty"),
        (["ana"], 2, "--per-item 2, and there are 1 raters"),
    ],
)
def test_raters_must_be_enough_and_told_apart(raters, per_item, why):
    with pytest.raises(BadSetting, match=why):
        assigned(items("a"), raters, per_item, 0)


def test_an_item_goes_to_those_it_names_and_never_to_those_it_bars():
    own = [*items("ab", raters=("bo",)), *items("cdef", barred=("ana",)), *items("gh")]
    who = {}
    for each in assigned(own, ["ana", "bo", "cy"], 1, 4):
        who.setdefault(own[each.item].task, []).append(each.rater)
    assert who["a"] == who["b"] == ["bo"]
    assert not [task for task in "cdef" if "ana" in who[task]]
    assert all(len(who[task]) == 1 for task in "abcdefgh")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"raters": ("dan",)}, "a is for dan, who is none of the raters"),
        ({"barred": ("ana", "bo")}, "a needs 1 raters, and all but 0 had a part in it"),
    ],
)
def test_an_item_that_nobody_may_decide_on_is_named(more, why):
    with pytest.raises(BadSetting, match=why):
        assigned(items("a", **more), ["ana", "bo"], 1, 0)
