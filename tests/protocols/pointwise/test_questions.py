import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.pointwise.issues import (
    FIND_INCONSISTENCIES,
    FIND_UNSOURCED_CLAIMS,
    MOST_ISSUES,
    contradictions_by_rule,
    uncited_by_rule,
)
from tests.growth import assert_linear, repeated

LIST = "\n\n## References\n\n[1] Survey. https://example.org/a\n"


def test_sentences_that_differ_in_their_numbers_alone_contradict_each_other():
    text = "The ferry makes 61 decibels. It left.\n\nThe ferry makes 72 decibels!"
    (issue,) = contradictions_by_rule(text).issues
    assert (issue.kind, issue.quote, issue.other_quote) == (
        "contradiction",
        "The ferry makes 61 decibels.",
        "The ferry makes 72 decibels!",
    )


@pytest.mark.parametrize(
    "other",
    [
        "The ferry makes 61 decibels.",
        "The train makes 72 decibels.",
        "The ferry never makes 72 decibels.",
        "| The ferry makes 72 decibels. | x |\n|---|---|\n| The ferry makes 72 decibels. | y |",
    ],
)
def test_other_words_the_same_numbers_and_cells_contradict_nothing(other):
    assert contradictions_by_rule(f"The ferry makes 61 decibels.\n\n{other}").issues == []


def test_short_lines_with_numbers_are_data_and_no_contradiction():
    assert contradictions_by_rule("Line 1.\n\nLine 2.\n\nLine 3.").issues == []


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("The ferry makes 61 decibels daily [1].", []),
        ("The ferry makes 61 decibels daily. It left [1].", []),
        ("The ferry makes 61 decibels daily.", ["The ferry makes 61 decibels daily."]),
        ("The ferry makes much noise daily.", []),
        ("It was 61.", []),
        ("渡轮每天发出61分贝的噪声。", ["渡轮每天发出61分贝的噪声。"]),
        (
            "- Cited ferry noise reached 61 decibels [1].\n- Other ferry noise hit 72 decibels.",
            ["Other ferry noise hit 72 decibels."],
        ),
        ("| Boat | dB |\n|---|---|\n| The old ferry from Kiel | 61 |\n| New | 7 [1] |", []),
    ],
)
def test_a_passage_with_a_number_and_no_citation_is_an_issue(text, quotes):
    found = [each.quote.removeprefix("- ") for each in uncited_by_rule(text + LIST).issues]
    assert found == quotes


def test_no_more_issues_are_listed_than_count():
    text = "\n\n".join(f"Ferry number {n} makes noise daily." for n in range(MOST_ISSUES + 9))
    assert len(uncited_by_rule(text).issues) == MOST_ISSUES
    assert len(contradictions_by_rule(text).issues) == MOST_ISSUES


@settings(deadline=None, max_examples=30)
@given(st.text(alphabet="ab the7[1]() \n#|-。，.中船\ud800<", max_size=160))
def test_whatever_is_found_stands_in_the_report(text):
    inputs = ReportAndQuery(language="en", report=text, query="q")
    for question in (FIND_INCONSISTENCIES, FIND_UNSOURCED_CLAIMS):
        question.check(inputs, question.offline(inputs))


@pytest.mark.parametrize("rule", [contradictions_by_rule, uncited_by_rule])
@pytest.mark.parametrize("piece", ["A ferry makes 7 loud noises. ", "|7|\n", "7\n\n"])
def test_a_long_report_takes_linear_time(rule, piece):
    assert_linear(lambda text: rule(text).issues is not None, repeated(piece), 20_000)
