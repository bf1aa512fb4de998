import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.protocols.pointwise.issues import PUBLISHED, Penalties
from deepassay.protocols.pointwise.protocol import Consistency
from deepassay.protocols.registry import parse

TABLE = Penalties.read(PUBLISHED)

STEPS = [
    (0, 0, 100), (1, 2, 90), (3, 4, 80), (5, 6, 70), (7, 8, 60), (9, 10, 50),
    (11, 12, 40), (13, 14, 30), (15, 17, 20), (18, 10_000, 10),
]  # fmt: skip


@pytest.mark.parametrize(("first", "last", "score"), STEPS)
def test_every_step_of_the_published_table_holds_at_both_edges(first, last, score):
    assert TABLE.score(first) == TABLE.score(last) == score


def tables():
    """Tables of any size, their steps in order."""
    counts = st.lists(st.integers(0, 999_999), max_size=8, unique=True).map(sorted)
    scores = st.lists(st.integers(0, 100), min_size=1, max_size=9)
    return st.tuples(counts, scores).map(_made)


def _made(drawn):
    counts, scores = drawn
    falling = sorted((scores * 9)[: len(counts) + 1], reverse=True)
    return Penalties(tuple(counts), tuple(map(float, falling)))


@settings(deadline=None)
@given(tables(), st.integers(0, 2_000_000), st.integers(0, 2_000_000))
def test_more_issues_never_score_more_and_no_score_leaves_its_range(table, some, others):
    fewer, more = sorted((some, others))
    assert 100 >= table.score(fewer) >= table.score(more) >= 0


@settings(deadline=None)
@given(tables())
def test_a_table_is_written_as_it_is_read(table):
    assert Penalties.read(str(table)) == table


def test_another_table_is_an_option_and_a_part_of_the_name():
    (gentle,) = parse("consistency(penalties='0:100, 10:99.5, more:0')")
    assert str(gentle) == "consistency(penalties='0:100,10:99.5,more:0')"
    assert parse(str(gentle)) == (gentle,)


@pytest.mark.parametrize("spelled", [PUBLISHED, PUBLISHED.replace(",", " ,\n"), "00" + PUBLISHED])
def test_the_published_table_is_no_part_of_the_name_however_it_is_spelled(spelled):
    assert str(Consistency(penalties=spelled)) == "consistency"
    assert Consistency(penalties=spelled) == Consistency()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not written as"),
        ("0:100", "`more` must stand"),
        ("more:10,0:100", "`more` must stand"),
        ("0:100,more:50,more:10", "`more` must stand"),
        ("0:100,2:90,2:80,more:10", "must rise"),
        ("2:90,0:80,more:10", "must rise"),
        ("0:90,2:95,more:10", "may not rise"),
        ("0:101,more:10", "between 0 and 100"),
        ("0:100,2:-5,more:10", "not written as"),
        ("0:100,2:nan,more:10", "not written as"),
        ("0=100,more=10", "not written as"),
        ("1" * 1_000_000, "not written as"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_with_a_table_that_is_right(text, said):
    with pytest.raises(BadSetting, match=said) as caught:
        Consistency(penalties=text)
    assert PUBLISHED in caught.value.remedy
    assert len(caught.value.problem) < 500


def test_a_table_has_no_edition_code_where_the_judge_gives_the_number():
    with pytest.raises(BadSetting, match="the judge gives the number itself"):
        Consistency("code", penalties="0:100,more:0")
