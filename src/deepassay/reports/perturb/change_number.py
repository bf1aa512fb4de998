"""Changes one figure of a claim to a clearly different one."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.claims import choose, cited_first
from deepassay.reports.perturb.figures import changed, figures
from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit


def edits(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit, in a statement that cites a source if any such has a figure."""
    del share
    found = [
        [figure for each in group for figure in figures(report.text, each)]
        for group in cited_first(report.statements)
    ]
    figure = choose(found, random)
    if figure is not None:
        yield changed(report.text, figure, random)


PERTURBATION = Perturbation(
    name="change-number",
    edits=edits,
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
