"""Questions of one's own, from a YAML file: on every report, or on pairs of reports of a task.

A question has a menu or a scale, or labels under which spans are marked, or labels besides: then
what is marked is evidence. Of a pair it is asked which is better.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from deepassay.errors import BadInput, BadSetting
from deepassay.files import read_yaml
from deepassay.runfile.questions import Choice, Item, Question, Text
from deepassay.tasks.rows import read_task_text
from deepassay.tasks.task import Task
from deepassay.wings.people.annotate.questions import DECLARED, is_turned, scale_menu, turned

EVERY: Final = "all"
"""In place of an agent: each report is compared with every other one of its task."""


class InLanguages(BaseModel):
    """A wording by language, for tasks of both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    en: Text
    zh: Text

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: object) -> object:
        return {"en": given, "zh": given} if isinstance(given, str) else given


class FileQuestion(BaseModel):
    """A question of a file.

    labels: under which spans are marked, least: how many at the least. pairs: asked about
    pairs of reports, `all` of a task, or each with that of one agent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Text
    text: InLanguages
    menu: tuple[Choice, ...] | None = None
    scale: Annotated[int, Field(ge=1, le=20)] | None = None
    labels: tuple[Choice, ...] = ()
    least: Annotated[int, Field(ge=0, le=20)] = 0
    pairs: Text | None = None

    @model_validator(mode="after")
    def _can_be_asked(self) -> FileQuestion:
        given = [self.menu is not None, self.scale is not None, self.pairs is not None]
        if sum(given) > 1 or not (any(given) or self.labels):
            raise ValueError("give either menu, scale or pairs, or labels alone")
        if self.least and not self.labels:
            raise ValueError("least says how many spans are marked: it goes with labels")
        self.asked("en")  # what cannot be answered is refused here
        return self

    def asked(self, language: Literal["en", "zh"]) -> Question:
        """The question as it is asked about a report, or a pair that is not turned."""
        menu = scale_menu(self.scale) if self.scale else self.menu or ()
        return Question(
            protocol=self.key,
            text=getattr(self.text, language),
            menu=DECLARED["depth"].menu if self.pairs else menu,
            level="interval" if self.scale else "ordinal" if self.pairs else "nominal",
            column="score" if self.scale else "verdict",
            labels=self.labels,
            least=self.least,
        )


class _QuestionFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    questions: tuple[FileQuestion, ...] = Field(min_length=1, max_length=40)


def read_questions(path: Path) -> tuple[FileQuestion, ...]:
    """The questions of a YAML file. Raises BadInput, naming the line of thought that is wrong."""
    try:
        found = _QuestionFile.model_validate(read_yaml(read_task_text(path))).questions
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(
            f"{path}: {'.'.join(map(str, first['loc'])) or 'all of it'}: {first['msg']}.",
            "Give `questions`, each with key, text, and menu (a list of answers), scale (the "
            "highest number), labels (of spans) or pairs (all, or an agent).",
        ) from None
    keys = [each.key for each in found]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise BadInput(f"{path}: question {twice!r} is there twice.", "Give each key once.")
    return found


@dataclass(frozen=True)
class AskedReport:
    """A report that is asked about. sample: which of the agent's answers to the task."""

    task: Task
    agent: str
    sample: int
    text: str


def items_of_file(
    reports: Sequence[AskedReport], questions: Sequence[FileQuestion], salt: str
) -> list[Item]:
    """Every report with the questions on one, then the pairs with theirs.

    salt: of the study; by it is drawn which report of a pair comes first. Raises BadSetting where
    there is no pair for a question.
    """
    alone = [each for each in questions if each.pairs is None]
    items = [_of_report(each, alone) for each in reports] if alone else []
    by_agents: defaultdict[str, list[FileQuestion]] = defaultdict(list)
    for each in questions:
        if each.pairs is not None:
            by_agents[each.pairs].append(each)
    for against, own in by_agents.items():
        pairs = [*_pairs(reports, against)]
        if not pairs:
            agents = ", ".join(sorted({each.agent for each in reports}))
            raise BadSetting(
                f"{own[0].key}: no task has a pair of reports for pairs: {against}.",
                f"Give `all`, or one of the agents: {agents}.",
            )
        items += [_of_pair(*pair, own, salt) for pair in pairs]
    return items


def _pairs(
    reports: Sequence[AskedReport], against: str
) -> Iterator[tuple[AskedReport, AskedReport]]:
    """Pairs of one task and sample; the agent that others are compared with is the second."""
    found: defaultdict[tuple[str, int], list[AskedReport]] = defaultdict(list)
    for each in reports:
        found[each.task.id, each.sample].append(each)
    for own in found.values():
        for one, other in combinations(sorted(own, key=lambda each: each.agent), 2):
            if against in (EVERY, other.agent):
                yield one, other
            elif against == one.agent:
                yield other, one


def _of_report(report: AskedReport, questions: Sequence[FileQuestion]) -> Item:
    return Item(
        task=report.task.id,
        agent=report.agent,
        sample=report.sample,
        language=report.task.language,
        prompt=report.task.prompt,
        report=report.text,
        questions=tuple(each.asked(report.task.language) for each in questions),
    )


def _of_pair(
    one: AskedReport, other: AskedReport, questions: Sequence[FileQuestion], salt: str
) -> Item:
    place = (one.agent, one.task.id, one.sample, other.agent, other.sample)
    is_second = is_turned(place, salt)
    asked = [each.asked(one.task.language) for each in questions]
    return Item(
        task=one.task.id,
        agent=one.agent,
        sample=one.sample,
        language=one.task.language,
        prompt=one.task.prompt,
        report=other.text if is_second else one.text,
        rival=one.text if is_second else other.text,
        rival_agent=other.agent,
        rival_sample=other.sample,
        rival_first=is_second,
        questions=tuple(turned(each) if is_second else each for each in asked),
    )
