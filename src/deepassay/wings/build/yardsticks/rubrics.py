"""Rubrics made from rubrics: without the examples, or expanded by a model.

The two ablations of ResearchRubrics (section 4.4, Table 7, appendix E). Weights, axes and
identifiers stay; only the words of criteria change. A rubric says how it was made.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.score import Unscored
from deepassay.tasks.fields import Text
from deepassay.tasks.rubric import RubricStep, TaskRubric
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion, yardstick_digest
from deepassay.wings.build.wording import PROMPTS

_TOKEN: Final = re.compile(r"[a-z0-9]+|[^\W_]")


class CriterionOfTask(Inputs):
    """What an agent was asked, and one criterion for the answer."""

    query: str
    criterion: str


class Reworded(Reply):
    """The criterion in its new words."""

    criterion: Text


Change = Operation[CriterionOfTask, Reworded]


def _removed_by_rule(inputs: CriterionOfTask) -> Reworded:
    return Reworded(criterion=without_examples(inputs.criterion))


def _only_less(inputs: CriterionOfTask, answer: Reworded) -> None:
    before: Iterator[str] = iter(_tokens(inputs.criterion))
    for token in _tokens(answer.criterion):
        if token not in before:  # goes on where the last one was found
            raise OffMenu(f"{token!r} is a word that the criterion does not have there")


def _unchanged(inputs: CriterionOfTask) -> Reworded:
    return Reworded(criterion=inputs.criterion)


def _more(inputs: CriterionOfTask, answer: Reworded) -> None:
    if len(_tokens(answer.criterion)) <= len(_tokens(inputs.criterion)):
        raise OffMenu("it says no more than the criterion did")


REMOVE_EXAMPLES: Final[Change] = Operation(
    "rubric/remove_examples",
    prompts=PROMPTS,
    takes=CriterionOfTask,
    gives=Reworded,
    offline=_removed_by_rule,
    check=_only_less,
)

AUGMENT: Final[Change] = Operation(
    "rubric/augment",
    prompts=PROMPTS,
    takes=CriterionOfTask,
    gives=Reworded,
    # No rule expands a criterion: this one never passes the check, so that nothing comes of it.
    offline=_unchanged,
    check=_more,
)


async def changed_rubric(
    task: Task, source: TaskRubric, changes: Sequence[Change], maker: Asker, day: date
) -> TaskRubric | Unscored:
    """A rubric with every criterion changed, in all ways one after the other.

    day: that goes into its history. Unscored if any criterion could not be changed.
    """
    rubric, history = source.rubric, source.history
    for change in changes:
        step = RubricStep(
            step=change.name.partition("/")[2],
            made_from=yardstick_digest(rubric)[:12],
            by=str(maker.identity["model"]),
            asked=change.digest(task.language)[:12],
            made_on=day,
        )
        answers = await asyncio.gather(*(_reworded(task, each, change, maker) for each in rubric))
        reworded = [each for each in answers if isinstance(each, Criterion)]
        if len(reworded) < len(rubric):
            return next(each for each in answers if isinstance(each, Unscored))
        rubric, history = tuple(reworded), (*history, step)
    return TaskRubric(rubric=rubric, prompt=task.prompt, history=history)


async def _reworded(
    task: Task, criterion: Criterion, change: Change, maker: Asker
) -> Criterion | Unscored:
    inputs = CriterionOfTask(
        language=task.language, query=task.prompt, criterion=criterion.criterion
    )
    answer = await maker(change, inputs)
    if isinstance(answer, Unscored):
        return Unscored(answer.cause, f"criterion {criterion.id}: {answer.detail}", answer.details)
    return criterion.reworded(answer.value.criterion)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


_MARK: Final = re.compile(
    r"\s{0,9}(?:(?:e\.\s?g\b|eg\b|for example\b|for instance\b|such as\b|examples?\s?:)"
    r"|例如|比如|譬如|诸如|例:|例：|如(?![果何下此有需若无未]))",
    re.IGNORECASE,
)
_OPENING: Final = "(（[［"
_CLOSING: Final = ")）]］"
_LATIN: Final = re.compile(r"[A-Za-z0-9]")


def without_examples(criterion: str) -> str:
    """The criterion without the brackets that begin with "e.g.", "such as", "例如" or the like.

    Brackets inside such a bracket go with it; one that is never closed stays. What would leave
    nothing stays as it is. Linear in the length of the text.
    """
    kept: list[str] = []
    at = 0
    for start, end in _examples(criterion):
        _join(kept, criterion[at:start])
        at = end
    _join(kept, criterion[at:])
    words = "".join(kept).strip()
    return words if any(map(str.isalnum, words)) else criterion


def _examples(text: str) -> Iterator[tuple[int, int]]:
    """The outermost brackets that hold examples, in their order, brackets included."""
    open_: list[int] = []
    found: list[tuple[int, int]] = []
    for place, char in enumerate(text):
        if char in _OPENING:
            open_.append(place)
        elif char in _CLOSING and open_:
            start = open_.pop()
            if _MARK.match(text, start + 1):
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start, place + 1))
    yield from found


def _join(pieces: list[str], piece: str) -> None:
    """Add what stands behind a bracket. The blanks before it go, but words stay apart."""
    while pieces:
        if bare := pieces.pop().rstrip():
            meet = _LATIN.match(bare[-1]) and _LATIN.match(piece)
            pieces += [bare, " "] if meet else [bare]
            break
    pieces.append(piece)
