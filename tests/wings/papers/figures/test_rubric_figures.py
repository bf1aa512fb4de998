"""Figures of graded rubrics: what is drawn can be counted by hand."""

from statistics import fmean

import pytest

from deepassay.results.figures.figure import Omitted
from deepassay.results.figures.making import make_figures
from deepassay.results.figures.rendering import canvas_of
from deepassay.results.rubric_failures import breakdown, shares_by_obligation
from deepassay.results.rubric_items import readings
from deepassay.score import Cause
from tests.results.rubrics import EXPLICIT, IMPLICIT, N, P, S, graded, rubric

from .judged import material

HERON = (
    graded("heron", "a", rubric((EXPLICIT, 5, N), (EXPLICIT, 1, N), (IMPLICIT, 2, N))),
    graded("heron", "b", rubric((EXPLICIT, 5, S), (IMPLICIT, 4, N), (IMPLICIT, 3, P))),
    graded("heron", "c", rubric((EXPLICIT, 5, S), (IMPLICIT, -5, N))),
    graded("heron", "d", rubric((EXPLICIT, 5, S))),
)
MAGPIE = (graded("magpie", "a", rubric((EXPLICIT, 5, S), (EXPLICIT, 1, N), (IMPLICIT, -2, S))),)


def one(kind, records, by=None):
    (figure,) = make_figures(material(records, by), [kind])
    return figure


def test_bars_are_the_shares_of_the_paper_parted_by_obligation():
    figure = one("rubric-failures", [*HERON, *MAGPIE])
    bars, diamonds = {}, {}
    with canvas_of(figure) as canvas:
        panels = canvas.subfigs[1].axes
        agents = [label.get_text() for label in panels[0].get_yticklabels()]
        for axes in panels:
            bars[axes.get_title(loc="left")] = {
                agents[round(bar.get_y() + 0.35)]: [
                    each.patches[place].get_width() for each in axes.containers
                ]
                for place, bar in enumerate(axes.containers[0].patches)
            }
            diamonds[axes.get_title(loc="left")] = {
                agents[int(y)]: x for x, y in zip(*axes.lines[0].get_data(), strict=True)
            }
    # heron fails 3 criteria on a, 1 on b, 1 (a fault that it avoided) on c, none on d
    assert bars[EXPLICIT]["heron"] == pytest.approx([fmean((1 / 3, 0, 0)), fmean((1 / 3, 0, 0))])
    assert bars[IMPLICIT]["heron"] == pytest.approx([fmean((0, 1, 1)), fmean((1 / 3, 0, 0))])
    assert bars[EXPLICIT]["magpie"] == pytest.approx([0, 1])
    assert bars[IMPLICIT]["magpie"] == pytest.approx([0, 0])
    # the other way round c has no failure, and magpie's fault is one of two
    assert diamonds[EXPLICIT]["heron"] == pytest.approx(fmean((2 / 3, 0)))
    assert diamonds[IMPLICIT] == pytest.approx({"heron": fmean((1 / 3, 1)), "magpie": 0.5})
    rows = {row[:2]: row[2:] for row in figure.table.rows}
    assert rows["heron", IMPLICIT] == ("3", "3", "0.7778", "0.6667", "0.1111", "0.6667")


def test_both_obligations_of_an_axis_add_up_to_its_share():
    own = readings(HERON)
    parted, whole = shares_by_obligation(own), breakdown(own).shares
    assert {axis for axis, _ in parted} == set(whole)
    for axis, share in whole.items():
        both = parted[axis, "mandatory"] + parted[axis, "optional"]
        assert both == pytest.approx(share.mean)


def test_a_run_without_failures_has_no_failures_to_draw():
    records = [graded("heron", "a", rubric((EXPLICIT, 5, S)))]
    assert one("rubric-failures", records) == Omitted(
        "rubric-failures", "no criterion failed by rubrics"
    )


def test_criteria_that_fail_are_counted_by_importance():
    figure = one("rubric-importance", [*HERON, *MAGPIE])
    assert figure.table.head == (
        *("agent", "mandatory", "optional"),
        *("Critically Important", "Important", "Slightly Important"),
        *("Detrimental", "Critically Detrimental"),
    )
    rows = {row[0]: row[1:] for row in figure.table.rows}
    assert rows["heron"] == ("2/6", "2/3", "2/5", "1/2", "1/1", "–", "0/1")
    assert rows["magpie"] == ("0/1", "2/2", "0/1", "–", "1/1", "1/1", "–")
    with canvas_of(figure) as canvas:
        axes = canvas.subfigs[1].axes[0]
        heron = [label.get_text() for label in axes.get_yticklabels()].index("heron")
        cells = axes.collections[0].get_array()
        assert cells[heron, 0] == pytest.approx(100 * 2 / 6)
        assert cells.mask[heron, 5]
        printed = {text.get_position(): text.get_text() for text in axes.texts}
        assert printed[0.5, heron + 0.5] == "33.3"


def test_open_criteria_are_told_and_do_not_fail():
    lines = ((EXPLICIT, 5, N), (EXPLICIT, 5, None, "timeout"))
    figure = one("rubric-importance", [graded("heron", "a", rubric(*lines))])
    assert figure.table.rows[0][1] == "1/1"
    assert "1 of 2 criteria have no verdict and do not count." in figure.table.notes


def strata():
    return [
        graded("heron", "a", rubric((EXPLICIT, 4, S), (IMPLICIT, 4, P)), nesting="Shallow"),
        graded("heron", "b", rubric((EXPLICIT, 4, S), (IMPLICIT, 4, S)), nesting="Shallow"),
        graded("heron", "c", rubric((EXPLICIT, 4, N), (IMPLICIT, 4, P)), nesting="Deep"),
        graded("heron", "d", rubric((EXPLICIT, 4, S), (IMPLICIT, 4, N)), nesting="Intermediate"),
        graded("magpie", "a", rubric((EXPLICIT, 4, N), (IMPLICIT, 4, N)), nesting="Shallow"),
        *(graded("magpie", task, Cause.TIMEOUT, nesting="Deep") for task in "c"),
    ]


def test_strata_stand_from_the_easiest_to_the_hardest_on_both_scales():
    ternary, binary = make_figures(material(strata()), ["rubric-strata"])
    assert (ternary.name, binary.name) == ("rubric-strata-ternary", "rubric-strata-binary")
    shallow = {"ternary": (0.75, 1.0), "binary": (0.5, 1.0)}
    deep = {"ternary": 0.25, "binary": 0.0}
    for scale, figure in (("ternary", ternary), ("binary", binary)):
        rows = [row for row in figure.table.rows if row[0] == "heron"]
        assert [row[2] for row in rows] == ["Shallow (2)", "Intermediate (1)", "Deep (1)"]
        assert [float(row[3]) for row in rows] == [fmean(shallow[scale]), 0.5, deep[scale]]
        with canvas_of(figure) as canvas:
            (axes,) = canvas.subfigs[1].axes
            names = [label.get_text() for label in axes.get_yticklabels()]
            seen = [list(zip(*line.get_data(), strict=True)) for line in axes.lines]
            place = names.index("heron")
        assert [(fmean(shallow[scale]), place - 0.25)] in seen
        assert [(0.5, place)] in seen
        assert [(deep[scale], place + 0.25)] in seen


def test_without_strata_the_label_that_was_asked_for_is_taken():
    records = [graded("heron", "a", rubric((EXPLICIT, 5, S)), domain="law")]
    (omitted,) = make_figures(material(records), ["rubric-strata"])
    assert isinstance(omitted, Omitted)
    figures = make_figures(material(records, by="domain"), ["rubric-strata"])
    assert [figure.table.rows[0][1:3] for figure in figures] == [("domain", "law (1)")] * 2


def test_a_binary_run_has_one_scale():
    protocol = "rubrics(scale='binary')"
    record = graded("heron", "a", rubric((EXPLICIT, 5, S)), protocol=protocol, nesting="Deep")
    (figure,) = make_figures(material([record]), ["rubric-strata"])
    assert figure.name == "rubric-strata-binary-scale-binary"
