"""What files know of a judge, beside its scores or beneath them; packages bring the kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepassay.plugins import by_key, every
from deepassay.results.ranking import Board
from deepassay.results.reading import Records
from deepassay.results.tables import Table


def _as_they_are(boards: tuple[Board, ...], records: Records, file: Path) -> tuple[Board, ...]:
    return boards


def _nothing(boards: Sequence[Board], file: Path) -> tuple[Table, ...]:
    return ()


@dataclass(frozen=True)
class JudgeEvidence:
    """A kind of file that `leaderboard --NAME FILE` takes, as the group `deepassay.columns` has it.

    name: of the option, and help: what is said of it. beside: the rankings with what the file says
    of their judge, and beneath: tables to stand beneath them; both raise BadInput for a file of
    another judge. place: of the option among others; ours have 10 to 30.
    """

    name: str
    help: str
    beside: Callable[[tuple[Board, ...], Records, Path], tuple[Board, ...]] = _as_they_are
    beneath: Callable[[Sequence[Board], Path], tuple[Table, ...]] = _nothing
    place: int = 100

    @property
    def stands_beside(self) -> bool:
        """Whether it says anything beside the scores."""
        return self.beside is not _as_they_are


OnJudge = Mapping[JudgeEvidence, Path]
"""Files that say something of a judge, by their kinds."""


def with_evidence(
    boards: tuple[Board, ...], records: Records, on_judge: OnJudge
) -> tuple[Board, ...]:
    """The rankings with what files say of their judges. Raises BadInput for one of others."""
    for kind, file in on_judge.items():
        boards = kind.beside(boards, records, file)
    return boards


def judge_evidence_kinds() -> list[JudgeEvidence]:
    """Every kind that a package registers. Raises BadSetting for a name of two."""
    found = by_key(every("columns", JudgeEvidence), lambda each: (each.name,))
    return sorted(found.values(), key=lambda each: (each.place, each.name))
