"""Differences of pairs of agents: a forest plot, or a grid where there are many agents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.comparing import Contest, compare
from deepassay.results.comparison_tables import unscored_notes
from deepassay.results.differences import ComparisonTerms, Difference
from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, file_name
from deepassay.results.figures.style import short
from deepassay.results.ranking import Board
from deepassay.results.records import NO_READING, Judged
from deepassay.results.tables import in_range, p_value
from deepassay.stats.intervals import Interval
from deepassay.stats.resampling import DRAWS
from deepassay.stats.testing import ALPHA
from deepassay.wings.papers.figures.boards import UNEQUAL, figure_title, notes_of, whole_boards
from deepassay.wings.papers.figures.grid import Grid
from deepassay.wings.papers.figures.rows import Forest, ForestRow

FOREST: Final = 45
"""Pairs, of ten agents, that a forest plot still shows legibly."""

BELOW: Final = "p so adjusted is below .05"

HALF: Final = 22
"""Cells for the name of one of two agents."""

CAPTION: Final = (
    "Differences between agents over the tasks that both have a score for: the first less the "
    "second, with the 95 % interval of Student's t. p by permutation of signs, adjusted by Holm "
    f"over all pairs; a full mark and an asterisk: {BELOW}."
)
GRID_CAPTION: Final = (
    "Differences between agents over the tasks that both have a score for: the agent of the row "
    "less that of the column, in the unit of the score. p by permutation of signs, adjusted by "
    f"Holm over all pairs; a dot: {BELOW}."
)


def contest_of(records: Sequence[Judged], *, pairs: bool = True) -> Contest | None:
    """What comes of comparing the agents of a ranking: None for scores of unequal recipes."""
    try:
        (contest,) = compare(records, None, ComparisonTerms(pairs=pairs))
    except BadInput:
        return None
    return contest


def pair_figures(material: Material) -> Iterator[Figure | Omitted]:
    """All pairs of agents, one figure for each protocol.

    Scores of unequal recipes are no differences between agents, so they are not drawn.
    """
    for board in whole_boards(material):
        own = material.judged[board.protocol]
        name = file_name("differences", board.protocol)
        contest = contest_of(own)
        if contest is None:
            yield Omitted(name, UNEQUAL)
        elif contest.differences:
            yield _figure(name, board, contest)
        else:
            yield Omitted(name, "no two agents have a score for the same task")


def _figure(name: str, board: Board, contest: Contest) -> Figure:
    many, limits = len(contest.differences) > FOREST, contest.limits
    return Figure.of(
        name,
        figure_title(board, "differences between agents"),
        GRID_CAPTION if many else CAPTION,
        _grid(contest) if many else _forest(contest),
        ("agent", "other", "difference", "low", "high", "p (Holm)", "tasks"),
        (
            (
                each.one,
                each.other,
                _signed(each.mean, limits),
                *(in_range(end, limits) for end in each.interval or (None, None)),
                p_value(each.adjusted) if contest.reads else NO_READING,
                str(each.tasks.scored),
            )
            for each in contest.differences
        ),
        (*notes_of(board, marks=""), *_too_many(contest), *unscored_notes(contest)),
        words=2,
    )


def _forest(contest: Contest) -> Forest:
    rows = [
        ForestRow(
            f"{short(each.one, HALF)} − {short(each.other, HALF)}",
            each.mean,
            each.interval,
            hollow=not _shown(contest, each),
            beside=f"{_signed(each.mean, contest.limits)}, {_p(contest, each)}",
        )
        for each in contest.differences
    ]
    label = "first less second, with 95 % interval (full mark: adjusted p below .05)"
    return Forest(rows, label, line=0.0, wide=PAGE, cells=2 * HALF + 3)


def _grid(contest: Contest) -> Grid:
    agents = [each.agent for each in contest.contestants]
    places = {agent: place for place, agent in enumerate(agents)}
    by_cell = {(places[each.one], places[each.other] - 1): each for each in contest.differences}
    signed = any(each.mean < 0 for each in contest.differences)
    return Grid(
        agents[:-1],
        agents[1:],
        {cell: each.mean for cell, each in by_cell.items()},
        "row less column",
        marked=frozenset(cell for cell, each in by_cell.items() if _shown(contest, each)),
        middle=0.0 if signed else None,
        ends=None if signed else (0.0, max(by_cell[cell].mean for cell in by_cell)),
    )


def _too_many(contest: Contest) -> tuple[str, ...]:
    """What to say where p by so many draws, once adjusted, cannot come out small."""
    tested = [each.permutation for each in contest.differences if each.permutation]
    pairs = len(tested)
    if pairs / (DRAWS + 1) < ALPHA or any(each.exact for each in tested):
        return ()
    return (
        f"{pairs} pairs: adjusted for so many, no p of {DRAWS} changes of sign falls below .05. "
        "Compare fewer agents, or a pair by `compare`.",
    )


def _shown(contest: Contest, row: Difference) -> bool:
    return contest.reads and row.adjusted is not None and row.adjusted < ALPHA


def _p(contest: Contest, row: Difference) -> str:
    if not contest.reads:
        return NO_READING
    if row.adjusted is None:
        return ""
    if row.adjusted < 0.001:
        return "p < .001 *"
    return f"p = {row.adjusted:.3f}".replace("0.", ".", 1) + " *" * _shown(contest, row)


def _signed(value: float, limits: Interval | None) -> str:
    return ("+" if value > 0 else "") + in_range(value, limits)
