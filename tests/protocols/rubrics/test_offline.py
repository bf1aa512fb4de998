import pytest

from deepassay.protocols.rubrics.offline import said_by_rule
from tests.growth import assert_linear, processor_time, repeated

REPORT = """# Quiet ferries

The ferry Alma makes 61 decibels at ten metres, says a survey of 2024 [1].

Quiet hours apply at night. Fares are not available.
"""
BERICHT = """# 渡轮噪声

渡轮阿尔玛号在十米处的噪声为61分贝。夜间实行静音时段，从晚上十点开始。
"""


@pytest.mark.parametrize(
    ("criterion", "verdict"),
    [
        ("States the decibels of a ferry at ten metres", "Satisfied"),
        ("States when quiet hours apply (e.g., on Sundays, before exams, in spring)", "Satisfied"),
        ("Compares quiet hours with rules for aircraft", "Partially Satisfied"),
        ("Discusses fares", "Not Satisfied"),
        ("Names the owner of the harbour", "Not Satisfied"),
        ("Fails to mention quiet hours", "Not Satisfied"),
        ("Does not mention the price of tickets", "Satisfied"),
        ("Gives an incorrect number of decibels", "Not Satisfied"),
        ("Contains irrelevant remarks", "Not Satisfied"),
    ],
)
def test_english_criteria(criterion, verdict):
    assert said_by_rule(REPORT, criterion).verdict == verdict


@pytest.mark.parametrize(
    ("criterion", "verdict"),
    [
        ("说明渡轮在十米处的噪声", "Satisfied"),
        ("指出夜间静音时段", "Satisfied"),
        ("比较各港口的票价", "Not Satisfied"),
        ("没有提到静音时段", "Not Satisfied"),
        ("遗漏了票价", "Satisfied"),
        ("虚构了渡轮的名称", "Not Satisfied"),
    ],
)
def test_chinese_criteria(criterion, verdict):
    assert said_by_rule(BERICHT, criterion).verdict == verdict


def test_what_speaks_for_a_verdict_is_quoted():
    said = said_by_rule(REPORT, "States the decibels of a ferry at ten metres")
    (quote,) = said.quotes
    assert "61 decibels" in quote
    assert quote in REPORT


def test_a_long_report_is_read_once_for_all_its_criteria():
    def judge(number):
        said_by_rule(REPORT * 200, f"States that number {number} of the ferries is quiet at night")

    said_by_rule(REPORT, "Names a ferry")
    first, *later = (processor_time(lambda number=number: judge(number)) for number in range(6))
    assert min(later) < first / 4


@pytest.mark.parametrize("piece", ["(e.g. ", "fails ", "does not ", "（例如"])
def test_hostile_criteria_take_linear_time(piece):
    assert_linear(lambda text: said_by_rule(REPORT, text), repeated(piece))
