"""Figures as pictures that stand in the page itself, each in a light and a dark variant.

As pictures they are drawn apart from the page: nothing in them can run, load or be clicked.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from markupsafe import Markup

from deepassay.errors import MissingExtra
from deepassay.results.figures.figure import Figure, Material, Omitted
from deepassay.results.figures.making import kinds as all_kinds
from deepassay.results.figures.making import make_figures
from deepassay.results.figures.rendering import as_svg
from deepassay.results.figures.style import DARK, LIGHT
from deepassay.results.tables import Table

MOST: Final = 6
"""Figures of a page. The kinds take turns, so that none crowds out the others."""

PAIRS: Final = ("differences",)
PAIRED: Final = 8
"""Kinds that draw all pairs of agents, and up to how many agents the page does so."""

MEASURED: Final = ("lengths", "score-against-length")
"""Kinds for which every report is measured."""

ROOM: Final = 600_000
"""Bytes that all pictures of a page may take; the numbers of the others are there as tables."""

LACKING: Final = (
    'No figures: they need `pip install "deepassay[figures]"`; then write the page anew.'
)

_WIDE: Final = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')
_BLANKS: Final = re.compile(r">\s+<")
_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{6}\b")
_DARKENED: Final = {
    light.lower(): dark.lower()
    for light, dark in zip(
        (LIGHT.paper, LIGHT.ink, LIGHT.muted, LIGHT.faint, *LIGHT.colours),
        (DARK.paper, DARK.ink, DARK.muted, DARK.faint, *DARK.colours),
        strict=True,
    )
}


@dataclass(frozen=True)
class Image:
    """One variant as an address that holds the picture. width, height: CSS pixels."""

    address: Markup
    width: int
    height: int


@dataclass(frozen=True)
class PagePicture:
    """A figure on the page. light, dark: None where there was no room."""

    title: str
    caption: str
    table: Table
    light: Image | None = None
    dark: Image | None = None

    @property
    def alt(self) -> str:
        """What is said in place of the picture."""
        return f"{self.title}. The numbers stand in the table below it."


@dataclass(frozen=True)
class Pictures:
    """All pictures of the page. notes: why there are none, or fewer than there could be."""

    shown: tuple[PagePicture, ...]
    notes: tuple[str, ...]


def pictures(material: Material, *, large: bool = False) -> Pictures:
    """The figures of the material, as long as there is room; none without the extra for them.

    large: without kinds for which every report is measured.
    """
    many = len({each.agent for each in material.records}) > PAIRED
    left_out = (*(PAIRS if many else ()), *(MEASURED if large else ()))
    chosen = [kind for kind in all_kinds() if kind not in left_out]
    kinds = [make_figures(material, (kind,)) for kind in chosen]
    figures = [[each for each in kind if isinstance(each, Figure)] for kind in kinds]
    in_turn = [each for turn in zip_longest(*figures) for each in turn if each is not None]
    drawn = set(map(id, in_turn[:MOST]))
    ordered = [each for kind in figures for each in kind]
    try:
        shown = tuple(_drawn([each for each in ordered if id(each) in drawn]))
    except MissingExtra:
        return Pictures((), (LACKING,))
    notes = [
        f"No figure {each.name}: {each.why}."
        for kind in kinds
        for each in kind
        if isinstance(each, Omitted)
    ]
    if many:
        notes.insert(0, f"Of more than {PAIRED} agents, `deepassay figures` draws the differences.")
    if large:
        notes.insert(0, "Of so many reports, `deepassay figures` draws the lengths.")
    if more := len(ordered) - len(shown):
        notes.insert(0, f"`deepassay figures` draws {more} more of these kinds.")
    return Pictures(shown, tuple(notes))


def _drawn(figures: Sequence[Figure]) -> Iterator[PagePicture]:
    left = ROOM
    for figure in figures:
        told = (figure.title, figure.caption, figure.table)
        light, dark = map(_image, _variants(figure))
        size = len(light.address) + len(dark.address)
        if size > left:
            yield PagePicture(*told)
        else:
            left -= size
            yield PagePicture(*told, light, dark)


def _variants(figure: Figure) -> tuple[str, str]:
    """Light and dark. Where all colours are of the palette, which is the rule, it is drawn once."""
    light = as_svg(figure)
    if {colour.lower() for colour in _COLOUR.findall(light)} <= _DARKENED.keys():
        return light, _COLOUR.sub(lambda found: _DARKENED[found[0].lower()], light)
    return light, as_svg(figure, dark=True)


def _image(svg: str) -> Image:
    """A picture in an address; what is in it is letters and digits only."""
    found = _WIDE.search(svg)
    width, height = (round(float(each) * 96 / 72) for each in found.groups()) if found else (0, 0)
    packed = base64.b64encode(_BLANKS.sub("><", svg).encode()).decode()
    return Image(Markup(f"data:image/svg+xml;base64,{packed}"), width, height)
