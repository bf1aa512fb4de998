"""Report files: found, read as they are, and written back whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from deepassay.errors import BadReports
from deepassay.files import BadFile, decode_text, write_whole
from deepassay.intake.archives import UNSHOWN

if TYPE_CHECKING:
    from deepassay.reports.documents.convert import Converted

MARKDOWN = frozenset((".md", ".markdown"))
TEXT = MARKDOWN | {".txt"}
DOCUMENTS = frozenset((".pdf", ".docx", ".html", ".htm"))
"""Endings of a file that is converted to Markdown when it is read."""
ANSWERS = frozenset((".json",))
"""Endings of a file that may hold the answer of a provider."""
CONVERTED = DOCUMENTS | ANSWERS
WRITTEN = TEXT | DOCUMENTS
_NAMES = "*.md, *.markdown, *.txt, *.html, *.htm, *.pdf or *.docx"
_IN_FOLDERS = (
    f"Reports are files named {_NAMES}, answers of providers (*.json) and JSON Lines (*.jsonl)"
)
_NO_REPORTS = frozenset(("readme", "license", "licence", "notice", "requirements", "changes"))

LAYOUTS: Final = (
    "Reports are Markdown or text files (AGENT/TASK.md, AGENT/qid_TASK_report.md or "
    "AGENT/TASK/answer_1.md), HTML, PDF or DOCX files of such names, answers as providers send "
    "them (AGENT/TASK.json), or tables with a column of reports and one of prompts or identifiers "
    "(JSON Lines, JSON, CSV, XLSX, YAML, Parquet)."
)

Tell = Callable[[BadReports], None]


class Converter(Protocol):
    """Whoever converts documents, in this process or elsewhere."""

    @property
    def abreast(self) -> int:
        """How many documents can be converted at a time."""
        ...

    def convert(self, path: Path, body: bytes) -> Converted:
        """The Markdown of a document, from its bytes; raises as `convert_document` does."""
        ...


class LocalConverter:
    """Documents are converted on this machine."""

    abreast = min(4, os.cpu_count() or 1)

    def convert(self, path: Path, body: bytes) -> Converted:
        """The Markdown of a document, made on this machine by `convert_document`."""
        from deepassay.reports.documents.convert import convert_document  # most are texts

        return convert_document(path, body)


HERE: Final = LocalConverter()


def stop(error: BadReports) -> None:
    """Raise what is wrong: nothing is read past it."""
    raise error


def ending_of(path: Path, known: Collection[str]) -> str:
    """The longest of the known endings that a name has, as `.md` or `.tar.gz`; else nothing."""
    parts = path.name.lower().split(".")
    endings = ("." + ".".join(parts[at:]) for at in range(1, len(parts)))
    return next((ending for ending in endings if ending in known), "")


def markdown_files(
    paths: Sequence[Path], tell: Tell = stop, endings: Collection[str] = WRITTEN | ANSWERS
) -> Iterator[Path]:
    """The files named, and the reports in the folders named.

    tell: called with what is wrong with a folder. endings: of reports in folders.
    """
    for path in paths:
        if not _is_folder(path):
            yield path
            continue
        troubles: list[BadReports] = []
        found = reports_in(path, endings, troubles.append)
        if not found and not troubles:
            troubles.append(
                BadReports(
                    f"{path}: there is no report in this folder.",
                    f"{_IN_FOLDERS}; README.md is none, and a table is read if you name it.",
                )
            )
        for trouble in troubles:
            tell(trouble)
        yield from found


def reports_in(folder: Path, endings: Collection[str] = WRITTEN, tell: Tell = stop) -> list[Path]:
    """Files of a folder that hold reports, at every depth, in order of their names.

    Neither hidden ones, nor those in hidden folders, nor README, CHANGES and their kind. Links to
    folders are followed, except into a folder that they stand in. tell: called with each folder
    that cannot be read.
    """
    return sorted(
        path
        for path in _files(folder, tell)
        if (ending := ending_of(path, endings))
        and path.name.lower().removesuffix(ending) not in _NO_REPORTS
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
            if path.name.startswith(UNSHOWN):
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
    """The Markdown of a file that is named as Markdown, a text, a document or an answer is.

    Raises BadReports, and MissingExtra.
    """
    if path.suffix.lower() in CONVERTED and not _is_folder(path):
        return read_document(path).text
    if path.suffix.lower() not in TEXT and not _is_folder(path):
        raise BadReports(
            f"{path}: not a kind of file that holds a report.",
            f"A report is a file named {_NAMES}, or the answer of a provider, *.json.",
        )
    return read_report_text(path)


def read_report_text(path: Path) -> str:
    """The text of a file, line ends and byte order mark as they are. Raises BadReports."""
    try:
        return decode_text(_bytes(path))
    except BadFile as error:
        raise BadReports(f"{error.at(path)}: {error.problem}.", error.remedy) from error


def markdown_text(path: Path) -> str:
    """Text of a file; a byte order mark at its start is no part of the report."""
    return read_report_text(path).removeprefix("\ufeff")


def read_document(path: Path, converter: Converter = HERE) -> Converted:
    """The Markdown of a document or an answer, made anew. Raises BadReports and MissingExtra.

    A document of no bytes is an empty report, as a text is.
    """
    if path.suffix.lower() in ANSWERS:
        return markdown_of(read_json_report(path), str(path))
    if body := _bytes(path):
        return converter.convert(path, body)
    from deepassay.reports.documents.convert import Converted

    return Converted("", "")


class NoAnswer(BadReports):
    """A JSON file holds something else than an answer."""


class NoReports(BadReports):
    """Rows can be read, and nothing says for certain which reports they hold, if any."""


def read_json_report(path: Path) -> object:
    """What a JSON file holds. Raises BadReports, as NoAnswer where it is no JSON."""
    try:
        found: object = json.loads(markdown_text(path))
    except (ValueError, RecursionError) as error:
        raise NoAnswer(f"{path}: not JSON ({error}).", "Correct the file, or remove it.") from error
    return found


def markdown_of(value: object, place: str) -> Converted:
    """The answer that JSON holds as Markdown. place: for messages. Raises BadReports."""
    from deepassay.reports.answers import answer_as_markdown, answer_of
    from deepassay.reports.documents.convert import Converted

    answer = answer_of(value)
    if answer is None:
        raise NoAnswer(
            f"{place}: it holds no answer of a provider that is known.",
            "docs/evaluating.md lists the layouts of reports.",
        )
    report = answer_as_markdown(answer)
    if not report.text.strip():
        status = f" (status: {answer.status})" if answer.status else ""
        raise BadReports(f"{place}: the answer has no text{status}.", "Remove it, or ask again.")
    return Converted(report.text, report.by)


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
