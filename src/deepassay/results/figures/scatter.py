"""Whether longer reports score higher (ResearchRubrics, figure 7 and appendix C.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.coverage import notes_of, said
from deepassay.results.figures.figure import PAGE, Figure, Omitted, file_name
from deepassay.results.figures.material import Material
from deepassay.results.figures.style import MARKERS, Look, columns, marker, short
from deepassay.results.length_correlation import lengths_by_spot, report_scores
from deepassay.results.overview import heading
from deepassay.results.ranking import Board
from deepassay.results.tables import NONE, Table
from deepassay.stats.correlation import Coefficient, spearman_with_interval

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas

WIDE: Final = 0.75 * PAGE

FEWEST: Final = 3
"""Reports of which a coefficient says anything."""

SERIES: Final = len(MARKERS) - 1
"""Agents that colours and markers tell apart at a glance."""

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
    for board in material.boards:
        if board.label is not None:
            continue
        name = file_name("score-against-length", board.protocol)
        found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        own = [each for each in material.records if each.protocol == board.protocol]
        for spot, score in report_scores(own):
            if (report := lengths.get(spot)) is not None:
                found[spot[0]].append((float(report.whole.words), score))
        points = {row.agent: found[row.agent] for row in board.standings if row.agent in found}
        if len(board.recipes) > 1:
            yield Omitted(name, "the scores were not made by one recipe")
        elif sum(map(len, points.values())) < FEWEST:
            yield Omitted(name, f"fewer than {FEWEST} reports with a score and a known length")
        else:
            yield _figure(name, board, points)


def _figure(name: str, board: Board, points: Points) -> Figure:
    alike = (ALIKE,) if len(points) > SERIES else ()
    notes = (*notes_of(board, marks=""), *alike)
    return Figure(
        name,
        f"{short(heading(board), 80)}: score and length of reports",
        said(CAPTION, *notes),
        _table(board, points),
        partial(_draw, board, points),
        (WIDE, 3.4),
        notes,
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
        canvas.legend(loc="outside upper left", ncols=columns(labels, WIDE))


def _coefficient(points: Sequence[tuple[float, float]]) -> str:
    found = _spearman(points)
    return f"rho {f'{found.value:.2f}' if found else NONE}, n {len(points)}"


def _spearman(points: Sequence[tuple[float, float]]) -> Coefficient | None:
    if len(points) < FEWEST:
        return None
    words, scores = zip(*points, strict=True)
    return spearman_with_interval(words, scores, len(points))


def _table(board: Board, points: Points) -> Table:
    rows = []
    for agent, own in points.items():
        found = _spearman(own)
        ends = found.interval if found else None
        rows.append(
            (
                agent,
                str(len(own)),
                NONE if found is None else f"{found.value:.3f}",
                *(("–", "–") if ends is None else (f"{ends.low:.2f}", f"{ends.high:.2f}")),
            )
        )
    return Table(
        f"{heading(board)}: score and length of reports",
        ("agent", "reports", "Spearman (words)", "low", "high"),
        tuple(rows),
        notes_of(board),
        frozenset(range(1, 5)),
    )
