"""A place for the texts of many reports, so that memory does not hold them."""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import Final

import zstandard

from deepassay.errors import BadReports
from deepassay.reports.report import Report
from deepassay.runfile.rows import to_bytes, to_text

IN_MEMORY: Final = 32_000_000
"""Bytes of texts, compressed, from which on they stand in a file."""


class TextStore:
    """Texts of reports in a temporary file, which goes with the last report of it."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - open as long as it is used
        self._turn = Lock()
        self._pack, self._unpack = zstandard.ZstdCompressor(), zstandard.ZstdDecompressor()
        weakref.finalize(self, self._file.close)

    def put(self, report: Report) -> Report:
        """A copy of a report whose text stands on this shelf. Raises BadReports for no room."""
        with self._turn:
            packed = self._pack.compress(to_bytes(report.text))
            try:
                start = self._file.seek(0, os.SEEK_END)
                self._file.write(packed)
                self._file.flush()  # where no room is left, that is told here, not at reading
            except OSError as error:
                raise BadReports(
                    f"The texts of the reports cannot be put aside ({error.strerror}).",
                    "Make room, or name a folder that has room in the variable TMPDIR.",
                ) from error
        light = report.but(text=_ShelfPlace(self, start, len(packed)))
        # Now, so that nobody reads the text again for them.
        vars(light).update(digest=report.digest, is_empty=report.is_empty)
        return light

    def get(self, start: int, size: int) -> str:
        """The text that stands there."""
        with self._turn:
            self._file.seek(start)
            return to_text(self._unpack.decompress(self._file.read(size)))


@dataclass(frozen=True, slots=True)
class _ShelfPlace:
    """Where a text stands on a shelf; called, it reads it."""

    shelf: TextStore
    start: int
    size: int

    def __call__(self) -> str:
        return self.shelf.get(self.start, self.size)
