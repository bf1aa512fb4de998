"""From a rubric tree to its score. Nothing here asks anyone.

The paper counts errors (Table 7); shares are ours. A pair of claim and source is without an error
if its source could be reached, is about the subject and supports the claim. What we could not see
or nobody could judge is open: the share is that of the other pairs, with the bounds that it could
have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from deepassay.protocols.citation_accuracy.evidence import items_of
from deepassay.protocols.citation_accuracy.tree import Tree
from deepassay.score import Cause, Json, Score, Unscored

BOUNDS: Final = (0.0, 100.0)


def rates_of(counts: Mapping[str, int]) -> dict[str, float | None]:
    """Shares in percent, None where there is nothing to divide by; what is open is left out.

    E1, E2: of the sources. E3: of the pairs whose page was looked at. whole, backed: of the
    claims, those that all of their sources support, and those that at least one does.
    """
    sources = counts["sources"] - counts["open_sources"]
    return {
        "E1": _percent(counts["E1"], sources),
        "E2": _percent(counts["E2"], sources),
        "E3": _percent(counts["E3"], counts["E3"] + counts["supported"]),
        "whole": _percent(counts["whole"], counts["claims"] - counts["open_whole"]),
        "backed": _percent(counts["backed"], counts["claims"] - counts["open_backed"]),
    }


def score_of(tree: Tree, details: Mapping[str, Json]) -> Score | Unscored:
    """The score of a report, 0 if it cites nothing; Unscored if all of its pairs are open."""
    counts = tree.counts()
    decided = counts["pairs"] - counts["open_pairs"]
    rates = rates_of(counts)
    evidence = {
        **details,
        "summary": summary_of(counts),
        "errors": counts,
        "rates": rates,
        "items": items_of(tree),
        "low": _percent(counts["supported"], counts["pairs"]) or 0.0,
        "high": _percent(counts["supported"] + counts["open_pairs"], counts["pairs"]) or 0.0,
        "open": counts["open_pairs"] > 0,
        # What could not be reached today may be tomorrow, or be brought in by a person.
        "again": counts["E1"] > 0,
    }
    if counts["pairs"] and not decided:
        open_pairs = f"Not one of the cited pairs could be judged ({counts['pairs']} in all)."
        return Unscored(_commonest(tree), open_pairs, evidence)
    return Score(
        _percent(counts["supported"], decided) or 0.0,
        BOUNDS,
        parts={f"{name} rate": rate for name, rate in rates.items()},
        tally=(float(counts["supported"]), float(decided)),
        details=evidence,
    )


def summary_of(counts: Mapping[str, int]) -> str:
    """The errors on one line, as `explain` prints it above the tree."""
    return (
        f"{counts['errors']} errors: E1 {counts['E1']} ({counts['blocked']} blocked, "
        f"{counts['timeout']} timed out), E2 {counts['E2']}, E3 {counts['E3']} "
        f"({counts['unknown']} unknown); {counts['claims']} claims under {counts['sources']} "
        f"sources, {counts['open_pairs']} of {counts['pairs']} pairs open"
    )


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _commonest(tree: Tree) -> Cause:
    causes = Counter(
        source.cause if source.state == "open" else claim.cause for source, claim in tree.pairs()
    )
    return Cause(causes.most_common(1)[0][0])
