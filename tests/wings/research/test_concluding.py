"""What agents return: a report, or a failure in the place of one."""

from __future__ import annotations

import pytest

from deepassay.agents import Stop
from deepassay.wings.research.concluding import answer_of_value, concluded, read_answer
from tests.growth import assert_linear, repeated

REPORT = "# Tides\n\nThe tide is high twice a day [1].\n\n## References\n\n[1] https://a.example/\n"

FAILURES = [
    ("", Stop.FAILED),
    (" \n", Stop.FAILED),
    ("Error generating final report: 429", Stop.FAILED),
    ("Token limit exceeded, please shorten", Stop.FAILED),
    ("Maximum retries exceeded", Stop.FAILED),
    ("No answer found after 2h30mins", Stop.FAILED),
    ("Sorry, the number of llm calls exceeds the limit.", Stop.FAILED),
    ("Agent stopped due to max iterations.", Stop.FAILED),
    ("生成报告时出错：请求超时", Stop.FAILED),
    ("没有找到答案。", Stop.FAILED),
    ("已超出最大重试次数", Stop.FAILED),
    ("已达到最大步数", Stop.FAILED),
    ("I'm sorry, but I can't help with that.", Stop.REFUSED),
    ("抱歉，我无法提供这方面的内容。", Stop.REFUSED),
    ("Before I begin: which country do you mean, and for which years?", Stop.ASKED_BACK),
    ("请问您指的是哪一年？", Stop.ASKED_BACK),
]


def test_the_standard_form_is_not_taken_where_another_word_would_change():
    cited = "# Tides\n\nHigh twice ([a](https://a.example/)).\n"
    assert "High twice [1].\n" in (concluded(cited, standard_form=True).report or "")
    open_code = f"{cited}\n```\nx"
    assert concluded(open_code, standard_form=True).report == open_code


@pytest.mark.parametrize(("text", "stop"), FAILURES)
def test_a_failure_is_never_a_report(text, stop):
    run = concluded(text)
    assert (run.report, run.stop, run.raw) == (None, stop, text)
    assert run.detail


@pytest.mark.parametrize(
    "text",
    [
        REPORT,
        REPORT + "\nWhat remains open?\n",
        "Error analysis of tide tables\n" + REPORT,
        "# Errors: a history\n\n" + REPORT,
        "No answer found in the literature settles this [1].\n" * 60,
    ],
)
def test_a_report_that_looks_like_one_stays(text):
    assert concluded(text).stop == Stop.DONE


def test_thinking_and_a_fence_go_and_are_noted():
    run = concluded(f"<think>Shall I?</think>\n```markdown\n{REPORT}```")
    assert run.report == REPORT
    assert run.steps == ("think", "fence")
    assert run.sources == ("https://a.example/",)


def test_addresses_of_a_sandbox_are_those_of_the_pages():
    text = REPORT.replace("https://a", "http://127.0.0.1:8791/w/https://a")
    run = concluded(text, addresses=[("http://127.0.0.1:8791/w/", "")])
    assert run.report == REPORT and run.steps == ("map",)


def test_a_report_that_was_cut_off_is_kept():
    run = concluded(REPORT, cut=True)
    assert (run.stop, run.report) == (Stop.TRUNCATED, REPORT)


def test_concluding_twice_changes_nothing():
    once = concluded(f"<think>Shall I?</think>{REPORT}").report
    assert concluded(once).report == once and concluded(once).steps == ()


def test_the_answer_of_a_value():
    assert answer_of_value(REPORT) == REPORT
    assert answer_of_value({"final_report": REPORT}).text == REPORT
    with pytest.raises(ValueError, match="no answer in a int"):
        answer_of_value(5)


def test_json_of_a_provider_is_read_and_other_json_is_text():
    chat = (
        '{"choices": [{"message": {"content": "Hello [1]"}}], "citations": ["https://a.example"]}'
    )
    assert read_answer(chat).sources[0].url == "https://a.example"
    assert read_answer('{"a": ') == '{"a": '


@pytest.mark.parametrize("piece", ["[", "![", "[1", "](", "<think>", "```\n", "? ", "error: "])
def test_what_an_agent_returns_is_read_in_linear_time(piece):
    assert_linear(concluded, repeated(piece), 30_000)
