"""What figures are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from deepassay.results.families import Profiles
from deepassay.results.lengths import MeasuredReport
from deepassay.results.ranking import Board
from deepassay.results.records import Judged


@dataclass(frozen=True)
class Material:
    """Everything that a maker of figures may look at.

    boards: of `ranking.rank` over the records, by the label `by` too. profiles: families of
    agents, empty if none were told. reports: the lengths of all reports, empty where only scores
    are there.
    """

    records: Sequence[Judged]
    boards: Sequence[Board]
    by: str | None = None
    profiles: Profiles = field(default_factory=dict)
    reports: Sequence[MeasuredReport] = ()
