"""The sheet on which outcomes are looked at and disputes are settled."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from deepassay.errors import BadTasks
from deepassay.wings.build.experts.quality import quality_of
from deepassay.wings.build.experts.quality_sheet import COLUMNS, quality_sheet, read_quality_sheet
from deepassay.wings.build.experts.verification import (
    RESOLVE,
    SAMPLE,
    disputes,
    settled_draft,
    with_ratings,
)
from tests.wings.build.verified import agreed, rated

DRAFT = settled_draft(agreed(rated(c1=("not appropriate", "=1", "no")), c2="was fine"))
KNOWN = {DRAFT.id: DRAFT}


def filled(path: Path, step: str, *rows: dict[str, str]) -> Path:
    drawn = quality_of([DRAFT], 1).to_see if step == SAMPLE else [*disputes([DRAFT])]
    text = quality_sheet(step, drawn).removeprefix("\ufeff")
    known = [*csv.DictReader(io.StringIO(text, newline=""))]
    for at, cells in enumerate(rows):
        known[at] |= cells
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(known)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sheet.csv"


def test_it_shows_what_was_said_and_what_came_of_it(path):
    filled(path, RESOLVE)
    (row,) = csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""))
    assert row["Text"] == "Is a wage given?" and row["Outcome"] == "stands"
    assert row["What was said"] == "appropriate\ndisagree: was fine"
    assert "'=1" in quality_sheet(SAMPLE, quality_of([DRAFT], 1).to_see)


def test_decisions_are_read_and_take_effect(path):
    fay, gil = {"Decided by": "fay"}, {"Decided by": "gil", "When": "2026-02-01"}
    seen = filled(path, SAMPLE, {"Decision": "Right"} | fay, {})
    (looked,) = read_quality_sheet(seen, KNOWN)
    assert (looked.step, looked.value, looked.who) == (SAMPLE, "right", "fay")
    decided = filled(path, RESOLVE, gil | {"Decision": "take", "Text to stand": "Is pay given?"})
    (said,) = read_quality_sheet(decided, KNOWN)
    draft = with_ratings(DRAFT, said)
    assert draft.checklist["c2"] == "Is pay given?"
    assert draft.history[-1].when == "2026-02-01"
    assert [*disputes([draft])] == []


@pytest.mark.parametrize(
    ("title", "cells", "said"),
    [
        ("unknown part", {"item": "c9"}, r"\(d1 c9\): there is no part 'c9' of a query 'd1'"),
        ("unknown step", {"Step": "look"}, "'look' is no step; there are sample, resolve"),
        ("half-filled", {"Comment": "hm"}, "there is no decision, though other cells"),
        ("off the menu", {"Decision": "fine"}, "'fine' is no answer"),
        ("wrong without a word", {"Decision": "wrong", "Decided by": "x"}, "needs a comment"),
        ("nobody", {"Decision": "right"}, "'Decided by' does not say who"),
        ("the rater himself", {"Decision": "right", "Decided by": "ana"}, "ana had a say in it"),
    ],
)
def test_what_is_no_decision_is_told_by_its_row(path, title, cells, said):
    with pytest.raises(BadTasks, match=said):
        read_quality_sheet(filled(path, SAMPLE, cells), KNOWN)
