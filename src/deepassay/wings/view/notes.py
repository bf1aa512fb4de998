"""What a reader has to say: a star, a comment, the verdict that a judge should have given.

Notes stand beside the run, a line of JSON each, in a file of their own: the run is evidence, and is
never written to. A line that comes later takes the place of the one before on the same thing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting
from deepassay.files import json_lines
from deepassay.results.tables import as_csv
from deepassay.runfile.captures import storable
from deepassay.wings.people.annotate.exchange import COLUMNS
from deepassay.wings.view.menus import menu
from deepassay.wings.view.reading import ReadReport
from deepassay.wings.view.room import Place

SUFFIX: Final = ".notes.jsonl"
LONGEST: Final = 20_000
"""Characters of a comment."""


@dataclass(frozen=True)
class Note:
    """What was said of a report, or of one finding on it. digest: of the text that was read.

    at: the anchor of the finding, empty for the report. item, verdict: its key and what the judge
    said; right: what it should have said, empty where that is not said; read: the same as `agree`
    holds it against the judge's. time: UTC, ISO 8601.
    """

    agent: str
    task: str
    sample: int
    digest: str
    at: str = ""
    protocol: str = ""
    item: str = ""
    said: str = ""
    verdict: str = ""
    right: str = ""
    read: str = ""
    star: bool = False
    text: str = ""
    rater: str = ""
    time: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it takes back what was said before."""
        return not (self.right or self.star or self.text)

    @property
    def thing(self) -> tuple[str, str, int, str, str]:
        """What it is about, and whose it is: there is one note on it."""
        return self.agent, self.task, self.sample, self.at, self.rater


_TYPES: Final = {each.name: str(each.type) for each in fields(Note)}


class Notebook:
    """The notes on one run, in their file."""

    def __init__(self, run: Path) -> None:
        self.path = run.with_name(run.name + SUFFIX)
        self._notes: dict[tuple[str, str, int, str, str], Note] = {}
        self._size = -1
        self.unread = 0

    @property
    def notes(self) -> list[Note]:
        """Those that hold, in their order; also what others wrote into the file meanwhile."""
        size = self.path.stat().st_size if self.path.is_file() else 0
        if size != self._size:
            self._read()
            self._size = size
        return [*self._notes.values()]

    def _read(self) -> None:
        self._notes, self.unread = {}, 0
        if not self.path.is_file():
            return
        for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
            note = _note_of(line)
            if note is None:
                self.unread += 1
            else:
                self._notes.pop(note.thing, None)
                if not note.is_empty:
                    self._notes[note.thing] = note

    def keep(self, note: Note) -> None:
        """Write a note down. Raises BadSetting where that cannot be done."""
        kept = {name: storable(value) for name, value in asdict(note).items()}
        line = json.dumps(kept, ensure_ascii=False) + "\n"
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadSetting(
                f"{self.path} cannot be written ({error.strerror or error}): the note is not kept.",
                "See to the folder and the disk, and send it again.",
            ) from error
        self._size = -1

    def of(self, place: Place) -> dict[str, Note]:
        """The notes on a report by what they are about, the last of several people's."""
        return {note.at: note for note in self.notes if _is_on(note, place)}


def _note_of(line: str) -> Note | None:
    """The note of a line; None for one that nobody wrote here."""
    try:
        ((_, found),) = json_lines(line)
    except ValueError:
        return None
    kinds: Mapping[str, type] = {"str": str, "int": int, "bool": bool}
    known = {name: value for name, value in found.items() if name in _TYPES}
    if any(type(value) is not kinds[_TYPES[name]] for name, value in known.items()):
        return None
    if not {"agent", "task", "sample", "digest"} <= known.keys():
        return None
    return Note(**known)


def _is_on(note: Note, place: Place) -> bool:
    return (note.agent, note.task, note.sample) == place[1:]


def noted(
    report: ReadReport, digest: str, at: str, said: Mapping[str, str], rater: str, time: str
) -> Note:
    """The note of a form. said: its fields star, right and text."""
    finding = report.finding(at)
    record = report.record_of(finding) if finding else None
    choices = {each.word: each.read for each in menu(finding, record, report.task)}
    right = said.get("right", "")
    right = right if right in choices else ""
    return Note(
        report.at.agent,
        report.at.task,
        report.at.sample,
        digest,
        finding.name if finding else "",
        finding.protocol if finding else "",
        finding.key if finding else "",
        finding.said if finding else "",
        finding.verdict if finding else "",
        right,
        choices.get(right, ""),
        said.get("star", "") == "1",
        said.get("text", "").replace("\r\n", "\n").strip()[:LONGEST],
        rater,
        time,
    )


def as_decisions(notes: Iterable[Note]) -> str:
    """Notes as CSV for `agree` and `calibrate`: who wrote them had seen what the judge said.

    Those that name no right verdict are there with their comments; these commands pass over them.
    """
    rows = [
        {
            "agent": note.agent,
            "task": note.task,
            "sample": note.sample,
            "rater": note.rater,
            "protocol": note.protocol,
            "item": note.item,
            "judge": "",
            "score": "",
            "verdict": note.read or note.right,
            "note": note.text,
            "seconds": "",
            "saw_judge": "yes",
            "at": note.time,
            "judge_said": note.verdict,
            "right": note.right,
            "star": "yes" if note.star else "",
            "text_digest": note.digest,
        }
        for note in notes
    ]
    return as_csv(rows, [*COLUMNS, "judge_said", "right", "star", "text_digest"])
