"""What is asked where a table may be read in several ways: each way with the line that takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from typing import Final, NamedTuple, TypeVar

from deepassay.errors import DeepAssayError
from deepassay.files import BadFile
from deepassay.intake.columns import NO_COLUMNS, SHEET, option

Said = tuple[tuple[str, str], ...]
"""Pairs of part and column, as `--columns` says them."""
_MOST: Final = 6
"""Lines that a message shows."""


class ColumnChoice(NamedTuple):
    """One way to read a table. note: what it means, where the columns do not say it.

    comes_to: what is read by it, as far as that is known.
    """

    said: Said
    note: str = ""
    comes_to: str = ""


class Unclear(BadFile):
    """A table that may be read in several ways, or in none that is certain.

    choices: the ways, likeliest first, each whole.
    """

    def __init__(self, problem: str, choices: Sequence[ColumnChoice]) -> None:
        super().__init__(problem, asked(choices))
        self.choices = tuple(choices)


AnError = TypeVar("AnError", bound=DeepAssayError)


def asking(
    kind: Callable[[str, str], AnError], problem: str, choices: Sequence[ColumnChoice]
) -> AnError:
    """An error of this kind that asks which of the choices is meant."""
    error = kind(problem, asked(choices))
    error.__cause__ = Unclear(problem, choices)
    return error


def asked(choices: Sequence[ColumnChoice]) -> str:
    """The question that these are the answers to, or what to do where there is none."""
    if not choices:
        return "Say what is what by --columns, as docs/own-tables.md has it; or give AGENT/TASK.md."
    lines = []
    for each in choices[:_MOST]:
        told = "; ".join(filter(None, (each.note, each.comes_to)))
        lines.append(option(each.said) + (f"  ({told})" if told else ""))
    if len(lines) == 1:
        return f"Say which column is what: {lines[0]}"
    wide = any(sum(part == "report" for part, _ in each.said) > 1 for each in choices[:1])
    right = "; of a column of right answers, reference=COLUMN in place of report=" * wide
    return "\n    ".join([f"Say which column is what, the likeliest first{right}:", *lines])


def choices_in(error: BaseException | None) -> Sequence[ColumnChoice]:
    """The choices that an error offers, or one that it was raised from."""
    while error is not None and not isinstance(error, Unclear):
        error = error.__cause__
    return error.choices if error else ()


def whole_choices(several: Iterable[Sequence[ColumnChoice]]) -> list[ColumnChoice]:
    """Choices of each of several parts or files put together, the likeliest of all first.

    By none is a column two things, or one thing two columns.
    """
    ranked = product(*(list(enumerate(each[:_MOST])) for each in several if each))
    found: dict[Said, str] = {}
    for both in sorted(ranked, key=lambda both: sum(rank for rank, _ in both)):
        parts = [each for _, each in both]
        if any(("agent", SHEET) in each.said for each in parts):  # which says what others ask
            parts = [each for each in parts if ("agent", SHEET) in each.said or not _of_agent(each)]
        said = dict.fromkeys(pair for each in parts for pair in each.said)
        notes = dict.fromkeys(n for each in parts for n in each.note.split("; ") if n)
        columns = [name for part, name in said if part not in ("sample", *NO_COLUMNS) and name]
        if len({*columns}) == len(columns) and not _differ(parts):
            found.setdefault(tuple(said), "; ".join(notes))
    return [ColumnChoice(said, note) for said, note in found.items()]


def _of_agent(choice: ColumnChoice) -> bool:
    """Whether it says nothing but who the agent is, and how answers are counted."""
    return {part for part, _ in choice.said} <= {"agent", "sample"}


def _differ(choices: Sequence[ColumnChoice]) -> bool:
    """Whether two of them say of one part, which is one column, what it is otherwise."""
    said = [{pair for pair in each.said if pair[0] not in ("report", "sheet")} for each in choices]
    return any(
        one[0] == other[0] and one not in b and other not in a
        for a, b in combinations(said, 2)
        for one, other in product(a, b)
    )
