import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.usage import estimate_tokens
from deepassay.protocols.windows import dividing
from deepassay.protocols.windows.dividing import OVERLAP, WINDOW, windows_of
from tests.growth import assert_linear, repeated


@pytest.mark.parametrize(
    "text",
    [
        "The ferry left. " * 40_000,
        "渡轮离开了港口。" * 40_000,
        "渡轮离开了港口。" * 20_000 + "The ferry left. " * 20_000,
        "The ferry left. " * 20_000 + "[12](https://a.example/?q=1%20)" * 9_000,
        "x" * 500_000,
    ],
    ids=["English", "Chinese", "Chinese first", "addresses last", "no blank"],
)
def test_no_window_is_larger_than_it_may_be_and_few_are_smaller(text):
    windows = windows_of(text)
    sizes = [estimate_tokens(window.text) for window in windows]
    assert max(sizes) <= WINDOW
    assert all(size > 0.7 * WINDOW for size in sizes[:-1])
    assert [window.number for window in windows] == list(range(1, len(windows) + 1))


def test_a_short_report_is_one_window():
    assert windows_of("short") == [(1, 0, "short")]
    assert windows_of("") == [(1, 0, "")]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(["ab ", "渡轮", "\n\n", "1.2;", "x" * 30]), max_size=300))
def test_windows_overlap_and_hold_every_character(pieces):
    text = "".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dividing, "WINDOW", 60)
        patch.setattr(dividing, "OVERLAP", 20)
        windows = windows_of(text)
    whole = ""
    for window in windows:
        assert text.startswith(window.text, window.start)
        assert len(whole) - window.start == (20 if whole else 0)
        whole = text[: window.start] + window.text
    assert whole == text


def test_two_windows_share_what_one_of_them_might_cut():
    first, second, *_ = windows_of("The ferry left. " * 40_000)
    assert first.text.endswith(second.text[:OVERLAP])


def test_ten_megabytes_are_divided_in_linear_time():
    assert_linear(windows_of, repeated("渡a1; "), 10_000_000)
