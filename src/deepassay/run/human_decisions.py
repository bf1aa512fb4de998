"""The file of what people decided: scores and verdicts, one a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Final

from deepassay.errors import BadTasks
from deepassay.results.agreement.verdicts import Decision
from deepassay.tasks.rows import Row, read_rows

NEEDED: Final = ("agent", "task", "rater")
_LARGEST: Final = 1e100  # of which the squares can still be added up
DECIDED: Final = ("score", "verdict")
OPTIONAL: Final = ("sample", "protocol", "item", "judge")
COLUMNS: Final = (
    "Columns: agent, task, rater, and score or verdict or both; if needed sample, protocol, item, "
    "judge."
)


@dataclass(frozen=True)
class Decisions:
    """What can be used of a file. problems: what cannot, each with its line."""

    usable: tuple[Decision, ...]
    problems: tuple[str, ...]


class _Unfit(ValueError):
    """A row that says nothing usable."""


def read_decisions(path: Path) -> Decisions:
    """The decisions in CSV, JSON Lines or Parquet. Columns with other names are left alone.

    Raises BadTasks for a file that cannot be read, lacks a column, or has no usable row.
    """
    rows = read_rows(path)
    if not rows:
        raise BadTasks(f"{path} holds no decisions.", COLUMNS)
    _check_columns(path, {name for row in rows for name in row.fields})
    usable: dict[tuple[object, ...], Decision] = {}
    problems: list[str] = []
    for row in rows:
        try:
            decision = _decision(row)
            if decision is not None:
                _keep(decision, usable)
        except _Unfit as unfit:
            problems.append(f"{row.place}: {unfit}")
    if not usable:
        why = problems[0] if problems else f"{path}: no row has a score or a verdict."
        raise BadTasks(f"{path} holds nothing usable. {why}", COLUMNS)
    return Decisions(tuple(dict.fromkeys(usable.values())), tuple(problems))


def _check_columns(path: Path, there: set[str]) -> None:
    lacking = [name for name in NEEDED if name not in there]
    if not there & set(DECIDED):
        lacking.append("score or verdict")
    if lacking:
        known = ", ".join(sorted(map(str, there)))
        raise BadTasks(f"{path} has no column {', '.join(lacking)}; it has {known}.", COLUMNS)


def _decision(row: Row) -> Decision | None:
    """The decision of a row; None if both cells are empty."""
    fields = {
        name: "" if value is None else str(value).strip() for name, value in row.fields.items()
    }
    score, verdict = fields.get("score", ""), fields.get("verdict", "")
    if not score and not verdict:
        return None
    lacking = [name for name in NEEDED if not fields.get(name)]
    if lacking:
        raise _Unfit(f"{', '.join(lacking)} missing.")
    return Decision(
        row.place,
        fields["agent"],
        fields["task"],
        fields["rater"],
        sample=_sample(fields.get("sample", "")),
        protocol=fields.get("protocol") or None,
        item=fields.get("item") or None,
        judge=fields.get("judge") or None,
        score=_number(score) if score else None,
        verdict=verdict or None,
    )


def _number(cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        raise _Unfit(f"score {cell!r} is no number.") from None
    if not isfinite(number):
        raise _Unfit(f"score {cell!r} is no finite number.")
    if abs(number) > _LARGEST:
        raise _Unfit(f"score {cell!r} is larger than any scale has.")
    return number


def _sample(cell: str) -> int:
    if not cell:
        return 1
    if not (cell.isascii() and cell.isdigit() and 0 < len(cell) < 10):
        raise _Unfit(f"sample {cell!r} is no number from 1 on.")
    return int(cell)


def _keep(decision: Decision, usable: dict[tuple[object, ...], Decision]) -> None:
    """Keep a decision unless the same person has decided on the same thing before."""
    values: Mapping[str, object] = vars(decision)
    names = (*NEEDED, *OPTIONAL)
    kinds = tuple(values[name] is not None for name in DECIDED)
    for kind, given in zip(DECIDED, kinds, strict=True):
        key = (kind, *(values[name] for name in names))
        if given and (first := usable.get(key)):
            raise _Unfit(f"{decision.rater} has decided on this already ({first.place}).")
    for kind, given in zip(DECIDED, kinds, strict=True):
        if given:
            usable[(kind, *(values[name] for name in names))] = decision
