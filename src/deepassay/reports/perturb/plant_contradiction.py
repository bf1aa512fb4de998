"""Says a sentence again in another section, with another figure or negated."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.claims import choose, cited_first, whole_sentences
from deepassay.reports.perturb.figures import changed, figures
from deepassay.reports.perturb.negation import negated
from deepassay.reports.perturb.paragraphs import (
    line_end_of,
    paragraphs_below,
    takes_a_paragraph_below,
)
from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.perturb.sections import sections
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span, apply
from deepassay.reports.statements import Statement


def edits(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit, which puts the copy as a paragraph at the end of a section that is another.

    The copy keeps its citations, so that it is as well supported as the original.
    """
    del share
    found = sections(report)
    if len(found) < 2:
        return
    groups = cited_first(whole_sentences(report))
    deniable = [[each for each in group if _can_change(report, each)] for group in groups]
    sentence = choose(deniable, random)
    if sentence is None:
        return
    own = bisect_right([each.span.start for each in found], sentence.span.start) - 1
    places = [
        each.span.end
        for index, each in enumerate(found)
        if index != own and takes_a_paragraph_below(each.blocks[-1])
    ]
    edit = _falsified(report, sentence, random)
    if places and edit is not None:
        end = places[random.integers(len(places))]
        yield paragraphs_below(end, [_copy(report, sentence, edit)], line_end_of(report))


def _can_change(report: Report, sentence: Statement) -> bool:
    return bool(figures(report.text, sentence)) or negated(report.text, sentence) is not None


def _falsified(report: Report, sentence: Statement, random: Generator) -> Edit | None:
    """The edit of one figure, or of the verb if there is none."""
    numbers = figures(report.text, sentence)
    if numbers:
        return changed(report.text, numbers[random.integers(len(numbers))], random)
    return negated(report.text, sentence)


def _copy(report: Report, sentence: Statement, edit: Edit) -> str:
    """The sentence as written but for the edit."""
    start, end = sentence.span
    shifted = Edit(Span(edit.span.start - start, edit.span.end - start), edit.text)
    return apply(report.text[start:end], [shifted])


PERTURBATION = Perturbation(
    name="plant-contradiction",
    edits=edits,
    needs="two sections, and a sentence with a figure or with a verb that rules can negate",
    expected={
        "consistency": Direction.LOWER,
        "citation_association": Direction.SAME,
        "coverage": Direction.SAME,
        "depth": Direction.NOT_HIGHER,
        "race": Direction.NOT_HIGHER,
    },
)
