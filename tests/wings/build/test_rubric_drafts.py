"""Files of drafts: what is read, written, and refused."""

import pytest

from deepassay.errors import BadTasks
from deepassay.tasks.task import Task
from deepassay.wings.build.authoring.rubric_drafts import (
    DRAFT_FILE,
    begun,
    with_edits,
    write_drafts,
)

RUBRIC = """\
rubric:
    - id: c1
      criterion: Names a grant.
      weight: 4
  """
WHOLE = f"""\
- id: hedges
  prompt: Who pays for hedges?
  language: en
  proposer: ana
  reviewer: bo
  final: cy
  stage: revise
  {RUBRIC}open:
    - of: c1
      said: drop
      comment: too easy
"""
WRONG = [
    ("three people", "reviewer: bo", "reviewer: ana", "are three people"),
    ("a name with a comma", "reviewer: bo", "reviewer: bo, dee", "without commas"),
    ("a name that is kept", "id: c1", "id: missing", "cannot have the identifier 'missing'"),
    ("a name of what is open", "id: c1", "id: open/c1", "cannot have the identifier 'open/c1'"),
    ("open about nothing", "of: c1", "of: c9", "there is no criterion 'c9' to drop"),
    ("a change to nothing", "said: drop", "said: change", "no words for what is changed"),
    ("an addition without weight", "said: drop", "said: add\n      criterion: x", "no weight for"),
    ("nothing to review", RUBRIC, "", "there is nothing to revise"),
    ("open twice", "open:\n", "open:\n    - {of: c1, said: drop}\n", "c1 is open twice"),
    ("an unknown field", "of: c1", "of: c1\n      who: bo", "unknown field"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "before", "after", "words"), WRONG, ids=[e[0] for e in WRONG])
def test_what_cannot_go_on_is_refused_by_name(tmp_path, title, before, after, words):
    file = tmp_path / "drafts.yaml"
    file.write_text(WHOLE)
    assert DRAFT_FILE.load(file)["hedges"].whose == "ana"
    assert before in WHOLE
    file.write_text(WHOLE.replace(before, after, 1))
    with pytest.raises(BadTasks, match=words) as error:
        DRAFT_FILE.load(file)
    assert "hedges" in str(error.value) and "drafts.yaml, line" in str(error.value)


@pytest.mark.parametrize("name", ["drafts.yaml", "drafts.jsonl"])
def test_drafts_come_back_as_they_were_written(tmp_path, name):
    rubric = [
        {"id": "c1", "criterion": "A\u00a0grant:  'one', \"two\"  \n# three\u2028", "weight": 2.5},
        {"id": "c2", "criterion": "指出：“资助”的来源。", "weight": -1.0, "axis": "隐含要求"},
    ]  # fmt: skip
    task = Task.model_validate({"id": "hedges", "prompt": "Who:\n- pays? ", "rubric": rubric})
    drafts = {"hedges": begun(task, ("ana", "no", "1"), "lee")}
    file = tmp_path / name
    write_drafts(file, drafts)
    assert dict(DRAFT_FILE.load(file)) == drafts
    assert with_edits(drafts["hedges"], "lee") == drafts["hedges"]
