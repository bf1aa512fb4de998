"""The leakage test: whether a model can finish a task of which it is shown the first half.

DeepResearch Arena, section A. A model that was trained on the task may know the rest by heart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deepassay.curate.arena.halves import halves
from deepassay.curate.arena.similarity import Similarity, similarities
from deepassay.curate.weights import PROMPTS
from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, Operation, Prose
from deepassay.score import Cause, Json, Unscored
from deepassay.tasks.task import Task

TEMPERATURE: Final = 0.1
MOST_TOKENS: Final = 500
"""Of a continuation (section A.4)."""


class Prefix(Inputs):
    """The first half of a task's prompt."""

    prefix: str


def _said_again(inputs: Prefix) -> Prose:
    return Prose(text=inputs.prefix)


CONTINUE: Final[Operation[Prefix, Prose]] = Operation(
    "arena/continue",
    prompts=PROMPTS,
    takes=Prefix,
    gives=Prose,
    # What a text on the same subject has in common with the second half, without knowing it.
    offline=_said_again,
)


@dataclass(frozen=True)
class Continuation:
    """What a model made of a prefix. suffix: what really follows. served: name of the model.

    asked: model and settings as they were sent.
    """

    prefix: str
    suffix: str
    text: str
    asked: Mapping[str, Json]
    served: str


@dataclass(frozen=True)
class Trial:
    """One task and one model. similarity: None before texts are compared, or without one."""

    model: str
    task: Task
    outcome: Continuation | Unscored
    similarity: Similarity | None = None


async def continued(task: Task, model: Asker) -> Continuation | Unscored:
    """Have a model go on with the first half of a task's prompt.

    A first half that it says once more before going on is taken off.
    """
    parts = halves(task.prompt)
    if parts is None:
        problem = "the prompt has no punctuation mark with words on both sides"
        return Unscored(Cause.MISSING_INPUT, problem)
    prefix, suffix = parts
    answer = await model(CONTINUE, Prefix(language=task.language, prefix=prefix))
    if isinstance(answer, Unscored):
        return answer
    text = answer.value.text.strip()
    return Continuation(
        prefix, suffix, text.removeprefix(prefix.strip()) or text, model.identity, answer.model
    )


def with_similarities(trials: Sequence[Trial]) -> list[Trial]:
    """The trials with their similarities; TF-IDF is fitted on all suffixes and continuations."""
    ended = [each.outcome for each in trials if isinstance(each.outcome, Continuation)]
    found = iter(similarities([(each.suffix, each.text) for each in ended]))
    return [
        replace(each, similarity=next(found)) if isinstance(each.outcome, Continuation) else each
        for each in trials
    ]


def as_json(trial: Trial) -> dict[str, Json]:
    """A trial as a line of a file: the texts and what they have in common, or why there is none."""
    line: dict[str, Json] = {
        "task": trial.task.id,
        "model": trial.model,
        "labels": dict(trial.task.labels),
    }
    if isinstance(trial.outcome, Unscored):
        return line | {"cause": str(trial.outcome.cause), "detail": trial.outcome.detail}
    line |= {
        "served": trial.outcome.served,
        "asked": dict(trial.outcome.asked),
        "prefix": trial.outcome.prefix,
        "suffix": trial.outcome.suffix,
        "continuation": trial.outcome.text,
    }
    if (found := trial.similarity) is not None:
        line |= {
            "string": found.string,
            "tfidf": found.tfidf,
            "overlap": found.overlap,
            "composite": found.composite,
            "leaked": found.leaked,
        }
    return line
