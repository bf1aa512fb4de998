"""Makes one sentence say the contrary."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.claims import choose, cited_first
from deepassay.reports.perturb.negation import negated
from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit


def edits(report: Report, random: Generator, share: float) -> Iterator[Edit]:
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


PERTURBATION = Perturbation(
    name="negate-sentence",
    edits=edits,
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
