"""What an audit says of the judge, above a leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from deepassay.results.judge_evidence import JudgeEvidence
from deepassay.results.ranking import Board
from deepassay.results.reading import Records


def _audited(boards: tuple[Board, ...], records: Records, file: Path) -> tuple[Board, ...]:
    from deepassay.wings.trials.auditing.audit_file import AuditFile
    from deepassay.wings.trials.auditing.board_notices import rankings_with_audit

    return rankings_with_audit(boards, AuditFile.of_file(file), str(file))


AUDIT: Final = JudgeEvidence(
    "audit", "What `audit` wrote of the judge of these scores.", beside=_audited, place=20
)
