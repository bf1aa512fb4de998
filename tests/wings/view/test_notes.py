"""What readers say is kept beside the run, shown, and read by `agree` as what it is: not blind."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deepassay.score import digest
from deepassay.wings.people.agreement.runs import hold
from deepassay.wings.view.findings import ReadFinding
from deepassay.wings.view.notes import Notebook
from deepassay.wings.view.reading import read_report
from deepassay.wings.view.room import Place
from tests.wings.view.rooms import HOST, Visitor

TERRACE = {"agent": "magpie", "task": "terrace-heat"}
AT = Place(1, "magpie", "terrace-heat", 1)


@pytest.fixture
def own(demo: Path, made: Path, tmp_path: Path) -> Iterator[Visitor]:
    """A room over a copy of the run, beside which notes may stand."""
    path = tmp_path / "run.assay"
    shutil.copy(demo, path)
    found = Visitor([path], rater="ana", index=Path(shutil.copy(made / "demo.db", tmp_path)))
    yield found
    found.close()


def finding(visitor: Visitor, verdict: str) -> ReadFinding:
    report = read_report(visitor.room.runs[0], AT)
    assert report is not None
    return next(each for each in report.findings if each.verdict == verdict)


def test_a_note_is_kept_shown_and_exported_and_the_run_stays_as_it_was(own: Visitor) -> None:
    path = own.room.runs[0].path
    before = digest(path.read_bytes().hex())
    claim = finding(own, "unsupported")
    form = own.get("/note", **TERRACE, at=claim.name)
    assert "unsupported" in form.text
    sent = own.post(
        "/note", **TERRACE, at=claim.name, digest="d", star="1", right="supported", text="电梯 <b>"
    )
    assert sent.status == 303
    assert sent.headers["location"].endswith(f"#{claim.name}")
    html = own.get("/report", **TERRACE).html
    assert f'at={claim.name}" title="Write something about this" class="noted">★' in html
    (row,) = csv.DictReader(io.StringIO(own.get("/notes.csv").html))
    assert (row["agent"], row["task"], row["rater"]) == ("magpie", "terrace-heat", "ana")
    assert (row["protocol"], row["item"]) == ("fact", claim.key)
    assert (row["verdict"], row["judge_said"]) == ("supported", "unsupported")
    assert (row["note"], row["saw_judge"], row["star"]) == ("电梯 <b>", "yes", "yes")
    notes = own.get("/notes")
    assert "电梯 <b>" in notes.text
    assert "<b>" not in notes.html.partition("电梯")[2][:20]
    assert "of an earlier text" in notes.text  # the digest that was sent is that of another one
    assert len([*Notebook(path).notes]) == 1
    assert own.get("/", mode="noted").html.count("<tr data-go>") == 1
    assert digest(path.read_bytes().hex()) == before


def test_a_later_note_takes_the_place_of_the_one_before_and_an_empty_one_takes_it_back(
    own: Visitor,
) -> None:
    claim = finding(own, "supported")
    for text in ("one", "two"):
        own.post("/note", **TERRACE, at=claim.name, text=text)
    own.post("/note", **TERRACE, text="of the whole report")
    assert [note.text for note in own.room and Notebook(own.room.runs[0].path).notes] == [
        "two",
        "of the whole report",
    ]
    own.post("/note", **TERRACE, at=claim.name)
    assert [note.text for note in Notebook(own.room.runs[0].path).notes] == ["of the whole report"]


def test_agree_reads_what_was_exported_and_says_that_it_is_not_blind(
    own: Visitor, tmp_path: Path
) -> None:
    report = read_report(own.room.runs[0], AT)
    assert report is not None
    met = [each for each in report.findings if each.protocol == "coverage"]
    for each in met:
        turned = "not met" if each.verdict == "met" else "met"
        own.post("/note", **TERRACE, at=each.name, right=turned)
    own.post("/note", **TERRACE, at=met[0].name, text="only a comment")
    file = tmp_path / "notes.csv"
    file.write_bytes(own.get("/notes.csv").body)
    held = hold([file], [own.room.runs[0].path], 0)
    (sheet,) = held.sheets
    figures = {each.name: each.value for each in sheet.figures}
    assert figures["agreement with offline"] == 0.0
    assert f"{len(met) - 1} of {len(met) - 1} decisions are by people who had seen" in " ".join(
        held.remarks
    )


def test_verdicts_are_those_of_a_menu_and_nothing_else(own: Visitor) -> None:
    claim = finding(own, "unsupported")
    own.post("/note", **TERRACE, at=claim.name, right="=cmd|' /C calc'!A0", text="x")
    (note,) = Notebook(own.room.runs[0].path).notes
    assert note.right == ""
    own.post("/note", **TERRACE, at=claim.name, right="supported", text="=1+1")
    assert "\n=1+1" not in own.get("/notes.csv").html
    assert ",=1+1" not in own.get("/notes.csv").html


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"origin": "null"}, {"host": "evil.example"},
     {"origin": ""}, {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate",
                      "sec-fetch-dest": "document"}],
)  # fmt: skip
def test_a_form_from_elsewhere_is_refused(own: Visitor, headers: dict) -> None:
    assert own.post("/note", headers, **TERRACE, text="x").status == 403
    assert not Notebook(own.room.runs[0].path).notes


def test_a_link_may_be_followed_from_elsewhere_and_nothing_else_be_asked(own: Visitor) -> None:
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    seen = own.get("/report", followed | {"sec-fetch-dest": "document"}, **TERRACE)
    assert seen.status == 200
    for dest in ("iframe", "script", "image", "empty"):
        assert own.get("/report", followed | {"sec-fetch-dest": dest}, **TERRACE).status == 403
    fetched = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}
    assert own.get("/notes.csv", fetched).status == 403
    assert own.get("/", {"host": f"{HOST}.evil.example"}).status == 403


@pytest.mark.parametrize(
    "path", ["/static/..%2fnotes.py", "/static/../notes.py", "/static/notes.py", "/etc/passwd",
             "/static/%2e%2e/side.py", "/static/style.css/..", "/pages/frame.html.jinja"]
)  # fmt: skip
def test_no_other_file_is_served(own: Visitor, path: str) -> None:
    found = own.get(path)
    assert found.status == 404
    assert "import" not in found.html


def test_lines_that_nobody_wrote_are_counted_and_passed_over(own: Visitor) -> None:
    path = own.room.runs[0].path
    book = Notebook(path)
    good = {"agent": "magpie", "task": "terrace-heat", "sample": 1, "digest": "d", "text": "good"}
    lines = ["{", "[]", '"x"', '{"agent": 1}', json.dumps(good | {"sample": "1"}), json.dumps(good)]
    book.path.write_text("\n".join([*lines, "\ud800".encode("utf-8", "replace").decode()]), "utf-8")
    assert [note.text for note in book.notes] == ["good"]
    assert book.unread == len(lines)
    assert "lines of the files of notes cannot be read" in own.get("/notes").text


def test_a_note_that_cannot_be_kept_is_said_not_to_be(own: Visitor) -> None:
    Notebook(own.room.runs[0].path).path.mkdir()
    answer = own.post("/note", **TERRACE, text="x")
    assert answer.status == 500
    assert "cannot be written" in answer.text


def test_a_note_on_nothing_is_refused(own: Visitor) -> None:
    assert own.post("/note", agent="nobody", task="x", text="x").status == 404
    assert own.post("/note", **TERRACE, at="f0", text="x").status == 404
