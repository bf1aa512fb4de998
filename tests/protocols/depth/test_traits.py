"""The offline rule: what it counts, and that neither length nor filler wins."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.depth.arithmetic import winner_of
from deepassay.protocols.depth.marks import DIMENSIONS
from deepassay.protocols.depth.traits import Traits, marks_beside, traits_of
from deepassay.protocols.depth.wordings import WAYS
from deepassay.reports.perturb import perturb, random_for
from deepassay.reports.report import Report
from tests.growth import assert_linear, repeated

QUERY = "How do electric ferries change the noise in the ferry harbour?"
PLAIN = "The ferry harbour has electric ferries on line {n}."
REASONED = (
    "Noise in the ferry harbour falls on line {n} because electric ferries have no exhaust, "
    "which means that neighbours of the ferry sleep; however, charging noise on line {n} limits it."
)
CHINESE = (
    "电动渡轮使渡轮码头第{n}线的噪声下降，因为电动渡轮没有排气，"
    "这意味着渡轮码头居民受益；然而渡轮充电仍有局限。"
)
FILLER = [
    "It is worth noting that many aspects deserve careful attention because they matter.",
    "Overall, this suggests that the future will bring change, although much remains uncertain.",
    "There are many factors to consider, and each of them plays a role in the wider picture.",
    "However, every situation is different, and outcomes depend on a range of circumstances.",
    "As such, it is important to keep an open mind and to weigh all options with due care.",
]


def report(sentence, count, start=0):
    return "# Ferries\n\n" + "\n\n".join(sentence.format(n=n) for n in range(start, start + count))


def winner(one, other, query=QUERY):
    a, b = traits_of(one, query), traits_of(other, query)
    return winner_of([sum(marks_beside(a, b).values())], [sum(marks_beside(b, a).values())])


def test_a_statement_that_reasons_counts_once_for_each_way_in_which_it_does():
    traits = traits_of(report(REASONED, 8), QUERY)
    assert traits[:4] == (8, 8, 8, 8)
    assert traits.density > 0.9
    assert traits_of(report(PLAIN, 8), QUERY) == Traits(0, 0, 0, 0, 0.0)


def test_chinese_reasoning_is_seen_too():
    traits = traits_of(report(CHINESE, 8), "电动渡轮怎样改变渡轮码头的噪声？")
    assert traits[:4] == (8, 8, 8, 8)


@pytest.mark.parametrize(("more", "less"), [(REASONED, PLAIN), (CHINESE, PLAIN)])
def test_reasons_win_over_plain_facts(more, less):
    query = QUERY + "渡轮码头噪声"
    assert winner(report(more, 8), report(less, 8), query) == "own"


def test_more_of_the_same_reasoning_wins():
    assert winner(report(REASONED, 10), report(REASONED, 7)) == "own"


def test_three_times_the_length_without_a_reason_does_not_win():
    whole = report(REASONED, 8)
    assert winner(whole + "\n\n" + report(PLAIN, 60), whole) != "own"


def test_repeating_what_was_said_does_not_win():
    whole = report(REASONED, 8)
    assert winner(f"{whole}\n\n{whole}", whole) == "tie"


def test_filler_does_not_win_though_it_is_full_of_connectives():
    whole = report(REASONED, 8)
    padded = whole + "\n\n" + "\n\n".join(FILLER)
    assert winner(padded, whole) != "own"


def test_equal_reports_get_equal_marks():
    traits = traits_of(report(REASONED, 8), QUERY)
    assert marks_beside(traits, traits) == marks_beside(traits, traits)
    assert winner(report(REASONED, 8), report(REASONED, 8)) == "tie"


@pytest.mark.parametrize("text", ["", "   ", "# Only a title", "\ud800 because \udfff", "]" * 50])
def test_odd_reports_have_traits_too(text):
    assert traits_of(text, "") == Traits(0, 0, 0, 0, 0.0)


AMOUNTS = st.builds(
    Traits, *[st.integers(0, 400)] * 4, st.floats(0, 1, allow_nan=False, allow_subnormal=False)
)


@settings(deadline=None, max_examples=300)
@given(AMOUNTS, AMOUNTS)
def test_marks_are_whole_and_on_the_scale_and_never_higher_for_less(own, other):
    mine, theirs = marks_beside(own, other), marks_beside(other, own)
    assert list(mine) == list(DIMENSIONS)
    for name in DIMENSIONS:
        assert type(mine[name]) is int
        assert 0 <= mine[name] <= 5
        if getattr(own, name) <= getattr(other, name):
            assert mine[name] <= theirs[name]


@pytest.mark.parametrize("piece", ["because however ", "by a", "second-", "incentiv", "数", "a\n"])
def test_anything_is_searched_in_linear_time(piece):
    def search(text):
        for ways in WAYS.values():
            for way in ways:
                for _ in way.finditer(text):
                    pass

    assert_linear(search, repeated(piece))


@pytest.fixture(scope="module")
def real(shared):
    """Forty published reports."""
    paths = sorted((shared / "data/live/reports").glob("*.md"))
    return [Report(path.read_text("utf-8")) for path in paths]


def ends_against(report, name):
    """How a report fares against itself changed; its title stands for the request."""
    changed = perturb(report, name, random_for(1, report, name)).report.text
    return winner(report.text, changed, report.text.split("\n", 1)[0])


def test_real_reports_go_deeper_than_themselves_without_a_section(real):
    ends = Counter(ends_against(report, "drop-section") for report in real)
    assert ends["own"] >= 0.9 * len(real) == 36
    assert ends["baseline"] == 0


def test_no_real_report_goes_deeper_when_it_is_padded(real):
    ends = Counter(ends_against(report, "pad") for report in real)
    assert ends["baseline"] == 0
