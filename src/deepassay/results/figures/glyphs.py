"""Characters for which this machine has no font: a browser draws them, pixels cannot.

In SVG the text stays text, and its reader has the fonts. The places in the figure must leave room
for characters that cannot be measured here, so others of the same width stand in for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Canvas
    from matplotlib.text import Text
    from matplotlib.ticker import Formatter

LATIN: Final = "DejaVu Sans"
"""Comes with matplotlib, so that a figure has the same measures everywhere."""

EAST_ASIAN: Final = (
    *("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Zen Hei"),
    *("WenQuanYi Micro Hei", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "SimHei"),
)
"""Fonts with Chinese characters; the first that is installed is taken."""

STACK: Final = f"'{LATIN}', Arial, {', '.join(repr(name) for name in EAST_ASIAN)}, sans-serif"
"""What a browser is to choose from."""


@cache
def families() -> tuple[str, ...]:
    """The font families that are there, in the order in which characters are looked for."""
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return (LATIN, *[name for name in EAST_ASIAN if name in installed][:1])


def lacking(text: str) -> frozenset[str]:
    """The characters of a text that no font here can draw."""
    known = _known()
    return frozenset(char for char in text if ord(char) not in known and not char.isspace())


@contextmanager
def stand_ins(canvas: Canvas) -> Iterator[str]:
    """Characters that are lacking in a figure; while this lasts, an `m` stands for each of them.

    They are wide characters for the most part, and so is an `m`.
    """
    canvas.draw_without_rendering()  # settles the places, and makes the labels of axes
    texts = [(each, each.get_text()) for each in _texts(canvas)]
    absent = lacking("".join(text for _, text in texts))
    instead = dict.fromkeys(map(ord, absent), "m")
    axes = [axis for each in canvas.axes for axis in (each.xaxis, each.yaxis)]
    formatters = [(axis, axis.get_major_formatter()) for axis in axes if _lacks(axis)]
    for axis, formatter in formatters:
        axis.set_major_formatter(_standing_in(formatter, instead))
    for each, text in texts:
        if not absent.isdisjoint(text):
            each.set_text(text.translate(instead))
    yield "".join(sorted(absent))
    for axis, formatter in formatters:
        axis.set_major_formatter(formatter)
    for each, text in texts:
        each.set_text(text)


def _texts(canvas: Canvas) -> list[Text]:
    from matplotlib.text import Text

    return [each for each in canvas.findobj(Text) if isinstance(each, Text)]


def _lacks(axis: Axis) -> bool:
    return any(lacking(label.get_text()) for label in axis.get_ticklabels())


def _standing_in(formatter: Formatter, instead: Mapping[int, str]) -> Formatter:
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda value, place: formatter(value, place).translate(instead))


@cache
def _known() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = (get_font(findfont(FontProperties(family=[name]))) for name in families())
    return frozenset(code for font in fonts for code in font.get_charmap())
