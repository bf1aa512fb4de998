"""The weighted checklist of a task that ACE scores reports by (DeepResearch Arena); its files.

Section "Adaptively-generated Checklist Evaluation" and the appendix "Checklist template prompt":
three to six items, each with a title, a description and a weight. A file holds for each task `id`,
`prompt`, `items` and `made_by`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, get_args

from pydantic import AfterValidator, Field

from deepassay.score import Json, digest
from deepassay.tasks.entries import EntryFile
from deepassay.tasks.fields import Record, Text

Phase = Literal["Synthesize", "Design", "Evaluate"]
"""What a task of DeepResearch Arena is a part of."""
PHASES: Final[tuple[Phase, ...]] = get_args(Phase)

FEWEST: Final = 3
MOST: Final = 6

TOLERANCE: Final = 0.02
"""How far from 1 the weights may sum, which the paper wants to be approximately 1."""


class AceItem(Record):
    """One item. weight: above 0 and at most 1, its share of the whole."""

    title: Text
    description: Text
    weight: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


def checklist_flaw(items: Sequence[AceItem]) -> str:
    """What is wrong with items as a checklist, in words, or nothing."""
    if not FEWEST <= len(items) <= MOST:
        return f"has {len(items)} items; {FEWEST} to {MOST} are needed"
    titles = [" ".join(each.title.casefold().split()) for each in items]
    if twice := next((title for title in titles if titles.count(title) > 1), ""):
        return f"has the title {twice!r} twice"
    total = sum(each.weight for each in items)
    if abs(total - 1) > TOLERANCE + 1e-9:
        return f"has weights that sum to {total:.4g}; they must sum to 1"
    return ""


def _whole(items: tuple[AceItem, ...]) -> tuple[AceItem, ...]:
    if flaw := checklist_flaw(items):
        raise ValueError(flaw)
    return items


AceChecklist = Annotated[tuple[AceItem, ...], Field(strict=False), AfterValidator(_whole)]
"""The items of one task in their order."""


def shares_of(items: Sequence[AceItem]) -> list[float]:
    """The weights, brought to the sum 1."""
    total = sum(each.weight for each in items)
    if abs(total - 1) < 1e-9:  # a last digit is no reason to change what people have read
        return [each.weight for each in items]
    return [each.weight / total for each in items]


def ace_digest(items: Sequence[AceItem]) -> str:
    """SHA-256 of everything that decides a score by this checklist."""
    return digest([each.model_dump(mode="json") for each in items])


HEADER: Final = f"""\
# Checklists: for every task {FEWEST} to {MOST} weighted items that a report is scored by, each from
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
    return f"A checklist has {FEWEST} to {MOST} items whose weights are above 0 and sum to 1."


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
