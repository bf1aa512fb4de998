"""The offline rule for support: what it holds for saying the same, and what for saying another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks import support
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.alignment.alignment import align
from deepassay.protocols.alignment.passages import PageIndex, sentences
from tests.growth import assert_linear, repeated

TOWN = """
The town of Northvale installed 1,240 rooftop panels in 2022, bringing total capacity to 3.5
megawatts. Electricity bills of participating homes fell by 18% on average during the first year.
The council approved a second phase worth $4.2 million, which will begin in March 2024. Residents
of the eastern district were not included in the programme because of grid constraints.

According to engineer Maria Lopez, the panels from Helion produced more power than those from
Brightray under cloudy skies. Storage batteries have so far failed to reduce evening demand. The
mayor opposed the subsidy, whereas the utility company supported it. The programme was financed by
Greenbank, which acquired the local cooperative SunShare in 2021. The exper-
iment was funded by the county. Nausea occurred in 12% of treated patients and 5% of controls.
"""
CITY = """
2023年，江宁市常住人口为352.6万人，比上年增长1.8%。全市地区生产总值达到4,870亿元，同比增长6.2%，高于全省平均水平。
进口额下降4.1%，出口额上升9.3%。城镇登记失业率没有上升。全市未发生重大安全事故。
星辰公司收购了蓝海公司的电池业务，交易金额为12亿元。地铁三号线将于2025年开通。
调查显示，百分之六十五的市民对空气质量表示满意，但对停车问题不满意。研究人员发现，步行比骑车更有利于老年人的健康。
"""

SUPPORTED = {
    "verbatim": "Residents of the eastern district were not included in the programme.",
    "other endings of words": "Northvale's installation of 1,240 rooftop panels was in 2022.",
    "another word of the same direction": "Bills of participating homes dropped by 18% on average.",
    "a unit in words": "Electricity bills fell by 18 percent on average in the first year.",
    "a scale in figures": "The second phase is worth $4,200,000 and begins in March 2024.",
    "a number rounded": "The council approved a second phase worth about $4 million.",
    "a passive": "SunShare was acquired by Greenbank in 2021.",
    "a word broken at the line end": "The experiment was funded by the county.",
    "the second of two numbers": "Nausea occurred in 5% of controls.",
    "Chinese, nearly verbatim": "2023年江宁市常住人口352.6万人，增长1.8%。",
    "Chinese, number without separator": "江宁市地区生产总值达到4870亿元。",
    "Chinese, percentage in characters": "65%的市民对空气质量表示满意。",
    "Chinese passive": "蓝海公司的电池业务被星辰公司收购。",
    "Chinese denial": "城镇登记失业率未上升。",
}
UNSUPPORTED = {
    "another number": "Northvale installed 2,140 rooftop panels in 2022.",
    "another percentage": "Electricity bills of participating homes fell by 28% on average.",
    "the number of another": "Nausea occurred in 5% of treated patients.",
    "another year": "Greenbank acquired the local cooperative SunShare in 2019.",
    "another name": "According to engineer Peter Wolf, the panels from Helion produced more power.",
    "a denial dropped": "Residents of the eastern district were included in the programme.",
    "a denial added": "The council has not approved a second phase worth $4.2 million.",
    "a failure as a success": "Storage batteries have reduced evening demand.",
    "the opposite direction": "Electricity bills of participating homes rose by 18% on average.",
    "names exchanged": "SunShare acquired Greenbank in 2021.",
    "sides of a comparison exchanged": "Panels from Brightray produced more power than those from "
    "Helion under cloudy skies.",
    "not on the page": "The town plans to build a wind farm with twelve turbines by 2026.",
    "Chinese, another number": "2023年江宁市常住人口为452.6万人。",
    "Chinese, another year": "地铁三号线将于2028年开通。",
    "Chinese, directions exchanged": "进口额上升4.1%，出口额下降9.3%。",
    "Chinese, denial dropped": "全市发生重大安全事故。",
    "Chinese, sides exchanged": "骑车比步行更有利于老年人的健康。",
    "Chinese, names exchanged": "蓝海公司收购了星辰公司的电池业务。",
    "Chinese, not on the page": "江宁市计划新建两座机场和一座港口。",
}


@pytest.fixture(scope="module")
def page() -> PageIndex:
    return PageIndex(TOWN + CITY)


@pytest.mark.parametrize("case", SUPPORTED)
def test_what_says_the_same_is_supported(case: str, page: PageIndex) -> None:
    found = align(SUPPORTED[case], page)
    assert found.verdict == "supported", found


@pytest.mark.parametrize("case", UNSUPPORTED)
def test_what_says_another_thing_is_unsupported(case: str, page: PageIndex) -> None:
    found = align(UNSUPPORTED[case], page)
    assert found.verdict == "unsupported", found


def test_the_quote_is_the_sentence_that_says_it(page: PageIndex) -> None:
    quote = align("Electricity bills fell by 18 percent on average.", page).quote
    assert quote.startswith("Electricity bills of participating homes fell")
    assert quote.endswith("during the first year.")


def test_the_reason_names_what_is_lacking_and_what_contradicts(page: PageIndex) -> None:
    reason = align("Northvale installed 2,140 rooftop panels in 2022.", page).reason
    assert "2,140 where the passage has 1,240" in reason


@pytest.mark.parametrize(
    "text",
    ["", "404", "Access denied. You do not have permission to view this page on this server today.",
     "Just a moment... please enable JavaScript and cookies to continue to the site you wanted."],
)  # fmt: skip
def test_a_page_without_content_leaves_it_unknown(text: str) -> None:
    found = align("Greenbank acquired SunShare in 2021.", PageIndex(text))
    assert (found.verdict, found.score, found.quote) == ("unknown", 0.0, "")


def test_a_statement_without_words_is_unknown(page: PageIndex) -> None:
    assert align("It is as it was.", page).verdict == "unknown"


def test_words_scattered_over_a_long_page_count_less_than_words_together() -> None:
    filler = "Nothing of interest happened on that quiet morning in the valley, they wrote. "
    statement = "Copper corrosion accelerates under saline humidity."
    apart = (
        "Copper rose. " + filler * 20 + "Corrosion accelerates. " + filler * 20 + "Saline lakes."
    )
    together = filler * 20 + statement + filler * 20
    assert align(statement, PageIndex(together)).score > align(statement, PageIndex(apart)).score


# ------------------------------------------------------------------ any input

TEXTS = st.text(
    st.sampled_from("aB ein not no 12,3.45%$-\n.!?。，年万百分之不未公司收购比被[]()’é"),
    max_size=400,
)


@settings(deadline=None, max_examples=60)
@given(page=TEXTS, statement=TEXTS)
def test_quote_is_verbatim_and_score_within_bounds(page: str, statement: str) -> None:
    found = align(statement, PageIndex(page + TOWN))
    assert found.quote in page + TOWN
    assert 0 <= found.score <= 1


@settings(deadline=None, max_examples=60)
@given(page=TEXTS, statement=TEXTS)
def test_the_same_question_has_the_same_answer(page: str, statement: str) -> None:
    index = PageIndex(page)
    assert align(statement, index) == align(statement, index) == align(statement, PageIndex(page))


@settings(deadline=None, max_examples=60)
@given(page=TEXTS)
def test_sentences_cover_the_page_without_overlap(page: str) -> None:
    assert "".join(span.of(page) for span in sentences(page)) == page


@pytest.mark.parametrize(
    "piece",
    ["1", "9,", "1.", "a-\n", ". A", " ", "\n", "不", "一", "百分之", "not ", "two-", "$ ", "A b "],
)
def test_a_page_is_searched_in_linear_time(piece: str) -> None:
    statement = "Northvale not 1.9 two A b 不一百分之五 installed 1,240 panels."
    assert_linear(
        lambda text: align(statement, PageIndex(text)),
        lambda size: TOWN + repeated(piece)(size),
    )


def test_a_long_statement_takes_linear_time(page: PageIndex) -> None:
    words = repeated("the council did not approve 12 panels, and ")
    assert_linear(lambda statement: align(statement, page), words, 13_000)


# ------------------------------------------------------------------ how well it does

# Reached, less .02: what the rule must not fall back behind. docs/studies/offline-support.md has
# how each set came about; the held-out ones were not looked at while the rule was made.
REACHED = {
    "plain_en": 0.91,
    "plain_zh": 0.93,
    "en": 0.61,
    "zh": 0.64,
    "en_heldout": 0.58,
    "zh_heldout": 0.49,
}
ACCURATE = 0.9
"""On plainly worded pairs."""


@pytest.fixture(scope="module", params=REACHED)
def scored(request: pytest.FixtureRequest) -> tuple[str, support.Scores]:
    """A set of our own by name, with the scores of its pairs."""
    pairs = support.own_pairs(support.OWN / f"{request.param}.jsonl")
    assert len(pairs) > 80
    return request.param, support.score(pairs)


def test_area_on_pairs_of_our_own(scored: tuple[str, support.Scores]) -> None:
    name, scores = scored
    assert support.area(scores.ours, scores.supported) >= REACHED[name]


def test_accuracy_on_plainly_worded_pairs(scored: tuple[str, support.Scores]) -> None:
    name, scores = scored
    if name.startswith("plain"):
        assert support.accuracy(scores) >= ACCURATE


def test_the_gain_over_plain_recall_on_pairs_of_our_own(
    scored: tuple[str, support.Scores],
) -> None:
    _, scores = scored
    assert support.gain(scores, np.random.default_rng(support.SEED)).low > 0


def test_the_gain_over_plain_recall_on_published_verdicts(shared: Path) -> None:
    path = shared / "data" / "bench" / "fact" / "dls.validated.jsonl"
    scores = support.score(support.published_pairs(path))
    gain = support.gain(scores, np.random.default_rng(support.SEED))
    assert len(scores.supported) == 144
    assert support.area(scores.ours, scores.supported) >= 0.73
    assert gain.low > 0
    assert gain.positive > 0.99


def test_three_numbers_in_their_order_are_not_taken_for_each_other() -> None:
    page = (
        "Boxes. Median occupancy was 5 per cent in the first year after installation, 16 per cent "
        "in the second and 29 per cent in the third."
    )
    told = align("Occupancy was 5%, 16% and 29% in the first three years.", PageIndex(page))
    turned = align("Occupancy was 29%, 16% and 5% in the first three years.", PageIndex(page))
    assert "belongs to something else" not in told.reason
    assert told.score > turned.score


def test_a_page_of_one_sentence_is_a_page() -> None:
    page = "The tide at Saint-Malo rises by up to twelve metres."
    assert align(page, PageIndex(page)).verdict == "supported"
    other = align("Lisbon has eleven tram lines.", PageIndex(page))
    assert other.verdict == "unsupported"
