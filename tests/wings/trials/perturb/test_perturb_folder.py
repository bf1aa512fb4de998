"""Perturbed reports in a folder are read back as agents of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deepassay.errors import BadReports
from deepassay.reports.loaders import load_reports
from deepassay.score import Direction
from deepassay.wings.trials.effects import EFFECTS, by_perturbation
from deepassay.wings.trials.perturb import PERTURBATIONS, as_text, perturb, random_for
from deepassay.wings.trials.perturb.folder import CHANGES, PerturbedSet, write_perturbed

from .test_perturb import CHINESE, ENGLISH

ALL = tuple(PERTURBATIONS)
EXPECTED = {"pad": {"race": Direction.NOT_HIGHER}}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Two agents in both layouts, one of them with several answers to a task."""
    folder = tmp_path / "reports"
    write(folder / "heron" / "swifts.md", ENGLISH)
    write(folder / "heron" / "roofs" / "answer_1.md", ENGLISH)
    write(folder / "heron" / "roofs" / "answer_2.md", CHINESE)
    rows = [{"id": "qid_answer_7", "article": CHINESE}, {"id": "readme", "article": ENGLISH}]
    write(folder / "stork.raw.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return folder


def changes(folder: Path) -> dict[str, dict[str, object]]:
    return {row["file"]: row for row in json.loads((folder / CHANGES).read_text())}


def test_every_changed_report_is_read_as_that_of_its_own_agent(
    reports: Path, tmp_path: Path
) -> None:
    out = tmp_path / "changed"
    written = write_perturbed([reports], out, PerturbedSet(ALL))
    assert written.reports == 5
    assert written.changed == dict.fromkeys(ALL, 5)
    read = {(each.agent, each.task, each.sample): each.text for each in load_reports([out])}
    wanted = {}
    for report in load_reports([reports]):
        for name in ALL:
            done = perturb(report, name, random_for(1, report, name))
            assert done is not None
            key = f"{report.agent}+{name}", report.task, report.sample
            wanted[key] = done.report.text
    assert read == wanted
    assert len(load_reports([reports, out])) == 5 * (1 + len(ALL))


def test_what_was_changed_where_is_told_of_every_file(reports: Path, tmp_path: Path) -> None:
    out = tmp_path / "changed"
    write_perturbed([reports], out, PerturbedSet(ALL, seed=4, share=0.3, expected=EXPECTED))
    told = changes(out)
    assert {str(path.relative_to(out)) for path in out.rglob("*.md")} == set(told)
    originals = {(each.agent, each.task, each.sample): each for each in load_reports([reports])}
    for file, row in told.items():
        original = originals[row["original"]["agent"], row["task"], row["sample"]]  # type: ignore[index]
        result = (out / file).read_text()
        perturbation = PERTURBATIONS[str(row["perturbation"])]
        assert row["share"] == (None if perturbation.share is None else 0.3)
        assert row["seed"] == 4
        wanted = EXPECTED if perturbation.name == "pad" else {}
        assert row["expected"] == wanted.get("pad", {})
        at = shift = 0
        for change in row["changes"]:  # type: ignore[attr-defined]
            (start, end), (begin, after) = change["span"], change["place"]
            assert original.text[at:start] == result[at + shift : begin]
            assert original.text.count("\n", 0, start) == change["line"] - 1
            at, shift = end, after - end
        assert original.text[at:] == result[at + shift :]


def test_a_second_run_changes_nothing_and_another_adds(reports: Path, tmp_path: Path) -> None:
    out = tmp_path / "changed"
    write_perturbed([reports], out, PerturbedSet(["pad"]))
    first = {path: path.stat().st_mtime_ns for path in out.rglob("*.md")}
    write_perturbed([reports], out, PerturbedSet(["pad"]))
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.md")} == first
    write_perturbed([reports], out, PerturbedSet(["drop-section"]))
    assert {row["perturbation"] for row in changes(out).values()} == {"pad", "drop-section"}
    assert len(changes(out)) == 10
    assert not [path for path in out.rglob("*") if path.name.endswith(".new")]


def test_a_file_that_differs_is_overwritten_only_if_told(reports: Path, tmp_path: Path) -> None:
    out = tmp_path / "changed"
    write_perturbed([reports], out, PerturbedSet(["pad"]))
    file = out / "heron+pad" / "swifts.md"
    file.write_text("my own")
    with pytest.raises(BadReports, match=r"swifts\.md is there and differs"):
        write_perturbed([reports], out, PerturbedSet(["pad"]))
    assert file.read_text() == "my own"
    write_perturbed([reports], out, PerturbedSet(["pad"], force=True))
    assert file.read_text() != "my own"


def test_what_cannot_be_named_written_or_changed_is_refused(reports: Path, tmp_path: Path) -> None:
    with pytest.raises(BadReports, match="whose reports are read"):
        write_perturbed([reports], reports / "changed", PerturbedSet(ALL))
    odd = tmp_path / "odd.jsonl"
    for name in ("a/b", ".hidden", "..", "x" * 300):
        write(odd, json.dumps({"id": name, "article": ENGLISH}))
        with pytest.raises(BadReports, match="no file can be named after"):
            write_perturbed([odd], tmp_path / "out", PerturbedSet(["pad"]))
    write(odd, json.dumps({"id": "a", "article": ""}))
    with pytest.raises(BadReports, match="nothing in these reports"):
        write_perturbed([odd], tmp_path / "out", PerturbedSet(ALL))
    write(odd, json.dumps({"id": "a", "article": ENGLISH + "\ud800"}))
    with pytest.raises(BadReports, match="UTF-8"):
        write_perturbed([odd], tmp_path / "out", PerturbedSet(["pad"]))
    write(tmp_path / "out" / CHANGES, "[1]")
    with pytest.raises(BadReports, match="not a list of changes"):
        write_perturbed([reports], tmp_path / "out", PerturbedSet(["pad"]))
    write(tmp_path / "file", "")
    with pytest.raises(BadReports, match="cannot be written"):
        write_perturbed([reports], tmp_path / "file", PerturbedSet(["pad"]))


def expectations() -> str:
    """The expected directions as a Markdown table, as it stands in docs/perturbed-scores.md."""
    expected = by_perturbation()
    protocols = sorted(EFFECTS)
    rows = [
        f"| | {' | '.join(f'`{name}`' for name in protocols)} |",
        f"|---|{'---|' * len(protocols)}",
    ]
    for each in PERTURBATIONS.values():
        cells = " | ".join(expected[each.name].get(name, "") for name in protocols)
        rows.append(f"| {each.name} | {cells} |")
    return "\n".join(rows) + "\n"


def test_the_pages_on_perturbations_hold_the_table_and_every_definition(repository: Path) -> None:
    scores = (repository / "docs" / "perturbed-scores.md").read_text(encoding="utf-8")
    assert expectations() in scores
    page = (repository / "docs" / "perturbations.md").read_text(encoding="utf-8")
    for each in PERTURBATIONS.values():
        assert f"| {each.name} | {each.what} | {each.needs} |" in page
        assert each.name in as_text(by_perturbation())
