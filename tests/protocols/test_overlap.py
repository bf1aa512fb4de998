import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.checklist import verdict_by_rule
from deepassay.protocols.overlap import (
    LONGEST,
    WINDOW,
    PassageIndex,
    best_passage,
    mark,
    sentences_of,
    share,
    wording,
    words_of,
)
from tests.growth import assert_linear, repeated

FILLER = "Councils met again on Tuesday and adjourned without votes. "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Ferries of 1998 were NOT quiet", ["ferries", "1998", "quiet"]),
        ("渡轮很安静", ["渡轮", "轮很", "很安", "安静"]),
        ("船 a x 7", ["船", "x", "7"]),
        ("snake_case", ["snake", "case"]),
        ("", []),
    ],
)
def test_words_that_count_are_compared_without_case_and_chinese_in_pairs(text, words):
    assert words_of(text) == words


def test_a_share_counts_different_words():
    assert share(["a", "a", "b", "c"], {"a", "c"}) == pytest.approx(2 / 3)
    assert share([], {"a"}) == 0.0


def test_a_wording_keeps_numbers_signs_and_denials():
    assert wording("Costs, **rose** by 2.5 %!") == wording("costs rose by 2.5%")
    assert wording("Margins of -5 %") != wording("Margins of 5 %")
    assert wording("It rose.") != wording("It did not rose.")
    assert wording("5 €") != wording("5 $")


def test_the_words_of_an_item_must_stand_together():
    apart = "Ferries left early. " + FILLER * WINDOW + "Harbours are noisy."
    assert best_passage("Ferries left noisy harbours.", "ferries in noisy harbours").share == 1.0
    found = best_passage(apart, "ferries in noisy harbours")
    assert found.share == pytest.approx(2 / 3)
    assert found.found == (
        "By rule: 2 of 3 words stand close together from line 1 on; absent: ferries."
    )
    assert found.quotes == ["Harbours are noisy."]


@pytest.mark.parametrize(
    ("report", "item", "met"),
    [
        ("Heat pumps cost 9,400 each.", "Is the cost of heat pumps given?", 1),
        ("每台电梯造价为52万元。", "电梯造价", 1),
        ("Ferries are loud.", "Is the cost of heat pumps given?", 0),
        ("", "Is the cost of heat pumps given?", 0),
        ("Anything at all, 5 times.", "???", 0),
    ],
)
def test_an_item_is_met_where_most_of_its_words_stand(report, item, met):
    assert verdict_by_rule(report, item).score == met


def test_the_best_passage_has_most_of_the_words_and_the_first_wins():
    texts = ["Ferries are loud.", "Loud ferries leave.", "Ferries leave loud ports."]
    passages = PassageIndex(texts, map(words_of, texts))
    assert passages.best(words_of("loud ferries in ports")) == ["Ferries leave loud ports."]
    assert passages.best(["ferries"], 2) == ["Ferries are loud.", "Loud ferries leave."]
    assert passages.best(["ferries", "loud"], 3, 3) == []
    assert passages.best(["trains"]) == []


def test_a_long_passage_is_quoted_from_the_first_of_the_words_on():
    long = "word " * LONGEST + "ferries are loud"
    assert PassageIndex([long], [words_of(long)]).best(["ferries"]) == ["ferries are loud"]


def test_the_sentences_of_a_page_end_at_blank_lines_too():
    assert sentences_of("A title\n\nIt says so. And more.").texts == [
        "A title",
        "It says so.",
        "And more.",
    ]


def test_who_says_more_in_words_of_the_criterion_has_the_higher_mark():
    little, much = "Ferries are loud.", "Ferries are loud. " + " ".join(f"w{n}" for n in range(400))
    assert 0 < mark(little, "loud ferries") < mark(much, "loud ferries") < 10
    assert mark(much, "trains") < mark(much, "loud ferries")
    assert mark("", "loud ferries") == 0


@settings(deadline=None, max_examples=30)
@given(st.text(alphabet="aé the7[1]() \n#|-。，.中船\ud800<", max_size=120))
def test_any_text_can_be_held_against_itself(text):
    assert 0 <= best_passage(text, text).share <= 1
    assert 0 <= mark(text, text) <= 10


@pytest.mark.parametrize("piece", ["a ", "word. ", "船", "x1 ", "word " * 50 + "\n\n"])
def test_long_texts_take_linear_time(piece):
    def look(text):
        assert best_passage(text, "word of mouth 船").share >= 0
        assert len(sentences_of(text).best(["word", "x1"], 3)) <= 3

    assert_linear(look, repeated(piece), 30_000)
