"""Judges on a set of criteria that people decided on: asked, or read, and held against people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deepassay.errors import BadInput, BadSetting
from deepassay.results.records import Judged
from deepassay.results.tables import Table
from deepassay.score import Json
from deepassay.wings.people.agreement.graded_set import GradedSet
from deepassay.wings.people.agreement.judge_quality import JudgeQualityFile
from deepassay.wings.people.agreement.published import MeasuredJudges, judges_of_set
from deepassay.wings.people.agreement.published_rubrics import records_of_file
from deepassay.wings.people.agreement.rubric_labels import measured_rubrics
from deepassay.wings.people.agreement.rubric_tables import agreement_tables, flat_agreement
from deepassay.wings.people.agreement.rubrics import RubricComparison, compare_rubric_verdicts
from deepassay.wings.people.agreement.runs import named_records
from deepassay.wings.people.agreement.tables import written_agreement


@dataclass(frozen=True)
class RubricJudges:
    """Judges beside people on criteria.

    comparisons: one for each judge and recipe; none where nobody was asked. identities: of the
    judges, by name. seed: of the draws behind intervals.
    """

    given: GradedSet
    comparisons: Sequence[RubricComparison]
    identities: Mapping[str, Sequence[Mapping[str, Json]]]
    seed: int

    @cached_property
    def _shown(self) -> MeasuredJudges:
        measured = measured_rubrics(self.given, self.comparisons, self.seed)
        who = [self.identities.get(each.judge, ({},))[0] for each in self.comparisons]
        return judges_of_set(measured, who, Counter())

    def written(self, format: str) -> str:
        """All figures, then macro-F1 and where the two differ, as text, markdown, csv or json."""
        lines = [*self._shown.lines, *flat_agreement(self.comparisons)]
        return written_agreement(lines, [*self._shown.tables, *self.beside], format)

    @cached_property
    def beside(self) -> Sequence[Table]:
        """Tables of macro-F1 and of where people and judge differ."""
        return [table for each in self.comparisons for table in agreement_tables(each)]

    @property
    def kept(self) -> JudgeQualityFile:
        """What stands beneath rankings of these judges. Raises BadSetting for two of one name."""
        for name, those in self.identities.items():
            if len(those) > 1:
                raise BadSetting(
                    f"-o keeps what a judge is worth, and {name} judged with several settings.",
                    "Name one run at a time.",
                )
        return self._shown.kept

    @property
    def problems(self) -> Sequence[str]:
        """What is wrong where most of people's verdicts found no criterion."""
        return [*filter(None, (each.problem for each in self.comparisons))]

    @property
    def whole(self) -> bool:
        """Whether everything that people decided on could be compared."""
        those = all(each.whole for each in self.comparisons)
        return bool(self.comparisons) and those and self.given.joined.whole


def rubric_judges(given: GradedSet, runs: Sequence[Path], seed: int) -> RubricJudges:
    """Whoever judged in runs, or in files of verdicts in RuVerBench's layout, beside people.

    Raises BadInput if none of what people decided on is in them.
    """
    records: list[Judged] = []
    files = []
    for run in runs:
        if (read := records_of_file(run)) is None:
            files.append(run)
        else:
            records += read
    in_runs, names = named_records(files)
    records += in_runs
    given = given.in_records(records)
    comparisons = compare_rubric_verdicts(given.words(), records, names)
    if runs and not any(each.labelled for each in comparisons):
        raise BadInput(
            f"No run file holds a graded rubric for any verdict of {given.title}.",
            "Evaluate with --protocol rubrics first, and check agents, tasks and criteria.",
        )
    identities: dict[str, list[Mapping[str, Json]]] = {}
    for record in records:
        for judge in record.signature.identity.get("judges", ()):
            own = identities.setdefault(str(judge["model"]), [])
            if judge not in own:
                own.append(judge)
    return RubricJudges(given, comparisons, identities, seed)
