"""Files of traces by their names: what is read of them, `files` says, which is loaded then only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from deepassay.reports.loaders import Loader
from deepassay.reports.report import Report
from deepassay.reports.traces.endings import ENDINGS

_SHOWN: Final = re.compile(
    rb'\s*\{\s*"(?:resource_?[sS]pans"|schema_version"\s*:\s*"ATIF|object"\s*:\s*"trace)'
)


def is_recorded(path: Path) -> bool:
    """Whether the first bytes of a file are those of a trace, whatever its name is."""
    try:
        with path.open("rb") as file:
            return _SHOWN.match(file.read(200).removeprefix(b"\xef\xbb\xbf")) is not None
    except OSError:
        return False


def load_traces(paths: Sequence[Path]) -> Iterable[Report]:
    """The reports of recorded runs. Raises BadReports for what is no trace."""
    from deepassay.reports.traces.files import reports_of_traces  # most reports are no traces

    return reports_of_traces(paths)


LOADERS: Final = Loader("Traces of agents", ENDINGS, load_traces, together=True, begins=is_recorded)
