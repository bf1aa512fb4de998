"""The weighted checklist of a task that ACE scores reports by (DeepResearch Arena); its files.

Section "Adaptively-generated Checklist Evaluation" and the appendix "Checklist template prompt":
three to six items, each with a title, a description and a weight. A file holds for each task `id`,
`prompt`, `items` and `made_by`.
"""

from __future__ import annotations

from typing import Final

from deepassay.score import Json
from deepassay.tasks.entries import EntryFile
from deepassay.tasks.fields import Record, Text
from deepassay.tasks.yardsticks import FEWEST_ITEMS, MOST_ITEMS, AceChecklist, AceItem

_SO_MANY: Final = f"{FEWEST_ITEMS} to {MOST_ITEMS}"

HEADER: Final = f"""\
# Checklists: for every task {_SO_MANY} weighted items that a report is scored by, each from
# 0 to 10 (ACE, DeepResearch Arena). The weights of a task sum to 1. Edit freely; what stands here
# is never overwritten. Scores by another checklist are other scores: begin a new run file after a
# change.

"""


class TaskAce(Record):
    """The checklist of one task, its prompt where the file says it, and which model made it."""

    items: AceChecklist
    prompt: str | None = None
    made_by: Text | None = None


def _write(entry: TaskAce) -> dict[str, Json]:
    fields = entry.model_dump(mode="json")
    there = {name: fields[name] for name in ("prompt", "made_by") if fields[name]}
    return {**there, "items": fields["items"]}


def _remedy(way: tuple[str | int, ...], mistake: str) -> str:
    if mistake == "extra_forbidden":
        names = AceItem.model_fields if len(way) > 1 else ("id", *TaskAce.model_fields)
        return f"There are: {', '.join(names)}."
    return f"A checklist has {_SO_MANY} items whose weights are above 0 and sum to 1."


ACE_FILE: Final = EntryFile(
    field="ace",
    one="a checklist",
    many="checklists",
    header=HEADER,
    read=TaskAce.model_validate,
    write=_write,
    value=lambda entry: entry.items,
    remedy=_remedy,
)
