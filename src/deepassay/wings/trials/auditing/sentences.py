"""What a user can quote of an audit, its numbers as they are told, and what so many can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final

from deepassay.score import WHOLE, Direction
from deepassay.stats.intervals import wilson_interval
from deepassay.stats.testing import ALPHA, POWER, sign_needed, smallest_effect
from deepassay.wings.trials.auditing.audit_file import (
    FAULTS,
    MARGIN,
    MUST_MOVE,
    AuditRow,
    Bias,
    Ends,
    JudgeAudit,
)

MOST: Final = 3
"""Kinds of change that the sentence names; the page has all of them."""


def points(value: float, span: Ends | None, *, sign: bool = True) -> str:
    """A difference of scores, with the digits that the span asks for."""
    digits = 1 if span and span[1] - span[0] >= 10 else 3
    return f"{round(value, digits) + 0.0:{'+' if sign else ''}.{digits}f}"


def between(interval: Ends | None, span: Ends | None) -> str:
    """An interval of a difference of scores; none where all differences are alike."""
    if interval is None:
        return "throughout"
    return f"{points(interval[0], span)} to {points(interval[1], span)}"


def share_in_words(value: float) -> str:
    """A share from 0 to 1 in per cent without decimals: `12 %`."""
    return f"{100 * value:.0f} %"


def told_share(value: float, interval: Ends) -> str:
    """A share with its interval."""
    low, high = interval
    return f"{share_in_words(value)} (95 % interval {100 * low:.0f} to {share_in_words(high)})"


def sentence_of(audit: JudgeAudit) -> str:
    """One sentence: what the judge noticed beyond its own noise, and what moved it for nothing."""
    told = [*_noticed(audit), *_moved(audit)]
    beginning = f"{audit.judge} by {audit.protocol}, on {audit.reports} reports"
    if not told:
        return f"{beginning}: {_nothing(audit)}"
    return f"{beginning}: {'; '.join(told)}."


def _nothing(audit: JudgeAudit) -> str:
    """Why there is nothing to say."""
    if any(row.judged for row in audit.rows) or not audit.unscored:
        return "too little was judged to say anything."
    return f"nothing was scored{told_causes(audit)}."


def told_causes(audit: JudgeAudit) -> str:
    """Why reports or copies have no score, by number, and one of them in its own words."""
    causes = ", ".join(f"{count} {cause}" for cause, count in audit.causes.items())
    why = f" ({audit.why.rstrip('.')})" if audit.why else ""
    return f": {causes}{why}" if causes else ""


def _noticed(audit: JudgeAudit) -> Iterator[str]:
    seeing = [row for row in audit.rows if row.metric == WHOLE and row.expects is Direction.LOWER]
    rows = [row for row in seeing if row.standout]
    rows.sort(key=lambda row: row.standout.share if row.standout else 0.0)
    named = [
        f"{told_share(row.standout.share, row.standout.interval)} of {row.found}{_stuck(row)}"
        for row in rows[:MOST]
        if row.standout
    ]
    if named:
        more = f" (least of {len(rows)} kinds)" if len(rows) > MOST else ""
        *most, last = named
        yield f"it noticed {', '.join(most)}{' and ' if most else ''}{last}{more}"
    elif seeing and any(row.judged or row.no_room for row in audit.rows):
        why = ", since no score could fall" if any(row.no_room for row in seeing) else ""
        yield f"nothing that it must notice could be tried{why}"


def _stuck(row: AuditRow) -> str:
    return f" (but for {row.no_room} whose score could not fall)" if row.no_room else ""


def _moved(audit: JudgeAudit) -> Iterator[str]:
    """Biases that are shown, and changes of the score or a part; paddings are told as the slope."""
    biases = [each for each in audit.biases if each.shown]
    slopes = {each.metric: each.shown for each in audit.biases if each.kind == "length"}
    faults = {
        (row.metric, row.found): row
        for row in audit.rows
        if row.verdict in FAULTS and not (row.is_padding and slopes.get(row.metric))
    }
    yield from (told_bias(each, audit.span) for each in biases)
    yield from (told_fault(row, audit.span) for row in faults.values())
    yield from _unmoved(audit, [*biases, *faults.values()])


def _unmoved(audit: JudgeAudit, faults: Sequence[AuditRow | Bias]) -> Iterator[str]:
    """Of what must not matter and is no fault: what is shown not to matter, and what is open.

    Nothing found is no finding where the audit was too small: what is open is counted apart, with
    the size from which on it would have been shown.
    """
    slopes = {each.metric for each in audit.biases if each.kind == "length"}
    single = [
        row
        for row in audit.rows
        if row.judged and row.expects not in MUST_MOVE
        if not (row.is_padding and row.metric in slopes)
    ]
    tests: list[AuditRow | Bias] = [*audit.biases, *single]
    left = [each for each in tests if each not in faults]
    unclear = [each for each in left if not each.is_small]
    small, number = len(left) - len(unclear), len(unclear)
    what = f"of {len(left)} {'other ' * bool(faults)}things that must not matter"
    if len(left) == 1:
        what = f"of the one {'other ' * bool(faults)}thing that must not matter"
    if unclear:
        known = f"{small} {_are(small)} shown not to move it and " if small else ""
        yield f"{what} {known}{number} {_are(number)} open{_least(audit, unclear)}"
    elif left and not faults:
        yield f"{what} none moves it by {share_in_words(MARGIN)} of the span or more"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _least(audit: JudgeAudit, tests: Sequence[AuditRow | Bias]) -> str:
    """From which size on what is open would have been shown, of the score."""
    sizes = [each.least for each in tests if each.least is not None and each.metric == WHOLE]
    if not sizes:
        return ""
    ends = [points(each, audit.span, sign=False) for each in (min(sizes), max(sizes))]
    told = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    return f" (this audit could have shown {told} of the score)"


def told_fault(row: AuditRow, span: Ends | None) -> str:
    """What a change did that must do nothing, or that was taken for better."""
    change = f"{points(row.mean or 0.0, span)} ({between(row.interval, span)}){_of(row.metric)}"
    return {
        "gained": f"{row.found} gain {change}",
        "moved": f"{row.found} move it by {change}",
        "misread": f"{row.found} are taken for better, {change}",
    }[row.verdict]


def _of(metric: str) -> str:
    """Of which part, where it is not the score."""
    return "" if metric == WHOLE else f" in {metric}"


def told_bias(bias: Bias, span: Ends | None) -> str:
    """A bias in words, with its size."""
    value = bias.value or 0.0
    if bias.kind == "first" and not bias.flips:
        return "no winner changes with the order"
    if bias.kind == "first":
        which = "first" if value > 0.5 else "second"
        chance = value if value > 0.5 else 1 - value
        return (
            f"it prefers the {which} of two: of {bias.flips} winners that change with the order, "
            f"{share_in_words(chance)} stand {which}"
        )
    size = f"{points(value, span)} ({between(bias.interval, span)}){_of(bias.metric)}"
    return {
        "length": f"it gives {size} for each doubling of length by empty sentences",
        "place": f"it gives {size} for standing first instead of second",
        "author": f"it gives {size} for the name of its own model as author",
        "family": f"it gives its own family {size} more than other judges do",
    }[bias.kind]


SHARES: Final = (0.9, 0.75, 0.65)
"""Of changed reports whose score moves as it should."""


def sizes(reports: int) -> Iterator[str]:
    """The size that is needed for what, and what this one shows."""
    needed = ", ".join(
        f"{sign_needed(each)} where {share_in_words(each)} of them fall" for each in SHARES
    )
    yield f"  to show that scores fall at all (power {share_in_words(POWER)}): {needed}"
    if reports < 2:
        return
    half = wilson_interval(0.5, reports)
    effect = smallest_effect(reports) * sqrt(2)
    yield (
        f"  with {reports}: shares to within {100 * (half.high - half.low) / 2:.0f} points; mean "
        f"changes from {effect:.2f} standard deviations of one judgement on; if not one is missed, "
        f"at most {share_in_words(1 - ALPHA ** (1 / reports))} are"
    )
