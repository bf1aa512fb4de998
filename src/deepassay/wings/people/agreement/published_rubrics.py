"""What people said of criteria, as published: JudgmentBench, RuVerBench, and tables of one's own.

A set is answers with the criteria that people decided on. A judge is asked about just these, or its
verdicts are taken from a run, or from a file in RuVerBench's layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from deepassay.errors import BadReports, BadTasks
from deepassay.files import json_object
from deepassay.intake.rows import InputRow, same_words
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.results.evidence import EvidenceItem
from deepassay.results.joined import Joined
from deepassay.results.records import UNKNOWN, Judged
from deepassay.results.weighing import MERITS, NOT, SATISFIED
from deepassay.runfile.schema import is_database
from deepassay.score import Score, Signature
from deepassay.tasks.judgment_bench import graded_answers
from deepassay.tasks.labelled import bad_downloaded_field, labelled_text
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rows import as_bad_tasks, read_rows
from deepassay.tasks.set_tables import set_named
from deepassay.tasks.task import Task
from deepassay.wings.people.agreement.graded_set import ANSWER, YES_NO, GradedSet, OnCriterion
from deepassay.wings.people.agreement.own_rubrics import own_set
from deepassay.wings.people.agreement.people_files import WORDS, read_rubric_verdicts
from deepassay.wings.people.agreement.rubrics import CriterionPlace

# ------------------------------------------------------------------ which file is which


def graded_set(path: Path, reports: Sequence[Path] = ()) -> GradedSet:
    """The set that a folder or a file holds; one without tasks where they are those of runs.

    reports: of RuVerBench, where the answers are, if not beside the labels. Raises BadTasks and
    BadReports, naming file, line and field.
    """
    if path.is_dir() and (path / "outputs" / "outputs.csv").exists():
        return _judgment_bench(path)
    if path.is_dir():
        (path,) = _one_file(path)
    rows = read_rows(path)
    if any(_are_verdicts(row) for row in rows[:50]):
        return _ruverbench(path, rows, reports)
    if any("report" in row.fields for row in rows[:50]):
        return own_set(path, rows)
    verdicts = read_rubric_verdicts(path)
    labels = {place: OnCriterion("", (word,)) for place, word in verdicts.items()}
    return GradedSet(path.name, (), (), labels, Joined("verdicts", "criteria", len(labels)))


def _one_file(folder: Path) -> list[Path]:
    """The one file of labels in a folder of RuVerBench."""
    there = sorted(each for each in folder.glob("*labels*.json") if each.is_file())
    found = [each for each in there if any(map(_are_verdicts, read_rows(each)[:50]))]
    if len(found) != 1:
        names = ", ".join(each.name for each in found) or "none"
        raise BadTasks(
            f"{folder} is neither JudgmentBench's folder nor RuVerBench's: files of labels in it: "
            f"{names}.",
            "Name the file of labels, or a folder with outputs/outputs.csv.",
        )
    return found


# ------------------------------------------------------------------ JudgmentBench


def _judgment_bench(folder: Path) -> GradedSet:
    graded = graded_answers(folder)
    tasks = {each.task.id: each.task for each in graded}
    texts = {task.id: {item.id: item.criterion for item in task.rubric} for task in tasks.values()}
    labels = {
        CriterionPlace(each.level, each.task.id, each.number, item): OnCriterion(
            texts[each.task.id].get(item, ""), (SATISFIED if met else NOT,)
        )
        for each in graded
        for item, met in each.met.items()
    }
    return GradedSet(
        "JudgmentBench",
        tuple(tasks.values()),
        tuple(Report(each.text, each.level, each.task.id, each.number) for each in graded),
        labels,
        Joined("verdicts of people", "criteria", len(labels)),
    )


# ------------------------------------------------------------------ RuVerBench


def _are_verdicts(row: InputRow) -> bool:
    result = row.fields.get("result")
    return isinstance(result, Mapping) and "coverage_results" in result


def _points(row: InputRow) -> Iterator[tuple[str, str, str | None]]:
    """Task, wording and verdict of each point; None where there is no verdict."""
    task, result = labelled_text(row, "id"), row.fields.get("result")
    points = result.get("coverage_results") if isinstance(result, Mapping) else None
    if not isinstance(points, list) or not all(isinstance(each, Mapping) for each in points):
        raise bad_downloaded_field(row, "result.coverage_results", "is no list of objects")
    for number, each in enumerate(points, start=1):
        text, covered = each.get("point"), each.get("covered")
        field = f"result.coverage_results[{number}]"
        if not isinstance(text, str) or not text.strip():
            raise bad_downloaded_field(row, f"{field}.point", "is missing or no text")
        if covered is not None and WORDS.get(str(covered).lower()) is None:
            raise bad_downloaded_field(row, f"{field}.covered", f"{covered!r} is no verdict")
        yield task, text, None if covered is None else WORDS[str(covered).lower()]


def _ruverbench(path: Path, rows: Sequence[InputRow], reports: Sequence[Path]) -> GradedSet:
    """Labels with the tasks, kinds and answers that stand beside them under names of their own."""

    def beside(what: str) -> Path | None:
        other = path.with_name(path.name.replace("labels", what))
        return other if other != path and other.exists() else None

    said = [point for row in rows for point in _points(row)]
    if (dataset := beside("dataset")) is None:
        raise BadTasks(
            f"{path}: the tasks of these labels are not beside it.",
            f"Put {path.name.replace('labels', 'dataset')} into its folder.",
        )
    kinds, order = _kinds(beside("taxonomy"))
    responses = beside("responses")
    given = reports or ([responses] if responses else [])
    answers = _answers(load_reports(given) if given else (), {task for task, _, _ in said})
    tasks = {each.id: each for each in load_tasks(dataset, of_set=set_named("ruverbench"))}
    labels: dict[CriterionPlace, OnCriterion] = {}
    strays = []
    why_not = {}
    for task, text, word in said:
        own = [] if task not in tasks else tasks[task].rubric
        whose = answers[task].agent if task in answers else ANSWER
        sample = answers[task].sample if task in answers else 1
        criterion = next(
            (
                each
                for each in own
                if same_words(each.criterion) == same_words(text)
                and CriterionPlace(whose, task, sample, each.id) not in labels
            ),
            None,
        )
        if criterion is None or word is None:
            why = "its task has no such criterion" if criterion is None else "nobody decided"
            strays.append(f"{task}, {text[:40]!r}: {why}.")
            why_not[strays[-1]] = why
            continue
        place = CriterionPlace(whose, task, sample, criterion.id)
        kind = kinds.get((task, same_words(text)), "")
        labels[place] = OnCriterion(text, (word,), kind, task.partition("_")[0])
    return GradedSet(
        "RuVerBench",
        _asked(tasks.values(), labels),
        tuple(answers.values()),
        labels,
        Joined("verdicts of people", "criteria", len(said), strays, kinds=why_not),
        YES_NO,
        order,
    )


def _asked(tasks: Iterable[Task], labels: Mapping[CriterionPlace, OnCriterion]) -> tuple[Task, ...]:
    """The tasks with just the criteria that people decided on; those without any are left out."""
    known = {(place.task, place.criterion) for place in labels}
    kept = (
        each.model_copy(
            update={"rubric": tuple(c for c in each.rubric if (each.id, c.id) in known)}
        )
        for each in tasks
    )
    return tuple(each for each in kept if each.rubric)


def _kinds(path: Path | None) -> tuple[dict[tuple[str, str], str], tuple[str, ...]]:
    """The kind of each criterion, by task and wording, and all kinds; none without a file."""
    if path is None:
        return {}, ()
    with as_bad_tasks(path):
        whole = json_object(path.read_bytes())
    points, order = whole.get("points"), whole.get("category_order", [])
    if not isinstance(points, list) or not isinstance(order, list):
        raise BadTasks(
            f"{path.name}: points or category_order is no list.", "Download the file again."
        )
    found: dict[tuple[str, str], str] = {}
    for number, each in enumerate(points, start=1):
        fields = each if isinstance(each, dict) else {}
        row = InputRow(f"{path.name}, point {number}", fields)
        task, kind = (labelled_text(row, name) for name in ("question_id", "category"))
        found[task, same_words(labelled_text(row, "point"))] = kind
    return found, tuple(dict.fromkeys([*map(str, order), *found.values()]))


def _answers(reports: Iterable[Report], tasks: Iterable[str]) -> dict[str, Report]:
    """The answer to each task. Raises BadReports where there are two, since people saw one."""
    wanted = set(tasks)
    found: dict[str, Report] = {}
    for each in reports:
        if each.task in wanted and found.setdefault(each.task, each) is not each:
            raise BadReports(
                f"There are two answers to {each.task}: of {found[each.task].agent} and of "
                f"{each.agent}.",
                "Give the one that people decided on.",
            )
    return found


def records_of_file(path: Path) -> list[Judged] | None:
    """Verdicts that others published in RuVerBench's layout, as records; None for other files.

    Raises BadTasks, naming line and field.
    """
    if is_database(path) or path.is_dir() or path.suffix.lower() not in (".json", ".jsonl"):
        return None
    rows = read_rows(path)
    if not any(_are_verdicts(row) for row in rows[:50]):
        return None
    found = []
    for row in rows:
        judge = row.fields.get("evaluator")
        identity = {
            "protocol": YES_NO,
            "edition": "published",
            "judges": [{"model": judge if isinstance(judge, str) and judge else UNKNOWN}],
        }
        points = [*_points(row)]
        items = [
            EvidenceItem(
                key=f"c{number}",
                item=text,
                weight=1.0,
                axis="",
                verdict=word,
                score=None if word is None else MERITS[word],
                cause=None if word else "no verdict in the file",
            ).to_json()
            for number, (_, text, word) in enumerate(points, start=1)
        ]
        if points:
            outcome = Score(0.0, (0.0, 1.0), details={"items": items})
            task, recipe = points[0][0], Signature(identity)
            found.append(Judged(YES_NO, ANSWER, task, 1, 0, {}, outcome, recipe))
    return found
