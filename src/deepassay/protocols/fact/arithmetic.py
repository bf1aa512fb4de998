"""From verdicts on the pairs of one report to its numbers. Nothing here asks anyone.

DeepResearch Bench, appendix E: the accuracy of a report is the share of its unique statement-URL
pairs that are supported, 0 if it has none (equation 3). A page that is gone, that leads to a
front page instead, or that may not be reached supports nothing. Where we could not see the page,
or the judge failed, the pair is unscored: the accuracy is that of the others, with the bounds that
it could have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from deepassay.protocols.fact.pairs import CitedPair
from deepassay.protocols.protocol import ScoreDetails
from deepassay.results.citations import DECIDED, OPEN, accuracy_of
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Cause, Json, Score, Unscored, commonest
from deepassay.sources.page import HOLDS_NOTHING

BOUNDS: Final = (0.0, 1.0)

UNSCORED: Final = ("blocked", "not_archived", *OPEN)
"""Outcomes that leave a pair open."""

OUTCOMES: Final = DECIDED + UNSCORED

ALWAYS_COUNTED: Final = tuple(each for each in OUTCOMES if each != "doubtful")
"""The others stand in counts only where there are any: run files from before are replayed alike."""


class Outcome(NamedTuple):
    """What came of a pair. kind: one of OUTCOMES. reason: quote, or why there is no verdict.

    cause: of a failed judgement, which is as Unscored gives it.
    """

    kind: str
    reason: str = ""
    cause: Cause | None = None


@dataclass(frozen=True)
class CitedClaims:
    """What a report says, for recall.

    claims: indices of its statements that need a source. cited: of those that carry a citation.
    """

    claims: frozenset[int]
    cited: frozenset[int]


def counts_of(
    outcomes: Mapping[CitedPair, Outcome], body: CitedClaims, merged: int = 0
) -> dict[str, int]:
    """Everything that the figures are made of, as `details["counts"]` keeps it.

    citing: 1 if there are pairs at all. statements: claims and cited statements. recalled: those
    with a source that supports them. open: those without one, of which a pair is unscored. Of
    pairs without the report, as they are published, no statements are known.
    uncited: claims without any citation, of as many `claims`. merged: pairs that repeated a fact.
    """
    kinds = Counter(outcome.kind for outcome in outcomes.values())
    recalled = {
        at for pair, each in outcomes.items() if each.kind == "supported" for at in pair.places
    }
    pending = {at for pair, each in outcomes.items() if each.kind in UNSCORED for at in pair.places}
    statements = body.claims | body.cited
    return {
        "citing": int(bool(outcomes)),
        "pairs": len(outcomes),
        **{kind: kinds[kind] for kind in OUTCOMES if kind in ALWAYS_COUNTED or kinds[kind]},
        "statements": len(statements),
        "recalled": len(recalled & statements),
        "open": len((pending - recalled) & statements),
        "claims": len(body.claims),
        "uncited": len(body.claims - body.cited),
        "merged": merged,
    }


def scored_pairs(counts: Mapping[str, int]) -> int:
    """How many pairs have an outcome that decides."""
    return sum(counts[kind] for kind in DECIDED)


def accuracy_bounds(counts: Mapping[str, int]) -> tuple[float, float]:
    """The accuracy if no unscored pair were supported, and if all of them were."""
    pairs = counts["pairs"]
    if not pairs:
        return 0.0, 0.0
    supported = counts["supported"]
    return supported / pairs, (supported + pairs - scored_pairs(counts)) / pairs


def recall(counts: Mapping[str, int]) -> float | None:
    """Share of statements with at least one source that supports them, in the way of ALCE.

    Gao et al. 2023, section 3; the sources of a statement are judged one by one and not together.
    Statements of which it is open are left out. None if there are no others.
    """
    known = counts["statements"] - counts["open"]
    return counts["recalled"] / known if known else None


def uncited_share(counts: Mapping[str, int]) -> float | None:
    """Share of claims without any source; None for a report without claims."""
    return counts["uncited"] / counts["claims"] if counts["claims"] else None


def grounded_share(counts: Mapping[str, int]) -> float | None:
    """Share of claims with a source (ResearcherBench); None for a report without claims."""
    uncited = uncited_share(counts)
    return None if uncited is None else 1 - uncited


class PairItem(EvidenceItem):
    """The line of a pair in the evidence. by: how its source was seen, as `CitedPair` has it."""

    by: str


class FactDetails(ScoreDetails):
    """What is kept of a score. counts: see `counts_of`.

    statements_by: `model` or `mechanical`. dropped: what a model gave that is not in the report.
    supported_without_quote: verdicts with no passage that shows them.
    """

    items: tuple[PairItem | EvidenceItem, ...] | None = None
    counts: Mapping[str, int] | None = None
    statements_by: str | None = None
    dropped: int | None = None
    supported_without_quote: int | None = None


def paper_score(
    outcomes: Mapping[CitedPair, Outcome],
    counts: Mapping[str, int],
    details: Mapping[str, Json],
    verified: bool = False,
) -> Score | Unscored:
    """The score of edition `paper`; Unscored, with the commonest cause, if every pair is.

    verified: only pairs count whose page was read (ResearcherBench); groundedness is a part.
    """
    counted = {**counts}
    if verified:
        read = counts["pairs"] - sum(counts[kind] for kind in HOLDS_NOTHING)
        counted |= dict.fromkeys(map(str, HOLDS_NOTHING), 0) | {"pairs": read}
    low, high = accuracy_bounds(counted)
    unscored = counted["pairs"] - scored_pairs(counted)
    evidence = {
        **details,
        **FactDetails(
            counts=counts,
            items=items_of(outcomes),
            low=low,
            high=high,
            open=unscored > 0,
            # What is gone may be back, a refused one allowed, and both brought in by a person.
            again=sum(counts[kind] for kind in HOLDS_NOTHING) > 0,
        ).to_json(),
    }
    value = accuracy_of(counted)
    if value is None or (verified and counts["pairs"] and not counted["pairs"]):
        cause = commonest(
            each.cause or (Cause.PAGE_DEAD if each.kind in HOLDS_NOTHING else None)
            for each in outcomes.values()
        )
        return Unscored(
            cause,
            f"Not one of the cited pairs could be judged ({counts['pairs']} in all).",
            evidence,
        )
    return Score(
        value,
        BOUNDS,
        parts={
            "C.Acc": accuracy_of(counts),
            "E.Cit": float(counts["supported"]),
            "pairs": float(counts["pairs"]),
            "citation recall": recall(counts),
            "uncited": uncited_share(counts),
            **({"faithful": value, "grounded": grounded_share(counts)} if verified else {}),
        },
        tally=(float(counts["supported"]), float(scored_pairs(counted))),
        details=evidence,
    )


def items_of(outcomes: Mapping[CitedPair, Outcome]) -> tuple[PairItem, ...]:
    """The evidence as `explain` reads it: statement, address, verdict, and the quote or reason."""
    return tuple(
        PairItem(
            key=f"s{number}",
            item=pair.statement,
            score=None if outcome.kind in UNSCORED else int(outcome.kind == "supported"),
            justification=pair.url
            + ("" if pair.by == "citation" else f" · by {pair.by}")
            + (f" · {outcome.reason}" if outcome.reason else ""),
            url=pair.url,
            verdict=outcome.kind,
            by=pair.by,
        )
        for number, (pair, outcome) in enumerate(outcomes.items(), start=1)
    )
