"""Whether longer reports score higher (ResearchRubrics, figure 7 and appendix C.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, file_name
from deepassay.results.figures.style import SERIES, Look, legend_columns, marker, short
from deepassay.results.length_correlations import lengths_by_spot, report_scores
from deepassay.results.ranking import Board
from deepassay.results.records import without_references
from deepassay.results.tables import decimals
from deepassay.stats.correlation import Coefficient, spearman_with_interval
from deepassay.wings.papers.figures.boards import UNEQUAL, figure_title, notes_of, whole_boards

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas


WIDE: Final = 0.75 * PAGE

FEWEST: Final = 3
"""Reports of which a coefficient says anything."""

CAPTION: Final = (
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
            yield Omitted(name, UNEQUAL)
        elif sum(map(len, points.values())) < FEWEST:
            yield Omitted(name, f"fewer than {FEWEST} reports with a score and a known length")
        else:
            references = sorted({each.agent for each in own if each.is_reference})
            yield _figure(name, board, points, references)


def _figure(name: str, board: Board, points: Points, references: Sequence[str]) -> Figure:
    others = f"Left out, as the others are scored against it: {', '.join(references)}."
    alike = (*([others] if references else ()), *([ALIKE] if len(points) > SERIES else ()))
    return Figure.of(
        name,
        figure_title(board, "score and length of reports"),
        CAPTION,
        Sketch(partial(_draw, board, points), (WIDE, 3.4)),
        ("agent", "reports", "Spearman (words)", "low", "high"),
        (_cells(agent, own) for agent, own in points.items()),
        (*notes_of(board, marks=""), *alike),
    )


def _draw(board: Board, points: Points, canvas: Canvas, look: Look) -> None:
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
