"""Who changed or judged a part of what people build, when, at which step, and what stood before.

A history only ever grows. It stands with what it is about, in a file that people read and edit: an
entry a list item of YAML or of a line of JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import AfterValidator, Field, model_serializer

from deepassay.score import Json
from deepassay.tasks.fields import Misplaced, Record, Text, Writable, brief_text

EDITED: Final = "edited"
"""The step of a change that somebody made in the file itself."""


class HistoryEntry(Record):
    """One thing that was done.

    who: a person, or a model as PROVIDER:NAME. when: ISO 8601. step: of the building. of: the part
    that it is about, such as `query` or the identifier of a criterion. said: a rating or decision.
    proposed: a text that does not stand by this alone. before, after: the text of the part; both
    None where it was not touched, `before` None for a part that is new, `after` None for one that
    was taken out. note: in the words of whoever did it.
    """

    who: Text
    when: Text
    step: Text
    of: Writable = ""
    said: Writable = ""
    proposed: Writable = ""
    before: Writable | None = None
    after: Writable | None = None
    note: Writable = ""

    @property
    def changes(self) -> bool:
        """Whether another text stands after it."""
        return self.before != self.after

    @model_serializer
    def _without_what_is_missing(self) -> dict[str, Json]:
        return {name: value for name, value in self if value not in (None, "")}


def _joined(entries: tuple[HistoryEntry, ...]) -> tuple[HistoryEntry, ...]:
    now: dict[str, str] = {}
    for place, each in enumerate(entries):
        if each.changes:
            if each.before != now.get(each.of):
                raise Misplaced(
                    place,
                    f"says that {brief_text(each.before or 'nothing')!r} stood there before, where "
                    f"{brief_text(now.get(each.of, 'nothing'))!r} did",
                )
            _apply(each, now)
    return entries


def _apply(entry: HistoryEntry, now: dict[str, str]) -> None:
    if entry.after is None:
        now.pop(entry.of, None)
    else:
        now[entry.of] = entry.after


History = Annotated[tuple[HistoryEntry, ...], Field(strict=False), AfterValidator(_joined)]
"""Entries in their order, each beginning where the one before it on the same part ended."""


def standing_texts(history: Iterable[HistoryEntry]) -> dict[str, str]:
    """The text of every part as the last change left it, in the order in which parts came."""
    now: dict[str, str] = {}
    for each in history:
        if each.changes:
            _apply(each, now)
    return now


def by_hand(
    history: Sequence[HistoryEntry],
    now: Mapping[str, str],
    who: str,
    when: str | None = None,
    step: str = EDITED,
) -> tuple[HistoryEntry, ...]:
    """What a person did in the file itself: entries by which `now` follows from the history.

    now: the parts as the file has them. No entries where they are as the last change left them.
    """
    known, at = standing_texts(history), when or moment()
    return tuple(
        HistoryEntry(
            who=who, when=at, step=step, of=part, before=known.get(part), after=now.get(part)
        )
        for part in dict.fromkeys([*known, *now])
        if known.get(part) != now.get(part)
    )


def moment() -> str:
    """Now: UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
