"""Judgements as rows: nothing lost, keys that join, nulls where there is nothing."""

from dataclasses import replace

import pytest

from deepassay.errors import BadInput
from deepassay.results.tables import Column, ColumnKind, columns_of
from deepassay.results.tidy import (
    ITEMS,
    JUDGEMENTS,
    PAGES,
    PARTS,
    PLACE,
    SCORES,
    Tabled,
    item_rows,
    judgement_rows,
    page_rows,
    part_rows,
    place_of,
    score_cells,
)
from deepassay.score import Cause, Score, Signature

from .judgements import RECIPE, make

OF_OUTCOMES = {judgement_rows: JUDGEMENTS, part_rows: PARTS, page_rows: PAGES}
CRITERION = {
    "key": "c1",
    "item": "Names the cost.",
    "axis": "Explicit Criteria",
    "weight": -2.0,
    "mandatory": True,
    "verdict": "Not Satisfied",
    "score": 0.0,
    "justification": "It does not.",
    "places": [{"line": 3, "column": 7, "message": "here"}],
}


def named(columns, cells):
    return dict(zip((name for name, _ in columns), cells, strict=True))


def rows_of(table, record):
    """The rows that a judgement has in a table about outcomes."""
    return [named(OF_OUTCOMES[table], cells) for cells in table(Tabled.of(record))]


def items_of(record):
    return [named(ITEMS, cells) for cells in item_rows(Tabled.of(record))]


def score_of(record):
    return named(SCORES, score_cells(Tabled.of(record)))


def test_rows_share_the_place_of_their_judgement():
    place = {"protocol": "coverage", "agent": "heron", "task": "a", "sample": 1, "repeat": 0}
    record = make("heron", "a", 50)
    assert named(PLACE, place_of(record)) == named(PLACE, Tabled.of(record).place) == place


def test_a_score_has_its_recipe_and_its_range():
    row = score_of(make("heron", "a", 50, tally=(1.0, 2.0)))
    assert (row["value"], row["cause"], row["lowest"], row["highest"]) == (50.0, None, 0.0, 100.0)
    assert (row["met"], row["of"], row["open"], row["judges"]) == (1.0, 2.0, False, 1)
    assert row["recipe"] == RECIPE.digest
    assert row["offline"] is True


def test_a_score_of_zero_is_not_a_null():
    row = score_of(make("heron", "a", 0))
    assert row["value"] == 0.0
    (said,) = rows_of(judgement_rows, make("heron", "a", 0))
    assert said["value"] == 0.0


def test_what_is_unscored_has_a_cause_and_no_value():
    record = make("heron", "a", Cause.TIMEOUT)
    row = score_of(record)
    assert (row["value"], row["cause"], row["detail"]) == (None, "timeout", "why")
    assert [each["cause"] for each in rows_of(judgement_rows, record)] == ["timeout"]
    assert rows_of(part_rows, record) == items_of(record) == []


def test_a_panel_has_rows_for_each_judge_and_the_score_none_of_them():
    judges = {
        "one": {"value": 10.0, "parts": {"p": 1.0}, "details": {"items": [CRITERION]}},
        "two": {"cause": "timeout", "detail": "late", "details": {}},
    }
    score = Score(10.0, parts={"p": 1.0}, details={"judges": judges})
    record = make("heron", "a", score)
    assert [(r["judge"], r["value"], r["cause"]) for r in rows_of(judgement_rows, record)] == [
        ("one", 10.0, None),
        ("two", None, "timeout"),
    ]
    assert [(r["judge"], r["part"], r["value"]) for r in rows_of(part_rows, record)] == [
        (None, "p", 1.0),
        ("one", "p", 1.0),
    ]
    assert [(r["judge"], r["item"]) for r in items_of(record)] == [("one", "c1")]
    assert score_of(record)["open"] is True


def test_an_item_carries_weight_axis_and_its_first_place():
    (row,) = items_of(make("heron", "a", 0, details={"items": [CRITERION]}))
    assert (row["judge"], row["number"], row["axis"]) == ("offline", 1, "Explicit Criteria")
    assert (row["weight"], row["mandatory"], row["verdict"]) == (-2.0, True, "Not Satisfied")
    assert (row["line"], row["column"], row["url"]) == (3, 7, None)


def test_an_item_with_a_score_alone_is_met_or_not_or_open():
    items = [{"key": f"q{n}", "item": "?", "score": score} for n, score in enumerate((1, 0, None))]
    rows = items_of(make("heron", "a", 50, details={"items": items}))
    assert [row["verdict"] for row in rows] == ["met", "not met", None]


def test_a_mark_beside_a_reference_is_no_verdict():
    item = {"key": "c1", "item": "?", "score": 1.0, "reference": 4.0, "dimension": "insight"}
    (row,) = items_of(make("heron", "a", 50, details={"items": [{**item, "weight": 0.3}]}))
    assert (row["verdict"], row["axis"], row["reference"]) == (None, "insight", 4.0)


def test_an_item_that_no_protocol_of_ours_wrote_is_refused_in_words():
    items = [{"key": "c1", "score": 1}, {"key": "c2", "score": [1]}]
    with pytest.raises(BadInput, match="details of a score hold what cannot be read: score"):
        items_of(make("heron", "a", 50, details={"items": items}))


def test_pages_are_told_by_address_and_snapshot():
    recipe = Signature(RECIPE.identity, {"pages": {"https://a.example/": "0123"}})
    record = replace(make("heron", "a", 1), signature=recipe)
    assert rows_of(page_rows, record) == [{"url": "https://a.example/", "page": "0123"}]


def test_columns_have_one_kind_also_where_rows_lack_them():
    rows = [{"rank": None, "mean": None, "n": 1}, {"mean": 2.0, "ok": False, "name": "x"}]
    assert columns_of(rows, integers=("rank",)) == (
        Column("rank", ColumnKind.INTEGER),
        Column("mean", ColumnKind.NUMBER),
        Column("n", ColumnKind.INTEGER),
        Column("ok", ColumnKind.BOOLEAN),
        Column("name", ColumnKind.TEXT),
    )
