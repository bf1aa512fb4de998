"""What is wrong with reports of several files: told of at once, and what is there twice."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from deepassay.errors import BadReports, Notice
from deepassay.intake.choices import ColumnChoice, asking, choices_in, whole_choices
from deepassay.reports.report import Report

_NAMED: Final = 10
"""Problems that are named, where there are several."""


@contextmanager
def keeping(errors: list[BadReports]) -> Iterator[None]:
    """What cannot be read within is kept, so that the other files are looked at too."""
    try:
        yield
    except BadReports as error:
        errors.append(error)


def one_error(errors: Sequence[BadReports]) -> BadReports:
    """One error that names all; alone, it stays what it is."""
    if len(errors) == 1:
        return errors[0]
    alike: dict[Sequence[ColumnChoice], list[str]] = {}
    for error in errors:
        alike.setdefault(choices_in(error), []).append(error.problem)
    told = alike.pop((), [])
    told += [
        first + (f" And so {len(others)} others." if others else "")
        for first, *others in alike.values()
    ]
    named = [f"  {each}" for each in told[:_NAMED]]
    more = [f"  and {len(told) - _NAMED} more"] if len(told) > _NAMED else []
    problem = "\n".join([f"The reports have {len(errors)} faults:", *named, *more])
    if alike:
        return asking(BadReports, problem, whole_choices(alike))
    remedies = {error.remedy for error in errors}
    apart = "Correct them, or leave them out. Give one alone to be told what helps."
    return BadReports(problem, remedies.pop() if len(remedies) == 1 else apart)


def second(report: Report, place: str, first: str) -> BadReports:
    """What is wrong where two reports stand for one agent, task and sample."""
    return BadReports(
        f"{place}: a second report of agent {report.agent!r} for task {report.task!r}, sample "
        f"{report.sample}; the first is {first}",
        "Give each once, and number several answers: answer_1.md, answer_2.md, or in a column of a "
        "table named sample.",
    )


def tell_of_copies(again: Sequence[str]) -> None:
    """A Notice of reports that came again with the same text. again: where, and where before."""
    if again:
        told = f"Reports that came again with the same text, and count once: {len(again)}"
        warnings.warn(Notice(f"{told}. The first: {again[0]}."), stacklevel=3)
