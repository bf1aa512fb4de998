"""Notes: texts with fields above them, as programs for notes keep a table, and their exports."""

import pytest

from deepassay.errors import BadInput, Notice
from tests.intake.test_choices import ASKED, LONG, offered, planned, sheet, written

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")

RIGHT = {(a, q, t) for q, a, t in LONG}


def test_fields_above_notes_say_what_was_asked_and_who_answered(tmp_path):
    folder = tmp_path / "vault"
    folder.mkdir()
    for number, (q, a, t) in enumerate(LONG):
        above = f'---\nquestion: "{q}"\nmodel: {a}\ntags: [pilot, {number}]\n---\n'
        (folder / f"{number}.md").write_text(f"{above}\n{t}\n", encoding="utf-8")
    assert planned(folder) == RIGHT
    for each in folder.iterdir():
        each.write_text(each.read_text().replace("model:", "written-by:"))
    assert "agent=written-by" in offered(folder)


@pytest.mark.parametrize("line", ["{}: {}", "- {}:: {}", "**{}:** {}"])
def test_pages_with_their_properties_win_over_the_table_that_lists_them(tmp_path, line):
    fields = [
        {"Agent": a, "Task": q, "Status": "Done", "Created": f"April {n}, 2026 10:12 AM"}
        for n, (q, a, _) in enumerate(LONG, 1)
    ]
    table = written([["Name", *fields[0]], *([f"R{n}", *e.values()] for n, e in enumerate(fields))])
    pages = tmp_path / "Runs"
    pages.mkdir()
    for name in ("Runs 9f2c.csv", "Runs 9f2c_all.csv"):
        (tmp_path / name).write_text(table)
    for n, (above, (_, _, text)) in enumerate(zip(fields, LONG, strict=True)):
        lines = "\n".join(line.format(*pair) for pair in above.items())
        (pages / f"R{n} 77ab.md").write_text(f"# R{n}\n\n{lines}\n\n{text}\n")
    assert planned(tmp_path, "drop=") == RIGHT
    empty = next(pages.iterdir())
    text = next(t for (q, a, t) in LONG if t in empty.read_text())
    empty.write_text(empty.read_text().partition(text)[0].rstrip())
    with pytest.warns(Notice, match=f"1 of {len(LONG)} notes have no text below their fields"):
        assert {t for _, _, t in planned(tmp_path, "drop=")} == {t for _, _, t in LONG} - {text}


def test_of_fields_that_stand_above_all_texts_one_may_say_what_was_asked(tmp_path):
    for n, (q, a, text) in enumerate(LONG):
        above = f"Owner: Maya\nTool: {a}\nAssignment: {q}\nUpdated: 3 April 2026"
        (tmp_path / f"page-{n}.md").write_text(f"# Page {n}\n\n{above}\n\n{text}\n")
    with pytest.raises(BadInput, match="reports are the prompts themselves") as caught:
        planned(tmp_path)
    assert "--columns prompt=Assignment  (3 tasks, 6 reports of auk, tern" in caught.value.remedy
    assert planned(tmp_path, "prompt=Assignment") == RIGHT


def test_a_page_whose_field_is_no_sentence_is_a_note_beside_others(tmp_path):
    for n, (q, a, text) in enumerate(LONG):
        asked = q.rstrip("?") if q == ASKED[1] else q
        (tmp_path / f"{n}.md").write_text(f"# {n}\n\nTask: {asked}\nAgent: {a}\n\n{text}\n")
    found = planned(tmp_path, "drop=")
    assert {(a, t) for a, _, t in found} == {(a, t) for _, a, t in LONG}
    assert len({q for _, q, _ in found}) == len(ASKED)


def test_two_files_of_the_same_content_are_one_table(tmp_path):
    for name in ("runs.csv", "runs_all.csv"):
        (tmp_path / name).write_text(written([["prompt", "agent", "report"], *LONG]))
    assert planned(tmp_path) == RIGHT


@pytest.mark.parametrize(
    "date", ["April {}, 2026 10:12 AM", "{}. März 2026", "Mon, {} Apr 2026 10:12:00 +0200",
             "{} de abril de 2026", "2026年4月{}日 10:12"],
)  # fmt: skip
def test_no_column_of_dates_is_offered_as_the_report(tmp_path, date):
    rows = [[q, a, date.format(n)] for n, (q, a, _) in enumerate(LONG, 1)]
    with pytest.raises(BadInput) as caught:
        planned(sheet(tmp_path, [["Task", "Agent", "Created"], *rows]))
    assert "report=Created" not in caught.value.remedy


def test_fields_above_a_report_are_no_part_of_it(tmp_path):
    for q, a, t in LONG:
        folder = tmp_path / "v" / f"{ASKED.index(q) + 1} birds"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "Prompt.md").write_text(q)
        (folder / f"{a}.md").write_text(f"---\nagent: {a}\ntags:\n  - deep\n---\n\n{t}\n")
    with pytest.warns(Notice, match="between lines --- above texts"):
        assert planned(tmp_path / "v") == RIGHT
