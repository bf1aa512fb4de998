import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.recall import (
    NUMBER,
    PASSAGE,
    best_passage,
    tokens,
    verdicts_by_recall,
    wanted,
)
from deepassay.reports.report import Report
from tests.growth import assert_linear, repeated

FILLER = "The council met again on Tuesday and adjourned without a vote. " * 60


def met(report, item):
    return verdicts_by_recall(Report(report), {"q1": item}).evaluations["q1"].score == 1


@pytest.mark.parametrize(
    ("report", "item"),
    [
        ("Installed, the heat pump costs 9,400 per house.", "Is the cost of a heat pump given?"),
        (
            "Noise reaches 38 decibels at the window.",
            "Is noise at the window measured in decibels?",
        ),
        ("每台电梯造价为52万元，政府补贴20万元。", "是否给出每台电梯的造价和政府补贴？"),
    ],
)
def test_an_item_whose_words_stand_together_is_delivered(report, item):
    assert met(report, item)


@pytest.mark.parametrize(
    ("report", "item"),
    [
        ("Heat pumps are costly to install in a house.", "Is the cost of a heat pump given?"),
        (
            "The cost of a heat pump is not provided, as of 2026.",
            "Is the cost of a heat pump given?",
        ),
        ("Cost of the heat pump: TBD (2026).", "Is the cost of a heat pump given?"),
        (
            "The cost of a heat pump can be obtained from 3 dealers.",
            "Is the cost of a heat pump given?",
        ),
        ("We will compare the cost of heat pumps in 2026.", "Is the cost of a heat pump given?"),
        ("电梯造价和政府补贴暂无数据（2026）。", "是否给出电梯的造价和政府补贴？"),
        ("可以通过查阅2026年公告了解电梯造价和政府补贴。", "是否给出电梯的造价和政府补贴？"),
        ("", "Is the cost of a heat pump given?"),
        ("Anything at all, 5 times.", "???"),
    ],
)
def test_gaps_methods_and_missing_figures_deliver_nothing(report, item):
    assert not met(report, item)


def test_words_scattered_over_a_report_are_not_a_passage():
    scattered = f"Heat is lost. {FILLER} Pumps are loud. {FILLER} Ground loops cost 9."
    assert not met(scattered, "Is a heat pump with a ground loop described?")
    assert met(
        "A heat pump with a ground loop is best.", "Is a heat pump with a ground loop described?"
    )


def test_endings_are_forgiven_and_empty_words_left_out():
    assert [token.word for token in tokens("The costs of insulating houses")] == [
        "cost",
        "insula",
        "hous",
    ]
    assert set(wanted("Is the cost of insulation stated?")) == {"cost", "insula", NUMBER}


def test_the_verdict_says_where_it_looked_and_what_is_absent():
    report = "# Title\n\nNothing here.\n\nA heat pump hums."
    verdict = verdicts_by_recall(Report(report), {"q1": "Is the heat pump warranty explained?"})
    reason = verdict.evaluations["q1"].justification
    assert "2 of 3 words" in reason
    assert "absent: warranty" in reason


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.sampled_from(["heat", "pump", "loop", "the", "zinc", "7"]), max_size=400),
    st.sets(st.sampled_from(["heat", "pump", "loop", "zinc"]), min_size=1),
)
def test_the_best_passage_is_the_best_of_all_windows(words, needed):
    report = list(tokens(" ".join(words)))
    windows = [report[i : i + PASSAGE] for i in range(max(1, len(report)))]
    best = max(len({token.word for token in window} & needed) for window in windows)
    assert len(best_passage(report, needed).held) == best


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=80), st.text(max_size=40))
def test_any_text_gets_a_verdict(report, item):
    assert verdicts_by_recall(Report(report), {"q1": item}).evaluations["q1"].score in (0, 1)


def test_wanted_words_are_found_in_linear_time():
    words = wanted("Is the cost of the heat pump given?")

    def find(report):
        assert len(best_passage(report, words).held) == 3

    assert_linear(find, lambda size: list(tokens(repeated("heat 7 pump ")(size))))
