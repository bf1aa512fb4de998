"""Tables on judges, kept in a file and printed beneath a ranking by the same judges.

`agree support -o FILE` writes one, `leaderboard --labels FILE` prints it. A table belongs to a
judge with its settings: it stands beneath rankings of that judge and of no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final, Literal, Self

from deepassay.errors import BadInput
from deepassay.results.ranking import Board
from deepassay.results.saved_file import SavedFile, SavedPart
from deepassay.results.tables import Table
from deepassay.score import Json

ROLES: Final = ("verifier", "extractor", "maker", "cleaner")


class SavedTable(SavedPart):
    """A table as it is printed; see `Table`."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def table(self) -> Table:
        """The table as it was when it was kept, to be printed beneath a ranking."""
        return replace(Table.listed(self.title, self.head, self.rows, self.notes), detail=False)


class JudgeQuality(SavedPart):
    """One judge. identity: the model with its settings. lines: figures for programs."""

    identity: Mapping[str, Json]
    tables: tuple[SavedTable, ...]
    lines: tuple[Mapping[str, Json], ...] = ()

    @classmethod
    def of(
        cls,
        identity: Mapping[str, Json],
        tables: Iterable[Table],
        lines: Iterable[Mapping[str, Json]],
    ) -> Self:
        """What is known of a judge."""
        kept = [SavedTable(**t.told) for t in tables]
        return cls(identity=dict(identity), tables=tuple(kept), lines=tuple(lines))


class JudgeQualityFile(SavedFile):
    """A file of measured judges, each with its tables."""

    what: ClassVar[str] = "file of labels"
    again: ClassVar[str] = "Write it again: deepassay agree support FILE --judge ... -o FILE."
    about: Literal["labels"] = "labels"
    judges: tuple[JudgeQuality, ...]

    def beneath(self, boards: Sequence[Board], place: str) -> tuple[Table, ...]:
        """The tables of the judges by whom these rankings were made. Raises BadInput for none."""
        if not self.judges:
            raise BadInput(f"{place} holds no judge: rules alone were measured.", self.again)
        asked = [model for board in boards for recipe in board.recipes for model in _models(recipe)]
        found = [each for each in self.judges if dict(each.identity) in asked]
        if not found:
            names = ", ".join(str(each.identity.get("model")) for each in self.judges)
            raise BadInput(
                f"{place} is on {names}, with settings by which none of these rankings was judged.",
                "Name the file of a judge of this run, measured with the same settings.",
            )
        return tuple(kept.table for each in found for kept in each.tables)


def _models(recipe: object) -> Iterable[Mapping[str, Json]]:
    """Everyone who was asked under a recipe, with the settings."""
    identity = getattr(recipe, "identity", {})
    yield from identity.get("judges", ())
    yield from (identity[role] for role in ROLES if isinstance(identity.get(role), dict))
