"""Figures on the page: pictures of letters and digits, in both colours, or a line instead."""

from __future__ import annotations

import base64
import re
import sys

import pytest

from deepassay.results.figures.figure import Figure, Material
from deepassay.results.figures.making import make_figures
from deepassay.results.figures.rendering import as_svg
from deepassay.results.page.pictures import pictures
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.score import Score, Signature


def material(*agents: str) -> Material:
    records = [
        Judged(*("race", agent, task, 1, 0, {}), Score(0.1 * place, (0, 1)), Signature({}))
        for place, agent in enumerate(agents)
        for task in ("a", "b", "c")
    ]
    return Material(records, rank(records))


HOSTILE = '<script>alert(1)</script>" onload=alert(1) ]]><!-- $x^{2}$ \u202e'


def test_a_hostile_agent_is_text_in_its_picture() -> None:
    for picture in pictures(material(HOSTILE, "heron")).shown:
        assert picture.light and picture.dark
        for image in (picture.light, picture.dark):
            head, _, packed = image.address.partition(",")
            assert head == "data:image/svg+xml;base64"
            assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed)
            svg = base64.b64decode(packed).decode()
            assert "<script" not in svg
            assert "\u202e" not in svg


def test_the_dark_variant_is_the_one_that_is_drawn_in_dark() -> None:
    def bare(svg: str) -> str:  # names made from what is drawn differ with its colours
        return re.sub(r">\s+<", "><", re.sub(r"[mp][0-9a-f]{10}", "", svg))

    mine = material("heron", "magpie")
    (first, *_) = [each for each in make_figures(mine, ("ranking",)) if isinstance(each, Figure)]
    picture = pictures(mine).shown[0]
    assert picture.dark is not None
    packed = picture.dark.address.partition(",")[2]
    shown = base64.b64decode(packed).decode()
    assert bare(shown).lower() == bare(as_svg(first, dark=True)).lower()


def test_without_the_extra_one_line_says_how_to_get_figures(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = pictures(material("heron", "magpie"))
    assert found.shown == ()
    (note,) = found.notes
    assert "deepassay[figures]" in note


@pytest.mark.parametrize("number", [2, 9])
def test_a_page_of_many_agents_draws_no_pairs(number: int) -> None:
    found = pictures(material(*(f"agent {each}" for each in range(number))))
    assert any("differences" in picture.title for picture in found.shown) == (number == 2)
