"""From verdicts on criteria to a score: edition `paper`, for every setting.

A verdict that did not come is open: the score is given with the two ends that it could have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from deepassay.protocols.details import ScoreDetails
from deepassay.protocols.entries import JudgedEntry, absent_quotes_note, commonest
from deepassay.protocols.rubrics.criteria import criterion_item
from deepassay.protocols.rubrics.setting import RESEARCH_RUBRICS, Setting
from deepassay.protocols.rubrics.trees import branch_named, branches_of, gated, storeys
from deepassay.results.weighing import WeightedMerit, compliance, limits, scale_of
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.rubric import Criterion

Line = JudgedEntry[Criterion, str]

OWN_PARTS: Final = frozenset(("mandatory", "optional", "mandatory passed"))
"""Names of parts that are not those of axes."""


class MandatoryCounts(NamedTuple):
    """Mandatory criteria of a report: passed, without a verdict, and how many there are."""

    passed: int
    open: int
    of: int


class RubricDetails(ScoreDetails):
    """What is kept of a score. mandatory: counts of the mandatory criteria."""

    mandatory: Mapping[str, int] | None = None


def mark_of(line: Line, setting: Setting = RESEARCH_RUBRICS) -> WeightedMerit:
    """What equation 1 needs of a criterion: its weight, and its merit, None while it is open."""
    verdict = line.judgement.verdict
    merit = None if verdict is None else setting.merit_of(line.entry, verdict)
    return WeightedMerit(setting.weight_of(line.entry), merit)


def passed(line: Line) -> bool | None:
    """Whether the report does all it can here: a merit is Satisfied, a fault is Not."""
    verdict = line.judgement.verdict
    wanted = "Satisfied" if line.entry.weight > 0 else "Not Satisfied"
    return None if verdict is None else verdict == wanted


def paper_score(lines: Sequence[Line], setting: Setting = RESEARCH_RUBRICS) -> Score | Unscored:
    """The score of edition `paper`.

    parts: see `parts_of`. Unscored, with the commonest cause, if all criteria of one sign are open;
    and where none applies, or the headline part has nothing to divide by.
    """
    applying = [line for line in lines if _applies(line, setting)]
    marks = [mark_of(line, setting) for line in applying]
    low, high = (_clipped(end, setting) * setting.scale for end in _ends(applying, marks, setting))
    mandatory = _counts(line for line in lines if line.entry.mandatory)
    pending = sum(mark.merit is None for mark in marks)
    windows = max(line.judgement.windows for line in lines)
    absent = sum(line.judgement.absent for line in lines)
    summary = _summary(lines, mandatory) if setting.levels else _counted(lines, setting)
    if pending:
        summary += f" {pending} are open: the score lies between {low:.3f} and {high:.3f}."
    if windows:
        summary += f" The report was read in {windows} overlapping windows."
    details = RubricDetails(
        low=low,
        high=high,
        open=pending > 0,
        mandatory=mandatory._asdict() if setting.levels else None,
        summary=summary + absent_quotes_note(absent),
        windows=windows or None,
        quotes_not_found=absent or None,
        items=tuple(
            line.judgement.item(
                criterion_item(line.entry, setting).model_copy(
                    update={
                        "verdict": line.judgement.verdict,
                        "score": mark_of(line, setting).merit,
                        "justification": line.judgement.reason,
                        "places": (),
                    }
                )
            )
            for line in lines
        ),
    ).to_json()
    parts = parts_of(applying, setting)
    value = parts.get(setting.headline) if setting.headline else _value(applying, marks, setting)
    if value is None:
        return _unscored(lines, details)
    if not setting.headline:
        value = _clipped(value, setting) * setting.scale
    return Score(
        value,
        _bounds(applying, marks, setting),
        parts=parts,
        tally=_tally(marks, setting),
        details=details,
    )


def _applies(line: Line, setting: Setting) -> bool:
    return line.judgement.verdict is None or mark_of(line, setting).merit is not None


def _value(lines: Sequence[Line], marks: Sequence[WeightedMerit], setting: Setting) -> float | None:
    if setting.shape == "flat":
        return compliance(marks, setting.over)
    merits = [mark.merit for mark in marks]
    if setting.shape == "gate":
        low, high = _ends(lines, marks, setting)
        return low if low == high else None
    return storeys([line.entry for line in lines], merits, [mark.weight for mark in marks])


def _ends(
    lines: Sequence[Line], marks: Sequence[WeightedMerit], setting: Setting
) -> tuple[float, float]:
    """The score had all that is open gone as badly as it can, and as well."""
    if setting.shape == "flat":
        return limits(marks, setting.over)
    entries = [line.entry for line in lines]
    found = []
    for end in (0.0, setting.best):
        merits = [end if mark.merit is None else mark.merit for mark in marks]
        if setting.shape == "gate":
            found.append(gated(entries, merits))
        else:
            found.append(storeys(entries, merits, [mark.weight for mark in marks]) or 0.0)
    return found[0], found[1]


def _clipped(value: float, setting: Setting) -> float:
    return min(max(value, 0.0), 1.0) if setting.clip == "report" else value


def _bounds(
    lines: Sequence[Line], marks: Sequence[WeightedMerit], setting: Setting
) -> tuple[float, float]:
    """The lowest and the highest score that these criteria allow."""
    low, high = (
        scale_of([mark.weight for mark in marks], setting.over)
        if setting.shape == "flat" and not setting.headline
        else (0.0, setting.best)
    )
    return _clipped(low, setting) * setting.scale, _clipped(high, setting) * setting.scale


def _tally(marks: Sequence[WeightedMerit], setting: Setting) -> tuple[float, float] | None:
    """Where reports are pooled: what is met of the criteria with a verdict, and their number."""
    if setting.pool != "pooled":
        return None
    known = [mark.merit for mark in marks if mark.merit is not None]
    return sum(known) * setting.scale, float(len(known))


def _unscored(lines: Sequence[Line], details: dict[str, object]) -> Unscored:
    failed = [line.judgement for line in lines if line.judgement.cause is not None]
    if not failed:
        return Unscored(Cause.MISSING_INPUT, "Nothing that counts applies to the report.", details)
    cause = commonest(each.cause for each in failed)
    reason = next((each.reason for each in failed if each.cause is cause), "")
    return Unscored(cause, f"{len(failed)} of {len(lines)} criteria are open: {reason}", details)


def _summary(lines: Sequence[Line], mandatory: MandatoryCounts) -> str:
    faults = [line for line in lines if line.entry.weight < 0]
    found = sum(passed(line) is False for line in faults)
    return (
        f"{len(lines)} criteria: {mandatory.passed} of {mandatory.of} mandatory ones passed; "
        f"{found} of {len(faults)} penalties apply, in full or in part."
    )


def _counted(lines: Sequence[Line], setting: Setting) -> str:
    said = Counter(line.judgement.verdict for line in lines)
    words = [*setting.menu, *(word for word in said if word and word not in setting.menu)]
    told = ", ".join(f"{said[word]} {word}" for word in words if said[word])
    return f"{len(lines)} criteria{': ' + told if told else ''}."


# ------------------------------------------------------------------ parts


def parts_of(lines: Sequence[Line], setting: Setting = RESEARCH_RUBRICS) -> dict[str, float | None]:
    """What a score is made of, by name, where there is something to divide by.

    The score of each axis (`axis mandatory` for one of that name), or of what stands in each branch
    of a tree. With levels: of what is mandatory and what is optional, and `mandatory passed`. With
    importance: of each. With strict: of all, and of each importance, with only whole merits. With a
    clip: `unclipped`. And the rates that the setting has.
    """
    groups: dict[str, Sequence[Line]] = {
        f"axis {name}" if name in OWN_PARTS else name: [
            line for line in lines if name in line.entry.groups
        ]
        for name in dict.fromkeys(chain.from_iterable(line.entry.groups for line in lines))
    }
    if setting.shape != "flat":
        for branch in branches_of(line.entry for line in lines):
            own = [line for line in lines if line.entry.within[: len(branch)] == branch]
            groups[branch_named(branch)] = own
    if setting.levels:
        groups["mandatory"] = [line for line in lines if line.entry.mandatory]
        groups["optional"] = [line for line in lines if not line.entry.mandatory]
    if setting.importance:
        groups["all"] = lines
        for name in dict.fromkeys(line.entry.importance for line in lines):
            groups[name or "unranked"] = [line for line in lines if line.entry.importance == name]
    parts = {
        name: _part(group, setting) for name, group in groups.items() if _counts_in(group, setting)
    }
    if setting.strict:
        wholes = groups if setting.importance else {"all": lines}
        for name, group in wholes.items():
            if _counts_in(group, setting):
                parts[f"strict {name}"] = _part(group, setting, strict=True)
    if setting.levels and (counts := _counts(groups["mandatory"])).of:
        decided = counts.of - counts.open
        parts["mandatory passed"] = counts.passed / decided if decided else None
    if setting.covered:
        found = [mark_of(line, setting) for line in lines]
        whole = [m.merit == float(m.weight >= 0) for m in found if m.merit is not None]
        parts["covered"] = sum(whole) / len(whole) if whole else None
    if setting.clip == "report":
        parts["unclipped"] = _part(lines, setting)
    known = [line.judgement.verdict for line in lines if line.judgement.verdict is not None]
    for rate, word in setting.rates.items():
        parts[rate] = known.count(word) / len(known) * setting.scale if known else None
    return parts


def _counts_in(group: Sequence[Line], setting: Setting) -> bool:
    return any(setting.weight_of(line.entry) > 0 for line in group)


def _part(group: Sequence[Line], setting: Setting, *, strict: bool = False) -> float | None:
    marks = [mark_of(line, setting) for line in group]
    if strict:
        marks = [
            mark if mark.merit is None else mark._replace(merit=float(mark.merit >= 1))
            for mark in marks
        ]
    value = _value(group, marks, setting)
    return None if value is None else value * setting.scale


def _counts(lines: Iterable[Line]) -> MandatoryCounts:
    found = [passed(line) for line in lines]
    return MandatoryCounts(found.count(True), found.count(None), len(found))
