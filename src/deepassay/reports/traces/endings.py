"""How files of traces are named: by what wrote them, packed or not."""

from __future__ import annotations

from typing import Final

PLAIN: Final = (
    *(".otlp.jsonl", ".otlp.json", ".spans.jsonl", ".spans.json", ".trace.jsonl", ".trace.json"),
    *(".traces.jsonl", ".traces.json", ".atif.json", ".messages.json", ".items.json"),
    *(".memory.json", ".steps.json"),
)
ENDINGS: Final = frozenset(name + packed for name in PLAIN for packed in ("", ".gz", ".zst"))

TURNS: Final = "turns"
"""Under which name the record of a run has what users asked, before the agent began and later."""
