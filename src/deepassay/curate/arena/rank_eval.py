"""RankEval's question: which of two research tasks is the better one, by five dimensions.

DeepResearch Arena, section "Task Generation and Filtering" and the appendix "Research task scoring
prompt". That a confidence below one half is asked again is ours: the better one would lose by it.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from deepassay.curate.arena.construction import MOST_WORDS
from deepassay.curate.arena.key_words import key_words
from deepassay.curate.arena.phrasing import DELIVERABLE, EMPHASIS, LEANING
from deepassay.curate.weights import PROMPTS
from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.score import Unscored
from deepassay.tasks.dates import Language
from deepassay.tasks.fields import Text
from deepassay.tasks.task import Task
from deepassay.text import count_words

TIE: Final = 0.55
"""Confidence in the better of two tasks whose marks have the same mean."""

SPECIFIC: Final = 12
"""Key words from which on the offline rule takes a task for specific."""

_WIDEST: Final = 20
"""By which the sums of five marks can differ."""

Mark = Annotated[int, Field(ge=1, le=5)]


class Shown(BaseModel):
    """A task as the judge sees it; labels that it lacks are empty."""

    model_config = ConfigDict(frozen=True)

    phase: str = ""
    family: str = ""
    difficulty: str = ""
    task: str


class TwoTasks(Inputs):
    """Two tasks in the order in which they are shown."""

    task_a: Shown
    task_b: Shown


class Marks(Reply):
    """What one task is given, each from 1 to 5."""

    clarity: Mark
    actionability: Mark
    novelty: Mark
    depth_fit: Mark
    consistency: Mark

    @property
    def total(self) -> int:
        """Five times the mean, by which ties are told exactly."""
        return self.clarity + self.actionability + self.novelty + self.depth_fit + self.consistency

    @property
    def overall(self) -> float:
        """The mean of the five."""
        return self.total / 5


class Compared(Reply):
    """The marks of both tasks, and which is the better. confidence: in that."""

    a: Marks
    b: Marks
    reason: Text
    better: Literal["A", "B"]
    confidence: Annotated[float, Field(ge=0.5, le=1, allow_inf_nan=False)]

    @property
    def settled(self) -> float:
        """The confidence that counts: that of a tie is fixed."""
        return TIE if self.a.total == self.b.total else self.confidence


def _check(inputs: TwoTasks, answer: Compared) -> None:
    ahead = answer.a.total - answer.b.total
    if ahead and answer.better != ("A" if ahead > 0 else "B"):
        raise OffMenu(
            f"the marks have the means {answer.a.overall:g} for A and {answer.b.overall:g} for B, "
            f"but {answer.better} is named as the better; the higher mean is the better one"
        )


def _by_rule(inputs: TwoTasks) -> Compared:
    """By what the words of the two give away; the more key words decide between equals."""
    one, two = inputs.task_a.task, inputs.task_b.task
    a, b = marks_by_rule(one, inputs.language), marks_by_rule(two, inputs.language)
    rich_a, rich_b = (len(key_words(each[:LOOKED_AT], inputs.language)) for each in (one, two))
    return Compared(
        a=a,
        b=b,
        reason=f"A: {rich_a} key words; B: {rich_b} key words",
        better="A" if (a.total, rich_a, two) > (b.total, rich_b, one) else "B",
        confidence=round(TIE + (1 - TIE) * abs(a.total - b.total) / _WIDEST, 2),
    )


LOOKED_AT: Final = 8000
"""Characters of a task; a longer one breaks the limit of words many times over as it is."""


def marks_by_rule(task: str, language: Language) -> Marks:
    """Whether a task stands alone, keeps to the length, names a deliverable and is specific.

    Depth cannot be told by a rule and gets the middle. Linear in the length of the task.
    """
    text = task[:LOOKED_AT]
    leans = LEANING[language].search(text) is not None
    long = count_words(task) > MOST_WORDS[language]
    delivers = DELIVERABLE[language].search(text) is not None
    sides = sum(pattern.search(text) is not None for pattern in EMPHASIS[language].values())
    specific = len(key_words(text, language)) >= SPECIFIC
    return Marks(
        clarity=5 - 2 * leans - 2 * long,
        actionability=1 + 2 * delivers + 2 * specific,
        novelty=1 + sides,
        depth_fit=3,
        consistency=5 - leans - (not delivers) - long,
    )


COMPARE_TASKS: Final = Operation(
    "arena/compare_tasks",
    prompts=PROMPTS,
    takes=TwoTasks,
    gives=Compared,
    offline=_by_rule,
    check=_check,
    version=2,
)


async def compare_tasks(
    first: Task, second: Task, judge: Asker, repeat: int = 0
) -> Compared | Unscored:
    """What the judge says of two tasks, the first being A. repeat: if it was asked before."""
    languages = {first.language, second.language}
    language: Language = "zh" if languages == {"zh"} else "en"
    inputs = TwoTasks(language=language, task_a=_shown(first), task_b=_shown(second))
    answer = await judge(COMPARE_TASKS, inputs, repeat=repeat)
    return answer if isinstance(answer, Unscored) else answer.value


def _shown(task: Task) -> Shown:
    labels = {name: task.labels.get(name, "") for name in ("phase", "family", "difficulty")}
    return Shown(task=task.prompt, **labels)
