"""What was asked of judges on trial: originals, changed copies, and what is expected of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.results.evidence import JudgeOutcome
from deepassay.score import Direction
from deepassay.text import canonical

Place = tuple[str, str, int]
"""Agent, task and sample of a report."""

Lines = tuple[tuple[int, int], ...]
"""First and last lines, from 1."""


@dataclass(frozen=True)
class ChangedSpot:
    """Where a small change stands: lines, and the statements that it is in."""

    lines: Lines = ()
    statements: frozenset[str] = frozenset()

    @classmethod
    def of(cls, report: Report, edits: Sequence[tuple[Span, str]]) -> ChangedSpot:
        """The lines of these spans, and the statements in them or with one as their address.

        edits: each span of the report, with the text that stands or stood there.
        """
        last = [max(span.start, span.end - 1) for span, _ in edits]
        lines = tuple(
            (report.lines.place(span.start)[0], report.lines.place(end)[0])
            for (span, _), end in zip(edits, last, strict=True)
        )
        urls = {canonical(text) for _, text in edits}
        touched = frozenset(
            each.text
            for each in report.statements
            if urls.intersection(each.urls)
            or any(
                each.span.start <= end and span.start < each.span.end
                for (span, _), end in zip(edits, last, strict=True)
            )
        )
        return cls(lines, touched)

    def is_touched(self, said: JudgeOutcome) -> bool:
        """Whether a fault that the judge found points there."""
        for item in said.evidence.items:
            if not said.evidence.lists_issues and (item.score is None or item.score > 0):
                continue
            if item.item in self.statements:
                return True
            lines = [place.line for place in item.places or ()]
            if any(first <= line <= last for line in lines for first, last in self.lines):
                return True
        return False


@dataclass(frozen=True)
class Copy:
    """A changed copy of a report, whose agent is named `AGENT+PERTURBATION`.

    of: the original. doublings: of its length; doublings_cleaned: of a padding, of its length
    without citations, which is what protocols read that clean. on_sources: whether it says
    something about cited pages. left: whether a change of citations is still there once a report is
    cleaned of them. Nothing is cleaned where no protocol does.
    before, after: where a small change stands in the original and in the copy.
    """

    of: Place
    perturbation: str
    doublings: float = 0.0
    doublings_cleaned: float = 0.0
    on_sources: bool = True
    left: bool = False
    before: ChangedSpot | None = None
    after: ChangedSpot | None = None

    @cached_property
    def place(self) -> Place:
        """The place of the copy among reports: agent with perturbation, task and sample."""
        agent, task, sample = self.of
        return f"{agent}+{self.perturbation}", task, sample


@dataclass(frozen=True)
class AuditDesign:
    """What was asked of judges.

    originals: judged 2 * repeat times, the second half for the noise. perturbations: in order, each
    with what who sees it has noticed. effects: of each protocol, by metric and perturbation, where
    `pad` stands for `pad-50`. swapped: of protocols that compare two reports, the name of the
    same with the other order. cleaning: protocols that take citations out of reports before anybody
    is asked; reading: that hold claims against pages. signed: of each judge, the perturbation with
    its own name. families: of agents; own: of judges.
    """

    originals: Sequence[Place]
    copies: Sequence[Copy]
    perturbations: Mapping[str, str]
    effects: Mapping[str, Mapping[str, Mapping[str, Direction]]]
    repeat: int = 1
    swapped: Mapping[str, str] = field(default_factory=dict)
    cleaning: frozenset[str] = frozenset()
    reading: frozenset[str] = frozenset()
    signed: Mapping[str, str] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, str] = field(default_factory=dict)
