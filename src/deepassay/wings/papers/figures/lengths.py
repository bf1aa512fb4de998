"""How long the reports of each agent are (LiveResearchBench, figure 5).

Whether longer reports score higher (ResearchRubrics, figure 7 and appendix C.2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, file_name
from deepassay.results.figures.style import SERIES, Look, legend_columns, marker, short
from deepassay.results.lengths import MeasuredReport, lengths_by_spot, report_scores
from deepassay.results.ranking import Board
from deepassay.results.records import without_references
from deepassay.results.tables import decimals
from deepassay.stats.correlation import Coefficient, spearman_with_interval
from deepassay.wings.papers.figures.boards import figure_title, notes_of, whole_boards
from deepassay.wings.papers.figures.rows import ROW, set_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase as Canvas


CAPTION: Final = (
    "Length of the reports of each agent in estimated tokens, with the web addresses in them and "
    "without: the line in the box is the median, the box holds the middle half, the whiskers reach "
    "the shortest and the longest report (after figure 5 of LiveResearchBench, which counts the "
    "tokens of addresses too). In brackets: reports."
)
KINDS: Final = ("with URLs", "without URLs")
HEAD: Final = (
    *("agent", "reports", "addresses"),
    *("shortest", "first quartile", "median", "third quartile", "longest"),
)


@dataclass(frozen=True)
class _Lengths:
    """Of one agent: reports, and five numbers from shortest to longest, whole and bare."""

    agent: str
    reports: int
    whole: tuple[float, ...]
    bare: tuple[float, ...]


def length_figure(material: Material) -> Iterator[Figure | Omitted]:
    """One figure over all reports, if the files have any."""
    if not material.reports:
        yield Omitted("lengths", "the files hold scores, but no reports")
        return
    agents = sorted({each.agent for each in material.reports})
    rows = [_of(agent, [r for r in material.reports if r.agent == agent]) for agent in agents]
    rows.sort(key=lambda row: -row.whole[2])
    yield Figure.of(
        "lengths",
        "Length of reports with web addresses and without",
        CAPTION,
        Sketch(partial(_draw, rows), (PAGE, _step(rows) * max(len(rows), 2) + 0.9)),
        HEAD,
        (
            (row.agent, str(row.reports), kind, *(f"{value:.0f}" for value in values))
            for row in rows
            for kind, values in zip(KINDS, (row.whole, row.bare), strict=True)
        ),
    )


def _step(rows: Sequence[_Lengths]) -> float:
    return 1.8 * ROW if len(rows) <= 20 else 1.1 * ROW


def _of(agent: str, reports: Sequence[MeasuredReport]) -> _Lengths:
    whole = _five([each.whole.tokens for each in reports])
    return _Lengths(agent, len(reports), whole, _five([each.bare.tokens for each in reports]))


def _five(values: Sequence[int]) -> tuple[float, ...]:
    """Shortest, quartiles (linear between values), longest."""
    import numpy as np

    return tuple(float(each) for each in np.percentile(values, (0, 25, 50, 75, 100)))


def _draw(rows: Sequence[_Lengths], canvas: Canvas, look: Look) -> None:
    axes = canvas.subplots()
    for place, row in enumerate(rows):
        _box(axes, look, place - 0.2, row.whole, KINDS[0] if place == 0 else "")
        _box(axes, look, place + 0.2, row.bare, KINDS[1] if place == 0 else "", bare=True)
    set_rows(axes, [f"{row.agent} ({row.reports})" for row in rows], cells=34)
    axes.set_xlim(left=0)
    axes.set_xlabel("estimated tokens of a report")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    canvas.legend(loc="outside upper right", ncols=2)


def _box(
    axes: Axes, look: Look, at: float, five: Sequence[float], label: str, bare: bool = False
) -> None:
    low, first, middle, third, high = five
    colour = look.colour(1 if bare else 0)
    axes.plot([low, high], [at, at], color=colour, linewidth=0.8)
    axes.barh(
        [at], [third - first], 0.32, [first], facecolor=look.paper if bare else colour,
        edgecolor=colour, linewidth=0.8, label=label or "_", zorder=2,
    )  # fmt: skip
    ink = colour if bare else look.paper
    axes.plot(
        [middle, middle], [at - 0.16, at + 0.16], color=ink, linewidth=1.4, zorder=3,
        solid_capstyle="butt",
    )  # fmt: skip


WIDE: Final = 0.75 * PAGE

FEWEST: Final = 3
"""Reports of which a coefficient says anything."""

SCATTER_CAPTION: Final = (
    "Each mark is a report: its length in words (each East Asian character counts as one), and its "
    "score as the mean over repeats (after figure 7 of ResearchRubrics). rho: Spearman's "
    "coefficient within an agent, with the number of reports."
)
ALIKE: Final = "Too many agents to tell apart here: their coefficients are in the table."

Points = Mapping[str, Sequence[tuple[float, float]]]
"""By agent, in the order of the ranking: words and score of each report."""


def score_against_length(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol of which scores and reports are there."""
    lengths = lengths_by_spot(material.reports)
    for board in whole_boards(material):
        own = material.judged[board.protocol]
        name = file_name("score-against-length", board.protocol)
        found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for spot, score in report_scores(without_references(own)):
            if (report := lengths.get(spot)) is not None:
                found[spot[0]].append((float(report.whole.words), score))
        points = {row.agent: found[row.agent] for row in board.standings if row.agent in found}
        if len(board.recipes) > 1:
            yield Omitted(name, "the scores were not made by one recipe")
        elif sum(map(len, points.values())) < FEWEST:
            yield Omitted(name, f"fewer than {FEWEST} reports with a score and a known length")
        else:
            references = sorted({each.agent for each in own if each.is_reference})
            yield _figure(name, board, points, references)


def _figure(name: str, board: Board, points: Points, references: Sequence[str]) -> Figure:
    others = f"Left out, as the others are scored against it: {', '.join(references)}."
    alike = (*[others] * bool(references), *[ALIKE] * (len(points) > SERIES))
    return Figure.of(
        name,
        figure_title(board, "score and length of reports"),
        SCATTER_CAPTION,
        Sketch(partial(_scatter_draw, board, points), (WIDE, 3.4)),
        ("agent", "reports", "Spearman (words)", "low", "high"),
        (_cells(agent, own) for agent, own in points.items()),
        (*notes_of(board, marks=""), *alike),
    )


def _scatter_draw(board: Board, points: Points, canvas: Canvas, look: Look) -> None:
    axes = canvas.subplots()
    alike = len(points) > SERIES
    labels = [f"{short(agent)}: {_coefficient(own)}" for agent, own in points.items()]
    for series, own in enumerate(points.values()):
        axes.plot(
            [words for words, _ in own], [score for _, score in own],
            "o" if alike else marker(series), markersize=2.5 if alike else 4, alpha=0.75,
            color=look.colour(0 if alike else series), markeredgewidth=0, label=labels[series],
        )  # fmt: skip
    axes.set_xlabel("words of the report")
    axes.set_ylabel(short(board.protocol, 40))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid()
    if not alike:
        canvas.legend(loc="outside upper left", ncols=legend_columns(labels, WIDE))


def _coefficient(points: Sequence[tuple[float, float]]) -> str:
    found = _spearman(points)
    return f"rho {decimals(found and found.value, 2)}, n {len(points)}"


def _spearman(points: Sequence[tuple[float, float]]) -> Coefficient | None:
    if len(points) < FEWEST:
        return None
    words, scores = zip(*points, strict=True)
    return spearman_with_interval(words, scores, len(points))


def _cells(agent: str, points: Sequence[tuple[float, float]]) -> tuple[str, ...]:
    found = _spearman(points)
    low, high = (found and found.interval) or (None, None)
    coefficient = decimals(found and found.value, 3)
    return agent, str(len(points)), coefficient, decimals(low, 2), decimals(high, 2)
