"""The ACE checklist of a task, made by a model or by rule (DeepResearch Arena).

Appendix "Checklist template prompt": three to six weighted items for the task's own wording; what
they emphasise depends on its phase and family, in our own words: `emphases.en.yaml` and its Chinese
neighbour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Final, Literal, NamedTuple

from deepassay.files import read_yaml
from deepassay.models.ask import Asker
from deepassay.models.operation import Expected, Inputs, OffMenu, Operation, Reply, Trusted
from deepassay.models.usage import Range
from deepassay.protocols.protocol import PROMPTS
from deepassay.score import Json, Unscored
from deepassay.tasks.task import Language, Task, sentences_asked
from deepassay.tasks.yardsticks import (
    FEWEST_ITEMS,
    MOST_ITEMS,
    PHASES,
    AceItem,
    checklist_flaw,
    shares_of,
)

_HERE: Final = files(__package__)

WEIGHTS: Final = (0.34, 0.30, 0.24, 0.12)
"""Of the four items of the offline rule. Chosen, not fitted."""


class TaskFamily(NamedTuple):
    """A kind of task. words: that tell it in a label. emphasis: what weighs most in its reports."""

    name: str
    phase: str
    words: Sequence[str]
    emphasis: str


@dataclass(frozen=True)
class Emphases:
    """What is known of what weighs most in the reports for one task.

    phase: "" where the labels tell none. families: those that the task may belong to.
    """

    phase: str
    families: Sequence[TaskFamily]

    @property
    def lines(self) -> str:
        """For the maker of a checklist: one line a family."""
        return "\n".join(f"- {each.name}: {each.emphasis}" for each in self.families)


def emphases_of(task: Task) -> Emphases:
    """By the labels `family` and `phase` of a task; all families where neither says anything."""
    every = _families(task.language)
    label = task.labels.get("family", "").casefold()
    own = next((each for each in every if any(word in label for word in each.words)), None)
    if own is not None:
        return Emphases(own.phase, (own,))
    wanted = task.labels.get("phase", "").strip().casefold()[:5]  # Evaluate, evaluation
    phase = next((name for name in PHASES if wanted and name.casefold()[:5] == wanted), "")
    return Emphases(phase, [each for each in every if phase in ("", each.phase)])


@cache
def _emphases(language: Language) -> Mapping[str, Json]:
    return dict(read_yaml((_HERE / f"emphases.{language}.yaml").read_text("utf-8")))


def _families(language: Language) -> list[TaskFamily]:
    return [
        TaskFamily(
            name,
            entry["phase"],
            [word.strip() for word in entry["words"].split(",")],
            entry["emphasis"],
        )
        for name, entry in _emphases(language)["families"].items()
    ]


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
    if flaw := checklist_flaw(answer.items):
        raise OffMenu(f"the checklist {flaw}")


def _by_rule(inputs: QueryAndKind) -> Drafted:
    """Four items that fit any task, with the sentences of this one."""
    parts = sentences_asked(inputs.query)
    words = {"subject": parts[0], "parts": "; ".join(parts)}
    items = _emphases(inputs.language)["items"]
    return Drafted(
        items=[
            AceItem(
                title=item["title"].format(**words),
                description=item["description"].format(**words),
                weight=weight,
            )
            for item, weight in zip(items, WEIGHTS, strict=True)
        ]
    )


MAKE_CHECKLIST: Final = Operation(
    "ace/make_checklist",
    prompts=PROMPTS,
    takes=QueryAndKind,
    gives=Drafted,
    offline=_by_rule,
    check=_check,
    shape=lambda inputs, form: form.entries("items", FEWEST_ITEMS, MOST_ITEMS),
    rule=2,
    expected=Expected(
        lambda inputs: Range(150, 450, 1_200), by_rule=True, decides="how many items are made"
    ),
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
