import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.usage import estimate_tokens
from deepassay.protocols.citation_accuracy.protocol import (
    JUDGE_RELEVANCE,
    OPENING,
    PageAndTask,
    by_shared_words,
    first_tokens_of,
    page_and_task,
)
from deepassay.sources.page import Page

TASK = "How have vaccine prices and vaccination rates in European hospitals changed since 2021?"
VACCINES = (
    "Vaccination in hospitals, 2021 to 2025. Hospitals in twelve European countries reported what "
    "they paid for each dose, and how many nurses and doctors were vaccinated in every season. "
    "The rates fell in nine countries."
)
PHONES = (
    "The new telephone has a brighter screen, two cameras and a battery that lasts for a day and "
    "a half. We compared it with last year's model in bright sun, in the rain and on the train, "
    "and looked at its charger."
)


def about(opening, title="", query=TASK, language="en"):
    return PageAndTask(language=language, title=title, opening=opening, query=query)


def test_its_prompts_fit():
    JUDGE_RELEVANCE.verify()


def test_the_rule_tells_a_page_on_the_subject_from_one_on_something_else():
    assert by_shared_words(about(VACCINES)).on_topic
    assert not by_shared_words(about(PHONES)).on_topic


def test_words_in_the_title_count_double():
    lines = PHONES + " Prices vary."
    assert not by_shared_words(about(lines)).on_topic
    assert by_shared_words(about(lines, "European prices")).on_topic
    assert by_shared_words(about(f"European prices\n\n{lines}")).on_topic  # its first line


def test_the_rule_reads_chinese():
    task = "比较欧洲各国医院的疫苗价格与接种率"
    page = "2021年以来，欧洲十二个国家的医院报告了每剂疫苗的价格，以及护士和医生的接种率变化情况。"
    phone = "这款新手机屏幕更亮，配有两个摄像头，电池可以用一天半。我们在阳光下和雨中做了测试。"
    assert by_shared_words(about(page, query=task, language="zh")).on_topic
    assert not by_shared_words(about(phone, query=task, language="zh")).on_topic


@pytest.mark.parametrize(
    ("opening", "query"),
    [
        ("Please enable cookies.", TASK),
        ("", TASK),
        (PHONES, "比较欧洲各国医院的疫苗价格与接种率"),
        ("https://phones.example/new-model-with-bright-screen-and-camera lorem ipsum " * 5, TASK),
    ],
)
def test_where_the_rule_cannot_tell_the_page_passes(opening, query):
    assert by_shared_words(about(opening, query=query)).on_topic


def test_the_question_is_the_same_for_every_report_of_a_task():
    page = Page("https://a.example/", VACCINES * 100, "Vaccines", fetched="2026-01-01")
    again = Page("https://a.example/", VACCINES * 100, "Vaccines", fetched="2026-02-02")
    assert page_and_task(page, TASK, "en") == page_and_task(again, TASK, "en")


@pytest.mark.parametrize("text", [VACCINES * 50, "欧洲医院的疫苗价格。" * 500, "x" * 10_000])
def test_the_opening_has_a_few_hundred_tokens_in_every_script(text):
    opening = first_tokens_of(text)
    assert text.startswith(opening)
    assert OPENING / 2 < estimate_tokens(opening) <= OPENING


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=3000))
def test_the_opening_of_any_text_is_a_beginning_of_it(text):
    opening = first_tokens_of(text)
    assert text.startswith(opening)
    assert estimate_tokens(opening) <= OPENING
    assert len(opening) == len(text) or opening
