"""Takes citations out of the text, half of the places by default; the reference list stays."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.removal import removals
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span


def edits(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit for each place that loses its citations, all that stand side by side at once.

    Markers that adjoin go together: without one of two, a claim would still be cited. Words of
    links stay, addresses that stand in a sentence as words of it go.
    """
    citations = [
        each if each.label else each._replace(in_sentence=False) for each in report.citations
    ]
    places = list(removals(report.text, citations))
    count = max(1, round(share * len(places)))
    chosen = random.permutation(len(places))[:count]
    at = 0
    for index in sorted(chosen):
        span, words = places[index]
        if span.end > at:  # brackets around two places may be claimed by both
            yield Edit(Span(max(at, span.start), span.end), words)
            at = span.end


PERTURBATION = Perturbation(
    name="delete-citations",
    edits=edits,
    needs="a citation in the text",
    expected={
        "citation_association": Direction.LOWER,
        "consistency": Direction.SAME,
        "coverage": Direction.SAME,
        "race": Direction.SAME,
        "depth": Direction.NOT_HIGHER,
    },
    share=0.5,
)
