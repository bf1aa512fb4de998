"""Puts the sections of the body into another order."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.perturb.sections import frames, sections
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit


def edits(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit for each section that comes to stand in the place of another.

    What stands before the first section, a first section that introduces or sums up, and the
    reference list stay where they are; so do the blank lines and rules between the sections.
    """
    del share
    movable = list(sections(report))
    if movable and frames(report, movable[0]):
        del movable[0]
    if len(movable) < 2:
        return
    order = random.permutation(len(movable))
    while (order == range(len(movable))).all():
        order = random.permutation(len(movable))
    for section, source in zip(movable, order, strict=True):
        yield Edit(section.span, movable[source].span.of(report.text))


PERTURBATION = Perturbation(
    name="shuffle-sections",
    edits=edits,
    needs="two sections besides an introduction",
    expected={
        "consistency": Direction.SAME,
        "citation_association": Direction.SAME,
        "citation_accuracy": Direction.SAME,
        "coverage": Direction.SAME,
        "fact": Direction.SAME,
        "presentation": Direction.NOT_HIGHER,
        "race": Direction.NOT_HIGHER,
    },
)
