import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadInput, BadSetting
from deepassay.results.ranking import rank
from deepassay.score import Cause, Signature

from .judgements import RECIPE, make

OTHER = Signature({**RECIPE.identity, "judges": [{"model": "openai:x"}]})


def places(board):
    return [(row.rank, row.agent) for row in board.standings]


def test_agents_stand_by_falling_mean_and_equal_means_share_a_rank():
    scores = {"heron": 90, "magpie": 50, "cuckoo": 50, "wren": 10}
    (board,) = rank([make(agent, "a", value) for agent, value in scores.items()])
    assert places(board) == [(1, "heron"), (2, "cuckoo"), (2, "magpie"), (4, "wren")]


def test_an_agent_without_any_score_stands_last_without_a_rank():
    (board,) = rank([make("a", "t", Cause.TIMEOUT), make("b", "t", 0)])
    assert places(board) == [(1, "b"), (None, "a")]
    assert board.standings[1].summary.bounds == (0, 100)


def test_a_label_cuts_the_ranking_and_the_whole_comes_first():
    records = [
        make("a", "1", 100, labels={"language": "en"}),
        make("b", "1", 50, labels={"language": "en"}),
        make("a", "2", 0, labels={"language": "zh"}),
        make("b", "2", 80, labels={"language": "zh"}),
        make("a", "3", 10),
    ]
    whole, none, en, zh = rank(records, by="language")
    assert whole.label is None
    assert none.label == ("language", "(none)")
    assert (en.label, places(en)) == (("language", "en"), [(1, "a"), (2, "b")])
    assert (zh.label, places(zh)) == (("language", "zh"), [(1, "b"), (2, "a")])


def test_an_unknown_label_is_refused_with_the_labels_there_are():
    with pytest.raises(BadSetting, match="domain") as caught:
        rank([make("a", "1", 1, labels={"language": "en"})], by="domain")
    assert "language" in caught.value.remedy


def test_scores_of_unequal_recipes_are_not_ranked_and_the_difference_is_said():
    records = [make("a", "1", 10), make("b", "1", 20, recipe=OTHER)]
    with pytest.raises(BadInput) as caught:
        rank(records)
    assert 'judges = [{"model":"offline"}]: a' in caught.value.problem
    assert 'judges = [{"model":"openai:x"}]: b' in caught.value.problem
    assert "repeats" not in caught.value.problem


def test_a_mixed_ranking_has_a_row_for_each_agent_and_recipe():
    records = [make("a", "1", 10), make("b", "1", 20, recipe=OTHER), make("b", "2", 40)]
    (board,) = rank(records, allow_mixed=True)
    rows = [(row.agent, row.mark, row.summary.mean) for row in board.standings]
    assert rows == [("b", "a", 40), ("b", "b", 20), ("a", "a", 10)]
    assert board.offline


def test_only_the_record_of_a_recipe_may_differ():
    later = Signature(RECIPE.identity, {"version": "9"})
    (board,) = rank([make("a", "1", 10), make("b", "1", 20, recipe=later)])
    assert len(board.recipes) == 1


def test_where_nothing_was_judged_there_is_no_ranking():
    with pytest.raises(BadInput):
        rank([])


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from("12"),
            st.sampled_from([0, 40, 100, Cause.TIMEOUT]),
            st.sampled_from([RECIPE, OTHER]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_records_does_not_matter(design, shuffler):
    records = [
        make(agent, task, value, recipe=recipe, labels={"l": task})
        for agent, task, value, recipe in design
    ]
    shuffled = list(records)
    shuffler.shuffle(shuffled)
    assert rank(shuffled, "l", allow_mixed=True) == rank(records, "l", allow_mixed=True)
