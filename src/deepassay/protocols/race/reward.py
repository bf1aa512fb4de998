"""RACE as a reward model: which of several completions is the right one (RewardBench 2).

DeepResearch Bench, appendix K: the pipeline of RACE (weights and criteria of the prompt, marks by
comparison) in place of a plain judge. One case is one prompt with all its completions; outside
Ties the score is 1/k if the right one is among the k best, else 0. In Ties every completion is
marked alone, 0 to 10, and the score says whether all right ones are above all wrong ones; the
figure of the subset is made of these ratings, in `results.rewards`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from statistics import fmean
from typing import Any, ClassVar, Final

import numpy as np

from deepassay.errors import BadSetting
from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.protocol import (
    Case,
    Protocol,
    RoleAskers,
    ScoreDetails,
    Sources,
    gather_limited,
)
from deepassay.protocols.race.arithmetic import BOUNDS, relative_share, totals, weighted
from deepassay.protocols.race.questions import (
    COMPARE,
    COMPARE_FOUR,
    GRADE,
    VANILLA,
    CriteriaList,
    FourArticles,
    OneArticle,
    PlainArticle,
    TwoArticles,
)
from deepassay.protocols.released import Quirk
from deepassay.results.evidence import EvidenceItem, Ratings
from deepassay.results.rewards import TIES, best_of
from deepassay.score import Cause, Score, Unscored, digest
from deepassay.tasks.task import Completions
from deepassay.tasks.yardsticks import Criteria
from deepassay.text import brief

PLAIN: Final = "plain"
ARRANGEMENTS: Final = ("together", "pairs", "against", PLAIN)
UNREADABLE: Final = (Cause.ANSWER_UNREADABLE, Cause.ANSWER_TRUNCATED, Cause.JUDGE_REFUSED)
"""What edition `code` takes for an answer without a rating; all else stays open in it too."""

NO_RATING: Final = -1.0
BY_CHANCE: Final = 0.25
"""Of a best of four of which nothing could be read, in edition `code`."""


class RewardQuirk(Quirk):
    """What the released program of RewardBench 2 does differently."""

    UNREADABLE_RATING = "unreadable-rating"


class RewardDetails(ScoreDetails):
    """What is kept of a score: see `Ratings`."""

    ratings: tuple[float, ...]
    correct: int


@dataclass(frozen=True, repr=False)
class RaceReward(Protocol):
    """Whether a judge that goes by RACE prefers the right completion (RewardBench 2).

    arrangement: of a best of four, `together`: one question with all, in an order drawn from the
    task and the repeat; `pairs`: each beside each in both orders, the mean share of its marks;
    `against`: each against the task's reference, as RACE does. Ties are always marked alone.
    `plain` is the judge without RACE, which the others are held against: every completion alone,
    one mark as a whole, no criteria.
    """

    arrangement: str = "together"

    name: ClassVar[str] = "race_reward"
    title: ClassVar[str] = "RACE as a reward model"
    source: ClassVar[str] = "DeepResearch Bench, appendix K, Table 11"
    needs: ClassVar[str] = "completions and, but for `plain`, criteria for each task"
    calls: ClassVar[str] = "1 a prompt (pairs 12, against and plain 4); of Ties 1 a completion"
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    beside: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.arrangement not in ARRANGEMENTS:
            raise BadSetting(
                f"{self.name}(arrangement={self.arrangement!r}): there is no such arrangement.",
                f"Choose one of: {', '.join(ARRANGEMENTS)}.",
            )

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The question about several completions, and the one about a completion of Ties."""
        if self.arrangement == PLAIN:
            return (VANILLA,)
        return (COMPARE_FOUR if self.arrangement == "together" else COMPARE, GRADE)

    def basis(self, case: Case) -> dict[str, str]:
        """The criteria, the completions, and the reference if there is one."""
        task = case.task
        found = {}
        if task.criteria and self.arrangement != PLAIN:
            found["criteria"] = task.criteria.digest
        if task.completions:
            found["completions"] = digest(task.completions.model_dump(mode="json"))
        if self._refers(case) and case.reference:
            found["reference"] = case.reference.digest
        return found

    def _refers(self, case: Case) -> bool:
        return self.arrangement == "against" and not _is_tie(case)

    def lacks(self, case: Case) -> str:
        """Completions, criteria, or the reference."""
        if case.task.completions is None:
            return f"Task {case.task.id} has no completions: give a file of RewardBench 2."
        if case.task.criteria is None and self.arrangement != PLAIN:
            return (
                f"Task {case.task.id} has no criteria: make them with `deepassay tasks criteria`, "
                "and name the file with --criteria."
            )
        if self._refers(case) and case.reference is None:
            return (
                f"Task {case.task.id} has no reference: have the judge write one with `deepassay "
                "research`, and name its run file with --reference."
            )
        return ""

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Have every completion rated, and look where the right ones stand."""
        completions = case.task.completions
        if completions is None or self.lacks(case):
            return Unscored(Cause.MISSING_INPUT, self.lacks(case))
        found = await self._rated(case, ask.judge, completions.every)
        missing = [each for each in found if isinstance(each, Unscored)]
        for each in missing:
            if self.edition == "paper" or each.cause not in UNREADABLE:
                return each
        ratings = [NO_RATING if isinstance(each, Unscored) else each for each in found]
        kept = Ratings(ratings=tuple(ratings), correct=len(completions.chosen))
        details = RewardDetails(
            ratings=kept.ratings,
            correct=kept.correct,
            items=_items(completions, found),
            quirks=(str(RewardQuirk.UNREADABLE_RATING),) if missing else None,
        ).to_json()
        if _is_tie(case):
            value = float(kept.rated.accurate)
        else:
            value = BY_CHANCE if len(missing) == len(found) else best_of(ratings)
        return Score(value, BOUNDS, details=details)

    async def _rated(
        self, case: Case, judge: Asker, completions: Sequence[str]
    ) -> Sequence[float | Unscored]:
        """A rating of every completion."""
        criteria = case.task.criteria
        if self.arrangement == PLAIN or criteria is None:
            return await gather_limited(_plain(each, case, judge) for each in completions)
        rating = _RewardRating(case, judge, weighted(criteria), completions)
        if _is_tie(case):
            return await gather_limited(rating.alone(each) for each in completions)
        if self.arrangement == "together":
            return await rating.together()
        if self.arrangement == "pairs":
            return await rating.in_pairs(whole=self.edition == "paper")
        reference = case.reference.text if case.reference else ""
        shares = await gather_limited(rating.beside(each, reference) for each in completions)
        return [each if isinstance(each, Unscored) else each[0] for each in shares]

    def combine(self, outcomes: Mapping[str, Score | Unscored]) -> Score | Unscored:
        """The mean of the judges, beside the means of their ratings, by which Ties are decided."""
        mean = super().combine(outcomes)
        own = [Ratings.read(each.details) for each in outcomes.values() if isinstance(each, Score)]
        if isinstance(mean, Unscored):
            return mean
        columns = zip(*(each.ratings for each in own), strict=True)
        kept = Ratings(ratings=tuple(map(fmean, columns)), correct=own[0].correct)
        return replace(mean, details={**mean.details, **kept.to_json()})


@dataclass(frozen=True)
class _RewardRating:
    """The ratings of one prompt's completions by one judge."""

    case: Case
    judge: Asker
    criteria: Criteria
    completions: Sequence[str]

    @property
    def _common(self) -> dict[str, Any]:
        task = self.case.task
        listed = CriteriaList.of(self.criteria.criterions)
        return {"language": task.language, "query": task.prompt, "criteria": listed}

    def _total(self, entries: Sequence[Any], field: str) -> float:
        return totals(self.criteria, [getattr(each, field) for each in entries]).overall

    async def together(self) -> Sequence[float | Unscored]:
        """One question with the four side by side, in an order of its own for each repeat."""
        seed = int(digest([self.case.task.digest, self.case.repeat])[:8], 16)
        order = np.random.default_rng(seed).permutation(len(self.completions))
        shown = {f"article_{n}": self.completions[at] for n, at in enumerate(order, start=1)}
        inputs = FourArticles(**shown, **self._common)
        answer = await self.judge(COMPARE_FOUR, inputs, repeat=self.case.repeat)
        if isinstance(answer, Unscored):
            return [answer] * len(self.completions)
        entries = answer.value.in_order
        marks = {at: self._total(entries, f"article_{n}_score") for n, at in enumerate(order, 1)}
        return [marks[at] for at in range(len(self.completions))]

    async def in_pairs(self, *, whole: bool) -> Sequence[float | Unscored]:
        """Each beside each, once in each order: the mean of its shares. whole: see `_mean`."""
        places = [*permutations(range(len(self.completions)), 2)]
        found = await gather_limited(
            self.beside(self.completions[one], self.completions[other]) for one, other in places
        )
        shares: list[list[float | Unscored]] = [[] for _ in self.completions]
        for pair, said in zip(places, found, strict=True):
            own: Sequence[float | Unscored] = (said, said) if isinstance(said, Unscored) else said
            for at, each in zip(pair, own, strict=True):
                shares[at].append(each)
        return [_mean(own, whole=whole) for own in shares]

    async def beside(self, one: str, other: str) -> tuple[float, float] | Unscored:
        """The shares that two have of their weighted marks, the first shown first."""
        inputs = TwoArticles(article_1=one, article_2=other, **self._common)
        answer = await self.judge(COMPARE, inputs, repeat=self.case.repeat)
        if isinstance(answer, Unscored):
            return answer
        entries = answer.value.in_order
        first, second = (self._total(entries, f"article_{n}_score") for n in (1, 2))
        return relative_share(first, second), relative_share(second, first)

    async def alone(self, completion: str) -> float | Unscored:
        """Its weighted mark, 0 to 10."""
        inputs = OneArticle(article=completion, **self._common)
        answer = await self.judge(GRADE, inputs, repeat=self.case.repeat)
        if isinstance(answer, Unscored):
            return answer
        return self._total(answer.value.in_order, "score")


async def _plain(completion: str, case: Case, judge: Asker) -> float | Unscored:
    """Its mark as a whole, 0 to 10, without RACE."""
    task = case.task
    inputs = PlainArticle(language=task.language, query=task.prompt, article=completion)
    answer = await judge(VANILLA, inputs, repeat=case.repeat)
    return answer if isinstance(answer, Unscored) else answer.value.overall_score


def _is_tie(case: Case) -> bool:
    return case.task.labels.get("subset") == TIES


def _mean(shares: Sequence[float | Unscored], *, whole: bool) -> float | Unscored:
    """The mean of what is there. whole: only where nothing is missing.

    Nor is there one while an answer may still come, as after a fault of the network.
    """
    known = [each for each in shares if not isinstance(each, Unscored)]
    missing = [each for each in shares if isinstance(each, Unscored)]
    missing.sort(key=lambda each: each.cause in UNREADABLE)
    if missing and (whole or not known or missing[0].cause not in UNREADABLE):
        return missing[0]
    return fmean(known)


def _items(completions: Completions, found: Sequence[float | Unscored]) -> tuple[EvidenceItem, ...]:
    """A line for each completion, as `explain` reads it."""
    kinds = ["right"] * len(completions.chosen) + ["wrong"] * len(completions.rejected)
    rows = zip(kinds, completions.every, found, strict=True)
    return tuple(
        EvidenceItem(
            key=f"{kind} {number}",
            item=brief(text),
            score=None if isinstance(rating, Unscored) else rating,
        )
        for number, (kind, text, rating) in enumerate(rows, start=1)
    )
