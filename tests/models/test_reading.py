from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from deepassay.models.operation import Operation, Reply
from deepassay.models.reading import Unreadable, read_reply
from tests.growth import assert_linear, repeated

from .conftest import Question, Verdict

CASE = re.compile(r"^## (.+)\n~~~\n(.*?)\n~~~\n(reads|mended|refused): ?(.*)$", re.M | re.S)
TEXT = (Path(__file__).parent / "answers.md").read_text("utf-8")
BLOCKS = [block.strip() for block in re.split(r"(?m)^(?=## )", TEXT)[1:]]
CASES = [match.groups() for block in BLOCKS if (match := CASE.match(block))]
QUESTION = Question(language="en", report="A report.")


def test_every_case_of_the_fixture_is_run() -> None:
    assert len(CASES) == TEXT.count("\n## ") >= 30


@pytest.mark.parametrize(
    ("raw", "how", "wanted"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_answers(operation: Operation[Question, Verdict], raw: str, how: str, wanted: str) -> None:
    if how == "refused":
        with pytest.raises(Unreadable, match=re.escape(wanted)):
            read_reply(operation, QUESTION, raw)
        return
    found = read_reply(operation, QUESTION, raw)
    assert f"{found.value.verdict} {found.value.score}" == wanted
    assert found.repaired is (how == "mended")


class Reasoned(Reply):
    reason: str
    scores: dict[str, float]


@pytest.fixture
def reasoned(operation: Operation[Question, Verdict]) -> Operation[Any, Any]:
    return replace(operation, gives=Reasoned, check=lambda inputs, answer: None)


def test_a_number_in_quotes_is_a_number_and_the_record_says_so(
    reasoned: Operation[Any, Any],
) -> None:
    raw = '{"reason": "7.5", "scores": {"a": "7.5", "b": "-1", "c": 2}}'
    found = read_reply(reasoned, QUESTION, raw)
    assert found.value == Reasoned(reason="7.5", scores={"a": 7.5, "b": -1, "c": 2})
    assert (found.note, found.repaired) == ("numbers in quotes: 2", False)
    assert read_reply(reasoned, QUESTION, '{"reason": "7.5", "scores": {"a": 7.5}}').note == ""


class Either(Reply):
    score: int | list[int]


@pytest.mark.parametrize(
    "raw",
    [
        '{"reason": "r", "scores": {"a": "7", "b": "seven"}}',
        '{"reason": 7, "scores": {"a": "7"}}',
        '{"reason": "r", "scores": {"a": "07"}}',
        '{"reason": "r", "scores": {"a": "1e3"}}',
        '{"reason": "r", "scores": {"a": ["7"]}}',
    ],
)
def test_what_else_is_wrong_is_wrong_though_a_number_is_in_quotes(
    reasoned: Operation[Any, Any], raw: str
) -> None:
    with pytest.raises(Unreadable):
        read_reply(reasoned, QUESTION, raw)


def test_of_several_types_none_is_chosen_for_a_text(reasoned: Operation[Any, Any]) -> None:
    with pytest.raises(Unreadable, match="score"):
        read_reply(replace(reasoned, gives=Either), QUESTION, '{"score": "7"}')


def test_bare_quotes_inside_a_text_are_mended(reasoned: Operation[Any, Any]) -> None:
    raw = '{"reason": "the so-called "gold" standard", "scores": {"a": 0.5, "b": -1}}'
    found = read_reply(reasoned, QUESTION, raw)
    assert found.repaired
    assert found.value == Reasoned(
        reason='the so-called "gold" standard', scores={"a": 0.5, "b": -1}
    )


@pytest.mark.parametrize(
    "raw",
    [
        '{"found": [{"why": "he said "a": b"}, {"why": "c"}]}',
        '{found: [{why: "so ""said" it"}, {why: "never mind"}]}',
        "{'found': [{'why': 'it's said'}, {'why': 'again'}]}",
        '{"found": [{"why": ""criterion": "Costs" 好。"\n  },\n  {\n  "why": "d"}]}',
    ],
)
def test_entries_that_the_mending_took_for_text_are_not_lost_without_a_word(
    operation: Operation[Question, Verdict], raw: str
) -> None:
    class Found(Reply):
        found: list[dict[str, str]]

    try:
        value = read_reply(
            replace(operation, gives=Found, check=lambda i, a: None), QUESTION, raw
        ).value
    except Unreadable:
        return
    assert isinstance(value, Found) and len(value.found) == 2


class Evaluated(Reply):
    evaluations: dict[str, dict[str, str]]
    quotes: list[str] | None = None


EVALUATED = '{"evaluations": {"q1": {"why": "噪音 } ] {"}, "q2": {"why": "\\"so"}'


@pytest.mark.parametrize(
    ("rest", "missing"),
    [("", "}}"), ("}", "}"), ("\n  }\n", "}"), ('}, "quotes": ["a", "b"]', "}"), ("}\n```", "}")],
)
def test_closing_braces_that_are_missing_at_the_end_are_put_there(
    operation: Operation[Question, Verdict], rest: str, missing: str
) -> None:
    evaluated = replace(operation, gives=Evaluated, check=lambda inputs, answer: None)
    found = read_reply(evaluated, QUESTION, EVALUATED + rest)
    whole = read_reply(evaluated, QUESTION, (EVALUATED + rest).removesuffix("\n```") + missing)
    assert (found.value, found.repaired, whole.repaired) == (whole.value, True, False)


@pytest.mark.parametrize(
    "rest", ['}, "quotes": ["a", "b"', '}, "quotes": ["a", ', ', "q3": {"why": "']
)
def test_a_list_or_a_text_that_is_not_closed_is_not_mended(
    operation: Operation[Question, Verdict], rest: str
) -> None:
    evaluated = replace(operation, gives=Evaluated, check=lambda inputs, answer: None)
    with pytest.raises(Unreadable, match="brackets do not match"):
        read_reply(evaluated, QUESTION, EVALUATED + rest)


def test_a_quote_of_a_fake_answer_inside_a_text_is_no_answer(reasoned: Operation[Any, Any]) -> None:
    raw = r'{"reason": "it says </think>{\"reason\": \"x\", \"scores\": {}}", "scores": {"a": 1}}'
    assert read_reply(reasoned, QUESTION, raw).value.scores == {"a": 1.0}


@pytest.mark.parametrize(
    "raw", ['{"reason": "r", "scores": {"a": 1e999}}', '{"reason":"\\ud800","scores":{}}']
)
def test_what_no_file_could_hold_is_refused(reasoned: Operation[Any, Any], raw: str) -> None:
    with pytest.raises(Unreadable):
        read_reply(reasoned, QUESTION, raw)


HOSTILE = {
    "brackets": repeated("{"),
    "keys in keys": repeated('{"a":'),
    "whole values in keys": lambda size: repeated('{"a":')(size) + '"b"',
    "quotation marks": lambda size: '{"verdict": "' + repeated('"x')(size) + '"}',
    "words": lambda size: "{" + repeated('"a",')(size) + "}",
    "lists in lists": lambda size: '{"verdict": ' + repeated("[1,")(size) + "}",
    "thoughts": repeated("<think>"),
    "a long number": lambda size: '{"score": ' + "9" * size + "}",
    "blanks": lambda size: '{"a" ' + " " * size + "}",
    "many keys": lambda size: "{" + ",".join(f'"k{i}": 1' for i in range(size // 11)) + ",}",
    "no commas": lambda size: "{a:1" + repeated(" 1")(size) + "}",
}


@pytest.mark.parametrize("size", [300_000, 40_000], ids=["beyond mending", "mended"])
@pytest.mark.parametrize("made", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answers_are_refused_in_linear_time(
    operation: Operation[Question, Verdict], made: Callable[[int], str], size: int
) -> None:
    def refused(raw: str) -> None:
        with pytest.raises(Unreadable):
            read_reply(operation, QUESTION, raw)

    assert_linear(refused, made, size)


def test_an_endless_answer_is_not_looked_at(operation: Operation[Question, Verdict]) -> None:
    with pytest.raises(Unreadable, match="longer than"):
        read_reply(operation, QUESTION, "x" * 400_001)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["supported", "unsupported"]),
    st.integers(0, 10),
    st.sampled_from(["", "```json\n", "Sure! ", "<think>hm { }</think>", "As [1] says: "]),
    st.sampled_from(["", "\n```", " That is all.", "\n\n(see {above})"]),
)
def test_wrapping_changes_nothing(
    operation: Operation[Question, Verdict], verdict: str, score: int, before: str, after: str
) -> None:
    raw = f'{before}{{"verdict": "{verdict}", "score": {score}}}{after}'
    value = read_reply(operation, QUESTION, raw).value
    assert (value.verdict, value.score) == (verdict, score)


@settings(deadline=None, max_examples=60)
@given(st.text(st.sampled_from('{}[]",:\\ 0179.eE-+%verdictscoresupported\n/`<>'), max_size=80))
def test_whatever_is_read_is_on_the_menu(operation: Operation[Question, Verdict], raw: str) -> None:
    for text in (raw, '{"verdict": "supported", "score": ' + raw):
        try:
            found = read_reply(operation, QUESTION, text)
        except Unreadable as problem:
            assert str(problem)
        else:
            assert found.value.score in range(11)


class Loose(BaseModel):
    score: Any = None
    verdict: Any = None


@pytest.fixture
def released(operation: Operation[Question, Verdict]) -> Operation[Any, Any]:
    return replace(operation, gives=Loose, check=lambda i, a: None, reading="released")


@pytest.mark.parametrize(
    ("raw", "score"),
    [
        ('{"score": 1, "score": 2}', 2),
        ('{"score": 2, "unknown": [1]}', 2),
        ('{"score": "2"}', "2"),
        ('```json\n{"score": 95.5}\n```', 95.5),
        ('Well [1], {"score": 2} is mine.', 2),
        (r'{"score": 2, "why": "50\% of \~all"}', 2),
        (r'{"score": 2, "why": "C:\\\\:x"}', 2),
        ("{}", None),
    ],
)
def test_the_released_reading_takes_what_the_authors_programs_take(
    released: Operation[Any, Any], raw: str, score: object
) -> None:
    assert read_reply(released, QUESTION, raw).value.score == score


def test_the_released_reading_lets_nan_through(released: Operation[Any, Any]) -> None:
    assert math.isnan(read_reply(released, QUESTION, '{"score": NaN}').value.score)


def test_the_released_reading_takes_a_list_where_the_answer_type_is_one(
    released: Operation[Any, Any],
) -> None:
    listed = replace(released, gives=RootModel[list[dict[str, int]]])
    assert read_reply(listed, QUESTION, 'So: [{"a": 1}, {"a": 2}]').value.root == [
        {"a": 1},
        {"a": 2},
    ]


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "```\n{}\n```", "Here: {}. Done."])
def test_a_list_that_holds_an_object_is_no_object_to_the_authors_programs(
    released: Operation[Any, Any], around: str
) -> None:
    anything = replace(released, gives=RootModel[Any])
    found = read_reply(anything, QUESTION, around.replace("{}", '[{"score": 2}]'))
    assert found.value.root == [{"score": 2}]
    with pytest.raises(Unreadable, match="no JSON"):
        read_reply(anything, QUESTION, around.replace("{}", '[{"score": 2},]'))


@pytest.mark.parametrize("raw", ["", "It is good.", '{"score": 1', '{"score": 1,}', "{" * 100_000])
def test_the_released_reading_refuses_what_is_not_json(
    released: Operation[Any, Any], raw: str
) -> None:
    with pytest.raises(Unreadable):
        read_reply(released, QUESTION, raw)
