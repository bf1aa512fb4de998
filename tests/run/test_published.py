"""Published RACE rows as scores."""

import json

import pytest

from deepassay.errors import BadInput
from deepassay.run.published import scores_of
from deepassay.score import Unscored

ROW = {
    "id": 1, "prompt": "Why?", "comprehensiveness": 0.5, "insight": 0.4,
    "instruction_following": 0.6, "readability": 0.5, "overall_score": 0.51,
}  # fmt: skip


def write(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_files_of_one_agent_are_its_passes(tmp_path):
    first = write(tmp_path / "onyx.run01.jsonl", ROW, ROW | {"id": 2})
    second = write(tmp_path / "onyx.run02.jsonl", ROW | {"overall_score": 0.6})
    alone = write(tmp_path / "claude-3.7.jsonl", ROW)
    found = scores_of([second, alone, first])
    assert [(each.agent, each.task, each.repeat) for each in found] == [
        ("claude-3.7", "1", 0),
        ("claude-3.7", "2", 0),
        ("onyx", "1", 1),
        ("onyx", "2", 1),
        ("onyx", "1", 2),
        ("onyx", "2", 2),
    ]
    assert found[4].outcome.value == 0.6
    assert found[4].outcome.parts["insight"] == 0.4
    assert isinstance(found[5].outcome, Unscored)
    assert "onyx.run02.jsonl has no row" in found[5].outcome.detail
    assert len({each.signature.digest for each in found}) == 1


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([ROW, ROW], "line 2: id is missing, or there a second time"),
        ([{**ROW, "overall_score": "high"}], "line 1: overall_score is not a number"),
        ([{**ROW, "insight": True}], "line 1: insight is not a number"),
        ([{"prompt": "Why?"}], "line 1: id is missing"),
    ],
)
def test_other_rows_are_refused_with_their_line(tmp_path, rows, says):
    with pytest.raises(BadInput, match=says):
        scores_of([write(tmp_path / "onyx.jsonl", *rows)])


def test_one_pass_may_not_count_twice(tmp_path):
    (tmp_path / "other").mkdir()
    files = [write(folder / "onyx.run1.jsonl", ROW) for folder in (tmp_path, tmp_path / "other")]
    with pytest.raises(BadInput, match="are both judgement 1 of onyx"):
        scores_of(files)
