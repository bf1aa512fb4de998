"""What is wrong with reports of several files: told of at once, and what is there twice."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from deepassay.errors import BadReports, Notice
from deepassay.intake.choices import ColumnChoice, asking, choices_in, whole_choices
from deepassay.intake.proposals import is_far_below, may_have_failed, usual_of
from deepassay.reports.report import Report
from deepassay.score import ReportKey, report_key
from deepassay.text import natural_order

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
    """One error that names all, raised from the first if all are of the same report twice; alone,
    it stays what it is.
    """
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
    error = BadReports(problem, remedies.pop() if len(remedies) == 1 else apart)
    if all(isinstance(each, SecondReport) for each in errors):
        error.__cause__ = errors[0]
    return error


def none_in(files: Sequence[Path]) -> BadReports:
    """What to say of files that can be read and have no report, as one without rows."""
    named = ", ".join(map(str, files[:_NAMED])) + " and more" * (len(files) > _NAMED)
    if len(files) == 1:
        return BadReports(f"{named} holds no report.", "Check that it is the right file.")
    return BadReports(f"None of these holds a report: {named}.", "Check that they are right.")


class SecondReport(BadReports):
    """Two reports stand for one agent, task and sample."""

    def __init__(self, report: Report, place: str, first: str) -> None:
        super().__init__(
            f"{place}: a second report of agent {report.agent!r} for task {report.task!r}, sample "
            f"{report.sample}; the first is {first}",
            "Give each once, and number several answers: answer_1.md, answer_2.md, or in a column "
            "of a table named sample.",
        )


class SecondOfTable(BadReports):
    """Two rows stand for one agent, task and sample, as far as the columns of their table say."""


class NoneWrote(BadReports):
    """A run file holds runs of agents, none of which wrote a report."""


def tell_of_copies(again: Sequence[str]) -> None:
    """A Notice of reports that came again with the same text. again: where, and where before."""
    if again:
        told = f"Reports that came again with the same text, and count once: {len(again)}"
        warnings.warn(Notice(f"{told}. The first: {again[0]}."), stacklevel=3)


def each_once(
    given: Iterable[Report], errors: list[BadReports], apart: Sequence[ColumnChoice]
) -> tuple[Report, ...]:
    """The reports, each once and in order. errors: what could not be read; raised with what is
    there twice.

    apart: ways that may tell apart what is there twice, which are asked for. Of run files in which
    no agent wrote a report, Notices tell where there are reports.
    """
    reports: dict[ReportKey, list[Report]] = {}
    again: list[str] = []
    for report in given:
        reports.setdefault(report_key(report), []).append(report)
    for first, *others in reports.values():
        for other in others:
            place, there = (each.path or "a report given as a value" for each in (other, first))
            if other.text == first.text:  # as in logs of a run by two protocols
                again.append(f"{place}, as {there}")
            else:
                errors.append(SecondReport(other, place, there))
    for none in [each for each in errors if reports and isinstance(each, NoneWrote)]:
        warnings.warn(Notice(none.problem), stacklevel=3)
        errors.remove(none)
    if errors:
        if apart and all(isinstance(each, SecondReport) for each in errors):
            more = f" And so {len(errors) - 1} others." * (len(errors) > 1)
            raise asking(BadReports, f"{errors[0].problem}.{more}", apart)
        raise one_error(errors)
    tell_of_copies(again)
    order = sorted(reports, key=lambda key: (key[0], natural_order(key[1]), key[2]))
    return tuple(reports[key][0] for key in order)


def unless_failed(reports: Sequence[Report]) -> list[Report]:
    """The reports without those that say why there is none: `timeout`, `k. A.`, `#N/A`.

    That is what is no sentence and far shorter than others which are long; of an agent all of whose
    reports are, only if they are all the same. A Notice names them.
    """
    sizes = [each.length for each in reports]
    usual = usual_of(sizes)
    far = [at for at, size in enumerate(sizes) if is_far_below(size, usual)]
    short = {at: reports[at].text.strip() for at in far if may_have_failed(reports[at].text, usual)}
    answered = {each.agent for at, each in enumerate(reports) if at not in {*far}}
    alike: dict[str, set[str]] = {}
    for at, said in short.items():
        alike.setdefault(reports[at].agent, set()).add(said)
    certain = answered | {agent for agent, those in alike.items() if len(those) == 1}
    failed = {at: said for at, said in short.items() if reports[at].agent in certain}
    if failed:
        names = [
            f"{said!r} ({reports[at].agent}, {reports[at].path})" for at, said in failed.items()
        ]
        named = ", ".join(names[:_NAMED])
        more = " and more" * (len(failed) > _NAMED)
        warnings.warn(
            Notice(
                f"Left out, as no sentences where others are reports of {usual} characters: "
                f"{len(failed)}, {named}{more}. To count one as a report, make it a "
                "sentence that ends with a full stop."
            ),
            stacklevel=3,
        )
    return [each for at, each in enumerate(reports) if at not in failed]
