from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deepassay.wings.research.deerflow.budget import Amount, Ledger, ResearchLimits, Short, to_write

COUNTED = ("calls", "tokens", "pages", "searches", "cost")


def at_once() -> float:
    return 0.0


def ledger(**limits: object) -> Ledger:
    return Ledger(ResearchLimits(**limits), at_once)


budgets = st.builds(
    ResearchLimits,
    calls=st.integers(1, 40),
    tokens=st.integers(1, 100_000),
    pages=st.integers(1, 20),
    searches=st.integers(1, 20),
    cost=st.none() | st.decimals("0.01", 9, places=4),
    research_share=st.floats(0.05, 0.95),
)
amounts = st.builds(
    Amount,
    calls=st.integers(0, 3),
    tokens=st.integers(0, 30_000),
    pages=st.integers(0, 3),
    searches=st.integers(0, 3),
    cost=st.decimals(0, 1, places=6),
)
steps = st.lists(
    st.tuples(st.sampled_from(["research", "writing"]), amounts, st.floats(0, 1) | st.none()),
    max_size=40,
)


def part_of(most: Amount, share: float | None) -> Amount:
    """What a step took of the most that it might; nobody knows what if there is no share."""
    if share is None:
        return Amount(most.calls, None, None, None, None)
    counts = [int(getattr(most, what) * share) for what in COUNTED[:-1]]
    return Amount(*counts, most.cost * Decimal(str(share)))


@given(budgets, amounts, steps)
def test_no_limit_is_passed_whatever_is_reserved_and_settled(budget, aside, plan):
    """One step is always left open, so that reserving comes before settling the one before."""
    book, open_step = Ledger(budget, at_once), None
    book.set_aside(aside)
    for phase, most, share in plan:
        before = {what: book.left(what, phase) for what in COUNTED}
        short = book.reserve(most, phase)
        if short is not None:
            assert short.needed > short.left == before[short.what]
            assert before == {what: book.left(what, phase) for what in COUNTED}
            continue
        for what, was in before.items():
            assert was is None or book.left(what, phase) == was - getattr(most, what)
        if open_step is not None:
            book.settle(*open_step)
        open_step = most, part_of(most, share)
    if open_step is not None:
        book.settle(*open_step)
    for what in COUNTED:
        assert getattr(budget, what) is None or getattr(book.spent, what) <= getattr(budget, what)


@given(budgets, amounts, st.lists(amounts, max_size=40))
def test_research_leaves_what_writing_was_promised(budget, aside, plan):
    book = Ledger(budget, at_once)
    book.set_aside(aside)
    for most in plan:
        book.reserve(most, "research")
    share = Decimal(str(budget.research_share))
    for what in ("calls", "tokens", "cost"):
        if (whole := getattr(budget, what)) is not None:
            promised = max((1 - share) * whole, min(getattr(aside, what), share * whole))
            assert book.left(what, "writing") >= promised


def test_research_keeps_a_share_however_much_writing_may_take():
    book = ledger(tokens=10_000)
    book.set_aside(to_write([50_000] * 5))
    assert book.left("tokens", "research") == 3_500
    book.set_aside(Amount(tokens=5_000))
    assert book.left("tokens", "research") == 5_000
    book.set_aside(Amount())
    assert book.left("tokens", "research") == 6_500


def test_pages_and_searches_are_for_research_alone_and_the_rest_is_shared():
    book = ledger(calls=7, tokens=1_001, pages=7, searches=9, cost=Decimal("0.1"))
    research = [book.left(what, "research") for what in COUNTED]
    assert research == [4, 650, 7, 9, Decimal("0.065")]
    assert [book.left(what, "writing") for what in COUNTED] == [7, 1_001, 7, 9, Decimal("0.1")]


def test_an_outline_is_held_against_what_is_left_to_write_it():
    book = ledger(tokens=40_000)
    assert book.reserve(Amount(calls=1, tokens=20_000), "research") is None
    assert book.short(to_write([2_000, 3_000]), "writing") is None
    sections = to_write([2_000, 3_000, 4_000])
    assert sections == Amount(calls=3, tokens=27_000)
    assert str(book.short(sections, "writing")) == (
        "tokens: 27,000 needed, 20,000 left for writing"
    )


def test_of_what_nobody_knows_all_that_was_held_counts():
    book = ledger(cost=Decimal(1))
    most = Amount(calls=1, tokens=5_000, cost=Decimal("0.25"))
    assert book.reserve(most, "research") is None
    book.settle(most, Amount(calls=2, tokens=None, cost=None))
    assert book.spent == Amount(calls=2, tokens=5_000, cost=Decimal("0.25"))


def test_a_cost_without_a_price_fits_no_limit_and_is_not_taken_for_nothing():
    unknown = Amount(calls=1, cost=None)
    assert ledger(cost=Decimal(1)).reserve(unknown, "writing") == Short(
        "cost", None, Decimal(1), "writing"
    )
    book = ledger()
    assert book.reserve(unknown, "writing") is None
    book.settle(unknown, unknown)
    assert book.spent.cost is None


def test_what_a_step_took_beyond_its_reservation_counts():
    book = ledger(calls=2)
    assert book.reserve(Amount(calls=1), "writing") is None
    book.settle(Amount(calls=1), Amount(calls=3))
    assert book.left("calls", "writing") == 0
    assert str(book.reserve(Amount(calls=1), "writing")) == "calls: 1 needed, 0 left for writing"
    assert book.reserve(Amount(), "writing") is None


def test_money_is_counted_exactly():
    book = ledger(cost=Decimal("0.3"))
    for _ in range(3):
        assert book.reserve(Amount(cost=Decimal("0.1")), "writing") is None
    assert book.left("cost", "writing") == 0


@pytest.mark.parametrize(
    ("phase", "seconds", "left", "told"),
    [
        ("research", 0.0, 65.0, "None"),
        ("research", 65.0, 0.0, "the time for research is up"),
        ("writing", 65.0, 35.0, "None"),
        ("writing", 100.5, 0.0, "the time for writing is up"),
    ],
)
def test_time_comes_from_the_clock(phase, seconds, left, told):
    book = Ledger(ResearchLimits(seconds=100.0), lambda: seconds)
    assert book.seconds_left(phase) == left
    assert str(book.reserve(Amount(calls=1), phase)) == told


@pytest.mark.parametrize(
    "limits",
    [
        {"calls": 0},
        {"seconds": float("inf")},
        {"cost": -1},
        {"research_share": 1.0},
        {"pages": 2.5},
        {"page": 2},
    ],
)
def test_limits_that_leave_nothing_to_do_are_refused(limits):
    with pytest.raises(ValidationError):
        ResearchLimits(**limits)
