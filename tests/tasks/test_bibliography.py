"""Files of an expert's references: ours, and as published sets have them."""

from __future__ import annotations

import json

import pytest

from deepassay.errors import BadTasks, Notice
from deepassay.tasks.bibliography import BIBLIOGRAPHY_FILE
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.yardsticks import ListedWork


def reference(title, **more):
    return {"bib_id": "x", "title": title, "author": "A. Heron", "meta_info": more}


def write_lines(path, *rows):
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def works(loaded, task):
    return loaded[task].bibliography


def test_a_folder_of_report_bench_has_a_file_for_each_task(tmp_path):
    write_lines(
        tmp_path / "gt" / "2101.01507.jsonl",
        reference("Tides", doi="10.1145/33.44", journal="Harbours"),
        reference("Moons", journal="arXiv preprint arXiv:2003.10477"),
        reference("Suns", eprint="1911.09046", url="https://doi.org/10.1/abc"),
    )
    write_lines(tmp_path / "gt" / "2408.02085.jsonl", reference("Winds"))
    loaded = BIBLIOGRAPHY_FILE.load(tmp_path / "gt")
    assert [*loaded] == ["2101.01507", "2408.02085"]
    tides, moons, suns = works(loaded, "2101.01507")
    assert (tides.title, tides.identifiers) == ("Tides", {"10.1145/33.44"})
    assert moons.identifiers == {"arxiv:2003.10477"}
    assert suns.identifiers == {"arxiv:1911.09046"}  # 10.1 is no registrant


def test_a_file_of_it_alone_is_of_the_task_that_it_is_called_by(tmp_path):
    path = write_lines(tmp_path / "2101.01507.jsonl", reference("Tides"))
    assert [*BIBLIOGRAPHY_FILE.load(path)] == ["2101.01507"]


def test_deep_scholar_s_table_has_a_row_for_each_reference(tmp_path):
    path = tmp_path / "citations.csv"
    head = "parent_paper_arxiv_id,cited_paper_title,cited_paper_arxiv_link,bib_paper_doi"
    rows = ["2506.02838v1,Tides,http://arxiv.org/abs/2312.17172v1,", "2506.02838v1,,,10.2307/22"]
    path.write_text("\n".join([head, *rows, "2506.02839v1,,,", "2506.02839v1,Moons,,"]))
    with pytest.warns(Notice, match="1 of 4 references have neither a title nor an identifier"):
        loaded = BIBLIOGRAPHY_FILE.load(path)
    assert [each.shown for each in works(loaded, "2506.02838v1")] == ["Tides", "doi:10.2307/22"]
    assert works(loaded, "2506.02838v1")[0].identifiers == {"arxiv:2312.17172"}
    assert [each.title for each in works(loaded, "2506.02839v1")] == ["Moons"]


def test_ours_are_entries_or_rows(tmp_path):
    path = tmp_path / "b.yaml"
    path.write_text('- id: t\n  bibliography: [Tides, {arxiv: "2104.01234"}]\n')
    tides, other = works(BIBLIOGRAPHY_FILE.load(path), "t")
    assert tides == ListedWork(title="Tides") and other.identifiers == {"arxiv:2104.01234"}
    rows = tmp_path / "b.csv"
    rows.write_text("id,title,doi\nt,Tides,\nt,Moons,10.1145/33.44\n")
    _, moons = works(BIBLIOGRAPHY_FILE.load(rows), "t")
    assert moons.identifiers == {"10.1145/33.44"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- id: t\n  bibliography: []\n", r"b.yaml, line 2 \(task t\): bibliography: is empty"),
        ("- id: t\n  bibliography: [{title: ''}]\n", "has neither a title nor a DOI"),
        ("- id: t\n  bibliography: [{name: Tides}]\n", r"bibliography\[1\].name: unknown field"),
        ("- id: t\n  bibliography: [7]\n", "is not a mapping"),
        ("- bibliography: [Tides]\n", "field 'id' must be a text or a whole number"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path, text, problem):
    path = tmp_path / "b.yaml"
    path.write_text(text)
    with pytest.raises(BadTasks, match=problem):
        BIBLIOGRAPHY_FILE.load(path)


def test_a_reference_of_another_kind_is_refused(tmp_path):
    path = write_lines(tmp_path / "gt" / "7.jsonl", reference("Tides"), reference(7))
    with pytest.raises(BadTasks, match=r"7.jsonl, line 2: field 'title': is not a text"):
        BIBLIOGRAPHY_FILE.load(path)


def test_they_are_no_tasks(tmp_path):
    path = write_lines(tmp_path / "2101.01507.jsonl", reference("Tides"))
    with pytest.raises(BadTasks, match="these are references of an expert, which say no prompts"):
        load_tasks(path)
