"""Which tables there are, with which columns: fixed, whatever a run file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from deepassay.results.tables import Column, Kind

Columns = tuple[Column, ...]


def _of(kind: Kind, *names: str) -> Columns:
    return tuple(Column(name, kind) for name in names)


RUN: Final = _of(Kind.TEXT, "run")
REPORT: Final = (*_of(Kind.TEXT, "agent", "task"), *_of(Kind.INTEGER, "sample"))
OUTCOME: Final = (*_of(Kind.TEXT, "protocol"), *REPORT, *_of(Kind.INTEGER, "repeat"))

TABLES: Final[Mapping[str, Columns]] = {
    "tasks": (
        *RUN,
        *_of(Kind.TEXT, "task"),
        *_of(Kind.INTEGER, "number"),
        *_of(Kind.TEXT, "language", "prompt"),
        *_of(Kind.INTEGER, "checklist", "rubric", "ace"),
        *_of(Kind.BOOLEAN, "criteria", "reference"),
    ),
    "labels": (*RUN, *_of(Kind.TEXT, "task", "label", "value")),
    "reports": (
        *RUN,
        *REPORT,
        *_of(Kind.TEXT, "report"),
        *_of(Kind.INTEGER, "characters", "words", "tokens"),
        *_of(Kind.INTEGER, "characters_without_urls", "words_without_urls", "tokens_without_urls"),
        *_of(Kind.INTEGER, "citations", "references"),
    ),
    "scores": (
        *RUN,
        *OUTCOME,
        *_of(Kind.TEXT, "report"),
        *_of(Kind.NUMBER, "value"),
        *_of(Kind.TEXT, "cause", "detail"),
        *_of(Kind.BOOLEAN, "open"),
        *_of(Kind.NUMBER, "low", "high", "lowest", "highest", "met", "of"),
        *_of(Kind.TEXT, "edition"),
        *_of(Kind.INTEGER, "judges"),
        *_of(Kind.BOOLEAN, "offline"),
        *_of(Kind.TEXT, "recipe", "signature"),
    ),
    "judgements": (
        *RUN,
        *OUTCOME,
        *_of(Kind.TEXT, "judge"),
        *_of(Kind.NUMBER, "value"),
        *_of(Kind.TEXT, "cause", "detail"),
    ),
    "parts": (*RUN, *OUTCOME, *_of(Kind.TEXT, "judge", "part"), *_of(Kind.NUMBER, "value")),
    "items": (
        *RUN,
        *OUTCOME,
        *_of(Kind.TEXT, "judge"),
        *_of(Kind.INTEGER, "number"),
        *_of(Kind.TEXT, "item", "text", "verdict"),
        *_of(Kind.NUMBER, "score", "reference", "weight"),
        *_of(Kind.TEXT, "axis"),
        *_of(Kind.BOOLEAN, "mandatory"),
        *_of(Kind.INTEGER, "depth"),
        *_of(Kind.TEXT, "decided_by", "cause", "url", "justification"),
        *_of(Kind.INTEGER, "line", "column"),
    ),
    "answers": (
        *RUN,
        *_of(Kind.TEXT, "answer", "operation", "model"),
        *_of(Kind.INTEGER, "repeat"),
        *_of(Kind.TEXT, "cause", "detail", "served_model", "finish_reason"),
        *_of(Kind.INTEGER, "attempts"),
        *_of(Kind.BOOLEAN, "repaired"),
        *_of(Kind.INTEGER, "input", "output", "cached", "cache_write", "reasoning"),
        *_of(Kind.NUMBER, "cost"),
        *_of(Kind.TEXT, "prompt"),
    ),
    "pages": (
        *RUN,
        *_of(Kind.TEXT, "page", "url", "final_url"),
        *_of(Kind.TIME, "fetched"),
        *_of(Kind.TEXT, "reader"),
        *_of(Kind.INTEGER, "status"),
        *_of(Kind.TEXT, "kind", "detail", "media", "title", "digest"),
        *_of(Kind.INTEGER, "characters", "words"),
    ),
    "page_uses": (*RUN, *OUTCOME, *_of(Kind.TEXT, "url", "page")),
}
"""The columns of every table, in their order."""

TEXTS: Final[Mapping[str, Columns]] = {
    "reports": _of(Kind.TEXT, "text"),
    "answers": _of(Kind.TEXT, "text"),
    "pages": _of(Kind.TEXT, "text"),
}
"""The column that some tables have besides, where the texts themselves are asked for."""


def columns(table: str, texts: bool = False) -> Columns:
    """The columns of a table, with the texts or without."""
    return TABLES[table] + (TEXTS.get(table, ()) if texts else ())
