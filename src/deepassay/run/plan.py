"""What a run is to do: which reports, for which tasks, by which protocols, judged by whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from itertools import product

from deepassay.errors import BadSetting
from deepassay.models.ask import Asker
from deepassay.protocols.protocol import ROLES, Case, Pairwise, Protocol, Role, Roles
from deepassay.reports.report import Report
from deepassay.score import Json, digest
from deepassay.tasks.task import Task


@dataclass(frozen=True)
class Player:
    """A model that plays a role, with the settings that decide what it answers.

    model: `offline` or `provider:NAME`. max_output: tokens of one answer at most.
    structured: the provider is to enforce the form of the answer. context_window: tokens that
    the model takes, where nobody else says; longer questions are not sent.
    """

    model: str = "offline"
    base_url: str | None = None
    effort: str | None = None
    temperature: float | None = None
    max_output: int | None = None
    structured: bool = False
    context_window: int | None = None

    def __str__(self) -> str:
        """The model, with the settings that were asked for: `openai:x (effort high)`."""
        asked = [
            f"{each.name} {getattr(self, each.name)}"
            for each in fields(self)[2:]
            if getattr(self, each.name) != each.default
        ]
        return f"{self.model} ({', '.join(asked)})" if asked else self.model


@dataclass(frozen=True)
class Plan:
    """Everything that decides the scores of a run.

    judges: the panel; judges_of: another panel for a protocol, by the protocol's name.
    players: who plays a role other than the judge's; for the rest, the first judge of the panel.
    references: the report that others are held against, by task. rivals: the reports of
    baselines, by agent and task. pages: how cited pages are
    read. day: today, as open dates in tasks are filled in. strangers: reports for no known task.
    """

    tasks: Mapping[str, Task]
    reports: tuple[Report, ...]
    protocols: tuple[Protocol, ...]
    judges: tuple[Player, ...]
    day: date
    judges_of: Mapping[str, tuple[Player, ...]] = field(default_factory=dict)
    players: Mapping[Role, Player] = field(default_factory=dict)
    references: Mapping[str, Report] = field(default_factory=dict)
    rivals: Mapping[tuple[str, str], Report] = field(default_factory=dict)
    pages: str = "direct"
    repeat: int = 1
    strangers: tuple[Report, ...] = ()

    def __post_init__(self) -> None:
        if self.repeat < 1:
            raise BadSetting(f"--repeat {self.repeat} is not possible.", "Give 1 or more.")

    def panel(self, protocol: Protocol) -> tuple[Player, ...]:
        """The judges of a protocol."""
        return self.judges_of.get(protocol.name, self.judges)

    def player(self, protocol: Protocol, role: Role) -> Player:
        """Who plays a role that all judges of a panel share."""
        return self.players.get(role, self.panel(protocol)[0])

    @property
    def everyone(self) -> frozenset[Player]:
        """All models that may be asked."""
        return frozenset(
            player
            for protocol in self.protocols
            for player in (
                *self.panel(protocol),
                *(self.player(protocol, role) for role in protocol.roles if role != "judge"),
            )
        )

    def roles(self, protocol: Protocol, askers: Mapping[Player, Asker]) -> tuple[Roles, ...]:
        """The cast of a protocol, once for each judge of its panel."""

        def played_by(role: Role, judge: Asker) -> Asker:
            return askers[self.player(protocol, role)] if role in protocol.roles else judge

        panel = [askers[player] for player in self.panel(protocol)]
        return tuple(
            Roles(judge, *(played_by(role, judge) for role in ROLES[1:])) for judge in panel
        )

    def cases(self, abreast: int = 1) -> Iterator[tuple[Protocol, Case]]:
        """All cases, those of one report close together, so that a provider's cache stays warm.

        abreast: so many reports are begun before the second protocol is, so that few have to wait
        for the first answer about theirs. Protocols that read pages come first, and begin twice as
        many: their questions follow from each other, and the others fill the gaps. What is read
        off a report is forgotten with its last case: only the texts stay.
        """
        reading = [each for each in self.protocols if each.reads_pages]
        others = [each for each in self.protocols if not each.reads_pages]
        at_once = 2 * abreast if reading else abreast
        for start in range(0, len(self.reports), at_once):
            fresh = [replace(report) for report in self.reports[start : start + at_once]]
            yield from self._cases_of(reading, fresh)
            for part in (fresh[:abreast], fresh[abreast:]):
                yield from self._cases_of(others, part)

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


def identity_of(plan: Plan, protocol: Protocol, panel: Sequence[Roles]) -> dict[str, Json]:
    """What decides whether two scores of this protocol may be compared, but for the tasks.

    What the tasks bring besides (criteria, references) is `Protocol.basis` of each case.
    """
    prompts = [
        operation.digest(language)
        for operation in protocol.operations()
        for language in ("en", "zh")
    ]
    return {
        "protocol": str(replace(protocol, edition="paper")),
        "edition": protocol.edition,
        "judges": [dict(roles.judge.identity) for roles in panel],
        **{role: dict(getattr(panel[0], role).identity) for role in protocol.roles[1:]},
        "prompts": digest(prompts)[:12],
        **({"rules": protocol.rules} if protocol.rules else {}),
        **({"code": protocol.code} if protocol.code else {}),
        **({"definition": digest(protocol.definition)[:12]} if protocol.definition else {}),
        **({"pages": plan.pages} if protocol.reads_pages else {}),
        "date": plan.day.isoformat(),
        "repeats": plan.repeat,
    }


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
