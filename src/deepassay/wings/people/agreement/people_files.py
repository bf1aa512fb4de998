"""Files of what people said: scores and verdicts on reports, and on criteria of rubrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    Repeated,
    word_of,
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


@dataclass
class _FilesRead:
    """What was read so far; see `Decisions`. usable: by what was decided on, and in which way."""

    usable: dict[tuple[object, ...], Decision] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    otherwise: list[Repeated] = field(default_factory=list)
    again: list[Repeated] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    blank: list[str] = field(default_factory=list)

    def whole(self) -> Decisions:
        """All of it, each decision once."""
        return Decisions(
            tuple(dict.fromkeys(self.usable.values())),
            tuple(self.problems),
            tuple(self.otherwise),
            tuple(self.again),
            self.kinds,
            tuple(self.blank),
        )


def read_decisions(*paths: Path) -> Decisions:
    """The decisions in CSV, JSON Lines or Parquet, of several files together as of one.

    Columns with other names are left alone. Raises BadTasks for a file that cannot be read or lacks
    a column, and where no row of all is usable.
    """
    found = _FilesRead()
    there = False
    for path in paths:
        alike = sum(each.name == path.name for each in paths) > 1
        empty = True
        rows = _rows(path)
        there = there or bool(rows)
        for row in rows:
            # Files of several folders may have one name, and a line is of one of them.
            place = f"{path}{row.place.removeprefix(path.name)}" if alike else row.place
            try:
                decision = _decision(replace(row, place=place))
                empty = empty and decision is None
                if decision is not None:
                    _keep(decision, found)
            except _Unfit as unfit:
                empty = False
                found.problems.append(f"{place}: {unfit}")
                found.kinds[found.problems[-1]] = unfit.kind
        if empty:
            found.blank.append(str(path))
    if not there:
        raise BadTasks(f"{files_named(paths)} holds no decisions.", COLUMNS)
    if not found.usable:
        why = found.problems[0] if found.problems else "No row has a score or a verdict."
        raise BadTasks(f"{files_named(paths)} holds nothing usable. {why}", COLUMNS)
    return found.whole()


def files_named(paths: Sequence[Path]) -> str:
    """Files of what people said, for messages."""
    return ", ".join(map(str, paths))


def _rows(path: Path) -> list[InputRow]:
    rows = scores_of_bench(read_rows(path))
    if rows:
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


def _keep(decision: Decision, found: _FilesRead) -> None:
    """Keep a decision; its score or verdict not where the same person has given one there before.

    What is left out is told of, unless the row also has what is new and nothing that contradicts.
    """
    values: Mapping[str, object] = vars(decision)
    place = tuple(values[name] for name in (*NEEDED, *OPTIONAL))
    given = [kind for kind in DECIDED if values[kind] is not None]
    before = {kind: first for kind in given if (first := found.usable.get((kind, *place)))}
    new = [kind for kind in given if kind not in before]
    contradicted = [first for kind, first in before.items() if not _alike(kind, first, decision)]
    who = f"{decision.place}: {decision.rater} has decided"
    if contradicted:
        first = contradicted[0]
        told = f"{who} on this already ({first.place})."
        found.otherwise.append(Repeated(told, first))
        found.kinds[told] = "otherwise"
    elif not new:
        first = before[given[0]]
        told = f"{who} the same already ({first.place})."
        found.again.append(Repeated(told, first))
        found.kinds[told] = "again"
    own = replace(
        decision,
        score=None if "score" in before else decision.score,
        verdict=None if "verdict" in before else decision.verdict,
    )
    for kind in new:
        found.usable[kind, *place] = own


def _alike(kind: str, one: Decision, other: Decision) -> bool:
    """Whether two decisions have the same score, or the same verdict in whatever spelling."""
    if kind == "score":
        return one.score == other.score
    return word_of(one.verdict or "") == word_of(other.verdict or "")


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
