"""Rankings with points and intervals drawn in them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.results.comparing import leading
from deepassay.results.page.standings import MARGIN, WIDTH, ranking_pictures
from deepassay.results.ranking import rank
from tests.results.judgements import make


def board(scores):
    """The drawn ranking of agents with a list of scores each."""
    records = [
        make(agent, f"t{task}", score)
        for agent, own in scores.items()
        for task, score in enumerate(own)
    ]
    (found,) = ranking_pictures(rank(records), leading(records, ["coverage"]))
    return found


def test_points_stand_where_the_scores_are():
    found = board({"heron": [90.0, 90.0, 90.0], "magpie": [50.0] * 3, "cuckoo": [10.0] * 3})
    assert [row.agent for row in found.rows] == ["heron", "magpie", "cuckoo"]
    assert [row.point for row in found.rows] == [WIDTH - MARGIN, WIDTH / 2, MARGIN]
    assert found.axis == ("10.0", "90.0")
    assert found.said.startswith("heron (90.0) is ahead of magpie (50.0) by 40.0 over 3 tasks")


def test_an_interval_beyond_the_range_of_scores_ends_at_the_edge():
    found = board({"heron": [100.0, 60.0], "magpie": [10.0, 40.0]})
    assert found.axis == ("0.0", "100.0")
    assert found.rows[0].high == WIDTH - MARGIN
    assert found.rows[1].low == MARGIN


def test_a_single_score_has_no_interval_and_stands_in_the_middle():
    (row,) = board({"heron": [40.0]}).rows
    assert (row.point, row.low, row.high) == (WIDTH / 2, None, None)


@settings(deadline=None, max_examples=30)
@given(
    st.dictionaries(
        st.sampled_from("abcd"), st.lists(st.floats(0, 100), min_size=1, max_size=5), min_size=1
    )
)
def test_every_point_is_in_its_interval_and_on_the_picture(scores):
    for row in board(scores).rows:
        assert 0 <= row.point <= WIDTH
        if row.low is not None:
            assert MARGIN <= row.low <= row.point <= row.high <= WIDTH - MARGIN
