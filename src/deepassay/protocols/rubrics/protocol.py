"""Rubrics: the weighted criteria of experts that a report meets (ResearchRubrics).

Section 3.4 and equation 1. Every criterion is judged on its own. A report that is too long for the
judge is judged in windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Final

from deepassay.errors import BadSetting
from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.entries import JudgedEntry, Judgement, out_of_budget, quoted_places
from deepassay.protocols.protocol import Case, Protocol, RoleAskers, Sources, gather_limited
from deepassay.protocols.rubrics.criteria import (
    GATHER_EVIDENCE,
    JUDGE_CRITERIA,
    JUDGE_ON_EVIDENCE,
    SCALES,
    CriteriaOnReport,
    CriterionVerdict,
    Scale,
    keys_of,
)
from deepassay.protocols.rubrics.menus import (
    AnyChoice,
    CriteriaByMenu,
    given_beside,
    in_words,
    question_by_menu,
    questions_of,
)
from deepassay.protocols.rubrics.scoring import paper_score, uncountable
from deepassay.protocols.rubrics.setting import Setting, setting_of
from deepassay.protocols.windows import WindowedQuestion, ask_about_report
from deepassay.reports.report import Report
from deepassay.score import Cause, Metric, Score, Unscored, digest
from deepassay.tasks.set_tables import own_table, set_in, set_named
from deepassay.tasks.yardsticks import yardstick_digest

MOST_TOGETHER: Final = 50
"""Criteria of one question: an answer about more is seldom complete."""

COLLAPSED: Final = "Partially Satisfied, which binary grading counts as Not Satisfied: "


@dataclass(frozen=True, repr=False)
class Rubrics(Protocol):
    """Weighted share of a task's rubric that a report meets (ResearchRubrics, equation 1).

    set: a published set, or the file of one, that is judged and counted in its own way;
    ResearchRubrics where none is named. scale: `ternary`, or `binary`, which collapses Partially to
    Not Satisfied; edition `paper` asks the same for both. together: criteria a question, 0 for as
    many as the set has it.
    """

    set: str = ""
    scale: Scale = "ternary"
    together: int = 0

    name: ClassVar[str] = "rubrics"
    title: ClassVar[str] = "Rubric compliance"
    source: ClassVar[str] = "ResearchRubrics, sections 3.3 and 3.4, equation 1"
    needs: ClassVar[str] = "a rubric for each task"
    calls: ClassVar[str] = "1 a criterion of the rubric"
    importance: ClassVar[int] = 90
    offline_reads: ClassVar[bool] = False
    table: ClassVar[str] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.set == "researchrubrics":
            object.__setattr__(self, "set", "")
        object.__setattr__(self, "table", self.table or own_table(self.set))
        setting = setting_of(self.set, self.table)
        if self.scale not in SCALES or (self.scale != "ternary" and self.set):
            raise BadSetting(
                f"{self}: there is no such scale.",
                "A set has the scale of its menu: leave the option out."
                if self.set
                else f"Write one of {', '.join(SCALES)}.",
            )
        if self.edition == "code" and self.set and setting.code is None:
            raise BadSetting(
                f"{self.without_edition} has no edition 'code': no program of the set is known.",
                "Leave --edition code out.",
            )
        most = 1 if self.edition == "code" and not self.set else MOST_TOGETHER
        if not 0 <= self.together <= most:
            raise BadSetting(
                f"rubrics(together={self.together}): that many criteria cannot be asked at once.",
                "The released program asks for one at a time: leave the option out."
                if most == 1
                else f"Give a number from 1 to {most}.",
            )
        if self.together == setting.together:
            object.__setattr__(self, "together", 0)

    @property
    def definition(self) -> str:
        """The table of a set of one's own, which a run file keeps."""
        return self.table

    @property
    def setting(self) -> Setting:
        """How criteria are judged and counted, whole."""
        setting = setting_of(self.set, self.table)
        if not self.together:
            return setting
        return setting.model_copy(update={"together": self.together})

    @property
    def pools(self) -> bool:
        """Whether an agent has one share over the criteria of all its reports."""
        return self.setting.pool == "pooled"

    def describe(self) -> Metric:
        """What a run file keeps of it; of a set, what that is called and where it comes from."""
        if not self.set:
            return super().describe()
        found = set_in(self.table, self.set) if self.table else set_named(self.set)
        clips = self.setting.clip == "mean"
        return replace(super().describe(), title=found.title, source=found.source, clips=clips)

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Ask for a verdict on every criterion, and weigh them."""
        if missing := self.lacks(case):
            return Unscored(Cause.MISSING_INPUT, missing)
        setting = self.setting
        if self.edition == "code":
            from deepassay.protocols.rubrics import released, released_sets

            if self.set:
                return await released_sets.score(case, ask.judge, setting)
            return await released.score(case, ask.judge, self.scale)
        judgements = await judged_criteria(case, ask.judge, setting)
        if (spent := out_of_budget(judgements)) is not None:
            return spent
        return paper_score(
            [
                JudgedEntry(criterion, on_scale(judgement, self.scale))
                for criterion, judgement in zip(case.task.rubric, judgements, strict=True)
            ],
            setting,
        )

    def lacks(self, case: Case) -> str:
        """A rubric; in edition `paper` one by which something can be earned."""
        rubric, setting = case.task.rubric, self.setting
        released = setting.code if self.edition == "code" else None
        if not rubric:
            counts = released is not None and "none-counts-zero" in released.quirks
            return "" if counts else f"Task {case.task.id} has no rubric."
        if self.edition == "paper" and not any(setting.weight_of(each) > 0 for each in rubric):
            return f"The rubric of task {case.task.id} has no criterion with a positive weight."
        problem = uncountable(rubric, setting)
        return problem and f"Task {case.task.id}: {problem}"

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question that it asks, and the two by which it judges a report in windows."""
        if self.edition == "code":
            from deepassay.protocols.rubrics.released import OPERATIONS

            return (questions_of(self.setting).released,) if self.set else OPERATIONS
        return asked_by(self.setting)

    def basis(self, case: Case) -> dict[str, str]:
        """The digest of the rubric of the task; of a set, how it judges and what it tells too."""
        found = {"rubric": yardstick_digest(case.task.rubric)}
        if self.set:
            told = given_beside(case.task, self.setting)
            found |= {
                "setting": self.setting.digest,
                "told": digest([case.task.request, told["blocked"]]),
            }
        return found


def asked_by(setting: Setting) -> tuple[Operation[Any, Any], ...]:
    """What edition `paper` may ask of a report under a setting."""
    if setting.levels:
        return JUDGE_CRITERIA, GATHER_EVIDENCE, JUDGE_ON_EVIDENCE
    questions = questions_of(setting)
    return questions.whole, GATHER_EVIDENCE, questions.on_evidence


async def judged_criteria(case: Case, ask: Asker, setting: Setting) -> list[Judgement[str]]:
    """What comes of every criterion, in the order of the rubric.

    The first question shows whether the judge can take the report. If it cannot, no other
    question shows the whole of it.
    """
    language = case.task.language
    texts = tuple(in_words(each, setting, language) for each in case.task.rubric)
    together = setting.together or len(texts)
    first, *others = (texts[start : start + together] for start in range(0, len(texts), together))
    found = await _of_batch(case, first, ask, setting)
    in_windows = any(each.windows for each in found)
    rest = await gather_limited(
        _of_batch(case, batch, ask, setting, in_windows) for batch in others
    )
    return list(chain(found, *rest))


async def _of_batch(
    case: Case,
    criteria: tuple[str, ...],
    ask: Asker,
    setting: Setting,
    in_windows: bool = False,
) -> list[Judgement[str]]:
    """Judgements on a few criteria. in_windows: the judge cannot take the report as a whole."""
    task = case.task
    whole: Operation[Any, Any] = JUDGE_CRITERIA
    decide: Operation[Any, Any] = JUDGE_ON_EVIDENCE
    inputs: CriteriaOnReport | CriteriaByMenu
    common: dict[str, Any] = {
        "language": task.language,
        "report": case.report.text,
        "criteria": criteria,
    }
    told: dict[str, Any] = {}
    if setting.levels:
        inputs = CriteriaOnReport(**common, query=task.prompt)
    else:
        questions = questions_of(setting)
        whole, decide = questions.whole, questions.on_evidence
        told, inputs = given_beside(task, setting), question_by_menu(case, criteria, setting)
        if task.request:
            case = replace(case, task=task.model_copy(update={"prompt": task.request}))
    question: WindowedQuestion[Any, Any, Any] = WindowedQuestion(
        GATHER_EVIDENCE, decide, case, {"criteria": criteria}, told
    )
    if in_windows:
        judged = await question.ask(ask)
    else:
        judged = await ask_about_report(whole, inputs, lambda: question, ask, case.repeat)
    if isinstance(judged, Unscored):
        return [Judgement.failed(judged)] * len(criteria)
    verdicts = judged.verdicts.verdicts
    if not judged.windows:
        return [judgement_of(verdicts[key], case.report) for key in keys_of(criteria)]
    return [
        Judgement(
            verdicts[key].verdict,
            getattr(verdicts[key], "reason", ""),
            judged.places(key, case.report),
            windows=judged.windows,
        )
        for key in keys_of(criteria)
    ]


def judgement_of(said: CriterionVerdict | AnyChoice, report: Report) -> Judgement[str]:
    """A checked answer about the whole report, its quotes with their places."""
    quotes: Sequence[str] = getattr(said, "quotes", ())
    places = quoted_places(quotes, report, report.text)
    reason = getattr(said, "reason", "")
    return Judgement(said.verdict, reason, places, absent=len(quotes) - len(places))


def on_scale(judgement: Judgement[str], scale: Scale) -> Judgement[str]:
    """The judgement on a scale: binary collapses Partially to Not Satisfied (section 4.1)."""
    if scale == "ternary" or judgement.verdict != "Partially Satisfied":
        return judgement
    return replace(judgement, verdict="Not Satisfied", reason=COLLAPSED + judgement.reason)
