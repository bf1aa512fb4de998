"""`tasks check`: criteria of runs, tried by their verdicts and by a question to a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from deepassay.errors import BadInput
from deepassay.models.ask import Answer, Asker
from deepassay.models.operation import Operation, Reply
from deepassay.results.tables import Table, decimals, percent, several
from deepassay.results.wrapped_tables import written_narrow
from deepassay.run.asking.making import NOBODY, Listener, Made, MakingJob, make_all, maker_of
from deepassay.run.settings import Settings
from deepassay.run.showing.boards import read_scores
from deepassay.run.showing.yardsticks import about
from deepassay.runfile import RunFile
from deepassay.score import Unscored
from deepassay.stats.testing import ALPHA
from deepassay.tasks.fields import Text
from deepassay.tasks.task import Task
from deepassay.text import first_few
from deepassay.wings.build.checking.criteria_tried import (
    CLOSE,
    FEWEST,
    HangingPair,
    OnTrial,
    TriedCriterion,
    hanging,
    tried_criteria,
)
from deepassay.wings.build.wording import PROMPTS
from deepassay.wings.build.yardsticks.rubrics import CriterionOfTask


class ThingsAsked(Reply):
    """What a criterion asks for, each thing of which a report may have one without the others."""

    things: Annotated[list[Text], Field(min_length=1)]


def _as_one(inputs: CriterionOfTask) -> ThingsAsked:
    """No rule tells: one thing, which nobody takes for a finding."""
    return ThingsAsked(things=[inputs.criterion])


THINGS_ASKED: Final = Operation(
    "rubric/things_asked",
    prompts=PROMPTS,
    takes=CriterionOfTask,
    gives=ThingsAsked,
    offline=_as_one,
)


Keep = Callable[[Sequence[tuple["AskedCriterion", ThingsAsked]]], None]

LONGEST: Final = 60
"""Characters of a criterion that a table shows."""


class AskedCriterion(NamedTuple):
    """A criterion of a task, as a model is asked about it. id: its protocol and words."""

    id: str
    task: Task
    criterion: TriedCriterion


@dataclass
class CheckedCriteria:
    """What came of it. things: what each criterion asks for, where a model was asked."""

    trial: OnTrial
    pairs: list[HangingPair]
    tried: int
    made: Made
    asked: bool
    things: dict[str, list[str]] = field(default_factory=dict)

    @property
    def criteria(self) -> list[TriedCriterion]:
        """Those that were looked at."""
        return self.trial.tried

    def tables(self) -> list[Table]:
        """Criteria that separate nothing, that hang on each other, that ask several things."""
        return [self._alike(), self._hanging(), *([self._several()] if self.asked else [])]

    def written(self, format: str) -> str:
        """The tables as text, markdown or json."""
        tables = self.tables()
        if format == "json":
            return json.dumps([each.told for each in tables], ensure_ascii=False) + "\n"
        # Of what is not there, the note alone.
        told = [note for each in tables if not each.rows for note in each.notes]
        shown = [each for each in tables if each.rows]
        shown = shown or [Table("Nothing stands out in these criteria", (), ())]
        shown[-1] = replace(shown[-1], notes=(*shown[-1].notes, *told))
        return written_narrow(shown, format)

    def notes(self) -> Iterator[str]:
        """What could not be tried."""
        if not self.asked:
            yield "Whether criteria ask two things, a model has to say: --maker PROVIDER:NAME."

    def _alike(self) -> Table:
        found = [each for each in self.criteria if not each.separates]
        rows = [
            (
                *(each.protocol, first_few(each.tasks, 1), each.key, str(len(each.verdicts))),
                *(f"{each.mean:g}", _short(each.text)),
            )
            for each in sorted(found, key=lambda each: -len(each.verdicts))
        ]
        head = ("protocol", "task", "criterion", "reports", "all have", "in words")
        notes = [
            self._extent(),
            f"{len(found)} of {len(self.criteria)} criteria say the same of every report, and "
            "decide nothing between them.",
        ]
        if found:
            few = min(len(each.verdicts) for each in found)
            notes.append(
                f"A criterion that half of all reports meet says the same of {few} of them in "
                f"{percent(2.0 ** (1 - few))} of cases, by chance."
            )
        return Table.listed("Criteria that no report separates", head, rows, notes)

    def _extent(self) -> str:
        """How many criteria were looked at, of how many tasks, and which were not."""
        tasks = {task for each in self.criteria for task in each.tasks}
        told = f"Criteria: {len(self.criteria)} of {several(len(tasks), 'task')} are looked at"
        if alone := len(self.trial.alone):
            told += f"; left out are {alone} with a verdict in one report only"
        if open := len(self.trial.open):
            told += f"; {open} without any verdict"
        return f"{told}."

    def _hanging(self) -> Table:
        rows = [
            (
                *(each.one.protocol, first_few(each.one.tasks, 1), each.one.key, each.other.key),
                *(decimals(each.phi, 2), str(each.reports), _short(each.one.text)),
            )
            for each in self.pairs
        ]
        head = ("protocol", "task", "criterion", "and", "phi", "reports", "in words")
        note = (
            f"{len(self.pairs)} of {several(self.tried, 'pair')} of criteria with {FEWEST} reports "
            f"or more correlate by {CLOSE} or more, and not by chance (p < {ALPHA}, all pairs "
            "considered): one of both counts twice, or who has the one cannot have the other."
        )
        return Table.listed("Criteria that hang on each other", head, rows, [note])

    def _several(self) -> Table:
        found = [each for each in self.criteria if len(self.things.get(_id(each), ())) > 1]
        rows = [
            (
                *(each.protocol, first_few(each.tasks, 1), each.key),
                *(str(len(self.things[_id(each)])), "; ".join(self.things[_id(each)])),
            )
            for each in found
        ]
        head = ("protocol", "task", "criterion", "things", "which")
        note = (
            f"{len(found)} of {len(self.things)} criteria that the model was asked about ask for "
            "several things: one verdict does not say which of them is there."
        )
        return Table.listed("Criteria that ask several things", head, rows, [note])


def _id(criterion: TriedCriterion) -> str:
    return f"{criterion.protocol}: {criterion.text}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()} …"


def check_criteria(
    runs: Sequence[Path],
    protocols: Sequence[str],
    settings: Settings,
    listener: Listener = NOBODY,
) -> CheckedCriteria:
    """The criteria of these runs. The maker of the settings says what each asks for, if it is one.

    Raises BadInput where no criterion stands in two reports.
    """
    records = read_scores(runs)
    records.only(protocols)
    trial = tried_criteria(records.with_words())
    criteria = trial.tried
    if not criteria:
        raise BadInput(
            "No criterion stands in two reports of these runs.",
            "Take runs of several agents by rubrics, coverage, presentation or the like.",
        )
    pairs, tried = hanging(criteria)
    asked = maker_of(settings) != "offline"
    found = CheckedCriteria(trial, pairs, tried, Made(len(criteria)), asked)
    if asked:
        tasks = _tasks_of(runs)
        items = [AskedCriterion(_id(each), tasks[each.tasks[0]], each) for each in criteria]
        job = MakingJob(_things, _keep(found), calls=1)
        make_all(job, items, settings, found.made, listener)
    return found


def _tasks_of(runs: Sequence[Path]) -> dict[str, Task]:
    tasks: dict[str, Task] = {}
    for path in runs:
        with RunFile.read(path) as run:
            tasks |= about(run).tasks
    return tasks


async def _things(item: AskedCriterion, maker: Asker) -> ThingsAsked | Unscored:
    inputs = CriterionOfTask(
        language=item.task.language, query=item.task.prompt, criterion=item.criterion.text
    )
    said = await maker(THINGS_ASKED, inputs)
    return said.value if isinstance(said, Answer) else said


def _keep(found: CheckedCriteria) -> Keep:
    def keep(made: Sequence[tuple[AskedCriterion, ThingsAsked]]) -> None:
        found.things.update((item.id, said.things) for item, said in made)

    return keep
