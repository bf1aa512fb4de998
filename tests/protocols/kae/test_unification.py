"""Key points of several pages become one list."""

import asyncio

import pytest

from deepassay.models.operation import OffMenu
from deepassay.protocols.kae.key_points import (
    UNIFY_POINTS,
    Groups,
    KeyPoint,
    KeyPoints,
    merged_by_text,
    unified,
)
from deepassay.score import Cause, Unscored
from tests.growth import assert_linear
from tests.protocols.fact.web import Model, case_of


def point(text, url="https://a.example/"):
    return KeyPoint(text, (text,), (url,))


def texts(*written):
    return [each.text for each in merged_by_text([point(text) for text in written])]


LONG = (
    "Batteries of the Moss Landing plant in California store 3.5 GWh and cost 400 million dollars"
)


@pytest.mark.parametrize(
    "other",
    [LONG + ".", LONG.upper(), LONG.replace(" and ", " - and "), LONG + "!"],
)
def test_texts_that_differ_in_marks_or_case_alone_are_one(other):
    assert texts(LONG, other) == [LONG]


@pytest.mark.parametrize(
    "other",
    [
        LONG.replace("3.5", "3.6"),
        LONG.replace("store", "do not store"),
        LONG.replace("California", "Caledonia"),
        LONG.replace("Moss", "Most"),
        LONG.replace("dollars", "dollar"),
    ],
)
def test_another_figure_name_or_negation_keeps_texts_apart(other):
    assert texts(LONG, other) == [LONG, other]


def test_another_direction_keeps_texts_apart():
    one = "The price of storing one kilowatt hour in a large battery rose by a fifth over the year"
    assert len(texts(one, one.replace("rose", "fell"))) == 2


def test_chinese_texts_are_one_only_if_they_are_the_same_but_for_marks():
    one = (
        "甲公司在二〇二三年为电网储存了三点五吉瓦的电力，这是该公司历史上最多的一年，也超过了平均数"
    )
    assert len(texts(one, one + "。")) == 1
    assert len(texts(one, one.replace("甲公司", "乙公司", 1))) == 2


def test_what_is_merged_keeps_the_spans_and_pages_of_all():
    (one,) = merged_by_text([point(LONG), point(LONG + ".", "https://b.example/")])
    assert one == KeyPoint(LONG, (LONG, LONG + "."), ("https://a.example/", "https://b.example/"))


def ask(model, *written):
    return asyncio.run(unified([point(text) for text in written], case_of("x"), model))


def test_a_model_groups_what_says_the_same_in_other_words():
    model = Model(lambda *_: {"groups": [[3, 1], [2]]})
    found = ask(model, "Grids stored 3.5 GW.", "Prices rose.", "3.5 GW were held by grids.")
    assert [each.text for each in found.points] == ["Grids stored 3.5 GW.", "Prices rose."]
    assert (found.by_text, found.by_model) == (0, 1)
    assert found.points[0].spans == ("Grids stored 3.5 GW.", "3.5 GW were held by grids.")


def test_a_single_key_point_needs_no_question():
    model = Model()
    assert len(ask(model, LONG, LONG).points) == 1
    assert not model.asked


THREE = KeyPoints(language="en", points=("a", "b", "c"), count=3)


@pytest.mark.parametrize("groups", [[[1, 2]], [[1, 2], [2, 3]], [], [[1, 1, 2, 3]]])
def test_each_number_is_in_one_group_or_it_is_asked_again(groups):
    UNIFY_POINTS.check(THREE, Groups(groups=groups))
    assert "exactly one group" in UNIFY_POINTS.soft_check(THREE, Groups(groups=groups))


@pytest.mark.parametrize("groups", [[[1, 2, 3, 4]], [[0, 1, 2, 3]]])
def test_numbers_that_nobody_gave_are_refused(groups):
    with pytest.raises(OffMenu, match="1 to 3"):
        UNIFY_POINTS.check(THREE, Groups(groups=groups))


def test_after_that_groups_with_a_common_number_are_one_and_what_is_left_out_stands_alone():
    found = ask(Model(lambda *_: {"groups": [[1, 2], [2, 3]]}), "It rose.", "Up.", "More.", "Off.")
    assert [each.text for each in found.points] == ["It rose.", "Off."]


def test_what_cannot_be_unified_has_no_score():
    found = ask(Model(lambda *_: Cause.TIMEOUT), "It rose.", "It fell.")
    assert isinstance(found, Unscored) and found.cause is Cause.TIMEOUT


def test_many_key_points_take_linear_time():
    def different(count):
        more = " and more" * 9
        return [
            point(f"Grid operators of the region {n} stored energy{more}") for n in range(count)
        ]

    def alike(count):
        return [
            point("grid operators stored energy of kind " + "x" * (n % 90)) for n in range(count)
        ]

    assert len(merged_by_text(different(5000))) == 5000
    assert_linear(merged_by_text, different, 5000)
    assert_linear(merged_by_text, alike, 5000)
