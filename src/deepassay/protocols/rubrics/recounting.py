"""Verdicts that a set's authors published, counted again, and held against their own figures.

Nobody is asked: the verdicts are theirs, the arithmetic is ours of edition `code`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.errors import BadTasks
from deepassay.files import strangers_json
from deepassay.protocols.rubrics.released_sets import released_score
from deepassay.protocols.rubrics.setting import Setting
from deepassay.score import Json, Score
from deepassay.tasks.set_tables import Entry, PublishedVerdicts, entries_at, field_at
from deepassay.tasks.yardsticks import Criterion

EQUAL: Final = 1e-9
"""How far a figure may be from ours, which only rounding explains."""

WHOLE: Final = "score"


class RecountedFigure(NamedTuple):
    """One figure of one report, as it was published and as it is counted here; None for neither."""

    file: str
    report: str
    figure: str
    published: float | None
    ours: float | None

    @property
    def equal(self) -> bool:
        """Whether both are the same number, or neither is one."""
        if self.published is None or self.ours is None:
            return self.published is self.ours
        return abs(self.published - self.ours) <= EQUAL * max(1.0, abs(self.published))


def recounted(
    path: Path, verdicts: PublishedVerdicts, setting: Setting
) -> Iterator[RecountedFigure]:
    """Every figure of a file, or of the files of a folder. Raises BadTasks for what has none."""
    files = sorted(path.rglob(verdicts.files)) if path.is_dir() else [path]
    if not files:
        raise BadTasks(f"{path}: no file in it is called {verdicts.files}.", "Name another folder.")
    for file in files:
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        try:
            document = strangers_json(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise BadTasks(f"{file}: it cannot be read ({error}).", "Download it again.") from error
        reports = [*entries_at(document, verdicts.each)]
        of_file = [
            each for report in reports for each in _of_report(name, report, verdicts, setting)
        ]
        if not of_file:
            raise BadTasks(
                f"{file}: no verdicts stand there under {verdicts.verdicts}.",
                "Name a file of verdicts as the set's authors publish them.",
            )
        yield from of_file


def _of_report(
    file: str, report: Entry, verdicts: PublishedVerdicts, setting: Setting
) -> Iterator[RecountedFigure]:
    criteria: list[Criterion] = []
    said: list[Json] = []
    for number, each in enumerate(entries_at(report.value, verdicts.verdicts), start=1):
        importance = field_at(each.value, verdicts.importance) if verdicts.importance else ""
        criteria.append(
            Criterion(id=f"c{number}", criterion=str(number), weight=1, importance=str(importance))
        )
        said.append(each.field(verdicts.word, report.value))
    if not criteria:
        return
    score = released_score(criteria, said, setting)
    ours = {WHOLE: score.value, **score.parts} if isinstance(score, Score) else {}
    name = str(report.field(verdicts.id, report.value))
    for figure, way in verdicts.figures.items():
        theirs = field_at(report.value, way)
        number_of = theirs if isinstance(theirs, int | float) else None
        yield RecountedFigure(file, name, figure, number_of, ours.get(figure))
