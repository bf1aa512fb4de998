"""JudgmentBench, as its folder is published: answers of models, and what lawyers said of them.

`outputs/outputs.csv` has the answers, `base/tasks.csv` the tasks, `base/rubric_items.csv` the
criteria, `human/` which of two answers each rater prefers and which criteria an answer meets.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from deepassay.intake.rows import InputRow
from deepassay.tasks.labelled import LabelledAnswers, Side, bad_downloaded_field, labelled_text
from deepassay.tasks.rows import read_rows
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion


def preferred_answers(folder: Path) -> list[LabelledAnswers]:
    """Each two answers that somebody compared, with what all raters said.

    Raises BadTasks naming file, line and field.
    """
    outputs, tasks = _outputs(folder), _by(folder / "base" / "tasks.csv", "task_id")
    found: dict[tuple[str, str], LabelledAnswers] = {}
    for row in read_rows(folder / "human" / "annotations_comparative_judgment.csv"):
        if not row.cells.get("preferred_output_id"):
            continue  # nobody has said
        names = [labelled_text(row, f"option_{side}_output_id") for side in "ab"]
        preferred = labelled_text(row, "preferred_output_id")
        if preferred not in names:
            raise bad_downloaded_field(row, "preferred_output_id", "is neither of the two options")
        for side, name in zip("ab", names, strict=True):
            if name not in outputs:
                raise bad_downloaded_field(row, f"option_{side}_output_id", "is not in outputs.csv")
        one, other = sorted(names)
        task = labelled_text(outputs[one], "task_id")
        if (one, other) not in found:
            found[one, other] = LabelledAnswers(
                row.place,
                _request(_known(outputs[one], "task_id", tasks)),
                labelled_text(outputs[one], "output_text"),
                labelled_text(outputs[other], "output_text"),
                (),
                task,
            )
        said: Side = "first" if preferred == one else "second"
        known = found[one, other]
        found[one, other] = replace(known, people=(*known.people, said))
    return list(found.values())


class GradedAnswer(NamedTuple):
    """An answer, its task with the rubric, and of each criterion whether raters found it met.

    level: how good it was made to be. number: among the answers of this level to the task, from 1.
    """

    level: str
    number: int
    text: str
    task: Task
    met: dict[str, bool]


def graded_answers(folder: Path) -> list[GradedAnswer]:
    """Every answer that somebody graded by the rubric; of several raters, what most say.

    A criterion whose points are taken away for each occurrence is met if it occurs. Raises BadTasks
    naming file, line and field.
    """
    outputs, tasks = _outputs(folder), _by(folder / "base" / "tasks.csv", "task_id")
    items: dict[str, list[InputRow]] = {}
    for row in read_rows(folder / "base" / "rubric_items.csv"):
        items.setdefault(labelled_text(row, "task_id"), []).append(row)
    annotations = _by(folder / "human" / "annotations_rubric.csv", "annotation_id")
    votes: dict[str, dict[str, list[bool]]] = {}
    for row in read_rows(folder / "human" / "rubric_item_scores.csv"):
        graded = _known(row, "annotation_id", annotations)
        met = _number(row, "raw_value") > 0
        own = votes.setdefault(_name(graded, "output_id", outputs), {})
        own.setdefault(labelled_text(row, "rubric_item_id"), []).append(met)
    made = {name: _task(_known(own[0], "task_id", tasks), own) for name, own in items.items()}
    counts: Counter[tuple[str, str]] = Counter()
    found = []
    for name, said in votes.items():
        answer = outputs[name]
        task, level = (
            made[labelled_text(answer, "task_id")],
            answer.cells.get("quality_level") or "any",
        )
        counts[task.id, level] += 1
        decided = {
            item: sum(own) * 2 > len(own) for item, own in said.items() if sum(own) * 2 != len(own)
        }
        found.append(
            GradedAnswer(
                level, counts[task.id, level], labelled_text(answer, "output_text"), task, decided
            )
        )
    return found


def _task(task: InputRow, items: list[InputRow]) -> Task:
    criteria = tuple(
        Criterion(
            id=labelled_text(row, "rubric_item_id"),
            criterion=labelled_text(row, "label"),
            weight=_number(row, "weight"),
            axis=row.cells.get("section") or "none",
        )
        for row in items
    )
    return Task(id=labelled_text(task, "task_id"), prompt=_request(task), rubric=criteria)


def _outputs(folder: Path) -> dict[str, InputRow]:
    return _by(folder / "outputs" / "outputs.csv", "output_id")


def _by(path: Path, field: str) -> dict[str, InputRow]:
    return {labelled_text(row, field): row for row in read_rows(path)}


def _name(row: InputRow, field: str, rows: dict[str, InputRow]) -> str:
    """A name of a row in another file."""
    _known(row, field, rows)
    return labelled_text(row, field)


def _known(row: InputRow, field: str, rows: dict[str, InputRow]) -> InputRow:
    if (name := labelled_text(row, field)) not in rows:
        raise bad_downloaded_field(row, field, f"{name!r} is in no other file of the folder")
    return rows[name]


def _request(task: InputRow) -> str:
    """What was asked, in whichever column it stands."""
    for name in ("prompt", "task_prompt", "instructions", "task"):
        if task.cells.get(name):
            return task.cells[name]
    raise bad_downloaded_field(task, "prompt", "is missing")


def _number(row: InputRow, field: str) -> float:
    try:
        number = float(labelled_text(row, field))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise bad_downloaded_field(row, field, "is no number")
    return number
