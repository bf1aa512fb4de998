"""Graded rubrics by hand: what `rubrics` keeps of every criterion."""

from deepassay.results.records import Judged
from deepassay.score import Cause, Score, Signature, Unscored, to_json

S, P, N = "Satisfied", "Partially Satisfied", "Not Satisfied"
MERITS = {S: 1.0, P: 0.5, N: 0.0}
EXPLICIT, IMPLICIT = "Explicit Criteria", "Implicit Criteria"


def item(number, axis, weight, verdict, cause=None):
    """One criterion; without a verdict it is unscored, for the cause."""
    return {
        "key": f"c{number}",
        "item": f"Says {number}.",
        "weight": float(weight),
        "axis": axis,
        "mandatory": abs(weight) >= 4,
        "verdict": verdict,
        "score": MERITS.get(verdict),
        "justification": "",
        **({"cause": cause} if cause else {}),
    }


def rubric(*lines, value=0.5):
    """A score. lines: axis, weight, verdict, and the cause where there is none."""
    items = [item(number, *line) for number, line in enumerate(lines, 1)]
    return Score(value, (-1.0, 1.0), details={"items": items})


def graded(agent, task, outcome, *, sample=1, repeat=0, protocol="rubrics", judge="m", **labels):
    """A judgement; `outcome` is a Score, Unscored or a Cause."""
    if isinstance(outcome, Cause):
        outcome = Unscored(outcome, "why")
    recipe = Signature({"protocol": protocol, "judges": [{"model": judge}]})
    return Judged(protocol, agent, task, sample, repeat, labels, outcome, recipe)


def panel(**outcomes):
    """What a panel of judges says: a score with each judge's own in the details."""
    judges = {name: to_json(outcome) for name, outcome in outcomes.items()}
    return Score(0.5, (-1.0, 1.0), details={"judges": judges})
