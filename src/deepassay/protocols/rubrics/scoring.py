"""From verdicts on criteria to a score: edition `paper`, for every setting.

A verdict that did not come is open: the score is given with the two ends that it could have. Which
criteria belong to a part of it, `parts_by` says for both editions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from deepassay.protocols.entries import JudgedEntry, absent_quotes_note
from deepassay.protocols.protocol import ScoreDetails
from deepassay.protocols.rubrics.criteria import criterion_item
from deepassay.protocols.rubrics.setting import RESEARCH_RUBRICS, Setting
from deepassay.protocols.rubrics.trees import branch_named, branches_of, gated, storeys
from deepassay.results.weighing import WeightedMerit, compliance, limits, passed
from deepassay.score import Cause, Score, Unscored, commonest
from deepassay.tasks.yardsticks import Criterion

Line = JudgedEntry[Criterion, str]


class MandatoryCounts(NamedTuple):
    """Mandatory criteria of a report: passed, without a verdict, and how many there are."""

    passed: int
    open: int
    of: int


class RubricDetails(ScoreDetails):
    """What is kept of a score. mandatory: counts of the mandatory criteria."""

    mandatory: Mapping[str, int] | None = None


def marked_of(line: Line, setting: Setting) -> MarkedCriterion:
    """A criterion with its verdict and merit; of one that is open neither."""
    verdict = line.judgement.verdict
    merit = None if verdict is None else setting.merit_of(line.entry, verdict)
    return MarkedCriterion(line.entry, verdict, merit)


def paper_score(lines: Sequence[Line], setting: Setting = RESEARCH_RUBRICS) -> Score | Unscored:
    """The score of edition `paper`.

    parts: see `score_parts`. Unscored, with the commonest cause, if all criteria of one sign are
    open; and where none applies, or the headline part has nothing to divide by.
    """
    marked = [marked_of(line, setting) for line in lines if _applies(line, setting)]
    low, high = (_clipped(end, setting) * setting.scale for end in _ends(marked, setting))
    mandatory = _counts(each for each in marked if each.criterion.mandatory)
    pending = sum(each.merit is None for each in marked)
    windows = max(line.judgement.windows for line in lines)
    absent = sum(line.judgement.absent for line in lines)
    summary = _summary(marked, mandatory) if setting.levels else _counted(lines, setting)
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
                        "score": marked_of(line, setting).merit,
                        "justification": line.judgement.reason,
                        "places": (),
                    }
                )
            )
            for line in lines
        ),
    ).to_json()
    parts = score_parts(marked, setting)
    value = parts.get(setting.headline) if setting.headline else _value(marked, setting)
    if value is None:
        return _unscored(lines, details)
    if not setting.headline:
        value = _clipped(value, setting) * setting.scale
    return Score(
        value,
        score_bounds(marked, setting),
        parts=parts,
        tally=_tally(marked, setting),
        details=details,
    )


def _applies(line: Line, setting: Setting) -> bool:
    return line.judgement.verdict is None or marked_of(line, setting).merit is not None


def _marks(marked: Sequence[MarkedCriterion], setting: Setting) -> list[WeightedMerit]:
    return [WeightedMerit(setting.weight_of(each.criterion), each.merit) for each in marked]


def _value(marked: Sequence[MarkedCriterion], setting: Setting) -> float | None:
    """What some criteria come to, on the scale of merits; None where that is not known."""
    marks = _marks(marked, setting)
    if setting.shape == "flat":
        return compliance(marks, setting.over, setting.extremes)
    low, high = _ends(marked, setting)
    if setting.shape == "gate":
        return low if low == high else None
    merits, weights = [mark.merit for mark in marks], [mark.weight for mark in marks]
    value = storeys([each.criterion for each in marked], merits, weights, setting.over)
    # What is left out of a storey with what is open in it must not carry it past the ends.
    return None if value is None else min(max(value, low), high)


def _ends(marked: Sequence[MarkedCriterion], setting: Setting) -> tuple[float, float]:
    """What they come to had all that is open gone as badly as it can, and as well."""
    marks = _marks(marked, setting)
    if setting.shape == "flat":
        return limits(marks, setting.over, setting.extremes)
    entries = [each.criterion for each in marked]
    weights = [mark.weight for mark in marks]
    found = []
    for worse, better in (setting.extremes, setting.extremes[::-1]):
        merits = [
            (better if mark.weight < 0 else worse) if mark.merit is None else mark.merit
            for mark in marks
        ]
        found.append(
            gated(entries, merits)
            if setting.shape == "gate"
            else storeys(entries, merits, weights, setting.over) or 0.0
        )
    return found[0], found[1]


def uncountable(rubric: Sequence[Criterion], setting: Setting) -> str:
    """Why the shape of a setting cannot count a rubric, in a sentence; nothing where it can."""
    weights = [setting.weight_of(each) for each in rubric]
    if setting.shape == "gate":
        odd = min(weights) <= 0 or max(weights) != min(weights)
        told = (
            'shape = "gate" counts all criteria alike, and of these weights differ or are not above'
        )
        return f'{told} 0: write weights = "equal", or another shape.' if odd else ""
    if setting.shape == "flat" or min(weights) >= 0:
        return ""
    prefixes = {each.within[:depth] for each in rubric for depth in range(len(each.within) + 1)}
    for branch in sorted(prefixes):
        own = [n for n, each in enumerate(rubric) if each.within[: len(branch)] == branch]
        inside, heavy = [rubric[n] for n in own], [weights[n] for n in own]
        if max(heavy) > 0 and storeys(inside, [1.0] * len(own), heavy, setting.over) is None:
            return (
                f"the weights in {'/'.join(branch) or 'the whole'} sum to no more than 0, by which "
                'nothing can be divided: write over = "positive", or change them.'
            )
    return ""


def _clipped(value: float, setting: Setting) -> float:
    return min(max(value, 0.0), 1.0) if setting.clip == "report" else value


def score_bounds(marked: Sequence[MarkedCriterion], setting: Setting) -> tuple[float, float] | None:
    """The lowest and the highest score that these criteria allow; None of a part with faults.

    Without criteria those of the menu.
    """
    faults = any(setting.weight_of(each.criterion) < 0 for each in marked)
    if setting.headline and faults:
        return None
    low, high = setting.extremes
    if marked and not setting.headline and (setting.shape == "flat" or faults):
        low, high = _ends([each._replace(merit=None) for each in marked], setting)
    return _clipped(low, setting) * setting.scale, _clipped(high, setting) * setting.scale


def _tally(marks: Sequence[MarkedCriterion], setting: Setting) -> tuple[float, float] | None:
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


def _summary(lines: Sequence[MarkedCriterion], mandatory: MandatoryCounts) -> str:
    faults = [line for line in lines if line.criterion.weight < 0]
    found = sum(passed(line.word, line.criterion.weight) is False for line in faults)
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


def score_parts(marked: Sequence[MarkedCriterion], setting: Setting) -> dict[str, float | None]:
    """What a score is made of, by name, where there is something to divide by: see `parts_by`.

    With levels also what is mandatory and what is optional, and `mandatory passed`, the share of
    mandatory criteria that are; with a clip `unclipped`.
    """

    def value_of(group: Sequence[MarkedCriterion]) -> float | None:
        value = _value(group, setting)
        return None if value is None else value * setting.scale

    parts = parts_by(marked, setting, value_of)
    if setting.levels:
        mandatory = [each for each in marked if each.criterion.mandatory]
        optional = [each for each in marked if not each.criterion.mandatory]
        for name, group in (("mandatory", mandatory), ("optional", optional)):
            if any(each.criterion.weight > 0 for each in group):
                parts[name] = value_of(group)
        if (counts := _counts(mandatory)).of:
            decided = counts.of - counts.open
            parts["mandatory passed"] = counts.passed / decided if decided else None
    if setting.clip == "report":
        parts["unclipped"] = value_of(marked)
    return parts


def _counts(lines: Iterable[MarkedCriterion]) -> MandatoryCounts:
    found = [passed(line.word, line.criterion.weight) for line in lines]
    return MandatoryCounts(found.count(True), found.count(None), len(found))


OWN_PARTS: Final = frozenset(("mandatory", "optional", "mandatory passed"))
"""Names of parts that are not those of axes."""


class MarkedCriterion(NamedTuple):
    """A criterion, the verdict on it as a word, and its merit; None where there is none."""

    criterion: Criterion
    word: str | None
    merit: float | None


def parts_by(
    lines: Sequence[MarkedCriterion],
    setting: Setting,
    value_of: Callable[[Sequence[MarkedCriterion]], float | None],
) -> dict[str, float | None]:
    """What a score is made of, by name. value_of: what some criteria come to.

    The score of each axis (`axis mandatory` for one of that name) and tag, or of what stands in
    each branch of a tree. With importance: of all, and of each. With strict: the same with only
    whole merits. With covered: `covered`. Of a tree that gates: `uncut`, its score had nothing been
    cut that stands behind a failure. And the rates that the setting has.
    """
    groups = {
        f"axis {name}" if name in OWN_PARTS else name: [
            each for each in lines if name in each.criterion.groups
        ]
        for name in dict.fromkeys(chain.from_iterable(each.criterion.groups for each in lines))
    }
    for branch in branches_of(each.criterion for each in lines) if setting.shape != "flat" else ():
        groups[branch_named(branch)] = [
            each for each in lines if each.criterion.within[: len(branch)] == branch
        ]
    wholes: dict[str, list[MarkedCriterion]] = {"all": list(lines)} if setting.strict else {}
    if setting.importance:
        wholes["all"] = list(lines)
        for each in lines:
            wholes.setdefault(each.criterion.importance or "unranked", []).append(each)
        groups |= wholes
    if setting.strict:
        groups |= {f"strict {name}": [*map(_strict, own)] for name, own in wholes.items()}
    parts = {
        name: value_of(own)
        for name, own in groups.items()
        if any(setting.weight_of(each.criterion) > 0 for each in own)
    }
    known = [each for each in lines if each.word is not None]
    if setting.covered:
        whole = sum(each.merit == float(each.criterion.weight >= 0) for each in known)
        parts["covered"] = whole / len(known) if known else None
    if setting.shape == "gate":
        merits = [each.merit for each in known if each.merit is not None]
        entries = [each.criterion for each in lines]
        whole_tree = len(merits) == len(entries)
        parts["uncut"] = gated(entries, merits, cuts=False) if whole_tree else None
    for rate, word in setting.rates.items():
        count = sum(each.word == word for each in known)
        parts[rate] = count / len(known) * setting.scale if known else None
    return parts


def _strict(line: MarkedCriterion) -> MarkedCriterion:
    return line if line.merit is None else line._replace(merit=float(line.merit >= 1))
