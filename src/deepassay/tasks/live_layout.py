"""LiveResearchBench's tasks as they were published: a row for each item of a checklist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepassay.errors import BadTasks
from deepassay.intake.rows import InputRow
from deepassay.tasks.own import bad_field, id_of, labels_of, valid_task, value_of
from deepassay.tasks.task import Task

LIVE_CATEGORIES = {
    "infoco": "wide information search",
    "lifesp": "decision support",
    "market": "market analysis",
    "policy": "policy & regulation",
    "procon": "pros & cons",
    "prodcp": "competitive analysis",
    "rankli": "top rankings",
    "review": "literature review",
    "techsp": "technical support",
    "topic": "topic exploration",
}
"""The ten categories of LiveResearchBench, by the first letters of an identifier."""


def live_tasks(rows: Sequence[InputRow], live: bool) -> Iterator[tuple[str, Task]]:
    """LiveResearchBench: one row a checklist item, or one a question where there is no checklist.

    Rows of one question need not stand together. Empty checklist cells are skipped, as the
    released program does. Where a file has only one kind of columns, those are taken.
    """
    question, item = _live_columns(rows[0], live)
    first: dict[str, InputRow] = {}
    checklists: dict[str, list[str]] = {}
    for row in rows:
        qid = id_of(row, "qid").removeprefix("qid_")
        if value_of(row, question) != first.setdefault(qid, row).fields[question]:
            raise BadTasks(
                f"{row.place}: field '{question}' differs from that of {first[qid].place}, "
                f"which has the same qid {qid!r}.",
                "Give every question an identifier of its own.",
            )
        asked = row.fields.get(item)
        if not isinstance(asked, str | None):
            raise bad_field(row, item, "is not a text")
        if asked and asked.strip():
            checklists.setdefault(qid, []).append(asked)
    for qid, row in first.items():
        labels = {"category": _live_category(qid)} | labels_of(row, category="category")
        fields = {
            "id": qid,
            "prompt": row.fields[question],
            "labels": {"set": "LiveResearchBench"} | labels,
            "checklist": checklists.get(qid, []),
        }
        yield row.place, valid_task(row, fields)


def _live_columns(row: InputRow, live: bool) -> tuple[str, str]:
    """The columns of question and checklist item, as asked for or as far as they are there."""
    wanted, other = ("", "_no_placeholder") if live else ("_no_placeholder", "")
    suffix = wanted if f"question{wanted}" in row.fields else other
    return f"question{suffix}", f"checklist{suffix}"


def _live_category(qid: str) -> str:
    known = (name for prefix, name in LIVE_CATEGORIES.items() if qid.startswith(prefix))
    return next(known, "unknown")
