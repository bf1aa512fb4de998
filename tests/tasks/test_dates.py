import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.tasks.task import long_date, resolve_dates, resolve_dates_as_released

DAY = date(2026, 1, 5)


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("as of {{date}}", "as of January 5, 2026"),
        ("as of {{current_date}}", "as of January 5, 2026"),
        ("from {{last_year}} to {{current_year}}", "from 2025 to 2026"),
        ("{{ date }} and {{Current_Year}}", "January 5, 2026 and 2026"),
        ("{{{date}}}", "{January 5, 2026}"),
        ("{date} {{ data }} {{tomorrow}}", "{date} {{ data }} {{tomorrow}}"),
    ],
)
def test_open_dates_are_filled_in_and_nothing_else_is_touched(text, resolved):
    assert resolve_dates(text, DAY) == resolved


def test_a_chinese_text_gets_a_chinese_date():
    assert resolve_dates("截至{{date}}", DAY, "zh") == "截至2026年1月5日"
    assert long_date(date(2026, 12, 31)) == "December 31, 2026"


def test_the_released_program_knows_three_exact_spellings_and_pads_the_day():
    text = "{{date}}, {{current_date}}, {{ date }}, {{Date}}, {{last_year}}"
    resolved = resolve_dates_as_released(text, DAY)
    assert resolved == "January 05, 2026, {{current_date}}, {{ date }}, {{Date}}, 2025"


def test_golden_placeholders_agree_with_edition_code(shared):
    vectors = json.loads((shared / "golden/live/misc.json").read_text())["placeholders"]
    live = [each for each in vectors if each["use_realtime"] and each["text"] is not None]
    assert (len(vectors), len(live)) == (14, 6)
    for each in live:
        day = date.fromisoformat(each["now"])
        assert resolve_dates_as_released(each["text"], day) == each["official"]
    # Without open dates the program changes nothing, and no text stays none.
    assert all(each in live or each["official"] == each["text"] for each in vectors)


@settings(deadline=None, max_examples=40)
@given(st.text(alphabet="{} dateDATEcurnylsx_\t", max_size=80), st.dates())
def test_a_resolved_text_holds_no_open_date(text, day):
    once = resolve_dates(text + "{{date}}" + text, day)
    assert "{{date}}" not in once


def test_a_megabyte_of_braces_is_read_in_linear_time():
    assert resolve_dates("{{ " * 350_000, DAY).startswith("{{ {{")
