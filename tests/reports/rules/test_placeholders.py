"""Placeholders are found in each of their forms: what is looked for first leaves none out."""

import pytest

from deepassay.reports.rules.leftovers import placeholders
from deepassay.reports.spans import Span

FORMS = (
    *("TBD", "TBA", "TBC", "TODO", "FIXME", "Lorem ipsum", "[to be filled by Ana]"),
    *("（to be provided）", "[insert a name]", "[add figures]", "[fill in dates]", "[your name]"),
    *("[placeholder]", "【citation needed】", "[source needed]", "[the sources go here]"),
    *("待补充", "待完善", "此处填写", "此处插入", "Information not provided", "Data is not found"),
    *("Price not available", "Values are not supplied", "PRICE UNAVAILABLE", "no data provided"),
    *("No source found", "no information available", "No details supplied", "To be determined"),
    *("to be filled in", "Price pending", "CONFIRMATION PENDING", "暂无数据", "未提供"),
    *("待定", "数据缺失", "信息未提供", "数据不可用", "未找到相关资料"),
    # Signs that case does not tell apart from i, k and s, though their small letters are others.
    *("no ſource found", "Data İs not avaılable", "Values not ſupplıed", "Price pendıng"),
)


@pytest.mark.parametrize("text", FORMS)
def test_every_form_is_found(text):
    before, after = "Price: ", "."
    whole = before + text + after
    found = [span.of(whole) for span in placeholders(whole, Span(0, len(whole)))]
    assert found == [text]


@pytest.mark.parametrize("text", FORMS)
def test_none_is_found_beyond_the_stretch(text):
    assert [*placeholders(f"Price: {text}.", Span(0, 7))] == []
