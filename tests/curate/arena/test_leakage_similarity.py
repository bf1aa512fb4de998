"""The three similarities of the leakage test, against other programs and the paper's figures."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.curate.arena.halves import halves
from deepassay.curate.arena.similarity import (
    Similarity,
    overlap,
    similarities,
    string_similarity,
    tfidf_similarities,
    words,
)
from tests.growth import assert_linear, repeated

# DeepResearch Arena, Table 4: composite, string, TF-IDF, overlap in percent, over 100 tasks.
TABLE_4 = {
    "gpt-4o-search-preview": (9.8, 10.4, 7.1, 14.1),
    "gpt-4o-mini-search-preview": (9.4, 7.7, 7.2, 17.2),
    "gpt-4.1": (14.8, 22.4, 8.3, 12.4),
    "gpt-4.1-mini": (13.6, 17.9, 8.9, 14.4),
    "o4-mini": (10.5, 5.7, 9.4, 21.9),
    "gemini-2.5-pro": (13.8, 20.8, 7.5, 12.4),
    "gemini-2.5-flash": (13.7, 22.2, 6.9, 10.1),
    "grok-4": (14.8, 22.2, 8.4, 12.7),
    "the worked example": (12.7, 15.3, 9.4, 14.3),  # section A.4
}
ROUNDING = 0.05
TEXTS = st.text("ab c.天地，A1", max_size=30)


@pytest.mark.parametrize("row", TABLE_4)
def test_composites_of_the_paper_follow_from_their_parts(row):
    """The composite is linear in its parts, so that of averages is the average."""
    composite, *parts = TABLE_4[row]
    ours = 100 * Similarity(*(part / 100 for part in parts)).composite
    assert ours == pytest.approx(composite, abs=2 * ROUNDING)


def test_the_average_of_the_table_is_that_of_its_rows():
    rows = [row for name, row in TABLE_4.items() if name != "the worked example"]
    averages = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    assert averages == pytest.approx([12.6, 16.1, 8.0, 14.4], abs=2 * ROUNDING)


def test_the_worked_example_is_not_cut_as_its_equation_says(shared):
    """Eq. 9 cuts before a punctuation mark; the example's suffix begins with a word."""
    paper = (shared / "papers" / "arena.txt").read_text(encoding="utf-8")
    found = re.search(r"Input Prefix:\n(.+?)\nReference Suffix:\n(.+?)\n\nModel-", paper, re.DOTALL)
    prefix, suffix = (part.replace("-\n", "").replace("\n", " ") for part in found.groups())
    assert suffix[0].isalpha()
    ours = halves(f"{prefix} {suffix}")
    first_word, _, rest = suffix.partition(".")
    assert ours == (f"{prefix} {first_word}", f".{rest}")


def test_three_sevens_are_not_above_seven_tenths():
    assert not Similarity(0.7, 0.7, 0.7).leaked
    assert Similarity(0.7, 0.7, 0.71).leaked
    assert not Similarity(1.0, 0.0, 1.0).leaked


def test_string_similarity_by_hand():
    # The longest common subsequence of the textbook pair is BCBA, of four characters.
    assert string_similarity("ABCBDAB", "BDCABA") == 2 * 4 / (7 + 6)
    assert string_similarity("abc", "xyz") == 0
    assert string_similarity("天空是蓝色的", "天是蓝的") == 2 * 4 / 10


def test_overlap_is_the_share_of_the_words_of_the_suffix():
    assert overlap("The cost, the noise.", "noise NOISE the house") == 2 / 3
    assert overlap("a", "a b c d") == 1
    assert overlap("比较成本", "成本比较") == 2 / 3  # 比较 and 成本, but not 较成
    assert overlap("one", "") == 0


def test_words_are_runs_of_letters_and_pairs_of_han_characters():
    assert list(words("The 3.5 MW plant_x, 热泵系统 和 AI技术。")) == [
        *("the", "3", "5", "mw", "plant", "x"),
        *("热泵", "泵系", "系统", "和", "ai", "技术"),
    ]


def test_tfidf_by_hand():
    """Two texts, `a` in both and `b`, `c` in one each: weights 1 and ln(3 / 2) + 1."""
    rare = math.log(3 / 2) + 1
    (found,) = tfidf_similarities([("a b", "a c")])
    assert found == pytest.approx(1 / (1 + rare**2))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_tfidf_is_that_of_scikit_learn(pairs):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    different = list(dict.fromkeys(text for pair in pairs for text in pair))
    if not any(list(words(each)) for each in different):
        return
    vectorizer = text.TfidfVectorizer(analyzer=lambda each: list(words(each)))
    vectorizer.fit(different)
    for (one, other), ours in zip(pairs, tfidf_similarities(pairs), strict=True):
        theirs = (vectorizer.transform([one]) @ vectorizer.transform([other]).T).toarray()[0, 0]
        assert ours == pytest.approx(theirs) or (one == other and ours == 1)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_everything_is_from_0_to_1(pairs):
    for found in similarities(pairs):
        for number in (found.string, found.tfidf, found.overlap, found.composite):
            assert 0 <= number <= 1


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_equal_texts_have_1(text, other):
    same, _ = similarities([(text, text), (text, other)])
    assert same == Similarity(1, 1, 1) and same.composite == 1 and same.leaked


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_string_and_tfidf_are_symmetric(one, other):
    assert string_similarity(one, other) == string_similarity(other, one)
    there, back = tfidf_similarities([(one, other), (other, one)])
    assert there == pytest.approx(back)


def test_no_pairs_no_similarities():
    assert similarities([]) == []


@pytest.mark.parametrize("piece", ["a", "a ", ".", "天", "天 ", "天a"])
def test_a_long_text_against_a_continuation_takes_linear_time(piece):
    assert_linear(lambda text: similarities([(text, text[:2000])]), repeated(piece))
