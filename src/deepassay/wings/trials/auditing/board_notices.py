"""An audit beside the scores of the judge that it is of, and of no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.ranking import Board
from deepassay.score import Json, canonical_json
from deepassay.wings.trials.auditing.audit_file import AuditFile, deciding


def rankings_with_audit(boards: Sequence[Board], file: AuditFile, place: str) -> tuple[Board, ...]:
    """The rankings, above those of an audited judge what the audit says of it.

    place: of the file. Raises BadInput where no ranking is by a protocol that was audited, and
    where one is whose recipe is another, naming what differs.
    """
    names = {each.protocol for each in file.judges}
    if not any(board.protocol in names for board in boards):
        raise BadInput(
            f"{place} audits {', '.join(sorted(names)) or 'nothing'}; the scores are by "
            f"{', '.join(dict.fromkeys(board.protocol for board in boards))}.",
            "Audit the judge by the protocol that these scores were made by.",
        )
    return tuple(
        replace(board, notices=(*board.notices, *_told(board, file, place)))
        if board.protocol in names
        else board
        for board in boards
    )


def _told(board: Board, file: AuditFile, place: str) -> Iterator[str]:
    own = [each for each in file.judges if each.protocol == board.protocol]
    for recipe in board.recipes:
        wanted = deciding(recipe.identity)
        audit = next((each for each in own if not _differing(each.identity, wanted)), None)
        if audit is None:
            closest = min(own, key=lambda each: len(_differing(each.identity, wanted)))
            raise BadInput(
                f"{place} is of another judge or recipe than the scores by {board.protocol}: "
                f"{'; '.join(_differing(closest.identity, wanted))}.",
                "Audit the judge that made these scores: deepassay audit TASKS REPORTS --judge ….",
            )
        yield f"audit of {file.date}: {audit.sentence}"


def _differing(audited: Mapping[str, Json], scored: Mapping[str, Json]) -> list[str]:
    """What is not alike, in words."""
    return [
        f"{name} was {_plain(audited.get(name))} in the audit, is {_plain(scored.get(name))} here"
        for name in sorted(audited.keys() | scored.keys())
        if canonical_json(audited.get(name)) != canonical_json(scored.get(name))
    ]


LONGEST: Final = 200


def _plain(value: Json) -> str:
    if isinstance(value, list):
        return " + ".join(_plain(each) for each in value)
    if isinstance(value, Mapping) and "model" in value:
        rest = ", ".join(f"{name} {each}" for name, each in value.items() if name != "model")
        return f"{value['model']} ({rest})" if rest else str(value["model"])
    return str(value)[:LONGEST] if value is not None else "nothing"
