"""Other sets than ResearchRubrics as their released programs count them: edition `code`.

The questions are those of edition `paper`, and so is their wording, but that a program which counts
numbers alone has them asked for; its own begins where an answer is read: what is off its menu, what
did not come, what it takes for a word. Each quirk that had a part in a number is named beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from deepassay.models.ask import Asker
from deepassay.protocols.protocol import Case, ScoreDetails, gather_limited
from deepassay.protocols.released import Quirk, Ungraded, no_grade, quirks_kept
from deepassay.protocols.rubrics.criteria import criterion_item, keys_of
from deepassay.protocols.rubrics.menus import (
    in_words,
    number_of,
    questions_of,
    released_question,
)
from deepassay.protocols.rubrics.scoring import MarkedCriterion, parts_by, score_bounds
from deepassay.protocols.rubrics.setting import Quirky, Released, Setting
from deepassay.protocols.rubrics.trees import gated, storeys
from deepassay.score import Cause, Json, Score, Unscored, canonical_json
from deepassay.stats.ranks import TIE
from deepassay.tasks.yardsticks import Criterion


class SetQuirk(Quirk):
    """Where a program counts what edition `paper` does not, or otherwise."""

    LAST_OF_REPEATS = "set-last-of-repeats"
    NO_ANYWHERE = "set-no-anywhere"
    YES_BEHIND_NO = "set-yes-behind-no"
    NONE_COUNTS_ZERO = "set-none-counts-zero"
    LOST_IS_ZERO = "set-lost-is-zero"
    NUMBER_BELIEVED = "set-number-believed"
    OFF_MENU_IS_ZERO = "set-off-menu-is-zero"
    OFF_MENU_SKIPPED = "set-off-menu-skipped"
    OFF_MENU_STOPS = "set-off-menu-stops"
    ROUNDED = "set-rounded"


LOST: Final = "(no verdict)"
"""What stands in place of a verdict that did not come."""


class CountedLine(NamedTuple):
    """A criterion and what the program makes of what was said of it.

    merit: None where it leaves both sums. cause: why nothing came.
    """

    criterion: Criterion
    said: Json
    merit: float | None
    cause: Cause | None = None


async def score(case: Case, ask: Asker, setting: Setting) -> Score | Unscored:
    """Ask for every verdict, and count as the set's program does."""
    rubric = case.task.rubric
    together = setting.together or len(rubric) or 1
    batches = [rubric[start : start + together] for start in range(0, len(rubric), together)]
    found = await gather_limited(_said(case, batch, ask, setting) for batch in batches)
    said = [each for batch in found for each in batch]
    if spent := next(
        (x for x in said if isinstance(x, Unscored) and x.cause is Cause.BUDGET), None
    ):
        return spent
    return released_score(rubric, said, setting)


async def _said(
    case: Case, criteria: Sequence[Criterion], ask: Asker, setting: Setting
) -> list[Json | Unscored]:
    """What was said of each criterion of a batch, or why nothing was."""
    texts = tuple(in_words(each, setting, case.task.language) for each in criteria)
    answer = await ask(
        questions_of(setting).released, released_question(case, texts, setting), repeat=case.repeat
    )
    if isinstance(answer, Unscored):
        return [answer] * len(criteria)
    said = answer.value.root
    lost = Unscored(Cause.ANSWER_UNREADABLE, "The answer has no verdict on it.")
    if "text" in said and len(criteria) == 1:
        return [said["text"]]
    verdicts = said.get("verdicts")
    if not isinstance(verdicts, Mapping):
        return [lost] * len(criteria)
    return [
        each.get("verdict") if isinstance(each := verdicts.get(key), Mapping) else lost
        for key in keys_of(texts)
    ]


def released_score(
    rubric: Sequence[Criterion], said: Sequence[Json | Unscored], setting: Setting
) -> Score | Unscored:
    """The score of edition `code`, the quirks that fired in its details.

    said: of each criterion whatever the judge gave as its verdict, or why nothing came.
    """
    released = setting.code or Released()
    quirks: set[SetQuirk] = set()
    lines: list[CountedLine] = []
    for criterion, each in zip(rubric, said, strict=True):
        if isinstance(each, Unscored):
            if released.lost == "report":
                return Unscored(each.cause, f"The released program drops the report: {each.detail}")
            quirks.add(SetQuirk.LOST_IS_ZERO)
            lines.append(CountedLine(criterion, LOST, 0.0, each.cause))
            continue
        try:
            merit = _merit(criterion, each, setting, released, quirks)
        except Ungraded as stop:
            return no_grade(str(stop), quirks_kept([stop.quirk]))
        lines.append(CountedLine(criterion, each, merit))
    counted = _last_of_repeats(lines, quirks) if "last-of-repeats" in released.quirks else lines
    marked = [_marked(each) for each in counted]
    value = _share(marked, setting, released)
    if value is None and "none-counts-zero" in released.quirks:
        quirks.add(SetQuirk.NONE_COUNTS_ZERO)
        value = 0.0
    if value is None:
        return no_grade(
            "has nothing to divide by and drops the report", _details(lines, setting, quirks)
        )
    if released.digits is not None:
        quirks.add(SetQuirk.ROUNDED)
    parts = _parts(marked, setting, released)
    if setting.headline:
        value = parts.get(setting.headline) or 0.0
    tally = None
    if setting.pool == "pooled":
        known = [each.merit for each in counted if each.merit is not None]
        tally = (sum(known) * setting.scale, float(len(known)))
    details = _details(lines, setting, quirks)
    return Score(
        value, _bounds(value, marked, setting, released), parts=parts, tally=tally, details=details
    )


def _bounds(
    value: float, lines: Sequence[MarkedCriterion], setting: Setting, released: Released
) -> tuple[float, float] | None:
    """Those of edition `paper`, rounded as the score is; None where a number that a program
    believed has carried the score past them.
    """
    counted = [each for each in lines if each.merit is not None]
    ends = score_bounds(counted or lines, setting)
    if ends is None:
        return None
    low, high = ends if released.digits is None else (round(e, released.digits) for e in ends)
    return (low, high) if low - TIE <= value <= high + TIE else None


def _merit(
    criterion: Criterion, said: Json, setting: Setting, released: Released, quirks: set[SetQuirk]
) -> float | None:
    """What a verdict counts; None where it leaves both sums. Raises Ungraded at the last of all."""
    own = [read for name, read in _READERS.items() if name in released.quirks]
    if own and isinstance(said, str):
        return own[0](said, quirks)
    numbers_only = "numbers-only" in released.quirks and isinstance(said, str)
    word = None if numbers_only else _on_menu(said, setting.words_for(criterion))
    if word is not None:
        return setting.merit_of(criterion, word)
    is_number = isinstance(said, int | float) and math.isfinite(said)
    if is_number and released.off_menu == "number":
        quirks.add(SetQuirk.NUMBER_BELIEVED)
        return float(said)
    if released.off_menu == "report":
        raise Ungraded(f"stops at the verdict {canonical_json(said)[:60]}", SetQuirk.OFF_MENU_STOPS)
    if released.off_menu == "skip" or ("numbers-only" in released.quirks and not is_number):
        quirks.add(SetQuirk.OFF_MENU_SKIPPED)
        return None
    quirks.add(SetQuirk.OFF_MENU_IS_ZERO)
    return 0.0


def _on_menu(said: Json, words: Sequence[str]) -> str | None:
    """The word of the menu that an answer is: letter by letter, or the same number."""
    if isinstance(said, bool) and (word := str(said).lower()) in words:
        return word
    if isinstance(said, int | float):
        return next((word for word in words if number_of(word) == said), None)
    return said if isinstance(said, str) and said in words else None


def _unless_no(said: str, quirks: set[SetQuirk]) -> float:
    """FINDER: what holds "no" anywhere, in a word too, is No; else what holds yes is Yes."""
    lower = said.lower()
    if "no" in lower:
        if "yes" in lower or not re.match(r"no\b", lower):
            quirks.add(SetQuirk.NO_ANYWHERE)
        return 0.0
    return float("yes" in lower or "true" in lower)


def _yes_first(said: str, quirks: set[SetQuirk]) -> float:
    """ResearcherBench: "Yes:" and "No:" are what they are; else yes is looked for first."""
    lower = said.strip().lower()
    if lower.startswith(("yes:", "no:")):
        return float(lower.startswith("yes:"))
    found = "yes" in lower
    if found and not lower.startswith("yes"):
        quirks.add(SetQuirk.YES_BEHIND_NO)
    return float(found)


_READERS: Final[Mapping[Quirky, Callable[[str, set[SetQuirk]], float]]] = {
    "no-anywhere": _unless_no,
    "yes-behind-no": _yes_first,
}
"""How programs read words that stand in an answer anywhere."""


def _last_of_repeats(lines: Sequence[CountedLine], quirks: set[SetQuirk]) -> list[CountedLine]:
    """Bench II keeps verdicts by the text of a criterion: of two with one text the last counts."""
    kept = {line.criterion.criterion: line for line in lines}
    if len(kept) < len(lines):
        quirks.add(SetQuirk.LAST_OF_REPEATS)
    return list(kept.values())


def _share(lines: Sequence[MarkedCriterion], setting: Setting, released: Released) -> float | None:
    """What a program makes of some lines; None where it would divide by nothing."""
    known = [(each.criterion, each.merit) for each in lines if each.merit is not None]
    merits = [merit for _, merit in known]
    weights = [setting.weight_of(criterion) for criterion, _ in known]
    entries = [criterion for criterion, _ in known]
    if setting.shape == "storeys":
        return storeys(
            [each.criterion for each in lines],
            [each.merit for each in lines],
            [setting.weight_of(each.criterion) for each in lines],
            setting.over,
            released.digits,
            0.0 if "none-counts-zero" in released.quirks else None,
            rounded=released.rounded,
        )
    if setting.shape == "gate":
        return gated(entries, merits) if entries else None
    earned = math.fsum(weight * merit for weight, merit in zip(weights, merits, strict=True))
    possible = math.fsum(each for each in weights if each > 0 or setting.over == "all")
    if possible <= 0:
        return None
    value = earned / possible
    if setting.clip == "report":
        value = min(max(value, 0.0), 1.0)
    value *= setting.scale
    return value if released.digits is None else round(value, released.digits)


def _parts(
    lines: Sequence[MarkedCriterion], setting: Setting, released: Released
) -> dict[str, float | None]:
    """The parts of edition `paper`; by importance a program has its figure where there is none."""
    parts = parts_by(lines, setting, lambda own: _share(own, setting, released))
    if setting.importance:
        kinds = ("vital", "okay", "all")
        parts = {**dict.fromkeys((*kinds, *(f"strict {each}" for each in kinds)), 0.0), **parts}
    if "none-counts-zero" in released.quirks:
        parts = {name: value or 0.0 for name, value in parts.items()}
    return parts


def _marked(line: CountedLine) -> MarkedCriterion:
    """A line as parts are made of it; one that leaves both sums has no word either."""
    said = line.said
    word = f"{said:g}" if isinstance(said, int | float) else str(said)
    return MarkedCriterion(line.criterion, None if line.merit is None else word, line.merit)


def _details(
    lines: Sequence[CountedLine], setting: Setting, quirks: set[SetQuirk]
) -> dict[str, Json]:
    items = []
    for each in lines:
        item = criterion_item(each.criterion, setting)
        update: dict[str, Json] = {"verdict": each.said, "score": each.merit}
        if each.cause is not None:
            update["cause"] = str(each.cause)
        items.append(item.model_copy(update=update))
    return ScoreDetails(
        items=tuple(items),
        open=any(each.cause for each in lines),
        quirks=tuple(str(quirk) for quirk in SetQuirk if quirk in quirks),
    ).to_json()
