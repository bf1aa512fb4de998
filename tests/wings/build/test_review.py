"""The sheet that goes out to experts and comes back with their decisions."""

from __future__ import annotations

import csv

import pytest

from deepassay.errors import BadSetting, BadTasks
from deepassay.results.tables import guarded
from deepassay.wings.build.arena.provenance import Review, WovenTask
from deepassay.wings.build.arena.review import (
    ANSWERED,
    WOVEN,
    put_on_sheet,
    read_review,
    refuse_other_than_csv,
    sheet_ids,
)
from deepassay.wings.build.arena.weaver import InspirationGroup
from tests.wings.build.test_provenance import woven

from .weavers import inspirations, proposals

BETTER = proposals()[0]["task"]


@pytest.fixture
def made():
    return woven(InspirationGroup("heat-g1", tuple(inspirations(1))))


@pytest.fixture
def sheet(tmp_path, made):
    path = tmp_path / "review.csv"
    put_on_sheet(path, made)
    return path


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def fill(path, **cells):
    """Put cells into the first row, as a spreadsheet program would save it."""
    found = rows(path)
    found[0].update(cells)
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        table = csv.DictWriter(stream, [*WOVEN, *ANSWERED])
        table.writeheader()
        table.writerows(found)


def test_a_sheet_shows_task_inspiration_and_quote_and_leaves_decisions_open(sheet, made):
    found = rows(sheet)
    assert [row["id"] for row in found] == [each.task.id for each in made]
    assert found[0]["task"] == made[0].task.prompt
    assert found[0]["inspirations"].startswith("Limitation: Nobody has measured")
    assert "heat 0:01:00: Nobody" in found[0]["quote"]
    assert {row["decision"] for row in found} == {""}
    assert read_review(sheet, made) == {}


def test_decisions_come_back(sheet, made):
    fill(sheet, decision=" Accept ", comment="good")
    kept = read_review(sheet, made)[made[0].task.id]
    assert kept.task == made[0].task
    assert kept.provenance.review == Review(decision="accept", comment="good")
    fill(sheet, decision="reject")
    assert read_review(sheet, made) == {made[0].task.id: None}


def test_an_edited_text_takes_the_place_of_the_old_which_is_kept(sheet, made):
    fill(sheet, decision="edit", edited_task=BETTER)
    task, provenance = read_review(sheet, made)[made[0].task.id]
    assert task.prompt == provenance.prompt == BETTER
    assert provenance.review == Review(decision="edit", woven=made[0].task.prompt)
    assert task.labels == made[0].task.labels


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"decision": "maybe"}, "'maybe' is no decision"),
        ({"decision": "edit"}, "the decision is edit, without a text"),
        ({"decision": "edit", "edited_task": BETTER * 9}, "the limit is 100"),
        ({"decision": "edit", "edited_task": "Think of bedrooms."}, "names no deliverable"),
        ({"decision": "edit", "edited_task": "Deliver a table."}, "shares 0 key words"),
        (
            {"decision": "edit", "edited_task": BETTER + " Ask the speaker."},
            "'the speaker' refers to something outside",
        ),
        ({"edited_task": BETTER}, "the decision is open"),
        ({"decision": "accept", "edited_task": BETTER}, "the decision is accept"),
        ({"task": "Something else"}, "the column task was changed"),
        ({"id": "nobody"}, "there is no task 'nobody'"),
        ({"id": "heat-g1-2"}, "stands there twice"),
    ],
)
def test_what_is_no_decision_is_named_with_its_line(sheet, made, cells, said):
    fill(sheet, **cells)
    with pytest.raises(BadTasks, match=r"review\.csv, line \d+") as caught:
        read_review(sheet, made)
    assert said in str(caught.value)


def test_a_sheet_with_other_columns_is_refused(tmp_path, made):
    path = tmp_path / "review.csv"
    path.write_text("id;task;decision\nheat-g1-1;x;accept\n")
    with pytest.raises(BadTasks, match="has no column 'edited_task'"):
        read_review(path, made)
    with pytest.raises(BadSetting, match=r"review\.xlsx would not be read"):
        refuse_other_than_csv(tmp_path / "review.xlsx")


def test_new_tasks_are_added_and_decisions_stay(sheet, made):
    fill(sheet, decision="reject", comment="no\nreally not")
    more = woven(InspirationGroup("heat-g2", tuple(inspirations(1))))
    put_on_sheet(sheet, [*made, *more], sheet_ids(sheet))
    assert sheet_ids(sheet) == [each.task.id for each in (*made, *more)]
    assert rows(sheet)[0]["comment"] == "no\nreally not"
    assert read_review(sheet, [*made, *more]) == {made[0].task.id: None}


def test_new_tasks_go_under_the_columns_that_an_expert_left(sheet, made):
    columns = [*reversed(ANSWERED), "task", "id"]
    found = rows(sheet)
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows({**row, "decision": "accept"} for row in found)
    more = woven(InspirationGroup("heat-g2", tuple(inspirations(1))))
    put_on_sheet(sheet, [*made, *more], sheet_ids(sheet))
    assert sheet_ids(sheet) == [each.task.id for each in (*made, *more)]
    assert read_review(sheet, [*made, *more]).keys() == {each.task.id for each in made}


def test_rows_of_nothing_but_commas_are_passed_over(sheet, made):
    with sheet.open("a", encoding="utf-8", newline="") as stream:
        stream.write("," * (len(WOVEN) + len(ANSWERED) - 1) + "\r\n")
    assert sheet_ids(sheet) == [each.task.id for each in made]
    assert read_review(sheet, made) == {}


@pytest.mark.parametrize("name", [" heat-1", "=heat 1 ", "-heat\t1"])
def test_an_identifier_of_any_form_is_found_again(tmp_path, made, name):
    odd = WovenTask(made[0].task.model_copy(update={"id": name}), made[0].provenance)
    path = tmp_path / "review.csv"
    put_on_sheet(path, [odd])
    fill(path, decision="reject")
    assert read_review(path, [odd]) == {name: None}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_no_cell_begins_as_a_formula(tmp_path, made, start):
    formula = f'{start}HYPERLINK("http://evil.example","click")'
    task, provenance = made[0]
    ground = provenance.inspirations[0].model_copy(update={"transcript": formula})
    hostile = WovenTask(
        task.model_copy(update={"prompt": formula, "id": formula}),
        provenance.model_copy(update={"inspirations": (ground,)}),
    )
    path = tmp_path / "review.csv"
    put_on_sheet(path, [hostile])
    assert [cell for cell in rows(path)[0].values() if cell[:1] in [*list("=+-@\t\r\n"), ""]] == [
        "", "", ""
    ]  # fmt: skip


def test_an_edited_text_that_was_guarded_is_read_without_the_guard(sheet, made):
    fill(sheet, decision="edit", edited_task=guarded(f"- {BETTER}"))
    assert read_review(sheet, made)[made[0].task.id].task.prompt == f"- {BETTER}"
