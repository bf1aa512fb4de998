"""The file of what people decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepassay.errors import BadTasks
from deepassay.wings.people.agreement.decisions import Decisions
from deepassay.wings.people.agreement.people_files import read_decisions, read_rubric_verdicts


def read(folder: Path, *lines: str, head: str = "agent,task,rater,sample,score,verdict"):
    path = folder / "people.csv"
    path.write_text("\n".join([head, *lines]), encoding="utf-8")
    return read_decisions(path)


def test_a_row_may_hold_a_score_a_verdict_or_both(tmp_path):
    found: Decisions = read(tmp_path, "a,t,p,,7.5,", "b,t,p,2,,win", "c,t,p,,3,loss")
    assert [(d.sample, d.score, d.verdict) for d in found.usable] == [
        *((1, 7.5, None), (2, None, "win"), (1, 3.0, "loss")),
    ]
    assert not found.problems


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a,t,p,,many,", "score 'many' is no number"),
        ("a,t,p,,nan,", "is no finite number"),
        ("a,t,p,,-1e308,", "is larger than any scale has"),
        ("a,t,p,,1e999,", "is no finite number"),
        ("a,t,p,0x1,5,", "sample '0x1' is no number"),
        ("a,,p,,5,", "task missing"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_and_left_out(tmp_path, line, said):
    found = read(tmp_path, "z,t,p,,1,", line)
    assert len(found.usable) == 1
    assert found.problems[0].startswith("people.csv, line 3: ")
    assert said in found.problems[0]


DECISIONS = "agent,task,rater,score,verdict"


def read_files(folder: Path, *files: list[str]) -> Decisions:
    """Each file by the rows that it has."""
    paths = [folder / f"{at}.csv" for at in range(len(files))]
    for path, rows in zip(paths, files, strict=True):
        path.write_text("\n".join([DECISIONS, *rows]) + "\n", encoding="utf-8")
    return read_decisions(*paths)


def test_what_overlapping_exports_repeat_counts_once_and_is_no_fault(tmp_path):
    rows = ["a,t,p,8,", "a,u,p,,yes", "b,t,q,3,win"]
    found = read_files(tmp_path, rows, rows[:2], ["a,t,p,8.0,", "a,u,p,,Met", "b,t,p,1,"])
    assert [(d.agent, d.task, d.rater) for d in found.usable] == [
        *(("a", "t", "p"), ("a", "u", "p"), ("b", "t", "q"), ("b", "t", "p")),
    ]
    assert (found.problems, found.otherwise, found.came) == ((), (), 8)
    assert tuple(each.told for each in found.again) == tuple(
        f"{file}.csv, line {line}: p has decided the same already (0.csv, line {line})."
        for file in (1, 2)
        for line in (2, 3)
    )
    joined = found.joined(found.usable, found.usable, ())
    assert (joined.whole, joined.mostly_lost, joined.used) == (True, False, 4)


def test_a_second_decision_that_contradicts_the_first_is_not_used_and_no_stray(tmp_path):
    found = read_files(tmp_path, ["a,t,p,8,", "a,u,p,,yes"], ["a,t,p,7,", "a,u,p,,no"])
    assert [(d.score, d.verdict) for d in found.usable] == [(8.0, None), (None, "yes")]
    assert tuple(each.told for each in found.otherwise) == tuple(
        f"1.csv, line {line}: p has decided on this already (0.csv, line {line})."
        for line in (2, 3)
    )
    joined = found.joined(found.usable, found.usable, ())
    assert (joined.whole, joined.strays, joined.matched, joined.used) == (False, [], 4, 2)


def test_second_decisions_on_what_a_run_does_not_have_are_lost_as_the_first_are(tmp_path):
    found = read_files(tmp_path, ["a,t,p,8,", "a,u,p,7,"], ["a,t,p,8,", "a,u,p,1,"], ["b,t,p,2,"])
    known = found.usable[2:]
    joined = found.joined(known, known, ())
    assert (joined.came, joined.matched, joined.used, joined.mostly_lost) == (5, 1, 1, True)


@pytest.mark.parametrize(("score", "otherwise"), [("8", 0), ("7", 1)])
def test_score_and_verdict_of_a_row_are_kept_each_by_itself(tmp_path, score, otherwise):
    found = read_files(tmp_path, ["a,t,p,8,", "b,t,p,,win"], [f"a,t,p,{score},win", "b,t,p,5,win"])
    assert [(d.agent, d.score, d.verdict) for d in found.usable] == [
        *(("a", 8.0, None), ("b", None, "win"), ("a", None, "win"), ("b", 5.0, None)),
    ]
    assert (len(found.otherwise), found.again) == (otherwise, ())


@pytest.mark.parametrize("blank", [["a,t,q,,", "a,u,q,,"], []])
def test_a_file_that_nobody_has_filled_in_is_named_and_the_others_count(tmp_path, blank):
    found = read_files(tmp_path, blank, ["a,t,p,8,"], blank)
    assert [each.rater for each in found.usable] == ["p"]
    assert found.remarks == tuple(
        f"{tmp_path / name} has no scores and no verdicts yet." for name in ("0.csv", "2.csv")
    )
    (tmp_path / "2.csv").write_bytes(b"")
    assert len(read_decisions(*(tmp_path / f"{at}.csv" for at in (1, 2))).blank) == 1
    with pytest.raises(BadTasks, match=r"0\.csv, .*2\.csv holds no"):
        read_decisions(tmp_path / "0.csv", tmp_path / "2.csv")


def test_rows_without_a_decision_are_no_decisions_and_no_problem(tmp_path):
    found = read(tmp_path, "a,t,p,,1,", "a,t,q,,,")
    assert ([each.rater for each in found.usable], found.problems) == (["p"], ())


@pytest.mark.parametrize("sample", ["0", "000", "-1", "1.5", "²"])
def test_a_sample_is_a_number_from_1_on(tmp_path, sample):
    path = tmp_path / "people.csv"
    path.write_text(f"agent,task,criterion,verdict,sample\nheron,a,year,met,{sample}\n", "utf-8")
    with pytest.raises(BadTasks, match="no number from 1 on"):
        read_rubric_verdicts(path)
