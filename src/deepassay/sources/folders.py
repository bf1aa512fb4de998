"""A folder of pages: its files, and the addresses of those that name none."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import quote

from deepassay.errors import BadSnapshots
from deepassay.sources.importing import ARCHIVES, MEDIA

BASE: Final = "https://corpus.invalid/"
"""What the addresses of files begin with that name none; such a host can never exist."""

ENDINGS: Final = (*MEDIA, ".jsonl", *ARCHIVES)
"""What the names of files with pages end in."""


def files_below(folder: Path, *others: str) -> list[Path]:
    """The files of a folder, and of those in it, that hold pages; without hidden ones.

    others: further ends of names, as of run files.
    """
    return sorted(
        file
        for file in folder.rglob("*")
        if file.name.lower().endswith((*ENDINGS, *others))
        and file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def address_below(file: Path, place: Path) -> str:
    """The address of a page whose file names none: BASE and the way to it. place: see below."""
    name = file.relative_to(place).as_posix() if place.is_dir() else file.name
    return BASE + quote(name)


def refuse_outside(file: Path, place: Path) -> None:
    """Raise BadSnapshots for a link that leads out of a folder. place: that, or the file itself.

    Whoever gave away a folder could else have any file of this machine read, or served to agents.
    """
    if place.is_dir() and not file.resolve().is_relative_to(place.resolve()):
        raise BadSnapshots(
            f"{file}: is a link that leads out of the folder.", "Put the page itself there."
        )
