"""Binary checklists as the authors' released program counts them: edition `code`.

The program checks nothing that a judge answers. It adds up whatever scores it finds and divides
by the number of items; so a report can get 110, or -10, or NaN. All of it is reproduced, to the
last digit, and each quirk that had a part in a number is named beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from deepassay.models.ask import Asker
from deepassay.models.operation import In, Operation, Unchecked
from deepassay.protocols.checklist import BOUNDS, ChecklistAnswer
from deepassay.protocols.released import Quirk, Ungraded, fired, no_grade, quirks_kept
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Cause, Json, Score, Unscored


class RawVerdicts(Unchecked):
    """Whatever JSON a judge answered: the program asks for verdicts and checks none of them."""

    form = ChecklistAnswer


@cache
def as_released(strict: Operation[In, ChecklistAnswer]) -> Operation[In, RawVerdicts]:
    """A question whose answer is read as the released program reads it: nothing is checked."""
    return Operation(
        strict.name,
        prompts=strict.prompts,
        takes=strict.takes,
        gives=RawVerdicts,
        offline=lambda inputs: RawVerdicts(strict.offline(inputs).model_dump()),
        shape=strict.shape,
        reading="released",
        version=strict.version + 1,  # a list with an object in a fence is no longer that object
        rule=strict.rule,
        expected=strict.expected,
    )


async def judged_as_released(
    strict: Operation[In, ChecklistAnswer],
    inputs: In,
    ask: Asker,
    repeat: int,
    keys: Mapping[str, str],
    prefix: str = "",
) -> Score | Unscored:
    """The score by what a judge answers to a question, read as the program reads it.

    keys, prefix: see `released_score`.
    """
    raw = await ask(as_released(strict), inputs, repeat=repeat)
    return raw if isinstance(raw, Unscored) else released_score(raw.value.root, keys, prefix)


def without_checklist(missing: str) -> Unscored:
    """A report of a task that has no checklist. missing: what is said of it."""
    return Unscored(Cause.MISSING_INPUT, missing, quirks_kept([ChecklistQuirk.EMPTY_CHECKLIST]))


class ChecklistQuirk(Quirk):
    """Where the program counts what edition `paper` refuses."""

    NO_EVALUATIONS = "no-evaluations"
    MISSING_ITEM = "missing-item"
    UNASKED_ITEM = "unasked-item"
    MISSING_SCORE = "missing-score"
    BOOLEAN_SCORE = "boolean-score"
    OFF_MENU_SCORE = "off-menu-score"
    MISSING_REASON = "missing-reason"
    OUT_OF_RANGE = "out-of-range"
    NOT_A_NUMBER = "not-a-number"
    WRONG_TYPE = "wrong-type"
    EMPTY_CHECKLIST = "empty-checklist"


@dataclass(frozen=True)
class ReleasedRate:
    """What the program makes of an answer.

    total: the sum of the scores, a number of any kind. rate: 0 to 100 for answers on the menu,
    else any number, also NaN. parts: the score of each answered item in percent, by its key, where
    that is a number at all.
    """

    total: float
    rate: float
    parts: Mapping[str, float]
    quirks: tuple[ChecklistQuirk, ...]


def released_rate(answer: Json, keys: Sequence[str]) -> ReleasedRate:
    """The arithmetic of the program: the sum of every score, by the number of items asked.

    Raises Ungraded where the program stops, also for whole numbers that no float can hold.
    """
    if not isinstance(answer, dict):
        raise Ungraded(f"the answer is {_kind(answer)}, not an object", ChecklistQuirk.WRONG_TYPE)
    evaluations = answer.get("evaluations", {})
    if not isinstance(evaluations, dict):
        raise Ungraded(
            f"'evaluations' is {_kind(evaluations)}, not an object", ChecklistQuirk.WRONG_TYPE
        )
    scores: dict[str, float] = {}
    for key, entry in evaluations.items():
        if not isinstance(entry, dict):
            raise Ungraded(
                f"the entry {key!r} is {_kind(entry)}, not an object", ChecklistQuirk.WRONG_TYPE
            )
        score = entry.get("score", 0)
        if not isinstance(score, int | float):
            raise Ungraded(
                f"the score of {key!r} is {_kind(score)}, not a number", ChecklistQuirk.WRONG_TYPE
            )
        scores[key] = score
    try:
        total: float = 0
        for score in scores.values():
            total += score  # one by one: sum() of later Pythons rounds otherwise
        rate = total / len(keys) * 100  # in this order, for the last digit of the float
        percent = {key: 100.0 * score for key, score in scores.items()}
        total = float(total)
    except OverflowError as error:
        raise Ungraded("a score is too large to count with", ChecklistQuirk.WRONG_TYPE) from error
    parts = {key: part for key, part in percent.items() if math.isfinite(part)}
    return ReleasedRate(total, rate, parts, tuple(_quirks(answer, evaluations, keys, rate)))


def released_score(answer: Json, items: Mapping[str, str], prefix: str = "") -> Score | Unscored:
    """The score of edition `code`, the quirks that fired in its details.

    items, prefix: as for `paper_score`.

    An answer at which the program stops, or of which it makes NaN, is Unscored.
    """
    try:
        released = released_rate(answer, list(items))
    except Ungraded as stop:
        return no_grade(f"stops at this answer: {stop}", quirks_kept([stop.quirk]))
    details = quirks_kept(released.quirks)
    if not math.isfinite(released.rate):
        return no_grade(f"makes {released.rate} of this answer, which is no score", details)
    evidence = [
        EvidenceItem(
            key=key,
            item=items.get(key, "(not asked)"),
            score=entry.get("score", 0),
            justification=_reason(entry),
        ).to_json()
        for key, entry in answer.get("evaluations", {}).items()
    ]
    return Score(
        released.rate,
        None if ChecklistQuirk.OUT_OF_RANGE in released.quirks else BOUNDS,
        # The program counts a missing item as 0; as a part it stays missing.
        parts={prefix + key.upper(): released.parts.get(key) for key in items},
        tally=(float(released.total), float(len(items))),
        details={"items": evidence, **details},
    )


def _quirks(
    answer: Mapping[str, Json], evaluations: Mapping[str, Json], keys: Sequence[str], rate: float
) -> list[ChecklistQuirk]:
    """What edition `paper` would not have let pass."""
    scores = [entry["score"] for entry in evaluations.values() if "score" in entry]
    return fired(
        {
            ChecklistQuirk.NO_EVALUATIONS: "evaluations" not in answer,
            ChecklistQuirk.MISSING_ITEM: any(key not in evaluations for key in keys),
            ChecklistQuirk.UNASKED_ITEM: any(key not in keys for key in evaluations),
            ChecklistQuirk.MISSING_SCORE: len(scores) < len(evaluations),
            ChecklistQuirk.BOOLEAN_SCORE: any(isinstance(score, bool) for score in scores),
            ChecklistQuirk.OFF_MENU_SCORE: any(score not in (0, 1) for score in scores),
            ChecklistQuirk.MISSING_REASON: any(
                not _reason(entry) for entry in evaluations.values()
            ),
            ChecklistQuirk.OUT_OF_RANGE: rate < 0 or rate > 100,
            ChecklistQuirk.NOT_A_NUMBER: math.isnan(rate),
        }
    )


def _reason(entry: Mapping[str, Json]) -> str:
    reason = entry.get("justification")
    return reason.strip() if isinstance(reason, str) else ""


def _kind(value: Json) -> str:
    names = {str: "a text", list: "a list", dict: "an object", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")
