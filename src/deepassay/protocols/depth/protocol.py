"""Analysis depth: which of two reports on a task goes deeper (LiveResearchBench).

Section 4.2 and appendix A.4. A judge marks both on five dimensions, once in each order; who wins,
follows from the marks, averaged over orders and judges. A report scores 100 for a win, 50 for a
tie and 0 for a loss; the pooled share that results show beside the mean is the paper's win rate,
without ties.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel

from deepassay.models.operation import Operation
from deepassay.protocols.depth.comparison import (
    BOUNDS,
    COMPARE,
    DIMENSIONS,
    HIGHEST,
    Comparison,
    TwoReports,
    Winner,
    winner_of,
)
from deepassay.protocols.protocol import Case, Pairwise, RoleAskers, ScoreDetails, Sources
from deepassay.results.evidence import EvidenceItem, PairOfJudges, PairTotals
from deepassay.score import Cause, Score, Unscored


@dataclass(frozen=True, repr=False)
class Depth(Pairwise):
    """Whether a report goes deeper than the baseline's on the same task (LiveResearchBench)."""

    name: ClassVar[str] = "depth"
    title: ClassVar[str] = "Analysis Depth"
    source: ClassVar[str] = "LiveResearchBench, section 4.2 and appendix A.4"
    needs: ClassVar[str] = "the reports of another agent, the baseline"
    calls: ClassVar[str] = "2 a report, one in each order"
    importance: ClassVar[int] = 55
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Ask in both orders; without one of the answers there is no score."""
        rival = case.rival
        if rival is None:
            return self._with_baseline(Unscored(Cause.MISSING_INPUT, self.lacks(case)))
        texts = [case.report.text, rival.text]
        first, second = (
            TwoReports(language=case.task.language, report_a=a, report_b=b, query=case.task.prompt)
            for a, b in (texts, texts[::-1])
        )
        answers = await asyncio.gather(
            *(ask.judge(self._question, each, repeat=case.repeat) for each in (first, second))
        )
        read = []
        for answer in answers:
            if isinstance(answer, Unscored):
                return answer
            read.append(answer.value)
        if self.edition == "code":
            from deepassay.protocols.depth.released import released_score

            outcome = released_score(*(raw.root for raw in read))
        else:
            outcome = score_of([Order(True, read[0]), Order(False, read[1])])
        return self._with_baseline(outcome)

    @property
    def _question(self) -> Operation[TwoReports, Any]:
        if self.edition == "code":
            from deepassay.protocols.depth.released import COMPARE_AS_RELEASED

            return COMPARE_AS_RELEASED
        return COMPARE

    def _with_baseline(self, outcome: Score | Unscored) -> Score | Unscored:
        """The outcome with the name of the baseline, by which results cross-tabulate pairs."""
        return replace(outcome, details={**outcome.details, "baseline": self.baseline})

    def combine(self, outcomes: Mapping[str, Score | Unscored]) -> Score | Unscored:
        """Totals are averaged over the judges that scored; who wins, is decided after that.

        In edition `code` nothing is averaged but the judges' win rates.
        """
        mean = super().combine(outcomes)
        if isinstance(mean, Score) and self.edition == "paper":
            judges = {name: each for name, each in outcomes.items() if isinstance(each, Score)}
            mean = panel_score(mean, judges)
        return self._with_baseline(mean)

    def lacks(self, case: Case) -> str:
        """The report of the baseline for the task, where there is none."""
        if case.rival is not None:
            return ""
        if not self.baseline:
            return "There is nothing to compare with: name an agent or a file with --baseline."
        return f"The baseline {self.baseline} has no report for task {case.task.id}."

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The question that it asks in both orders."""
        return (self._question,)

    def basis(self, case: Case) -> dict[str, str]:
        """The digest of the baseline's report."""
        return {"baseline": case.rival.digest} if case.rival is not None else {}


# ------------------------------------------------------------------ from marks to a score

VALUES: Final[Mapping[Winner, float]] = {"own": 100.0, "tie": 50.0, "baseline": 0.0}
TALLIES: Final[Mapping[Winner, tuple[float, float]]] = {
    "own": (1.0, 1.0),
    "tie": (0.0, 0.0),
    "baseline": (0.0, 1.0),
}
"""Wins and decisive games: pooled, they are the win rate without ties."""

ENDS: Final[Mapping[Winner, str]] = {"own": "win", "tie": "tie", "baseline": "loss"}

Marksheet = Mapping[str, float]
"""A mark from 0 to 5 for each of DIMENSIONS."""


class FlawsOfBoth(BaseModel):
    """Where either report stays shallow."""

    own: tuple[str, ...]
    baseline: tuple[str, ...]


class OrderEvidence(BaseModel):
    """What a judge said of one order: marks of both reports, who wins by them alone, and why."""

    own_first: bool
    own: Mapping[str, int | float]
    baseline: Mapping[str, int | float]
    winner: Winner
    justification: str
    flaws: FlawsOfBoth


class DepthDetails(ScoreDetails):
    """What is kept of a score.

    totals, dimensions: of both reports, means over the orders. games: who wins by each order
    alone; consistent: whether that is the same one. orders: the answers. agreement: of each pair
    of judges, whether they name the same winner.
    """

    winner: Winner | None = None
    totals: PairTotals | None = None
    dimensions: Mapping[Literal["own", "baseline"], Marksheet] | None = None
    games: tuple[Winner, ...] | None = None
    consistent: bool | None = None
    orders: tuple[OrderEvidence, ...] | None = None
    agreement: tuple[PairOfJudges, ...] | None = None


@dataclass(frozen=True)
class Order:
    """What a judge said of one order. own_first: whether the report that is scored stood first."""

    own_first: bool
    answer: Comparison

    @property
    def own(self) -> Marksheet:
        """The marks of the report that is scored."""
        return self._marks(self.own_first)

    @property
    def baseline(self) -> Marksheet:
        """The marks of the report that it is held against."""
        return self._marks(not self.own_first)

    def _marks(self, first: bool) -> Marksheet:
        scores = self.answer.scores
        return (scores.A if first else scores.B).model_dump()

    @property
    def winner(self) -> Winner:
        """Who wins by this order alone."""
        return winner_of([total(self.own)], [total(self.baseline)])

    @property
    def evidence(self) -> OrderEvidence:
        """The order as it is kept beside the score."""
        flaws = self.answer.major_flaws
        own, baseline = (flaws.A, flaws.B) if self.own_first else (flaws.B, flaws.A)
        return OrderEvidence(
            own_first=self.own_first,
            own=self.own,
            baseline=self.baseline,
            winner=self.winner,
            justification=self.answer.justification,
            flaws=FlawsOfBoth(own=own, baseline=baseline),
        )


def total(marks: Marksheet) -> float:
    """The sum over the dimensions, 0 to 25."""
    return sum(marks[dimension] for dimension in DIMENSIONS)


def score_of(orders: Sequence[Order]) -> Score:
    """The score by one judge's answers to both orders: 100 for a win, 50 for a tie, 0 for a loss.

    tally: (wins, decisive games), each 0 or 1. details: see `DepthDetails`.
    """
    own = _means([order.own for order in orders])
    baseline = _means([order.baseline for order in orders])
    winner = winner_of([total(own)], [total(baseline)])
    games = tuple(order.winner for order in orders)
    items = (*_dimension_items(own, baseline), *map(_order_item, orders))
    details = _details(winner, own, baseline).model_copy(
        update={
            "games": games,
            "consistent": len(set(games)) == 1,
            "orders": tuple(order.evidence for order in orders),
            "items": items,
        }
    )
    return Score(VALUES[winner], BOUNDS, tally=TALLIES[winner], details=details.to_json())


def panel_score(mean: Score, judges: Mapping[str, Score]) -> Score:
    """The score by several judges: their totals are averaged before anyone wins.

    mean: what `models.panel.combine` made of the judges' outcomes, with each of them, their
    spread, and how many of them scored. judges: the scores among them, by the judge's name.
    details: `agreement` says of each pair of judges whether they name the same winner; `low` and
    `high` are the score had the judges that are missing given all marks to one of the two.
    """
    sheets = [score.details["dimensions"] for score in judges.values()]
    own, baseline = (_means([sheet[side] for sheet in sheets]) for side in ("own", "baseline"))
    totals = [score.details["totals"] for score in judges.values()]
    ours, theirs = ([each[side] for each in totals] for side in ("own", "baseline"))
    winner = winner_of(ours, theirs)
    missing = mean.details["spread"]["expected"] - len(judges)
    none, all_marks = [0.0] * missing, [float(HIGHEST * len(DIMENSIONS))] * missing
    names = {name: score.details["winner"] for name, score in judges.items()}
    details = _details(winner, own, baseline).model_copy(
        update={
            "agreement": tuple(
                PairOfJudges(
                    judges=(one, other), verdicts=1, agreed=int(names[one] == names[other])
                )
                for one, other in combinations(names, 2)
            ),
            "items": _dimension_items(own, baseline),
            "low": VALUES[winner_of(ours + none, theirs + all_marks)],
            "high": VALUES[winner_of(ours + all_marks, theirs + none)],
        }
    )
    return replace(
        mean,
        value=VALUES[winner],
        tally=TALLIES[winner],
        details={**mean.details, **details.to_json()},
    )


def _means(sheets: Sequence[Marksheet]) -> Marksheet:
    return {name: fmean(marks[name] for marks in sheets) for name in DIMENSIONS}


def _details(winner: Winner, own: Marksheet, baseline: Marksheet) -> DepthDetails:
    """What follows from the mean marks of both reports."""
    totals = PairTotals(own=total(own), baseline=total(baseline))
    return DepthDetails(
        winner=winner,
        totals=totals,
        dimensions={"own": own, "baseline": baseline},
        summary=f"A {ENDS[winner]}: on average {totals.own:.4g} against "
        f"{totals.baseline:.4g} of 25.",
    )


def _dimension_items(own: Marksheet, baseline: Marksheet) -> tuple[EvidenceItem, ...]:
    """A line for each dimension."""
    return tuple(
        EvidenceItem(
            key=key,
            item=name,
            score=own[key],
            verdict=f"{own[key]:.3g} against {baseline[key]:.3g} of 5",
            justification="",
        )
        for key, name in DIMENSIONS.items()
    )


def _order_item(order: Order) -> EvidenceItem:
    """A line for one order: totals, reason, and where either report stays shallow."""
    evidence = order.evidence
    said = [evidence.justification]
    if evidence.flaws.own:
        said.append(f"[Shallow: {'; '.join(evidence.flaws.own)}]")
    if evidence.flaws.baseline:
        said.append(f"[Shallow in the baseline's: {'; '.join(evidence.flaws.baseline)}]")
    place = "first" if order.own_first else "second"
    return EvidenceItem(
        key=place,
        item=f"the report stood {place}",
        score=total(order.own),
        verdict=f"{total(order.own):.3g} against {total(order.baseline):.3g} of 25",
        justification=" ".join(said),
    )
