"""Figures of statements, and texts that have them in other words."""

from __future__ import annotations

import re

import pytest

from deepassay.protocols.process.figures import figures_in, has_figure, is_ours
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
        ("37.4万吨", ["三十七万四千吨", "37万4千吨", "三十七点四万吨", "374,000 t", "约37.4 万吨"]),
        ("1.2亿人", ["一亿二千万人", "1亿2千万人", "一亿二", "120 million", "1亿2000万"]),
        ("1亿2千万", ["1.2亿", "120 million", "一亿两千万", "1亿1800万"]),
        ("3万5000", ["三万五千", "3万5", "35,000", "3.5万"]),
        ("12万5千", ["总量,12万5千吨", "12.5万"]),
        ("2024", ["二〇二四年", "两千零二十四"]),
        ("34%", ["百分之三十四", "占百分之三十四点一"]),
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
        ("37.4万吨", ["三十七万五千吨", "三十七万吨", "四千吨", "374 t", "三点七四万"]),
        ("1亿2千万", ["1.4亿", "一亿五千万", "2千万", "1.2万"]),
        ("205", ["二百五十", "二〇〇五", "两百"]),
        ("24,000", ["24 stores of ACME Corp", "240 heat pumps"]),
    ],
)
def test_texts_that_lack_it(figure, texts):
    (found,) = figures_in(figure)

    assert [text for text in texts if has_figure(f"It is said to be {text}.", found)] == []


@pytest.mark.parametrize(
    ("figure", "page"),
    [
        ("2,4 Milliarden", "Es kostet 2400 Millionen Euro, und das ist viel."),
        ("2,4 milliards", "Cela coûte 2400 millions d'euros."),
        ("2.4 billion", "Das sind 2,4 Milliarden Euro, wie es heißt."),
        ("37,5 Tausend", "Es sind 37.500 Stück."),
        ("12 million", "Tiene 1,2 crores de habitantes, según el censo."),
    ],
)
def test_scales_of_other_languages_are_not_known_so_that_a_page_may_have_the_figure(figure, page):
    (found,) = figures_in(figure)
    assert has_figure(page, found)
    lacking = re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), page)
    assert not has_figure(lacking, found)


def test_of_figures_it_is_said_whether_a_word_follows_that_may_be_a_scale():
    text = "Es sind 2,4 Mrd., 43 Dörfer, 25 km, 43 %, 2019 war es $ 2,5 Mio. und 37万吨."
    assert {each.raw: each.worded for each in figures_in(text)} == {
        **{"2,4": True, "43": True, "25": False, "43 %": False},
        **{"2019": False, "2,5 Mio": True, "37万": False},
    }


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("The pumps of the town cost 2.4 billion crowns.", True),
        ("水泵耗资二十四亿元。", True),
        ("Es kostet 2,4 Milliarden Euro.", False),
        ("Die Pumpen in der Stadt kosten 2,4 Mrd. Euro, was nicht wenig ist.", False),
        ("Cela coûte 2,4 milliards.", False),
        ("ポンプは24億円です。", False),
        ("2.4", False),
    ],
)
def test_which_texts_are_surely_english_or_chinese(text, ours):
    assert is_ours(text) is ours


def test_a_number_beyond_all_bounds_is_no_figure_that_anything_is_held_against():
    endless = "7" * 400
    page = f"Die Zahl {endless} ist lang, und das ist sie nicht allein."
    for text in ("4711 people", f"{endless} people"):
        (found,) = figures_in(text)
        assert not has_figure(page, found)


@pytest.mark.parametrize(
    "piece", ["9", "1,", "一", "1 ", "亿", "一亿", "1万", "点", "9.9万", "1 ab "]
)
def test_strange_texts_take_linear_time(piece):
    (found,) = figures_in("43 %")

    assert_linear(
        lambda text: (has_figure(text, found), [*figures_in(text)]), repeated(piece), 40_000
    )
