"""DeepAssay: says, with evidence, how good the reports of deep-research agents are.

docs/python.md shows every name. They are loaded on first use, so that `import deepassay` costs
nothing; `docs/architecture.md` has the drawing of the rooms behind them.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepassay.errors import (
        BadInput,
        BadReports,
        BadRunFile,
        BadSetting,
        BadTasks,
        ConfigurationChanged,
        DeepAssayError,
        MissingExtra,
        OverBudget,
    )
    from deepassay.models.functions import Judge
    from deepassay.protocols.protocol import Protocol
    from deepassay.reports.loaders import reports_of as reports
    from deepassay.reports.report import Report
    from deepassay.run.library import (
        Run,
        aevaluate,
        clean,
        evaluate,
        lint,
        merge,
        open_run,
        protocol,
        statements,
    )
    from deepassay.run.settings import Settings
    from deepassay.score import Cause, Score, Signature, Unscored
    from deepassay.tasks.loaders import tasks_of as tasks
    from deepassay.tasks.task import Task
    from deepassay.wings.papers.tables import paper_table
    from deepassay.wings.research.library import aresearch, research

__version__ = "0.1.0"

_HOME = {
    "BadInput": "errors",
    "BadReports": "errors",
    "BadRunFile": "errors",
    "BadSetting": "errors",
    "BadTasks": "errors",
    "Cause": "score",
    "ConfigurationChanged": "errors",
    "DeepAssayError": "errors",
    "Judge": "models.functions",
    "MissingExtra": "errors",
    "OverBudget": "errors",
    "Protocol": "protocols.protocol",
    "Report": "reports.report",
    "Run": "run.library",
    "Score": "score",
    "Settings": "run.settings",
    "Signature": "score",
    "Task": "tasks.task",
    "Unscored": "score",
    "aevaluate": "run.library",
    "aresearch": "wings.research.library",
    "clean": "run.library",
    "evaluate": "run.library",
    "lint": "run.library",
    "merge": "run.library",
    "open_run": "run.library",
    "paper_table": "wings.papers.tables",
    "protocol": "run.library",
    "reports": "",
    "research": "wings.research.library",
    "statements": "run.library",
    "tasks": "",
}

__all__ = [
    "BadInput",
    "BadReports",
    "BadRunFile",
    "BadSetting",
    "BadTasks",
    "Cause",
    "ConfigurationChanged",
    "DeepAssayError",
    "Judge",
    "MissingExtra",
    "OverBudget",
    "Protocol",
    "Report",
    "Run",
    "Score",
    "Settings",
    "Signature",
    "Task",
    "Unscored",
    "__version__",
    "aevaluate",
    "aresearch",
    "clean",
    "evaluate",
    "lint",
    "merge",
    "open_run",
    "paper_table",
    "protocol",
    "reports",
    "research",
    "statements",
    "tasks",
]


class CallableRoom(ModuleType):
    """A room that is called as well: `deepassay.tasks(...)` gives tasks, from files or objects."""

    def __call__(self, given: object) -> object:
        """What the room reads: see `tasks_of` and `reports_of` in its `loaders`."""
        room = self.__name__.rpartition(".")[2]
        return getattr(import_module(f"{self.__name__}.loaders"), f"{room}_of")(given)


def __getattr__(name: str) -> object:
    """Load a public name from its room."""
    if name not in _HOME:
        raise AttributeError(f"module 'deepassay' has no attribute {name!r}")
    if not _HOME[name]:  # a room that is called as well
        return import_module(f"deepassay.{name}")
    home = _HOME[name]
    if home.startswith("wings."):
        found: object = import_module("deepassay.plugins").of_wing(
            home.removeprefix("wings."), name
        )
        return found
    return getattr(import_module(f"deepassay.{home}"), name)


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted(__all__)
