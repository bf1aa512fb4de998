"""Faults of several files, told of at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from deepassay.errors import BadReports

_NAMED: Final = 10
"""Problems that are named, where there are several."""


@contextmanager
def kept(errors: list[BadReports]) -> Iterator[None]:
    """What cannot be read within is kept, so that the other files are looked at too."""
    try:
        yield
    except BadReports as error:
        errors.append(error)


def together(errors: Sequence[BadReports]) -> BadReports:
    """One error that names all; alone, it stays what it is."""
    if len(errors) == 1:
        return errors[0]
    named = [f"  {error.problem}" for error in errors[:_NAMED]]
    more = [f"  and {len(errors) - _NAMED} more"] if len(errors) > _NAMED else []
    remedies = {error.remedy for error in errors}
    apart = "Correct them, or leave them out. Give one alone to be told what helps."
    return BadReports(
        "\n".join([f"The reports have {len(errors)} faults:", *named, *more]),
        remedies.pop() if len(remedies) == 1 else apart,
    )
