"""Outcomes of ours as scores of Inspect: a value or none, the recipe, and the evidence to read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from inspect_ai.scorer import Metric, Score, mean, stderr

from deepassay.results.evidence import TOGETHER, EvidenceItem, JudgeOutcome, reading_of
from deepassay.results.explain import headline, summary_of, verdict_of
from deepassay.runfile import StoredScore
from deepassay.score import Cause, Json, Signature, Unscored, from_json

PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "bibliography": ("recall", "precision"),
    "direct_rating": ("presentation", "consistency", "coverage", "depth", "citation_association"),
    "fact": ("E.Cit",),
    "kae": ("KSR", "KCR", "KOR"),
    "race": ("comprehensiveness", "insight", "instruction_following", "readability"),
    "retrieval": ("found", "opened", "cited"),
}
"""Parts that reports of all tasks have, and that stand beside the value as numbers of their own.

Inspect takes the names of all numbers from the first sample that has any, and ends with an error,
after everything was paid, where another sample lacks one: a part of one task only is none here.
"""

OVERALL: Final = "overall"
"""The name of the value among its parts; that of the scorer would hide it in the viewer."""

NO_RESPONSE: Final = "no_response"
GRADER_FAILED: Final = "grader_failed"
SCORING_FAILED: Final = "scoring_failed"

_OF_THE_JUDGE: Final = {
    Cause.JUDGE_REFUSED,
    Cause.ANSWER_UNREADABLE,
    Cause.ANSWER_TRUNCATED,
    Cause.JUDGE_UNREACHABLE,
    Cause.TIMEOUT,
    Cause.CONTEXT_OVERFLOW,
}


def inspect_metrics_of(protocol: str) -> list[Metric] | dict[str, list[Metric]]:
    """Mean and standard error of the value, and of each part that stands beside it."""
    if protocol not in PARTS:
        return [mean(), stderr()]
    return {name: [mean(), stderr()] for name in (OVERALL, *PARTS[protocol])}


def inspect_score_of(
    stored: StoredScore, protocol: str, wrote: bool, basis: Mapping[str, str]
) -> Score:
    """An outcome as Inspect keeps it.

    protocol: its name, without options. wrote: whether there is a report. basis: digests of what
    decides the score besides prompt and report. Metadata holds our own recipe: the header of a log
    that is scored again still names the first judge.
    """
    outcome = from_json(stored.outcome)
    signature = Signature(stored.identity, stored.record)
    metadata: dict[str, Json] = {
        "protocol": stored.protocol,
        "signature": str(signature),
        "recipe": signature.digest,
        "basis": dict(basis),
        "record": stored.record,
        "details": dict(outcome.details),
    }
    explanation = "\n".join(explanation_as_markdown(reading_of(outcome)))
    if isinstance(outcome, Unscored):
        return unscored(outcome, explanation, metadata, wrote)
    parts = {each: part for each, part in outcome.parts.items() if part is not None}
    metadata |= {"parts": parts} | {name: stored.outcome[name] for name in ("bounds", "tally")}
    if protocol not in PARTS:
        return Score(value=outcome.value, explanation=explanation, metadata=metadata)
    value = {OVERALL: outcome.value} | {each: parts.get(each, math.nan) for each in PARTS[protocol]}
    return Score(value=value, explanation=explanation, metadata=metadata)


def unscored(
    outcome: Unscored, explanation: str, metadata: Mapping[str, Json], wrote: bool = True
) -> Score:
    """No score, with the reason in Inspect's words and the cause in ours."""
    if outcome.cause is Cause.MISSING_INPUT and not wrote:
        reason = NO_RESPONSE
    else:
        reason = GRADER_FAILED if outcome.cause in _OF_THE_JUDGE else SCORING_FAILED
    return Score.unscored(
        reason=reason,
        explanation=explanation,
        metadata={**metadata, "cause": str(outcome.cause), "detail": outcome.detail},
    )


def explanation_as_markdown(outcome: JudgeOutcome) -> Iterator[str]:
    """What the score rests on, as Markdown: the value, and every item with its reason."""
    voices = {TOGETHER: outcome, **outcome.evidence.judges}
    for judge, voice in voices.items():
        yield f"{f'Judge {judge}: ' if judge else ''}{headline(voice)}"
        if voice.evidence.not_asked:
            yield f"\nNobody was asked: {voice.evidence.not_asked}"
        if summary := summary_of(voice.evidence):
            yield f"\n{summary}"
        yield ""
        yield from map(_item, voice.evidence.items)
        yield ""


def _item(item: EvidenceItem) -> str:
    reason = f" — {' '.join(item.reason.split())}" if item.reason else ""
    said = " ".join(item.item.split())
    return f"{'  ' * item.depth}- **{item.key}** {verdict_of(item)}: {said}{reason}"
