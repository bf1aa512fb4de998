"""RACE as the authors' released program asks and computes it: edition `code`.

The program believes whatever a judge answers: criteria are matched by guess, scores may be of any
size, and what is left out is renormalised away. All of it is reproduced, to the last digit, and
each quirk that had a part in a number is named beside it. The published figures were made so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from deepassay.files import without_surrogates
from deepassay.models.operation import Operation, Unchecked
from deepassay.protocols.protocol import PROMPTS, Case, RoleAskers, ScoreDetails
from deepassay.protocols.race.questions import COMPARE, ComparedMarks, TwoArticles
from deepassay.protocols.race.released_answers import OddObject, RaceQuirk, released_json
from deepassay.protocols.released import Ungraded, fired, no_grade, quirks_kept
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Json, Score, Unscored
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria

BOUNDS: Final = (0.0, 1.0)
SCALE: Final = (0.0, 10.0)
"""Lowest and highest score that a judge is asked to give one criterion."""


class RawComparison(Unchecked):
    """Whatever JSON the released program finds in an answer."""

    form = ComparedMarks


COMPARE_AS_RELEASED: Final = Operation(
    COMPARE.name,
    prompts=PROMPTS,
    takes=TwoArticles,
    gives=RawComparison,
    offline=lambda inputs: RawComparison(COMPARE.offline(inputs).model_dump()),
    shape=COMPARE.shape,
    reading=released_json,
    version=2,  # names of dimensions in analyses no longer end a part that is salvaged
    rule=2,
    expected=COMPARE.expected,
)


async def score(
    case: Case, ask: RoleAskers, inputs: TwoArticles, criteria: Criteria
) -> Score | Unscored:
    """The score by what a judge answers to both articles, read as the program reads it."""
    raw = await ask.judge(COMPARE_AS_RELEASED, inputs, repeat=case.repeat)
    if isinstance(raw, Unscored):
        return raw
    return released_score(raw.value.root, criteria.model_dump(mode="json"))


@dataclass(frozen=True)
class WeightedMeans:
    """What one report got. dimensions: weighted means, only those the program came to."""

    dimensions: Mapping[str, float]
    total: float


@dataclass(frozen=True)
class ReleasedRatio:
    """What the program makes of an answer.

    overall: target / (target + reference) of the totals, any number, also NaN. parts: the same
    for each of the four dimensions. items: every score that counted, with its weight.
    """

    overall: float
    parts: Mapping[str, float]
    target: WeightedMeans
    reference: WeightedMeans
    items: tuple[EvidenceItem, ...]
    quirks: tuple[RaceQuirk, ...]

    @property
    def is_finite(self) -> bool:
        """Whether no NaN and no infinity had a part in it, though the ratio may hide them."""
        sums = [self.target.total, self.reference.total, self.overall, *self.parts.values()]
        return all(map(math.isfinite, sums))


def released_race(answer: Json, criteria: Mapping[str, Json]) -> ReleasedRatio:
    """The arithmetic of the program.

    criteria: the row of the task, with `dimension_weight` and `criterions`. Raises Ungraded.
    """
    if not isinstance(answer, dict):
        raise Ungraded("the answer is not an object", RaceQuirk.PROGRAM_STOPS)
    weights, criterions = criteria.get("dimension_weight"), criteria.get("criterions")
    if not (isinstance(weights, Mapping) and isinstance(criterions, Mapping) and criterions):
        raise Ungraded(
            "the task has no criteria, or no weights of dimensions", RaceQuirk.PROGRAM_STOPS
        )
    scored: dict[str, _Dimension] = {}
    quirks: set[RaceQuirk] = set(answer.quirks) if isinstance(answer, OddObject) else set()
    quirks |= {RaceQuirk.EXTRA_DIMENSION for name in answer if name not in DIMENSIONS}
    try:
        for name, items in answer.items():
            if isinstance(items, list) and name in weights and criterions.get(name):
                scored[name] = _Dimension.read(name, criterions[name], items)
        target, reference = _totals(scored, weights)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise Ungraded(
            f"it meets a value that it cannot count with ({error!r})", RaceQuirk.PROGRAM_STOPS
        ) from error
    parts: dict[str, float] = {
        name: _ratio(target.dimensions.get(name, 0), reference.dimensions.get(name, 0))
        for name in DIMENSIONS
    }
    overall = _ratio(target.total, reference.total)
    for dimension in scored.values():
        quirks |= dimension.quirks
    quirks |= set(_quirks_of_sums(scored, target, reference, [overall, *parts.values()]))
    counted = [item for dimension in scored.values() for item in dimension.counted]
    items = tuple(
        item.model_copy(update={"key": f"c{number}"})
        for number, item in enumerate(counted, start=1)
    )
    ordered = tuple(quirk for quirk in RaceQuirk if quirk in quirks)
    return ReleasedRatio(overall, parts, target, reference, items, ordered)


def released_score(answer: Json, criteria: Mapping[str, Json]) -> Score | Unscored:
    """The score of edition `code`, 0 to 1, with the quirks that fired in its details.

    An answer at which the program stops, or in which it meets NaN or infinity, is Unscored.
    """
    try:
        released = released_race(answer, criteria)
    except Ungraded as stop:
        return no_grade(f"stops at this answer: {stop}", quirks_kept([stop.quirk]))
    if not released.is_finite:
        return no_grade(
            f"makes {released.overall} of scores that are not finite", quirks_kept(released.quirks)
        )
    return Score(
        released.overall,
        None if RaceQuirk.RATIO_OUT_OF_RANGE in released.quirks else BOUNDS,
        parts=dict(released.parts),
        details=ScoreDetails(
            items=released.items, quirks=tuple(map(str, released.quirks))
        ).to_json(),
    )


@dataclass
class _Dimension:
    """Sums over the items of one dimension, in the order in which the judge gave them.

    last: the reference score of the item that was parsed last, which decides whether the
    reference counts at all.
    """

    name: str
    weights: Mapping[str, float]
    target: float = 0.0
    reference: float = 0.0
    weight: float = 0.0
    last: float | None = None
    counted: list[EvidenceItem] = field(default_factory=list)
    quirks: set[RaceQuirk] = field(default_factory=set)

    @classmethod
    def read(cls, name: str, criteria: Json, items: list[Json]) -> _Dimension:
        """Go through the items of an answer."""
        dimension = cls(name, {each["criterion"]: each["weight"] for each in criteria})
        matched = [dimension._add(item) for item in items]
        hits = [text for text in matched if text is not None]
        found = {
            RaceQuirk.MISSING_CRITERION: not set(hits) >= set(dimension.weights),
            RaceQuirk.EXTRA_CRITERION: len(dimension.counted) > len(dimension.weights),
            RaceQuirk.DUPLICATE_CRITERION: len(set(hits)) < len(hits),
        }
        dimension.quirks |= set(fired(found))
        return dimension

    def _add(self, item: Json) -> str | None:
        """Count one item; the criterion that it was matched to."""
        parsed = self._parsed(item)
        if parsed is None:
            self.quirks.add(RaceQuirk.SKIPPED_ITEM)
            return None
        text, target, self.last = parsed
        if not text or target is None:
            self.quirks.add(RaceQuirk.SKIPPED_ITEM)
            return None
        match = self._match(text)
        if match is None:
            self.quirks.add(RaceQuirk.UNMATCHED_CRITERION)
        weight = self._mean_weight if match is None else self.weights[match]
        self.target += target * weight
        self.weight += weight
        if self.last is None:
            self.quirks.add(RaceQuirk.MISSING_REFERENCE_SCORE)
        else:
            self.reference += self.last * weight
        self.counted.append(
            EvidenceItem(
                item=_legible(text),
                dimension=self.name,
                weight=weight,
                score=target,
                reference=self.last,
                justification=_legible(item.get("analysis", "")),
            )
        )
        return match

    def _parsed(self, item: Json) -> tuple[str, float | None, float | None] | None:
        """Text and both scores of an item, or None where the program passes it over."""
        if not isinstance(item, dict):
            return None
        text, target = item.get("criterion"), item.get("article_1_score")
        if target is None and item.get("target_score") is not None:
            target = item["target_score"]
            self.quirks.add(RaceQuirk.TARGET_SCORE_ONLY)
        given = (target, item.get("article_2_score"))
        try:
            scores = [None if score is None else float(score) for score in given]
        except (TypeError, ValueError):
            return None
        self.quirks |= set(_quirks_of_scores(given, scores))
        return text.strip() if isinstance(text, str) else "", scores[0], scores[1]

    def _match(self, text: str) -> str | None:
        """The criterion that is meant: the same text, or nearly, or one that holds the other."""
        if text in self.weights:
            return text
        small = text.lower()
        for criterion in self.weights:
            if criterion.lower() == small:
                self.quirks.add(RaceQuirk.CASE_MATCH)
                return criterion
        for criterion in self.weights:
            if small in criterion.lower() or criterion.lower() in small:
                self.quirks.add(RaceQuirk.SUBSTRING_MATCH)
                return criterion
        return None

    @property
    def _mean_weight(self) -> float:
        return sum(self.weights.values()) / len(self.weights)

    @property
    def means(self) -> tuple[float, float]:
        """Weighted means of target and reference over what was counted."""
        if not self.weight > 0:
            return 0.0, 0.0
        reference = 0.0 if self.last is None else self.reference / self.weight
        return self.target / self.weight, reference


def _totals(
    scored: Mapping[str, _Dimension], weights: Mapping[str, Json]
) -> tuple[WeightedMeans, WeightedMeans]:
    """Of target and reference, dimensions in the order in which the judge gave them."""
    totals = [0.0, 0.0]
    for name, dimension in scored.items():
        for side, mean in enumerate(dimension.means):
            totals[side] += mean * weights[name]
    target, reference = (
        {name: each.means[side] for name, each in scored.items()} for side in (0, 1)
    )
    return WeightedMeans(target, totals[0]), WeightedMeans(reference, totals[1])


def _ratio(target: float, reference: float) -> float:
    # As the program compares: a sum of NaN is not positive, and gives 0.
    return target / (target + reference) if target + reference > 0 else 0.0


def _legible(said: Json) -> str:
    """What a judge said as evidence: a text, whatever it answered, without half characters."""
    return without_surrogates(str(said))


def _quirks_of_scores(given: tuple[Json, ...], scores: list[float | None]) -> Iterator[RaceQuirk]:
    if any(isinstance(score, str) for score in given):
        yield RaceQuirk.STRING_SCORE
    if any(isinstance(score, bool) for score in given):
        yield RaceQuirk.TRUTH_SCORE
    for score in scores:
        if score is not None and not math.isfinite(score):
            yield RaceQuirk.NAN
        elif score is not None and not SCALE[0] <= score <= SCALE[1]:
            yield RaceQuirk.SCORE_OUT_OF_RANGE


def _quirks_of_sums(
    scored: Mapping[str, _Dimension],
    target: WeightedMeans,
    reference: WeightedMeans,
    ratios: list[float],
) -> Iterator[RaceQuirk]:
    if not all(name in scored and scored[name].counted for name in DIMENSIONS):
        yield RaceQuirk.MISSING_DIMENSION
    if any(each.last is None and each.counted for each in scored.values()):
        yield RaceQuirk.LAST_REFERENCE_SCORE
    if target.total + reference.total <= 0:
        yield RaceQuirk.ZERO_TOTAL
    if any(ratio < 0 or ratio > 1 for ratio in ratios):
        yield RaceQuirk.RATIO_OUT_OF_RANGE
