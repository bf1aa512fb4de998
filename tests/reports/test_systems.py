"""Reports as the systems of today write them: every address is found, and none beside."""

from collections import Counter

import pytest

from deepassay.reports.clean import clean
from deepassay.reports.report import Report
from tests.reports.systems import found, samples

SAMPLES = [pytest.param(each, id=f"{each.system}: {each.title}") for each in samples()]
SYSTEMS = {
    *("claude", "copilot", "doubao", "gemini", "gpt-researcher", "grok"),
    *("kimi", "onyx", "openai", "open-deep-research", "perplexity"),
}


def test_every_system_has_a_sample_in_english_and_in_chinese():
    titles = Counter((each.system, each.title) for each in samples())
    assert {system for system, _ in titles} == SYSTEMS
    assert all(titles[system, title] for system in SYSTEMS for title in ("English", "中文"))


@pytest.mark.parametrize("sample", SAMPLES)
def test_statements_lead_to_the_addresses_that_a_reader_sees(sample):
    said = [(each.text, each.urls) for each in Report(sample.text).statements]
    assert said[: len(sample.expected)] == list(sample.expected)


@pytest.mark.parametrize("sample", SAMPLES)
def test_no_address_is_false_and_fewer_than_one_in_fifty_is_missed(sample):
    right = found(sample.text) & sample.pairs
    assert not found(sample.text) - sample.pairs
    assert right.total() >= 0.98 * sample.pairs.total()


@pytest.mark.parametrize("sample", SAMPLES)
def test_cleaning_leaves_the_words_and_no_marker(sample):
    left = clean(sample.text)
    assert not any(mark in left for mark in ("](", "http://a", "([", "[)", "()", "【1", "†"))
    said = [each.text for each in Report(left).statements]
    brief = {text for text, _ in sample.expected if "|" in text}
    assert said == [text for text, _ in sample.expected] or brief
