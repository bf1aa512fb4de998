"""Figures as documents: well-formed, harmless, the same every time, and nothing cut off."""

import struct
import xml.etree.ElementTree as ET

import pytest

from deepassay.results.figures.figure import Figure
from deepassay.results.figures.making import make_figures
from deepassay.results.figures.rendering import DPI, as_svg, canvas_of, picture
from deepassay.results.tables import printable

from .materials import HOSTILE, material

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
GENERAL = (
    "ranking", "differences", "repeat-noise", "scores-by-label", "scores-by-family", "lengths",
    "score-against-length",
)  # fmt: skip


def figures(agents, **more):
    made = make_figures(material(agents, **more), GENERAL)
    return [each for each in made if isinstance(each, Figure)]


def texts(svg):
    return ["".join(each.itertext()) for each in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def drawn():
    """Figures of agents with hostile names, one of whom lacks a task, each with its SVG."""
    return [(each, as_svg(each)) for each in figures(HOSTILE, missing=True)]


@pytest.fixture(scope="module")
def hostile(drawn):
    return [svg for _, svg in drawn]


def test_every_kind_is_drawn():
    assert [each.name for each in figures(("heron", "magpie"))] == [
        "ranking-coverage", "differences-coverage", "repeat-noise-coverage",
        "scores-by-topic-coverage", "scores-by-family-coverage", "lengths",
        "score-against-length-coverage",
    ]  # fmt: skip


def test_names_from_strangers_stay_text(hostile):
    assert len(hostile) == len(GENERAL)
    for svg in hostile:
        root = ET.fromstring(svg)
        tags = {each.tag.removeprefix(SVG) for each in root.iter()}
        assert tags <= {
            *(
                "svg",
                "title",
                "desc",
                "defs",
                "style",
                "g",
                "path",
                "use",
                "text",
                "tspan",
                "clipPath",
            ),
            *("rect", "pattern"),
        }, tags
        for each in root.iter():
            assert not any(name.lower().startswith("on") for name in each.attrib)
            assert each.get(LINK, "#").startswith("#")
            assert "href" not in each.attrib
        assert printable(svg.replace("\n", "")) == svg.replace("\n", "")
        assert "\ufffe" not in svg


def test_formulas_are_not_set_as_such(hostile):
    assert any("$\\frac{1}{2}$" in text for text in texts(hostile[0]))


def test_chinese_stays_text_and_names_fonts_that_have_it(hostile):
    assert any("通义深度" in text for text in texts(hostile[0]))
    assert "Noto Sans CJK SC" in hostile[0]
    assert "sans-serif" in hostile[0]


def test_same_numbers_make_the_same_bytes():
    first, again = (figures(("heron", "magpie", "通义"))[:3] for _ in range(2))
    assert [as_svg(each) for each in first] == [as_svg(each) for each in again]
    assert picture(first[0], dpi=60).png == picture(again[0], dpi=60).png


def test_a_picture_has_the_size_of_the_figure_with_title_and_notes():
    figure, *_ = figures(("heron", "magpie"))
    png = picture(figure).png
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    assert width == round(figure.size[0] * DPI)
    assert height > figure.size[1] * DPI
    assert struct.unpack(">II", picture(figure, dpi=100).png[16:24])[0] == round(
        figure.size[0] * 100
    )


def test_a_picture_does_not_say_when_or_where_it_was_made():
    figure, *_ = figures(("heron",))
    svg = as_svg(figure)
    assert "date" not in svg.lower()
    assert "matplotlib v" not in svg.lower()


def test_the_caption_is_drawn_beneath(drawn):
    for figure, svg in drawn:
        told = " ".join(" ".join(texts(svg)).split())
        assert told.endswith(" ".join(figure.caption.split()[-6:]))
        assert " ".join(figure.caption.split()[:4]) in told


def test_characters_without_a_font_are_named():
    figure, *_ = figures(("heron", "\U000f1234"))  # for private use: in no font
    assert picture(figure, dpi=50).lacking == "\U000f1234"
    plain_figure, *_ = figures(("heron", "magpie"))
    assert picture(plain_figure, dpi=50).lacking == ""


@pytest.mark.parametrize("agents", [("heron",), HOSTILE, tuple(f"agent {n}" for n in range(14))])
def test_nothing_is_written_outside_the_canvas(agents):
    from matplotlib.text import Text

    for figure in figures(agents, missing=True, tasks=3):
        with canvas_of(figure) as canvas:
            canvas.draw_without_rendering()
            width, height = canvas.bbox.width, canvas.bbox.height
            unseen = list(beyond(canvas))
            for text in canvas.findobj(Text):
                if not text.get_visible() or not text.get_text().strip():
                    continue
                box = text.get_window_extent()
                slack = 2 * canvas.dpi / 72
                inside = (
                    box.x0 >= -slack and box.y0 >= -slack
                    and box.x1 <= width + slack and box.y1 <= height + slack
                )  # fmt: skip
                assert inside or text in unseen, (figure.name, text.get_text(), box)


def beyond(canvas):
    """Labels of ticks beyond the ends of an axis: they are made, but not drawn."""
    for axes in canvas.axes:
        for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            low, high = sorted(ends)
            for tick in axis.get_major_ticks():
                if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    yield from (tick.label1, tick.label2)


def test_a_missing_install_is_named(monkeypatch):
    import sys

    from deepassay.errors import MissingExtra

    figure, *_ = figures(("heron",))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"deepassay\[figures\]"):
        as_svg(figure)
