"""Judges measured on people's published labels: what all such sets have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deepassay.files import as_json
from deepassay.results.tables import Table, as_csv, several
from deepassay.results.wrapped_tables import written_narrow
from deepassay.score import Cause, Json
from deepassay.wings.people.agreement.judge_quality import JudgeQuality, JudgeQualityFile
from deepassay.wings.people.agreement.labels import DIVIDED, PEOPLE, Measured

FLOOR: Final = "plain recall"
"""Whoever judges by words in common, without a model."""


@dataclass(frozen=True)
class MeasuredJudges:
    """Judges on one set. tables: all to be shown. unjudged: items without a verdict, by why.

    divided: items on which people do not agree.
    """

    tables: tuple[Table, ...]
    lines: Sequence[Mapping[str, Json]]
    kept: JudgeQualityFile
    unjudged: Counter[str]
    divided: int = 0

    @property
    def remarks(self) -> Sequence[str]:
        """What has no verdict of a judge or none of people together, for a person."""
        unjudged = [(why, count) for why, count in self.unjudged.items() if count]
        return [
            *(f"without a verdict: {count} ({why})" for why, count in unjudged),
            *([DIVIDED.format(several(self.divided, "item"))] if self.divided else []),
        ]

    @property
    def whole(self) -> bool:
        """Whether everything has a verdict of each judge."""
        return not self.unjudged.total()

    @property
    def out_of_budget(self) -> bool:
        """Whether some of it was not asked because of the budget."""
        return any(why.endswith(Cause.BUDGET) for why in self.unjudged)

    def written(self, format: str) -> str:
        """As text, markdown, csv or json."""
        if format == "csv":
            return as_csv(list(self.lines))
        if format == "json":
            return as_json([dict(line) for line in self.lines])
        return written_narrow(self.tables, format)


def judges_of_set(
    measured: Measured, identities: Sequence[Mapping[str, Json]], unjudged: Counter[str]
) -> MeasuredJudges:
    """Everyone in one table, and each judge in a table of its own for the file.

    By cuts each judge has a floor of its own, on what it decided on; people are the same by all.
    """
    kept = []
    shown = [*measured.tables()]
    lines = [line | {"cut": "", "beside": ""} for line in measured.flat()]
    lines += measured.flat_cuts()
    for place, identity in enumerate(identities):
        own = replace(measured, sayings=measured.sayings[place:]) if place else measured
        kept.append(JudgeQuality.of(identity, own.tables(), own.flat()))
        shown += own.tables()[1:] if place else ()
        more = own.flat_cuts() if place else ()
        lines += [line for line in more if line["by"] != PEOPLE or line not in lines]
    return MeasuredJudges(
        tuple(shown),
        lines,
        JudgeQualityFile(judges=tuple(kept)),
        unjudged,
        measured.divided,
    )
