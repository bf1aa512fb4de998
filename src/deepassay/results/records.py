"""A judgement as findings see it: what was judged, by whom, with which outcome and recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deepassay.score import Metric, Score, Signature, Unscored


@dataclass(frozen=True)
class Judged:
    """One expected judgement and its outcome.

    protocol: its name as one writes it. agent, task: identifiers. sample: which of several
    answers of the agent to the task. repeat: which of several judgements of one answer.
    labels: of the task. What a panel of judges says together is one outcome. metric: what the run
    file says of the protocol, if anything.
    """

    protocol: str
    agent: str
    task: str
    sample: int
    repeat: int
    labels: Mapping[str, str]
    outcome: Score | Unscored
    signature: Signature
    metric: Metric | None = None
