"""Every numbered table and figure of the four papers is a result, or said to be none."""

from itertools import chain

import pytest

from deepassay.errors import BadSetting
from deepassay.wings.papers.declared import NO_RESULTS, TABLES, declared_table

NUMBERED = {
    "bench": (11, 4),
    "live": (13, 22),
    "rubrics": (10, 19),
    "arena": (6, 4),
}
"""How many tables and how many figures each paper has."""


def test_all_of_them_are_declared_once():
    every = {
        f"{paper}:{kind}{number}"
        for paper, counts in NUMBERED.items()
        for kind, count in zip(("table", "figure"), counts, strict=True)
        for number in range(1, count + 1)
    }
    assert set(chain(TABLES, NO_RESULTS)) == every
    assert not set(TABLES) & set(NO_RESULTS)


def test_why_there_is_no_result_is_one_word():
    assert all(word.isalpha() for word in NO_RESULTS.values())


def test_the_page_of_the_papers_lists_every_one(repository):
    page = (repository / "docs" / "papers.md").read_text("utf-8")
    named = page[page.index("## Tables and figures") :]
    lines = [line.split("|")[1:-1] for line in named.split("\n") if line.startswith("| `")]
    commands = {cells[0].strip(" `"): cells[1:] for cells in lines}
    for name, table in TABLES.items():
        what, _, test = (cell.strip() for cell in commands[name])
        assert what == table.title, name
        path, _, test_name = test.strip("`").partition("::")
        assert f"def {test_name}(" in (repository / path).read_text("utf-8"), name
    others = " ".join(named.split())
    for name, word in NO_RESULTS.items():
        assert f"`{name}` {word}" in others, name


def test_what_is_not_there_is_refused_with_what_is():
    assert declared_table(" Bench:Table1 ") is TABLES["bench:table1"]
    with pytest.raises(BadSetting, match=r"holds no results \(diagram\)"):
        declared_table("bench:figure2")
    with pytest.raises(BadSetting) as caught:
        declared_table("live:table99")
    assert "live:table7" in caught.value.remedy
    assert "bench" not in caught.value.remedy
