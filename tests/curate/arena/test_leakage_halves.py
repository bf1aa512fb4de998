"""Where a prompt is cut for the leakage test."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.curate.arena.halves import halves
from tests.growth import assert_linear, repeated


@pytest.mark.parametrize(
    ("prompt", "suffix"),
    [
        ("one two. three four", ". three four"),
        ("a, b. c; d", ". c; d"),
        ("ab, cdef；g", ", cdef；g"),  # at 2 and 8 of 10: the left one
        ("AI，ML and so on", "，ML and so on"),
        ("Short. This part goes on and on and on, and ends", ", and ends"),
        ("costs rise by 3.5 or 10,000 units: why so", ": why so"),
        ("see example.org or 10:30 today; then go", "; then go"),
        ("wait... what is this", "... what is this"),
        ("really?! yes", "?! yes"),
        ("a well-known 'quoted' word (here), so it is", ", so it is"),
        ("比较三种做法，说明失败的原因。", "，说明失败的原因。"),
        ("第一、第二，第", "、第二，第"),
        ("研究,然后总结", ",然后总结"),  # a half-width mark between Han characters
        ("写明 3.5 万元；再给出建议", "；再给出建议"),
    ],
)
def test_cut_before_the_mark_nearest_the_middle(prompt, suffix):
    assert halves(prompt) == (prompt.removesuffix(suffix), suffix)


@pytest.mark.parametrize(
    "prompt", ["Why is the sky blue?", "well-known words", "...", "", ". a", "3.5"]
)
def test_no_cut_without_a_mark_that_has_words_on_both_sides(prompt):
    assert halves(prompt) is None


@settings(deadline=None)
@given(st.text("ab1 .,;:!?。，、天地-\n'"))
def test_halves_are_the_prompt_and_no_mark_is_nearer(prompt):
    found = halves(prompt)
    if found is None:
        return
    prefix, suffix = found
    assert prefix + suffix == prompt
    assert suffix[0] in ".,;:!?。，、"
    assert any(map(str.isalnum, prefix)) and any(map(str.isalnum, suffix))
    for wide in "。，、":
        for at in (at for at, mark in enumerate(prompt) if mark == wide and at):
            inner = any(map(str.isalnum, prompt[:at])) and any(map(str.isalnum, prompt[at:]))
            if inner and prompt[at - 1] not in ".,;:!?。，、":
                assert abs(2 * len(prefix) - len(prompt)) <= abs(2 * at - len(prompt))


@pytest.mark.parametrize("piece", [".", "a.", "a. ", "天，", "3.5 ", " "])
def test_a_long_prompt_is_halved_in_linear_time(piece):
    assert_linear(halves, lambda size: f"a {repeated(piece)(size)} b")
