"""What was written: reports, their blocks, citations, references and statements, and rules."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepassay.reports.loaders import GivenReports
    from deepassay.reports.report import Report


class _ReportsRoom(ModuleType):
    """A room that is called as well: `deepassay.reports(...)` gives reports."""

    def __call__(self, given: GivenReports) -> tuple[Report, ...]:
        """Reports from files or objects: see `loaders.reports_of`."""
        from deepassay.reports.loaders import reports_of

        return reports_of(given)


sys.modules[__name__].__class__ = _ReportsRoom
