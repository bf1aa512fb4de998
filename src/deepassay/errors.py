"""Every error that a person may see. Each message says what is wrong, where, and what to do.

    DeepAssayError
    ├── BadInput                 a file, an option or a value is not what it should be   (exit 2)
    │   ├── BadTasks             a task file cannot be read
    │   ├── BadReports           a report file or folder cannot be read
    │   ├── BadSnapshots         a file of saved pages cannot be read, or its address is missing
    │   ├── BadSetting           an option, a model name, a price list, assay.toml
    │   ├── BadRunFile           foreign, torn, locked, or made by a newer version
    │   │   ├── BadRow           one row of it cannot be read; the others can
    │   │   └── NotKept          a record that could not be read back is not written
    │   └── ConfigurationChanged the run file was made under another configuration
    ├── SearchFailed             a provider of searches gave no answer                   (exit 2)
    ├── MissingExtra             an optional install is needed                           (exit 2)
    └── OverBudget               a call was refused because the cap would be passed      (exit 3)

Failures of a single judgement are not errors but records: see `score.Unscored`. What is no error
either, and should be known, is a `Notice`: a warning, which the command line prints as a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable


def meant(given: str, known: Iterable[str]) -> str:
    """`Did you mean heron?` and a blank, to go on from; empty where nothing known is near."""
    from difflib import get_close_matches

    lower = {name.lower(): name for name in known}
    near = [lower[name] for name in get_close_matches(given.lower(), lower, 2)]
    return f"Did you mean {' or '.join(near)}? " if near else ""


class Notice(UserWarning):
    """Something that a person should know although the work goes on: a sentence, maybe two."""


class DeepAssayError(Exception):
    """What went wrong (first argument) and what to do about it (`remedy`)."""

    exit_status = 2

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem}\n  {self.remedy}" if self.remedy else self.problem


class BadInput(DeepAssayError):
    """A file, an option or a value is not what it should be."""


class BadTasks(BadInput):
    """A task file cannot be read; the message names file and line."""


class BadReports(BadInput):
    """A report file or folder cannot be read."""


class BadSnapshots(BadInput):
    """A file of saved pages cannot be read, or does not say which page it holds."""


class DamagedSnapshots(BadSnapshots):
    """Of a file of saved pages all was read that could be; parts of it could not.

    problems: all of them, a sentence each.
    """

    def __init__(self, problem: str, remedy: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(problem, remedy)
        self.problems = problems or (problem,)


class BadSetting(BadInput):
    """An option, a model name, a price list or an entry of assay.toml is wrong."""


class BadRunFile(BadInput):
    """The run file is foreign, torn, locked, or made by a newer version. It was not touched."""


class BadRow(BadRunFile):
    """One row of a run file is damaged, or is nothing that a run writes; the others can be read."""


class NotKept(BadRunFile):
    """A record is larger or nested deeper than can be read back, and is therefore not written."""


class ConfigurationChanged(BadInput):
    """A run file was made under another configuration; the message names each difference."""


class SearchFailed(DeepAssayError):
    """A provider of searches gave no answer, for a reason that the next query would meet too."""


class MissingExtra(DeepAssayError):
    """An optional install is needed; the remedy is the command that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional part of DeepAssay that is not installed.",
            f"Install it: pip install 'deepassay[{extra}]', or '.[{extra}]' in a checkout.",
        )


class OverBudget(DeepAssayError):
    """A call was refused because its worst case would pass the budget."""

    exit_status = 3


class Interrupted(DeepAssayError):
    """A command was ended by SIGINT or SIGTERM, in good order. number: of the signal."""

    def __init__(self, number: int) -> None:
        self.exit_status = 128 + number
        super().__init__(
            "Stopped by a signal; every answer is kept.", "The same command goes on from there."
        )
