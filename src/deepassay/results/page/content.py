"""What the page is made of: judgements, and the texts and pages that they speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from deepassay.results.agents import Agents
from deepassay.results.lengths import MeasuredReport
from deepassay.results.quoted_passages import Archive
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.score import Json


@dataclass(frozen=True)
class LintRemark:
    """A mechanical finding in a report. start, end: characters of its text. line: from 1."""

    code: str
    message: str
    reason: str
    start: int
    end: int
    line: int


@dataclass(frozen=True)
class JudgedText:
    """A report as it was judged.

    sample: which of several answers, from 1. statements: where those begin and end that it makes,
    by their wording without citations.
    """

    agent: str
    task: str
    sample: int
    text: str
    remarks: tuple[LintRemark, ...] = ()
    statements: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run as a whole.

    spent: USD, as far as known; unpriced: some of it is not. usage: tokens by kind. attempts: by
    the kind of end they came to.
    """

    name: str
    configuration: Mapping[str, Json]
    spent: float
    unpriced: bool
    usage: Mapping[str, int]
    attempts: Mapping[str, int]


@dataclass(frozen=True)
class Content:
    """All that the page shows. tasks: identifier and prompt, in the order of the page.

    lengths: of the reports, which some figures draw. agents: what their runs took.
    """

    boards: Sequence[Board]
    records: Sequence[Judged]
    tasks: Mapping[str, str]
    reports: Sequence[JudgedText]
    runs: Sequence[RunFacts]
    archive: Archive
    version: str
    lengths: Sequence[MeasuredReport] = ()
    agents: Agents = field(default_factory=dict)
