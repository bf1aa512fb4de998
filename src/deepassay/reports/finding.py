"""What a mechanical rule is, and what it found in a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Literal, NamedTuple

from deepassay.reports.spans import Span

if TYPE_CHECKING:
    from deepassay.reports.report import Report

Level = Literal["warning", "note"]


class Hit(NamedTuple):
    """One place where a rule fires, and what to say about it."""

    span: Span
    message: str


@dataclass(frozen=True)
class Rule:
    """A mechanical rule: a pure function from a report to the places where it fires.

    code: stable for ever, `DA` and three digits. name: words with hyphens, also the name of
    its check and its fixture. reason: one line on why it matters. sources: what it stands for
    in LiveResearchBench: `P3` is check 3 of Table 2, `G18` is Figure 18 of appendix G; empty
    for rules of our own. A rule that names a check P fails that check when it fires.
    level: `note` for what is a matter of taste. fixable: whether `fix` may repair it.
    `check` takes the thresholds of the rule, whole numbers, by keyword with a default: these are
    its options. given: those that are set otherwise.
    version: raised by one after a change of what the rule finds in any text; protocols write the
    versions of the rules that they use into their recipes.
    """

    code: str
    name: str
    reason: str
    sources: tuple[str, ...]
    check: Callable[..., Iterable[Hit]]
    level: Level = "warning"
    fixable: bool = False
    version: int = 1
    given: tuple[tuple[str, int], ...] = ()

    def hits(self, report: Report) -> Iterable[Hit]:
        """The places where it fires."""
        return self.check(report, **dict(self.given))

    @property
    def options(self) -> dict[str, int]:
        """Names of its options and their defaults."""
        named = list(signature(self.check).parameters.values())[1:]
        return {each.name: each.default for each in named if each.default is not each.empty}


@dataclass(frozen=True)
class Finding:
    """A hit of a rule with its place in a file.

    Lines and columns count from 1, columns in characters; the end is the first character
    after the span. `path` is empty for a report that came from no file; several reports of a table
    may share one. agent, task, sample: of the report, as far as they are known.
    """

    rule: Rule
    message: str
    span: Span
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    agent: str = ""
    task: str = ""
    sample: int = 1

    @property
    def code(self) -> str:
        """The code of the rule that made the finding, such as `DA101`."""
        return self.rule.code

    @property
    def report(self) -> tuple[str, str, str, int]:
        """Which report it is in, among all that are looked at: its path, agent, task, sample."""
        return self.path, self.agent, self.task, self.sample


def runs(values: Iterable[int], dash: str = "-") -> list[str]:
    """Numbers as they are written in a list, three and more in a row as a range."""
    found: list[list[int]] = []
    for value in values:
        if found and value == found[-1][-1] + 1:
            found[-1].append(value)
        else:
            found.append([value])
    parts: list[str] = []
    for run in found:
        parts += [f"{run[0]}{dash}{run[-1]}"] if len(run) > 2 else map(str, run)
    return parts


def numbers_in_words(values: Iterable[int], longest: int = 12) -> str:
    """Ascending numbers for a message: `2, 5-9, 12`, cut if there are many."""
    parts = runs(values)
    rest = len(parts) - longest
    return ", ".join(parts[:longest]) + (f" and {rest} more" if rest > 0 else "")
