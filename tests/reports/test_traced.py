"""A rewritten text says of each of its characters where it stood: held against the text itself."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from deepassay.reports.numbering import standard
from deepassay.reports.spans import Edit, Span, apply
from deepassay.reports.traced import TracedText
from tests.reports.published import published

TEXTS = st.text("abc[]1 。风\n", max_size=60)


@st.composite
def rewritten(draw: st.DrawFn) -> tuple[str, TracedText]:
    """A source, and what several rounds of edits made of it."""
    source = draw(TEXTS)
    traced = TracedText.of(source)
    for _ in range(draw(st.integers(1, 3))):
        bounds = st.integers(0, len(traced.text))
        spans = st.tuples(bounds, bounds).map(lambda each: Span(*sorted(each)))
        edits = draw(st.lists(st.builds(Edit, spans, st.text("xyz▇", max_size=4)), max_size=4))
        before, traced = traced, traced.edited(edits)
        assert traced.text == apply(before.text, edits)
    return source, traced


def check_runs(source: str, traced: TracedText) -> None:
    """What is said to be kept is the same in both, and stands in the same order."""
    at = there = 0
    for run in traced.runs:
        assert run.size and run.at >= at and run.source >= there
        at, there = run.at + run.size, run.source + run.size
        assert traced.text[run.at : at] == source[run.source : there]
    assert at <= len(traced.text) and there <= len(source) == traced.length


@given(rewritten())
def test_what_is_kept_is_the_same_in_both(made: tuple[str, TracedText]) -> None:
    check_runs(*made)


@given(rewritten(), st.data())
def test_a_span_holds_the_source_of_all_that_it_shows(
    made: tuple[str, TracedText], data: st.DataObject
) -> None:
    """Every kept character of a span is within its place in the source, and none besides."""
    source, traced = made
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(traced.text))] * 2)))
    if start == end:
        return
    found = traced.source_span(start, end)
    assert 0 <= found.start <= found.end <= len(source)
    to = {run.at + n: run.source + n for run in traced.runs for n in range(run.size)}
    shown = [to[at] for at in range(start, end) if at in to]
    assert all(found.start <= at < found.end for at in shown)
    if shown and start in to and end - 1 in to:
        assert (found.start, found.end) == (shown[0], shown[-1] + 1)
    others = {at for place, at in to.items() if not start <= place < end}
    assert not others & set(range(*found))
    again = traced.span_of(*found)
    assert all(again.start <= at < again.end for at in range(start, end) if at in to)
    assert traced.source_span(*again) == found or again.start == again.end


def test_a_name_that_was_masked_is_the_name() -> None:
    source = "Report of nightjar on rain"
    traced = TracedText.of(source).edited([Edit(Span(10, 18), "▇▇▇")])
    assert traced.source_span(11, 12).of(source) == "nightjar"
    assert traced.span_of(12, 14).of(traced.text) == "▇▇▇"


def test_what_was_added_has_no_extent_in_the_source_and_is_found_again() -> None:
    traced = TracedText.of("Rain fell.").edited([Edit(Span(9, 9), " [1]")])
    assert traced.source_span(10, 13) == (9, 9)
    assert traced.span_of(9, 9).of(traced.text) == " [1]"


def test_what_was_added_at_an_end_of_the_text_is_found_again() -> None:
    traced = TracedText.of("Rain").edited([Edit(Span(0, 0), "# Head\n"), Edit(Span(4, 4), " [1]")])
    assert traced.source_span(0, 3) == (0, 0) and traced.source_span(12, 15) == (4, 4)
    assert traced.span_of(0, 0) == (0, 7) and traced.span_of(4, 4) == (11, 15)


def test_published_reports_in_standard_form_are_traced(shared: Path) -> None:
    """Most of each report is kept as it was, whoever wrote it."""
    kept = []
    for _, text in islice(published(shared), None, None, 12):
        traced = standard(text).traced
        check_runs(text, traced)
        kept.append(sum(run.size for run in traced.runs) / max(1, len(text)))
    assert len(kept) > 20 and sum(kept) / len(kept) > 0.8


@given(rewritten(), st.integers(1, 50))
def test_an_end_beyond_a_text_is_its_end(made: tuple[str, TracedText], more: int) -> None:
    source, traced = made
    assert traced.span_of(0, len(source) + more).end == len(traced.text)
    assert traced.source_span(0, len(traced.text) + more).end == len(source)
