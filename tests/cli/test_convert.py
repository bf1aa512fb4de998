"""Reports as PDF and DOCX, as a person has them converted, looked at and evaluated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deepassay.reports.documents import convert, worker
from tests.cli.conftest import Run
from tests.documents import Page, docx, link, paragraph, pdf

TASK = "Compare heat on terraces."
DOCX = docx(
    paragraph("Terraces", style="heading 1"),
    paragraph("Awnings help ", link("[1]", 1), ". Plants help a lot."),
    paragraph("Sources", style="heading 1"),
    paragraph("[1] Study: ", link("https://one.example/a", 1)),
    links=("https://one.example/a",),
)


def a_pdf() -> bytes:
    page = Page()
    page.text(72, 740, "Terraces", 18)
    page.text(page.text(72, 700, "Awnings help "), 700, "[1]", url="https://one.example/a")
    page.text(72, 660, "Sources", 18)
    page.text(page.text(72, 620, "[1] Study: "), 620, "https://one.example/a")
    return pdf(page)


@pytest.fixture
def reports() -> Path:
    """A folder with a report of each format, by one agent each."""
    folder = Path("reports")
    for name, body in (
        ("heron/t1.pdf", a_pdf()),
        ("magpie/t1.docx", DOCX),
        ("cuckoo/t1.md", b"# Terraces\n\nAwnings help.\n"),
    ):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(body)
    return folder


@pytest.fixture
def converted_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process: one of its own for each document takes most of the time of a command.

    It has tests in tests/reports, and is there wherever this fixture is not.
    """

    def ask(path: Path, kind: str, body: bytes) -> dict[str, str]:
        return {"text": worker._markdown(kind, body)}

    monkeypatch.setattr(convert, "_asked", ask)


def test_reports_of_three_formats_are_evaluated_and_their_markdown_is_kept(
    deepassay: Run, reports: Path
) -> None:
    Path("tasks.jsonl").write_text(json.dumps({"id": "t1", "prompt": TASK}) + "\n")
    command = ("evaluate", "tasks.jsonl", reports, "--protocol", "presentation")
    done = deepassay(*command)
    assert done.returncode == 0, done.stderr
    board = deepassay("leaderboard", "run.assay", "--wide").stdout
    assert all(agent in board for agent in ("heron", "magpie", "cuckoo"))
    told = {
        agent: deepassay("explain", "run.assay", "--agent", agent, "--task", "t1").stdout
        for agent in ("heron", "cuckoo")
    }
    assert "converter:pdf-1 pypdfium2" in told["heron"]
    assert "presentation: cuckoo" in told["cuckoo"]
    assert "converter:" not in told["cuckoo"]
    # Converted again the reports are the same: the run resumes, and replays without the files.
    assert deepassay(*command).returncode == 0
    for path in reports.rglob("t1.*"):
        path.unlink()
    assert deepassay("replay", "run.assay").returncode == 0


@pytest.mark.usefixtures("converted_here")
def test_convert_writes_what_is_evaluated_under_the_same_names(
    deepassay: Run, reports: Path
) -> None:
    done = deepassay("convert", reports, "-o", "markdown")
    wrote, left = done.stderr.splitlines()
    assert (done.returncode, wrote) == (0, "Wrote 2 of 2 reports to markdown")
    assert left.startswith("1 file in reports/cuckoo needs no conversion and was left there: ")
    text = Path("markdown/heron/t1.md").read_text(encoding="utf-8")
    assert text == deepassay("convert", "reports/heron/t1.pdf").stdout
    assert "# Terraces\n\nAwnings help [[1]](https://one.example/a)\n\n# Sources\n" in text
    assert Path("markdown/magpie/t1.md").exists()
    Path("markdown/magpie/t1.md").write_text("Corrected by hand.\n")
    again = deepassay("convert", reports, "-o", "markdown")
    assert again.returncode == 2
    assert "is there and differs. It was not touched.\n" in again.stderr
    assert deepassay("convert", reports, "-o", "markdown", "--force").returncode == 0


@pytest.mark.usefixtures("converted_here")
def test_convert_says_which_reports_it_left_so_that_no_agent_is_lost(
    deepassay: Run, reports: Path
) -> None:
    for name in ("cuckoo/t2.txt", "owl/t1.markdown", "owl/README.md", "heron/.notes.md"):
        (reports / name).parent.mkdir(exist_ok=True)
        (reports / name).write_text("# Terraces\n\nPlants help.\n")
    done = deepassay("convert", reports, "-o", "markdown")
    assert done.stderr.splitlines()[1:] == [
        "3 files in reports/cuckoo, reports/owl need no conversion and were left there: "
        "name them beside markdown to evaluate all."
    ]
    printed = deepassay("convert", "reports/heron", "reports/owl")
    assert printed.stdout.startswith("# Terraces")
    assert printed.stderr == "1 file in reports/owl needs no conversion and was left there.\n"
    (reports / "cuckoo").rename("cuckoo")
    (reports / "owl").rename("owl")
    done = deepassay("convert", reports, "-o", "markdown")
    assert done.stderr == "Wrote 2 of 2 reports to markdown\n"


def test_one_broken_document_does_not_cost_the_others(deepassay: Run, reports: Path) -> None:
    (reports / "heron" / "t0.pdf").write_bytes(b"%PDF-1.7 broken")
    done = deepassay("convert", reports, "-o", "markdown")
    assert done.returncode == 2
    assert "reports/heron/t0.pdf: it is damaged, or no PDF.\n" in done.stderr
    assert "Wrote 2 of 3 reports to markdown\n" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("reports",), "2 documents cannot be written to standard output"),
        (("reports", "-o", "reports/markdown"), "Name a folder outside of it"),
        (("reports/cuckoo",), "There is none of HTML, PDF, DOCX, JSON"),
        (("reports/cuckoo/t1.md",), "none of HTML, PDF, DOCX, JSON"),
        (("nowhere.pdf",), "there is no such file"),
    ],
)
def test_what_cannot_be_converted_is_said_with_a_remedy(
    deepassay: Run, reports: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert reports.exists()
    done = deepassay("convert", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("converted_here")
def test_clean_statements_and_lint_read_documents(deepassay: Run, reports: Path) -> None:
    for name in ("reports/heron/t1.pdf", "reports/magpie/t1.docx"):
        assert deepassay("clean", name).stdout.startswith("# Terraces\n\nAwnings help")
        assert "one.example" not in deepassay("clean", name).stdout
        first = json.loads(deepassay("statements", name).stdout.splitlines()[0])
        assert first["urls"] == ["https://one.example/a"]
    done = deepassay("lint", reports)
    assert done.returncode in (0, 1)
    assert "3 reports" in done.stdout


@pytest.mark.usefixtures("converted_here")
def test_lint_repairs_no_document(deepassay: Run) -> None:
    listed = ("Sources", "[1] One: https://one.example/a", "[3] Three: https://three.example/c")
    body = docx(
        paragraph("Calls help a lot [3]."),
        paragraph(listed[0], style="heading 1"),
        *map(paragraph, listed[1:]),
    )
    Path("a.docx").write_bytes(body)
    Path("a.md").write_text(deepassay("convert", "a.docx").stdout)
    deepassay("lint", "a.md", "--fix")
    assert "one.example" not in Path("a.md").read_text()
    done = deepassay("lint", "a.docx", "--fix")
    assert done.returncode == 2
    assert "only Markdown is repaired" in done.stderr
    assert "deepassay convert" in done.stderr
    assert Path("a.docx").read_bytes() == body
