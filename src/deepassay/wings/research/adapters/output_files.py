"""What a program left, read as what a stranger left: it may be anything but a file of text."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from deepassay.files import BadFile, decode_text

LARGEST: Final = 4 * 1024 * 1024
"""Bytes of a report; a million words of English are 6 million."""

MOST_FILES: Final = 10_000
"""Entries that are looked at for the newest one of a pattern."""

_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class UnreadableOutput(Exception):
    """What was left cannot be read, and why: a sentence for a person, without its full stop."""


def read_left(folder: Path, name: str, most: int = LARGEST) -> str | None:
    """The text of a file below a folder; None where it is not there.

    No link is followed on the way, nothing is waited for (a FIFO without a writer), nothing but a
    regular file is read, and that only up to `most` bytes, and as UTF-8. Raises Unreadable.
    """
    try:
        handle = _opened(folder, name)
    except FileNotFoundError:
        return None
    except OSError as error:
        is_link = folder.joinpath(name).is_symlink()
        why = "it is a link" if is_link else error.strerror or "it cannot be opened"
        raise UnreadableOutput(f"{name} is not read: {why}") from None
    except ValueError:  # a null byte
        return None
    try:
        return read_whole(handle, name, most)
    finally:
        os.close(handle)


def read_whole(handle: int, name: str, most: int = LARGEST) -> str:
    """The text of an open file, from its beginning. Raises Unreadable."""
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode):
        raise UnreadableOutput(f"{name} is not read: it is no regular file")
    try:
        raw = _read(handle, 0, most + 1)
    except OSError as error:
        raise UnreadableOutput(f"{name} is not read: {error.strerror}") from None
    if max(len(raw), about.st_size) > most:
        size = max(len(raw), about.st_size)
        raise UnreadableOutput(
            f"{name} is not read: it has {size:,} bytes, and {most:,} are allowed"
        )
    return _text(raw, name)


def _text(raw: bytes, name: str) -> str:
    """What was written, in UTF-8. Raises Unreadable, but for a last character that breaks off."""
    try:
        text = decode_text(raw)
    except BadFile as error:
        cause = error.__cause__
        if not isinstance(cause, UnicodeDecodeError) or cause.reason != "unexpected end of data":
            raise UnreadableOutput(f"{name} is not read: {error.problem}") from None
        text = raw.decode("utf-8", "replace")  # the program was stopped as it wrote
    return text.removeprefix("\ufeff")


def read_end(handle: int, most: int) -> str:
    """The last bytes of an open regular file as text, as of a log that may have any size."""
    size = os.fstat(handle).st_size
    return _read(handle, max(0, size - most), most).decode("utf-8", "replace")


def newest(folder: Path, pattern: str) -> str | None:
    """The path below a folder of the newest regular file that fits; None where there is none.

    Raises Unreadable where more fits than is looked at.
    """
    found = []
    for count, (when, name) in enumerate(_fitting(folder, pattern)):
        if count == MOST_FILES:
            raise UnreadableOutput(f"more than {MOST_FILES:,} files fit {pattern}")
        found.append((when, name))
    return max(found)[1] if found else None


def _fitting(folder: Path, pattern: str) -> Iterator[tuple[int, str]]:
    try:
        for each in islice(folder.glob(pattern), 10 * MOST_FILES):
            about = each.lstat()
            if stat.S_ISREG(about.st_mode) and ".." not in each.parts:
                yield about.st_mtime_ns, str(each.relative_to(folder))
    except (OSError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "too deep"
        raise UnreadableOutput(f"what fits {pattern} cannot be listed: {why}") from None


def _opened(folder: Path, name: str) -> int:
    """A file below a folder, whose path has no link in it."""
    *folders, last = Path(name).parts
    at = os.open(folder, _FLAGS | os.O_DIRECTORY)
    try:
        for part in folders:
            below = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=at)
            os.close(at)
            at = below
        return os.open(last, _FLAGS | os.O_NONBLOCK | os.O_NOCTTY, dir_fd=at)
    finally:
        os.close(at)


def _read(handle: int, start: int, most: int) -> bytes:
    raw = bytearray()
    while len(raw) < most and (piece := os.pread(handle, most - len(raw), start + len(raw))):
        raw += piece
    return bytes(raw)
