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

PANEL_NOTE: Final = (
    "{judge} is one of the {number} judges of this panel: the figures are its own, and say nothing "
    "of what the panel comes to."
)
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
        """The tables of the judges by whom these rankings were made. Raises BadInput for none.

        Of a judge that no ranking has alone they say so: what a panel comes to is another thing.
        """
        if not self.judges:
            raise BadInput(
                f"{place} holds no judge: rules alone were measured.",
                "Measure a model: deepassay agree support FILE --judge PROVIDER:NAME -o FILE.",
            )
        asked = [model for board in boards for recipe in board.recipes for model in _models(recipe)]
        found = [each for each in self.judges if dict(each.identity) in asked]
        if not found:
            names = ", ".join(str(each.identity.get("model")) for each in self.judges)
            raise BadInput(
                f"{place} is on {names}, with settings by which none of these rankings was judged.",
                "Name the file of a judge of this run, measured with the same settings.",
            )
        return tuple(table for each in found for table in _beneath(each, boards))


def _beneath(judge: JudgeQuality, boards: Sequence[Board]) -> Iterable[Table]:
    """The tables of a judge, the first with a note where it only judged within panels."""
    identity = dict(judge.identity)
    asked = [recipe for board in boards for recipe in board.recipes if identity in _models(recipe)]
    judges = [recipe.identity.get("judges", ()) for recipe in asked]
    first, *more = [kept.table for kept in judge.tables]
    if all(identity in panel and len(panel) > 1 for panel in judges):
        told = PANEL_NOTE.format(judge=identity.get("model"), number=len(judges[0]))
        first = replace(first, notes=(*first.notes, told))
    return (first, *more)


def _models(recipe: object) -> Iterable[Mapping[str, Json]]:
    """Everyone who was asked under a recipe, with the settings."""
    identity = getattr(recipe, "identity", {})
    yield from identity.get("judges", ())
    yield from (identity[role] for role in ROLES if isinstance(identity.get(role), dict))
