"""The ACE checklist of a task, made by a model or by rule (DeepResearch Arena).

Appendix "Checklist template prompt": three to six weighted items for the task's own wording; what
they emphasise depends on its phase and family.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from deepassay.curate.emphases import drafted, emphases_of
from deepassay.curate.weights import PROMPTS
from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply, Trusted
from deepassay.score import Unscored
from deepassay.tasks.ace import AceItem, flaw_of, shares_of
from deepassay.tasks.task import Task

Difficulty = Literal["Basic", "Advanced", "unknown"]


class QueryAndKind(Inputs):
    """What an agent was asked, and what kind of task that is.

    family: in our words, or "" where unknown. emphases: what weighs most, a line for each family
    that the task may belong to.
    """

    query: str
    family: Annotated[str, Trusted]
    phase: Literal["Synthesize", "Design", "Evaluate", ""]
    difficulty: Difficulty
    emphases: Annotated[str, Trusted]


class Drafted(Reply):
    """The items of a checklist."""

    items: list[AceItem]


def _check(inputs: QueryAndKind, answer: Drafted) -> None:
    if flaw := flaw_of(answer.items):
        raise OffMenu(f"the checklist {flaw}")


def _by_rule(inputs: QueryAndKind) -> Drafted:
    advanced = inputs.difficulty == "Advanced"
    return Drafted(
        items=drafted(inputs.query, inputs.language, inputs.family, inputs.phase, advanced)
    )


MAKE_CHECKLIST: Final = Operation(
    "ace/make_checklist",
    prompts=PROMPTS,
    takes=QueryAndKind,
    gives=Drafted,
    offline=_by_rule,
    check=_check,
)


async def make_checklist(task: Task, maker: Asker) -> tuple[AceItem, ...] | Unscored:
    """The checklist of one task; its weights sum to 1. The same question for every report."""
    kind = emphases_of(task)
    label = task.labels.get("difficulty", "").strip().capitalize()
    inputs = QueryAndKind.model_validate(
        {
            "language": task.language,
            "query": task.prompt,
            "family": kind.families[0].name if len(kind.families) == 1 else "",
            "phase": kind.phase,
            "difficulty": label if label in ("Basic", "Advanced") else "unknown",
            "emphases": kind.lines,
        }
    )
    answer = await maker(MAKE_CHECKLIST, inputs)
    if isinstance(answer, Unscored):
        return Unscored(answer.cause, f"no checklist was made: {answer.detail}", answer.details)
    items = answer.value.items
    return tuple(
        AceItem(title=each.title.strip(), description=each.description.strip(), weight=share)
        for each, share in zip(items, shares_of(items), strict=True)
    )
