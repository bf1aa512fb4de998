"""Perturbations of claims."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.claims import (
    changed,
    choose,
    cited_first,
    figures,
    negated,
    whole_sentences,
)
from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.perturb.sections import (
    line_end_of,
    paragraphs_below,
    sections,
    takes_a_paragraph_below,
)
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span, apply
from deepassay.reports.statements import Statement


def _change_number(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit, in a statement that cites a source if any such has a figure."""
    del share
    found = [
        [figure for each in group for figure in figures(report.text, each)]
        for group in cited_first(report.statements)
    ]
    figure = choose(found, random)
    if figure is not None:
        yield changed(report.text, figure, random)


CHANGE_NUMBER = Perturbation(
    name="change-number",
    what="Changes one figure of a claim to a clearly different one.",
    edits=_change_number,
    needs="a figure that measures or counts something",
    expected={
        "citation_accuracy": Direction.LOWER,
        "fact": Direction.LOWER,
        "consistency": Direction.NOT_HIGHER,
        "citation_association": Direction.SAME,
        "coverage": Direction.SAME,
        "presentation": Direction.SAME,
    },
    of_sources=True,
)


def _negate_sentence(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit, in a sentence that cites a source if there is one whose verb rules can see."""
    del share
    sentences = [each for each in report.statements if each.kind == "sentence"]
    found = [
        [edit for each in group if (edit := negated(report.text, each)) is not None]
        for group in cited_first(sentences)
    ]
    edit = choose(found, random)
    if edit is not None:
        yield edit


NEGATE_SENTENCE = Perturbation(
    name="negate-sentence",
    what="Makes one sentence say the contrary.",
    edits=_negate_sentence,
    needs="a sentence with a verb that rules can negate",
    expected={
        "citation_accuracy": Direction.LOWER,
        "fact": Direction.LOWER,
        "consistency": Direction.NOT_HIGHER,
        "citation_association": Direction.SAME,
        "coverage": Direction.SAME,
        "presentation": Direction.SAME,
    },
    of_sources=True,
)


def _plant_contradiction(report: Report, random: Generator, share: float) -> Iterator[Edit]:
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
    start, end = sentence.span
    shifted = Edit(Span(edit.span.start - start, edit.span.end - start), edit.text)
    return apply(report.text[start:end], [shifted])


PLANT_CONTRADICTION = Perturbation(
    name="plant-contradiction",
    what="Says a sentence again in another section, with another figure or negated.",
    edits=_plant_contradiction,
    needs="two sections, and a sentence with a figure or with a verb that rules can negate",
    expected={
        "consistency": Direction.LOWER,
        "citation_association": Direction.SAME,
        "coverage": Direction.SAME,
        "depth": Direction.NOT_HIGHER,
        "race": Direction.NOT_HIGHER,
    },
)
