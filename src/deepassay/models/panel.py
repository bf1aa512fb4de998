"""A panel of judges: each scores alone, the mean is reported, the spread is kept.

A judge that came to no score is left standing in the details and counted; it is no zero and
does not enter the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean, stdev

from deepassay.score import Json, Score, Unscored, to_json


def combine(outcomes: Mapping[str, Score | Unscored]) -> Score | Unscored:
    """One outcome from those of several judges, by the judge's name.

    value, parts, tally: means over the judges that scored them. bounds: what all of theirs hold;
    None where one has none.
    details: `judges`, each outcome; `spread` of the value; `agreement` of each pair of judges,
    where their parts are verdicts.
    If no judge scored: Unscored with the first one's cause, and all of them in the details.
    """
    if not outcomes:
        raise ValueError("a panel needs a judge")
    judges = {name: to_json(outcome) for name, outcome in outcomes.items()}
    scores = {name: each for name, each in outcomes.items() if isinstance(each, Score)}
    if not scores:
        first = next(each for each in outcomes.values() if isinstance(each, Unscored))
        reasons = "; ".join(f"{name}: {each['cause']}" for name, each in judges.items())
        return Unscored(first.cause, f"no judge came to a score ({reasons})", {"judges": judges})
    values = [score.value for score in scores.values()]
    names = dict.fromkeys(name for score in scores.values() for name in score.parts)
    tallies = [score.tally for score in scores.values() if score.tally is not None]
    return Score(
        fmean(values),
        _bounds([score.bounds for score in scores.values()]),
        parts={name: _mean([score.parts.get(name) for score in scores.values()]) for name in names},
        tally=(fmean(met for met, _ in tallies), fmean(of for _, of in tallies))
        if tallies
        else None,
        details={
            "judges": judges,
            "spread": _spread(values) | {"scored": len(scores), "expected": len(outcomes)},
            "agreement": _agreement({name: score.parts for name, score in scores.items()}),
        },
    )


def _bounds(each: Sequence[tuple[float, float] | None]) -> tuple[float, float] | None:
    known = [ends for ends in each if ends is not None]
    if len(known) < len(each):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _spread(values: Sequence[float]) -> dict[str, Json]:
    """Lowest, highest, and the sample standard deviation, which a single value has not."""
    deviation = stdev(values) if len(values) > 1 else None
    return {"min": min(values), "max": max(values), "sd": deviation}


def _agreement(parts: Mapping[str, Mapping[str, float | None]]) -> list[Json]:
    """For each pair of judges, on how many of the verdicts that both gave they agree.

    Verdicts are parts that are the lowest or the highest of what all judges gave, and nothing
    between: two values in all. Other parts are grades; their spread says more.
    """
    grades = {grade for each in parts.values() for grade in each.values() if grade is not None}
    if len(grades) > 2:
        return []
    pairs = []
    for (name, one), (other_name, other) in combinations(parts.items(), 2):
        both = [key for key in one if one[key] is not None and other.get(key) is not None]
        if both:
            agreed = sum(one[key] == other[key] for key in both)
            pairs.append({"judges": [name, other_name], "verdicts": len(both), "agreed": agreed})
    return pairs
