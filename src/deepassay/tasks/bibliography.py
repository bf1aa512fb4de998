"""What an expert cites on the subject of a task: works by title, DOI and arXiv number; its files.

A file of ours has for each task `id` and `bibliography`, or a row for each work: `id`, `title`,
`doi`, `arxiv`. Those of published sets are read along the table `[references]` of the set.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from pydantic import Field

from deepassay.errors import BadTasks, Notice
from deepassay.intake.rows import InputRow
from deepassay.score import Json
from deepassay.tasks.entries import EntryFile
from deepassay.tasks.fields import Record
from deepassay.tasks.set_tables import (
    ReferencesLayout,
    field_at,
    fits,
    name_in_file,
    published_references,
    rows_of_set,
)
from deepassay.tasks.yardsticks import Bibliography, ListedWork, identifiers_of_work


class TaskBibliography(Record):
    """What an expert cites on one task, and its prompt where the file says it."""

    bibliography: Annotated[Bibliography, Field(min_length=1)]
    prompt: str | None = None


OURS: Final = ReferencesLayout(
    columns=("id", "title"), never=("bibliography", "prompt"), id="id", title="title",
    named=("doi", "arxiv", "url"),
)  # fmt: skip
"""A row for each work, as in a table."""


def _published(rows: Sequence[InputRow]) -> Sequence[InputRow] | None:
    """An entry for each task of a file that has a row for each work; None for one of another kind.

    Of rows that do not say which work they are a Notice tells. Raises BadTasks.
    """
    layout = published_references(rows) or (OURS if fits(OURS, rows) else None)
    if layout is None:
        return None
    own = rows_of_set(layout, rows)
    entries: dict[str, list[Json]] = {}
    first: dict[str, InputRow] = {}
    unnamed: list[str] = []
    for row in own:
        id = _task_of(layout, row)
        first.setdefault(id, row)
        if work := _work_in(layout, row):
            entries.setdefault(id, []).append(work)
        else:
            unnamed.append(row.place)
    if len(own) < len(rows):
        told = f"{len(rows) - len(own)} rows of files that are not called {layout.files}: not used."
        warnings.warn(Notice(told), stacklevel=2)
    if unnamed:
        told = (
            f"{len(unnamed)} of {len(own)} references have neither a title nor an identifier and "
        )
        warnings.warn(Notice(f"{told}are not used, first {unnamed[0]}."), stacklevel=2)
    return [
        InputRow(first[id].place, {"id": id, "bibliography": works})
        for id, works in entries.items()
    ]


def _task_of(layout: ReferencesLayout, row: InputRow) -> str:
    said = field_at(row.fields, layout.id) if layout.id else name_in_file(layout, row)
    if isinstance(said, bool) or not isinstance(said, str | int) or said == "":
        where = f"field '{layout.id}'" if layout.id else f"the file is not called {layout.files}"
        raise BadTasks(
            f"{row.place}: it does not say of which task the reference is ({where}).",
            "Correct that row of the file, or the name of the file.",
        )
    return str(said)


def _work_in(layout: ReferencesLayout, row: InputRow) -> dict[str, Json]:
    """What a row says of a work; nothing where it says neither a title nor an identifier."""
    title = field_at(row.fields, layout.title)
    if title is not None and not isinstance(title, str):
        raise BadTasks(
            f"{row.place}: field '{layout.title}': is not a text; quote it.",
            "Correct that row of the file.",
        )
    values = (field_at(row.fields, each) for each in layout.named)
    found = {name for each in values if isinstance(each, str) for name in identifiers_of_work(each)}
    arxiv = sorted(each for each in found if each.startswith("arxiv:"))
    said: Mapping[str, Json] = {
        "title": (title or "").strip(),
        "doi": " ".join(f"doi:{each}" for each in sorted(found - {*arxiv})),
        "arxiv": " ".join(arxiv),
    }
    return {name: value for name, value in said.items() if value}


def _remedy(way: tuple[str | int, ...], mistake: str) -> str:
    names = ListedWork.model_fields if len(way) > 1 else ("id", *TaskBibliography.model_fields)
    if mistake == "extra_forbidden":
        return f"There are: {', '.join(names)}."
    return "A work has a title, a DOI or an arXiv number; a text alone is a title."


BIBLIOGRAPHY_FILE: Final = EntryFile(
    field="bibliography",
    one="a bibliography",
    many="bibliographies",
    header="",
    read=TaskBibliography.model_validate,
    write=lambda entry: entry.model_dump(mode="json", exclude_none=True),
    value=lambda entry: entry.bibliography,
    remedy=_remedy,
    published=_published,
)
