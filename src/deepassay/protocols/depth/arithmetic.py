"""Who goes deeper, by the marks: averaged over both orders and all judges, then compared.

LiveResearchBench, section 4.2 and appendix A.4. The five marks of a report are added up; a report
wins if its total, averaged over orders and judges, is more than 1 higher, else it is a tie. Ties
leave the win rate. Nothing here asks anyone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Final, Literal

from deepassay.protocols.depth.questions import DIMENSIONS, HIGHEST, Comparison
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Json, Score

Winner = Literal["own", "baseline", "tie"]
"""`own` is the report that is scored, `baseline` the one that it is held against."""

BOUNDS: Final = (0.0, 100.0)
MARGIN: Final = 1
"""By how much a total must be higher at least, and not just as much, to win; of 25."""

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
        """The marks of the other."""
        return self._marks(not self.own_first)

    def _marks(self, first: bool) -> Marksheet:
        scores = self.answer.scores
        return (scores.A if first else scores.B).model_dump()

    @property
    def winner(self) -> Winner:
        """Who wins by this order alone."""
        return winner_of([total(self.own)], [total(self.baseline)])

    def evidence(self) -> dict[str, Json]:
        """The order as it is kept beside the score."""
        flaws = self.answer.major_flaws
        own, baseline = (flaws.A, flaws.B) if self.own_first else (flaws.B, flaws.A)
        return {
            "own_first": self.own_first,
            "own": dict(self.own),
            "baseline": dict(self.baseline),
            "winner": self.winner,
            "justification": self.answer.justification,
            "flaws": {"own": list(own), "baseline": list(baseline)},
        }


def total(marks: Marksheet) -> float:
    """The sum over the dimensions, 0 to 25."""
    return sum(marks[dimension] for dimension in DIMENSIONS)


def winner_of(own: Sequence[float], baseline: Sequence[float]) -> Winner:
    """Who wins by the means of several totals, which are wholes and halves.

    The means are not formed: a third of a point, rounded, must not turn a tie into a win.
    """
    lead, margin = sum(own) - sum(baseline), MARGIN * len(own)
    return "own" if lead > margin else "baseline" if lead < -margin else "tie"


def score_of(orders: Sequence[Order]) -> Score:
    """The score by one judge's answers to both orders: 100 for a win, 50 for a tie, 0 for a loss.

    tally: (wins, decisive games), each 0 or 1.
    details: `winner`; `totals` and `dimensions` of both reports, means over the orders; `games`,
    who wins by each order alone, and `consistent`, whether that is the same one; `orders`, the
    answers; `summary` and `items`, as `explain` shows them.
    """
    own = _means([order.own for order in orders])
    baseline = _means([order.baseline for order in orders])
    winner = winner_of([total(own)], [total(baseline)])
    games = [order.winner for order in orders]
    items = [*_dimension_items(own, baseline), *map(_order_item, orders)]
    return Score(
        VALUES[winner],
        BOUNDS,
        tally=TALLIES[winner],
        details={
            **_figures(winner, own, baseline),
            "games": games,
            "consistent": len(set(games)) == 1,
            "orders": [order.evidence() for order in orders],
            "items": items,
        },
    )


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
    return replace(
        mean,
        value=VALUES[winner],
        tally=TALLIES[winner],
        details={
            **mean.details,
            **_figures(winner, own, baseline),
            "agreement": _agreement({name: s.details["winner"] for name, s in judges.items()}),
            "items": _dimension_items(own, baseline),
            "low": VALUES[winner_of(ours + none, theirs + all_marks)],
            "high": VALUES[winner_of(ours + all_marks, theirs + none)],
        },
    )


def _means(sheets: Sequence[Marksheet]) -> Marksheet:
    return {name: fmean(marks[name] for marks in sheets) for name in DIMENSIONS}


def _figures(winner: Winner, own: Marksheet, baseline: Marksheet) -> dict[str, Json]:
    totals = {"own": total(own), "baseline": total(baseline)}
    return {
        "winner": winner,
        "totals": totals,
        "dimensions": {"own": dict(own), "baseline": dict(baseline)},
        "summary": f"A {ENDS[winner]}: on average {totals['own']:.4g} against "
        f"{totals['baseline']:.4g} of 25.",
    }


def _agreement(winners: Mapping[str, Winner]) -> list[Json]:
    """For each pair of judges, whether they name the same winner: one verdict each."""
    return [
        {"judges": [one, other], "verdicts": 1, "agreed": int(winners[one] == winners[other])}
        for one, other in combinations(winners, 2)
    ]


def _dimension_items(own: Marksheet, baseline: Marksheet) -> list[Json]:
    """A line for each dimension."""
    return [
        EvidenceItem(
            key=key,
            item=name,
            score=own[key],
            verdict=f"{own[key]:.3g} against {baseline[key]:.3g} of 5",
            justification="",
        ).to_json()
        for key, name in DIMENSIONS.items()
    ]


def _order_item(order: Order) -> Json:
    """A line for one order: totals, reason, and where either report stays shallow."""
    evidence = order.evidence()
    said = [evidence["justification"]]
    for side, words in (("own", "Shallow"), ("baseline", "Shallow in the baseline's")):
        if flaws := evidence["flaws"][side]:
            said.append(f"[{words}: {'; '.join(flaws)}]")
    place = "first" if order.own_first else "second"
    return EvidenceItem(
        key=place,
        item=f"the report stood {place}",
        score=total(order.own),
        verdict=f"{total(order.own):.3g} against {total(order.baseline):.3g} of 25",
        justification=" ".join(said),
    ).to_json()
