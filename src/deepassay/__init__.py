"""DeepAssay: says, with evidence, how good the reports of deep-research agents are.

The package is a house of rooms; `docs/architecture.md` has the drawing. The names below are
loaded on first use, so that `import deepassay` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepassay.errors import DeepAssayError
    from deepassay.reports.report import Report
    from deepassay.run.evaluate import evaluate
    from deepassay.run.settings import Settings
    from deepassay.score import Cause, Score, Signature, Unscored
    from deepassay.tasks.task import Task

__version__ = "0.1.0"

_HOME = {
    "Cause": "deepassay.score",
    "DeepAssayError": "deepassay.errors",
    "Report": "deepassay.reports.report",
    "Settings": "deepassay.run.settings",
    "Score": "deepassay.score",
    "Signature": "deepassay.score",
    "Task": "deepassay.tasks.task",
    "Unscored": "deepassay.score",
    "evaluate": "deepassay.run.evaluate",
}

__all__ = [
    "Cause",
    "DeepAssayError",
    "Report",
    "Score",
    "Settings",
    "Signature",
    "Task",
    "Unscored",
    "__version__",
    "evaluate",
]


def __getattr__(name: str) -> object:
    """Load a public name from its room."""
    if name not in _HOME:
        raise AttributeError(f"module 'deepassay' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
