"""Rubrics: the weighted criteria of experts that a report meets (ResearchRubrics).

Section 3.4 and equation 1. Every criterion is judged on its own. A report that is too long for the
judge is judged in windows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Final, NamedTuple

from deepassay.errors import BadSetting
from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.details import ScoreDetails
from deepassay.protocols.entries import (
    JudgedEntry,
    Judgement,
    absent_quotes_note,
    commonest,
    out_of_budget,
    quoted_places,
)
from deepassay.protocols.protocol import Case, Protocol, RoleAskers, Sources, gather_limited
from deepassay.protocols.rubrics import released
from deepassay.protocols.rubrics.criteria import (
    GATHER_EVIDENCE,
    JUDGE_CRITERIA,
    JUDGE_ON_EVIDENCE,
    SCALES,
    CriteriaOnReport,
    CriterionVerdict,
    Scale,
    Verdict,
    criterion_item,
    keys_of,
)
from deepassay.protocols.windows import (
    WindowedQuestion,
    ask_about_report,
)
from deepassay.reports.report import Report
from deepassay.results.weighing import MERITS, WeightedMerit, compliance, limits, scale_of
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.rubric import Criterion, rubric_digest

MOST_TOGETHER: Final = 50
"""Criteria of one question: an answer about more is seldom complete."""

OWN_PARTS: Final = frozenset(("mandatory", "optional", "mandatory passed"))
"""Names of parts that are not those of axes."""

COLLAPSED: Final = "Partially Satisfied, which binary grading counts as Not Satisfied: "


@dataclass(frozen=True, repr=False)
class Rubrics(Protocol):
    """Weighted share of a task's rubric that a report meets (ResearchRubrics, equation 1).

    scale: `ternary`, or `binary`, which collapses Partially to Not Satisfied; edition `paper`
    asks the same for both. together: criteria a question.
    """

    scale: Scale = "ternary"
    together: int = 1

    name: ClassVar[str] = "rubrics"
    title: ClassVar[str] = "Rubric compliance"
    source: ClassVar[str] = "ResearchRubrics, sections 3.3 and 3.4, equation 1"
    needs: ClassVar[str] = "a rubric for each task"
    calls: ClassVar[str] = "1 a criterion of the rubric"
    importance: ClassVar[int] = 90
    offline_reads: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale not in SCALES:
            raise BadSetting(
                f"rubrics(scale={self.scale!r}): there is no such scale.",
                f"Write one of {', '.join(SCALES)}.",
            )
        most = 1 if self.edition == "code" else MOST_TOGETHER
        if not 1 <= self.together <= most:
            raise BadSetting(
                f"rubrics(together={self.together}): that many criteria cannot be asked at once.",
                "The released program asks for one at a time: leave the option out."
                if self.edition == "code"
                else f"Give a number from 1 to {most}.",
            )

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Ask for a verdict on every criterion, and weigh them."""
        if missing := self.lacks(case):
            return Unscored(Cause.MISSING_INPUT, missing)
        if self.edition == "code":
            return await released.score(case, ask.judge, self.scale)
        judgements = await _judged(case, ask.judge, self.together)
        if (spent := out_of_budget(judgements)) is not None:
            return spent
        return paper_score(
            [
                JudgedEntry(criterion, on_scale(judgement, self.scale))
                for criterion, judgement in zip(case.task.rubric, judgements, strict=True)
            ]
        )

    def lacks(self, case: Case) -> str:
        """A rubric; in edition `paper` one by which something can be earned."""
        rubric = case.task.rubric
        if not rubric:
            return f"Task {case.task.id} has no rubric."
        if self.edition == "paper" and not any(each.weight > 0 for each in rubric):
            return f"The rubric of task {case.task.id} has no criterion with a positive weight."
        return ""

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question that it asks, and the two by which it judges a report in windows."""
        if self.edition == "code":
            return released.OPERATIONS
        return JUDGE_CRITERIA, GATHER_EVIDENCE, JUDGE_ON_EVIDENCE

    def basis(self, case: Case) -> dict[str, str]:
        """The digest of the rubric of the task."""
        return {"rubric": rubric_digest(case.task.rubric)}


async def _judged(case: Case, ask: Asker, together: int) -> list[Judgement[Verdict]]:
    """What comes of every criterion, in the order of the rubric.

    The first question shows whether the judge can take the report. If it cannot, no other
    question shows the whole of it.
    """
    texts = tuple(each.criterion for each in case.task.rubric)
    first, *others = (texts[start : start + together] for start in range(0, len(texts), together))
    found = await _of_batch(case, first, ask)
    in_windows = any(each.windows for each in found)
    rest = await gather_limited(_of_batch(case, batch, ask, in_windows) for batch in others)
    return list(chain(found, *rest))


async def _of_batch(
    case: Case, criteria: tuple[str, ...], ask: Asker, in_windows: bool = False
) -> list[Judgement[Verdict]]:
    """Judgements on a few criteria. in_windows: the judge cannot take the report as a whole."""
    question = WindowedQuestion(GATHER_EVIDENCE, JUDGE_ON_EVIDENCE, case, {"criteria": criteria})
    if in_windows:
        judged = await question.ask(ask)
    else:
        whole = CriteriaOnReport(
            language=case.task.language,
            report=case.report.text,
            query=case.task.prompt,
            criteria=criteria,
        )
        judged = await ask_about_report(JUDGE_CRITERIA, whole, lambda: question, ask, case.repeat)
    if isinstance(judged, Unscored):
        return [Judgement.failed(judged)] * len(criteria)
    verdicts = judged.verdicts.verdicts
    if not judged.windows:
        return [judgement_of(verdicts[key], case.report) for key in keys_of(criteria)]
    return [
        Judgement(
            verdicts[key].verdict,
            verdicts[key].reason,
            judged.places(key, case.report),
            windows=judged.windows,
        )
        for key in keys_of(criteria)
    ]


def judgement_of(said: CriterionVerdict, report: Report) -> Judgement[Verdict]:
    """A checked answer about the whole report, its quotes with their places."""
    places = quoted_places(said.quotes, report, report.text)
    return Judgement(said.verdict, said.reason, places, absent=len(said.quotes) - len(places))


def on_scale(judgement: Judgement[Verdict], scale: Scale) -> Judgement[Verdict]:
    """The judgement on a scale: binary collapses Partially to Not Satisfied (section 4.1)."""
    if scale == "ternary" or judgement.verdict != "Partially Satisfied":
        return judgement
    return replace(judgement, verdict="Not Satisfied", reason=COLLAPSED + judgement.reason)


# ------------------------------------------------------------------ from verdicts to a score


class MandatoryCounts(NamedTuple):
    """Mandatory criteria of a report: passed, without a verdict, and how many there are."""

    passed: int
    open: int
    of: int


class RubricDetails(ScoreDetails):
    """What is kept of a score. mandatory: counts of the mandatory criteria."""

    mandatory: Mapping[str, int] | None = None


def mark_of(line: JudgedEntry[Criterion, Verdict]) -> WeightedMerit:
    """What equation 1 needs of a criterion."""
    verdict = line.judgement.verdict
    return WeightedMerit(line.entry.weight, None if verdict is None else MERITS[verdict])


def passed(line: JudgedEntry[Criterion, Verdict]) -> bool | None:
    """Whether the report does all it can here: a merit is Satisfied, a fault is Not."""
    verdict = line.judgement.verdict
    wanted = "Satisfied" if line.entry.weight > 0 else "Not Satisfied"
    return None if verdict is None else verdict == wanted


def paper_score(lines: Sequence[JudgedEntry[Criterion, Verdict]]) -> Score | Unscored:
    """The score of edition `paper`.

    parts: compliance of each axis (`axis mandatory` for one of that name), of what is mandatory,
    and of what is optional, where they have positive weights; `mandatory passed`, the share of
    mandatory criteria that are passed.
    Unscored, with the commonest cause, if all criteria of one sign are open.
    """
    marks = [mark_of(line) for line in lines]
    low, high = limits(marks)
    mandatory = _counts(line for line in lines if line.entry.mandatory)
    faults = [line for line in lines if line.entry.weight < 0]
    found = sum(passed(line) is False for line in faults)
    summary = (
        f"{len(lines)} criteria: {mandatory.passed} of {mandatory.of} mandatory ones passed; "
        f"{found} of {len(faults)} penalties apply, in full or in part."
    )
    if pending := sum(mark.merit is None for mark in marks):
        summary += f" {pending} are open: the score lies between {low:.3f} and {high:.3f}."
    if windows := max(line.judgement.windows for line in lines):
        summary += f" The report was read in {windows} overlapping windows."
    absent = sum(line.judgement.absent for line in lines)
    details = RubricDetails(
        low=low,
        high=high,
        open=pending > 0,
        mandatory=mandatory._asdict(),
        summary=summary + absent_quotes_note(absent),
        windows=windows or None,
        quotes_not_found=absent or None,
        items=tuple(
            line.judgement.item(
                criterion_item(line.entry).model_copy(
                    update={
                        "verdict": line.judgement.verdict,
                        "score": mark.merit,
                        "justification": line.judgement.reason,
                        "places": (),
                    }
                )
            )
            for line, mark in zip(lines, marks, strict=True)
        ),
    ).to_json()
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


def parts_of(lines: Sequence[JudgedEntry[Criterion, Verdict]]) -> dict[str, float | None]:
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
    if counts.of:
        decided = counts.of - counts.open
        parts["mandatory passed"] = counts.passed / decided if decided else None
    return parts


def _counts(lines: Iterable[JudgedEntry[Criterion, Verdict]]) -> MandatoryCounts:
    found = [passed(line) for line in lines]
    return MandatoryCounts(found.count(True), found.count(None), len(found))
