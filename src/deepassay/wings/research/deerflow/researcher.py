"""`deerflow+`: the research agent of DeepAssay, as a value whose fields are its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from deepassay.agents.agent import Agent, Models, Session, Stop
from deepassay.errors import BadSetting
from deepassay.models.client import ModelSettings
from deepassay.runfile import AgentRun
from deepassay.sources.snapshots import Snapshots
from deepassay.tasks.task import Task
from deepassay.wings.research.deerflow.budget import Clock, Ledger, ResearchLimits
from deepassay.wings.research.deerflow.context import CAPS, Caps, Role, limits_of
from deepassay.wings.research.deerflow.findings import Switches
from deepassay.wings.research.deerflow.gathering import PAGES_A_ROUND
from deepassay.wings.research.deerflow.machine import Edition, Machine
from deepassay.wings.research.deerflow.pages import Web
from deepassay.wings.research.deerflow.paper_edition import PAGES
from deepassay.wings.research.deerflow.roles import ResearchRoles, RoleModel
from deepassay.wings.research.search.corpus import Corpus
from deepassay.wings.research.search.opening import CHOICES, KeptSearch
from deepassay.wings.research.search.providers import PROVIDERS

KIND: Final = "deerflow+"

QUESTIONS: Final = 5
ROUNDS: Final = 2
PAGE: Final = 4_000
"""What is taken for likely beforehand: questions and rounds of a task, tokens of a page."""

_PROMPTS: Final[dict[Role, int]] = {
    "planner": 2_000, "researcher": 1_500, "reader": 1_500 + PAGE, "writer": 4_000,
    "checker": 3_000,
}  # fmt: skip
_PAPER: Final[Mapping[Role, int]] = {"planner": 1, "researcher": 3, "writer": 1}


class Researcher(Agent):
    """`deerflow+` or `deerflow+:paper`; settings as in `deerflow+(rounds=2, check=False)`.

    edition: `paper` is what LiveResearchBench, section 5 and appendix D, names; `ours` adds what
    the switches below it name. search: `corpus:PATH` or a provider. model: of every role that
    `models` does not name. caps: tokens of a role's prompts and answers at most. context_window:
    tokens, for models of which nobody knows it. thinking: tokens for thoughts in each answer.
    rounds: of research.

    Switches of edition ours: ledger (what the prompt asks for is looked after span by span),
    outline (a model binds sections to evidence), sections (one section at a time with its evidence
    only), check (sentences against quotes), summaries (off; a model's words for each quote stand in
    prompts in its place), patches (single sentences are mended; else the section
    is written again), contradictions (kept and named), forms (quotes shorten to one line and not
    to their beginning), cite_unopened (hits whose page could not be read may be cited).
    """

    kind: ClassVar[str] = KIND

    edition: Edition = Field(default="ours", alias=KIND)
    search: str = ""
    model: str = "offline"
    models: Mapping[Role, str] = Field(default_factory=dict)
    caps: Mapping[Role, Caps] = Field(default_factory=dict)
    base_url: str | None = None
    effort: str | None = None
    structured: bool = False
    thinking: NonNegativeInt = 0
    context_window: PositiveInt | None = None
    budget: ResearchLimits = ResearchLimits()
    rounds: PositiveInt = 3
    ledger: bool = True
    outline: bool = True
    sections: bool = True
    check_: bool = Field(default=True, alias="check")
    summaries: bool = False
    patches: bool = True
    contradictions: bool = True
    forms: bool = True
    cite_unopened: bool = False

    @model_validator(mode="before")
    @classmethod
    def _edition(cls, given: Any) -> Any:  # noqa: ANN401 - as pydantic hands it over
        """The edition may stand behind the kind or by its own name."""
        if not isinstance(given, Mapping):
            return given
        table = dict(given)
        behind, named = table.pop(KIND, True), table.pop("edition", None)
        chosen = named if behind is True or behind == named else behind
        return {**table, KIND: "ours" if chosen is None else chosen}

    def outlook(self) -> str:
        """What is likely, and the limits of its budget."""
        models = sorted({self.models.get(role, self.model) for role in CAPS})
        cost = "" if self.budget.cost is None else f" and ${self.budget.cost}"
        calls, tokens = self.likely
        return (
            f"likely about {calls:,} calls of {', '.join(models)} and {tokens:,} tokens each "
            f"({QUESTIONS} questions, pages of {PAGE:,} tokens), "
            f"at most {self.budget.calls:,} calls, {self.budget.tokens:,} tokens{cost}"
        )

    @property
    def likely(self) -> tuple[int, int]:
        """Calls and tokens that a run is likely to take; no more than its budget has."""
        calls, prompts = _PAPER, _PROMPTS | {"researcher": PAGES * PAGE}
        if self.edition == "ours":
            rounds, prompts = min(self.rounds, ROUNDS), _PROMPTS
            calls = {
                "planner": 1 + self.ledger * (1 + rounds) + self.outline,
                "researcher": rounds * (QUESTIONS + 1),
                "reader": rounds * PAGES_A_ROUND,
                "writer": 2 + (QUESTIONS if self.sections else 1),
                "checker": QUESTIONS * self.check_,
            }
        caps = {**CAPS, **self.caps}
        tokens = sum(
            count * (min(caps[role].input, prompts[role]) + caps[role].output // 3 + self.thinking)
            for role, count in calls.items()
        )
        counted = min(sum(calls.values()), self.budget.calls)
        return counted, min(round(tokens, -4), self.budget.tokens)

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise BadSetting where the search is missing or cannot be."""
        if not self.search:
            raise BadSetting(
                "deerflow+ has nothing to search in.",
                f"Give --search, or `search` in its table: {CHOICES}.",
            )
        name, _, rest = self.search.partition(":")
        if name != "corpus" and name not in PROVIDERS:
            raise BadSetting(f"{self.search!r} names no search.", f"Choose one of {CHOICES}.")
        if name == "corpus" and not Path(rest).exists():
            raise BadSetting(
                f"{rest or self.search}: there is no such file or folder.",
                "Check the path of the corpus.",
            )

    async def answer(self, task: Task, session: Session) -> AgentRun:
        """Research the task. Raises BadInput for a model, a search or a key that cannot be had."""
        tools = session.tools
        clock = Clock(session.handle)
        settings = RoleSettings(
            {role: self.models.get(role, self.model) for role in CAPS},
            {**CAPS, **self.caps},
            self.base_url,
            self.context_window,
            self.thinking,
            self.effort,
            self.structured,
        )
        seconds = 1e9 if tools.patient else min(self.budget.seconds, self.limit_s)
        ledger = Ledger(self.budget.model_copy(update={"seconds": seconds}), clock)

        roles = ResearchRoles(
            await settings.connect(tools.models), ledger, tools.run, clock, session.keep
        )
        search = await tools.searches.get(self.search)
        pages = tools.pages
        if isinstance(search, Corpus):
            pages = Snapshots(tools.run.captures, None, search)
        kept = KeptSearch(tools.run.answering, search, search.identity)
        web = Web(kept, pages, roles, task.language, self.cite_unopened)
        machine = Machine(task, self.edition, roles, web, self._switches, self.rounds)
        run = await machine.run()
        if run.stop != Stop.BUDGET or run.report is not None:
            await session.keep(None)
        return run

    @property
    def _switches(self) -> Switches:
        said = self.model_dump(by_alias=True)
        return Switches(**{each.name: said[each.name] for each in fields(Switches)})


@dataclass(frozen=True)
class RoleSettings:
    """Which model plays which role, and how it is asked.

    thinking: tokens for thoughts, in addition to those of an answer.
    """

    models: Mapping[Role, str]
    caps: Mapping[Role, Caps]
    base_url: str | None
    window: int | None
    thinking: int = 0
    effort: str | None = None
    structured: bool = False

    async def connect(self, models: Models) -> dict[Role, RoleModel]:
        """The roles, connected. Raises BadSetting."""
        return {role: await self._member(models, role) for role in CAPS}

    async def _member(self, models: Models, role: Role) -> RoleModel:
        name, caps = self.models[role], self.caps[role]
        caps = Caps(caps.input, caps.output + self.thinking)
        limits = limits_of(caps, self.window)
        if name == "offline":
            return RoleModel(await models.asker(name, ModelSettings(), None), None, limits)
        client = await models.client(name, self._settings(limits), self.base_url)
        if self.window is None and client.context_window is not None:
            limits = limits_of(caps, client.context_window)
            client = await models.client(name, self._settings(limits), self.base_url)
        asker = await models.asker(name, self._settings(limits), self.base_url)
        return RoleModel(asker, client, limits)

    def _settings(self, limits: Caps) -> ModelSettings:
        return ModelSettings(
            max_output=limits.output,
            effort=self.effort,
            structured=self.structured,
            context_window=self.window,
        )
