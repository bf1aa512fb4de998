"""Tasks and reports, read together: what is open of both is asked for at once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from deepassay.errors import BadReports, BadTasks, Notice
from deepassay.intake.choices import ColumnChoice, asking, choices_in, whole_choices
from deepassay.intake.columns import UNSAID, NamedColumns, told_once
from deepassay.intake.folders import asked_in_folders
from deepassay.intake.heads import plain
from deepassay.intake.notes import fields_in_each
from deepassay.intake.rows import alike_prompts, as_typed, made_id
from deepassay.intake.tables import TABLES
from deepassay.reports.files import TEXT, Converter
from deepassay.reports.loaders import GivenReports, reports_of
from deepassay.reports.report import Report, TextStore
from deepassay.run.asking.joining import reports_are_prompts
from deepassay.run.asking.readings import numbers_counted
from deepassay.run.settings import Settings
from deepassay.tasks.like_layouts import also_in_layout
from deepassay.tasks.loaders import GivenTasks, tasks_of
from deepassay.tasks.set_tables import published_sets, set_named
from deepassay.tasks.task import Task

if TYPE_CHECKING:
    from deepassay.tasks.entries import Entries, EntryFile
    from deepassay.tasks.rubric import TaskRubric


def read_tasks(
    given: GivenTasks,
    settings: Settings,
    said: NamedColumns = UNSAID,
    rubrics: Entries[TaskRubric] | None = None,
) -> tuple[Task, ...]:
    """All tasks, with what files give for them, as criteria and rubrics.

    said: of columns. rubrics: what the file of rubrics holds, where it has been read.
    """
    # With rubrics in a file of their own, the set's layout is that file's.
    of_set = set_named(settings.set) if settings.set and not settings.rubric else None
    tasks = tasks_of(given, not settings.frozen_dates, said, of_set)
    for file, path in _entry_files(settings):
        tasks = file.join(tasks, path, rubrics if file.field == "rubric" else None)
    if settings.set is None and (told := _unnamed_set(tasks)):
        warnings.warn(Notice(told), stacklevel=2)
    return tasks


def _entry_files(settings: Settings) -> Iterator[tuple[EntryFile[Any], Path]]:
    """The files that hold something for each task; what reads a kind is loaded for one of it."""
    if settings.criteria is not None:
        from deepassay.tasks.criteria import CRITERIA_FILE

        yield CRITERIA_FILE, settings.criteria
    if settings.rubric is not None:
        yield _rubric_file(settings), settings.rubric
    if settings.ace is not None:
        from deepassay.tasks.ace import ACE_FILE

        yield ACE_FILE, settings.ace
    if settings.bibliography is not None:
        from deepassay.tasks.bibliography import BIBLIOGRAPHY_FILE

        yield BIBLIOGRAPHY_FILE, settings.bibliography
    if settings.feedback is not None:
        from deepassay.tasks.feedback import FEEDBACK_FILE

        yield FEEDBACK_FILE, settings.feedback


def _rubric_file(settings: Settings) -> EntryFile[TaskRubric]:
    """How the file of rubrics is read: by the layout of the set that is named, where it has one."""
    from deepassay.tasks.rubric import rubric_file

    return rubric_file(set_named(settings.set) if settings.set else None)


def read_rubrics(settings: Settings) -> Entries[TaskRubric] | None:
    """What the file of rubrics holds, with how they were made; None where none is given."""
    return _rubric_file(settings).load(settings.rubric) if settings.rubric else None


def steps_of_rubrics(
    rubrics: Entries[TaskRubric] | None, tasks: Iterable[Task]
) -> dict[str, tuple[str, ...]]:
    """By which steps the rubrics of a file were made of others, by task, where they were."""
    if rubrics is None:
        return {}
    from deepassay.tasks.rubric import RubricStep

    found = {
        task.id: tuple(each.step for each in entry.history if isinstance(each, RubricStep))
        for task in tasks
        if (entry := rubrics.of(task)) is not None
    }
    return {task: steps for task, steps in found.items() if steps}


def _unnamed_set(tasks: Sequence[Task]) -> str:
    """What to say of tasks of a set that is judged in a way of its own, where nobody named it."""
    titles = {task.labels.get("set") for task in tasks if task.rubric}
    for name, found in published_sets().items() if titles - {None} else ():
        if found.title in titles and found.detected and found.setting:
            told = (
                f"These are tasks of {found.title}. --set {name} judges and counts as that does; "
                "without it, `rubrics` judges by the verdicts of ResearchRubrics."
            )
            return f"{told} {also_in_layout(found)}".rstrip()
    return ""


def read_both(
    tasks: GivenTasks,
    reports: GivenReports,
    settings: Settings,
    said: NamedColumns,
    converter: Converter,
    rubrics: Entries[TaskRubric] | None = None,
) -> tuple[tuple[Task, ...], tuple[Report, ...]]:
    """Tasks and reports. Raises BadInput, which asks for what is open of both at once.

    What is offered then has been tried: it can be read, and says what it comes to.
    """
    given = _OwnMaterial(tasks, reports, settings, rubrics)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = given.read(said, converter)
            fault = None
        except (BadTasks, BadReports) as error:
            found, fault = ((), ()), error
    if fault:
        from deepassay.run.asking.trying import Unconverted, tried  # nothing is open as a rule

        def attempt(columns: NamedColumns) -> tuple[Sequence[Task], Sequence[Report]]:
            return given.read(columns, Unconverted())

        ways, certain, refused = tried(choices_in(fault), attempt, said.named)
        if not ways and (alone := _tables_inside(tasks, said)):
            ways = tried(alone, attempt).ways
        if certain:
            return read_both(
                tasks, reports, settings, NamedColumns(ways[0].said), converter, rubrics
            )
        if ways:
            raise asking(type(fault), fault.problem, ways)
        if refused:
            raise type(fault)(f"{fault.problem}\n  {refused.problem}", refused.remedy)
    messages = [each.message for each in told if isinstance(each.message, Warning)]
    if given.is_one:
        used = {*Task.model_fields, *(label for task in found[0] for label in task.labels)}
        messages = told_once(messages, used)
    for message in messages:
        warnings.warn(message, stacklevel=2)
    if fault:
        raise fault
    return found


def _tables_inside(given: GivenTasks, said: NamedColumns) -> list[ColumnChoice]:
    """Each of the tables in a folder alone, at every depth, if they are few."""
    if not isinstance(given, str | Path) or not Path(given).is_dir():
        return []
    files = [x for x in sorted(Path(given).rglob("*")) if x.suffix.lower() in {*TABLES, ".json"}]
    names = [each.relative_to(given).as_posix() for each in files]
    ways = [ColumnChoice((*said.named, ("sheet", name))) for name in names]
    return ways if len(ways) <= _FEW else []


_FEW: Final = 6
"""Tables in a folder that are tried one by one."""


@dataclass(frozen=True)
class _OwnMaterial:
    """What is read, whatever people say of its columns."""

    tasks: GivenTasks
    reports: GivenReports
    settings: Settings
    rubrics: Entries[TaskRubric] | None

    @property
    def is_one(self) -> bool:
        """Whether tasks and reports are one file or folder."""
        several = self.reports if isinstance(self.reports, list | tuple) else [self.reports]
        named = isinstance(self.tasks, str | Path)
        return named and [*map(str, several)] == [str(self.tasks)]

    def read(
        self, said: NamedColumns, converter: Converter
    ) -> tuple[tuple[Task, ...], tuple[Report, ...]]:
        """Tasks and reports. Where both are one file, or a folder, the tasks may be what reports
        say that they were asked.
        """
        tasks, same = self.tasks, self.is_one
        try:
            found = read_tasks(tasks, self.settings, said, self.rubrics)
        except BadTasks as fault:
            ways = choices_in(fault)
            if not (same or ways):
                raise
            try:
                found_reports = reports_of(self.reports, converter, TextStore(), said)
            except BadReports as other:
                more = choices_in(other)
                if same and more and any(part == "prompt" for part, _ in more[0].said):
                    raise
                if not (ways and more):
                    shown = other if same and not ways else fault
                    raise shown from shown.__cause__
                problem = f"{fault.problem}\n  {other.problem}"
                both = [ways] if ways == more else [ways, more]  # as where both ask which sheet
                if not (whole := whole_choices(both)):
                    remedy = (
                        "Give it a column of prompts and one of reports, and each answer a row."
                    )
                    raise BadTasks(f"{problem} One column would have to be both.", remedy) from None
                both_open = asking(BadTasks, problem, whole)
                raise both_open from both_open.__cause__
            if not same or not (asked := _asked(found_reports)):
                raise
            told = f"{tasks}: its {len(asked)} tasks are what its reports say that they were asked."
            warnings.warn(Notice(told), stacklevel=2)
            return read_tasks(asked, self.settings, rubrics=self.rubrics), found_reports
        if same:
            _doubt_settings(Path(str(tasks)), said)
        found_reports = reports_of(self.reports, converter, TextStore(), said)
        texts = [Path(each.path or "") for each in found_reports]
        alone = all(each.parent == Path(str(tasks)) and each.suffix in TEXT for each in texts)
        if same and alone and not asked_in_folders(Path(str(tasks))):
            nothing = reports_are_prompts(found_reports[0])
            fields = fields_in_each(texts)  # one of which may say what was asked
            ways = [ColumnChoice((*said.named, ("prompt", each))) for each in fields]
            raise asking(BadReports, nothing.problem, ways) if ways else nothing
        return found, numbers_counted(found, found_reports, said)


_SETTINGS: Final = frozenset(("config", "configuration", "settings", "parameters", "params"))


def _doubt_settings(folder: Path, said: NamedColumns) -> None:
    """Raise BadTasks, which asks, where what was asked is read from settings beside each report.

    They may be of an agent, whose prompt is what it was told of itself.
    """
    if not folder.is_dir() or said.named_as("id"):
        return
    asked = [*asked_in_folders(folder)]
    if asked and all(e.parent.parent == folder and plain(e.stem) in _SETTINGS for e in asked):
        raise asking(
            BadTasks,
            f"{folder}: each of its folders says in {asked[0].name} what may have been asked, or "
            "what an agent was told of itself. If each folder is an agent, name its reports as "
            "the tasks (AGENT/TASK.md), and give these in a file of their own, before the folder.",
            [ColumnChoice((*said.named, ("id", "(folder 1)")), "each folder is a task")],
        )


def _asked(reports: Sequence[Report]) -> list[Task]:
    """The tasks of reports of which each says what it was asked; none where one does not."""
    found: dict[str, str] = {}
    spelt: dict[str, str] = {}
    for each in reports:
        if not each.prompt or found.setdefault(each.task, each.prompt) != each.prompt:
            return []
    for id, prompt in found.items():
        spelt.setdefault(as_typed(prompt) if id == made_id(prompt) else id, id)
    if others := [found[id] for id in found if id not in spelt.values()]:
        warnings.warn(Notice(alike_prompts(others)), stacklevel=3)
    return [Task(id=id, prompt=found[id]) for id in spelt.values()]
