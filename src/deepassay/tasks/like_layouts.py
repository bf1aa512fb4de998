"""Files that are like those of tasks: without prompts, or in the layout of another set."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence

from deepassay.errors import BadTasks, Notice
from deepassay.intake.rows import InputRow
from deepassay.intake.searching import prompts_in
from deepassay.tasks.set_tables import (
    NoPrompts,
    PublishedSet,
    fits,
    published_references,
    published_sets,
)


def refuse_without_prompts(rows: Sequence[InputRow]) -> None:
    """Raise BadTasks for what belongs to tasks and says no prompts: references, people's labels."""
    if published_references(rows) is not None:
        raise NoPrompts(rows[0], "references of an expert", "bibliography")
    for found in published_sets().values():
        if found.labels is not None and fits(found.labels, rows) and not prompts_in(rows):
            raise BadTasks(
                f"{rows[0].place}: these are people's verdicts on criteria of {found.title}, which "
                "say no prompts.",
                "Hold judges against them: `deepassay agree rubrics FILE`.",
            )


def also_in_layout(found: PublishedSet) -> str:
    """What to say of sets that are known only by name, whose files have the layout of this one."""
    if (own := found.layout) is None:
        return ""
    return " ".join(
        f"Files of {each.title} have the same fields: --set {name} says that it is that."
        for name, each in published_sets().items()
        if not each.detected and (it := each.layout) is not None
        if ({*it.columns}, {*it.never}) == ({*own.columns}, {*own.never})
    )


def tell_of_like_layouts(titles: Collection[str | None]) -> None:
    """A Notice for each of these sets whose files may be of another. titles: as tasks have them."""
    for found in published_sets().values():
        if found.detected and found.title in titles and (also := also_in_layout(found)):
            warnings.warn(Notice(f"Read as tasks of {found.title}. {also}"), stacklevel=2)
