"""Numbers with their units, as written in English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.protocols.alignment.quantities import Figure, figures


def only(text: str) -> Figure:
    (figure,) = figures(text)
    return figure


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,234,567", 1_234_567, ""),
        ("$4.2bn", 4.2e9, "$"),
        ("US$ 3.5 million", 3.5e6, "$"),
        ("35 per cent", 35, "%"),
        ("百分之三十五", 35, "%"),
        ("三成", 30, "%"),
        ("1.2亿元", 1.2e8, "¥"),
        ("两万人", 20_000, "人"),
        ("十二个月", 12 * 2_629_800, "s"),
        ("in 1998", 1998, "year"),
        ("Twenty-one people", 21, ""),
        ("1.1 km", 1100, "m"),
        ("1100 metres", 1100, "m"),
    ],
)
def test_a_number_is_read_as_meant(text: str, value: float, unit: str) -> None:
    figure = only(text)
    assert figure.value == pytest.approx(value)
    assert figure.unit == unit


@pytest.mark.parametrize("text", ["H2O", "see [3]", "v1.2.3", "no number"])
def test_digits_within_words_and_citations_are_no_numbers(text: str) -> None:
    assert not list(figures(text))


def test_both_ends_of_a_range_have_its_unit() -> None:
    assert [(one.value, one.unit) for one in figures("10–15%")] == [(10, "%"), (15, "%")]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("3.5%", "3.46 percent", True),
        ("35%", "35.4%", True),
        ("35%", "36%", False),
        ("about 540 million", "537 million", True),
        ("540 million", "500 million", False),
        ("in 2019", "in 2020", False),
        ("3.5 million", "35 million", False),
        ("12%", "12 kg", False),
        ("36 hours", "1.5 days", True),
    ],
)
def test_numbers_are_the_same_if_one_is_the_other_rounded(one: str, other: str, same: bool) -> None:
    assert only(one).same(only(other)) is same
    assert only(other).same(only(one)) is same


@given(st.integers(0, 10**12))
def test_separators_of_thousands_change_nothing(number: int) -> None:
    assert only(f"{number:,} kg").value == only(f"{number} kg").value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("EUR 1.35 billion", "1,350 million euros"),
        ("0.2 cubic metres", "200 litres"),
        ("140,000 m²", "14 hectares"),
        ("一万五千名", "15,000名"),
    ],
)
def test_one_amount_in_two_units_is_one_number(one: str, other: str) -> None:
    assert only(one).same(only(other))


@pytest.mark.parametrize(
    ("one", "other"), [("100 milligrams", "100 micrograms"), ("900 feet", "900 metres")]
)
def test_one_number_of_two_units_is_two_amounts(one: str, other: str) -> None:
    assert not only(one).same(only(other))
