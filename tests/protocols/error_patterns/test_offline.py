import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.error_patterns.error_patterns import FIND_PLACES
from deepassay.protocols.error_patterns.offline import MADE_UP, interrupted_sentences
from tests.growth import assert_linear, repeated


def seen(text):
    return [text[start:end] for suspect in MADE_UP for start, end, _ in suspect(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See https://www.example.com/report for it.", "https://www.example.com"),
        ("Measured on 2023-02-29 at sea.", "2023-02-29"),
        ("Measured on 31 April 2024.", "31 April 2024"),
        ("On September 31, 2024 it rained.", "September 31, 2024"),
        ("发布于2024年2月30日。", "2024年2月30日"),
        ("- **Weight:** 0.0 oz", "Weight:** 0.0 oz"),
        ("重量：0 克", "重量：0 克"),
        ("120% of respondents agreed.", "120% of respondents"),
        ("150%的受访者表示同意。", "150%的受访者"),
    ],
)
def test_what_gives_itself_away_is_seen(text, found):
    assert seen(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "Measured on 2024-02-29 and on 30 April 2024, and on May 3, 2024.",
        "At https://harbour.example/2023-02-31 or example.com.",
        "The order 2023-13-45-7 came in.",
        "Drop: 0 mm. Weight: 0.5 oz. Weight 0",
        "100% of respondents agreed; output rose by 300 % of its value.",
        "发布于2024年2月29日，增长120%。",
        "In March 2024 and may 12 people",
    ],
)
def test_what_may_be_is_left_alone(text):
    assert seen(text) == []


def test_a_citation_after_which_the_clause_goes_on_is_quoted_with_its_words():
    text = "Ferries\n\nThe ferry was [1] quiet at night.\n"
    (place,) = interrupted_sentences(text)
    assert text[place.start : place.end] == "The ferry was [1] quiet at night."


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=200))
def test_the_rule_answers_any_text_with_quotes_that_stand(text):
    inputs = FIND_PLACES.takes(language="en", report=text, number=1, parts=1, query="q")
    FIND_PLACES.check(inputs, FIND_PLACES.offline(inputs))


@pytest.mark.parametrize(
    "piece", ["https://www.", "12 sept", "weight: ", "999% of ", "2024年1", "9"]
)
def test_beginnings_take_linear_time(piece):
    def look(text):
        assert not seen(text)

    assert_linear(look, repeated(piece))
