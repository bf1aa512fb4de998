"""Review of woven tasks by experts, as a sheet that goes out and comes back with decisions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting, BadTasks
from deepassay.results.tables import unguarded
from deepassay.tasks.entries import write_file
from deepassay.tasks.rows import TaskRow
from deepassay.wings.build.arena.construction import text_flaws, ungrounded
from deepassay.wings.build.arena.provenance import Review, WovenTask
from deepassay.wings.build.arena.transcript import clock
from deepassay.wings.build.experts.sheets import as_sheet, filled_rows, refuse_flawed

WOVEN: Final = ("id", "task", "phase", "family", "difficulty", "inspirations", "quote")
ANSWERED: Final = ("decision", "edited_task", "comment")
"""Columns that experts fill in: accept, reject or edit; the new text; whatever they like."""


def put_on_sheet(path: Path, woven: Iterable[WovenTask], there: Sequence[str] = ()) -> None:
    """Write a sheet, or add tasks to it. there: identifiers of those it has. Raises BadTasks."""
    fresh = [each for each in woven if each.task.id not in frozenset(there)]
    known = path.read_text("utf-8-sig") if there else ""
    # An expert may have moved or deleted columns.
    columns = next(csv.reader(io.StringIO(known, newline="")), [*WOVEN, *ANSWERED])
    write_file(path, as_sheet(map(_cells, fresh), columns, known))


def read_review(path: Path, woven: Sequence[WovenTask]) -> dict[str, WovenTask | None]:
    """What became of the tasks that are decided: as accepted or edited, or None if rejected.

    Raises BadTasks for what is no decision on one of these tasks, and for an edited text that
    breaks a rule.
    """
    tasks = {each.task.id: each for each in woven}
    decided: dict[str, WovenTask | None] = {}
    problems: list[str] = []
    for row, name in _rows(path):
        if name not in tasks:
            problems.append(f"{row.place}: there is no task {name!r}")
            continue
        decision = _cell(row, "decision").casefold()
        wrong = [f"{row.place}: {each}" for each in _wrong(row, decision, tasks[name])]
        problems += wrong
        if decision and not wrong:
            decided[name] = None if decision == "reject" else _reviewed(row, decision, tasks[name])
    refuse_flawed(
        path,
        problems,
        "Correct these cells. A decision is accept, reject or edit; an edited text stands in "
        "edited_task; what is not decided stays empty.",
    )
    return decided


def sheet_ids(path: Path) -> list[str]:
    """Identifiers of the tasks on a sheet. Raises BadTasks."""
    return [name for _, name in _rows(path)]


def refuse_other_than_csv(path: Path) -> None:
    """Refuse an ending by which the sheet would not be read again."""
    if path.suffix.lower() != ".csv":
        raise BadSetting(
            f"A sheet for reviewers is CSV, and {path} would not be read as such.",
            "Give a file that ends in .csv.",
        )


def _cells(woven: WovenTask) -> Mapping[str, str]:
    labels, grounds = woven.task.labels, woven.provenance.inspirations
    return {
        "id": woven.task.id,
        "task": woven.task.prompt,
        **{name: labels[name] for name in ("phase", "family", "difficulty")},
        "inspirations": "\n".join(f"{each.type}: {each.text}" for each in grounds),
        "quote": "\n".join(
            f"{each.transcript}{'' if each.time is None else f' {clock(each.time)}'}: {each.quote}"
            for each in grounds
        ),
    }


def _rows(path: Path) -> Iterator[tuple[TaskRow, str]]:
    seen: set[str] = set()
    for row in filled_rows(path, ("id", "task", *ANSWERED)):
        name = unguarded(str(row.fields["id"]))  # an identifier may begin with a blank
        if name in seen:
            raise BadTasks(f"{row.place}: task {name!r} stands there twice.", "Keep one of them.")
        seen.add(name)
        yield row, name


def _cell(row: TaskRow, column: str) -> str:
    return unguarded(str(row.fields[column]).strip())


def _wrong(row: TaskRow, decision: str, woven: WovenTask) -> Iterator[str]:
    """What is wrong with a row."""
    edited = _cell(row, "edited_task")
    if decision not in ("", "accept", "reject", "edit"):
        yield f"{decision!r} is no decision"
    if _cell(row, "task").split() != woven.task.prompt.split():
        yield "the column task was changed; new texts belong into edited_task"
    if decision == "edit":
        yield from _flaws(edited, woven) if edited else ("the decision is edit, without a text",)
    elif edited:
        yield f"there is an edited text, but the decision is {decision or 'open'}"


def _flaws(text: str, woven: WovenTask) -> Iterator[str]:
    language = woven.task.language
    yield from text_flaws(text, language)
    for each in woven.provenance.inspirations:
        if problem := ungrounded(text, each.text, language):
            yield problem


def _reviewed(row: TaskRow, decision: str, woven: WovenTask) -> WovenTask:
    task, provenance = woven
    comment = _cell(row, "comment")
    if decision == "accept":
        review = Review(decision="accept", comment=comment)
        return WovenTask(task, provenance.model_copy(update={"review": review}))
    prompt = " ".join(_cell(row, "edited_task").split())
    review = Review(decision="edit", comment=comment, woven=task.prompt)
    return WovenTask(
        task.model_copy(update={"prompt": prompt}),
        provenance.model_copy(update={"prompt": prompt, "review": review}),
    )
