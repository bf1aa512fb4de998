"""What `evaluate`, `estimate` and `plan_of` take, as one value: `evaluate(*asked)`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from deepassay.run.settings import Settings


class Asked(NamedTuple):
    """Tasks, reports and settings."""

    tasks: Path
    reports: Sequence[Path]
    settings: Settings

    @property
    def run(self) -> Path:
        """The run file."""
        return self.settings.run

    def but(self, **changes: object) -> Asked:
        """The same with other settings."""
        return self._replace(settings=self.settings.model_copy(update=changes))


def asked(tasks: Path, reports: Sequence[Path], **settings: Any) -> Asked:
    """The value."""
    return Asked(tasks, reports, Settings(**settings))
