"""The run file: everything that was asked, answered and scored, in one SQLite file."""

from deepassay.runfile.file import RunFile
from deepassay.runfile.rows import (
    Attempt,
    Capture,
    End,
    StoredAnswer,
    StoredReport,
    StoredScore,
    StoredVerdict,
)

__all__ = [
    "Attempt",
    "Capture",
    "End",
    "RunFile",
    "StoredAnswer",
    "StoredReport",
    "StoredScore",
    "StoredVerdict",
]
