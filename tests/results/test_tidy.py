"""Judgements as rows: nothing lost, keys that join, nulls where there is nothing."""

from dataclasses import replace

from deepassay.results.tables import Column, ColumnKind, columns_of
from deepassay.results.tidy import item_rows, judgement_rows, page_rows, part_rows, score_row
from deepassay.score import Cause, Score, Signature

from .judgements import RECIPE, make

PLACE = {"protocol": "coverage", "agent": "heron", "task": "a", "sample": 1, "repeat": 0}
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


def test_a_score_has_its_recipe_and_its_range():
    row = score_row(make("heron", "a", 50, tally=(1.0, 2.0)))
    assert row.items() >= PLACE.items()
    assert (row["value"], row["cause"], row["lowest"], row["highest"]) == (50.0, None, 0.0, 100.0)
    assert (row["met"], row["of"], row["open"], row["judges"]) == (1.0, 2.0, False, 1)
    assert row["recipe"] == RECIPE.digest
    assert row["offline"] is True


def test_a_score_of_zero_is_not_a_null():
    row = score_row(make("heron", "a", 0))
    assert row["value"] == 0.0
    (said,) = judgement_rows(make("heron", "a", 0))
    assert said["value"] == 0.0


def test_what_is_unscored_has_a_cause_and_no_value():
    record = make("heron", "a", Cause.TIMEOUT)
    row = score_row(record)
    assert (row["value"], row["cause"], row["detail"]) == (None, "timeout", "why")
    assert [each["cause"] for each in judgement_rows(record)] == ["timeout"]
    assert list(part_rows(record)) == list(item_rows(record)) == []


def test_a_panel_has_rows_for_each_judge_and_the_score_none_of_them():
    judges = {
        "one": {"value": 10.0, "parts": {"p": 1.0}, "details": {"items": [CRITERION]}},
        "two": {"cause": "timeout", "detail": "late", "details": {}},
    }
    score = Score(10.0, parts={"p": 1.0}, details={"judges": judges})
    record = make("heron", "a", score)
    assert [(r["judge"], r["value"], r["cause"]) for r in judgement_rows(record)] == [
        ("one", 10.0, None),
        ("two", None, "timeout"),
    ]
    assert [(r["judge"], r["part"], r["value"]) for r in part_rows(record)] == [
        (None, "p", 1.0),
        ("one", "p", 1.0),
    ]
    assert [(r["judge"], r["item"]) for r in item_rows(record)] == [("one", "c1")]
    assert score_row(record)["open"] is True


def test_an_item_carries_weight_axis_and_its_first_place():
    (row,) = item_rows(make("heron", "a", 0, details={"items": [CRITERION]}))
    assert row.items() >= PLACE.items()
    assert (row["judge"], row["number"], row["axis"]) == ("offline", 1, "Explicit Criteria")
    assert (row["weight"], row["mandatory"], row["verdict"]) == (-2.0, True, "Not Satisfied")
    assert (row["line"], row["column"], row["url"]) == (3, 7, None)


def test_an_item_with_a_score_alone_is_met_or_not_or_open():
    items = [{"key": f"q{n}", "item": "?", "score": score} for n, score in enumerate((1, 0, None))]
    rows = item_rows(make("heron", "a", 50, details={"items": items}))
    assert [row["verdict"] for row in rows] == ["met", "not met", None]


def test_a_mark_beside_a_reference_is_no_verdict():
    item = {"key": "c1", "item": "?", "score": 1.0, "reference": 4.0, "dimension": "insight"}
    (row,) = item_rows(make("heron", "a", 50, details={"items": [{**item, "weight": 0.3}]}))
    assert (row["verdict"], row["axis"], row["reference"]) == (None, "insight", 4.0)


def test_pages_are_told_by_address_and_snapshot():
    recipe = Signature(RECIPE.identity, {"pages": {"https://a.example/": "0123"}})
    record = replace(make("heron", "a", 1), signature=recipe)
    assert list(page_rows(record)) == [PLACE | {"url": "https://a.example/", "page": "0123"}]


def test_columns_have_one_kind_also_where_rows_lack_them():
    rows = [{"rank": None, "mean": None, "n": 1}, {"mean": 2.0, "ok": False, "name": "x"}]
    assert columns_of(rows, integers=("rank",)) == (
        Column("rank", ColumnKind.INTEGER),
        Column("mean", ColumnKind.NUMBER),
        Column("n", ColumnKind.INTEGER),
        Column("ok", ColumnKind.BOOLEAN),
        Column("name", ColumnKind.TEXT),
    )
