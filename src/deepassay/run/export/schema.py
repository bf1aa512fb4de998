"""Which tables there are, with which columns: fixed, whatever a run file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from deepassay.results.tables import Column, ColumnKind

Columns = tuple[Column, ...]


def _of(kind: ColumnKind, *names: str) -> Columns:
    return tuple(Column(name, kind) for name in names)


RUN: Final = _of(ColumnKind.TEXT, "run")
REPORT: Final = (*_of(ColumnKind.TEXT, "agent", "task"), *_of(ColumnKind.INTEGER, "sample"))
OUTCOME: Final = (*_of(ColumnKind.TEXT, "protocol"), *REPORT, *_of(ColumnKind.INTEGER, "repeat"))

TABLES: Final[Mapping[str, Columns]] = {
    "tasks": (
        *RUN,
        *_of(ColumnKind.TEXT, "task"),
        *_of(ColumnKind.INTEGER, "number"),
        *_of(ColumnKind.TEXT, "language", "prompt"),
        *_of(ColumnKind.INTEGER, "checklist", "rubric", "ace"),
        *_of(ColumnKind.BOOLEAN, "criteria", "reference"),
    ),
    "labels": (*RUN, *_of(ColumnKind.TEXT, "task", "label", "value")),
    "reports": (
        *RUN,
        *REPORT,
        *_of(ColumnKind.TEXT, "report"),
        *_of(ColumnKind.INTEGER, "characters", "words", "tokens"),
        *_of(
            ColumnKind.INTEGER,
            "characters_without_urls",
            "words_without_urls",
            "tokens_without_urls",
        ),
        *_of(ColumnKind.INTEGER, "citations", "references"),
    ),
    "scores": (
        *RUN,
        *OUTCOME,
        *_of(ColumnKind.TEXT, "report"),
        *_of(ColumnKind.NUMBER, "value"),
        *_of(ColumnKind.TEXT, "cause", "detail"),
        *_of(ColumnKind.BOOLEAN, "open"),
        *_of(ColumnKind.NUMBER, "low", "high", "lowest", "highest", "met", "of"),
        *_of(ColumnKind.TEXT, "edition"),
        *_of(ColumnKind.INTEGER, "judges"),
        *_of(ColumnKind.BOOLEAN, "offline"),
        *_of(ColumnKind.TEXT, "recipe", "signature"),
    ),
    "judgements": (
        *RUN,
        *OUTCOME,
        *_of(ColumnKind.TEXT, "judge"),
        *_of(ColumnKind.NUMBER, "value"),
        *_of(ColumnKind.TEXT, "cause", "detail"),
    ),
    "parts": (
        *RUN,
        *OUTCOME,
        *_of(ColumnKind.TEXT, "judge", "part"),
        *_of(ColumnKind.NUMBER, "value"),
    ),
    "items": (
        *RUN,
        *OUTCOME,
        *_of(ColumnKind.TEXT, "judge"),
        *_of(ColumnKind.INTEGER, "number"),
        *_of(ColumnKind.TEXT, "item", "text", "verdict"),
        *_of(ColumnKind.NUMBER, "score", "reference", "weight"),
        *_of(ColumnKind.TEXT, "axis"),
        *_of(ColumnKind.BOOLEAN, "mandatory"),
        *_of(ColumnKind.INTEGER, "depth"),
        *_of(ColumnKind.TEXT, "decided_by", "cause", "url", "justification"),
        *_of(ColumnKind.INTEGER, "line", "column"),
    ),
    "answers": (
        *RUN,
        *_of(ColumnKind.TEXT, "answer", "operation", "model"),
        *_of(ColumnKind.INTEGER, "repeat"),
        *_of(ColumnKind.TEXT, "cause", "detail", "served_model", "finish_reason"),
        *_of(ColumnKind.INTEGER, "attempts"),
        *_of(ColumnKind.BOOLEAN, "repaired"),
        *_of(ColumnKind.INTEGER, "input", "output", "cached", "cache_write", "reasoning"),
        *_of(ColumnKind.NUMBER, "cost"),
        *_of(ColumnKind.TEXT, "prompt"),
    ),
    "pages": (
        *RUN,
        *_of(ColumnKind.TEXT, "page", "url", "final_url"),
        *_of(ColumnKind.TIME, "fetched"),
        *_of(ColumnKind.TEXT, "reader"),
        *_of(ColumnKind.INTEGER, "status"),
        *_of(ColumnKind.TEXT, "kind", "detail", "media", "title", "digest"),
        *_of(ColumnKind.INTEGER, "characters", "words"),
    ),
    "page_uses": (*RUN, *OUTCOME, *_of(ColumnKind.TEXT, "url", "page")),
}
"""The columns of every table, in their order."""

TEXTS: Final[Mapping[str, Columns]] = {
    "reports": _of(ColumnKind.TEXT, "text"),
    "answers": _of(ColumnKind.TEXT, "text"),
    "pages": _of(ColumnKind.TEXT, "text"),
}
"""The column that some tables have besides, where the texts themselves are asked for."""


def columns(table: str, texts: bool = False) -> Columns:
    """The columns of a table, with the texts or without."""
    return TABLES[table] + (TEXTS.get(table, ()) if texts else ())
