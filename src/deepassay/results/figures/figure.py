"""What a figure is: its words, its numbers, its drawing, and what must be said of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from deepassay.results.agents import Agents
from deepassay.results.families import Profiles
from deepassay.results.figures.style import Look
from deepassay.results.lengths import MeasuredReport
from deepassay.results.ranking import Board
from deepassay.results.records import Judged, by_protocol
from deepassay.results.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas


@dataclass(frozen=True)
class Material:
    """Everything that a maker of figures may look at.

    records: bare, if they were read, see `reading.Records`. boards: of `ranking.rank` over them, by
    the label `by` too. profiles: families of agents, empty if none were told. reports: the lengths
    of all reports, empty where only scores are there. agents: what their runs took, as far as they
    were run.
    """

    records: Sequence[Judged]
    boards: Sequence[Board]
    by: str | None = None
    profiles: Profiles = field(default_factory=dict)
    reports: Sequence[MeasuredReport] = ()
    agents: Agents = field(default_factory=dict)

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
    that it follows, and what must not be lost, as scores that are missing and the offline baseline;
    drawn beneath. table: the numbers drawn, in words that readers understand. draw: adds axes to an
    empty canvas in constrained layout and draws them in the colours of the look; it sets neither
    title nor caption. size: width and height in inches of what it draws; title and caption add to
    the height. captioned: whether the caption is drawn; a file has it in its metadata all the same.
    """

    name: str
    title: str
    caption: str
    table: Table
    draw: Callable[[Canvas, Look], object]
    size: tuple[float, float]
    captioned: bool = True

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
        return cls(name, title, caption_of(caption, *notes), table, drawing.draw, drawing.size)


@dataclass(frozen=True)
class Omitted:
    """A figure that could not be made, and why, as in "fewer than 3 reports"."""

    name: str
    why: str


def file_name(*parts: str) -> str:
    """A name for a file of small letters, digits and hyphens, such as `ranking-race`."""
    joined = "-".join(parts).lower()
    return re.sub(r"[^a-z0-9]+", "-", joined).strip("-")[:80] or "figure"


def caption_of(*sentences: str) -> str:
    """Sentences as one caption."""
    return " ".join(sentence for sentence in sentences if sentence)
