"""What is known of a judge, from files: to stand beside its scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from deepassay.errors import BadInput, BadSetting
from deepassay.results.auditing import beside as audits
from deepassay.results.auditing.kept import AGAIN as AUDIT_AGAIN
from deepassay.results.auditing.kept import AuditFile
from deepassay.results.calibration import beside as calibrations
from deepassay.results.calibration.kept import AGAIN, KeptFile, digests
from deepassay.results.narrow import written_narrow
from deepassay.results.on_judges import LABELS_AGAIN, KeptJudges
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.tables import Table


class Besides(NamedTuple):
    """Files on the judge: what `calibrate`, `audit` and `agree` wrote."""

    calibration: Path | None = None
    audit: Path | None = None
    labels: Path | None = None

    def on(self, boards: tuple[Board, ...], records: Sequence[Judged]) -> tuple[Board, ...]:
        """The rankings with what the files say. Raises BadInput for those of another judge."""
        if self.calibration:
            kept = read_calibration(self.calibration)
            boards = calibrations.beside(boards, kept, digests(records), str(self.calibration))
        if self.audit:
            boards = audits.beside(boards, read_audit(self.audit), str(self.audit))
        return boards

    def beneath(self, boards: Sequence[Board]) -> tuple[Table, ...]:
        """Tables to stand beneath the rankings. Raises BadInput for those of another judge."""
        if self.labels is None:
            return ()
        return read_labels(self.labels).beneath(boards, str(self.labels))


def written_beneath(tables: Sequence[Table], format: str) -> str:
    """Tables on judges, written beneath rankings. Raises BadSetting where there is no room."""
    if not tables:
        return ""
    if format not in ("text", "markdown"):
        raise BadSetting(
            f"Tables beneath a ranking are not written as {format}.", "Take text or markdown."
        )
    return f"\n{written_narrow(tables, format)}"


NOTHING: Final = Besides()

Read = TypeVar("Read")


def read_calibration(path: Path) -> KeptFile:
    """What `calibrate -o` wrote. Raises BadInput."""
    return _read(path, KeptFile.read, AGAIN)


def read_audit(path: Path) -> AuditFile:
    """What `audit` wrote. Raises BadInput."""
    return _read(path, AuditFile.read, AUDIT_AGAIN)


def read_labels(path: Path) -> KeptJudges:
    """What `agree support -o` or `agree preferences -o` wrote. Raises BadInput."""
    return _read(path, KeptJudges.of_labels, LABELS_AGAIN)


def _read(path: Path, reader: Callable[[str, str], Read], again: str) -> Read:
    try:
        return reader(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}.", again) from None
