"""A task in the making, as the steps of LiveResearchBench (section 3.3) pass it on in files.

A step reads the file of the step before it and adds to its own; people may edit both. Whatever
changes is noted in the history of the draft, also what somebody changed in the file itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from deepassay.errors import BadSetting, BadTasks
from deepassay.files import add_yaml_entries
from deepassay.score import Json
from deepassay.tasks.entries import append
from deepassay.tasks.fields import Record, Text, Writable
from deepassay.tasks.history import EDITED, History, HistoryEntry, by_hand, moment, standing_texts
from deepassay.tasks.task import PLACEHOLDER, Language
from deepassay.wings.build.arena.transcript import read_unique

QUERY: Final = "query"
"""The part of a history that is the task itself; others are `k1`, `k1/answer` and `c1`."""

UNNAMED: Final = "unnamed"
"""Whoever edited a file and was not named."""

DRAFTED: Final = "draft"

HEADER: Final = """\
# Tasks in the making. Edit query, questions and checklist freely; the next step notes in the
# history what you changed. {{date}}, {{current_year}} and {{last_year}} stay open until agents are
# asked.

"""


class Clarification(Record):
    """A question by which a task becomes clearer, and its expert's answer; empty: none yet."""

    question: Text
    answer: Writable = ""


def _keyed(letter: str) -> AfterValidator:
    def check(found: dict[str, object]) -> dict[str, object]:
        for key in found:
            if not (key.startswith(letter) and key[1:].isdecimal() and key.isascii()):
                raise ValueError(f"has the key {key!r}; keys are {letter}1, {letter}2 and so on")
        return found

    return AfterValidator(check)


class QueryDraft(Record):
    """One task.

    domain, category: the cell of the plan that it fills. expert: who drafts it. query: what agents
    will be asked, empty until it is drafted. questions, checklist: by identifiers that stay.
    """

    id: Text
    language: Language
    domain: Text
    category: Text
    expert: Writable = ""
    query: Writable = ""
    questions: Annotated[dict[str, Clarification], _keyed("k")] = Field(default_factory=dict)
    checklist: Annotated[dict[str, Text], _keyed("c")] = Field(default_factory=dict)
    history: History = ()

    @property
    def parts(self) -> dict[str, str]:
        """What histories are about: the texts by part."""
        found = {QUERY: self.query} if self.query.strip() else {}
        for key, each in self.questions.items():
            found[key] = each.question
            if each.answer.strip():
                found[f"{key}/answer"] = each.answer
        return found | self.checklist

    @property
    def dropped(self) -> bool:
        """Whether it had a query that somebody took out."""
        return not self.query.strip() and any(each.of == QUERY for each in self.history)

    def after(self, *entries: HistoryEntry) -> QueryDraft:
        """With these at the end of its history, and the texts that stand after them."""
        history = (*self.history, *entries)
        now = standing_texts(history)
        return self.model_copy(
            update={
                "history": history,
                "query": now.get(QUERY, ""),
                "questions": {
                    part: Clarification(question=text, answer=now.get(f"{part}/answer", ""))
                    for part, text in now.items()
                    if part.startswith("k") and "/" not in part
                },
                "checklist": {part: text for part, text in now.items() if part.startswith("c")},
            }
        )

    def changed(self, who: str, step: str, texts: Mapping[str, str | None]) -> QueryDraft:
        """With parts that somebody gave these texts, None for one that was taken out."""
        known, when = self.parts, moment()
        return self.after(
            *(
                HistoryEntry(
                    who=who, when=when, step=step, of=part, before=known.get(part), after=text
                )
                for part, text in texts.items()
                if text != known.get(part)
            )
        )

    def next_key(self, letter: str) -> str:
        """An identifier that no part has or had."""
        numbers = [
            int(each.of.partition("/")[0][1:])
            for each in self.history
            if each.of.startswith(letter) and each.of != QUERY
        ]
        return f"{letter}{max(numbers, default=0) + 1}"


def read_drafts(path: Path, by: str = "") -> list[QueryDraft]:
    """The drafts of a file, with what people changed in it noted in their histories.

    by: who did. A first query is by the expert of the draft, where the file names one. Raises
    BadTasks naming line and field.
    """
    return [_noted(each, by) for each in read_unique(path, QueryDraft, "a draft", "id")]


def _noted(draft: QueryDraft, by: str) -> QueryDraft:
    begun = QUERY in standing_texts(draft.history) or draft.dropped
    fresh = {} if begun or not draft.query.strip() else {QUERY: draft.query}
    who = draft.expert.strip() or by or UNNAMED
    drafted = by_hand(draft.history, {**standing_texts(draft.history), **fresh}, who, step=DRAFTED)
    history = (*draft.history, *drafted)
    edited = by_hand(history, draft.parts, by or UNNAMED, step=EDITED)
    # The texts as the histories have them, without answers that are nothing but blanks.
    return draft.after(*drafted, *edited) if drafted or edited else draft


def add_drafts(path: Path, drafts: Iterable[QueryDraft]) -> None:
    """Add drafts at the end of a file, making it if it is missing. Raises BadTasks."""
    append(path, [_fields(each) for each in drafts], HEADER)


def drafts_text(drafts: Iterable[QueryDraft]) -> str:
    """Drafts as YAML, with their whole histories."""
    return add_yaml_entries(HEADER, [_fields(each) for each in drafts])


def _fields(draft: QueryDraft) -> dict[str, Json]:
    fields: dict[str, Json] = draft.model_dump(mode="json")
    return {
        name: value
        for name, value in fields.items()
        if value or (name in ("expert", "query") and not draft.history)
    }


def drafts_to_do(drafts: Sequence[QueryDraft], output: Path) -> list[QueryDraft]:
    """Those of the drafts that the file of a step does not have yet.

    Raises BadTasks for one that has changed since that step, and for a file of other drafts.
    """
    refuse_other_than_drafts(output)
    known = {each.id: each for each in read_drafts(output)} if output.exists() else {}
    for draft in drafts:
        if draft.id in known and not _goes_on(known[draft.id].history, draft.history):
            raise BadTasks(
                f"{output}: draft {draft.id} was made from an older form of it; it has changed "
                "since in the file that this step reads.",
                f"Take the entry {draft.id} out of {output} to have this step done again, or take "
                "the change back.",
            )
    if known and not any(each.id in known for each in drafts):
        raise BadTasks(
            f"{output} holds other drafts than those that this step reads.",
            "Give another --output, or the file that belongs to it.",
        )
    return [each for each in drafts if each.id not in known]


def same_drafts(one: Sequence[QueryDraft], other: Sequence[QueryDraft]) -> bool:
    """Whether the same was done to the same drafts, whenever hand-made changes were noticed."""
    return [each.id for each in one] == [each.id for each in other] and all(
        len(a.history) == len(b.history) and _goes_on(a.history, b.history)
        for a, b in zip(one, other, strict=True)
    )


def _goes_on(later: Sequence[HistoryEntry], earlier: Sequence[HistoryEntry]) -> bool:
    """Whether a history begins as another one did, whenever hand-made changes were noticed."""
    return [_said(each) for each in later[: len(earlier)]] == [_said(each) for each in earlier]


def _said(entry: HistoryEntry) -> HistoryEntry:
    noticed = entry.step in (DRAFTED, EDITED)
    return entry.model_copy(update={"when": "", "who": ""}) if noticed else entry


def refuse_other_than_drafts(path: Path) -> None:
    """Refuse an ending by which drafts would not be read again."""
    if path.suffix.lower() not in (".yaml", ".yml", ".jsonl"):
        raise BadSetting(
            f"Drafts are kept as YAML or JSON Lines, and {path} would not be read as such.",
            "Give a file that ends in .yaml or .jsonl.",
        )


def lost_dates(before: str, after: str) -> list[str]:
    """Places that were left open for a date in one text and are not in the other."""
    there = [found[1].lower() for found in PLACEHOLDER.finditer(after)]
    lost = []
    for found in PLACEHOLDER.finditer(before):
        if found[1].lower() in there:
            there.remove(found[1].lower())
        else:
            lost.append(found[0])
    return lost
