"""The judges of a panel against each other: whether they put reports in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, file_name
from deepassay.results.figures.style import Look, short
from deepassay.results.judge_pairs import panel_worth
from deepassay.results.panel_verdicts import panels_of
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.tables import decimals, in_range
from deepassay.stats.correlation import spearman
from deepassay.wings.papers.figures.boards import figure_title, notes_of, whole_boards
from deepassay.wings.papers.figures.rows import BROKEN, reach

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas

PAIRS: Final = 6
"""Pairs of judges that are drawn, those first that agree least."""

COLUMNS: Final = 3
DOT: Final = 8
"""The area of a mark, in square points, for each judgement in it."""

FEWEST: Final = 3
"""Reports of which a coefficient says anything."""

CAPTION: Final = (
    "Each mark is a judgement that both judges of a panel scored: the score by one, and by the "
    "other; a larger mark is several. On the broken line both say the same; marks off it that rise "
    "together put reports in the same order. rho: Spearman's coefficient over the judgements, with "
    "their number."
)


class JudgedByBoth(NamedTuple):
    """Two judges with the scores that both gave, in one order."""

    one: str
    other: str
    scores: tuple[tuple[float, float], ...]

    @property
    def rho(self) -> float | None:
        """Spearman's coefficient; None of too few, or where a judge never varies."""
        if len(self.scores) < FEWEST:
            return None
        ones, others = zip(*self.scores, strict=True)
        return spearman(ones, others)


def judges_against_each_other(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol that a panel judged."""
    for board in whole_boards(material):
        judged = board.beneath.graded.records
        pairs = [*_pairs(judged)]
        if not pairs:
            continue
        name = file_name("judges", board.protocol)
        if any(each.scores for each in pairs):
            pairs.sort(key=lambda each: (each.rho is None, each.rho, each.one, each.other))
            yield _figure(name, board, pairs, panel_worth(judged))
        else:
            yield Omitted(name, "no two judges scored one report")


def _pairs(records: Sequence[Judged]) -> Iterator[JudgedByBoth]:
    panels = [panel.judges for _, panel in panels_of(records)]
    together = {pair for judges in panels for pair in combinations(sorted(judges), 2)}
    for one, other in sorted(together):
        both = ((own.get(one), own.get(other)) for own in panels)
        scores = tuple(
            (float(a.value), float(b.value))
            for a, b in both
            if a is not None and b is not None and a.value is not None and b.value is not None
        )
        yield JudgedByBoth(one, other, scores)


def _figure(name: str, board: Board, pairs: Sequence[JudgedByBoth], worth: str) -> Figure:
    shown = [each for each in pairs if each.scores][:PAIRS]
    more = len(pairs) - len(shown)
    left_out = (f"{more} more pairs of judges are in the table.",) if more else ()
    rows = -(-len(shown) // COLUMNS)
    wide = PAGE * min(len(shown), COLUMNS) / COLUMNS
    return Figure.of(
        name,
        figure_title(board, "judges against each other"),
        CAPTION,
        Sketch(partial(_draw, board, shown), (max(wide, PAGE / 2), 2.5 * rows)),
        ("judge", "other judge", "both scored", "Spearman", "mean", "mean of the other"),
        (
            (
                each.one,
                each.other,
                str(len(each.scores)),
                decimals(each.rho, 3),
                *(_mean([scores[side] for scores in each.scores], board) for side in (0, 1)),
            )
            for each in pairs
        ),
        (*notes_of(board, marks=""), *left_out, *filter(None, [worth])),
        words=2,
    )


def _mean(values: Sequence[float], board: Board) -> str:
    return in_range(sum(values) / len(values) if values else None, board.limits)


def _draw(board: Board, pairs: Sequence[JudgedByBoth], canvas: Canvas, look: Look) -> None:
    columns = min(len(pairs), COLUMNS)
    panels = canvas.subplots(-(-len(pairs) // columns), columns, squeeze=False).flat
    drawn = [(value, None) for each in pairs for scores in each.scores for value in scores]
    ends = reach(drawn, board.limits)
    for axes, each in zip(panels, pairs, strict=False):
        axes.plot(ends, ends, color=look.muted, linewidth=0.8, linestyle=BROKEN)
        counts = Counter(each.scores)
        axes.scatter(
            [one for one, _ in counts], [other for _, other in counts],
            [DOT * count for count in counts.values()],
            color=look.colour(0), alpha=0.7, linewidths=0,
        )  # fmt: skip
        axes.set_xlim(*ends)
        axes.set_ylim(*ends)
        axes.set_xlabel(short(each.one))
        axes.set_ylabel(short(each.other))
        axes.set_title(f"rho {decimals(each.rho, 2)}, n {len(each.scores)}")
        axes.grid()
    for axes in [*panels]:  # of a last row that is not full
        axes.set_visible(False)
