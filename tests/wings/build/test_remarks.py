"""Findings: whether a criterion asks for one thing, in English and Chinese; on a whole rubric."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.tasks.yardsticks import Criterion
from deepassay.wings.build.authoring.remarks import bare_of_examples, joints, remarks_of

ONE = [
    ("one verb, one figure", "Names a grant of 500 pounds."),
    ("examples", "Names a grant (e.g., from the county and a river trust)."),
    ("examples without brackets", "Names a grant, such as those of counties and trusts."),
    ("examples behind a colon", "Names three grants. Examples: the county, a trust, and a fund."),
    ("e.g. with a comma", "Names a grant, e.g., from the county and a river trust."),
    (
        "examples that are numbered",
        "Names a grant. Examples:\n1) The county pays 900 pounds, and "
        "lends 3 carts. 2) A trust pays.\n3) A fund pays; it asks for a plan.",
    ),
    (
        "an example in its own sentences",
        "Names a grant. For example, the county pays 5 % and lends "
        "3 carts. The trust lends money and advice.",
    ),
    ("e.g. that begins a line", "Names a grant.\nE.g.: the county, the trust, and the fund"),
    (
        "figures with points in an example",
        "Names a cost, e.g. 1.5 to 2 pounds in the U.S. and 3 here.",
    ),
    ("另起的例子", "列出一项资助。例如：县政府出 5 万，并提供 3 辆车；基金会出 2 万。"),
    ("a title", "Cites 'Hedges and Walls' as its source."),
    ("an alternative", "Names a county or a river trust."),
    ("and/or", "Names the county and/or the river trust."),
    ("a choice", "Names at least two of the following: oak, ash, thorn, and elm."),
    ("the ends of a relation", "Explains the difference between hedges and walls."),
    ("a comparison", "Compares the cost of hedges and walls."),
    ("two adverbs", "Uses the terms consistently and accurately."),
    ("a name", "Cites the study by Alder and Birch."),
    ("an open end", "Mentions the county and other sources."),
    ("two verbs that share all", "Describes and explains the grant."),
    ("a range", "Gives a cost of 20 to 30 pounds a metre."),
    ("years", "Compares the cost of 1998 with that of 2021."),
    ("a version", "Plans the move from version 2.3 to 2.7."),
    ("关系两端", "说明树篱与围墙之间的差别。"),
    ("举例", "列出一项资助，例如县政府和基金会的资助。"),
    ("引号", "提到“种植与维护”一词。"),
    ("未尽列举", "提到县政府、基金会等来源。"),
    ("两个修饰语", "指出最便宜的和最常见的做法。"),
    ("句首动词", "分析并指出资助的来源。"),
]
SEVERAL = [
    (
        "a demand before an example",
        "Names a grant and explains it. For example, the county.",
        "and",
    ),
    ("a demand after an example", "Names a grant, e.g. of the county; says who pays it.", "and"),
    ("two verbs", "Names a grant and explains who may apply.", "and"),
    ("two objects", "Names the cost and the duration.", "and"),
    ("as well as", "Names the cost as well as the duration.", "and"),
    ("two sentences", "Names the cost of a grant. The report says who pays it.", "and"),
    ("semicolon", "Names the cost; says who pays it.", "and"),
    ("a list", "Gives for each hedge: its length, its age, its owner.", "list"),
    ("two figures", "Gives a length of 40 m, a cost of 900 pounds.", "figures"),
    ("两个动词", "列出资助来源，并说明申请条件。", "and"),
    ("两个宾语", "说明费用和工期。", "and"),
    ("顿号", "说明费用、工期。", "and"),
    ("列举", "给出树篱的信息：长度，树龄，主人。", "list"),
    ("两个数字", "长度为 40 米，费用为 900 元。", "figures"),
]


@pytest.mark.parametrize(("title", "criterion"), ONE, ids=[each[0] for each in ONE])
def test_one_demand_is_passed_over(title, criterion):
    assert joints(criterion) == []


@pytest.mark.parametrize(("title", "criterion", "rule"), SEVERAL, ids=[each[0] for each in SEVERAL])
def test_several_demands_are_found(title, criterion, rule):
    assert rule in [each.rule for each in joints(criterion)]


def test_a_finding_shows_where():
    (found,) = joints("Names a grant of the county (e.g., for oaks) and explains who may apply.")
    assert found.words == "of the county and explains who may"


@given(st.text(max_size=200))
def test_any_text_is_read(text):
    assert len(bare_of_examples(text)) <= len(text)
    assert all(each.words for each in joints(text))


def test_it_stays_quick_on_text_made_to_be_slow():
    drawn = random.Random(1)
    pieces = ["between ", "(", "'", "at least a ", ": a, ", "and ", "1 ", "和", "如", "“"]
    for piece in pieces:
        joints(piece * 5000)
    joints("".join(drawn.choices(pieces, k=20_000)))


RUBRICS = [
    ("in order", [("Names a grant.", 4), ("Names a county.", 2)], []),
    ("two demands", [("Names a grant and a county.", 2)], [("c1", "and")]),
    ("nothing to earn", [("Names a lawn.", -2)], [("", "positive")]),
    ("all is mandatory", [("Names a grant.", 4), ("Names a lawn.", -5)], [("", "mandatory")]),
    (
        "twice",
        [("Names a grant.", 1), ("names a  GRANT.", 2)],
        [("c2", "twice")],
    ),
    ("nothing yet", [], []),
]


@pytest.mark.parametrize(("title", "lines", "found"), RUBRICS, ids=[each[0] for each in RUBRICS])
def test_findings_on_a_rubric(title, lines, found):
    rubric = [
        Criterion(id=f"c{number}", criterion=words, weight=weight)
        for number, (words, weight) in enumerate(lines, start=1)
    ]
    remarks = remarks_of(rubric)
    assert [(each.of, each.rule) for each in remarks] == found
    assert all(each.told("en") and each.told("zh") for each in remarks)


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        ("报告介绍Matcha的历史和Earl Grey的产地。", "Matcha的历史和Earl Grey"),
        ("说明 GPT-4o 的价格与DeepSeek-R1的价格。", "的价格与DeepSeek"),
        ("费用和工期。", "费用和工期。"),
    ],
)
def test_what_is_quoted_begins_and_ends_with_whole_words(criterion, words):
    (found,) = joints(criterion)
    assert words in found.words
    before, after = criterion.split(found.words)
    for outside, inside in ((before[-1:], found.words[0]), (found.words[-1], after[:1])):
        assert not (outside + inside).isascii() or not (outside + inside).isalnum()
