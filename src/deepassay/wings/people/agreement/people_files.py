"""Files of what people said: scores and verdicts on reports, and on criteria of rubrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Final

from deepassay.errors import BadTasks
from deepassay.intake.rows import InputRow
from deepassay.results.tables import unguarded
from deepassay.results.weighing import NOT, PARTIAL, SATISFIED
from deepassay.tasks.labelled import scores_of_bench
from deepassay.tasks.rows import read_rows
from deepassay.wings.people.agreement.decisions import (
    Decision,
    Decisions,
)
from deepassay.wings.people.agreement.rubrics import (
    CriterionPlace,
)

NEEDED: Final = ("agent", "task", "rater")
_LARGEST: Final = 1e100  # of which the squares can still be added up
DECIDED: Final = ("score", "verdict")
OPTIONAL: Final = ("sample", "protocol", "item", "judge")
COLUMNS: Final = (
    "Columns: agent, task, rater, and score or verdict or both; if needed sample, protocol, item, "
    "judge."
)


class _Unfit(ValueError):
    """A row that says nothing usable. kind: what ails it, the same for all rows that it ails."""

    def __init__(self, kind: str, problem: str) -> None:
        super().__init__(problem)
        self.kind = kind


def read_decisions(*paths: Path) -> Decisions:
    """The decisions in CSV, JSON Lines or Parquet, of several files together as of one.

    Columns with other names are left alone. Raises BadTasks for a file that cannot be read, lacks a
    column or has no decision, and where no row of all is usable.
    """
    usable: dict[tuple[object, ...], Decision] = {}
    problems: list[str] = []
    kinds: dict[str, str] = {}
    for path in paths:
        alike = sum(each.name == path.name for each in paths) > 1
        empty = True
        for row in _rows(path):
            # Files of several folders may have one name, and a line is of one of them.
            place = f"{path}{row.place.removeprefix(path.name)}" if alike else row.place
            try:
                decision = _decision(replace(row, place=place))
                empty = empty and decision is None
                if decision is not None:
                    _keep(decision, usable)
            except _Unfit as unfit:
                empty = False
                problems.append(f"{place}: {unfit}")
                kinds[problems[-1]] = unfit.kind
        if empty:
            raise BadTasks(
                f"{path} holds nothing usable. No row has a score or a verdict.", COLUMNS
            )
    if not usable:
        raise BadTasks(f"{files_named(paths)} holds nothing usable. {problems[0]}", COLUMNS)
    return Decisions(tuple(dict.fromkeys(usable.values())), tuple(problems), kinds)


def files_named(paths: Sequence[Path]) -> str:
    """Files of what people said, for messages."""
    return ", ".join(map(str, paths))


def _rows(path: Path) -> list[InputRow]:
    rows = scores_of_bench(read_rows(path))
    if not rows:
        raise BadTasks(f"{path} holds no decisions.", COLUMNS)
    _check_columns(path, {name for row in rows for name in row.fields})
    return rows


def _check_columns(path: Path, there: set[str]) -> None:
    lacking = [name for name in NEEDED if name not in there]
    if not there & set(DECIDED):
        lacking.append("score or verdict")
    if lacking:
        known = ", ".join(sorted(map(str, there)))
        raise BadTasks(f"{path} has no column {', '.join(lacking)}; it has {known}.", COLUMNS)


def _decision(row: InputRow) -> Decision | None:
    """The decision of a row; None if both cells are empty."""
    fields = {name: unguarded(cell) for name, cell in row.cells.items()}
    score, verdict = fields.get("score", ""), fields.get("verdict", "")
    if not score and not verdict:
        return None
    lacking = [name for name in NEEDED if not fields.get(name)]
    if lacking:
        raise _Unfit("cells", f"{', '.join(lacking)} missing.")
    return Decision(
        row.place,
        fields["agent"],
        fields["task"],
        fields["rater"],
        sample=_sample(fields.get("sample", "")),
        says_which=bool(fields.get("sample")),
        protocol=fields.get("protocol") or None,
        item=fields.get("item") or None,
        judge=fields.get("judge") or None,
        score=_number(score) if score else None,
        verdict=verdict or None,
        blind=fields.get("saw_judge", "").strip().lower() not in ("yes", "true", "1"),
    )


def _number(cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        raise _Unfit("score", f"score {cell!r} is no number.") from None
    if not isfinite(number):
        raise _Unfit("score", f"score {cell!r} is no finite number.")
    if abs(number) > _LARGEST:
        raise _Unfit("score", f"score {cell!r} is larger than any scale has.")
    return number


def _sample(cell: str) -> int:
    if not cell:
        return 1
    if not (cell.isascii() and cell.isdigit() and 0 < len(cell) < 10):
        raise _Unfit("sample", f"sample {cell!r} is no number from 1 on.")
    return int(cell)


def _keep(decision: Decision, usable: dict[tuple[object, ...], Decision]) -> None:
    """Keep a decision unless the same person has decided on the same thing before."""
    values: Mapping[str, object] = vars(decision)
    names = (*NEEDED, *OPTIONAL)
    kinds = tuple(values[name] is not None for name in DECIDED)
    for kind, given in zip(DECIDED, kinds, strict=True):
        key = (kind, *(values[name] for name in names))
        if given and (first := usable.get(key)):
            raise _Unfit("twice", f"{decision.rater} has decided on this already ({first.place}).")
    for kind, given in zip(DECIDED, kinds, strict=True):
        if given:
            usable[(kind, *(values[name] for name in names))] = decision


WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("satisfied", "met", "1", "1.0", "yes", "true"), SATISFIED),
    **dict.fromkeys(("partially satisfied", "partial", "0.5"), PARTIAL),
    **dict.fromkeys(("not satisfied", "not met", "0", "0.0", "no", "false"), NOT),
}
"""How people write the three verdicts, in small letters."""

RUBRIC_COLUMNS: Final = (
    "Columns: agent, task, criterion (its id), verdict (Satisfied, Partially Satisfied or Not "
    "Satisfied), and sample where an agent gave several answers."
)


def read_rubric_verdicts(path: Path) -> dict[CriterionPlace, str]:
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
        raise BadTasks(f"{path} holds no verdicts.", RUBRIC_COLUMNS)
    return labels


def _verdict(row: InputRow) -> tuple[CriterionPlace, str]:
    fields = row.cells
    lacking = [name for name in ("agent", "task", "criterion", "verdict") if not fields.get(name)]
    if lacking:
        raise BadTasks(f"{row.place}: {', '.join(lacking)} missing.", RUBRIC_COLUMNS)
    verdict = WORDS.get(fields["verdict"].lower())
    if verdict is None:
        raise BadTasks(f"{row.place}: {fields['verdict']!r} is no verdict.", RUBRIC_COLUMNS)
    sample = fields.get("sample") or "1"
    if not (sample.isascii() and sample.isdigit() and len(sample) < 10 and int(sample)):
        raise BadTasks(f"{row.place}: sample {sample!r} is no number from 1 on.", RUBRIC_COLUMNS)
    return CriterionPlace(
        fields["agent"], fields["task"], int(sample), fields["criterion"]
    ), verdict
