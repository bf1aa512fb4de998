"""Says one paragraph twice, the second time directly below."""

from __future__ import annotations

import re
from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.claims import choose
from deepassay.reports.perturb.paragraphs import line_end_of
from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span

_WHOLE = re.compile(r"[.!?。！？](?:[^:：\r\n]{0,40}[^:：*_\s])?[*_\s]{0,8}\Z")
_SUBSTANTIAL = 200
_SHORTEST = 30


def edits(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit; of a long paragraph if there is one, else of a shorter one, else of a list item.

    What ends with a colon announces something below and is left alone.
    """
    del share
    blocks = [
        block
        for block in report.body
        if block.kind == "paragraph"
        and block.span.end - block.span.start >= _SHORTEST
        and _WHOLE.search(report.text, max(block.span.start, block.span.end - 60), block.span.end)
    ]
    paragraphs = [block for block in blocks if not block.depth]
    long = [each for each in paragraphs if each.span.end - each.span.start >= _SUBSTANTIAL]
    chosen = choose([long, paragraphs, blocks], random)
    if chosen is not None:
        gap = line_end_of(report) * (1 if chosen.depth else 2)
        place = Span(chosen.span.end, chosen.span.end)
        yield Edit(place, gap + chosen.span.of(report.text))


PERTURBATION = Perturbation(
    name="duplicate-paragraph",
    edits=edits,
    needs="a paragraph, or an item of a list, of 30 characters",
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
)
