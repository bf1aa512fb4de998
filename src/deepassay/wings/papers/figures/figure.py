"""What a figure is: its words, its numbers, its drawing, and what must be said of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from deepassay.results.beneath import MIXED
from deepassay.results.lengths import MeasuredReport
from deepassay.results.overview import Profiles, board_heading, notes_on
from deepassay.results.ranking import Board
from deepassay.results.records import Judged, by_protocol
from deepassay.results.standings import Standing
from deepassay.results.tables import Table
from deepassay.score import without_options
from deepassay.wings.papers.figures.style import Look, short

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas


@dataclass(frozen=True)
class Material:
    """Everything that a maker of figures may look at.

    records: bare, if they were read, see `reading.Records`. boards: of `ranking.rank` over them, by
    the label `by` too. profiles: families of agents, empty if none were told. reports: the lengths
    of all reports, empty where only scores are there.
    """

    records: Sequence[Judged]
    boards: Sequence[Board]
    by: str | None = None
    profiles: Profiles = field(default_factory=dict)
    reports: Sequence[MeasuredReport] = ()

    @cached_property
    def judged(self) -> Mapping[str, Sequence[Judged]]:
        """The records of each protocol."""
        return by_protocol(self.records)


PAGE: Final = 7.0
"""Inches: the width of the text of a page in print."""


class Drawing(Protocol):
    """What a figure is drawn by."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""

    def draw(self, canvas: Canvas, look: Look) -> object:
        """Add axes to an empty canvas in constrained layout, and draw them."""


class Sketch(NamedTuple):
    """A drawing of one figure alone."""

    draw: Callable[[Canvas, Look], object]
    size: tuple[float, float]


@dataclass(frozen=True)
class Figure:
    """One picture. name: of its file, without a suffix, see `file_name`.

    title: drawn above. caption: what is shown and how to read it, with the figure of the paper
    that it follows; stands beside the picture and not in it. notes: what must not be lost with the
    caption, as scores that are missing and the offline baseline; drawn beneath. table: the numbers
    drawn, in words that readers understand. draw: adds axes to an empty canvas in constrained
    layout and draws them in the colours of the look; it sets neither title nor notes. size: width
    and height in inches of what it draws; title and notes add to the height.
    """

    name: str
    title: str
    caption: str
    table: Table
    draw: Callable[[Canvas, Look], object]
    size: tuple[float, float]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        caption: str,
        drawing: Drawing | Sketch,
        head: Sequence[str],
        rows: Iterable[Sequence[str]],
        notes: tuple[str, ...] = (),
        words: int = 1,
    ) -> Figure:
        """A figure whose numbers are `rows` under `head`, the first `words` cells no numbers."""
        table = Table.listed(title, head, rows, notes, words)
        return cls(
            name, title, caption_of(caption, *notes), table, drawing.draw, drawing.size, notes
        )


@dataclass(frozen=True)
class Omitted:
    """A figure that could not be made, and why, as in "fewer than 3 reports"."""

    name: str
    why: str


def file_name(*parts: str) -> str:
    """A name for a file of small letters, digits and hyphens, such as `ranking-race`."""
    joined = "-".join(parts).lower()
    return re.sub(r"[^a-z0-9]+", "-", joined).strip("-")[:80] or "figure"


def whole_boards(material: Material) -> Iterator[Board]:
    """The rankings over all tasks.

    Without protocols that hold agents against several baselines: a ranking for each says little,
    and the grid of win rates has all pairs.
    """
    whole = [board for board in material.boards if board.label is None]
    baselines: defaultdict[str, set[str]] = defaultdict(set)
    for board in whole:
        baselines[without_options(board.protocol)].add(board.baseline)
    for board in whole:
        if len(baselines[without_options(board.protocol)]) == 1 or not board.baseline:
            yield board


def boards_of(material: Material, protocol: str) -> list[Board]:
    """The rankings over all tasks of a protocol, in all its variants that were judged."""
    whole = (board for board in material.boards if board.label is None)
    return [board for board in whole if without_options(board.protocol) == protocol]


def figure_title(board: Board, what: str) -> str:
    """`fact (offline baseline): mean scores`."""
    return f"{short(board_heading(board), 80)}: {what}"


def name_of(kind: str, board: Board) -> str:
    """The name of a figure of one kind: with the options of the protocol, where it has any."""
    return file_name(kind, board.protocol.partition("(")[2])


def why_no_figure(kind: str, board: Board) -> Omitted | None:
    """Why no figure of a kind can be made of a ranking: unequal recipes, or nothing was scored."""
    why = why_unfit(board)
    return Omitted(name_of(kind, board), why) if why else None


def why_unfit(board: Board) -> str:
    """Why no figure can be made of a ranking, as a clause; empty if one can be made."""
    if len(board.recipes) > 1:
        return f"the scores of {board.protocol} were not made by one recipe"
    if not any(row.summary.tasks.scored for row in board.standings):
        return f"nothing was scored by {board.protocol}"
    return ""


def records_beneath(board: Board) -> dict[str, Sequence[Judged]]:
    """The judgements that a ranking is of, by agent, in the order of the ranking."""
    agents = board.beneath.graded.agents
    return {row.agent: agents[row.agent] for row in board.standings}


def tasks_expected(board: Board) -> int:
    """How many tasks a ranking is over."""
    return max(row.summary.tasks.expected for row in board.standings)


def tasks_sentence(*boards: Board) -> str:
    """A sentence for captions: how many tasks the rankings are over."""
    counts = [*map(tasks_expected, boards)]
    if len(set(counts)) == 1:
        return f"Tasks: {counts[0]}."
    each = (f"{board.protocol} {n}" for board, n in zip(boards, counts, strict=True))
    return f"Tasks: {', '.join(each)}."


NAMED: Final = 5
"""Agents that are named one by one."""

HOLLOW: Final = "Hollow marks: scores missing."


def notes_of(board: Board, marks: str = HOLLOW) -> tuple[str, ...]:
    """Baseline, recipes and coverage of a board; nothing where all is scored by one model.

    marks: how a figure marks the agents of whom scores are missing; empty where it does not.
    """
    notes = [*notes_on(board)]
    if len(board.recipes) > 1:
        recipes = zip(board.letters, board.recipes, strict=True)
        letters = ", ".join(f"{letter} {recipe.digest}" for letter, recipe in recipes)
        notes.append(f"{MIXED} Recipes: {letters}.")
    if thin := [row for row in board.standings if not is_whole(row)]:
        named = [f"{named_as(row)} {_count(row)}" for row in thin[:NAMED]]
        more = f" and {len(thin) - NAMED} more agents" if len(thin) > NAMED else ""
        count = f"Judgements scored of expected: {', '.join(named)}{more}"
        notes.append(caption_of(marks, f"{count}; what is missing is left out, never zero."))
    return tuple(notes)


def is_whole(row: Standing) -> bool:
    """Whether every judgement that was expected came to a score."""
    return row.summary.judgements.scored == row.summary.judgements.expected


def named_as(row: Standing) -> str:
    """The agent, with the letter of its recipe in a mixed ranking."""
    return short(row.agent) + row.remarks


def caption_of(*sentences: str) -> str:
    """Sentences as one caption."""
    return " ".join(sentence for sentence in sentences if sentence)


def _count(row: Standing) -> str:
    return "{}/{}".format(*row.summary.judgements)
