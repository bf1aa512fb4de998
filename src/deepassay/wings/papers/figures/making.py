"""From scores to figures: all of them, or those that were asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final

from deepassay.errors import BadSetting
from deepassay.results.overview import check
from deepassay.wings.papers.figures.figure import Figure, Material, Omitted
from deepassay.wings.papers.figures.lengths import length_figure, score_against_length
from deepassay.wings.papers.figures.pairs import pair_figures, repeat_noise
from deepassay.wings.papers.figures.race_and_arena import key_points_against_cost, race_and_fact
from deepassay.wings.papers.figures.rates import pass_rates, win_rates
from deepassay.wings.papers.figures.rubrics import rubric_failures, rubric_importance, rubric_strata
from deepassay.wings.papers.figures.scores import ranking, scores_by_family, scores_by_label

Maker = Callable[[Material], Iterable[Figure | Omitted]]
"""Makes the figures of one kind, often one for each protocol.

It makes none, and names none as omitted, where the kind is about protocols that were not judged.
"""

MAKERS: Final[Mapping[str, Maker]] = {
    "ranking": ranking,
    "differences": pair_figures,
    "repeat-noise": repeat_noise,
    "scores-by-label": scores_by_label,
    "scores-by-family": scores_by_family,
    "lengths": length_figure,
    "score-against-length": score_against_length,
    "race-and-fact": race_and_fact,
    "pass-rates": pass_rates,
    "win-rates": win_rates,
    "rubric-failures": rubric_failures,
    "rubric-importance": rubric_importance,
    "rubric-strata": rubric_strata,
    "key-points-against-cost": key_points_against_cost,
}
"""By the names of the kinds, which `--only` takes, in the order in which readers want them."""


def make_figures(material: Material, only: Collection[str] = ()) -> list[Figure | Omitted]:
    """The figures of these kinds, of all if none is named; no two of one file name.

    Raises BadSetting for a kind that there is not, and as `families.check` does.
    """
    for kind in only:
        if kind not in MAKERS:
            raise BadSetting(f"There is no figure {kind!r}.", f"Figures: {', '.join(MAKERS)}.")
    if material.profiles:
        check(material.boards, material.profiles)
    chosen = [maker for kind, maker in MAKERS.items() if kind in only or not only]
    return _told_apart([each for maker in chosen for each in maker(material)])


def _told_apart(found: Iterable[Figure | Omitted]) -> list[Figure | Omitted]:
    """Names that became the same for want of letters are numbered."""
    seen: Counter[str] = Counter()
    named = []
    for each in found:
        seen[each.name] += 1
        again = seen[each.name]
        named.append(each if again == 1 else replace(each, name=f"{each.name}-{again}"))
    return named
