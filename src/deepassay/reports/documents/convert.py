"""Documents handed to a worker process, and what came back: Markdown, or why there is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from deepassay.errors import BadReports, MissingExtra


class RefusedDocument(Exception):
    """The document is not converted. `problem` goes on after its name; `remedy`: what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


MOST_BYTES = 50_000_000
SECONDS = 60  # of processor time
ON_THE_CLOCK = 120
NEEDED = {"pdf": "pypdfium2", "docx": "mammoth"}
"""The library for each kind of document that takes one of the extra `docs`."""
REVISION = 1
"""Raised when our own part of a conversion changes what it writes."""

LONGEST_KEPT = 250_000
"""Bytes of a document whose conversion is kept: a table is read again for each way to read it."""

_BY_HAND = "Convert it yourself, and give the Markdown."


class Converted(NamedTuple):
    """The Markdown of a document. by: who converted it, with versions."""

    text: str
    by: str


def can_convert(kind: str) -> bool:
    """Whether documents of a kind can be converted on this machine."""
    return kind not in NEEDED or find_spec(NEEDED[kind]) is not None


def converter_of(kind: str) -> str:
    """What converts documents of a kind on this machine, with versions."""
    library = NEEDED.get(kind, "resiliparse")
    name = kind if kind in NEEDED else "html"
    return f"{name}-{REVISION} {library} {version(library)}"


def convert_document(path: Path, body: bytes) -> Converted:
    """The Markdown of HTML, PDF or DOCX. The same bytes give the same text under the same versions.

    Raises BadReports for what is broken, locked, too large or without text, and MissingExtra
    where the library for its kind is not installed.
    """
    refuse_untried(path, body)
    reply = (_kept if len(body) <= LONGEST_KEPT else _asked)(path, document_kind(path), body)
    if "problem" in reply:
        raise BadReports(f"{path}: {reply['problem']}", reply["remedy"] or _BY_HAND)
    return Converted(reply["text"], converter_of(document_kind(path)))


def refuse_untried(path: Path, body: bytes) -> None:
    """Raise MissingExtra or BadReports for what is not even tried."""
    kind = document_kind(path)
    if not can_convert(kind):
        raise MissingExtra(f"{path}: reading {kind.upper()}", "docs")
    if len(body) > MOST_BYTES:
        raise BadReports(
            f"{path}: a document of {len(body):,} bytes; at most {MOST_BYTES:,} are read.", _BY_HAND
        )


def document_kind(path: Path) -> str:
    """Of a document, by the ending of its name: `pdf`."""
    return path.suffix.lower().removeprefix(".")


def _asked(path: Path, kind: str, body: bytes) -> dict[str, str]:
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "deepassay.reports.documents.worker", kind, str(SECONDS)],
            input=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ},
            timeout=ON_THE_CLOCK,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BadReports(
            f"{path}: it was not converted in {ON_THE_CLOCK} seconds.", _BY_HAND
        ) from error
    try:
        reply: dict[str, str] = json.loads(done.stdout)
    except ValueError as error:
        raise BadReports(
            f"{path}: the process that converted it ended early (status {done.returncode}).",
            _BY_HAND,
        ) from error
    return reply


_kept = lru_cache(maxsize=64)(_asked)
