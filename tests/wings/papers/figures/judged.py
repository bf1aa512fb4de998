"""Judgements of single protocols to draw, with the numbers that they were made of."""

from deepassay.results.figures.figure import Material
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.score import Cause, Score, Signature, Unscored

CHECKS = tuple(f"P{n}" for n in range(1, 11))


def judged(protocol, agent, task, outcome, *, judge="openai:good", sample=1, repeat=0, **labels):
    recipe = Signature({"protocol": protocol, "judges": [{"model": judge}]})
    if isinstance(outcome, Cause):
        outcome = Unscored(outcome, "why")
    return Judged(protocol, agent, task, sample, repeat, labels, outcome, recipe)


def material(records, by=None, reports=()):
    return Material(records, rank(records, by=by), by, {}, reports)


def passed(*checks):
    """A score of `presentation`: those checks are passed, the others are not."""
    parts = {check: 100.0 * (check in checks) for check in CHECKS}
    items = [{"key": check.lower(), "item": f"asks for {check}"} for check in CHECKS]
    return Score(10.0 * len(checks), (0.0, 100.0), parts=parts, details={"items": items})


def compared(winner, baseline):
    """A score of `depth`: `own`, `baseline` or `tie`."""
    value = {"own": 100.0, "tie": 50.0, "baseline": 0.0}[winner]
    details = {
        "winner": winner,
        "games": [winner, winner],
        "totals": {"own": 12.0, "baseline": 11.0},
        "baseline": baseline,
    }
    tally = (float(winner == "own"), float(winner != "tie"))
    return Score(value, (0.0, 100.0), tally=tally, details=details)


def cited(supported, unsupported, *, not_archived=0):
    """A score of `fact` by its pairs."""
    pairs = supported + unsupported + not_archived
    counts = {
        "pairs": pairs,
        "supported": supported,
        "unsupported": unsupported,
        "not_archived": not_archived,
    }
    decided = supported + unsupported
    if pairs and not decided:
        return Unscored(Cause.NOT_ARCHIVED, "why", {"counts": counts})
    return Score(supported / decided if decided else 0.0, (0.0, 1.0), details={"counts": counts})


def key_points(supported, contradicted):
    """A score of `kae` by two of its rates."""
    omitted = 1 - supported - contradicted
    parts = {"KSR": supported, "KCR": contradicted, "KOR": omitted, "key points": 10.0}
    return Score(supported, (0.0, 1.0), parts=parts)


def report(agent, task, tokens):
    return MeasuredReport(agent, task, 1, {}, Length(1, 1, tokens), Length(1, 1, 1), 0, 0)
