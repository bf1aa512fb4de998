r"""Changes to reports with a known expected direction, for audits of judges.

    perturb(report, name, random, share=None) -> Perturbed | None

`name` is a key of PERTURBATIONS, `random` a numpy.random.Generator; None means that the report
has nothing of the kind to change. `Perturbed.report` is the changed report with the agent, task
and sample of the original, `.changes` what was changed where, `.expected` which way the score
of each protocol should move. `random_for(seed, report, name)` gives random numbers that depend
on nothing else, so that one report is changed alike whatever is changed besides it:

    >>> from deepassay.reports.report import Report
    >>> report = Report("# Tea\n\nTea is a drink [1].\n\n## Sources\n[1] https://a.example\n")
    >>> done = perturb(report, "delete-citations", random_for(1, report, "delete-citations"))
    >>> done.report.text
    '# Tea\n\nTea is a drink.\n\n## Sources\n[1] https://a.example\n'
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import accumulate

import numpy as np
from numpy.random import Generator

from deepassay.errors import BadSetting
from deepassay.reports.perturb.citations import DELETE_CITATIONS, SWAP_CITATIONS
from deepassay.reports.perturb.claims import (
    CHANGE_NUMBER,
    NEGATE_SENTENCE,
    PLANT_CONTRADICTION,
)
from deepassay.reports.perturb.perturbation import Change, Direction, Perturbation, Perturbed
from deepassay.reports.perturb.sections import (
    DROP_SECTION,
    DUPLICATE_PARAGRAPH,
    PAD,
    SHUFFLE_SECTIONS,
)
from deepassay.reports.report import Report
from deepassay.reports.spans import Span, apply
from deepassay.score import digest

__all__ = [
    "PERTURBATIONS",
    "Change",
    "Direction",
    "Perturbation",
    "Perturbed",
    "as_text",
    "find",
    "perturb",
    "random_for",
]

PERTURBATIONS: Mapping[str, Perturbation] = {
    each.name: each
    for each in (
        DROP_SECTION,
        DELETE_CITATIONS,
        SWAP_CITATIONS,
        CHANGE_NUMBER,
        NEGATE_SENTENCE,
        PLANT_CONTRADICTION,
        SHUFFLE_SECTIONS,
        DUPLICATE_PARAGRAPH,
        PAD,
    )
}
"""Every perturbation by its name."""

OF_SOURCES = frozenset({"citation_accuracy", "fact"})
"""Protocols that hold cited claims against their pages."""


def perturb(
    report: Report, name: str, random: Generator, share: float | None = None
) -> Perturbed | None:
    """The report after the perturbation; None if there is nothing of the kind to change.

    share: above 0 and at most 1, where the perturbation takes one. Every character outside
    `Perturbed.changes` is that of the original. Raises BadSetting for a name or a share that
    is none.
    """
    perturbation = find(name, share)
    asked = share if share is not None else perturbation.share
    edits = [
        edit
        for edit in sorted(perturbation.edits(report, random, 1.0 if asked is None else asked))
        if edit.span.of(report.text) != edit.text
    ]
    if not edits:
        return None
    changes: list[Change] = []
    shift = 0
    for span, inserted in edits:
        place = Span(span.start + shift, span.start + shift + len(inserted))
        line = report.lines.place(span.start)[0]
        changes.append(Change(span, place, line, span.of(report.text), inserted))
        shift = place.end - span.end
    changed = replace(report, text=apply(report.text, edits))
    return Perturbed(
        changed, report, perturbation, tuple(changes), _expected(report, perturbation, changes)
    )


def find(name: str, share: float | None = None) -> Perturbation:
    """A perturbation by its name. Raises BadSetting for a name or a share that is none."""
    perturbation = PERTURBATIONS.get(name)
    if perturbation is None:
        known = ", ".join(PERTURBATIONS)
        raise BadSetting(f"There is no perturbation {name!r}.", f"These exist: {known}.")
    if share is not None and perturbation.share is None:
        with_share = [each.name for each in PERTURBATIONS.values() if each.share is not None]
        raise BadSetting(f"{name} takes no share.", f"These do: {', '.join(with_share)}.")
    if share is not None and not 0 < share <= 1:
        raise BadSetting(f"There is no share {share:g}.", "A share is above 0 and at most 1.")
    return perturbation


def _expected(
    report: Report, perturbation: Perturbation, changes: list[Change]
) -> Mapping[str, Direction]:
    """The directions that hold: none about sources where no claim with a source was changed."""
    if not perturbation.of_sources:
        return perturbation.expected
    cited = [each.span for each in report.statements if each.urls]
    if _any_inside([change.span for change in changes], cited):
        return perturbation.expected
    return {
        protocol: direction
        for protocol, direction in perturbation.expected.items()
        if protocol not in OF_SOURCES
    }


def _any_inside(inner: Iterable[Span], outer: Iterable[Span]) -> bool:
    """Whether one of `inner` lies wholly inside one of `outer`; in time n log n of their number."""
    ordered = sorted(outer)
    starts = [span.start for span in ordered]
    reach = list(accumulate((span.end for span in ordered), max))
    before = ((bisect_right(starts, span.start), span.end) for span in inner)
    return any(at > 0 and reach[at - 1] >= end for at, end in before)


def random_for(seed: int, report: Report, name: str) -> Generator:
    """Random numbers for one perturbation of one report; the seed is not negative."""
    return np.random.default_rng([seed, int(digest(f"{name}\n{report.digest}")[:16], 16)])


def as_text() -> str:
    """All perturbations: what each does, what it needs, and where the scores should go."""
    lines = []
    for each in PERTURBATIONS.values():
        share = "" if each.share is None else f" Share: {each.share:g}, unless --share."
        lines += [
            each.name,
            f"  {each.what}",
            f"  Needs {each.needs}.{share}",
            *(
                f"  {direction}: {', '.join(protocols)}"
                for direction, protocols in _grouped(each).items()
            ),
            "",
        ]
    return "\n".join(lines).rstrip("\n")


def _grouped(perturbation: Perturbation) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for protocol, direction in perturbation.expected.items():
        found.setdefault(direction.value, []).append(protocol)
    return found
