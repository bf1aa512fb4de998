"""A WACZ file, as archiving browsers write it: a ZIP with web archives in its folder `archive`.

Nothing is unpacked onto the disk: members are read as they stand in the ZIP, by name only to choose
them, and never for more than a ZIP of this size can honestly hold.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from deepassay.errors import BadSnapshots, DamagedSnapshots
from deepassay.runfile.rows import Capture
from deepassay.sources.warc_reading import read_warc_from

MOST_MEMBERS: Final = 10_000
MOST_RATIO: Final = 100
"""Bytes that all archives may have together for each byte of the ZIP; text is packed to a tenth."""

_ARCHIVE: Final = re.compile(r"archive/[^/\\]+\.warc(?:\.gz)?", re.IGNORECASE)
_REMEDY: Final = "Export it again, or import the .warc.gz files in its folder archive."


def read_wacz(path: Path, skipped: Counter[str], moved: dict[str, str]) -> Iterator[Capture]:
    """The captures in the web archives of a WACZ; `skipped` and `moved` as in `read_warc`.

    Raises BadSnapshots for what is no WACZ, or not an honest one, before anything is read, and
    DamagedSnapshots after all that could be read.
    """
    try:
        file = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise BadSnapshots(f"{path} is no WACZ: {error}.", _REMEDY) from error
    problems = []
    with file:
        for member in _archives(path, file):
            place = f"{path}: {member.filename}"
            try:
                with file.open(member) as content:
                    yield from read_warc_from(place, content, skipped, moved)
            except (BadSnapshots, zipfile.BadZipFile, zlib.error, EOFError) as error:
                problems.append(
                    error.problem if isinstance(error, BadSnapshots) else f"{place}: {error}."
                )
            except (RuntimeError, NotImplementedError, OSError) as error:  # locked, or packed oddly
                problems.append(f"{place}: {error}.")
    if problems:
        raise DamagedSnapshots(problems[0], _REMEDY, tuple(problems))


def _archives(path: Path, file: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The members that are web archives. Raises BadSnapshots if there are none, or too much."""
    members = file.infolist()
    found = [each for each in members if _ARCHIVE.fullmatch(each.filename)]
    if not found:
        raise BadSnapshots(
            f"{path} is a ZIP file without web archives in a folder archive.", _REMEDY
        )
    size = path.stat().st_size
    unpacked = sum(each.file_size for each in found)
    if len(members) > MOST_MEMBERS or unpacked > MOST_RATIO * size:
        raise BadSnapshots(
            f"{path}: {len(members):,} files, {unpacked:,} bytes in {size:,}: no honest WACZ.",
            _REMEDY,
        )
    return found
