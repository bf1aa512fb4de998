import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.race.traits import HIGHEST, grades
from deepassay.reports.report import Report
from deepassay.tasks.criteria import DIMENSIONS
from tests.growth import assert_linear, processor_time, repeated

EPSILON = 0.05

FERRIES = """# Electric ferries for the harbour of Bergen

Electric ferries are compared here with diesel ferries in cost, noise and range.

## Cost of the ferries

An electric ferry costs 14 million euros, while a diesel ferry costs 9 million euros. The battery
alone makes up 4 million euros of the price because cells for ships are certified one by one.
However, a crossing by electric ferry takes 40 euros of energy, less than half of the 95 euros
that diesel takes, so that the difference in price is earned back in 11 years.

## Noise in the harbour

Electric ferries are quieter than diesel ferries: 58 decibels against 74 decibels at the quay. This
matters in Bergen, since 2,300 people live within 200 metres of the harbour. If the ferry has to
run its reserve engine, the noise of both types is similar.

## Range and charging

| Ferry | Range | Charging |
|---|---|---|
| electric | 22 km | 9 minutes |
| diesel | 400 km | none |

The range of 22 km suffices for the crossing of 6 km, but not for the line to Stavanger. Charging
takes 9 minutes at the quay, which depends on a grid connection of 3 megawatts.

## Conclusion

The evidence suggests that electric ferries should replace diesel ferries on the short crossings
of the harbour, although the grid connection remains the main risk for their range.
"""

BEES = """# Wild bees in city gardens

Wild bees in gardens are compared here with honey bees in number, food and nesting.

## Food of wild bees

A wild bee visits 3 kinds of flowers, while a honey bee visits 40 kinds. The mason bee depends on
bellflowers because its larvae digest no other pollen. However, a garden of 20 square metres feeds
more wild bees than a lawn of 900 square metres, so that small plots matter.

## Nesting places

Most wild bees nest in the ground: 75 of 100 species dig holes in sand. This means that gravel and
bark mulch are worse than bare soil. If the soil is dug over in spring, the nests are lost.

## Conclusion

The evidence suggests that gardeners should leave bare soil and plant bellflowers, although the
weather in spring remains the main risk for the bees.
"""

LIFTS = """# 老旧小区加装电梯的费用与效果

本文比较加装电梯的造价、补贴和居民意愿。

## 造价与补贴

每台电梯的造价约为52万元，政府补贴20万元，因此居民需要承担32万元。由于低层住户受益较少，分摊比例按楼层递增。
然而，浅基础的楼房造价高于平均水平，达到61万元，因为地基必须加固。

## 居民意愿

在300户居民中，有210户支持加装电梯，但是一楼住户的支持率低于三成。如果补贴提高到25万元，支持率可能上升到八成。

## 运行效果

- 老人每周出门次数从2次增加到5次。
- 房屋价格上涨百分之八，差异主要取决于楼层。

## 结论

总体来看，补贴表明了作用：建议优先支持老人较多的楼房，尽管地基加固的风险仍然存在。
"""

TEA = """# 山区茶园的气候风险

本文比较高山茶园和平地茶园的霜冻、产量和品质。

## 霜冻

高山茶园每年有18天霜冻，因此春茶采摘推迟12天。由于坡地排出冷空气，谷底茶园的损失高于山腰。
然而，防霜风扇的费用达到每公顷9万元，小农户难以承担。

## 产量与品质

在40个茶园中，高山茶的产量低于平地茶三成，但是价格超过两倍。如果气温继续上升，品质差异可能缩小。

## 结论

总体来看，建议茶农在山腰种植耐寒品种，尽管干旱的风险仍然存在。
"""

ASKED = {
    "en": (
        FERRIES,
        BEES,
        "Compare electric ferries with diesel ferries in Bergen: cost, noise and range.",
        {
            "comprehensiveness": ("Cost, noise and range of both ferries", "Are prices given?"),
            "insight": ("Reasons for the difference in cost and noise", "Is it explained why?"),
            "instruction_following": ("Keeps to ferries in Bergen", "Are both types compared?"),
            "readability": ("Headings and paragraphs", "Is the structure easy to navigate?"),
        },
    ),
    "zh": (
        LIFTS,
        TEA,
        "比较老旧小区加装电梯的造价、政府补贴和居民意愿。",
        {
            "comprehensiveness": ("造价、补贴和居民意愿的覆盖", "是否给出电梯造价和补贴金额"),
            "insight": ("居民支持率差异的原因", "是否说明楼层与支持率的关系"),
            "instruction_following": ("限定在老旧小区加装电梯", "是否比较了造价和补贴"),
            "readability": ("标题与段落结构", "章节是否清晰"),
        },
    ),
}


def graded(language, article):
    """Grades by dimension, for one criterion each."""
    _, _, prompt, criteria = ASKED[language]
    asked = [(dimension, *criteria[dimension]) for dimension in DIMENSIONS]
    return dict(zip(DIMENSIONS, grades(Report(article), prompt, asked), strict=True))


def half(article):
    return article[: len(article) // 2]


def without_headings(article):
    return "\n".join(line for line in article.split("\n") if not line.startswith("#"))


def doubled(article):
    return f"{article}\n\n{article}"


def shuffled(article, seed):
    paragraphs = article.split("\n\n")
    random.Random(seed).shuffle(paragraphs)
    return "\n\n".join(paragraphs)


both = pytest.mark.parametrize("language", ASKED)


@both
@pytest.mark.parametrize("worsened", [half, without_headings, doubled])
def test_a_worse_article_gains_in_no_dimension(language, worsened):
    article = ASKED[language][0]
    before, after = graded(language, article), graded(language, worsened(article))
    assert all(after[each] <= before[each] + EPSILON for each in DIMENSIONS)
    assert sum(after.values()) < sum(before.values())


@both
def test_shuffled_paragraphs_read_worse_and_gain_nothing_else(language):
    article = ASKED[language][0]
    before = graded(language, article)
    after = [graded(language, shuffled(article, seed)) for seed in range(8)]
    for dimension in DIMENSIONS[:3]:
        assert all(each[dimension] <= before[dimension] + EPSILON for each in after)
    assert all(each["readability"] < before["readability"] for each in after)


@both
def test_an_answer_to_another_task_gets_less_in_every_dimension(language):
    article, other, *_ = ASKED[language]
    own, others = graded(language, article), graded(language, other)
    assert all(others[each] < own[each] for each in DIMENSIONS)
    assert others["comprehensiveness"] < 0.5 * own["comprehensiveness"]


@both
def test_another_part_of_the_answer_makes_it_more_comprehensive(language):
    article = ASKED[language][0]
    paragraphs = article.split("\n\n")
    shorter = "\n\n".join(paragraphs[:4] + paragraphs[-2:])
    assert (
        graded(language, shorter)["comprehensiveness"]
        < (graded(language, article)["comprehensiveness"])
    )


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_words_of_the_criterion_decide_within_a_dimension(dimension):
    """What the article treats, or the side of form in which it is good, gets the higher grade."""
    better, worse = (
        ("Headings and structure", "Tables, charts and highlighted data")
        if dimension == "readability"
        else ("Noise of ferries at the quay", "Wages of the crew and trade unions")
    )
    prompt = ASKED["en"][2]
    asked = [(dimension, better, ""), (dimension, worse, "")]
    first, second = grades(Report(FERRIES), prompt, asked)
    assert first > second


def test_reasons_make_the_insight():
    plain = FERRIES.replace("because", "and").replace("However, a", "A").replace("so that", "and")
    plain = plain.replace("while", "and").replace("less than half of", "beside").replace("If", "At")
    assert graded("en", plain)["insight"] < graded("en", FERRIES)["insight"]
    assert graded("en", plain)["comprehensiveness"] == pytest.approx(
        graded("en", FERRIES)["comprehensiveness"], abs=0.2
    )


@pytest.mark.parametrize(
    ("prompt", "asked_for"),
    [("Compare ferries, in a table.", "|"), ("Compare ferries since 2019.", "2019")],
)
def test_a_constraint_of_the_prompt_that_is_not_met_costs(prompt, asked_for):
    criterion = [("instruction_following", "Compares ferries", "")]
    met = "Ferries are compared.\n\n| Ferry | Year |\n|---|---|\n| electric | 2019 |\n"
    missed = "Ferries are compared.\n\nThe electric ferry is of this year.\n"
    assert asked_for in met
    (good,), (poor,) = (grades(Report(text), prompt, criterion) for text in (met, missed))
    assert poor < good


@pytest.mark.parametrize(
    "remark",
    [
        "Let me search for more about the noise.",
        "I'll research the cost next.",
        "让我搜索更多数据。",
    ],
)
def test_remarks_of_an_agent_on_its_work_cost_in_every_dimension(remark):
    before, after = graded("en", FERRIES), graded("en", f"{FERRIES}\n{remark}\n")
    assert all(after[each] < before[each] for each in DIMENSIONS)


@pytest.mark.parametrize("text", ["", "\n\n", "# Title only", "---", "No data are available."])
def test_an_article_that_says_nothing_gets_nothing(text):
    assert set(graded("en", text).values()) == {0.0}


def test_no_criteria_no_grades():
    assert grades(Report(FERRIES), "Compare ferries.", []) == []


@settings(deadline=None, max_examples=80)
@given(
    st.text(alphabet="a the ferry costs 7 becaus|#-*\n.。因为造价，补贴[]()", max_size=200),
    st.text(max_size=40),
    st.text(max_size=40),
)
def test_grades_stay_in_bounds_and_are_the_same_every_time(text, prompt, criterion):
    asked = [(dimension, criterion, prompt) for dimension in DIMENSIONS]
    found = grades(Report(text), prompt, asked)
    assert all(0.0 <= grade <= HIGHEST for grade in found)
    assert found == grades(Report(text), prompt, asked)


@both
@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=30))
def test_repeating_paragraphs_of_its_own_raises_no_grade(language, chosen):
    article = ASKED[language][0]
    paragraphs = article.split("\n\n")
    longer = "\n\n".join([*paragraphs, *(paragraphs[i % len(paragraphs)] for i in chosen)])
    before, after = graded(language, article), graded(language, longer)
    assert all(after[each] <= before[each] + EPSILON for each in DIMENSIONS)


@pytest.mark.parametrize(
    "piece",
    ["word ", "heat pump 7. ", "let me ", "由于", "|a|b|\n"],
)
def test_hostile_text_is_graded_in_linear_time(piece):
    asked = [(dimension, "Cost of a heat pump", "Is it given?") for dimension in DIMENSIONS]

    def made(size):
        report = Report(repeated(piece)(size))
        assert report.statements is not None  # reading it is another room's matter
        return report

    assert_linear(
        lambda report: grades(report, "What does a heat pump cost?", asked), made, 1 << 17
    )


def test_an_article_is_read_once_for_all_its_criteria():
    article = "\n\n".join(f"{FERRIES}\n\nIn year {year} it rained." for year in range(28))
    asked = [(dimension, "Cost of ferries", "Is it given?") for dimension in DIMENSIONS]

    def graded_for(number):
        report = Report(article)
        return processor_time(lambda: grades(report, "Compare ferries.", asked * number))

    graded_for(1)
    once, often = (min(graded_for(number) for _ in range(3)) for number in (1, 6))
    assert often < 3 * once
