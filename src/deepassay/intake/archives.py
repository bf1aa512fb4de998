"""ZIP archives of what else may be given."""

from __future__ import annotations

import stat
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from deepassay.errors import DeepAssayError, Notice
from deepassay.files import BadFile

UNSHOWN: Final = (".", "~$")
"""How names begin of files that nobody means: hidden ones, and those that lock a document."""
_MOST_FILES: Final = 100_000
_MOST_BYTES: Final = 4_000_000_000
_CHUNK: Final = 1 << 20


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """What an archive holds, as long as the context lasts: its one file or folder, or a folder.

    Files of the system (`__MACOSX`, hidden ones) are left out. Raises BadFile for what is no
    archive, needs a password, leads out of it, or grows beyond measure.
    """
    with TemporaryDirectory(prefix="deepassay-") as scratch:
        folder = Path(scratch) / (path.stem or "archive")
        folder.mkdir()
        try:
            with zipfile.ZipFile(path) as packed:
                _unpack(packed, folder)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
            raise BadFile(
                f"it cannot be unpacked ({error})", "Unpack it, and name what was in it."
            ) from error
        inside = folder
        while len(entries := [*inside.iterdir()]) == 1 and (
            entries[0].is_file() or inside == folder
        ):
            inside = entries[0]
            if inside.is_file():
                break
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                yield inside
            except DeepAssayError as error:  # of the archive, not of where it was unpacked
                error.problem = error.problem.replace(str(inside), str(path))
                error.remedy = error.remedy.replace(str(inside), str(path))
                raise
    for each in told:
        warnings.warn(Notice(str(each.message).replace(str(inside), str(path))), stacklevel=4)


def _unpack(packed: zipfile.ZipFile, folder: Path) -> None:
    left = _MOST_BYTES
    members = [each for each in packed.infolist() if not each.is_dir() and _counts(each.filename)]
    if len(members) > _MOST_FILES:
        raise BadFile(f"it holds {len(members):,} files", "Unpack it, and name what was in it.")
    for each in members:
        place = PurePosixPath(each.filename)
        if place.is_absolute() or ".." in place.parts or stat.S_ISLNK(each.external_attr >> 16):
            raise BadFile(f"{each.filename!r} leads out of it", "Leave that file out.")
        target = folder.joinpath(*place.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with packed.open(each) as source, target.open("wb") as written:
            while chunk := source.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise BadFile(
                        f"it unpacks to more than {_MOST_BYTES:,} bytes",
                        "Unpack it, and name what was in it.",
                    )
                written.write(chunk)


def _counts(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return ".." in parts or not any(part.startswith((*UNSHOWN, "__MACOSX")) for part in parts)
