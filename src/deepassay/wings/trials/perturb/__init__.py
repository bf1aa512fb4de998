r"""Changes to reports with a known expected direction, for audits of judges.

    perturb(report, name, random, share=None) -> Perturbed | None

`name` is a key of PERTURBATIONS, `random` a numpy.random.Generator; None means that the report
has nothing of the kind to change. `Perturbed.report` is the changed report with the agent, task
and sample of the original, `.changes` what was changed where. `random_for(seed, report, name)`
gives random numbers that depend on nothing else, so that one report is changed alike whatever is
changed besides it:

    >>> from deepassay.reports.report import Report
    >>> report = Report("# Tea\n\nTea is a drink [1].\n\n## Sources\n[1] https://a.example\n")
    >>> done = perturb(report, "delete-citations", random_for(1, report, "delete-citations"))
    >>> done.report.text
    '# Tea\n\nTea is a drink.\n\n## Sources\n[1] https://a.example\n'
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np
from numpy.random import Generator

from deepassay.errors import BadSetting
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span, apply
from deepassay.score import Direction, digest
from deepassay.wings.trials.perturb.citations import DELETE_CITATIONS, SWAP_CITATIONS
from deepassay.wings.trials.perturb.claims import (
    CHANGE_NUMBER,
    NEGATE_SENTENCE,
    PLANT_CONTRADICTION,
)
from deepassay.wings.trials.perturb.marks import ADDRESS_JUDGE, BREAK_NUMBER, DEAD_URL, STRIP_STYLE
from deepassay.wings.trials.perturb.perturbation import Change, Perturbation, Perturbed
from deepassay.wings.trials.perturb.sections import (
    DROP_SECTION,
    DUPLICATE_PARAGRAPH,
    PAD,
    SHUFFLE_SECTIONS,
)

__all__ = [
    "PERTURBATIONS",
    "Change",
    "Expected",
    "Perturbation",
    "Perturbed",
    "as_text",
    "changed_by",
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
        DEAD_URL,
        BREAK_NUMBER,
        STRIP_STYLE,
        ADDRESS_JUDGE,
    )
}
"""Every perturbation by its name."""

Expected = Mapping[str, Mapping[str, Direction]]
"""By perturbation and protocol, which way the score should move: see `protocols.effects`."""


def perturb(
    report: Report, name: str, random: Generator, share: float | None = None
) -> Perturbed | None:
    """The report after the perturbation; None if there is nothing of the kind to change.

    share: above 0 and at most 1, where the perturbation takes one. Every character outside
    `Perturbed.changes` is that of the original. Raises BadSetting for a name or a share that
    is none.
    """
    return changed_by(find(name, share), report, random, share)


def changed_by(
    perturbation: Perturbation, report: Report, random: Generator, share: float | None = None
) -> Perturbed | None:
    """The report after a perturbation, which PERTURBATIONS need not have; None for no change."""
    asked = share if share is not None else perturbation.share
    made = sorted(perturbation.edits(report, random, 1.0 if asked is None else asked))
    edits = _joined(edit for edit in made if edit.span.of(report.text) != edit.text)
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
    on_sources = _is_on_sources(report, perturbation, changes)
    return Perturbed(changed, report, perturbation, tuple(changes), on_sources)


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


def _joined(edits: Iterable[Edit]) -> list[Edit]:
    """Neighbours that only take away as one: apart, both would have been at one place."""
    joined: list[Edit] = []
    for edit in edits:
        last = joined[-1] if joined else None
        if last and last.span.end == edit.span.start and not (last.text or edit.text):
            joined[-1] = Edit(Span(last.span.start, edit.span.end), "")
        else:
            joined.append(edit)
    return joined


def _is_on_sources(report: Report, perturbation: Perturbation, changes: Sequence[Change]) -> bool:
    """Not where it makes cited claims false and no claim with a source was changed."""
    cited = (
        [each.span for each in report.statements if each.urls] if perturbation.of_sources else []
    )
    return not perturbation.of_sources or _any_inside([each.span for each in changes], cited)


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


def as_text(expected: Expected) -> str:
    """All perturbations: what each does, what it needs, and where the scores should go."""
    lines = []
    for each in PERTURBATIONS.values():
        share = "" if each.share is None else f" Share: {each.share:g}, unless --share."
        grouped: dict[str, list[str]] = {}
        for protocol, direction in expected.get(each.name, {}).items():
            grouped.setdefault(direction.value, []).append(protocol)
        lines += [
            each.name,
            f"  {each.what}",
            f"  Needs {each.needs}.{share}",
            *(f"  {direction}: {', '.join(protocols)}" for direction, protocols in grouped.items()),
            "",
        ]
    return "\n".join(lines).rstrip("\n")
