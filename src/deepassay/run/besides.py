"""What is known of a judge, from files: to stand beside its scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from deepassay.errors import BadInput, BadSetting
from deepassay.results.kept import KeptWhole
from deepassay.results.narrow import written_narrow
from deepassay.results.on_judges import KeptJudges
from deepassay.results.ranking import Board
from deepassay.results.reading import Records
from deepassay.results.tables import Table
from deepassay.wings.people.calibration import beside as calibrations
from deepassay.wings.people.calibration.kept import KeptFile, digests
from deepassay.wings.trials.auditing import beside as audits
from deepassay.wings.trials.auditing.kept import AuditFile


class Besides(NamedTuple):
    """Files on the judge: what `calibrate`, `audit` and `agree` wrote."""

    calibration: Path | None = None
    audit: Path | None = None
    labels: Path | None = None

    def on(self, boards: tuple[Board, ...], records: Records) -> tuple[Board, ...]:
        """The rankings with what the files say. Raises BadInput for those of another judge."""
        if self.calibration:
            kept = read_kept(self.calibration, KeptFile)
            boards = calibrations.rankings_with_calibration(
                boards, kept, digests(records.everything()), str(self.calibration)
            )
        if self.audit:
            boards = audits.rankings_with_audit(
                boards, read_kept(self.audit, AuditFile), str(self.audit)
            )
        return boards

    def beneath(self, boards: Sequence[Board]) -> tuple[Table, ...]:
        """Tables to stand beneath the rankings. Raises BadInput for those of another judge."""
        if self.labels is None:
            return ()
        return read_kept(self.labels, KeptJudges).beneath(boards, str(self.labels))


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

Read = TypeVar("Read", bound=KeptWhole)


def read_kept(path: Path, kind: type[Read]) -> Read:
    """What a command wrote of a judge. Raises BadInput."""
    try:
        return kind.read(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}.", kind.again) from None
