"""As many independent judges as a panel counts for, going by how far its members say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from deepassay.results.evidence import OutcomeEvidence, evidence_of
from deepassay.results.records import Judged
from deepassay.results.tables import decimals, several
from deepassay.stats.panels import JudgesTogether
from deepassay.stats.ranks import Floats
from deepassay.stats.resampling import FEWER_DRAWS, drawn_counts, resampled_figure

FEWEST: Final = 10
"""Tasks below which nothing is said."""


def panel_worth(records: Sequence[Judged]) -> str:
    """A sentence on the panel of these judgements; empty without one, or on too few tasks.

    By the verdicts that all judges gave where parts are verdicts, else by their scores.
    """
    panels = [(each.task, evidence_of(each)) for each in records]
    panels = [(task, panel) for task, panel in panels if panel.judges]
    names = sorted({name for _, panel in panels for name in panel.judges})
    verdicts = any(panel.agreement for _, panel in panels)
    said = [(task, row) for task, panel in panels for row in _said(names, panel, verdicts=verdicts)]
    tasks = sorted({task for task, _ in said})
    if len(names) < 2 or len(tasks) < FEWEST:
        return ""
    places = {task: at for at, task in enumerate(tasks)}
    unit = np.array([places[task] for task, _ in said])
    together = JudgesTogether(np.array([row for _, row in said], dtype=float), unit)
    counts = drawn_counts(len(tasks), 0, FEWER_DRAWS)
    found = resampled_figure("", together.effective, counts, len(said), "")
    if found.value is None:
        return ""
    ends = f", 95 % interval {' to '.join(f'{end:.1f}' for end in found.interval or ())}"
    return (
        f"The {len(names)} judges count for {found.value:.1f} independent ones at least"
        f"{ends if found.interval else ''}: what they say correlates by "
        f"{decimals(together.correlation(), 2)} on "
        f"{several(len(said), 'verdict' if verdicts else 'score')}, in which the truth has its "
        "part. With labels of people, `deepassay agree` goes by their errors."
    )


def _said(names: Sequence[str], panel: OutcomeEvidence, *, verdicts: bool) -> Iterator[Floats]:
    """What all of these judges gave, a row for each part or one for the score."""
    own = [panel.judges.get(name) for name in names]
    if not all(own):
        return
    judges = [each for each in own if each is not None]
    rows = [[each.value for each in judges]]
    if verdicts:
        rows = [[each.parts.get(part) for each in judges] for part in judges[0].parts]
    yield from (np.array(row, dtype=float) for row in rows if None not in row)
