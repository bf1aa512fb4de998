"""Takes one section of the body away, a substantial one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from numpy.random import Generator

from deepassay.reports.perturb.perturbation import Direction, Perturbation
from deepassay.reports.perturb.sections import Section, frames, sections
from deepassay.reports.removal import blank_before
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span


def edits(report: Report, random: Generator, share: float) -> Iterator[Edit]:
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


PERTURBATION = Perturbation(
    name="drop-section",
    edits=edits,
    needs="two sections",
    expected={
        "coverage": Direction.LOWER,
        "depth": Direction.LOWER,
        "race": Direction.LOWER,
    },
)
