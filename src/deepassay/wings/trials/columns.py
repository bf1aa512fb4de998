"""What an audit says of the judge, above a leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from deepassay.results.beside import Beside
from deepassay.results.ranking import Board
from deepassay.results.reading import Records


def _audited(boards: tuple[Board, ...], records: Records, file: Path) -> tuple[Board, ...]:
    from deepassay.wings.trials.auditing.beside import rankings_with_audit
    from deepassay.wings.trials.auditing.kept import AuditFile

    return rankings_with_audit(boards, AuditFile.of_file(file), str(file))


AUDIT: Final = Beside(
    "audit", "What `audit` wrote of the judge of these scores.", beside=_audited, place=20
)
