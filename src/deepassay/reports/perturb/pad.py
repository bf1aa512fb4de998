"""Makes a report longer by sentences that say nothing, by a quarter of its length by default."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.filler import paragraphs
from deepassay.reports.perturb.paragraphs import gaps, line_end_of, paragraphs_below
from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit
from deepassay.text import HAN_CHARACTER

_CHINESE_FROM = 0.2


def edits(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit for each place above a heading, or at the end of the body, that gets paragraphs.

    Places get one paragraph after another, in random order, until the report is longer by
    `share` of its length.
    """
    places = gaps(report)
    if not places:
        return
    order = [places[index] for index in random.permutation(len(places))]
    chinese = len(HAN_CHARACTER.findall(report.text)) > _CHINESE_FROM * len(report.text)
    added: dict[int, list[str]] = {}
    length = 0
    for number, paragraph in enumerate(paragraphs(chinese, random)):
        if length >= share * len(report.text):
            break
        added.setdefault(order[number % len(order)], []).append(paragraph)
        length += len(paragraph)
    line_end = line_end_of(report)
    for end, below in added.items():
        yield paragraphs_below(end, below, line_end)


PERTURBATION = Perturbation(
    name="pad",
    edits=edits,
    needs="a text in its body",
    expected={
        "consistency": Direction.SAME,
        "citation_association": Direction.SAME,
        "citation_accuracy": Direction.SAME,
        "coverage": Direction.SAME,
        "fact": Direction.SAME,
        "depth": Direction.NOT_HIGHER,
        "presentation": Direction.NOT_HIGHER,
        "race": Direction.NOT_HIGHER,
    },
    share=0.25,
)
