"""A task: what was asked of an agent, and what its answer is compared with.

Prompts of LiveResearchBench leave the date open (section 3). The day is injected once, by the
caller, and never read from a clock here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Final, Literal

from pydantic import Field, PrivateAttr, ValidationInfo, field_validator

from deepassay.reports.sentences import split_sentences
from deepassay.score import digest
from deepassay.tasks.fields import Record, Text, Writable
from deepassay.tasks.languages import UNKNOWN
from deepassay.tasks.yardsticks import (
    AceChecklist,
    Bibliography,
    Criteria,
    EarlierVersion,
    Feedback,
    Rubric,
)
from deepassay.text import HAN_CHARACTER, brief, canonical

Language = Literal["en", "zh"]

MOST_PARTS: Final = 6
LONGEST_PART: Final = 100
"""Characters of a part of the prompt as it stands in a criterion."""

_HOST: Final = re.compile(r"(?:[a-z0-9-]+\.)+[a-z0-9-]{2,}", re.IGNORECASE)
_LATIN_WORD = re.compile(r"[A-Za-z]+")


def detect_language(text: str) -> Language:
    """`zh` if a text has at least as many Chinese characters as words in Latin letters."""
    han = len(HAN_CHARACTER.findall(text))
    return "zh" if han and han >= len(_LATIN_WORD.findall(text)) else "en"


def sentences_asked(query: str) -> list[str]:
    """What is asked, sentence by sentence in the order of the prompt; the longest of too many."""
    sentences = [" ".join(query[start:end].split()) for start, end in split_sentences(query)]
    parts = {part.casefold(): part for each in sentences if (part := each[:LONGEST_PART].strip())}
    kept = sorted(parts.values(), key=len, reverse=True)[:MOST_PARTS]
    return [part for part in parts.values() if part in kept] or [query.strip()[:LONGEST_PART]]


class Completions(Record):
    """Answers to a prompt of which it is known which are right (RewardBench 2)."""

    chosen: Annotated[tuple[Writable, ...], Field(strict=False, min_length=1)]
    rejected: Annotated[tuple[Writable, ...], Field(strict=False, min_length=1)]

    @property
    def every(self) -> tuple[str, ...]:
        """The right ones, then the wrong ones."""
        return (*self.chosen, *self.rejected)


class Blocked(Record):
    """Sources that a report must not rest on, as a set names them (DeepResearch Bench II)."""

    title: Writable = ""
    authors: Annotated[tuple[Writable, ...], Field(strict=False)] = ()
    urls: Annotated[tuple[Writable, ...], Field(strict=False)] = ()

    @property
    def shown(self) -> str:
        """Title, authors and addresses, a line each."""
        return "\n".join(filter(None, (self.title, ", ".join(self.authors), *self.urls)))


class Task(Record):
    """What was asked.

    id: unique in its set. prompt: as given to the agents, dates possibly open: see `on`.
    language: of the prompt, detected where the file does not say. labels: by which tables can
    be cut, e.g. domain, category; `language` is always among them, `unknown` where it is neither.
    checklist: what a report
    must deliver (LiveResearchBench). rubric: weighted criteria (ResearchRubrics). criteria: those
    of RACE, and reference: a report that others are compared with (DeepResearch Bench). ace:
    weighted items (DeepResearch Arena). bibliography: the works that an expert cites on the subject
    (ReportBench). feedback: what is to be changed in reports, by agent, and drafts: the versions of
    which it was said. relevant: canonical addresses of the pages of a corpus that
    answer it, where these are known. completions: answers between which a judge has to choose.
    request: what a judge is told was asked, where the prompt tells the agent more. blocked: what
    no agent may read and no report may rest on; in files, addresses and hosts are enough.
    """

    id: Text
    prompt: Text
    language: Language = Field(default_factory=lambda task: detect_language(task["prompt"]))
    labels: Mapping[str, str] = Field(default_factory=dict, validate_default=True)
    checklist: Annotated[tuple[Text, ...], Field(strict=False)] = ()
    rubric: Rubric = ()
    criteria: Criteria | None = None
    ace: AceChecklist | None = None
    reference: Text | None = None
    bibliography: Bibliography = ()
    feedback: Feedback = Field(default_factory=dict)
    drafts: Annotated[tuple[EarlierVersion, ...], Field(strict=False)] = ()
    relevant: Annotated[tuple[Text, ...], Field(strict=False)] = ()
    completions: Completions | None = None
    request: Text | None = None
    blocked: Blocked | None = None
    _day: date | None = PrivateAttr(default=None)

    @field_validator("labels")
    @classmethod
    def _with_language(cls, labels: Mapping[str, str], info: ValidationInfo) -> Mapping[str, str]:
        other = labels.get("language") == UNKNOWN
        return {**labels, "language": UNKNOWN if other else info.data.get("language", "")}

    @field_validator("relevant")
    @classmethod
    def _addresses(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for url in urls:
            if not url.lower().startswith(("http://", "https://")):
                raise ValueError(f"holds what is no address: {brief(url)}")
        return tuple(dict.fromkeys(map(canonical, urls)))

    @field_validator("blocked", mode="before")
    @classmethod
    def _addresses_and_hosts(cls, given: object) -> object:
        if not isinstance(given, list | tuple):
            return given or None
        for each in given:
            if not isinstance(each, str) or (
                "://" not in each and not _HOST.fullmatch(each.strip())
            ):
                raise ValueError(f"holds what is neither address nor host: {brief(each)}")
        named = (each.strip().lower() if "://" not in each else canonical(each) for each in given)
        return {"urls": tuple(dict.fromkeys(named))} if given else None

    def on(self, day: date, edition: Literal["paper", "code"] = "paper") -> Task:
        """A copy of the task with its open dates filled in: in prompt, checklist and rubric.

        edition: `code` fills them as the released program of LiveResearchBench does.
        """

        def fill(text: str) -> str:
            if edition == "code":
                return resolve_dates_as_released(text, day)
            return resolve_dates(text, day, self.language)

        dated = self.model_copy(
            update={
                "prompt": fill(self.prompt),
                "request": fill(self.request) if self.request else None,
                "checklist": tuple(map(fill, self.checklist)),
                "rubric": tuple(each.reworded(fill(each.criterion)) for each in self.rubric),
            }
        )
        dated._day = day
        return dated

    @property
    def day(self) -> date | None:
        """The day that `on` was given; it is no part of the task as files hold it."""
        return self._day

    @property
    def digest(self) -> str:
        """SHA-256 of what the agent was asked: identifier, language and prompt.

        What a protocol uses besides (checklist, criteria) is not in it: see `Protocol.basis`.
        """
        return digest([self.id, self.language, self.prompt])


MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

PLACEHOLDER = re.compile(
    r"\{\{[ \t]{0,8}(current_date|date|current_year|last_year)[ \t]{0,8}\}\}", re.IGNORECASE
)


def long_date(day: date, language: Language = "en") -> str:
    """`January 5, 2026` or `2026年1月5日`, whatever the locale of the machine."""
    if language == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"


def resolve_dates(text: str, day: date, language: Language = "en") -> str:
    """Put `day` where the text leaves the date open.

    `{{date}}` and `{{current_date}}` become the date in words, `{{current_year}}` and
    `{{last_year}}` become years. Blanks inside the braces and capitals are allowed.
    """
    values: dict[str, Callable[[], str]] = {
        "date": lambda: long_date(day, language),
        "current_date": lambda: long_date(day, language),
        "current_year": lambda: str(day.year),
        "last_year": lambda: str(day.year - 1),
    }
    return PLACEHOLDER.sub(lambda found: values[found[1].lower()](), text)


def resolve_dates_as_released(text: str, day: date) -> str:
    """What the authors' released program does with the same text.

    It knows three exact spellings, pads the day to two digits, writes English in every language
    and leaves `{{current_date}}`, blanks and capitals as they are.
    """
    padded = f"{MONTHS[day.month - 1]} {day.day:02d}, {day.year}"
    text = text.replace("{{current_year}}", str(day.year))
    text = text.replace("{{last_year}}", str(day.year - 1))
    return text.replace("{{date}}", padded)
