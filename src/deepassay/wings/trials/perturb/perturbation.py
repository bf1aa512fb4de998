"""What a perturbation is, and what it did to a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from numpy.random import Generator

from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span


@dataclass(frozen=True)
class Perturbation:
    """A change of a report with a known effect on what a sound judge says of it.

    Which effect on which score, protocols say: see `protocols.effects`. name: words with hyphens.
    what: it does, in a sentence. edits: the change, from the report, the random numbers and the
    share: edits of the text that do not overlap; none where the report has nothing of the kind.
    needs: what a report must have for it. found: what a judge that sees it has noticed, as
    `negated claims`. share: of what it changes, or of the length of the report, unless another is
    asked for; None where there is nothing to share. of_sources: it makes cited claims false, so
    that it says something about pages only where it changed a statement that cites one.
    """

    name: str
    what: str
    edits: Callable[[Report, Generator, float], Iterable[Edit]]
    needs: str
    found: str
    share: float | None = None
    of_sources: bool = False


@dataclass(frozen=True)
class Change:
    """One edit that was made.

    span: what it replaced in the original; place: where what it put there stands in the
    result; line: where `span` begins in the original, from 1.
    """

    span: Span
    place: Span
    line: int
    removed: str
    inserted: str


@dataclass(frozen=True)
class Perturbed:
    """A changed report, under the same agent, task and sample, with what was changed.

    original: the report before. on_sources: whether it says something about cited pages: not
    where only claims without a source were made false.
    """

    report: Report
    original: Report = field(repr=False)
    perturbation: Perturbation
    changes: tuple[Change, ...]
    on_sources: bool = True


Found = TypeVar("Found")


def choose(groups: Sequence[Sequence[Found]], random: Generator) -> Found | None:
    """One of the first group that is not empty; None if all are."""
    for group in groups:
        if group:
            return group[int(random.integers(len(group)))]
    return None
