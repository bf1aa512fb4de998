"""RankEval's question: which of two research tasks is the better one, by five dimensions.

DeepResearch Arena, section "Task Generation and Filtering" and the appendix "Research task scoring
prompt". That a confidence below one half is asked again is ours: the better one would lose by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from deepassay.errors import BadTasks
from deepassay.models.ask import Asker, is_offline
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.score import Unscored, canonical_json, digest
from deepassay.tasks.entries import write_file
from deepassay.tasks.fields import Record, Text
from deepassay.tasks.task import Language, Task
from deepassay.text import count_words
from deepassay.wings.build.arena.construction import (
    DELIVERABLE,
    EMPHASIS,
    LEANING,
    MOST_WORDS,
    key_words,
)
from deepassay.wings.build.arena.transcript import read_records
from deepassay.wings.build.wording import PROMPTS

TIE: Final = 0.55
"""Confidence in the better of two tasks whose marks have the same mean."""

SPECIFIC: Final = 12
"""Key words from which on the offline rule takes a task for specific."""

_WIDEST: Final = 20
"""By which the sums of five marks can differ."""

Mark = Annotated[int, Field(ge=1, le=5)]


class ShownTask(BaseModel):
    """A task as the judge sees it; labels that it lacks are empty.

    language: in which the rule reads it; None for a model, which is not shown it.
    """

    model_config = ConfigDict(frozen=True)

    phase: str = ""
    family: str = ""
    difficulty: str = ""
    task: str
    language: Annotated[Language | None, Field(exclude_if=lambda value: value is None)] = None


class TwoTasks(Inputs):
    """Two tasks in the order in which they are shown."""

    task_a: ShownTask
    task_b: ShownTask


class TaskMarks(Reply):
    """What one task is given, each from 1 to 5."""

    __qualname__ = "Marks"  # the name in the schema, under which answers were kept

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
        """The mean of the five marks, from 1 to 5."""
        return self.total / 5


class TaskPairVerdict(Reply):
    """The marks of both tasks, and which is the better. confidence: in that."""

    a: TaskMarks
    b: TaskMarks
    reason: Text
    better: Literal["A", "B"]
    confidence: Annotated[float, Field(ge=0.5, le=1, allow_inf_nan=False)]

    @property
    def settled(self) -> float:
        """The confidence that counts: that of a tie is fixed."""
        return TIE if self.a.total == self.b.total else self.confidence


def _check(inputs: TwoTasks, answer: TaskPairVerdict) -> None:
    ahead = answer.a.total - answer.b.total
    if ahead and answer.better != ("A" if ahead > 0 else "B"):
        raise OffMenu(
            f"the marks have the means {answer.a.overall:g} for A and {answer.b.overall:g} for B, "
            f"but {answer.better} is named as the better; the higher mean is the better one"
        )


def _by_rule(inputs: TwoTasks) -> TaskPairVerdict:
    """By what the words of the two give away; of one language, more key words decide of equals."""
    shown = inputs.task_a, inputs.task_b
    one, two = (each.task for each in shown)
    languages = [each.language or inputs.language for each in shown]
    a, b = map(marks_by_rule, (one, two), languages)
    rich_a, rich_b = (
        len(key_words(text[:LOOKED_AT], language))
        for text, language in zip((one, two), languages, strict=True)
    )
    first = (rich_a, two) > (rich_b, one)
    if languages[0] != languages[1]:  # Chinese has more key words: nothing in the texts decides
        first = digest(one) > digest(two)
    return TaskPairVerdict(
        a=a,
        b=b,
        reason=f"A: {rich_a} key words; B: {rich_b} key words",
        better="A" if (a.total, first) > (b.total, not first) else "B",
        confidence=round(TIE + (1 - TIE) * abs(a.total - b.total) / _WIDEST, 2),
    )


LOOKED_AT: Final = 8000
"""Characters of a task; a longer one breaks the limit of words many times over as it is."""


def marks_by_rule(task: str, language: Language) -> TaskMarks:
    """Whether a task stands alone, keeps to the length, names a deliverable and is specific.

    Depth cannot be told by a rule and gets the middle. Linear in the length of the task.
    """
    text = task[:LOOKED_AT]
    leans = LEANING[language].search(text) is not None
    long = count_words(task) > MOST_WORDS[language]
    delivers = DELIVERABLE[language].search(text) is not None
    sides = sum(pattern.search(text) is not None for pattern in EMPHASIS[language].values())
    specific = len(key_words(text, language)) >= SPECIFIC
    return TaskMarks(
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
    gives=TaskPairVerdict,
    offline=_by_rule,
    check=_check,
    rule=3,
)


async def compare_tasks(
    first: Task, second: Task, judge: Asker, repeat: int = 0
) -> TaskPairVerdict | Unscored:
    """What the judge says of two tasks, the first being A. repeat: if it was asked before.

    A model is asked in English unless both are Chinese; the rule reads each in its own language.
    """
    languages = {first.language, second.language}
    language: Language = "zh" if languages == {"zh"} else "en"
    by_rule = is_offline(judge.identity)
    one, two = _shown(first, by_rule), _shown(second, by_rule)
    inputs = TwoTasks(language=language, task_a=one, task_b=two)
    answer = await judge(COMPARE_TASKS, inputs, repeat=repeat)
    return answer if isinstance(answer, Unscored) else answer.value


def _shown(task: Task, by_rule: bool) -> ShownTask:
    labels = {name: task.labels.get(name, "") for name in ("phase", "family", "difficulty")}
    return ShownTask(task=task.prompt, language=task.language if by_rule else None, **labels)


class TaskVerdict(Record):
    """What a judge said. confidence: as it counts, from 0.5 to 1. winner: an identifier."""

    winner: Text
    confidence: Annotated[float, Field(ge=0.5, le=1, allow_inf_nan=False)]
    first: TaskMarks
    second: TaskMarks
    reason: str
    judge: str


class TaskComparison(Record):
    """Two tasks of a round, in the order shown; one that rests has no second.

    prompts: digests of what was compared, by identifier. verdict: None where there is none yet.
    """

    round: Annotated[int, Field(ge=1)]
    first: Text
    second: Text | None = None
    prompts: Mapping[str, str]
    verdict: TaskVerdict | None = None

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.first == self.second:
            raise ValueError(f"task {self.first!r} is compared with itself")
        if self.verdict is not None and self.verdict.winner not in (self.first, self.second):
            raise ValueError(f"the winner {self.verdict.winner!r} is none of the two")
        if self.verdict is not None and self.second is None:
            raise ValueError("one that rests has no verdict")
        return self

    @property
    def id(self) -> str:
        """What messages call it: both tasks and the round."""
        return f"{self.first} and {self.second} in round {self.round}"

    @property
    def place(self) -> tuple[int, str]:
        """Round and first task: no other comparison has the same."""
        return self.round, self.first

    @property
    def tasks(self) -> tuple[str, ...]:
        """The identifiers of the tasks that are compared, one where the other has none."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def pending(self) -> bool:
        """Whether a judge has still to be asked."""
        return self.second is not None and self.verdict is None

    def decided(self, answer: TaskPairVerdict, judge: str) -> TaskComparison:
        """The comparison with the verdict of a judge, who was shown the first task as A."""
        assert self.second is not None
        verdict = TaskVerdict(
            winner=self.first if answer.better == "A" else self.second,
            confidence=answer.settled,
            first=answer.a,
            second=answer.b,
            reason=answer.reason,
            judge=judge,
        )
        return self.model_copy(update={"verdict": verdict})


class TaskPair(NamedTuple):
    """Two tasks in the order in which they are shown, by identifier. second: None for a rest."""

    first: str
    second: str | None


def comparisons_file(tasks: Path) -> Path:
    """The file that belongs to a file of ranked tasks."""
    return tasks.with_name(f"{tasks.stem}.comparisons.jsonl")


def drawn_comparisons(
    number: int, pairs: Iterable[TaskPair], tasks: Mapping[str, Task]
) -> list[TaskComparison]:
    """The comparisons of a round, without verdicts."""
    found = []
    for first, second in pairs:
        prompts = {name: tasks[name].digest for name in (first, second) if name is not None}
        found.append(TaskComparison(round=number, first=first, second=second, prompts=prompts))
    return found


def read_comparisons(path: Path) -> list[TaskComparison]:
    """The comparisons of a file, in its order.

    Raises BadTasks naming the line, also where a task occurs twice in a round.
    """
    seen: set[tuple[int, str]] = set()
    found = []
    for place, comparison in read_records(path, TaskComparison):
        for name in comparison.tasks:
            if (comparison.round, name) in seen:
                raise BadTasks(
                    f"{place}: task {name!r} occurs twice in round {comparison.round}.",
                    "A task is compared once in a round: give the comparison another round.",
                )
            seen.add((comparison.round, name))
        found.append(comparison)
    return found


def write_comparisons(path: Path, comparisons: Iterable[TaskComparison]) -> None:
    """Write the file anew; after a crash it is as before or complete. Raises BadTasks."""
    lines = (canonical_json(each.model_dump(exclude_none=True)) for each in comparisons)
    write_file(path, "".join(f"{line}\n" for line in lines))


def refuse_changed(
    comparisons: Iterable[TaskComparison], tasks: Sequence[Task], path: Path
) -> None:
    """Raise BadTasks where a task has another prompt than when it was compared."""
    digests = {task.id: task.digest for task in tasks}
    for comparison in comparisons:
        for name in _changed(comparison, digests):
            raise BadTasks(
                f"{path}: task {name!r} was compared with another prompt.",
                "Give the task that was changed a new identifier, or rank into another file.",
            )


def still_valid(
    comparisons: Iterable[TaskComparison], tasks: Sequence[Task]
) -> list[TaskComparison]:
    """Without those in which one of these tasks had another prompt than it has now."""
    digests = {task.id: task.digest for task in tasks}
    return [each for each in comparisons if not _changed(each, digests)]


def _changed(comparison: TaskComparison, digests: Mapping[str, str]) -> list[str]:
    """Its tasks that have another digest by now, where one is known."""
    prompts = comparison.prompts
    return [name for name in comparison.tasks if digests.get(name) not in (None, prompts.get(name))]


def played(comparisons: Iterable[TaskComparison], tasks: Sequence[Task]) -> dict[str, int]:
    """Rounds that each task has been through, rests and what is pending included."""
    counts = Counter(name for each in comparisons for name in each.tasks)
    return {task.id: counts[task.id] for task in tasks}


def repeats(comparisons: Iterable[TaskComparison]) -> dict[tuple[int, str], int]:
    """How often the same two were shown in the same order before, by the comparison's place.

    So that a pair which is drawn again is judged again.
    """
    shown: Counter[tuple[str, ...]] = Counter()
    found = {}
    for each in sorted(comparisons, key=lambda each: each.round):
        found[each.place] = shown[each.tasks]
        shown[each.tasks] += 1
    return found
