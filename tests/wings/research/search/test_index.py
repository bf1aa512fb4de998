"""Words are found in English and in Chinese, whatever a query looks like."""

import subprocess
import sys
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.wings.research.search.index import (
    SNIPPET,
    TextIndex,
    index_words,
    query_words,
    snippet,
)
from tests.growth import assert_linear

TEXTS = [
    "The tide mill at Ardle yields 34 % more in spring.",
    "钱塘江的潮汐发电站每年发电。潮水很高。",
    "Tide tables for the harbour, and nothing else.",
    "ＴＩＤＥ in wide letters; a Café beside the mill.",
]


def found(query, texts=TEXTS, count=10):
    with closing(TextIndex(texts)) as index:
        return index.find(query, count)


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("tide mill", [3, 0, 2]),
        ("TIDE", [2, 3, 0]),
        ("潮汐", [1]),
        ("潮", [1]),
        ("汐", [1]),
        ("站", [1]),
        ("潮汐发电在钱塘江", [1]),
        ("tide 潮汐", [2, 3, 0, 1]),
        ("电汐", []),
        ("cafe", [3]),
        ("34%", [0]),
        ('OR NEAR( "', []),
        ('mill" OR "tables', [2, 3, 0]),
        ("mill*", [3, 0]),
        ("words: mill", [3, 0]),
        ("which of the", []),
        ("", []),
        ("?!", []),
    ],
)
def test_a_query_finds_the_texts_with_its_words(query, places):
    assert sorted(found(query)) == sorted(places)


def test_more_different_words_go_before_a_rare_one():
    texts = ["heron heron heron", "tide mill spring", "tide", "mill", "spring"] * 2
    assert found("tide mill spring heron", texts, 3) == [1, 6, 0]


def test_equal_texts_are_found_in_their_order():
    assert found("tide", ["tide"] * 5) == [0, 1, 2, 3, 4]
    assert found("tide", ["tide"] * 5, count=2) == [0, 1]


@given(st.text(), st.lists(st.text(), min_size=1, max_size=4))
def test_any_query_over_any_texts_is_answered(query, texts):
    places = found(query, texts)
    assert len(set(places)) == len(places)
    assert set(places) <= set(range(len(texts)))
    assert bool(places) <= bool(query_words(query))


@given(st.text(alphabet="潮汐发电a b", max_size=12), st.text(alphabet="潮汐发电a b", max_size=12))
def test_each_run_of_chinese_is_found_wherever_it_stands(before, after):
    assert found("潮汐", [f"{before}潮汐{after}"]) == [0]


@given(st.text(alphabet="aÉ ß潮汐ｗ1.。\n"))
def test_words_stand_where_they_are_said_to(text):
    for word, at in index_words(text):
        assert next(index_words(text[at:])) == (word, 0)


def test_order_does_not_depend_on_the_hash_seed():
    program = (
        "from deepassay.wings.research.search.index import TextIndex, snippet\n"
        "texts = [f'tide mill {n % 7} spring {n % 3} 潮汐发电' for n in range(50)]\n"
        "for query in ('spring tide 3 2 mill', '发电 潮汐 5'):\n"
        "    print(TextIndex(texts).find(query, 20), snippet(' \\n\\n'.join(texts), query))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert said.pop()


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("# Tide mill\n\nFirst.\n\nThe tide\nturns a mill.", "tide mill", "The tide turns a mill."),
        ("One mill.\n\nThe mill by the tide.", "tide mill", "The mill by the tide."),
        ("Nothing of it.\n\nNor here.", "tide", "Nothing of it. Nor here."),
        ("前言。\n\n钱塘江的潮汐很高。", "潮", "钱塘江的潮汐很高。"),
        ("", "tide", ""),
    ],
)
def test_a_snippet_is_the_paragraph_that_says_most(text, query, shown):
    assert snippet(text, query) == shown


def test_a_long_paragraph_is_cut_around_its_first_hit():
    text = "word " * 200 + "the tide rises by twelve metres" + " word" * 200
    shown = snippet(text, "tide")
    assert "the tide rises by twelve metres" in shown
    assert shown[0] == shown[-1] == "…"
    assert len(shown) <= SNIPPET + 2


def test_indexing_takes_time_in_proportion_to_the_texts():
    def made(size):
        return [f"tide {n} mill 潮汐发电 " * 10 for n in range(size // 400)]

    assert_linear(lambda texts: TextIndex(texts).close(), made)


def test_searching_takes_time_in_proportion_to_the_texts():
    def made(size):
        return TextIndex([f"tide {n} mill 潮汐发电" for n in range(size // 40)])

    assert_linear(lambda index: index.find("tide mill 潮汐 harbour", 10), made)


def test_a_snippet_takes_time_in_proportion_to_the_text():
    def made(size):
        return "The tide turns a mill.\n\n" * (size // 24)

    assert_linear(lambda text: snippet(text, "tide mill"), made, size=400_000)
