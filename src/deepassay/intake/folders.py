"""Folders with a folder for each task, in which a file of one name says what was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from deepassay.intake.heads import is_known

TEXTS: Final = frozenset((".md", ".markdown", ".txt"))
"""Endings of what a task may be written in, alone."""


def asked_in_folders(folder: Path) -> list[Path]:
    """The files `TASK/prompt.txt` of a folder, in order; none if one of its folders has none.

    They are called as prompts are, all alike. Hidden folders do not count.
    """
    inner = sorted(
        each for each in folder.iterdir() if each.is_dir() and not each.name.startswith((".", "_"))
    )
    if len(inner) < 2:
        return []
    for first in sorted(inner[0].iterdir()):
        if first.suffix.lower() in TEXTS and is_known(first.stem, "prompt", 0):
            asked = [each / first.name for each in inner]
            if all(each.is_file() for each in asked):
                return asked
    return []
