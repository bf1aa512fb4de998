"""Perturbations of sections and paragraphs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.claims import choose
from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.perturb.sections import (
    Section,
    empty_paragraphs,
    frames,
    gaps,
    line_end_of,
    paragraphs_below,
    sections,
)
from deepassay.reports.removal import blank_before
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span
from deepassay.text import HAN_CHARACTER


def _drop_section(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit, which removes a section at least as long as the middle one.

    A section that introduces or sums up is taken only where there is no other, because the
    rest of the report says the same at greater length. A rule above it goes too if there is
    another below.
    """
    del share
    found = sections(report)
    if len(found) < 2:
        return
    candidates = [each for each in found if not frames(report, each)] or list(found)
    candidates.sort(key=lambda each: each.length)
    longer = candidates[len(candidates) // 2 :]
    dropped = longer[random.integers(len(longer))]
    start = blank_before(report.text, _rule_above(report, dropped) or dropped.span.start)
    yield Edit(Span(start, dropped.span.end), "")


def _rule_above(report: Report, section: Section) -> int | None:
    """Where the rule above a section begins, if another follows it."""
    starts = [block.span.start for block in report.blocks]
    first = bisect_left(starts, section.span.start)
    after = bisect_left(starts, section.span.end)
    around = report.blocks[max(0, first - 1) : first] + report.blocks[after : after + 1]
    rules = [block.span.start for block in around if block.kind == "rule"]
    return rules[0] if len(rules) == 2 else None


DROP_SECTION = Perturbation(
    name="drop-section",
    what="Takes one section of the body away, a substantial one.",
    edits=_drop_section,
    needs="two sections",
    expected={
        "coverage": Direction.LOWER,
        "depth": Direction.LOWER,
        "race": Direction.LOWER,
    },
)


def _shuffle_sections(report: Report, random: Generator, share: float) -> Iterator[Edit]:
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


SHUFFLE_SECTIONS = Perturbation(
    name="shuffle-sections",
    what="Puts the sections of the body into another order.",
    edits=_shuffle_sections,
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


_WHOLE = re.compile(r"[.!?。！？](?:[^:：\r\n]{0,40}[^:：*_\s])?[*_\s]{0,8}\Z")
_SUBSTANTIAL = 200
_SHORTEST = 30


def _duplicate_paragraph(report: Report, random: Generator, share: float) -> Iterator[Edit]:
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


DUPLICATE_PARAGRAPH = Perturbation(
    name="duplicate-paragraph",
    what="Says one paragraph twice, the second time directly below.",
    edits=_duplicate_paragraph,
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


_CHINESE_FROM = 0.2


def _pad(report: Report, random: Generator, share: float) -> Iterator[Edit]:
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
    for number, paragraph in enumerate(empty_paragraphs(chinese, random)):
        if length >= share * len(report.text):
            break
        added.setdefault(order[number % len(order)], []).append(paragraph)
        length += len(paragraph)
    line_end = line_end_of(report)
    for end, below in added.items():
        yield paragraphs_below(end, below, line_end)


PAD = Perturbation(
    name="pad",
    what="Makes a report longer by sentences that say nothing, by a quarter of its length by "
    "default.",
    edits=_pad,
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
