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
        ("z,t,p,,5,", "p has decided on this already (people.csv, line 2)"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_and_left_out(tmp_path, line, said):
    found = read(tmp_path, "z,t,p,,1,", line)
    assert len(found.usable) == 1
    assert found.problems[0].startswith("people.csv, line 3: ")
    assert said in found.problems[0]


def test_rows_without_a_decision_are_no_decisions_and_no_problem(tmp_path):
    found = read(tmp_path, "a,t,p,,1,", "a,t,q,,,")
    assert ([each.rater for each in found.usable], found.problems) == (["p"], ())


@pytest.mark.parametrize("sample", ["0", "000", "-1", "1.5", "²"])
def test_a_sample_is_a_number_from_1_on(tmp_path, sample):
    path = tmp_path / "people.csv"
    path.write_text(f"agent,task,criterion,verdict,sample\nheron,a,year,met,{sample}\n", "utf-8")
    with pytest.raises(BadTasks, match="no number from 1 on"):
        read_rubric_verdicts(path)
