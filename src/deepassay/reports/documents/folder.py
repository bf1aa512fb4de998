"""Converted documents in a folder, to be looked at, corrected by hand, and evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deepassay.errors import BadReports
from deepassay.reports.files import CONVERTED, Tell, ending_of, put_text, reports_in
from deepassay.reports.given_files import ONLY_NAMED
from deepassay.reports.loaders import loaders, readers
from deepassay.reports.looking import converted
from deepassay.reports.naming import whose


def documents_given(paths: Sequence[Path], tell: Tell) -> list[Path]:
    """The HTML, PDF, DOCX and JSON files that are named or in folders. Raises BadReports.

    So are documents that other packages read. tell: called with each folder that cannot be read.
    """
    found: list[Path] = []
    endings = CONVERTED | readers().keys()
    kinds = ", ".join(["HTML, PDF, DOCX, JSON", *sorted(f"*{e}" for e in endings - CONVERTED)])
    for path in paths:
        if path.is_dir():
            found += reports_in(path, endings, tell)
        elif ending_of(path, endings):
            found.append(path)
        else:
            raise BadReports(f"{path}: it is none of {kinds}.", "Only these are converted.")
    if not found:
        raise BadReports(f"There is none of {kinds} in what is named.", "Name files or folders.")
    return found


def left_as_they_are(paths: Sequence[Path], tell: Tell) -> list[Path]:
    """The reports in the folders that are named which are read without a conversion, as Markdown.

    tell: called with each folder that cannot be read.
    """
    endings = loaders().keys() - CONVERTED - readers().keys() - ONLY_NAMED
    return [each for path in paths if path.is_dir() for each in reports_in(path, endings, tell)]


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
            put_text(file, converted(document).text, force)
            written[file] = document
        except BadReports as error:
            tell(error)
    return len(written)


def _name(document: Path) -> Path:
    """Below the folder of all agents: AGENT/TASK.md or AGENT/TASK/answer_2.md."""
    ending = ending_of(document, CONVERTED | readers().keys())
    agent, task, _ = whose(document, ending)
    stem = document.name[: -len(ending)]
    inner = Path(agent, task) if stem.startswith("answer_") and task != stem else Path(agent)
    return inner / f"{stem}.md"
