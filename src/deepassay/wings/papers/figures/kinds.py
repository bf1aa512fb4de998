"""The kinds of figures that we draw, in the order in which readers want them."""

from __future__ import annotations

from typing import Final

from deepassay.results.figures.making import FigureKind
from deepassay.wings.papers.figures.calibration import calibration
from deepassay.wings.papers.figures.heat_map import heat_map
from deepassay.wings.papers.figures.judges import judges_against_each_other
from deepassay.wings.papers.figures.key_points import key_points_against_cost
from deepassay.wings.papers.figures.lengths import length_figure
from deepassay.wings.papers.figures.pairs import pair_figures
from deepassay.wings.papers.figures.pass_rates import pass_rates
from deepassay.wings.papers.figures.race_and_fact import race_and_fact
from deepassay.wings.papers.figures.repeat_noise import repeat_noise
from deepassay.wings.papers.figures.rubric_failures import rubric_failures
from deepassay.wings.papers.figures.rubric_importance import rubric_importance
from deepassay.wings.papers.figures.rubric_strata import rubric_strata
from deepassay.wings.papers.figures.score_against_cost import score_against_cost
from deepassay.wings.papers.figures.score_against_length import score_against_length
from deepassay.wings.papers.figures.scores import ranking
from deepassay.wings.papers.figures.scores_by_family import scores_by_family
from deepassay.wings.papers.figures.scores_by_label import scores_by_label
from deepassay.wings.papers.figures.win_rates import win_rates

KINDS: Final = (
    FigureKind("ranking", ranking),
    FigureKind("differences", pair_figures),
    FigureKind("heat-map", heat_map),
    FigureKind("repeat-noise", repeat_noise),
    FigureKind("scores-by-label", scores_by_label),
    FigureKind("scores-by-family", scores_by_family),
    FigureKind("lengths", length_figure),
    FigureKind("score-against-length", score_against_length),
    FigureKind("score-against-cost", score_against_cost),
    FigureKind("judges", judges_against_each_other),
    FigureKind("calibration", calibration),
    FigureKind("race-and-fact", race_and_fact),
    FigureKind("pass-rates", pass_rates),
    FigureKind("win-rates", win_rates),
    FigureKind("rubric-failures", rubric_failures),
    FigureKind("rubric-importance", rubric_importance),
    FigureKind("rubric-strata", rubric_strata),
    FigureKind("key-points-against-cost", key_points_against_cost),
)
