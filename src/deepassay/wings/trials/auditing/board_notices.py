"""An audit beside the scores of the judge that it is of; beside those of another it is stale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.known import KnownOfJudge, deciding, what_differs
from deepassay.results.ranking import Board
from deepassay.wings.trials.auditing.audit_file import FAULTS, AuditFile, JudgeAudit

THEN: Final = "in the audit"


def rankings_with_audit(boards: Sequence[Board], file: AuditFile, place: str) -> tuple[Board, ...]:
    """The rankings, above those by an audited protocol what the audit says of the judge.

    place: of the file. Of another judge or recipe the audit is stale, and what differs is named.
    Raises BadInput where no ranking is by a protocol that was audited.
    """
    names = {each.protocol for each in file.judges}
    if not any(board.protocol in names for board in boards):
        raise BadInput(
            f"{place} audits {', '.join(sorted(names)) or 'nothing'}; the scores are by "
            f"{', '.join(dict.fromkeys(board.protocol for board in boards))}.",
            "Audit the judge by the protocol that these scores were made by.",
        )
    return tuple(
        board.knowing(*_known(board, file)) if board.protocol in names else board
        for board in boards
    )


def _known(board: Board, file: AuditFile) -> Iterator[KnownOfJudge]:
    own = [each for each in file.judges if each.protocol == board.protocol]
    for recipe in board.recipes:
        here = deciding(recipe.identity)
        closest = min(own, key=lambda each: len(what_differs(each.identity, here, THEN)))
        if apart := what_differs(closest.identity, here, THEN):
            yield KnownOfJudge(
                f"the audit of {file.date} is of another judge or recipe ({'; '.join(apart)}). "
                "Audit this one: `deepassay audit`.",
                stale=True,
            )
        else:
            yield KnownOfJudge(
                f"audit of {file.date}: {closest.sentence}", faults=_has_faults(closest)
            )


def _has_faults(audit: JudgeAudit) -> bool:
    return any(row.verdict in FAULTS for row in audit.rows) or any(e.shown for e in audit.biases)
