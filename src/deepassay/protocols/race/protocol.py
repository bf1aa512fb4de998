"""RACE: a report held against a reference on criteria of its task (DeepResearch Bench, 3.1).

A judge marks both on every criterion, 0 to 10; the score is the report's share of the weighted
marks, 0 to 1, 0.5 at parity. The ablations and baselines of Table 2 are fields of one value.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Final, TypeVar

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation
from deepassay.protocols.protocol import Case, Protocol, Role, RoleAskers, Sources
from deepassay.protocols.race.arithmetic import (
    BOUNDS,
    Marked,
    absolute_score,
    overall_score,
    parity,
    relative_score,
    weighted,
)
from deepassay.protocols.race.cleaning import CLEAN, CLEAN_AS_RELEASED, cleaned
from deepassay.protocols.race.questions import (
    COMPARE,
    GRADE,
    VANILLA,
    ComparedMarks,
    CriteriaList,
    OneArticle,
    PlainArticle,
    TwoArticles,
)
from deepassay.protocols.race.static_criteria import STATIC_DIGEST, static_criterions
from deepassay.reports.clean import CLEANING
from deepassay.reports.report import Report
from deepassay.score import Cause, Score, Unscored, digest
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria

Given = TypeVar("Given")

MENUS: Final = {
    "position": ("first", "second", "both"),
    "criteria": ("task", "static"),
    "cleaning": ("rules", "model", "none"),
}


@dataclass(frozen=True, repr=False)
class Race(Protocol):
    """Share of the weighted marks that a report has against a reference.

    criteria_weights, dimension_weights: whether the task's weights count, or all weigh the same.
    reference: False marks the report alone; the score is its weighted mark by ten.
    position: of the report, `first` as published, `second`, or `both`: the mean of the marks of
    two questions, which is ours. criteria: those of the `task`, or `static` ones, all of a
    dimension weighing the same. vanilla: one mark without criteria, by ten. cleaning: of citations,
    by `rules`, by a `model` in the role cleaner, or `none`.
    """

    criteria_weights: bool = True
    dimension_weights: bool = True
    reference: bool = True
    position: str = "first"
    criteria: str = "task"
    vanilla: bool = False
    cleaning: str = "rules"

    name: ClassVar[str] = "race"
    title: ClassVar[str] = "RACE"
    source: ClassVar[str] = "DeepResearch Bench, sections 3.1 and 4.3, Table 2"
    needs: ClassVar[str] = "criteria for each task; a reference report"
    calls: ClassVar[str] = "1 a report"
    importance: ClassVar[int] = 100
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS

    @property
    def roles(self) -> tuple[Role, ...]:
        """Judge, and cleaner where a model cleans."""
        return ("judge", "cleaner") if self.cleaning == "model" else ("judge",)

    @property
    def offline_reads(self) -> bool:
        """Not without criteria: the offline judge then orders reports by chance."""
        return not self.vanilla

    @property
    def cleans(self) -> bool:
        """Unless it is told not to."""
        return self.cleaning != "none"

    @property
    def rules(self) -> dict[str, int]:
        """Those that clean articles, where no model does."""
        return {"clean": CLEANING} if self.cleaning == "rules" else {}

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, menu in MENUS.items():
            if getattr(self, field) not in menu:
                raise BadSetting(
                    f"race({field}={getattr(self, field)!r}): there is no such {field}.",
                    f"Choose one of: {', '.join(menu)}.",
                )
        self._refuse_idle_options()
        if self.edition == "code" and self._changed - {"cleaning"}:
            raise BadSetting(
                f"{replace(self, edition='paper')} has no edition 'code': "
                "the released program holds no code for ablations.",
                "Leave out either these options or --edition code.",
            )

    @property
    def _changed(self) -> set[str]:
        """The options that are not at their default, the edition aside."""
        changed = (each.name for each in fields(self) if getattr(self, each.name) != each.default)
        return {*changed} - {"edition"}

    def _refuse_idle_options(self) -> None:
        """Raise BadSetting for options that could change nothing beside others."""
        idle = {
            "vanilla=True": self._changed - {"vanilla", "cleaning"} if self.vanilla else set(),
            "reference=False": {"position"} & self._changed if not self.reference else set(),
            "criteria='static'": {"criteria_weights"} & self._changed
            if self.criteria == "static"
            else set(),
        }
        for option, others in idle.items():
            if others:
                names = " and ".join(sorted(others))
                raise BadSetting(
                    f"{self}: beside {option}, {names} can change nothing.", f"Leave out {names}."
                )

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The question that this form asks, and the cleaner's."""
        code = self.edition == "code"
        cleaning = (CLEAN_AS_RELEASED if code else CLEAN,) if self.cleaning == "model" else ()
        if self.vanilla:
            return (VANILLA, *cleaning)
        if not self.reference:
            return (GRADE, *cleaning)
        if code:
            from deepassay.protocols.race.released import COMPARE_AS_RELEASED

            return (COMPARE_AS_RELEASED, *cleaning)
        return (COMPARE, *cleaning)

    def is_settled(self, case: Case) -> bool:
        """A report has half of the marks beside itself; the released program asks all the same."""
        reference = case.reference if self._compares and self.edition == "paper" else None
        return reference is not None and reference.text.strip() == case.report.text.strip()

    def basis(self, case: Case) -> dict[str, str]:
        """The criteria, those of the task and, where these count, the static ones; the reference.

        Which weights count, the name of the protocol says.
        """
        reference = case.reference if self._compares else None
        criteria = self._digest_of_criteria(case.task.criteria)
        return ({"criteria": criteria} if criteria else {}) | (
            {"reference": reference.digest} if reference else {}
        )

    def _digest_of_criteria(self, own: Criteria | None) -> str:
        if self.criteria == "static":
            weights = own.dimension_weight if own and self.dimension_weights else {}
            return digest([STATIC_DIGEST, dict(weights)])
        return own.digest if own and not self.vanilla else ""

    @property
    def _compares(self) -> bool:
        return self.reference and not self.vanilla

    def _criteria_of(self, task: Task) -> Criteria | None:
        """What the report is marked on; None without the task's."""
        own = task.criteria
        if self.criteria != "static":
            return own
        if own is None and self.dimension_weights:
            return None
        weights = own.dimension_weight if own else dict.fromkeys(DIMENSIONS, 1 / 4)
        return Criteria(dimension_weight=weights, criterions=static_criterions(task.language))

    def _weighted(self, criteria: Criteria) -> Criteria:
        """The criteria with the weights that count under these options."""
        return weighted(
            criteria,
            criteria_weights=self.criteria_weights,
            dimension_weights=self.dimension_weights,
        )

    def lacks(self, case: Case) -> str:
        """Criteria, or a reference to compare with."""
        needless = self.vanilla or (self.criteria == "static" and not self.dimension_weights)
        if case.task.criteria is None and not needless:
            return (
                f"Task {case.task.id} has no criteria: make them with `deepassay tasks criteria`, "
                "or name a file of them with --criteria."
            )
        if self._compares and case.reference is None:
            return (
                f"Task {case.task.id} has no reference: name an agent or a file with --reference."
            )
        return ""

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Clean, ask for the marks, and count them."""
        if self.vanilla:
            return await self._score_plainly(case, ask)
        criteria = self._criteria_of(case.task)
        reference = case.reference
        if criteria is None or (self.reference and reference is None):
            return Unscored(Cause.MISSING_INPUT, self.lacks(case))
        if reference is None or not self.reference:
            return await self._score_alone(case, ask, criteria)
        if self.is_settled(case):
            return parity("The report is its own reference.")
        return await self._score_beside(case, reference, ask, criteria)

    async def _score_plainly(self, case: Case, ask: RoleAskers) -> Score | Unscored:
        article = await self._cleaned(case.report, ask)
        if isinstance(article, Unscored):
            return article
        inputs = PlainArticle(language=case.task.language, article=article, query=case.task.prompt)
        answer = await ask.judge(VANILLA, inputs, repeat=case.repeat)
        if isinstance(answer, Unscored):
            return answer
        return overall_score(answer.value.overall_score, answer.value.justification)

    async def _score_alone(
        self, case: Case, ask: RoleAskers, criteria: Criteria
    ) -> Score | Unscored:
        article = await self._cleaned(case.report, ask)
        if isinstance(article, Unscored):
            return article
        inputs = OneArticle(
            language=case.task.language,
            article=article,
            query=case.task.prompt,
            criteria=CriteriaList.of(criteria.criterions),
        )
        answer = await ask.judge(GRADE, inputs, repeat=case.repeat)
        if isinstance(answer, Unscored):
            return answer
        entries = answer.value.in_order
        reading = Marked([e.score for e in entries], (), [e.analysis for e in entries], "alone")
        return absolute_score(self._weighted(criteria), reading)

    async def _score_beside(
        self, case: Case, reference: Report, ask: RoleAskers, criteria: Criteria
    ) -> Score | Unscored:
        cleaning = [self._cleaned(case.report, ask), self._cleaned(reference, ask)]
        target, other = await _all_of(cleaning, at_once=self.cleaning == "model")
        if isinstance(target, Unscored):
            return target
        if isinstance(other, Unscored):
            return other
        orders = {
            place: TwoArticles(
                language=case.task.language,
                article_1=one,
                article_2=two,
                query=case.task.prompt,
                criteria=CriteriaList.of(criteria.criterions),
            )
            for place, one, two in (("first", target, other), ("second", other, target))
            if self.position in (place, "both")
        }
        if self.edition == "code":
            from deepassay.protocols.race import released

            return await released.score(case, ask, orders["first"], criteria)
        asking = [ask.judge(COMPARE, inputs, repeat=case.repeat) for inputs in orders.values()]
        answers = await _all_of(asking, at_once=len(asking) > 1)
        readings = []
        for place, answer in zip(orders, answers, strict=True):
            if isinstance(answer, Unscored):
                return answer
            readings.append(_reading(answer.value, place))
        return relative_score(self._weighted(criteria), readings)

    async def _cleaned(self, report: Report, ask: RoleAskers) -> str | Unscored:
        return await cleaned(report, self.cleaning, ask.cleaner, self.edition)


async def _all_of(jobs: Sequence[Coroutine[Any, Any, Given]], *, at_once: bool) -> list[Given]:
    """What the jobs give. at_once: where several wait for something; it costs a task for each."""
    return await asyncio.gather(*jobs) if at_once else [await job for job in jobs]


def _reading(answer: ComparedMarks, place: str) -> Marked:
    """The marks of target and reference, wherever they stood."""
    entries = answer.in_order
    first = [each.article_1_score for each in entries]
    second = [each.article_2_score for each in entries]
    target, reference = (first, second) if place == "first" else (second, first)
    return Marked(target, reference, [each.analysis for each in entries], place)
