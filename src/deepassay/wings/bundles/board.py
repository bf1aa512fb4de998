"""A leaderboard made of a folder of bundles, each of which was verified first."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader

from deepassay.errors import BadInput, BadSetting
from deepassay.results.leaderboard import places_of
from deepassay.results.overview import notes_on
from deepassay.results.ranking import Board
from deepassay.results.shortfalls import shortfalls
from deepassay.results.standings import Standing, by_place, placed, rank_notes
from deepassay.results.tables import ends_of, in_range, scored_of, several
from deepassay.score import Json
from deepassay.wings.bundles.manifest import Figures
from deepassay.wings.bundles.verifying import Verification, verify

ENDING: Final = ".assay.zip"


@dataclass(frozen=True)
class FoundBundle:
    """A bundle of the folder. found: None where it could not be opened. problems: why not shown."""

    path: Path
    found: Verification | None
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Submitted:
    """Figures of one bundle that holds. standing: the same as a row. board: whose row it was."""

    entry: FoundBundle
    verification: Verification
    figures: Figures
    standing: Standing
    board: Board


@dataclass(frozen=True)
class BundleBoard:
    """All bundles of a folder. groups: by protocol and recipe, in the order of a leaderboard."""

    entries: tuple[FoundBundle, ...]

    @property
    def shown(self) -> list[tuple[FoundBundle, Verification]]:
        """The bundles that hold, with what they came to."""
        return [(each, each.found) for each in self.entries if each.found and not each.problems]

    @property
    def refused(self) -> list[FoundBundle]:
        """The bundles that do not hold, or cannot be opened."""
        return [each for each in self.entries if each.problems]

    @property
    def groups(self) -> dict[tuple[str, str], list[Submitted]]:
        """Figures that may be compared; a bundle in which recipes are mixed is its own group."""
        found: dict[tuple[str, str], list[Submitted]] = {}
        for entry, verification in self.shown:
            rows = ((row, board) for board in verification.boards for row in board.standings)
            for figures, own in zip(verification.figures, rows, strict=True):
                if not figures.reference:
                    place = (figures.protocol, "+".join(figures.recipes))
                    found.setdefault(place, []).append(
                        Submitted(entry, verification, figures, *own)
                    )
        return {place: _placed(rows) for place, rows in sorted(found.items())}

    def lines(self) -> Iterator[str]:
        """What came of it, for a person."""
        yield f"{several(len(self.shown), 'bundle')} of {len(self.entries)} hold."
        for each in self.refused:
            yield f"{each.path.name} is not shown: {each.problems[0]}"


def _placed(rows: Sequence[Submitted]) -> list[Submitted]:
    """Figures of one group, whose tasks are the same: each with its place among all of them."""
    standings = placed([each.standing for each in rows])
    found = [replace(each, standing=own) for each, own in zip(rows, standings, strict=True)]
    return sorted(found, key=lambda each: (*by_place(each.standing), each.figures.agent))


def board_of(folder: Path, known: Path | None = None) -> BundleBoard:
    """Verify every bundle of a folder. Raises BadSetting where there is none."""
    paths = sorted(folder.rglob(f"*{ENDING}")) if folder.is_dir() else []
    if not paths:
        raise BadSetting(
            f"There is no bundle in {folder}.", f"Their names end in {ENDING}: see `bundle`."
        )
    return BundleBoard(tuple(_entry(path, known) for path in paths))


def _entry(path: Path, known: Path | None) -> FoundBundle:
    try:
        found = verify(path, known)
    except BadSetting:
        raise
    except BadInput as error:
        return FoundBundle(path, None, (error.problem,))
    return FoundBundle(path, found, found.problems)


def as_page(board: BundleBoard, title: str, output: Path) -> str:
    """The board as a page without scripts that leads to the bundles from where `output` lies."""
    pages = Environment(loader=PackageLoader("deepassay.wings.bundles", "pages"), autoescape=True)
    shown = board.shown
    agents = {each.agent for _, found in shown for each in found.figures if not each.reference}
    return pages.get_template("board.html.jinja").render(
        title=title,
        opening=(
            f"{several(len(agents), 'agent')} in {several(len(shown), 'bundle')}. Every score was "
            "computed anew from the answers in the bundle before it was shown here."
        ),
        groups=[
            {
                **{"protocol": name, "recipe": recipe, "notes": _notes(rows)},
                "rows": [_row(each, output) for each in rows],
            }
            for (name, recipe), rows in board.groups.items()
        ],
        left_out=[(found.manifest.title, line) for _, found in shown for line in found.left_out],
        refused=[(each.path.name, each.problems[:5]) for each in board.refused],
    )


def _notes(rows: Sequence[Submitted]) -> list[str]:
    """What must be read with the ranks of a group, as a leaderboard has it: of all its bundles."""
    boards = [*{id(each.board): each.board for each in rows}.values()]
    standings = [each.standing for each in rows]
    ranks = rank_notes({boards[0].protocol: standings})
    return [*shortfalls(*boards), *notes_on(*boards), *ranks]


def _row(row: Submitted, output: Path) -> dict[str, str]:
    figures, found = row.figures, row.verification
    low, high = figures.interval or (None, None)
    ends = None if low is None or high is None else (low, high)
    limits = row.board.limits
    way = PurePosixPath(Path(os.path.relpath(row.entry.path, output.parent)).as_posix())
    return {
        "rank": row.standing.place,
        "agent": figures.agent,
        "score": "unscored" if figures.mean is None else in_range(figures.mean, limits),
        "interval": ends_of(ends, limits) if ends else "",
        "tasks": scored_of(row.standing.summary.tasks),
        "title": found.manifest.title,
        "file": quote(str(way)),
        "signer": str(found.signer) if found.signer else "nobody",
        "promised": "yes" if found.promised else "no",
    }


def as_records(board: BundleBoard) -> Sequence[Json]:
    """The board as JSON: a record for every figure of every bundle that holds.

    Its place is among all of its protocol and recipe; `scored` and `expected` are of judgements.
    """
    return [
        {
            **places_of(row.standing),
            **row.figures.model_dump(mode="json"),
            "tasks": row.standing.summary.tasks._asdict(),
            "bundle": row.entry.path.name,
            "title": row.verification.manifest.title,
            "signer": str(row.verification.signer) if row.verification.signer else None,
            "promised": row.verification.promised,
        }
        for rows in board.groups.values()
        for row in rows
    ]
