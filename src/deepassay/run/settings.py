"""Every setting of commands that ask a model, declared once.

The command line takes its options from here, `assay.toml` is checked against it, Python passes
`Settings(judge="openai:x", budget=5)`, and `deepassay settings` prints it. What only one command
takes (`--samples`, `--group-size`) is an argument of that command's function and no setting: a
file that holds for a whole project has no use for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from deepassay.errors import BadSetting
from deepassay.run.declared import (
    ONLY_WITH,
    Amount,
    ColumnsText,
    Count,
    Day,
    File,
    Files,
    Protocols,
    Rate,
    Seconds,
    SettingDisplay,
    Shard,
    Share,
    Switch,
    Text,
    Texts,
    declared,
    given_settings,
    idle,
    setting_refusal,
    shard_of,
)

OPEN: Final = 5_000
"""Calls that are waited for at a time where they are asked in batches."""


class ProtocolSettings(BaseModel):
    """Settings that may differ by protocol, below `[protocol.NAME]` of assay.toml.

    What is not given there is as for all protocols.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _spelled(cls, given: object) -> object:
        return given_settings(given) if isinstance(given, Mapping) else given

    judge: Annotated[
        Texts,
        Field(description="offline, or PROVIDER:NAME; repeated: a panel."),
        SettingDisplay("offline"),
    ] = ("offline",)
    base_url: Annotated[
        Text | None,
        Field(description="An OpenAI-compatible endpoint."),
        SettingDisplay(
            more="It speaks OpenAI's chat interface, for models named `openai:…`; all judges at "
            "one address must be of one provider, since its key goes there."
        ),
    ] = None
    effort: Annotated[Text | None, Field(description="Reasoning effort: low, medium, high.")] = None
    temperature: Annotated[
        Amount | None,
        Field(description="Sent to the model."),
        SettingDisplay("the provider's", more="Without one none is sent."),
    ] = None
    max_output: Annotated[Count | None, Field(description="Tokens of one answer at most.")] = None
    structured: Annotated[
        Switch,
        Field(description="Have the provider enforce the JSON schema."),
        SettingDisplay(more="Where it can; a part of the recipe."),
    ] = False
    quotes: Annotated[
        Switch,
        Field(description="Ask once more where a judge's quote is not found."),
        SettingDisplay(
            more="No verdict rests on these quotes, and no paper asks for them: it costs calls, "
            "for evidence that is easier to look up; a part of the recipe."
        ),
    ] = False
    context_window: Annotated[
        Count | None,
        Field(description="Tokens that the judge takes, if nobody else knows."),
        SettingDisplay(
            more="Give it for servers that cut longer questions in silence; a part of the recipe."
        ),
    ] = None
    baseline: Annotated[
        Text | None,
        Field(description="An agent, or a file of reports, that pairs are made with."),
        SettingDisplay("every agent", more="For `depth`."),
    ] = None


class Settings(ProtocolSettings):
    """All settings. None stands for the default. Raises BadSetting for what is not possible."""

    protocols: Annotated[
        Protocols,
        Field(description="A protocol or a group of them; may be repeated."),
        SettingDisplay(
            "all metrics that the tasks have the inputs for, but for those that read cited pages",
            flag="--protocol",
            more="See [which protocols run](which-protocols.md).",
        ),
    ] = ()
    edition: Annotated[
        Literal["paper", "code"],
        Field(description="paper: as printed; code: as the released program."),
        SettingDisplay(more="See [papers](papers.md)."),
    ] = "paper"
    set: Annotated[
        Text | None, Field(description="A published set, or the file of one: see `tasks sets`.")
    ] = None
    repeat: Annotated[
        Count, Field(le=1000, description="Independent judgements of every report.")
    ] = 1
    date: Annotated[
        Day | None,
        Field(description="Today, as tasks are told: YYYY-MM-DD."),
        SettingDisplay(
            "today",
            more="What open dates in tasks stand for. A run file that is given brings its day.",
        ),
    ] = None
    frozen_dates: Annotated[
        Switch,
        Field(description="The dates that the set was published with."),
        SettingDisplay(
            more="For files that give their dates twice (LiveResearchBench), in place of `--date`."
        ),
    ] = False
    columns: Annotated[
        ColumnsText | None,
        Field(description="Which column is what: prompt=Frage,agent=Bot,report=Antwort."),
        SettingDisplay("by their names", more="See [tables](own-tables.md)."),
    ] = None
    traces: Annotated[Files | None, Field(description="What agents did: docs/traces.md.")] = None
    tools: Annotated[
        Texts | None,
        Field(description="What a tool in traces does: NAME=search, page or ignore."),
        SettingDisplay("told by its calls"),
    ] = None
    sessions: Annotated[
        Switch, Field(description="Traces of one session are turns of one run.")
    ] = False
    limit: Annotated[Count | None, Field(description="Only the first tasks.")] = None
    shard: Annotated[
        Shard | None,
        Field(description="I/N: every Nth task, from the Ith on; see `merge`."),
        SettingDisplay(more="Of the budget, the Nth part is for it. See [scale](scale.md)."),
    ] = None
    extractor: Annotated[
        Text | None,
        Field(description="Who reads statements out of reports."),
        SettingDisplay(
            "the judge",
            more="Where a protocol asks a model for that; with the settings of the judges.",
        ),
    ] = None
    cleaner: Annotated[
        Text | None,
        Field(description="Who takes citations out of reports."),
        SettingDisplay("the judge", more="Likewise."),
    ] = None
    maker: Annotated[
        Text | None,
        Field(description="Who makes the checklists of ACE that no file gives."),
        SettingDisplay(
            "the judge",
            more="Naming one where no task has a checklist turns `ace` into `ace(make=True)`.",
        ),
    ] = None
    verifier: Annotated[
        Text | None,
        Field(description="Who says what pages support: a model, local:FOLDER, cascade:FILE."),
        SettingDisplay("the judge"),
    ] = None
    reference: Annotated[
        Text | None,
        Field(description="An agent, or a file of reports, to compare with."),
        SettingDisplay(more="For RACE."),
    ] = None
    criteria: Annotated[
        File | None,
        Field(description="Criteria of the tasks: see `tasks criteria`."),
        SettingDisplay(more="Ours or as published."),
    ] = None
    rubric: Annotated[
        File | None,
        Field(description="Rubrics of the tasks: see `tasks rubric`."),
        SettingDisplay(more="Ours or as published, instead of those in the task file."),
    ] = None
    ace: Annotated[
        File | None, Field(description="ACE's checklists, instead of those in the task file.")
    ] = None
    bibliography: Annotated[File | None, Field(description="An expert's references.")] = None
    previous: Annotated[
        Text | None, Field(description="Earlier versions of the reports: files, or a run file.")
    ] = None
    feedback: Annotated[File | None, Field(description="What readers said of those.")] = None
    reader: Annotated[
        Text,
        Field(description="Who reads cited pages: direct, jina, or archive:YYYY-MM-DD."),
        SettingDisplay(more="A part of the recipe."),
    ] = "direct"
    snapshots: Annotated[
        File | None, Field(description="A file of cited pages that several runs share.")
    ] = None
    offline_sources: Annotated[Switch, Field(description="Fetch no page: only what is kept.")] = (
        False
    )
    allow_host: Annotated[
        Texts,
        Field(description="HOST or HOST:PORT that pages may come from though it is not public."),
    ] = ()
    page_proxy: Annotated[
        Text | None,
        Field(description="URL of a proxy to fetch cited pages through; no other is used."),
    ] = None
    max_connections: Annotated[
        Count,
        Field(description="The most calls at the same time."),
        SettingDisplay(more="Fewer when a provider says that it is too much."),
    ] = 16
    deadline: Annotated[
        Seconds,
        Field(description="Seconds for one attempt at a question."),
        SettingDisplay(more="A cited page has 30 seconds whatever stands here."),
    ] = 120.0
    batch: Annotated[
        Switch,
        Field(description="Ask in batches: within a day, for half the price."),
        SettingDisplay(more="Of OpenAI, Anthropic, Google: see [batches](batches.md)."),
    ] = False
    batch_size: Annotated[
        Count | None,
        Field(description="Requests in a batch at most."),
        SettingDisplay(
            "10000", more="As many cases at least are begun at a time, so that it is full."
        ),
    ] = None
    batch_wait: Annotated[
        Amount | None,
        Field(description="Seconds to wait for batches; 0: not at all."),
        SettingDisplay(
            "until all are back",
            more="Then the command ends with exit status 4, and batches go on at the provider: the "
            "same command collects them.",
        ),
    ] = None
    batch_file: Annotated[
        File | None,
        Field(description="A folder for batches as files, for who carries them out by hand."),
        SettingDisplay(more="As `vllm run-batch` does; with or without `--batch`."),
    ] = None
    time_limit: Annotated[
        Seconds | None,
        Field(description="Seconds after which nothing new is begun."),
        SettingDisplay(
            more="What is under way has ten seconds to end, as after Ctrl-C; the same command goes "
            "on from there. Exit status 4."
        ),
    ] = None
    budget: Annotated[
        Amount | None,
        Field(description="USD that the run may cost in all."),
        SettingDisplay(more="A hard cap for the run file."),
    ] = None
    rate: Annotated[
        Rate | None,
        Field(description="Calls a minute at most, of all models together."),
        SettingDisplay(more="Spread evenly, repeated attempts included."),
    ] = None
    allow_unpriced: Annotated[
        Switch,
        Field(description="Ask models of unknown price."),
        SettingDisplay(more="Although there is a budget: their cost is not counted."),
    ] = False
    prices: Annotated[
        File | None, Field(description="A file of prices that override the known ones.")
    ] = None
    run: Annotated[File, Field(description="Where everything is kept.")] = Path("run.assay")
    add_tasks: Annotated[
        Switch,
        Field(description="Add the tasks to a run file that holds only others."),
        SettingDisplay(
            more="Without it such a file is refused: two sets in one would be ranked as one."
        ),
    ] = False
    engine: Annotated[
        Literal["local", "ray"],
        Field(description="Where cases are carried out: in this process, or on a Ray cluster."),
        SettingDisplay(more="See [many machines](scale.md)."),
    ] = "local"
    address: Annotated[
        Text | None,
        Field(description="Of the Ray cluster: HOST:PORT, auto, or local to start one."),
    ] = None
    workers: Annotated[
        Count | None,
        Field(description="Processes on the Ray cluster."),
        SettingDisplay("one a node"),
    ] = None
    ray_temp_dir: Annotated[
        File | None,
        Field(description="Where a Ray cluster that `--address local` starts keeps its logs."),
    ] = None
    min_coverage: Annotated[
        Share | None,
        Field(description="Exit with 1 if any agent has a lower share scored."),
        SettingDisplay(more="Under any protocol: a share of the judgements."),
    ] = None
    retry_unscored: Annotated[
        Switch,
        Field(description="Ask again for what failed."),
        SettingDisplay(
            more="And read pages again that were gone, blocked, timed out or the like; "
            "without it a failure stays as it is."
        ),
    ] = False
    per_protocol: Annotated[
        Mapping[str, ProtocolSettings],
        Field(description="Other settings for single protocols, by their names."),
        SettingDisplay(possible="a table for each protocol"),
    ] = {}

    if not TYPE_CHECKING:  # type checkers take the signature that pydantic gives

        def __init__(self, **given: object) -> None:
            try:
                super().__init__(**given)
            except ValidationError as error:
                raise setting_refusal(
                    error, type(self), ProtocolSettings, given_settings(given)
                ) from None

    @model_validator(mode="after")
    def _has_effect(self) -> Self:
        """Raises BadSetting for what was given in vain."""
        for name in idle(vars(self)):
            flag = declared(name, Settings).flag
            raise BadSetting(
                f"{flag} has no effect without {ONLY_WITH[name]}.", "Give that, or leave it out."
            )
        return self

    @property
    def part(self) -> tuple[int, int] | None:
        """Which shard of how many, None where all tasks are taken."""
        return shard_of(self.shard) if self.shard else None

    @property
    def cap(self) -> float | None:
        """USD that this run file may cost: of the budget what falls to one shard."""
        if self.budget is None or self.part is None:
            return self.budget
        return self.budget / self.part[1]

    def lines_of_shard(self) -> Iterator[str]:
        """What a summary says of the shard, if it is one."""
        if self.part is not None:
            cap = f"${self.cap:.2f} of the budget of ${self.budget:.2f}; " if self.cap else ""
            yield f"  shard {self.shard}: {cap}`deepassay merge` puts all of them together"

    @property
    def in_batches(self) -> bool:
        """Whether models are asked in batches."""
        return self.batch or self.batch_file is not None

    @property
    def at_once(self) -> int:
        """How many calls are waited for at a time."""
        if not self.in_batches:
            return self.max_connections
        return max(OPEN, self.batch_size or 0)

    def of(self, protocol: str) -> ProtocolSettings:
        """The settings that may differ by protocol, as they are for the protocol of this name."""
        given = {name: getattr(self, name) for name in ProtocolSettings.model_fields}
        if (own := self.per_protocol.get(protocol)) is not None:
            given |= {name: getattr(own, name) for name in own.model_fields_set}
        return ProtocolSettings.model_construct(**given)
