"""The run file: everything that was asked, answered and scored, in one SQLite file."""

from deepassay.runfile.agent_runs import AgentRun, Served, StoredRun, TraceEvent
from deepassay.runfile.annotating import Duty, Rating
from deepassay.runfile.batching import Batch, Batching, Request
from deepassay.runfile.file import RunFile
from deepassay.runfile.registering import Part, Parts
from deepassay.runfile.rows import (
    DAMAGED,
    Attempt,
    Capture,
    End,
    SentBack,
    StoredAnswer,
    StoredReport,
    StoredScore,
    StoredVerdict,
)
from deepassay.runfile.schema import copy_of
from deepassay.runfile.seals import Damage, Verified

__all__ = [
    "DAMAGED",
    "AgentRun",
    "Attempt",
    "Batch",
    "Batching",
    "Capture",
    "Damage",
    "Duty",
    "End",
    "Part",
    "Parts",
    "Rating",
    "Request",
    "RunFile",
    "SentBack",
    "Served",
    "StoredAnswer",
    "StoredReport",
    "StoredRun",
    "StoredScore",
    "StoredVerdict",
    "TraceEvent",
    "Verified",
    "copy_of",
]
