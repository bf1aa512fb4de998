"""`lint --papers` and `--crossref`: titles are looked up only where the user wants it."""

from __future__ import annotations

from pathlib import Path

from deepassay.run.asking import papers

TITLE = "Measuring the Tides of Shallow Northern Harbours"
REPORT = (
    "Tides [1]. Essays [2].\n\n## References\n\n"
    "[1] Miller. Measuring the tides of shallow northern harbours. doi:10.1000/tides.19\n"
    "[2] Smith. Neural networks for the grading of school essays. doi:10.1000/tides.19\n"
)


def test_lint_looks_nothing_up_unless_it_is_asked_to(deepassay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def never(*given, **named):
        raise AssertionError("a registry is asked")

    monkeypatch.setattr(papers, "registered_titles", never)
    Path("report.md").write_text(REPORT)
    done = deepassay("lint", "report.md")
    assert "DA404" not in done.stdout and not Path("papers.assay").exists()
    Path("papers.csv").write_text(f"doi,title\n10.1000/tides.19,{TITLE}\n")
    done = deepassay("lint", "report.md", "--papers", "papers.csv")
    assert "report.md:6:1 DA404 10.1000/tides.19 is another paper" in done.stdout
    assert "of 1 papers that are named, 1 have a title" in done.stderr
    assert done.returncode == 1


def test_lint_asks_for_what_the_file_does_not_have(deepassay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = []

    def answer(identifiers, snapshots):
        asked.append((list(identifiers), snapshots))
        return dict.fromkeys(identifiers, TITLE)

    monkeypatch.setattr(papers, "registered_titles", answer)
    Path("report.md").write_text(
        REPORT + "[3] Other, words about fishing boats and heavy rain. doi:10.1000/x\n"
    )
    Path("papers.csv").write_text(f"doi,title\n10.1000/tides.19,{TITLE}\n")
    given = ("--papers", "papers.csv", "--crossref", "--snapshots", "kept.assay")
    done = deepassay("lint", "report.md", *given)
    assert asked == [(["10.1000/x"], Path("kept.assay"))]
    assert done.stdout.count("DA404") == 2
