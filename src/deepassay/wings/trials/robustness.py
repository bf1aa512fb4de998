"""How far RACE hangs on what it should not: reference, length, judge (DeepResearch Bench, app. J).

A study is a folder: a run file for each arm, what the arms share, and what was made for them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import fmean

from deepassay.errors import BadReports, BadSetting
from deepassay.intake.columns import NamedColumns
from deepassay.models.ask import Asker
from deepassay.reports.files import put_text, refuse_inside
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.results.aggregate import means_of_tasks
from deepassay.results.records import by_agent
from deepassay.run.asking.agent_runs import is_found_again, report_file_of, spent_in
from deepassay.run.asking.first_tasks import first_tasks
from deepassay.run.asking.joining import join
from deepassay.run.asking.making import NOBODY, Listener, Made, MakingJob, make_all
from deepassay.run.settings import Settings
from deepassay.run.showing.records import judged
from deepassay.runfile import RunFile
from deepassay.score import Json, Score, Unscored
from deepassay.tasks.entries import append
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rows import read_rows
from deepassay.wings.build.yardsticks.steps import make_criteria
from deepassay.wings.trials.lengthening import Lengthened, lengthened

LONGER = "expand"
"""Behind the name of an agent whose reports were lengthened, with the number of the round."""


@dataclass(frozen=True)
class RobustnessStudy:
    """A folder of arms. settings: of all arms, but for what an arm has of its own."""

    folder: Path
    settings: Settings

    def arm(self, name: str, **own: object) -> Settings:
        """The settings of one arm: a run file of its own, and of the budget what is left.

        Raises BadSetting for a name that no file can have.
        """
        file = re.sub(r"[^\w.()+ -]+", "-", name).strip(". ")
        if not file:
            raise BadSetting(f"{name!r} cannot be the name of a file.", "Name it otherwise.")
        run = self.folder / f"{file}.assay"
        budget = self.settings.budget
        if budget is not None:
            budget = max(0.0, budget - sum(map(spent_in, set(self._runs) - {run})))
        fixed = {"run": run, "budget": budget, "protocols": ("race",)}
        return self.settings.model_copy(update=fixed | own)

    @property
    def _runs(self) -> list[Path]:
        return sorted(self.folder.glob("*.assay"))

    def criteria(
        self, tasks: Path, maker: str, name: str, listener: Listener = NOBODY
    ) -> tuple[Path, Made] | None:
        """Criteria that one model makes for tasks that bring none; None where all bring theirs."""
        wanted = first_tasks(tasks, self.settings)
        if self.settings.criteria is not None or all(each.criteria for each in wanted):
            return None
        output = self.folder / f"{name}.jsonl"
        asked = self.arm(name, maker=maker)
        return output, make_criteria(tasks, output, asked, listener=listener)


@dataclass(frozen=True)
class _LengthenedReport:
    """A report, under the file that it is to be written to."""

    id: str
    agent: str
    report: Report


@dataclass(frozen=True)
class Longer:
    """A round of lengthening. read: reports that were given; lines: one for each that is longer."""

    folder: Path
    made: Made
    read: int
    lines: Sequence[Mapping[str, Json]]

    def told(self) -> Iterator[str]:
        """What was left out, and what became of the paragraphs."""
        if others := self.read - self.made.total:
            yield (
                f"Left as they are: {others} of {self.read} reports, which answer none of these "
                "tasks or are of other agents."
            )
        kept: Counter[str] = Counter()
        for each in self.lines:
            kept.update(each["kept"])
        why = f" ({', '.join(f'{count}: {cause}' for cause, count in kept.most_common())})"
        rewritten = sum(each["rewritten"] for each in self.lines)
        total = sum(each["paragraphs"] for each in self.lines)
        yield (
            f"Paragraphs of {len(self.lines)} reports: {total}, of which {rewritten} were "
            f"rewritten and {kept.total()} stayed as they were{why if kept else ''}."
        )


def lengthen(
    tasks: Path,
    paths: Sequence[Path],
    study: RobustnessStudy,
    maker: str,
    number: int,
    *,
    agents: Sequence[str] = (),
    listener: Listener = NOBODY,
) -> Longer:
    """A round of lengthening: AGENT (expand)/TASK.md for every report, in a folder of the study.

    tasks: their file, of which `limit` of the settings takes the first; reports on others are left
    as they are. paths: of the originals, or of the round before. agents: only theirs. What became
    of each paragraph is a line in `lengthened.jsonl`. Raises BadInput.
    """
    output = study.folder / f"{LONGER}{number}"
    refuse_inside(paths, output)
    columns = NamedColumns.of(study.settings.columns)
    given, reports = load_tasks(tasks, columns=columns), load_reports(paths, columns=columns)
    columns.refuse_unmet()
    wished = {each.id for each in given[: study.settings.limit]}
    known = [each for each in join(given, reports)[0] if each.task in wished]
    if not known:
        raise BadReports(
            f"None of the {len(reports)} reports answers one of the {len(wished)} tasks.",
            "Give reports on these tasks, or a larger --limit.",
        )
    items = [*_items(known, agents, number)]
    wanted = [each for each in items if not (output / each.id).exists()]
    made = Made(len(items), kept=len(items) - len(wanted))
    record = study.folder / "lengthened.jsonl"

    async def make(item: _LengthenedReport, asker: Asker) -> Lengthened | Unscored:
        return await lengthened(item.report, asker)

    def write(found: Sequence[tuple[_LengthenedReport, Lengthened]]) -> None:
        for item, longer in found:
            put_text(output / item.id, longer.text, force=False)
        append(record, [_line(item, longer) for item, longer in found])

    output.mkdir(parents=True, exist_ok=True)
    make_all(
        MakingJob(make, write, calls=8),
        wanted,
        study.arm("lengthened", maker=maker),
        made,
        listener,
    )
    return Longer(output, made, len(reports), _lines_of(items, record))


def _lines_of(items: Sequence[_LengthenedReport], record: Path) -> list[Mapping[str, Json]]:
    """What the record says of these reports, of each the last."""
    lines = read_rows(record) if record.exists() else []
    told = {
        (each.fields["agent"], each.fields["task"], each.fields["sample"]): each.fields
        for each in lines
    }
    keys = [(each.agent, each.report.task, each.report.sample) for each in items]
    return [told[key] for key in keys if key in told]


def _items(
    reports: Sequence[Report], agents: Sequence[str], number: int
) -> list[_LengthenedReport]:
    known = {each.agent for each in reports}
    if strange := [each for each in agents if each not in known]:
        raise BadSetting(
            f"There are no reports of {strange[0]}.", f"Agents: {', '.join(sorted(known))}."
        )
    found = []
    for each in reports:
        if agents and each.agent not in agents:
            continue
        name = each.agent.removesuffix(f" ({LONGER})")
        name = re.sub(rf" \({LONGER} \d+\)\Z", "", name)
        agent = f"{name} ({LONGER})" if number == 1 else f"{name} ({LONGER} {number})"
        key = agent, each.task, each.sample
        if not is_found_again(key):
            raise BadReports(
                f"Agent {agent!r} and task {each.task!r} cannot be names of a folder and a file.",
                "Name them otherwise.",
            )
        found.append(_LengthenedReport(str(report_file_of(Path(), key)), agent, each))
    return found


def _line(item: _LengthenedReport, longer: Lengthened) -> dict[str, object]:
    return {
        "agent": item.agent,
        "task": item.report.task,
        "sample": item.report.sample,
        "characters": [len(item.report.text), len(longer.text)],
        "paragraphs": longer.paragraphs,
        "rewritten": longer.rewritten,
        "kept": dict(longer.kept),
    }


@dataclass(frozen=True)
class Arm:
    """What one arm came to. spent: USD of its run file; None where a price is not known."""

    name: str
    means: Mapping[str, float]
    reports: int
    spent: float | None

    @classmethod
    def read(cls, name: str, run: Path) -> Arm:
        """An arm of the study, with the means of its agents, from its run file."""
        with RunFile.read(run) as file:
            records = [each for each in judged(file) if not each.is_reference]
            spent = None if file.unpriced() else file.spent()
        means = {
            agent: fmean(values.values())
            for agent, own in by_agent(records).items()
            if (values := means_of_tasks(own))
        }
        scored = sum(isinstance(each.outcome, Score) for each in records)
        return cls(name, means, scored, spent)

    @cached_property
    def order(self) -> list[str]:
        """Agents by their means, the best first."""
        return sorted(self.means, key=lambda agent: -self.means[agent])

    @property
    def price(self) -> str:
        """What it cost, in a sentence."""
        if self.spent is None:
            return f"{self.name}: {self.reports} reports at a price that nobody knows."
        each = f", ${self.spent / self.reports:.4f} each" if self.reports else ""
        return f"{self.name}: ${self.spent:.4f} for {self.reports} reports{each}."


def told_order(arms: Sequence[Arm]) -> str:
    """Whether arms put the agents that two of them share into the same order.

    A reference has no score in its own arm, so that arms may share different agents.
    """
    compared, changes = 0, []
    for one, other in combinations(arms, 2):
        mine = [agent for agent in one.order if agent in other.means]
        theirs = [agent for agent in other.order if agent in one.means]
        compared += len(mine) > 1
        if mine != theirs:
            orders = " > ".join(mine), " > ".join(theirs)
            changes.append(f"{one.name}: {orders[0]}; {other.name}: {orders[1]}")
    if not compared:
        return "No two arms have scores of the same two agents, so there is no order to compare."
    if changes:
        return f"The order changes. {'. '.join(changes)}."
    return "Two arms that scored the same agents put them into the same order."
