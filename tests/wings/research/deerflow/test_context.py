from collections.abc import Sequence
from functools import partial
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.wings.research.deerflow.context import (
    CAPS,
    ContextOverflow,
    Factor,
    Fitted,
    PromptPart,
    estimated_tokens,
    fit,
    fit_again,
    limits_of,
    truncated,
)
from tests.growth import assert_linear

WINDOWS = (4_096, 8_192, 32_000, 128_000, 200_000, 1_000_000)
roles = st.sampled_from(sorted(CAPS))
windows = st.sampled_from(WINDOWS)
factors = st.floats(0.8, 2.5)
words = st.sampled_from(
    ["tidal ", "power ", "潮汐发电", "2025 ", "https://a.example/?q=1 ", "🌊", "é"]
)


@st.composite
def ladders(draw: st.DrawFn) -> tuple[str, ...]:
    """Forms as the machine makes them: a page, its quotes, a line, nothing; or any texts."""
    page = "".join(draw(st.lists(words, max_size=8))) * draw(st.sampled_from([1, 30, 3_000]))
    quotes, line = page[: len(page) // 3], "[e12] Tides, a.example, 2025"
    made = st.sampled_from([(page, quotes, line, ""), truncated(page), (page, ""), (page, line)])
    return draw(made | st.lists(st.text(max_size=40), min_size=1, max_size=5).map(tuple))


items = st.lists(
    st.builds(
        PromptPart,
        id=st.sampled_from(["e1", "e2", "rules"]),
        forms=ladders(),
        importance=st.integers(0, 3),
        turn=st.integers(0, 6),
        pinned=st.sampled_from([False] * 5 + [True]),
    ),
    max_size=20,
)


def shortest(parts: Sequence[PromptPart], factor: float) -> int:
    """Tokens of a prompt of which nothing can be shortened any more."""
    forms = [part.forms[:1] if part.pinned else part.forms for part in parts]
    return sum(min(ceil(estimated_tokens(text) * factor) for text in texts) for texts in forms)


def fitted_or_none(parts: Sequence[PromptPart], limit: int, factor: float) -> Fitted | None:
    """What fits; else None, and then it is proved that nothing does."""
    try:
        return fit(parts, limit, factor)
    except ContextOverflow as overflow:
        least = shortest(parts, factor)
        assert least > limit
        assert f"{least:,} tokens" in str(overflow)
        assert f"{limit:,};" in str(overflow)
        return None


@given(items, roles, windows, factors)
def test_no_prompt_leaves_over_the_budget_of_its_role(parts, role, window, factor):
    limits = limits_of(CAPS[role], window)
    assert limits.input <= CAPS[role].input
    assert limits.input + limits.output + 512 + window / 50 <= window
    if (fitted := fitted_or_none(parts, limits.input, factor)) is not None:
        sent = "\n\n".join(filter(None, fitted.texts))
        assert estimated_tokens(sent) * factor <= fitted.tokens + 1e-6
        assert fitted.tokens <= limits.input
        assert fitted.estimate * factor <= fitted.tokens + 1e-6


@given(items, roles, windows, factors)
def test_what_is_pinned_or_fits_as_a_whole_is_untouched(parts, role, window, factor):
    limit = limits_of(CAPS[role], window).input
    if (fitted := fitted_or_none(parts, limit, factor)) is not None:
        whole = sum(ceil(estimated_tokens(part.forms[0]) * factor) for part in parts)
        for part, text in zip(parts, fitted.texts, strict=True):
            assert text in part.forms
            if part.pinned or whole <= limit:
                assert text == part.forms[0]


@given(items, st.integers(0, 60_000), st.floats(0, 1), factors, st.floats(1, 2))
def test_a_smaller_budget_never_gives_an_item_a_fuller_form(parts, limit, share, factor, more):
    fitted = fitted_or_none(parts, limit, factor)
    for smaller in (
        fitted_or_none(parts, int(limit * share), factor),
        fitted_or_none(parts, limit, factor * more),
    ):
        if smaller is not None:
            assert fitted is not None
            assert all(a <= b for a, b in zip(fitted.levels, smaller.levels, strict=True))
            assert all(
                estimated_tokens(a) >= estimated_tokens(b)
                for a, b in zip(fitted.texts, smaller.texts, strict=True)
            )


@given(items, st.integers(0, 60_000))
def test_among_equals_the_newer_is_never_worse_off(parts, limit):
    if (fitted := fitted_or_none(parts, limit, 1.0)) is None:
        return
    free = [
        (part, len(part.forms) - level)  # forms that are left
        for part, level in zip(parts, fitted.levels, strict=True)
        if not part.pinned
    ]
    for place, (old, left) in enumerate(free):
        for later, (new, more) in enumerate(free):
            newer = new.turn > old.turn or (new.turn == old.turn and later > place)
            if newer and new.importance == old.importance:
                assert more >= min(left, len(new.forms))


@given(items, st.integers(0, 60_000), factors)
def test_no_more_is_shortened_than_is_needed(parts, limit, factor):
    """Of all prompts that some budget brings about, the longest that fits."""
    wanted = fitted_or_none(parts, limit, factor)
    step = fit(parts, 10**9, factor)
    while step.tokens > limit:
        shorter = fitted_or_none(parts, step.tokens - 1, factor)
        if shorter is None:
            assert wanted is None
            return
        assert shorter.tokens < step.tokens
        step = shorter
    assert wanted == step


PAGE, QUOTES, LINE = "word " * 1_000, "word " * 100, "word " * 10
OURS = (PAGE, QUOTES, LINE, "")


def sizes(*shown: str) -> int:
    return sum(ceil(estimated_tokens(text)) for text in shown)


@pytest.mark.parametrize(
    ("title", "parts", "limit", "levels"),
    [
        (
            "older before newer",
            [
                PromptPart("a", OURS, turn=1),
                PromptPart("b", OURS, turn=2),
                PromptPart("new", OURS, turn=5),
            ],
            sizes(PAGE, PAGE, QUOTES),
            (1, 0, 0),
        ),
        (
            "less important before older",
            [
                PromptPart("a", OURS, 2, turn=1),
                PromptPart("b", OURS, 0, turn=2),
                PromptPart("new", OURS, turn=5),
            ],
            sizes(PAGE, PAGE, QUOTES),
            (0, 1, 0),
        ),
        (
            "all old ones to quotes before one to a line",
            [
                PromptPart("a", OURS, turn=1),
                PromptPart("b", OURS, 3, turn=2),
                PromptPart("new", OURS, turn=5),
            ],
            sizes(PAGE, QUOTES, QUOTES),
            (1, 1, 0),
        ),
        (
            "all old ones go before a recent one is touched",
            [
                PromptPart("a", OURS, 3, turn=1),
                PromptPart("b", OURS, 3, turn=2),
                PromptPart("new", OURS, turn=5),
            ],
            sizes(PAGE),
            (3, 3, 0),
        ),
        (
            "the last two turns are recent, the one before is not",
            [
                PromptPart("a", OURS, 3, turn=3),
                PromptPart("b", OURS, turn=4),
                PromptPart("c", OURS, turn=5),
            ],
            sizes(LINE, PAGE, PAGE),
            (2, 0, 0),
        ),
        (
            "what stays pinned, the rest goes",
            [PromptPart("rules", (PAGE,), turn=0, pinned=True), PromptPart("new", OURS, 3, turn=5)],
            sizes(PAGE),
            (0, 3),
        ),
        (
            "a line does not go while a page can still become quotes",
            [
                PromptPart("a", (LINE, ""), turn=1),
                PromptPart("b", OURS, turn=1),
                PromptPart("new", ("",), turn=5),
            ],
            sizes(LINE, QUOTES),
            (0, 1, 0),
        ),
        (
            "edition paper: the beginning, then nothing",
            [PromptPart("a", truncated(PAGE)), PromptPart("b", truncated(PAGE), turn=5)],
            sizes(PAGE, PAGE[:1_000]),
            (1, 0),
        ),
    ],
)
def test_items_are_shortened_in_a_fixed_order(title, parts, limit, levels):
    fitted = fit(parts, limit, 1.0)
    assert fitted.levels == levels
    assert fitted.tokens <= limit


def test_without_recent_turns_the_new_shares_with_the_old():
    parts = [PromptPart("old", OURS, turn=1), PromptPart("new", OURS, turn=5)]
    assert fit(parts, sizes(QUOTES, QUOTES), 1.0, recent=0).levels == (1, 1)
    assert fit(parts, sizes(QUOTES, QUOTES), 1.0).levels == (3, 1)


def test_a_form_that_saves_nothing_gives_way_to_the_one_before_it():
    parts = [
        PromptPart("a", ("short", LINE, ""), turn=1),
        PromptPart("b", (PAGE, LINE, ""), turn=1),
    ]
    assert fit(parts, sizes("short", LINE), 1.0).texts == ("short", LINE)


def test_an_overflow_is_told_with_its_numbers():
    parts = [
        PromptPart("task", (PAGE,), pinned=True),
        PromptPart("e1", OURS),
        PromptPart("rules", (LINE,)),
    ]
    with pytest.raises(ContextOverflow) as told:
        fit(parts, 1_000, 1.0)
    assert str(told.value) == (
        "the prompt has about 1,243 tokens at its shortest and may have 1,000; task alone has 1,225"
    )


def test_nothing_fits_into_any_window():
    assert fit([], 0).texts == ()


@given(items, st.integers(0, 60_000), factors)
def test_what_a_server_refuses_is_tried_once_more_and_shorter(parts, limit, factor):
    refused = fitted_or_none(parts, limit, factor)
    if refused is None or not refused.tokens:
        return
    raised = Factor((factor,)).raised().value
    assert raised == factor * 1.25
    try:
        again = fit_again(parts, refused, raised)
    except ContextOverflow:
        assert shortest(parts, raised) > refused.tokens
        return
    assert again.estimate < refused.estimate
    with pytest.raises(ContextOverflow, match="refused"):
        fit_again(parts, again, raised)


@pytest.mark.parametrize(
    ("title", "counted", "factor"),
    [
        ("nothing seen", [], 1.15),
        ("one call", [130], 1.3),
        ("the most of all", [130, 90, 110], 1.3),
        ("not below .8", [10], 0.8),
        ("not above 2", [900], 2.0),
        ("of the last twenty", [190] + [120] * 20, 1.2),
    ],
)
def test_the_factor_is_learnt_from_the_calls(title, counted, factor):
    learnt = Factor()
    for tokens in counted:
        learnt = learnt.seen(tokens, 100.0)
    assert learnt.value == factor


def test_a_raised_factor_stays_until_twenty_calls_have_been_counted():
    raised = Factor().seen(100, 100.0).raised()
    assert raised.value == 1.25
    for _ in range(19):
        raised = raised.seen(100, 100.0)
    assert raised.value == 1.25
    assert raised.seen(100, 100.0).value == 1.0


@pytest.mark.parametrize(
    ("role", "window", "limits"),
    [
        ("writer", None, (24_848, 6_000)),
        ("writer", 4_000, (2_408, 1_000)),
        ("writer", 1_000_000, (48_000, 6_000)),
        ("checker", 4_000, (2_408, 1_000)),
        ("planner", 32_000, (16_000, 2_000)),
        ("reader", 200, (0, 50)),
    ],
)
def test_the_limits_of_a_role_in_a_window(role, window, limits):
    assert limits_of(CAPS[role], window) == limits


def pages(characters: int) -> list[PromptPart]:
    """Pages of 2,000 characters, no two alike, so that nothing kept of one serves another."""
    return [
        PromptPart(
            f"e{n}", (f"{characters} {n} " + "word " * 400, LINE, f"[e{n}]", ""), n % 4, n // 10
        )
        for n in range(characters // 2_000)
    ]


def test_fitting_takes_time_in_proportion_to_the_material():
    assert_linear(partial(fit, limit=20_000), pages, size=2_000_000)
