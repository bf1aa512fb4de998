"""What people decide on: items with their questions, as a study keeps them and as a file has them.

An item is a report, a pair of reports, or whatever a building step shows (a task with its
checklist, a rubric). A question has a menu, or asks for text, or for both: an answer may take a
modified version or a comment, and may require them (LiveResearchBench, Tables 12 and 13). Or it has
labels, under which spans of the texts are marked: by themselves, or as evidence of an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from deepassay.errors import BadInput
from deepassay.files import (
    BadFile,
    as_json_lines,
    decode_text,
    json_lines,
    read_yaml_entries,
    write_whole,
)
from deepassay.runfile.annotating import TextName
from deepassay.score import Json

Text = Annotated[str, Field(min_length=1)]
Level = Literal["nominal", "ordinal", "interval"]
Takes = Literal["no", "may", "must"]
"""Whether an answer can come with something, or has to."""

MOST_QUESTIONS: Final = 400
MOST_LINES: Final = 60
MOST_SPANS: Final = 200
"""Passages that may be marked for one question."""
LONGEST_TEXT: Final = 10_000
"""Characters of one box."""


class _QuestionPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Choice(_QuestionPart):
    """One answer of a menu: what is kept, and what is shown by language.

    version: whether it takes a modified version of what the question is about; comment: or a
    remark of why.
    """

    value: Text
    en: Text
    zh: Text
    version: Takes = "no"
    comment: Takes = "no"

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: object) -> object:
        return {"value": given, "en": given, "zh": given} if isinstance(given, str) else given


class Box(_QuestionPart):
    """One box to be filled in, of a version or of a line. rows: its height, of kind `text`."""

    name: Annotated[str, Field(pattern="^[a-z_]{1,30}$")]
    en: Text
    zh: Text
    kind: Literal["text", "number", "choice"] = "text"
    menu: tuple[Choice, ...] = ()
    required: bool = True
    rows: Annotated[int, Field(ge=1, le=30)] = 1

    @model_validator(mode="after")
    def _has_its_menu(self) -> Box:
        if (self.kind == "choice") != (len(self.menu) > 0):
            raise ValueError("a menu goes with kind `choice`, and with no other")
        return self


TEXT: Final = Box(name="text", en="Text", zh="文本", rows=3)


class Passage(_QuestionPart):
    """What a cited page says, beside the statement that it is to support."""

    url: str
    title: str = ""
    text: str = ""


class Opinion(_QuestionPart):
    """What a judge said: kept with the question, and shown at the second look only."""

    judge: str
    verdict: str
    reason: str = ""


class Shown(_QuestionPart):
    """Something that is shown with a question, such as what somebody said before."""

    label: str
    text: str


class Question(_QuestionPart):
    """One question about an item.

    protocol, item, judge: as the columns that `agree` reads. text: what is asked. quote: the
    sentence of the report that it is about. opinions: of the judges, for the second look. level:
    of the scale, for agreement. column: where the answer stands in the export. part, weight: of
    which part of a score the answer is a share, and how large a one.

    boxes: of a modified version where there is a menu, else of each line that is written. given:
    what stands in them at first; of a menu question the original. least, most: lines, where there
    is no menu.

    labels: of spans that are marked in the texts; least: how many of these, at the least.
    """

    protocol: str
    item: str = ""
    judge: str = ""
    text: Text
    quote: str = ""
    passage: Passage | None = None
    shown: tuple[Shown, ...] = ()
    menu: Annotated[tuple[Choice, ...], Field(max_length=21)] = ()
    boxes: tuple[Box, ...] = ()
    given: tuple[Mapping[str, str], ...] = ()
    labels: Annotated[tuple[Choice, ...], Field(max_length=9)] = ()
    least: Annotated[int, Field(ge=0, le=MOST_LINES)] = 0
    most: Annotated[int, Field(ge=1, le=MOST_LINES)] = 1
    opinions: tuple[Opinion, ...] = ()
    level: Level = "nominal"
    column: Literal["score", "verdict"] = "verdict"
    part: str = ""
    weight: Annotated[float, Field(ge=0)] = 1.0

    @property
    def key(self) -> str:
        """What tells it from the other questions of an item."""
        return "/".join(filter(None, (self.protocol, self.item, self.judge)))

    @property
    def original(self) -> Mapping[str, str]:
        """What a version of it modifies."""
        return self.given[0] if self.menu and self.given else {}

    @model_validator(mode="after")
    def _can_be_answered(self) -> Question:
        values = [each.value for each in self.menu]
        names = [each.name for each in self.boxes]
        labels = [each.value for each in self.labels]
        if len(values) == 1 or not (values or names or labels):
            raise ValueError("give a menu of two answers or more, boxes, or labels")
        if names and labels:
            raise ValueError("boxes and labels are for two questions")
        if any(len(set(each)) < len(each) for each in (values, names, labels)):
            raise ValueError("an answer, a box, or a label is there twice")
        if not names and any(each.version != "no" for each in self.menu):
            raise ValueError("an answer that takes a version needs boxes for it")
        if unknown := {name for line in self.given for name in line} - set(names):
            raise ValueError(f"given: there is no box {min(unknown)}")
        if len(self.given) > self.most or (self.least > self.most and not labels):
            raise ValueError("more lines than `most`")
        return self


class Item(_QuestionPart):
    """What a rater has before him at once, with its questions.

    task: identifier of the task, or of whatever a building step asks about. subject: Markdown that
    is shown in place of a report. raters: who decides on it, where that is not left to chance.
    barred: who does not, as whoever proposed it.

    rival: the text that is shown beside `report`. rival_agent, rival_sample: whose it is, where it
    is not the baseline of the run; rival_first: whether that text is in `report` and the one of
    `agent` in `rival`, so that it is shown first.
    """

    task: Text
    agent: str = ""
    sample: int = 1
    language: Literal["en", "zh"] = "en"
    prompt: str = ""
    report: str = ""
    rival: str = ""
    rival_agent: str = ""
    rival_sample: int = 1
    rival_first: bool = False
    subject: str = ""
    questions: Annotated[tuple[Question, ...], Field(min_length=1, max_length=MOST_QUESTIONS)]
    raters: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()

    @property
    def texts(self) -> Mapping[TextName, str]:
        """Its texts, as spans of them are marked."""
        texts: dict[TextName, str] = {"first": self.report or self.subject, "second": self.rival}
        return {name: text for name, text in texts.items() if text}

    @model_validator(mode="after")
    def _asks_each_once(self) -> Item:
        keys = [each.key for each in self.questions]
        if twice := next((key for key in keys if keys.count(key) > 1), None):
            raise ValueError(f"question {twice} is there twice")
        return self


def to_json(item: Item) -> dict[str, Json]:
    """An item as a study and a file keep it."""
    return item.model_dump(mode="json", exclude_defaults=True)


def write_items(path: Path, items: Sequence[Item]) -> None:
    """Write items as JSON Lines, which `annotate serve` takes. Raises OSError."""
    write_whole(path, as_json_lines([to_json(each) for each in items]))


def read_asked_items(path: Path) -> list[Item]:
    """The items of a file: JSON Lines, or a list in YAML. Raises BadInput, naming the line."""
    try:
        found = [_item(path, line, fields) for line, fields in _entries(path)]
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}.", "Give a file of items.") from None
    except BadFile as error:
        line = f", line {error.line}" if error.line else ""
        raise BadInput(f"{path}{line}: {error}.", error.remedy) from None
    if not found:
        raise BadInput(f"{path} has no items.", "Give one item a line.")
    return found


def _entries(path: Path) -> Iterator[tuple[int, Mapping[str, Json]]]:
    text = decode_text(path.read_bytes())
    if path.suffix.lower() in (".yaml", ".yml"):
        yield from ((each.line_of(()), each.fields) for each in read_yaml_entries(text))
    else:
        yield from json_lines(text)


def _item(path: Path, line: int, fields: Mapping[str, Json]) -> Item:
    try:
        return Item.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BadInput(
            f"{path}, line {line}{place and ', '}{place}: {first['msg'].lower()}.",
            "An item has task, prompt, subject and questions, each with protocol, text and a menu, "
            "boxes or labels (docs/annotating.md has an example). For reports, name --questions.",
        ) from None
