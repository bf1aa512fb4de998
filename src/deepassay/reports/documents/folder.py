"""Converted documents in a folder, to be looked at, corrected by hand, and evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deepassay.errors import BadReports
from deepassay.reports.files import CONVERTED, Tell, put_text, read_document, reports_in
from deepassay.reports.loaders import whose


def documents_in(paths: Sequence[Path], tell: Tell) -> list[Path]:
    """The HTML, PDF, DOCX and JSON files that are named or in folders. Raises BadReports.

    tell: called with each folder that cannot be read.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += reports_in(path, CONVERTED, tell)
        elif path.suffix.lower() in CONVERTED:
            found.append(path)
        else:
            raise BadReports(f"{path}: not HTML, PDF, DOCX or JSON.", "Only these are converted.")
    if not found:
        raise BadReports(
            "There is no HTML, PDF, DOCX or JSON in what is named.", "Name files or folders."
        )
    return found


def write_converted(documents: Sequence[Path], folder: Path, force: bool, tell: Tell) -> int:
    """Write FOLDER/AGENT/TASK.md for each document, and say how many there are.

    `evaluate` reads agent, task and sample from these names as it does from those of the
    documents. tell: called with what is wrong with one of them; the others are converted all
    the same. Raises MissingExtra.
    """
    written: dict[Path, Path] = {}
    for document in documents:
        file = folder / _name(document)
        try:
            if file in written:
                raise BadReports(
                    f"{document}: {written[file]} has the same agent, task and sample.",
                    "Rename one of them.",
                )
            put_text(file, read_document(document).text, force)
            written[file] = document
        except BadReports as error:
            tell(error)
    return len(written)


def _name(document: Path) -> Path:
    """Below the folder of all agents: AGENT/TASK.md or AGENT/TASK/answer_2.md."""
    agent, task, _ = whose(document)
    stem = document.stem
    inner = Path(agent, task) if stem.startswith("answer_") and task != stem else Path(agent)
    return inner / f"{stem}.md"
