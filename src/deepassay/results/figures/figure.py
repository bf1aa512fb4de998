"""What a figure is: its words, the numbers drawn, and how to draw them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.style import Look
from deepassay.results.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas

PAGE: Final = 7.0
"""Inches: the width of the text of a page in print."""


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
    draw: Callable[[Canvas, Look], None]
    size: tuple[float, float]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Omitted:
    """A figure that could not be made, and why, as in "fewer than 3 reports"."""

    name: str
    why: str


def file_name(*parts: str) -> str:
    """A name for a file of small letters, digits and hyphens, such as `ranking-race`."""
    joined = "-".join(parts).lower()
    return re.sub(r"[^a-z0-9]+", "-", joined).strip("-")[:80] or "figure"
