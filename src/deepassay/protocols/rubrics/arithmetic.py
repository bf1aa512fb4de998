"""The score of a rubric in edition `paper`, with all that results and `explain` read of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from deepassay.protocols.checklist import left_out
from deepassay.protocols.judgements import Judgement, Line, commonest
from deepassay.protocols.rubrics.questions import Scale, Verdict
from deepassay.results.evidence import EvidenceItem
from deepassay.results.weighing import MERITS, WeightedMerit, compliance, limits, scale_of
from deepassay.score import Cause, Json, Score, Unscored
from deepassay.tasks.rubric import Criterion

OWN_PARTS: Final = frozenset(("mandatory", "optional", "mandatory passed"))
"""Names of parts that are not those of axes."""

COLLAPSED: Final = "Partially Satisfied, which binary grading counts as Not Satisfied: "


def mark_of(line: Line[Criterion, Verdict]) -> WeightedMerit:
    """What equation 1 needs of a criterion."""
    verdict = line.judgement.verdict
    return WeightedMerit(line.entry.weight, None if verdict is None else MERITS[verdict])


def passed(line: Line[Criterion, Verdict]) -> bool | None:
    """Whether the report does all it can here: a merit is Satisfied, a fault is Not."""
    verdict = line.judgement.verdict
    wanted = "Satisfied" if line.entry.weight > 0 else "Not Satisfied"
    return None if verdict is None else verdict == wanted


def on_scale(judgement: Judgement[Verdict], scale: Scale) -> Judgement[Verdict]:
    """The judgement on a scale: binary collapses Partially to Not Satisfied (section 4.1)."""
    if scale == "ternary" or judgement.verdict != "Partially Satisfied":
        return judgement
    return replace(judgement, verdict="Not Satisfied", reason=COLLAPSED + judgement.reason)


def paper_score(lines: Sequence[Line[Criterion, Verdict]]) -> Score | Unscored:
    """The score of edition `paper`.

    parts: compliance of each axis (`axis mandatory` for one of that name), of what is mandatory,
    and of what is optional, where they have positive weights; `mandatory passed`, the share of
    mandatory criteria that are passed.
    details: `low` and `high`, the ends that the score could have; `open`, whether any criterion
    is; `mandatory`, counts; `windows`, where the report was read in any; `quotes_not_found`, where
    there are such; `items`.
    Unscored, with the commonest cause, if all criteria of one sign are open.
    """
    marks = [mark_of(line) for line in lines]
    low, high = limits(marks)
    details: dict[str, Json] = {
        "low": low,
        "high": high,
        "open": any(mark.merit is None for mark in marks),
        "mandatory": _counts(line for line in lines if line.entry.mandatory),
        "summary": _summary(lines, low, high),
        "items": [item_of(line) for line in lines],
    }
    if windows := max(line.judgement.windows for line in lines):
        details["windows"] = windows
    if absent := sum(line.judgement.absent for line in lines):
        details["quotes_not_found"] = absent
        details["summary"] += left_out(absent)
    value = compliance(marks)
    if value is None:
        failed = [line.judgement for line in lines if line.judgement.cause is not None]
        cause = commonest(each.cause for each in failed) if failed else Cause.MISSING_INPUT
        reason = next((each.reason for each in failed if each.cause is cause), "")
        return Unscored(
            cause, f"{len(failed)} of {len(lines)} criteria are open: {reason}", details
        )
    bounds = scale_of(mark.weight for mark in marks)
    return Score(value, bounds, parts=parts_of(lines), details=details)


def parts_of(lines: Sequence[Line[Criterion, Verdict]]) -> dict[str, float | None]:
    """Compliance by axis, mandatory against optional, and the mandatory criteria passed."""
    axes = dict.fromkeys(line.entry.axis for line in lines if line.entry.axis)
    groups = {
        f"axis {axis}" if axis in OWN_PARTS else axis: [
            line for line in lines if line.entry.axis == axis
        ]
        for axis in axes
    }
    groups["mandatory"] = [line for line in lines if line.entry.mandatory]
    groups["optional"] = [line for line in lines if not line.entry.mandatory]
    parts = {
        name: compliance([mark_of(line) for line in group])
        for name, group in groups.items()
        if any(line.entry.weight > 0 for line in group)
    }
    counts = _counts(groups["mandatory"])
    if counts["of"]:
        decided = counts["of"] - counts["open"]
        parts["mandatory passed"] = counts["passed"] / decided if decided else None
    return parts


def item_of(line: Line[Criterion, Verdict]) -> dict[str, Json]:
    """One criterion as `explain` and results read it."""
    criterion, judgement = line
    item = EvidenceItem(
        verdict=judgement.verdict,
        score=mark_of(line).merit,
        justification=judgement.reason,
        places=judgement.places,
    ).to_json()
    cause = {} if judgement.cause is None else {"cause": str(judgement.cause)}
    return criterion_of(criterion) | item | cause


def criterion_of(criterion: Criterion) -> dict[str, Json]:
    """What an item says of its criterion."""
    return EvidenceItem(
        key=criterion.id,
        item=criterion.criterion,
        weight=criterion.weight,
        axis=criterion.axis,
        mandatory=criterion.mandatory,
    ).to_json()


def _counts(lines: Iterable[Line[Criterion, Verdict]]) -> dict[str, int]:
    found = [passed(line) for line in lines]
    return {"passed": found.count(True), "open": found.count(None), "of": len(found)}


def _summary(lines: Sequence[Line[Criterion, Verdict]], low: float, high: float) -> str:
    """The rubric in a few sentences."""
    counts = _counts(line for line in lines if line.entry.mandatory)
    faults = [line for line in lines if line.entry.weight < 0]
    found = sum(passed(line) is False for line in faults)
    said = (
        f"{len(lines)} criteria: {counts['passed']} of {counts['of']} mandatory ones passed; "
        f"{found} of {len(faults)} penalties apply, in full or in part."
    )
    if pending := sum(passed(line) is None for line in lines):
        said += f" {pending} are open: the score lies between {low:.3f} and {high:.3f}."
    if windows := max(line.judgement.windows for line in lines):
        said += f" The report was read in {windows} overlapping windows."
    return said
