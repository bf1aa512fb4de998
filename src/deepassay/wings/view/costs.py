"""What each item took from a score: how much higher it would be, were that item in order.

Of a share of items, that of one more; of weighted criteria, what the weight comes to that was not
earned, or that was taken off; of marks beside those of a reference, what drawing level with it on
this criterion would bring. Where every item counts for itself the costs are what the score lacks.
"""

from __future__ import annotations

from collections.abc import Sequence

from deepassay.results.evidence import EvidenceItem, JudgeOutcome

FULL_MARK = 10.0
"""Of a criterion that is marked on a scale."""


def costs_of(outcome: JudgeOutcome) -> list[float | None]:
    """Of each item, in the order of the evidence, on the scale of the value; None: not known."""
    items = outcome.evidence.items
    if outcome.value is None or not items:
        return [None] * len(items)
    if any(item.of_rubric for item in items):
        return _of_rubric(items)
    if any(item.dimension is not None for item in items):
        return _of_marks(items, outcome)
    if any(item.weight is not None for item in items):
        return _of_set(items, outcome)
    if outcome.tally is None or outcome.bounds is None or outcome.evidence.baseline:
        return [None] * len(items)
    share = (outcome.bounds[1] - outcome.bounds[0]) / max(outcome.tally[1], 1.0)
    return [_missed(item, share) for item in items]


def _missed(item: EvidenceItem, share: float) -> float | None:
    if not item.has("score") or item.score is None:
        return None
    return share * (1 - float(item.score))


def _of_rubric(items: Sequence[EvidenceItem]) -> list[float | None]:
    """A merit that is not there, and a fault that is (ResearchRubrics, equation 1)."""
    whole = sum(float(item.weight or 0) for item in items if (item.weight or 0) > 0)
    found: list[float | None] = []
    for item in items:
        weight = float(item.weight or 0)
        if item.score is None or not whole:
            found.append(None)
        else:
            merit = float(item.score)
            found.append((weight * (1 - merit) if weight > 0 else -weight * merit) / whole)
    return found


def _of_set(items: Sequence[EvidenceItem], outcome: JudgeOutcome) -> list[float | None]:
    """What criteria of another set took, where its score is what weights and merits come to.

    Of one that counts otherwise, a tree with gates say, it is not known.
    """
    costs = _of_rubric(items)
    best = outcome.bounds[1] if outcome.bounds else 0.0
    lacking = sum(cost or 0.0 for cost in costs)
    if None in costs or outcome.value is None or abs(best * (1 - lacking) - outcome.value) > 1e-6:
        return [None] * len(items)
    return [best * (cost or 0.0) for cost in costs]


def _of_marks(items: Sequence[EvidenceItem], outcome: JudgeOutcome) -> list[float | None]:
    weights, totals = outcome.evidence.weighing
    own, other = ((totals.get(side) or {}).get("overall") for side in ("target", "reference"))
    found: list[float | None] = []
    for item in items:
        dimension = weights.get(item.dimension or "")
        if item.score is None or dimension is None:
            found.append(None)
            continue
        weight, mark = dimension * float(item.weight or 0), float(item.score)
        if item.reference is None:
            found.append(weight * max(0.0, FULL_MARK - mark) / FULL_MARK)
        elif own is None or other is None or not own + other:
            found.append(None)
        else:
            level = own + weight * max(0.0, float(item.reference) - mark)
            found.append(level / (level + other) - own / (own + other))
    return found
