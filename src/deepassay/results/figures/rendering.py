"""Figures as SVG and PNG.

In SVG text stays text, and its reader has the fonts; in pixels a character for which this
machine has no font is an empty box, and is named.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from xml.sax.saxutils import escape

from deepassay.errors import MissingExtra
from deepassay.results.figures.figure import Figure
from deepassay.results.figures.style import (
    LOOK,
    SMALL,
    TEXT,
    matplotlib_settings,
    wrapped,
)
from deepassay.results.tables import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas
    from matplotlib.figure import SubFigure

HEADING: Final = TEXT + 1
LINE: Final = 1.35
"""The height of a line, by the size of its letters."""

LETTER: Final = 0.56
BOLD: Final = 1.12
"""The width of a letter of average width, by its size, and how much wider bold ones are."""

MARGIN: Final = 0.06
"""Inches around everything."""

DPI: Final = 300
PLACES: Final = 5

_MISSING: Final = re.compile(r"Glyph (\d+) .*missing from")
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Day and version of the program, and addresses: neither is of use to a reader.
_UNUSED: Final = re.compile(r"<!DOCTYPE[^>]*>\n|\s*<metadata>.*?</metadata>", re.DOTALL)

LATIN: Final = "DejaVu Sans"
"""Comes with matplotlib."""

EAST_ASIAN: Final = (
    *("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Zen Hei"),
    *("WenQuanYi Micro Hei", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "SimHei"),
)
"""Fonts with Chinese characters; the first that is installed is taken."""

STACK: Final = f"'{LATIN}', Arial, {', '.join(repr(name) for name in EAST_ASIAN)}, sans-serif"
"""What a browser is to choose from."""


class Pixels(NamedTuple):
    """A figure in pixels, and the characters that stand as empty boxes for want of a font."""

    png: bytes
    lacking: str


def as_svg(figure: Figure) -> str:
    """The figure as an XML document, with its caption; text stays text. Raises MissingExtra."""
    out = io.StringIO()
    with canvas_of(figure) as canvas:
        canvas.savefig(out, format="svg", metadata={"Title": printable(figure.title)})
    named = ", ".join(map(repr, families()))
    told = f"</title><desc>{escape(printable(figure.caption))}</desc>"
    drawing = out.getvalue().replace("</title>", told, 1)
    return _UNUSED.sub("", _NOT_XML.sub("", drawing)).replace(named, STACK)


def picture(figure: Figure, dpi: int = DPI) -> Pixels:
    """The figure in pixels, `dpi` of them an inch, and what could not be drawn of its text.

    Raises MissingExtra.
    """
    out = io.BytesIO()
    with canvas_of(figure) as canvas, warnings.catch_warnings(record=True) as told:
        warnings.filterwarnings("always", _MISSING.pattern)
        about = {"Title": printable(figure.title), "Description": printable(figure.caption)}
        canvas.savefig(out, format="png", dpi=dpi, metadata={"Software": None, **about})
    found = (_MISSING.match(str(each.message)) for each in told)
    return Pixels(out.getvalue(), "".join(sorted({chr(int(each[1])) for each in found if each})))


@cache
def families() -> tuple[str, ...]:
    """The font families that are there, in the order in which characters are looked for."""
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return (LATIN, *[name for name in EAST_ASIAN if name in installed][:1])


@contextmanager
def canvas_of(figure: Figure) -> Iterator[Canvas]:
    """The figure on a canvas, its places settled."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtra("Drawing figures", "figures") from None
    told: dict[Any, object] = {**matplotlib_settings(LOOK), "font.family": list(families())}
    with mpl.rc_context(told), warnings.catch_warnings():
        warnings.filterwarnings("ignore", _MISSING.pattern)
        canvas, body = _framed(figure)
        figure.draw(body, LOOK)
        if settling := canvas.get_layout_engine():
            settling.execute(canvas)
        canvas.set_layout_engine(None)  # for whichever is there, saving draws it once more
        _round_places(canvas)
        yield canvas


def _framed(figure: Figure) -> tuple[Canvas, SubFigure]:
    """A canvas with title and caption, and the part between them."""
    from matplotlib.figure import Figure as Canvas
    from matplotlib.gridspec import GridSpec
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    width, height = figure.size
    title = wrapped(figure.title, _letters(width, HEADING * BOLD))
    caption = wrapped(figure.caption if figure.captioned else "", _letters(width, SMALL))
    heights = (_height(title, HEADING), height, _height(caption, SMALL))
    settling = ConstrainedLayoutEngine(w_pad=MARGIN, h_pad=MARGIN)
    canvas = Canvas(figsize=(width, sum(heights)), dpi=DPI, layout=settling)
    thirds = GridSpec(3, 1, figure=canvas, height_ratios=heights, hspace=0)
    above, body, below = (canvas.add_subfigure(thirds[place]) for place in range(3))
    left = MARGIN / width
    above.text(left, 1 - MARGIN / heights[0], title, va="top", fontsize=HEADING, weight="bold")
    below.text(left, 0.95, caption, va="top", fontsize=SMALL, color=LOOK.muted, linespacing=LINE)
    return canvas, body


def _round_places(canvas: Canvas) -> None:
    """The solver of places leaves another last digit each time."""
    from matplotlib.transforms import Bbox

    for part in canvas.subfigs:
        part.bbox_relative.set_points(part.bbox_relative.get_points().round(PLACES))
    for axes in canvas.axes:
        axes.apply_aspect()
        axes.set_position(Bbox(axes.get_position().get_points().round(PLACES)))


def _letters(width: float, size: float) -> int:
    return int((width - 2 * MARGIN) * 72 / (size * LETTER))


def _height(text: str, size: float) -> float:
    return (text.count("\n") + 1.5 if text else 0.1) * size * LINE / 72
