"""What readers said of earlier versions of reports, and those versions; its files.

A file of ours has for each task `id` and `feedback`, a list of texts, or such a list by the name of
each agent; or a row for each, with `id`, `agent` and `feedback`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from deepassay.errors import BadTasks
from deepassay.intake.rows import InputRow
from deepassay.score import Json
from deepassay.tasks.entries import EntryFile
from deepassay.tasks.fields import Record
from deepassay.tasks.yardsticks import Feedback


class TaskFeedback(Record):
    """What was said of the reports for one task, and its prompt where the file says it."""

    feedback: Annotated[Feedback, Field(min_length=1)]
    prompt: str | None = None


def _rows_by_agent(rows: Sequence[InputRow]) -> Sequence[InputRow] | None:
    """An entry for each task of a file with a row for each remark; None for one of another kind."""
    if not rows or not {"id", "agent", "feedback"} <= rows[0].fields.keys():
        return None
    said: dict[str, dict[str, list[Json]]] = {}
    first: dict[str, InputRow] = {}
    for row in rows:
        id, agent, remark = (row.fields.get(name) for name in ("id", "agent", "feedback"))
        if isinstance(id, bool) or not isinstance(id, str | int) or not isinstance(agent, str):
            raise BadTasks(
                f"{row.place}: it does not say of which task and agent it is.",
                "Give every row an `id`, that of the task, and an `agent`.",
            )
        first.setdefault(str(id), row)
        remarks = remark if isinstance(remark, list) else [remark]
        said.setdefault(str(id), {}).setdefault(agent, []).extend(remarks)
    return [
        InputRow(first[id].place, {"id": id, "feedback": by_agent}) for id, by_agent in said.items()
    ]


def _remedy(way: tuple[str | int, ...], mistake: str) -> str:
    if mistake == "extra_forbidden":
        return f"There are: id, {', '.join(TaskFeedback.model_fields)}."
    return "Feedback is a list of texts, or by the name of each agent a list of texts."


FEEDBACK_FILE: Final = EntryFile(
    field="feedback",
    one="feedback",
    many="remarks",
    header="",
    read=TaskFeedback.model_validate,
    write=lambda entry: entry.model_dump(mode="json", exclude_none=True),
    value=lambda entry: entry.feedback,
    remedy=_remedy,
    published=_rows_by_agent,
)
