"""Figures of run files: what they are drawn from is gathered here, and the files are written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting
from deepassay.results.figures.figure import Figure, Material, Omitted
from deepassay.results.figures.making import make
from deepassay.results.figures.rendering import as_svg, picture
from deepassay.results.ranking import rank
from deepassay.run.lengths import measured
from deepassay.run.output import check_output, replacing
from deepassay.run.profiles import read_profiles
from deepassay.run.published import scores_of

SVG: Final = "svg"
PNG: Final = "png"


@dataclass
class Written:
    """What a folder of figures came to. lacking: characters that no font drew in pixels."""

    files: list[tuple[Path, Figure]] = field(default_factory=list)
    omitted: list[Omitted] = field(default_factory=list)
    lacking: set[str] = field(default_factory=set)


def material(
    paths: Sequence[Path],
    by: str | None = None,
    agents: Path | None = None,
    *,
    allow_mixed: bool = False,
) -> Material:
    """What run files, and published rows in files that end in `.jsonl`, hold for figures.

    by: a label of tasks. agents: a file of families. Raises BadInput as a leaderboard does.
    """
    records = scores_of(paths)
    return Material(
        records,
        rank(records, by=by, allow_mixed=allow_mixed),
        by,
        read_profiles(agents) if agents else {},
        measured([path for path in paths if path.suffix.lower() != ".jsonl"]),
    )


def write_figures(
    what: Material,
    folder: Path,
    formats: Collection[str],
    runs: Sequence[Path],
    *,
    only: Collection[str] = (),
    force: bool = False,
) -> Written:
    """Write a file for every figure and format, each whole or not at all.

    Raises BadSetting before anything is written if a file is there already (unless `force`).
    """
    if folder.exists() and not folder.is_dir():
        raise BadSetting(f"{folder} is not a folder.", "Name another one with -o.")
    made = make(what, only)
    written = Written(omitted=[each for each in made if isinstance(each, Omitted)])
    written.files = [
        (folder / f"{each.name}.{suffix}", each)
        for each in made
        if isinstance(each, Figure)
        for suffix in (SVG, PNG)
        if suffix in formats
    ]
    for path, _ in written.files:
        check_output(path, runs, force=force)
    for path, figure in written.files:
        data = _drawn(figure, path.suffix, written.lacking)
        with replacing(path) as fresh:
            fresh.write_bytes(data)
    return written


def rendered(figure: Figure) -> tuple[str, bytes]:
    """A figure as SVG and as PNG. Raises MissingExtra without matplotlib."""
    return as_svg(figure), picture(figure).png


def _drawn(figure: Figure, suffix: str, lacking: set[str]) -> bytes:
    if suffix == f".{SVG}":
        return as_svg(figure).encode()
    drawn = picture(figure)
    lacking.update(drawn.lacking)
    return drawn.png
