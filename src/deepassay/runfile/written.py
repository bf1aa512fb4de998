"""The statements that keep an outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from deepassay.runfile.columns import COLUMNS, PLACE, InColumns
from deepassay.runfile.rows import Body, StoredScore

_ROW: Final = ("key", *PLACE, *COLUMNS)
_KEEP: Final = (
    f"INSERT INTO outcomes({', '.join(_ROW)}, body, sha256) "
    f"VALUES({', '.join('?' * (len(_ROW) + 2))}) ON CONFLICT(key) DO UPDATE SET "
    + ", ".join(f"{name}=excluded.{name}" for name in (*COLUMNS, "body", "sha256"))
    + " WHERE outcomes.open"
)
"""An outcome that is open gives way to a later one, others to nothing."""


def written(score: StoredScore, found: InColumns) -> Iterator[tuple[str, Sequence[Any]]]:
    """The statements that keep an outcome. found: what it says."""
    for name, text in found.shared.items():
        yield "INSERT OR IGNORE INTO shared VALUES(?, ?)", [name, text]
    columns = [found.columns.get(name) for name in COLUMNS]
    yield _KEEP, [score.key, *score.place, *columns, Body(found.body)]
