"""Tables of one's own with a row for each verdict of a person: report, criterion, verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import BadTasks
from deepassay.intake.rows import InputRow, same_words
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.results.joined import Joined
from deepassay.results.weighing import NOT, SATISFIED
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion
from deepassay.wings.people.agreement.graded_set import ANSWER, YES_NO, GradedSet, OnCriterion
from deepassay.wings.people.agreement.people_files import WORDS
from deepassay.wings.people.agreement.rubrics import CriterionPlace, named_criterion

UNTOLD: Final = {"en": "Not stated.", "zh": "未说明。"}
"""What was asked, where a table does not say it."""

OWN_COLUMNS: Final = (
    "Columns: report (its text, or a file beside the table), criterion, verdict (met, partial, not "
    "met); and if needed prompt, kind, rater, agent, task."
)


def own_set(path: Path, rows: Sequence[InputRow]) -> GradedSet:
    """A table with a row for each verdict: report, criterion, verdict."""
    criteria: defaultdict[CriterionPlace, list[tuple[InputRow, str, str]]] = defaultdict(list)
    reports: dict[tuple[str, str, str], Report] = {}
    prompts: dict[str, str] = {}
    ids: defaultdict[str, dict[str, str]] = defaultdict(dict)
    answers: Counter[str] = Counter()
    for row in rows:
        fields = row.cells
        lacking = [name for name in ("report", "criterion", "verdict") if not fields.get(name)]
        if lacking:
            raise BadTasks(f"{row.place}: {', '.join(lacking)} missing.", OWN_COLUMNS)
        word = WORDS.get(fields["verdict"].lower())
        if word is None:
            raise BadTasks(f"{row.place}: {fields['verdict']!r} is no verdict.", OWN_COLUMNS)
        text, agent = _text_of(path, fields["report"]), fields.get("agent") or ANSWER
        key = fields.get("task", ""), agent, text
        if key not in reports:
            task = fields.get("task") or f"report-{len(reports) + 1}"
            answers[task] += 1
            number = answers[task]
            reports[key] = Report(text, agent, task if number == 1 else f"{task}#{number}")
            prompts[reports[key].task] = fields.get("prompt", "")
        task = reports[key].task
        name = ids[task].setdefault(same_words(fields["criterion"]), f"c{len(ids[task]) + 1}")
        place = CriterionPlace(agent, task, 1, name)
        rater = fields.get("rater", "")
        if any(rater == other for _, other, _ in criteria[place]):
            raise BadTasks(
                f"{row.place}: {rater or 'somebody'} has decided on this criterion of this report "
                f"already ({criteria[place][0][0].place}).",
                "Give one verdict of each rater, named in the column rater.",
            )
        criteria[place].append((row, rater, word))
    labels = {
        place: OnCriterion(
            own[0][0].cells["criterion"],
            tuple(word for _, _, word in own),
            own[0][0].cells.get("kind", ""),
        )
        for place, own in criteria.items()
    }
    divided = [
        f"{named_criterion(place)}: raters are divided."
        for place, each in labels.items()
        if each.together is None
    ]
    binary = all(word in (SATISFIED, NOT) for each in labels.values() for word in each.people)
    rubrics: defaultdict[str, list[Criterion]] = defaultdict(list)
    for place, each in labels.items():
        line = Criterion(id=place.criterion, criterion=each.text, weight=1, axis=each.kind)
        rubrics[place.task].append(line)
    return GradedSet(
        path.name,
        tuple(_own_task(each, prompts[each.task], rubrics[each.task]) for each in reports.values()),
        tuple(reports.values()),
        labels,
        Joined("criteria that people decided on", "verdicts", len(labels), (), divided),
        YES_NO if binary else "rubrics",
    )


def _own_task(report: Report, prompt: str, rubric: Sequence[Criterion]) -> Task:
    """The task of a report; where nobody says what was asked, in the language of the report."""
    task = Task(id=report.task, prompt=prompt or report.text[:200], rubric=tuple(rubric))
    return task if prompt else task.model_copy(update={"prompt": UNTOLD[task.language]})


def _text_of(table: Path, cell: str) -> str:
    """A report: the text of a cell, or of the file beside the table that it names."""
    if "\n" not in cell and len(cell) < 250 and (table.parent / cell).is_file():
        ((report, *_), *_) = [load_reports([table.parent / cell])]
        return report.text
    return cell
