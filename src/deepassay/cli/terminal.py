"""Printing text that strangers wrote: no control sequence of theirs reaches the terminal."""

from __future__ import annotations

import re
import sys

from deepassay.files import without_surrogates

# C0 and C1 controls but for line feed and tab, and the marks that reorder what is shown.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """The text without control characters and marks that reorder it."""
    return _CONTROL.sub("", text)


def show(text: str) -> None:
    """Print text for a person to standard output."""
    print(without_surrogates(plain(text)))


def hand_over(text: str) -> None:
    """Write a document to standard output: byte for byte into a file, plain on a terminal."""
    if sys.stdout.isatty():
        show(text)
    else:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()


def note(text: str) -> None:
    """Print a line about what is going on to standard error."""
    print(without_surrogates(plain(text)), file=sys.stderr)


def say_stopping() -> None:
    """Answer the first signal."""
    note("Stopping: what is in flight may end. Once more, and it is broken off.")
