"""Why a report has less than it had: criteria, checks and citations that lost points.

What the judge of the earlier and of the later report was asked is matched by its wording (and, of
citations, by its address): numbers of statements change with every text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from deepassay.results.evidence import EvidenceItem, single_outcomes
from deepassay.results.explain import FAULTS, verdict_of
from deepassay.results.records import Judged
from deepassay.score import Score
from deepassay.stats.ranks import TIE

Wording = tuple[str, str, str, int]
"""What an item says, its address and dimension, and which of several that say the same it is."""


@dataclass(frozen=True)
class LostPoint:
    """One item that lost. before, now: verdicts in words; empty where it was not there.

    reason: what the judge said of it now. size: what was lost, by the weight of the item.
    """

    key: str
    item: str
    before: str
    now: str
    reason: str
    size: float


def lost_points(before: Sequence[Judged], now: Sequence[Judged]) -> list[LostPoint]:
    """The items of one report that lost, the most first; over answers, judgements and judges."""
    was, has = _items(before), _items(now)
    found = [
        point
        for wording in {**was, **has}
        if (point := _lost(was.get(wording, ()), has.get(wording, ())))
    ]
    return sorted(found, key=lambda each: -each.size)


def fallen_parts(
    before: Sequence[Judged], now: Sequence[Judged]
) -> Iterator[tuple[str, float, float]]:
    """The parts of a score that fell, with their means, where both have them."""
    was, has = _parts(before), _parts(now)
    for name, values in was.items():
        if name in has and fmean(has[name]) < fmean(values) - TIE:
            yield name, fmean(values), fmean(has[name])


def _parts(records: Sequence[Judged]) -> Mapping[str, Sequence[float]]:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for each in records:
        if isinstance(each.outcome, Score):
            for name, value in each.outcome.parts.items():
                if value is not None:
                    found[name].append(value)
    return found


def _items(records: Sequence[Judged]) -> dict[Wording, list[EvidenceItem]]:
    """All items under their wordings."""
    found: defaultdict[Wording, list[EvidenceItem]] = defaultdict(list)
    for record in records:
        for outcome in single_outcomes(record):
            seen: Counter[tuple[str, str, str]] = Counter()
            for item in outcome.evidence.items:
                wording = item.item, item.url or "", item.dimension or ""
                seen[wording] += 1
                found[(*wording, seen[wording])].append(item)
    return found


def _lost(before: Sequence[EvidenceItem], now: Sequence[EvidenceItem]) -> LostPoint | None:
    """What was lost between items of one wording; None where nothing was, or nobody can say."""
    earlier, later = _merit(before), _merit(now)
    if earlier is None or later is None:
        return None
    shown = (now or before)[0]
    unmet = not before and later == 0 and shown.score == 0  # a statement that is new, and bad
    size = (1.0 if unmet else earlier - later) * (abs(shown.weight) if shown.weight else 1.0)
    if size <= TIE:
        return None
    worst = min(now, key=lambda item: item.score if item.score is not None else 0.0, default=None)
    reason = worst.reason if worst else ""
    return LostPoint(shown.key, shown.item, _verdicts(before), _verdicts(now), reason, size)


def _merit(items: Sequence[EvidenceItem]) -> float | None:
    """The mean of what they are worth; 0 where there are none, None where none is decided."""
    values = [value for item in items if (value := _worth(item)) is not None]
    return fmean(values) if values else (None if items else 0.0)


def _worth(item: EvidenceItem) -> float | None:
    """The score of an item, of one that takes points away less than zero; of a fault -1."""
    if item.state:
        return -1.0 if item.state in FAULTS else 0.0
    if not item.has("score"):
        return -1.0 if item.places else None
    if item.score is None:
        return None
    return -item.score if (item.weight or 0.0) < 0 else float(item.score)


def _verdicts(items: Sequence[EvidenceItem]) -> str:
    told = (str(item.verdict) if item.of_rubric else verdict_of(item) for item in items)
    return " / ".join(dict.fromkeys(told))
