"""Small records: who scored what, under which recipe."""

from deepassay.results.records import Judged
from deepassay.score import Cause, Score, Signature, Unscored

RECIPE = Signature({"protocol": "coverage", "judges": [{"model": "offline"}], "repeats": 1})


def unfolded(text):
    """A text in one line, wherever its lines were broken."""
    return " ".join(text.split())


def make(agent, task, value, *, repeat=0, sample=1, recipe=RECIPE, labels=None, **extra):
    """A judgement; `value` is a number, a Score, a Cause or an Unscored."""
    if isinstance(value, Cause):
        outcome = Unscored(value, "why")
    elif isinstance(value, Score | Unscored):
        outcome = value
    else:
        outcome = Score(float(value), (0.0, 100.0), **extra)
    return Judged("coverage", agent, task, sample, repeat, labels or {}, outcome, recipe)
