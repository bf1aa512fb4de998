"""What a bundle says of itself: its files, who made them with what, and the figures it claims."""

from __future__ import annotations

import json
import platform
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from math import isclose
from pathlib import Path
from typing import ClassVar, Final, Literal

from deepassay.results.leaderboard import write
from deepassay.results.ranking import Board, rank
from deepassay.results.saved_file import SavedFile, SavedPart
from deepassay.run.showing.boards import read_scores

CLOSE: Final = 1e-9
"""Relative: sums of floats differ by less between processors and versions of numpy."""


class HeldFile(SavedPart):
    """A file of the bundle: SHA-256 in hexadecimal, and bytes."""

    sha256: str
    bytes: int


class Figures(SavedPart):
    """What an agent has by a protocol, as in `leaderboard --format json`.

    recipes: digests; within one of them scores may be compared. unscored: how many, by cause.
    """

    protocol: str
    recipes: tuple[str, ...]
    agent: str
    reference: bool
    mean: float | None
    interval: tuple[float | None, float | None] | None
    bounds: tuple[float | None, float | None] | None
    scored: int
    expected: int
    unscored: dict[str, int]

    def differences(self, other: Figures) -> Iterator[str]:
        """What is not the same, but for the last bits of floats."""
        for name in type(self).model_fields:
            ours, theirs = getattr(self, name), getattr(other, name)
            if not _same(ours, theirs):
                yield f"{name} is {theirs}, and {ours} is claimed"


def _same(one: object, other: object) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    return one == other


class Manifest(SavedFile):
    """The file `manifest.json`, which a signature covers, and through its digests all others.

    title, note: the submitter's. environment: version of DeepAssay, Python, platform and packages.
    commitment: the digest that was published before the run, where there is one.
    """

    what: ClassVar[str] = "manifest of a bundle"
    again: ClassVar[str] = "Write the bundle anew: deepassay bundle RUN -o x.assay.zip"
    kind: Literal["deepassay bundle"] = "deepassay bundle"
    version: Literal[1] = 1
    title: str
    note: str
    environment: dict[str, str]
    files: dict[str, HeldFile]
    commitment: str | None
    figures: tuple[Figures, ...]


def boards_of(run: Path) -> Sequence[Board]:
    """The rankings of a run, from which its figures are."""
    return rank(read_scores([run]))


def figures_of(boards: Sequence[Board]) -> tuple[Figures, ...]:
    """The figures of rankings, by protocol and agent."""
    return tuple(
        Figures(
            protocol=board["protocol"],
            recipes=tuple(recipe["digest"] for recipe in board["recipes"]),
            agent=row["agent"],
            reference=row["reference"],
            mean=row["mean"],
            interval=row["interval"],
            bounds=row["bounds"],
            scored=row["judgements"]["scored"],
            expected=row["judgements"]["expected"],
            unscored=row["unscored"],
        )
        for board in json.loads(write(boards, "json"))
        for row in board["standings"]
    )


def environment() -> dict[str, str]:
    """Versions of DeepAssay, Python, the platform, and the packages that DeepAssay needs."""
    found = {"python": platform.python_version(), "platform": platform.system()}
    needed = [
        match[0]
        for each in metadata.requires("deepassay") or ()
        if "extra ==" not in each and (match := re.match(r"[\w.-]+", each))
    ]
    for name in ["deepassay", *sorted(needed, key=str.lower)]:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def unequal(claimed: Sequence[Figures], own: Sequence[Figures]) -> Iterator[str]:
    """In what claimed figures are not those computed, a sentence each."""
    ours = _by_place(own)
    theirs = _by_place(claimed)
    for place, times in Counter((each.agent, each.protocol) for each in claimed).items():
        if times > 1:
            yield f"{_told(place)}: claimed {times} times."
    for place in theirs.keys() - ours.keys():
        yield f"{_told(place)}: the run gives no such figures."
    for place in ours.keys() - theirs.keys():
        yield f"{_told(place)}: left out of the figures that are claimed."
    for place in ours.keys() & theirs.keys():
        if differing := [*theirs[place].differences(ours[place])]:
            yield f"{_told(place)}: {'; '.join(differing)}."


def _by_place(figures: Sequence[Figures]) -> Mapping[tuple[str, str], Figures]:
    return {(each.agent, each.protocol): each for each in figures}


def _told(place: tuple[str, str]) -> str:
    return f"{place[0]} by {place[1]}"
