"""Numbers in Chinese numerals are read as themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.protocols.process.chinese import NUMERAL, readings_of, value_of

DIGITS = "零一二三四五六七八九"
WHOLE = st.integers(1, 10**15)


def below_ten_thousand(number: int) -> str:
    """As it is written: 3005 三千零五, 15 十五 only by itself."""
    found, gap = "", False
    for worth, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // worth % 10
        if digit:
            found += ("零" if gap and found else "") + DIGITS[digit] + unit
        gap = not digit
    return found


def written(number: int) -> str:
    """A number in Chinese numerals: 320_000_005 三亿两千万零五."""
    found = ""
    for worth, unit in ((10**12, "万亿"), (10**8, "亿"), (10**4, "万"), (1, "")):
        group = number // worth % 10_000
        if group:
            gap = found and (group < 1000 or not number // (worth * 10_000) % 10_000)
            found += ("零" if gap else "") + below_ten_thousand(group) + unit
    return found


def read(text: str) -> set[float]:
    (whole,) = NUMERAL.findall(text)
    assert whole == text
    return {*readings_of(whole)}


@given(WHOLE)
def test_any_integer_is_read_as_itself(number):
    assert number in read(written(number))
    assert value_of(written(number).replace("二千", "两千")) == number
    if 10 <= number < 20:
        assert number in read(written(number).removeprefix("一"))


@given(WHOLE)
def test_any_integer_is_read_digit_by_digit(number):
    for zero in "零〇":
        assert value_of("".join([zero, *DIGITS[1:]][int(each)] for each in str(number))) == number


@given(st.integers(1, 9999), st.integers(0, 9999), st.sampled_from(["", "0", "5", "25"]))
def test_digits_and_numerals_mix(large, small, decimals):
    value = large * 10_000 + small
    if small:
        assert value in read(f"{large}万{small}")
        assert value * 10_000 in read(f"{large:,}亿{small}万")
    if decimals:
        assert max(read(f"{large}.{decimals}亿")) == pytest.approx(
            float(f"{large}.{decimals}") * 1e8
        )


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("三千零五", {3005}),
        ("两百", {200}),
        ("十五", {15}),
        ("二〇二四", {2024}),
        ("1亿2千万", {120_000_000}),
        ("3万5千", {35_000}),
        ("三十七万四千", {374_000}),
        ("三十七点四万", {374_000}),
        ("一万亿", {1e12}),
        ("三千五百万亿", {3.5e15}),
        ("一兆二千億", {1.2e12}),
        ("三百兆", {3e14, 300, 3e8}),
        ("三百千", {1300, 300}),
        ("三千", {3000}),
        ("三万五", {30_005, 35_000}),
        ("一百二", {102, 120}),
        ("三四十", {340, 30, 40}),
        ("半", {0.5}),
        ("一半", {0.5}),
    ],
)
def test_what_numerals_say(text, values):
    assert read(text) == values


@pytest.mark.parametrize("text", ["1,234", "万一", "2.5 km", "亿"])
def test_what_is_no_numeral(text):
    assert NUMERAL.match(text) is None
