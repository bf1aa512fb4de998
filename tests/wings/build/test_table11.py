"""The sheet of Table 11: out of the records, filled in by hand, and back."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadTasks
from deepassay.wings.build.experts.sheets import write_sheet
from deepassay.wings.build.experts.table11 import COLUMNS, KEYS, read_ratings, sheet_of
from deepassay.wings.build.experts.verification import rated_parts_of, with_ratings
from tests.wings.build.verified import APPEND, agreed, rated, said, unrated

DRAFT = unrated()


def rows_of(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))]


def filled(path: Path, *rows: dict[str, str], drop: tuple[str, ...] = ()) -> Path:
    """The sheet of DRAFT with cells of its rows filled in, and rows added."""
    known = rows_of(sheet_of([DRAFT]))
    for number, cells in enumerate(rows):
        if number < len(known):
            known[number] |= cells
        else:
            known.append({"qid": "d1", "Deep Research Query": DRAFT.query} | cells)
    columns = [name for name in COLUMNS if name not in drop]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", restval="")
        writer.writeheader()
        writer.writerows(known)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sheet.csv"


def test_the_key_columns_stand_first_and_a_row_holds_one_part():
    rows = rows_of(sheet_of([DRAFT]))
    assert [*rows[0]][:3] == ["qid", "Deep Research Query", "Checklist"] == [*KEYS]
    assert [(row["item"], row["Checklist"]) for row in rows] == [
        ("query", ""),
        ("c1", "Is a price given?"),
        ("c2", "Is a wage given?"),
    ]


ANA = {"Rating": "appropriate", "Annotator": "ana"}


def test_what_people_fill_in_is_read_and_written_back_as_it_was(path):
    again = filled(
        path,
        ANA | {"Agreement": "agree", "Second annotator": "bo"},
        ANA | {"Rating": "Needs modification", "Modified version": "Is a fee given?"},
        ANA
        | {"Rating": "not appropriate", "Comment": "beside it"}
        | {"Agreement": "disagree", "Second comment": "no", "Second annotator": "bo"},
        {"Checklist": "Is a map there?", "Annotator": "ana", "Comment": "lacking"},
    )
    draft = DRAFT
    for each in read_ratings(again, [DRAFT]):
        draft = with_ratings(draft, each)
    parts = rated_parts_of(draft)
    assert [each.state for each in parts.values()] == ["agreed", "unseen", "disputed", "unseen"]
    assert parts["c1"].rating.proposed == "Is a fee given?"
    assert parts["c3"].rating.said == APPEND and parts["c3"].rating.note == "lacking"
    back = path.with_name("back.csv")
    write_sheet(back, sheet_of([draft]))
    found = DRAFT
    for each in read_ratings(back, [DRAFT]):
        found = with_ratings(found, each)
    assert [*map(str, found.history)] == [*map(str, draft.history)]


@pytest.mark.parametrize(
    ("title", "cells", "said"),
    [
        ("unknown query", {"qid": "d9"}, r"line 2 \(d9 query\): there is no query 'd9'"),
        ("query changed", {"Deep Research Query": "Else?"}, "the query was changed"),
        ("off the menu", ANA | {"Rating": "fine"}, "'fine' is no answer"),
        (
            "no version",
            ANA | {"Rating": "appropriate with modification"},
            "'appropriate with modification' needs a modified version",
        ),
        ("half-filled", {"Comment": "hm"}, "there is no rating, though other cells"),
        ("nobody", {"Rating": "appropriate"}, "'Annotator' does not say whose"),
        (
            "second without name",
            ANA | {"Agreement": "agree"},
            "'Second annotator' does not say who",
        ),
        (
            "the same twice",
            ANA | {"Agreement": "agree", "Second annotator": "ana"},
            "ana rated it, and cannot be the second",
        ),
        (
            "disagreement without a word",
            ANA | {"Agreement": "disagree", "Second annotator": "bo"},
            "'disagree' needs a comment",
        ),
        ("second comment alone", ANA | {"Second comment": "x"}, "there is a second comment"),
        ("unknown item", {"item": "c9"}, "there is no item c3, and 'Checklist' is empty"),
    ],
)
def test_what_is_no_answer_is_told_by_its_row_and_nothing_is_lost(path, title, cells, said):
    filled(path, cells)
    before = path.read_bytes()
    with pytest.raises(BadTasks, match=said):
        read_ratings(path, [DRAFT])
    assert path.read_bytes() == before


def test_a_changed_item_and_missing_columns_are_told(path):
    filled(path, {}, {"Checklist": "Is a toll given?"})
    with pytest.raises(BadTasks, match="item c1 was changed"):
        read_ratings(path, [DRAFT])
    filled(path, drop=("Checklist",))
    with pytest.raises(BadTasks, match="no column 'Checklist'"):
        read_ratings(path, [DRAFT])


def test_items_are_found_by_their_text_where_the_column_item_is_gone(path):
    filled(path, {}, {}, ANA, drop=("item",))
    (said_,) = read_ratings(path, [DRAFT])
    assert (said_.of, said_.value) == ("c2", "appropriate")


def test_a_part_that_two_people_agree_on_is_rated_once(path):
    draft = agreed(rated())
    draft = said(draft, ("agree", "cy", "c1", "agree"))
    write_sheet(path, sheet_of([draft]))
    assert len(rows_of(path.read_text("utf-8-sig"))) == 4
    found = [(each.step, each.who) for each in read_ratings(path, [DRAFT]) if each.of == "c1"]
    assert found == [("rate", "ana"), ("agree", "bo"), ("agree", "cy")]


def test_a_sheet_that_people_filled_in_is_not_written_over(path):
    write_sheet(path, sheet_of([DRAFT]))
    write_sheet(path, sheet_of([DRAFT]))
    filled(path, ANA)
    with pytest.raises(BadTasks, match="people may have filled it in"):
        write_sheet(path, sheet_of([DRAFT]))


def test_the_texts_of_a_sheet_are_those_that_were_rated():
    draft = agreed(rated(c1=("needs modification", "Is a fee given?")))
    shown = {row["item"]: row for row in rows_of(sheet_of([draft]))}
    assert shown["c1"]["Checklist"] == "Is a price given?"
    assert shown["c1"]["Modified version"] == "Is a fee given?"
    assert shown["c1"]["Agreement"] == "agree" and shown["c1"]["Second annotator"] == "bo"


CELLS = st.text("=+-@ab1\t\n'\",甲", min_size=1, max_size=8).filter(lambda text: text.strip())


@settings(max_examples=40, deadline=None)
@given(CELLS, CELLS)
def test_no_cell_is_a_formula_and_every_cell_comes_back(tmp_path_factory, version, comment):
    draft = said(
        rated(c1=("not appropriate", version.strip(), comment.strip())),
        (APPEND, "ana", "query", version.strip()),
    )
    path = tmp_path_factory.mktemp("sheet") / "sheet.csv"
    write_sheet(path, sheet_of([draft]))
    for row in rows_of(path.read_text("utf-8-sig")):
        assert not [cell for cell in row.values() if cell[:1] in ("=", "@", "\t")]
    found = {(each.of, each.step): each for each in read_ratings(path, [DRAFT])}
    own = found["c1", "rate"]
    assert (own.text, own.comment) == (version.strip(), comment.strip())
    assert found["c3", "append"].text == version.strip()
