"""What a run is to do: which reports for which tasks, by which protocols and judges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from itertools import product
from pathlib import Path

from deepassay.errors import BadReports, BadSetting
from deepassay.models.ask import Asker, is_offline
from deepassay.models.client import Client, ModelSettings
from deepassay.models.functions import client_named
from deepassay.protocols.protocol import ROLES, Case, Pairwise, Protocol, Role, Roles
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.run.settings import ProtocolSettings
from deepassay.runfile import Part
from deepassay.score import Json, digest
from deepassay.tasks.task import Task


@dataclass(frozen=True)
class AskedModel:
    """A model that plays a role.

    model: `offline` or `provider:NAME`. settings: what decides its answers besides. client: who
    answers, where that is an object of the caller and `model` only its name.
    """

    model: str = "offline"
    base_url: str | None = None
    settings: ModelSettings = field(default_factory=ModelSettings)
    client: Client | None = field(default=None, hash=False)

    @classmethod
    def with_settings(cls, model: str, settings: ProtocolSettings) -> AskedModel:
        """A model of this name, asked as the settings say; `module:name` is imported."""
        # What there is no setting for, such as a search, is for models that write reports.
        given = {each.name: getattr(settings, each.name, None) for each in fields(ModelSettings)}
        known = {name: value for name, value in given.items() if value is not None}
        return cls(model, settings.base_url, ModelSettings(**known), client_named(model))

    @property
    def is_local(self) -> bool:
        """Whether it is a classifier in a folder: see `models.verifier`."""
        return self.model.startswith("local:")

    def __str__(self) -> str:
        """The model, with the settings that were asked for: `openai:x (effort high)`."""
        asked = [
            f"{each.name} {value}"
            for each in fields(self.settings)
            if (value := getattr(self.settings, each.name)) != each.default
        ]
        return f"{self.model} ({', '.join(asked)})" if asked else self.model


@dataclass(frozen=True)
class Plan:
    """Everything that decides the scores of a run.

    judges: the panel; judges_of: another panel for a protocol, by the protocol's name.
    others: who plays a role other than the judge's; for the rest, the first judge of the panel.
    references: the report that others are held against, by task. rivals: the reports of
    baselines, by agent and task. pages: how cited pages are read. day: today, as open dates in
    tasks are filled in. unmatched: reports for no known task. part: which shard this is.
    """

    tasks: Mapping[str, Task]
    reports: tuple[Report, ...]
    protocols: tuple[Protocol, ...]
    judges: tuple[AskedModel, ...]
    day: date
    judges_of: Mapping[str, tuple[AskedModel, ...]] = field(default_factory=dict)
    others: Mapping[Role, AskedModel] = field(default_factory=dict)
    references: Mapping[str, Report] = field(default_factory=dict)
    rivals: Mapping[tuple[str, str], Report] = field(default_factory=dict)
    pages: str = "direct"
    repeat: int = 1
    unmatched: tuple[Report, ...] = ()
    part: Part | None = None

    def panel(self, protocol: Protocol) -> tuple[AskedModel, ...]:
        """The judges of a protocol."""
        return self.judges_of.get(protocol.name, self.judges)

    def model(self, protocol: Protocol, role: Role) -> AskedModel:
        """Who plays a role that all judges of a panel share."""
        return self.others.get(role, self.panel(protocol)[0])

    def shared_roles(self, protocol: Protocol) -> tuple[Role, ...]:
        """The roles of a protocol that one model plays for all judges of its panel.

        Without a verifier, each judge says itself what a page supports.
        """
        return tuple(
            role for role in protocol.roles[1:] if role != "verifier" or role in self.others
        )

    @property
    def models(self) -> frozenset[AskedModel]:
        """All models that may be asked."""
        return frozenset(
            model
            for protocol in self.protocols
            for model in (
                *self.panel(protocol),
                *(self.model(protocol, role) for role in self.shared_roles(protocol)),
            )
        )

    def roles(self, protocol: Protocol, askers: Mapping[AskedModel, Asker]) -> tuple[Roles, ...]:
        """Who plays which role in a protocol, once for each judge of its panel."""

        def played_by(role: Role, judge: Asker) -> Asker:
            return askers[self.model(protocol, role)] if role in shared else judge

        shared = self.shared_roles(protocol)

        panel = [askers[model] for model in self.panel(protocol)]
        return tuple(
            Roles(judge, *(played_by(role, judge) for role in ROLES[1:])) for judge in panel
        )

    def cases(self, abreast: int = 1) -> Iterator[tuple[Protocol, Case]]:
        """All cases, those of one report close together, so that a provider's cache stays warm.

        abreast: so many reports are begun before the next protocol is, so that few wait for the
        first answer about theirs. Protocols that read pages come first: their questions follow
        from each other, and the others fill the gaps. What is read off a report is forgotten with
        its last case: only the texts stay.
        """
        protocols = sorted(self.protocols, key=lambda protocol: not protocol.reads_pages)
        for start in range(0, len(self.reports), abreast):
            fresh = [replace(report) for report in self.reports[start : start + abreast]]
            yield from self._cases_of(protocols, fresh)

    def _cases_of(
        self, protocols: Sequence[Protocol], reports: Sequence[Report]
    ) -> Iterator[tuple[Protocol, Case]]:
        for protocol, repeat, report in product(protocols, range(self.repeat), reports):
            if isinstance(protocol, Pairwise) and protocol.excuses(report.agent):
                continue
            task = self.tasks[report.task].on(self.day, protocol.edition)
            reference = self.references.get(report.task)
            rival = self._rival(protocol, report)
            yield protocol, Case(task, report, repeat, reference, rival)

    def _protocols_for(self, agent: str) -> list[Protocol]:
        return [
            protocol
            for protocol in self.protocols
            if not (isinstance(protocol, Pairwise) and protocol.excuses(agent))
        ]

    def _rival(self, protocol: Protocol, report: Report) -> Report | None:
        if not isinstance(protocol, Pairwise):
            return None
        return self.rivals.get((protocol.baseline, report.task))

    @property
    def size(self) -> int:
        """How many cases there are."""
        return sum(len(self._protocols_for(report.agent)) for report in self.reports) * self.repeat

    @property
    def missing(self) -> int:
        """How many cases more there would be, had every agent a report for every task."""
        there = {(report.agent, report.task) for report in self.reports}
        return self.repeat * sum(
            len(self._protocols_for(agent))
            for agent in {agent for agent, _ in there}
            for task in self.tasks
            if (agent, task) not in there
        )


def part_of(plan: Plan, number: int, count: int) -> Plan:
    """A shard of a plan: every `count`th task from the `number`th on, with its reports.

    What the recipes of scores rest on is as for all tasks, so that shards can be merged.
    """
    places = {task: place for place, task in enumerate(plan.tasks)}
    own = {task: plan.tasks[task] for task in [*plan.tasks][number - 1 :: count]}
    made_of = [
        [task.digest for task in plan.tasks.values()],
        sorted((report.agent, report.task, report.sample) for report in plan.reports),
    ]
    return replace(
        plan,
        tasks=own,
        reports=tuple(report for report in plan.reports if report.task in own),
        part=Part(number, count, digest(made_of), {task: places[task] for task in own}),
    )


def rivals_among(reports: Iterable[Report]) -> dict[tuple[str, str], Report]:
    """Of each agent's samples for a task the first, by agent and task; none that is empty."""
    last_first = sorted(reports, key=lambda report: report.sample, reverse=True)
    return {(report.agent, report.task): report for report in last_first if report.text.strip()}


def identity_of(plan: Plan, protocol: Protocol, panel: Sequence[Roles]) -> dict[str, Json]:
    """What decides whether two scores of this protocol may be compared, but for the tasks.

    What the tasks bring besides (criteria, references) is `Protocol.basis` of each case.
    """
    judges = [dict(roles.judge.identity) for roles in panel]
    others: dict[str, Json] = {
        role: dict(getattr(panel[0], role).identity) for role in plan.shared_roles(protocol)
    }
    prompts = [
        operation.digest(language)
        for operation in protocol.operations()
        for language in ("en", "zh")
    ]
    return {
        "protocol": protocol.without_edition,
        "edition": protocol.edition,
        "judges": judges,
        **others,
        "prompts": digest(prompts)[:12],
        **_offline_rules(protocol, (*judges, *others.values())),
        **({"rules": protocol.rules} if protocol.rules else {}),
        **({"code": protocol.code} if protocol.code else {}),
        **({"definition": digest(protocol.definition)[:12]} if protocol.definition else {}),
        **({"pages": plan.pages} if protocol.reads_pages else {}),
        "date": plan.day.isoformat(),
        "repeats": plan.repeat,
    }


def _offline_rules(protocol: Protocol, models: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """A digest of the versions of the offline rules, where one of the models is the offline one."""
    rules = [operation.rule for operation in protocol.operations()]
    if not any(map(is_offline, models)) or max(rules, default=1) == 1:
        return {}
    return {"offline_rules": digest(rules)[:12]}


def key_of(identity: Json, protocol: Protocol, case: Case) -> str:
    """The name of one outcome: recipe, task, report and which repeat."""
    return digest(
        [
            identity,
            case.task.digest,
            protocol.basis(case),
            case.report.agent,
            case.report.sample,
            case.report.digest,
            case.repeat,
        ]
    )


_PLACEHOLDER = re.compile(r"\{\{\s*\w+\s*\}\}")


def join(
    tasks: Sequence[Task], reports: Sequence[Report]
) -> tuple[tuple[Report, ...], tuple[Report, ...]]:
    """Reports that answer one of the tasks, and those that answer none.

    Joined by identifier and checked by prompt, where the report says what it was asked. One
    that says so and was written for another task of the file is joined to that: published sets
    have been numbered anew. Raises BadReports if a prompt is none of the file's though the
    identifier is, and if no report answers any task.
    """
    by_id = {task.id: task for task in tasks}
    by_prompt = {" ".join(task.prompt.split()): task for task in tasks}
    known: list[Report] = []
    unmatched: list[Report] = []
    for report in reports:
        task = by_id.get(report.task)
        said = report.prompt
        if said is not None and (task is None or not _same_prompt(task.prompt, said)):
            task = by_prompt.get(" ".join(said.split()), task)
        if task is None:
            unmatched.append(report)
        elif report.prompt is not None and not _same_prompt(task.prompt, report.prompt):
            raise BadReports(
                f"{_place(report)}: the report of {report.agent} with the identifier {report.task} "
                f"was written for another prompt than task {report.task}.",
                "Give the task file that the reports were made for, or correct the identifiers.",
            )
        else:
            known.append(report if task.id == report.task else replace(report, task=task.id))
    _refuse_twins(known)
    if not known:
        there = ", ".join(sorted({report.task for report in reports})[:3]) or "none"
        wanted = ", ".join(task.id for task in tasks[:3])
        raise BadReports(
            f"No report answers any of the tasks: the reports are named {there} …, "
            f"the tasks {wanted} ….",
            "A report is joined to its task by identifier: the name of its file, "
            "or the field `id`.",
        )
    return tuple(known), tuple(unmatched)


def _refuse_twins(reports: Sequence[Report]) -> None:
    """Raise BadReports if two reports of one agent answer the same task as the same sample."""
    seen: dict[tuple[str, str, int], Report] = {}
    for report in reports:
        place = (report.agent, report.task, report.sample)
        if (first := seen.get(place)) is not None:
            raise BadReports(
                f"{_place(report)}: by its prompt this is a second report of agent "
                f"{report.agent!r} for task {report.task!r}; the first is {_place(first)}.",
                "Correct the identifiers or the prompts.",
            )
        seen[place] = report


def _place(report: Report) -> str:
    """Where a report stands, for messages."""
    return report.path or f"a report given as a value ({report.agent!r}, {report.task!r})"


def _same_prompt(template: str, prompt: str) -> bool:
    """Whether a prompt is the template, whatever stands for its dates and blanks."""
    if prompt == template:
        return True
    pieces = [" ".join(piece.split()) for piece in _PLACEHOLDER.split(template)]
    rest = " ".join(prompt.split())
    if len(pieces) == 1:
        return rest == pieces[0]
    if not (rest.startswith(pieces[0]) and rest.endswith(pieces[-1])):
        return False
    position = 0
    for piece in pieces:
        position = rest.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return True


def references_of(
    named: str | None, tasks: Sequence[Task], reports: Sequence[Report]
) -> dict[str, Report]:
    """The reference of each task: by the agent or file that is `named`, else its own.

    Tasks for which that has no report, or an empty one, have none: the two are never mixed.
    Raises BadSetting if there is neither such an agent nor such a file, and BadReports if the
    file does not fit the tasks or holds reports of several agents.
    """
    if named is None:
        return {task.id: Report(task.reference, "", task.id) for task in tasks if task.reference}
    return {
        task: report
        for (_, task), report in rivals_among(_of_one("--reference", named, tasks, reports)).items()
    }


def baseline_of(
    named: str | None, tasks: Sequence[Task], reports: Sequence[Report]
) -> dict[tuple[str, str], Report]:
    """The reports that others are compared with in pairs, by agent and task.

    Those of the agent or file that is `named`, else those of every agent. Raises as
    `references_of` does, and BadReports if a file has other reports of one of the agents: by
    its name alone nobody could tell the two apart.
    """
    if named is None:
        return rivals_among(reports)
    rivals = rivals_among(_of_one("--baseline", named, tasks, reports))
    own, agents = rivals_among(reports), {report.agent for report in reports}
    for (agent, task), rival in rivals.items():
        known = own.get((agent, task))
        if agent in agents and (known is None or known.digest != rival.digest):
            raise BadReports(
                f"--baseline {named} holds other reports of {agent}, which is also an agent that "
                "is evaluated.",
                f"Rename its folder or file, for instance {agent}-before.",
            )
    return rivals


def _of_one(
    option: str, named: str, tasks: Sequence[Task], reports: Sequence[Report]
) -> Sequence[Report]:
    """The reports of the agent or file that an option names."""
    found = [report for report in reports if report.agent == named]
    if not found and not Path(named).exists():
        agents = ", ".join(sorted({report.agent for report in reports})[:12])
        raise BadSetting(
            f"{option} {named}: there is neither an agent nor a file of this name.",
            f"Give one of the agents ({agents}), or a file of reports.",
        )
    if not found:
        found = list(join(tasks, load_reports([Path(named)]))[0])
        if len(several := sorted({report.agent for report in found})) > 1:
            raise BadReports(
                f"{option} {named} holds the reports of {len(several)} agents "
                f"({', '.join(several[:5])}).",
                "Give the reports of one of them.",
            )
    return found
