"""An operation: everything about one kind of question to a model, in one object.

Prompt file, type of what is given, type of what may be answered, rule for doing without a model,
what answers are expected to be like, and digest stand together, so that they cannot drift apart. An
answer off the menu is a failure of reading and never a default.

    class ChecklistOnReport(Inputs):
        report: str
        checklist: list[str]

    class Verdicts(Reply):
        met: list[bool]

    judge_checklist = Operation("coverage/judge_checklist", prompts=files(...) / "prompts",
                                takes=ChecklistOnReport, gives=Verdicts, offline=word_overlap)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from importlib.resources.abc import Traversable
from math import inf
from typing import Annotated, Any, ClassVar, Final, Generic, Literal, Self, TypeVar, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, RootModel
from pydantic.fields import FieldInfo

from deepassay.models.fence import digest_of_text, fenced, numbered_items
from deepassay.models.form import Form
from deepassay.models.prompt import (
    LANGUAGES,
    BadPrompt,
    Language,
    Prompt,
    PromptFile,
    house_text,
    read_prompt,
)
from deepassay.models.usage import Range
from deepassay.score import Json, canonical_json, digest

FORM: Final = "form"
"""The placeholder for the form of the answer; a field of this name goes before it."""


class Trusted:
    """Marks a text field as ours: `Annotated[str, Trusted]` enters a prompt without a fence."""


class Inputs(BaseModel):
    """Base of what an operation is given. Text that is not marked `Trusted` gets a fence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: Language

    @cached_property
    def spelled(self) -> Mapping[str, str]:
        """Each field as canonical JSON, a text by its digest: for the key and for the prompt."""
        return {
            name: canonical_json(digest_of_text(value) if isinstance(value, str) else value)
            for name, value in self.model_dump(mode="json").items()
        }

    def model_copy(self, *, update: Mapping[str, object] | None = None, deep: bool = False) -> Self:
        """A copy, of which nothing is known that was worked out for the original."""
        copy = super().model_copy(update=update, deep=deep)
        vars(copy).pop("spelled", None)
        return copy


class Reply(BaseModel):
    """Base of what a model may answer: exact types, no field missing, none besides."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _integral(value: Json) -> Json:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_integral)]
"""A whole number in a reply. JSON has one 4, also written 4.0."""


class Prose(Reply):
    """An answer that is no JSON: the text as the model wrote it, whole or cut off at the limit."""

    text: str


class Unchecked(RootModel[Json]):
    """Whatever JSON a model answered, where a released program shows a form and checks nothing."""

    form: ClassVar[type[BaseModel]]

    @classmethod
    def model_json_schema(cls, *args: Json, **options: Json) -> dict[str, Json]:
        """The form that the model is shown."""
        return cls.form.model_json_schema(*args, **options)


class OffMenu(Exception):
    """An answer that can be read but may not be given; the message goes back to the model."""


In = TypeVar("In", bound=Inputs)
Out = TypeVar("Out", bound=BaseModel)


def _anything(inputs: object, answer: object) -> None:
    """The check of operations whose answer type says all there is to say."""


def _no_complaint(inputs: object, answer: object) -> str:
    """The soft check of operations that have none."""
    return ""


def _as_it_is(inputs: object, form: Form) -> None:
    """The shape of operations whose answer type says all there is to say."""


@dataclass(frozen=True)
class PairVerdict:
    """What a classifier says of one claim, and the part of the page that decides.

    share: the probability that it gives this verdict, 0 to 1. grade: that the page supports it.
    """

    verdict: Literal["supported", "unsupported", "unknown"]
    start: int
    end: int
    share: float
    grade: float


@dataclass(frozen=True)
class Pairs(Generic[In, Out]):
    """A question that asks about pairs of a page and a claim, so that a classifier can answer it.

    of: the page and its claims. answer: from a verdict for each claim, in their order. some: the
    question about some of the claims, by their places. entries: what an answer has of each claim,
    in order; together: the answer that is made of such; grade: 1 for yes, 0 for no, or between.
    """

    of: Callable[[In], tuple[str, Sequence[str]]]
    answer: Callable[[In, Sequence[PairVerdict]], Out]
    some: Callable[[In, Sequence[int]], In]
    entries: Callable[[Out], Sequence[Any]]
    together: Callable[[Sequence[Any]], Out]
    grade: Callable[[Any], float]


SimulatedAnswer = Callable[[Any, float], Json]
"""From the inputs of a question and a rate to an answer; None where no question depends on it."""

NEVER: Final = Range(0, 0, 0)


@dataclass(frozen=True)
class Expected:
    """What answers to one kind of question are like.

    tokens: of an answer to these inputs. simulated: an answer to go on with; by_rule: that of the
    offline rule, for questions about reports and tasks alone. decides: what of the answer decides
    how many questions follow, in words, or nothing. rate: how often, or how many, in each scenario:
    what `simulated` is given. most: of it for these inputs, as long as no answer was given. told:
    what an answer that was given tells of the rate, as a sum and what it is divided by: such
    answers make the likely rate, where there are any.
    """

    tokens: Callable[[Any], Range]
    simulated: SimulatedAnswer = lambda inputs, rate: None
    by_rule: bool = False
    decides: str = ""
    rate: Range = NEVER
    most: Callable[[Any], float] = lambda inputs: inf
    told: Callable[[Any], tuple[float, float]] | None = None


UNKNOWN: Final = Range(30, 200, 1_000)
"""Tokens of an answer of which nothing is known: a verdict with its reason, or a few of them."""

UNLISTED: Final = Expected(lambda inputs: UNKNOWN, by_rule=True)
"""What is expected of a question that does not say it."""


@dataclass(frozen=True)
class Operation(Generic[In, Out]):
    """One kind of question.

    name: prompt file without its ending, `presentation/judge_checks`.
    prompts: the prompt folder of the room, `importlib.resources.files(...) / "prompts"`.
    takes, gives: the types of question and answer; an answer is JSON, but for `Prose`.
    offline: a deterministic rule that answers without a model.
    pairs: how a classifier of pairs answers it, where one can.
    check: raises OffMenu where the answer does not fit what was asked, e.g. an item is missing.
    soft_check: what a judge is asked to correct, once, though the answer stands if it does not: all
        of it would be dropped, say, because none of it is in the report.
    quotes: likewise of quotes on which no verdict rests; only who wants them pays for that.
    shape: narrows the form of the answer to this question: its keys, its entries, its menus.
    reading: `strict` asks again for what is off the menu; `released` reads as the authors'
        programs do (edition `code`: duplicate and unknown keys pass, NaN passes) and asks again
        only for what cannot be read. A function from the raw text to JSON reads as one program
        does that has a way of its own; it raises ValueError where that program finds nothing.
    version: of what no file shows: raise it by one after a change of `check` or of how answers
        are read, so that answers and scores from before are not taken for new.
    rule: version of `offline`. It counts for the offline judge alone: answers that were paid for
        do not depend on it.
    system_prompt: that of answers in JSON, for whom the model works: `system` for judges,
        `research` for an agent that writes reports.
    raw: for a model that is itself under test. The prompt is sent without a system prompt, and
        the answer, `Prose`, is the body as the provider sent it.
    expected: what answers are like, for estimates; no part of the digest.
    """

    name: str
    prompts: Traversable
    takes: type[In]
    gives: type[Out]
    offline: Callable[[In], Out]
    check: Callable[[In, Out], None] = _anything
    soft_check: Callable[[In, Out], str] = _no_complaint
    quotes: Callable[[In, Out], str] = _no_complaint
    shape: Callable[[In, Form], object] = _as_it_is
    pairs: Pairs[In, Out] | None = None
    reading: Literal["strict", "released"] | Callable[[str], Json] = "strict"
    version: int = 1
    rule: int = 1
    system_prompt: Literal["system", "research"] = "system"
    raw: bool = False
    expected: Expected = UNLISTED

    @cached_property
    def files(self) -> Mapping[Language, PromptFile]:
        """The prompt files. Raises BadPrompt if one is missing or not divided."""
        return {each: read_prompt(self.prompts, self.name, each) for each in LANGUAGES}

    @cached_property
    def in_prose(self) -> bool:
        """Whether the answer is no JSON, so that one cut off at the limit of tokens is one too."""
        return issubclass(self.gives, Prose)

    @property
    def asks_for_quotes(self) -> bool:
        """Whether an answer has quotes on which nothing rests."""
        return self.quotes is not _no_complaint

    @property
    def again(self) -> str:
        """The name of the text with which a model is asked again: for JSON, or for prose.

        Prose without a check of either kind cannot be unusable, and is never asked for again.
        """
        objects = self.check is not _anything or self.soft_check is not _no_complaint
        return "again_prose" if self.in_prose and objects else "again"

    def written(self, answer: Out) -> str:
        """An answer as a model would have written it."""
        return answer.text if isinstance(answer, Prose) else answer.model_dump_json()

    def digest(self, language: Language, *, offline: bool = False) -> str:
        """Changes with everything that can change an answer or its reading, and nothing else.

        offline: whether the offline judge answers.
        """
        asked = self._digests[language]
        return digest([asked, self.rule]) if offline and self.rule > 1 else asked

    @cached_property
    def _digests(self) -> Mapping[Language, str]:
        return {
            language: digest(
                {
                    "name": self.name,
                    "prompt": [file.material, file.question],
                    "house": [self._system_text(language), house_text(self.again, language)],
                    "gives": _bare(self.gives.model_json_schema()),
                    "reading": getattr(self.reading, "__qualname__", self.reading),
                    "version": self.version,
                    **self._shown_form(file, language),
                }
            )
            for language, file in self.files.items()
        }

    def _shown_form(self, file: PromptFile, language: Language) -> dict[str, Json]:
        """How a prompt shows the form of answers, where one does and no other program fixed it."""
        if FORM not in file.placeholders or FORM in self._fields or self.reading != "strict":
            return {}
        return {"form": Form(self.gives).example(language)}

    def render(self, inputs: In, salt: str) -> Prompt:
        """The prompt for these inputs; `salt` belongs to the run and enters the fences."""
        file = self.files[inputs.language]
        values = {name: _shown(name, plain, inputs, salt) for name, plain in self._fields.items()}
        if FORM in file.placeholders and FORM not in values:
            values[FORM] = self.form(inputs).example(inputs.language)
        return file.fill(self._system_text(inputs.language), values)

    def form(self, inputs: In) -> Form:
        """The form of the answer to this question."""
        form = Form(self.gives)
        self.shape(inputs, form)
        return form

    @cached_property
    def _fields(self) -> Mapping[str, bool]:
        """The fields of a question, and whether each can only hold what we wrote ourselves."""
        return {name: _is_plain(field) for name, field in self.takes.model_fields.items()}

    def _system_text(self, language: Language) -> str:
        """The system prompt in a language; empty for a model that is itself under test."""
        if self.raw:
            return ""
        return house_text("prose" if self.in_prose else self.system_prompt, language)

    def verify(self) -> None:
        """Raise BadPrompt unless the prompt files of every language fit `takes`."""
        fields = self._fields
        guarded = {name for name, plain in fields.items() if not plain}
        for language in LANGUAGES:
            file = self.files[language]
            if unknown := file.placeholders - set(fields) - {FORM}:
                raise BadPrompt(f"{file.name}: no such field of {self.takes.__name__}: {unknown}")
            if unused := set(fields) - {"language"} - file.placeholders:
                raise BadPrompt(f"{file.name} does not show these fields: {unused}")
            if crowded := guarded & (file.placeholders - file.alone):
                raise BadPrompt(f"{file.name}: must stand alone on their lines: {crowded}")


def _bare(schema: Json) -> Json:
    """A JSON schema without the words that only people read."""
    if isinstance(schema, dict):
        return {
            key: _bare(value)
            for key, value in schema.items()
            if not (key in ("title", "description") and isinstance(value, str))
        }
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema


def _is_plain(field: FieldInfo) -> bool:
    """Whether a field can only hold what we wrote ourselves: numbers, menus, Trusted text."""
    kind = field.annotation
    of_menu = get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, Enum))
    return Trusted in field.metadata or of_menu or kind in (int, float, bool)


def _shown(name: str, plain: bool, inputs: Inputs, salt: str) -> str:
    """One field as it stands in the prompt; None is shown as nothing at all.

    plain: whether it needs no fence.
    """
    value = getattr(inputs, name)
    if value is None:
        return ""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        text = value
    elif isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        text = numbered_items(value)
    else:
        text = inputs.spelled[name]
    return text if plain else fenced(name, text, salt)
