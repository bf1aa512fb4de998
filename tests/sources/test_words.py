"""Ideas are found in sentences of eight languages."""

from __future__ import annotations

import pytest

from deepassay.sources.words import says, unquoted
from tests.growth import assert_linear

MISSING = (
    "This page does not exist.",
    "该页面不存在",
    "Diese Seite gibt es nicht mehr.",
    "Cette page n’existe plus.",
    "Esta pagina ya no existe.",
    "このページは存在しません",
    "Такой страницы нет",
    "هذه الصفحة غير موجودة",
)


@pytest.mark.parametrize("sentence", MISSING)
def test_a_thing_and_that_it_is_absent_are_told_in_eight_languages(sentence: str) -> None:
    assert says(sentence, "this", "thing", "absent")


@pytest.mark.parametrize(
    ("text", "ideas", "found"),
    [
        ("Página no encontrada", ("thing", "absent"), True),
        ("Pagina no encontrada", ("thing", "absent"), True),  # without its accent
        ("Page missing", ("thing", "absent"), True),
        ("Message missing", ("thing",), False),  # words begin where a word begins
        ("Rounds toward plus infinity, only for members", ("pay", "rest"), True),
        ("Toward plus infinity", ("pay",), True),  # an idea of German
        ("Toward plus infinity; weiterlesen", ("pay", "rest"), True),
        ("Toward plus infinity; read the full text", ("pay", "rest"), False),  # of two languages
    ],
)
def test_ideas_meet_in_one_language(text: str, ideas: tuple[str, ...], found: bool) -> None:
    assert says(text, *ideas) == found


@pytest.mark.parametrize("piece", ["not ", "confirm ", "access ", "نتحقق ", "アクセス", "n'"])
def test_hostile_sentences_cost_linear_time(piece: str) -> None:
    ideas = ("absent", "human", "denied", "rest", "home")
    assert_linear(
        lambda text: [says(text, idea) for idea in ideas],
        lambda size: piece * (size // len(piece)),
        size=4_000,
    )


@pytest.mark.parametrize(
    "text",
    [
        "It says “page not found” here",
        "It says «не найдена» here",
        "It says 「ない」 here",
        'It says "x" here',
    ],
)
def test_what_is_quoted_is_not_said(text: str) -> None:
    assert unquoted(text).split() == ["It", "says", "here"]


@pytest.mark.parametrize("mark", '«“「『"')
def test_open_quotes_cost_linear_time(mark: str) -> None:
    assert_linear(unquoted, lambda size: mark * size, size=50_000)
    assert_linear(unquoted, lambda size: (mark + "x") * (size // 2), size=50_000)
