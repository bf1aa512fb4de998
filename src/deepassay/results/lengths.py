"""How long reports are, with the addresses in them and without, and the means of each agent.

LiveResearchBench (section 5, figure 5) finds that long addresses and doubled links make reports
longer than what they say; it does not define how it counts, so the counts here are ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles
from typing import NamedTuple, Self

from deepassay.errors import BadSetting
from deepassay.results.aggregate import task_means


class Length(NamedTuple):
    """How much of a text there is. tokens: estimated."""

    characters: int
    words: int
    tokens: int


class LengthCounts(NamedTuple):
    """What is counted of a report, or the means of these. bare: with the addresses taken out."""

    characters: float
    words: float
    tokens: float
    bare_characters: float
    bare_words: float
    bare_tokens: float
    citations: float
    references: float


@dataclass(frozen=True)
class MeasuredReport:
    """One report. whole: as it stands; bare: with the addresses taken out. labels: of the task.

    citations: markers in the body. references: entries of its reference lists.
    """

    agent: str
    task: str
    sample: int
    labels: Mapping[str, str]
    whole: Length
    bare: Length
    citations: int
    references: int

    @property
    def counts(self) -> LengthCounts:
        """Everything that is counted."""
        return LengthCounts(*self.whole, *self.bare, self.citations, self.references)


@dataclass(frozen=True)
class MeanLengths:
    """One agent, for all tasks or those with one value of a label."""

    value: str | None
    agent: str
    tasks: int
    means: LengthCounts


def mean_lengths(reports: Sequence[MeasuredReport], by: str | None = None) -> list[MeanLengths]:
    """The means of each agent over all tasks, then for each value of the label `by`.

    Within a task the mean over the agent's answers. Raises BadSetting for a label that no task has.
    """
    rows = _by_agent(None, reports)
    if by is None or not reports:
        return rows
    if not any(by in each.labels for each in reports):
        names = sorted({name for each in reports for name in each.labels})
        raise BadSetting(
            f"No task has a label {by!r}.", f"Labels of these tasks: {', '.join(names) or 'none'}."
        )
    values = sorted({each.labels.get(by, "(none)") for each in reports})
    for value in values:
        rows += _by_agent(value, [r for r in reports if r.labels.get(by, "(none)") == value])
    return rows


def _by_agent(value: str | None, reports: Iterable[MeasuredReport]) -> list[MeanLengths]:
    agents: dict[str, list[MeasuredReport]] = {}
    for each in reports:
        agents.setdefault(each.agent, []).append(each)
    return [_means(value, agent, own) for agent, own in sorted(agents.items())]


def _means(value: str | None, agent: str, reports: Sequence[MeasuredReport]) -> MeanLengths:
    columns = zip(*(each.counts for each in reports), strict=True)
    paths = [(each.task, each.sample) for each in reports]
    by_task = [
        task_means(zip(paths, map(float, column), strict=True)).values() for column in columns
    ]
    return MeanLengths(value, agent, len(by_task[0]), LengthCounts(*map(fmean, by_task)))


def agent_lengths(reports: Sequence[MeasuredReport]) -> dict[str, LengthCounts]:
    """The means of each agent over all tasks, by its name; nothing without reports."""
    return {row.agent: row.means for row in _by_agent(None, reports)}


class FiveNumbers(NamedTuple):
    """How numbers are distributed; quartiles are linear between them."""

    lowest: float
    first_quartile: float
    median: float
    third_quartile: float
    highest: float

    @classmethod
    def of(cls, values: Sequence[int]) -> Self:
        """Those of some numbers, at least one."""
        known = sorted(values)
        one, two, three = quantiles(known * 2 if len(known) == 1 else known, method="inclusive")
        return cls(known[0], one, two, three, known[-1])


class TokenSpread(NamedTuple):
    """How the tokens of several reports are distributed, with web addresses and without."""

    reports: int
    whole: FiveNumbers
    bare: FiveNumbers


def token_spreads(
    reports: Iterable[MeasuredReport], key: Callable[[MeasuredReport], str]
) -> dict[str, TokenSpread]:
    """That of the reports of each key, keys sorted."""
    groups: defaultdict[str, list[MeasuredReport]] = defaultdict(list)
    for each in reports:
        groups[key(each)].append(each)
    return {
        name: TokenSpread(
            len(own),
            FiveNumbers.of([each.whole.tokens for each in own]),
            FiveNumbers.of([each.bare.tokens for each in own]),
        )
        for name, own in sorted(groups.items())
    }
