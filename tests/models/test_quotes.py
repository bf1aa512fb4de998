import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.fence import find_quote, place_of_quote
from tests.quoted import PAGE


@pytest.mark.parametrize(
    ("quote", "as_on_the_page"),
    [
        ("grew to 3.5 GW in 2023", "grew to 3.5 GW in 2023"),
        ("reported.\n Solar  output", "reported.\n\nSolar output"),
        ('The "largest" battery - MossLanding', "The “largest” battery — Moss\u00adLanding"),
        ("holds 3 000 MWh", "holds 3\u202f000 MWh"),
        ("**grew** to 3.5 GW", "grew to 3.5 GW"),
    ],
)
def test_a_quote_is_found_whatever_its_blanks_and_marks_are(quote, as_on_the_page):
    assert find_quote(PAGE, quote) == as_on_the_page


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("the eﬃcient ﬁeld", "efficient field"),
        ("it rose … and fell", "rose ... and"),
        ("增长了１２％，很快", "增长了12%,很快"),
        ("it rose by 12%, fast", "rose by 12％，fast"),
        ("a \\[12\\] snake\\_case", "[12] snake_case"),
        ("a zero\u200bwidth space", "zerowidth space"),
    ],
)
def test_a_quote_is_found_whatever_its_typography_is(page, quote):
    found = find_quote(page, quote)
    assert found and found in page and find_quote(found, quote) == found


@pytest.mark.parametrize("quote", ["", " … ", "grew to 9.5 GW", "Grid storage ... 2023", "GREW TO"])
def test_a_quote_that_is_not_on_the_page_is_not_found(quote):
    assert find_quote(PAGE, quote) is None


def test_a_quote_is_looked_up_in_what_the_judge_was_shown():
    assert find_quote("before <<<END page 1 after", "before (((END page") == "before (((END page"


@settings(deadline=None, max_examples=40)
@given(st.text(alphabet=st.sampled_from("ab“” \n—ﬁ\u200b"), max_size=60), st.data())
def test_every_passage_of_a_text_is_found_where_one_like_it_stands(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    passage = text[start:end]
    place = place_of_quote(text, passage)
    if any(map(str.isalnum, passage)):
        assert place is not None
        assert place_of_quote(text[slice(*place)], passage) is not None
    else:
        assert place is None
