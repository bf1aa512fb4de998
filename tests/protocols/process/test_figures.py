"""Figures of statements, and texts that have them in other words."""

from __future__ import annotations

import pytest

from deepassay.protocols.process.figures import figures_in, has_figure
from tests.growth import assert_linear, repeated


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("It fell by 43 % to 7 million crowns.", [("43 %", 43.0), ("7 million", 7e6)]),
        (
            "In 2025 it was 12,500 of 1.5 bn.",
            [("2025", 2025.0), ("12,500", 12500), ("1.5 bn", 1.5e9)],
        ),
        ("降低了百分之34，共700万元。", [("34", 34.0), ("700万", 7e6)]),
        ("It cost $4 m and $3.2bn.", [("4 m", 4e6), ("3.2bn", 3.2e9)]),
        ("Three audits, 3 towns, 12 months: all agree.", []),
        ("COVID-19, Table 14, Figure 22, version 15, GPT-40, H20.", []),
        (
            "The wall is 40 m high, 4m wide; the disk has 16 GB, 500k.",
            [("40 m", 40.0), ("4m", 4.0), ("16", 16.0)],
        ),
        (
            "It is 3 km long, weighs 2 tonnes, cost $5; it took 6 days.",
            [("3", 3), ("2", 2), ("5", 5)],
        ),
        ("1.500 may be either.", []),
        ("See https://a.example/2044 and #55.", []),
    ],
)
def test_figures(text, figures):
    assert [(each.raw, each.value) for each in figures_in(text)] == figures


@pytest.mark.parametrize(
    ("figure", "texts"),
    [
        ("34 %", ["34%", "34.2 per cent", "0.34 of all", "thirty-four percent", "百分之三十四"]),
        ("7 million", ["7,000,000", "6.97 million", "seven million", "in millions: 7.0", "700万"]),
        ("about 200 homes", ["212 homes", "195"]),
        ("1,200", ["1 200", "1.2 thousand", "twelve hundred", "1200", "1.200"]),
        ("50 %", ["half of them", "0.5"]),
        ("3.14", ["3.1416", "3.14"]),
        ("25", ["二十五", "25"]),
    ],
)
def test_texts_that_have_it(figure, texts):
    (found,) = figures_in(figure)

    assert [text for text in texts if not has_figure(text, found)] == []


@pytest.mark.parametrize(
    ("figure", "texts"),
    [
        ("43 %", ["34 %", "0.34", "4.3", "443", "in 1943", "thirty-four"]),
        ("7 million", ["7 towns", "70 million", "7 thousand", "17 million", "0.7 million"]),
        ("212", ["221", "2.12", "1212", "two hundred"]),
        ("15.2", ["15.3", "152", "14.9"]),
        ("2019", ["2018", "20190"]),
    ],
)
def test_texts_that_lack_it(figure, texts):
    (found,) = figures_in(figure)

    assert [text for text in texts if has_figure(text, found)] == []


@pytest.mark.parametrize("piece", ["9", "1,", "一", "1 "])
def test_strange_texts_take_linear_time(piece):
    (found,) = figures_in("43 %")

    assert_linear(
        lambda text: (has_figure(text, found), [*figures_in(text)]), repeated(piece), 40_000
    )
