"""One protocol as a scorer of Inspect: a sample becomes a case, an outcome its score.

There are two ways to be judged. By default Inspect's models are: `--model-role judge=...` names
them, a list of them is a panel, and only Inspect's log keeps anything. With a `judge` among the
arguments of the scorer it is ours, and a run file keeps tasks, reports, answers and scores, as
`evaluate` would have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import model_roles
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from deepassay.errors import (
    BadInput,
    BadReports,
    BadSetting,
    BadTasks,
    ConfigurationChanged,
    DeepAssayError,
)
from deepassay.protocols.protocol import ROLES, Pairwise, Protocol, Role, Sources
from deepassay.reports.report import Report
from deepassay.run.asking.connecting import refuse_twins
from deepassay.run.asking.execute import Work, scored
from deepassay.run.asking.joining import join, rivals_among
from deepassay.run.asking.plan import AskedModel, Plan, identity_of
from deepassay.run.asking.planning import others_of, panel_of
from deepassay.run.settings import Settings
from deepassay.runfile import StoredScore
from deepassay.score import Cause, Json, Unscored
from deepassay.sources.page import EXTRACTION
from deepassay.tasks.loaders import tasks_of
from deepassay.tasks.task import Task
from deepassay.wings.bridges.inspect.client import InspectClient, Memory, asker_of
from deepassay.wings.bridges.inspect.outcomes import SCORING_FAILED, inspect_score_of, unscored
from deepassay.wings.bridges.inspect.outputs import report_of_output
from deepassay.wings.bridges.inspect.reading import METADATA, prompt_of
from deepassay.wings.bridges.inspect.shared import pages_of_file, shared_run


@dataclass(frozen=True)
class Scoring:
    """A protocol with what it is given besides samples.

    ours: whether the judges of the settings are asked, in place of Inspect's. tasks: of a file,
    None where each sample brings its own. references: reports that others are held against;
    rivals: those of the baseline.
    """

    protocol: Protocol
    settings: Settings
    ours: bool
    tasks: tuple[Task, ...] | None = None
    references: tuple[Report, ...] = ()
    rivals: tuple[Report, ...] = ()

    async def __call__(self, state: TaskState) -> Score | None:
        """The score of a sample; None of the baseline itself, of which there is nothing to say.

        What is wrong with one sample becomes its own Unscored: an error would end Inspect's
        command together with everything that was paid for. Raises PrerequisiteError for what is
        wrong with the command.
        """
        about: dict[str, Json] = {"protocol": str(self.protocol)}
        try:
            plan = self._plan(state)
            (report,) = plan.reports
            if isinstance(self.protocol, Pairwise) and self.protocol.excuses(report.agent):
                return None
            stored = await (self._by_ours(plan) if self.ours else self._by_theirs(plan, state.uuid))
            (_, case), *_ = plan.cases()
            wrote = bool(report.text.strip())
            return inspect_score_of(stored, self.protocol.name, wrote, self.protocol.basis(case))
        except (BadTasks, BadReports, ConfigurationChanged) as error:
            return unscored(Unscored(Cause.MISSING_INPUT, error.problem), str(error), about)
        except BadInput as error:
            raise PrerequisiteError(str(error)) from error
        except DeepAssayError as error:  # of a protocol of somebody else
            about |= {"cause": "failed", "detail": error.problem}
            return Score.unscored(reason=SCORING_FAILED, explanation=str(error), metadata=about)

    def _plan(self, state: TaskState) -> Plan:
        """A plan of one case, without its judges. Raises BadTasks and BadReports."""
        text, by = report_of_output(state.output)
        report = Report(
            text, str(state.model), str(state.sample_id), state.epoch, converter=by,
            prompt=prompt_of(state.input),
        )  # fmt: skip
        if self.tasks is None:
            task = task_of_sample(report, state.metadata)
            report = replace(report, task=task.id)
        else:
            ((report,), _) = join(self.tasks, [report])
            task = next(each for each in self.tasks if each.id == report.task)
        named = [Report(task.reference, "", task.id)] if task.reference else []
        reference = _on(task, self.references) if self.references else next(iter(named), None)
        rival = _on(task, self.rivals)
        day = self.settings.date
        return Plan(
            tasks={task.id: task},
            reports=(report,),
            protocols=(self.protocol,),
            judges=(),
            day=date.fromisoformat(day) if day else date.today(),
            references={task.id: reference} if reference else {},
            rivals={(rival.agent, task.id): rival} if rival else {},
            pages=f"{self.settings.reader}, {EXTRACTION}",
        )

    async def _by_theirs(self, plan: Plan, sample: str) -> StoredScore:
        """Inspect's models judge, each in the role that it is bound to."""
        clients = _bound()
        if "judge" not in clients:
            raise BadSetting(
                f"Nobody judges {self.protocol}.",
                "Name a model of Inspect, --model-role judge=PROVIDER/NAME, or one of ours, "
                "-S judge=PROVIDER:NAME.",
            )
        models = {
            role: tuple(AskedModel(str(each.identity["model"]), client=each) for each in those)
            for role, those in clients.items()
        }
        others: dict[Role, AskedModel] = {
            role: each for role, (each, *_) in models.items() if role != "judge"
        }
        plan = replace(plan, judges=models["judge"], others=others)
        memory = Memory(sample)
        askers = {
            model: asker_of(client, memory)
            for role, those in models.items()
            for model, client in zip(those, clients[role], strict=True)
        }
        panel = plan.roles(self.protocol, askers)
        refuse_twins(str(self.protocol), panel)
        identity = identity_of(plan, self.protocol, panel)
        with pages_of_file(self.settings.snapshots) as pages:
            sources = Sources(pages, memory)
            return await scored(_work(plan, identity), panel, sources, memory)

    async def _by_ours(self, plan: Plan) -> StoredScore:
        """Our models judge, as `evaluate` has them; everything is kept."""
        async with shared_run(self.settings) as shared:
            plan = replace(
                plan,
                judges=panel_of(self.settings),
                others=others_of(self.settings),
                day=shared.day or plan.day,
            )
            bench = await shared.bench(plan, self.settings)
            work = _work(plan, bench.identity)
            stored = await scored(work, bench.panel, bench.sources, shared.run)
            if stored.end.cause != Cause.BUDGET:
                await shared.run.keep_score(stored)
            return stored


def task_of_sample(report: Report, metadata: Mapping[str, Json]) -> Task:
    """The task that a sample brings: its input, and the fields of a task that its metadata have.

    `assay_checklist` is the field `checklist`, and so on. Raises BadTasks, naming the field.
    """
    fields = {
        name.removeprefix(METADATA): value
        for name, value in metadata.items()
        if name.startswith(METADATA)
    }
    try:
        (task,) = tasks_of({"id": report.task, "prompt": report.prompt} | fields)
    except BadTasks as error:
        raise BadTasks(
            f"Sample {report.task!r}: {error.problem.removeprefix('task 1: ')}",
            f"Metadata {METADATA}NAME of a sample is the field NAME of a task, as in task files.",
        ) from error
    return task


def _work(plan: Plan, identity: Json) -> Work:
    ((protocol, case),) = plan.cases()
    return Work(protocol, case, identity)


def _on(task: Task, reports: tuple[Report, ...]) -> Report | None:
    """What others wrote on a task. Raises BadReports if that was for another prompt."""
    own = [report for report in reports if report.task == task.id]
    if not own:
        return None
    return next(iter(rivals_among(join((task,), own)[0]).values()), None)


def _bound() -> dict[Role, tuple[InspectClient, ...]]:
    """Who plays our roles in Inspect. Raises BadSetting for several in a role other than judge."""
    found: dict[Role, tuple[InspectClient, ...]] = {}
    for role in ROLES:
        bound = model_roles().get(role, [])
        models = bound if isinstance(bound, list) else [bound]
        if len(models) > 1 and role != "judge":
            raise BadSetting(f"--model-role {role} names several models.", "Only judges are many.")
        if models:
            found[role] = tuple(map(InspectClient, models))
    return found
