"""The folder beside an index: which files in it are ours, and may give way to others."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting

MADE_BY: Final = "<footer>Made by DeepAssay "
"""What stands at the end of every page."""

_TAIL: Final = 400
"""In how many of its last bytes."""

_PAGE: Final = re.compile(r"(report|page|agent|reports|tables|failures)-\d{4,}\.html")
_BESIDE: Final = re.compile(r"style\.css|files\.js|texts(-\d{4,})?\.js")


def refuse_foreign(folder: Path) -> None:
    """Raise BadSetting for a file that only has the name of one of ours: it is somebody's work."""
    for file in _pages(folder):
        if not _is_ours(file):
            raise BadSetting(
                f"{file} was not written by `deepassay html`; nothing was touched.",
                "Move it away, or give the page another name with -o.",
            )


def clear_folder(folder: Path, *, force: bool) -> None:
    """Remove the files of an earlier page. Raises BadSetting where they may not be overwritten."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadSetting(
            f"{folder} is no folder, and the files of the page belong into one of that name.",
            "Move it away, or give the page another name with -o.",
        )
    if not force:
        raise BadSetting(f"{folder} is there already.", "Overwrite it with --force.")
    pages = _pages(folder)
    beside = [file for file in folder.iterdir() if _BESIDE.fullmatch(file.name)] if pages else []
    for file in (*pages, *beside):
        file.unlink()
    with suppress(OSError):  # something else stands in it
        folder.rmdir()


def _pages(folder: Path) -> list[Path]:
    """What is named there as pages are."""
    return [file for file in folder.glob("*.html") if _PAGE.fullmatch(file.name)]


def _is_ours(file: Path) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _TAIL))
        return MADE_BY.encode() in opened.read()
