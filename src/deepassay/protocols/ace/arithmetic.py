"""From the scores of items to that of the report. Nothing here asks anyone.

DeepResearch Arena, section "Adaptively-generated Checklist Evaluation": the weighted mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.protocols.judgements import Line, commonest
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Json, Score, Unscored
from deepassay.tasks.ace import AceItem, shares_of

BOUNDS: Final = (0.0, 10.0)


def weighted_mean(shares: Sequence[float], ratings: Sequence[float | None]) -> float | None:
    """The mean of the ratings that are there, by their shares; None if there is none."""
    known = [(w, r) for w, r in zip(shares, ratings, strict=True) if r is not None]
    weight = sum(w for w, _ in known)
    return _inside(sum(w * r for w, r in known) / weight) if weight else None


def _inside(value: float) -> float:
    """The value without what rounding carried past the ends of the scale."""
    return min(max(value, BOUNDS[0]), BOUNDS[1])


def limits(shares: Sequence[float], ratings: Sequence[float | None]) -> tuple[float, float]:
    """The weighted mean if what is missing were all 0, and if it were all 10."""
    low, high = (
        _inside(sum(w * (end if r is None else r) for w, r in zip(shares, ratings, strict=True)))
        for end in BOUNDS
    )
    return low, high


def ace_score(lines: Sequence[Line[AceItem, int]], prefix: str, made_by: str) -> Score | Unscored:
    """The score of a report, 0 to 10; Unscored, with the commonest cause, if all items are open.

    prefix: of the names of parts, as the items of one task are not those of another. made_by:
    the model that made the checklist in this run, or "".
    """
    shares = shares_of([line.entry for line in lines])
    ratings = [line.judgement.verdict for line in lines]
    low, high = limits(shares, ratings)
    items = [
        _item_of(f"a{number}", line, share)
        for number, (line, share) in enumerate(zip(lines, shares, strict=True), start=1)
    ]
    details: dict[str, Json] = {
        "low": low,
        "high": high,
        "open": None in ratings,
        "items": items,
    }
    windows = max(line.judgement.windows for line in lines)
    if windows:
        details["windows"] = windows
    if summary := _summary(made_by, windows):
        details["summary"] = summary
    if made_by:
        details["made_by"] = made_by
    value = weighted_mean(shares, ratings)
    if value is None:
        cause = commonest(line.judgement.cause for line in lines)
        reason = next(line.judgement.reason for line in lines if line.judgement.cause is cause)
        return Unscored(cause, f"All {len(lines)} items are open: {reason}", details)
    parts = {
        f"{prefix}{item['key'].upper()}": None if rating is None else float(rating)
        for item, rating in zip(items, ratings, strict=True)
    }
    return Score(value, BOUNDS, parts=parts, details=details)


def _summary(made_by: str, windows: int) -> str:
    said = [f"The checklist was made by {made_by}."] if made_by else []
    if windows:
        said.append(f"The report was read in {windows} overlapping windows.")
    return " ".join(said)


def _item_of(key: str, line: Line[AceItem, int], share: float) -> dict[str, Json]:
    """One item as `explain` reads it."""
    item = EvidenceItem(
        key=key,
        item=line.entry.description,
        dimension=line.entry.title,
        weight=share,
        score=line.judgement.verdict,
        justification=line.judgement.reason,
    ).to_json()
    if line.judgement.places:
        item["places"] = [place.to_json() for place in line.judgement.places]
    return item if line.judgement.cause is None else item | {"cause": str(line.judgement.cause)}
