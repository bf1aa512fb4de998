"""What a run is to do: which reports for which tasks, by which protocols and judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from deepassay.models.ask import Asker, is_offline
from deepassay.models.client import Client, ModelSettings
from deepassay.protocols.protocol import ROLES, Case, Edition, Pairwise, Protocol, Role, RoleAskers
from deepassay.reports.report import Report
from deepassay.results.joined import SHOWN, Joined
from deepassay.results.tables import several
from deepassay.run.asking.readings import name_of
from deepassay.run.settings import ProtocolSettings
from deepassay.runfile import Part, StoredRun
from deepassay.score import NOBODY, Json, digest, report_key
from deepassay.tasks.task import Task

if TYPE_CHECKING:
    from deepassay.models.cascade import Cascade


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
        """A model of this name, asked as the settings say; see `named`."""
        return cls.named(model, model_settings(settings), settings.base_url)

    @classmethod
    def named(cls, model: str, settings: ModelSettings, base_url: str | None) -> AskedModel:
        """A model of this name; one that Python code plays is imported. Raises BadSetting."""
        client = None
        if model != "offline":
            from deepassay.models.functions import client_named

            client = client_named(model)
        return cls(model, base_url, settings, client)

    @property
    def is_local(self) -> bool:
        """Whether it is a classifier in a folder: see `models.verifier`."""
        return self.model.startswith("local:")

    @property
    def is_cascade(self) -> bool:
        """Whether it is a cheap judge before the judge: see `models.cascade`."""
        return self.model.startswith("cascade:")

    def __str__(self) -> str:
        """The model, with the settings that were asked for: `openai:x (effort high)`."""
        asked = [
            f"{each.name} {value}"
            for each in fields(self.settings)
            if (value := getattr(self.settings, each.name)) != each.default
        ]
        return f"{self.model} ({', '.join(asked)})" if asked else self.model


def model_settings(settings: ProtocolSettings) -> ModelSettings:
    """How a judge is asked; what there is no setting for is for models that write reports."""
    given = {each.name: getattr(settings, each.name, None) for each in fields(ModelSettings)}
    return ModelSettings(**{name: value for name, value in given.items() if value is not None})


Times = Callable[[Protocol, str], int]
"""How often a protocol judges each report of an agent."""


@dataclass(frozen=True)
class Plan:
    """Everything that decides the scores of a run.

    judges: the panel; judges_of: another panel for a protocol, by the protocol's name.
    others: who plays a role other than the judge's; for the rest, the first judge of the panel.
    references: the report that others are held against, by task. rivals: the reports of
    baselines, by agent and task. lacking: runs that ended without a report. steps: by which the
    rubric of a task was made of another one. pages: how cited pages are read. day: today, as open
    dates in tasks are filled in. joined: what became of the reports that were given. part: which
    shard this is. times: how often a protocol judges each report of an agent, where that is not
    `repeat`. copies: agents whose reports are changed copies of others.
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
    lacking: tuple[StoredRun, ...] = ()
    steps: Mapping[str, Sequence[str]] = field(default_factory=dict)
    pages: str = "direct"
    repeat: int = 1
    joined: Joined | None = None
    choice: tuple[str, ...] = ()
    part: Part | None = None
    times: Times | None = None
    copies: frozenset[str] = frozenset()

    def panel(self, protocol: Protocol) -> tuple[AskedModel, ...]:
        """The judges of a protocol; one of them where none is asked."""
        judges = self.judges_of.get(protocol.name, self.judges)
        return judges if protocol.operations() else judges[:1]

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
        """All models that may be asked, but for those of a cascade."""
        return frozenset(
            model
            for protocol in self.protocols
            for model in (
                *self.panel(protocol),
                *(self.model(protocol, role) for role in self.shared_roles(protocol)),
            )
            if not model.is_cascade
        )

    @property
    def cascade(self) -> AskedModel | None:
        """The verifier, where it is a cascade."""
        verifier = self.others.get("verifier")
        return verifier if verifier is not None and verifier.is_cascade else None

    @property
    def reads_pages(self) -> bool:
        """Whether a protocol looks at what reports cite."""
        return any(protocol.reads_pages for protocol in self.protocols)

    def told(self) -> Iterator[str]:
        """What is said before anything is asked: of reports, of protocols, of addresses."""
        yield from (*self.joins(), *self.choice, *self.unread())

    def unread(self, most: int = 1000) -> Iterator[str]:
        """What reading lost of the addresses of the first reports, where cited pages are judged."""
        if self.reads_pages:
            from deepassay.reports.unread_addresses import unread_in_words

            yield from unread_in_words(report.anew() for report in self.reports[:most])

    def joins(self) -> Iterator[str]:
        """What was taken, in one line: how many reports of how many, and who lacks which.

        Then the first of those that are left out.
        """
        if self.joined is None:
            return
        there = {(report.agent, report.task) for report in self.reports}
        agents = sorted({agent for agent, _ in self._places})
        lacking = {
            agent: [name_of(task) for id, task in self.tasks.items() if (agent, id) not in there]
            for agent in agents
        }
        lacking = {agent: own for agent, own in lacking.items() if own}
        taken = (
            f"{several(len(self.tasks), 'task')}, {several(len(agents), 'agent')}, "
            f"{len(there)} of {several(len(self.tasks) * len(agents), 'report')}"
        )
        if more := len(self.reports) - len(there):
            taken += f" and {more} more answers to the same tasks"
        said = [f"{_listed(own)} of {agent}" for agent, own in [*lacking.items()][:SHOWN]]
        if len(lacking) > SHOWN:
            more = len(lacking) - SHOWN
            said.append(f"{several(more, 'more agent')} lack{'s' * (more == 1)} some")
        if self.joined.strays:
            verb = "are" if self.joined.strays[1:] else "is"
            said.append(f"{len(self.joined.strays)} of {self.joined.came} {verb} for no task")
        if self.joined.by_rule:
            said.append(f"{len(self.joined.by_rule)} of {self.joined.came} are beyond the limit")
        yield "; ".join([taken, *said]) + "."
        yield from replace(self.joined, by_rule=()).left_out()

    def roles(
        self,
        protocol: Protocol,
        askers: Mapping[AskedModel, Asker],
        cascade: Cascade | None = None,
    ) -> tuple[RoleAskers, ...]:
        """Who plays which role in a protocol, once for each judge of its panel.

        cascade: of the verifier, where it is one; without it, as in estimates, all goes to the
        judge behind it.
        """

        def played_by(role: Role, judge: Asker) -> Asker:
            if role not in shared:
                return judge
            if (model := self.model(protocol, role)).is_cascade:
                return cascade.before(judge) if cascade else judge
            return askers[model]

        shared = self.shared_roles(protocol)
        panel = [askers[model] for model in self.panel(protocol)]
        return tuple(
            RoleAskers(judge, *(played_by(role, judge) for role in ROLES[1:])) for judge in panel
        )

    @property
    def waves(self) -> tuple[Plan, ...]:
        """Parts of the plan, each begun when the one before is done.

        Where pages are read, copies wait for the others: what these say of a page has been judged
        then, and is not asked again in smaller pieces.
        """
        kinds: tuple[list[Report], list[Report]] = ([], [])
        for report in self.reports:
            kinds[report.agent in self.copies].append(report)
        if not (all(kinds) and self.reads_pages):
            return (self,)
        return tuple(replace(self, reports=tuple(each)) for each in kinds)

    def cases(self, abreast: int = 1) -> Iterator[tuple[Protocol, Case]]:
        """All cases, those of one report close together, so that a provider's cache stays warm.

        abreast: so many reports are begun before the next protocol is, so that few wait for the
        first answer about theirs. Protocols that read pages come first: their questions follow
        from each other, and the others fill the gaps. The text of a report, and what is read off
        it, is forgotten with its last case, or a few reports later.
        """
        protocols = sorted(self.protocols, key=lambda protocol: not protocol.reads_pages)
        for start in range(0, len(self.reports), abreast):
            fresh = [report.anew() for report in self.reports[start : start + abreast]]
            yield from self._cases_of(protocols, fresh)

    def _cases_of(
        self, protocols: Sequence[Protocol], reports: Sequence[Report]
    ) -> Iterator[tuple[Protocol, Case]]:
        for protocol in protocols:
            times = {each.agent: self.times_of(protocol, each.agent) for each in reports}
            for repeat, report in product(range(max(times.values(), default=0)), reports):
                if repeat < times[report.agent]:
                    yield protocol, self._case(protocol, repeat, report)

    def _case(self, protocol: Protocol, repeat: int, report: Report) -> Case:
        rival = (
            self.rivals.get((protocol.baseline, report.task))
            if isinstance(protocol, Pairwise)
            else None
        )
        dated = report.task, protocol.edition
        if (task := self._dated.get(dated)) is None:
            task = self._dated[dated] = self.tasks[report.task].on(self.day, protocol.edition)
        return Case(task, report, repeat, self.references.get(report.task), rival)

    @cached_property
    def _dated(self) -> dict[tuple[str, Edition], Task]:
        """The tasks with their open dates filled in, as soon as they were needed."""
        return {}

    def times_of(self, protocol: Protocol, agent: str) -> int:
        """How often a protocol judges each report of an agent."""
        if isinstance(protocol, Pairwise) and protocol.excuses(agent):
            return 0
        return self.repeat if self.times is None else self.times(protocol, agent)

    @property
    def _places(self) -> set[tuple[str, str]]:
        """Agent and task of every report, and of every run that ended without one."""
        written = {(each.agent, each.task) for each in self.reports}
        return written | {(each.agent, each.task) for each in self.lacking}

    @property
    def size(self) -> int:
        """How many cases there are."""
        counts = Counter(report.agent for report in self.reports)
        return sum(
            count * self.times_of(protocol, agent)
            for agent, count in counts.items()
            for protocol in self.protocols
        )

    @property
    def missing(self) -> int:
        """How many cases more there would be, had every agent a report for every task."""
        if self.times is not None:  # made of what there is
            return 0
        there = self._places
        every = product({agent for agent, _ in there}, self.tasks)
        lacking = Counter(agent for agent, task in every if (agent, task) not in there)
        lacking.update(each.agent for each in self.lacking)
        return sum(
            count * self.times_of(protocol, agent)
            for agent, count in lacking.items()
            for protocol in self.protocols
        )


def _listed(tasks: Sequence[str]) -> str:
    """Tasks for which there is no report: `tasks t07 and t11 have none`."""
    names = [*tasks[:SHOWN]]
    if len(tasks) > SHOWN:
        names.append(f"{len(tasks) - SHOWN} more")
    named = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"tasks {named} have none" if len(tasks) > 1 else f"task {named} has none"


def part_of(plan: Plan, number: int, count: int) -> Plan:
    """A shard of a plan: every `count`th task from the `number`th on, with its reports.

    What the recipes of scores rest on is as for all tasks, so that shards can be merged.
    """
    places = {task: place for place, task in enumerate(plan.tasks)}
    own = {task: plan.tasks[task] for task in [*plan.tasks][number - 1 :: count]}
    made_of = [
        [task.digest for task in plan.tasks.values()],
        sorted(report_key(report) for report in plan.reports),
    ]
    return replace(
        plan,
        tasks=own,
        reports=tuple(report for report in plan.reports if report.task in own),
        lacking=tuple(each for each in plan.lacking if each.task in own),
        part=Part(number, count, digest(made_of), {task: places[task] for task in own}),
    )


def identity_of(plan: Plan, protocol: Protocol, panel: Sequence[RoleAskers]) -> dict[str, Json]:
    """What decides whether two scores of this protocol may be compared, but for the tasks.

    What the tasks bring besides (criteria, references) is `Protocol.basis` of each case.
    """
    asks = bool(protocol.operations())
    judges = [dict(roles.judge.identity) if asks else dict(NOBODY) for roles in panel]
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


def outcome_key(identity: Json, protocol: Protocol, case: Case) -> str:
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
