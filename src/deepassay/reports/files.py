"""Report files: found, read as they are, and written back whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from deepassay.errors import BadReports
from deepassay.files import BadFile, decode_text, write_whole
from deepassay.reports.documents.convert import Converted, convert

MARKDOWN = frozenset((".md", ".markdown"))
TEXT = MARKDOWN | {".txt"}
"""Endings of a file that is named itself; in folders only those of WRITTEN are looked for."""
DOCUMENTS = frozenset((".pdf", ".docx"))
"""Endings of a file that is converted to Markdown when it is read."""
WRITTEN = MARKDOWN | DOCUMENTS

Tell = Callable[[BadReports], None]


def stop(error: BadReports) -> None:
    """Raise what is wrong: nothing is read past it."""
    raise error


def markdown_files(paths: Sequence[Path], tell: Tell = stop) -> Iterator[Path]:
    """The files named, and the reports in the folders named.

    tell: called with what is wrong with a folder.
    """
    for path in paths:
        if not _is_folder(path):
            yield path
            continue
        troubles: list[BadReports] = []
        found = reports_in(path, tell=troubles.append)
        if not found and not troubles:
            troubles.append(
                BadReports(
                    f"{path}: there is no report in this folder.",
                    "Reports are files named *.md, *.markdown, *.pdf or *.docx; README.md is none.",
                )
            )
        for trouble in troubles:
            tell(trouble)
        yield from found


def reports_in(folder: Path, endings: Collection[str] = WRITTEN, tell: Tell = stop) -> list[Path]:
    """Files of a folder that hold reports, at every depth, in order of their names.

    Neither hidden ones, nor those in hidden folders, nor a README. Links to folders are
    followed, except into a folder that they stand in. tell: called with each folder that
    cannot be read.
    """
    return sorted(
        path
        for path in _files(folder, tell)
        if path.suffix.lower() in endings and path.stem.lower() != "readme"
    )


def _files(folder: Path, tell: Tell) -> Iterator[Path]:
    """Everything below a folder that is neither a folder nor hidden, links to nowhere included."""
    waiting: list[tuple[Path, frozenset[tuple[int, int]]]] = [(folder, frozenset())]
    while waiting:
        place, above = waiting.pop()
        try:
            status = place.stat()
            with os.scandir(place) as listing:
                entries = [(Path(entry.path), entry.is_dir()) for entry in listing]
        except OSError as error:
            tell(BadReports(f"{place}: the folder cannot be read ({error.strerror})."))
            continue
        here = (status.st_dev, status.st_ino)
        if here in above:
            continue
        for path, is_folder in entries:
            if path.name.startswith("."):
                continue
            if is_folder:
                waiting.append((path, above | {here}))
            else:
                yield path


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # reading it says why it cannot be read
        return False


def read_markdown(path: Path) -> str:
    """The Markdown of a file that is named as Markdown, plain text, PDF or DOCX is.

    Raises BadReports, and MissingExtra.
    """
    if path.suffix.lower() in DOCUMENTS and not _is_folder(path):
        return read_document(path).text
    if path.suffix.lower() not in TEXT and not _is_folder(path):
        raise BadReports(
            f"{path}: not a kind of file that holds a report.",
            "A report is a file named *.md, *.markdown, *.txt, *.pdf or *.docx.",
        )
    return read_text(path)


def read_text(path: Path) -> str:
    """The text of a file, line ends and byte order mark as they are. Raises BadReports."""
    try:
        return decode_text(_bytes(path))
    except BadFile as error:
        raise BadReports(f"{error.at(path)}: {error.problem}.", error.remedy) from error


def read_document(path: Path) -> Converted:
    """The Markdown of a PDF or DOCX, converted anew. Raises BadReports and MissingExtra."""
    return convert(path, _bytes(path))


def _bytes(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # to open a pipe would wait for its writer
            raise BadReports(f"{path}: not a regular file.", "Name a file that holds a report.")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BadReports(f"{path}: {_absent(path)}.", "Check the path.") from error
    except OSError as error:
        raise BadReports(f"{path}: the file cannot be read ({error.strerror}).") from error


def _absent(path: Path) -> str:
    return "the link leads to no file" if path.is_symlink() else "there is no such file"


def write_text(path: Path, text: str) -> None:
    """Replace a file by `text`; after a crash it holds the old text or the new one.

    A link stays one, and the file that it leads to is replaced. Raises BadReports, for a file
    that is protected against writing as well.
    """
    file = path.resolve()
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
        if not mode & 0o222 or not os.access(file, os.W_OK):
            raise BadReports(f"{path}: the file is read-only and was left as it is.")
        write_whole(file, text)
    except OSError as error:
        raise BadReports(f"{path}: the file cannot be written ({error.strerror}).") from error


def refuse_inside(paths: Sequence[Path], folder: Path) -> None:
    """Raise BadReports for a folder in one that is read: what is written would be read too."""
    for path in paths:
        if path.is_dir() and folder.resolve().is_relative_to(path.resolve()):
            raise BadReports(
                f"{folder} is in {path}, whose reports are read.",
                "Name a folder outside of it: the next run would read what was written as well.",
            )


def put_text(path: Path, text: str, force: bool) -> None:
    """Write a file, whole or not at all, and the folders above it.

    One that says the same is left as it is. Raises BadReports for one that differs, unless
    `force`, and for what cannot be written.
    """
    try:
        content = text.encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_bytes() == content:
            return
        if path.exists() and not force:
            raise BadReports(
                f"{path} is there and differs. It was not touched.",
                "Name another folder, or overwrite with --force.",
            )
        write_whole(path, content)
    except OSError as error:
        raise BadReports(
            f"{path}: it cannot be written ({error.strerror}).",
            "Name a folder in which you may write.",
        ) from error
    except UnicodeEncodeError as error:
        raise BadReports(
            f"{path}: the report holds a character that UTF-8 cannot write.",
            "Take the lone surrogate out of the report.",
        ) from error
