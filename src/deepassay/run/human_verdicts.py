"""Judges of rubrics held against people: the verdicts that people gave, from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import BadInput, BadTasks
from deepassay.results.rubric_agreement import Comparison, CriterionPlace, compare
from deepassay.results.weighing import NOT, PARTIAL, SATISFIED
from deepassay.run.records import records_of
from deepassay.tasks.rows import Row, read_rows

WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("satisfied", "met", "1", "1.0"), SATISFIED),
    **dict.fromkeys(("partially satisfied", "partial", "0.5"), PARTIAL),
    **dict.fromkeys(("not satisfied", "not met", "0", "0.0"), NOT),
}
"""How people write the three verdicts, in small letters."""

COLUMNS: Final = (
    "Columns: agent, task, criterion (its id), verdict (Satisfied, Partially Satisfied or Not "
    "Satisfied), and sample where an agent gave several answers."
)


def compare_with_people(verdicts: Path, runs: Sequence[Path]) -> list[Comparison]:
    """Every judge of the run files against the verdicts in a file (CSV, JSON Lines, Parquet).

    Raises BadTasks, naming the line, for a file that cannot be read, and BadInput if the runs
    have graded none of what people labelled.
    """
    labels = read_verdicts(verdicts)
    comparisons = compare(labels, records_of(runs))
    if not any(each.labelled for each in comparisons):
        raise BadInput(
            f"No run file holds a graded rubric for any verdict of {verdicts}.",
            "Evaluate with --protocol rubrics first, and check agents, tasks and criteria.",
        )
    return comparisons


def read_verdicts(path: Path) -> dict[CriterionPlace, str]:
    """What people said of every criterion. Raises BadTasks for two verdicts on one."""
    labels: dict[CriterionPlace, str] = {}
    lines: dict[CriterionPlace, str] = {}
    for row in read_rows(path):
        place, verdict = _verdict(row)
        if place in lines:
            raise BadTasks(
                f"{row.place}: criterion {place.criterion} of {place.agent} on {place.task} has a "
                f"verdict already ({lines[place]}).",
                "Give one verdict for each criterion; compare several people one at a time.",
            )
        labels[place], lines[place] = verdict, row.place
    if not labels:
        raise BadTasks(f"{path} holds no verdicts.", COLUMNS)
    return labels


def _verdict(row: Row) -> tuple[CriterionPlace, str]:
    fields = {
        name: "" if value is None else str(value).strip() for name, value in row.fields.items()
    }
    lacking = [name for name in ("agent", "task", "criterion", "verdict") if not fields.get(name)]
    if lacking:
        raise BadTasks(f"{row.place}: {', '.join(lacking)} missing.", COLUMNS)
    verdict = WORDS.get(fields["verdict"].lower())
    if verdict is None:
        raise BadTasks(f"{row.place}: {fields['verdict']!r} is no verdict.", COLUMNS)
    sample = fields.get("sample") or "1"
    if not (sample.isascii() and sample.isdigit() and len(sample) < 10 and int(sample)):
        raise BadTasks(f"{row.place}: sample {sample!r} is no number from 1 on.", COLUMNS)
    return CriterionPlace(
        fields["agent"], fields["task"], int(sample), fields["criterion"]
    ), verdict
