"""Comparisons of tasks as a file keeps them: what was drawn, and what the judge said of it.

JSON Lines, one pair a line, beside the ranked tasks. Ratings are reckoned from it alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from deepassay.curate.arena.lines import read_lines
from deepassay.curate.arena.pairing import Pair
from deepassay.curate.arena.rank_eval import Compared, Marks
from deepassay.errors import BadTasks
from deepassay.score import canonical_json
from deepassay.tasks.entries import write_file
from deepassay.tasks.fields import Text
from deepassay.tasks.task import Task


class Verdict(BaseModel):
    """What a judge said. confidence: as it counts, from 0.5 to 1. winner: an identifier."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    winner: Text
    confidence: Annotated[float, Field(ge=0.5, le=1, allow_inf_nan=False)]
    first: Marks
    second: Marks
    reason: str
    judge: str


class Comparison(BaseModel):
    """Two tasks of a round, in the order shown; one that rests has no second.

    prompts: digests of what was compared, by identifier. verdict: None where there is none yet.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    round: Annotated[int, Field(ge=1)]
    first: Text
    second: Text | None = None
    prompts: Mapping[str, str]
    verdict: Verdict | None = None

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
        """As messages name it."""
        return f"{self.first} and {self.second} in round {self.round}"

    @property
    def place(self) -> tuple[int, str]:
        """Round and first task: no other comparison has the same."""
        return self.round, self.first

    @property
    def tasks(self) -> tuple[str, ...]:
        """One or two identifiers."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def pending(self) -> bool:
        """Whether a judge has still to be asked."""
        return self.second is not None and self.verdict is None

    def decided(self, said: Compared, judge: str) -> Comparison:
        """The same with what a judge said, to whom the first was A."""
        assert self.second is not None
        verdict = Verdict(
            winner=self.first if said.better == "A" else self.second,
            confidence=said.settled,
            first=said.a,
            second=said.b,
            reason=said.reason,
            judge=judge,
        )
        return self.model_copy(update={"verdict": verdict})


def comparisons_file(tasks: Path) -> Path:
    """The file that belongs to a file of ranked tasks."""
    return tasks.with_name(f"{tasks.stem}.comparisons.jsonl")


def drawn(number: int, pairs: Iterable[Pair], tasks: Mapping[str, Task]) -> list[Comparison]:
    """The comparisons of a round, without verdicts."""
    found = []
    for first, second in pairs:
        prompts = {name: tasks[name].digest for name in (first, second) if name is not None}
        found.append(Comparison(round=number, first=first, second=second, prompts=prompts))
    return found


def read_comparisons(path: Path) -> list[Comparison]:
    """The comparisons of a file, in its order.

    Raises BadTasks naming the line, also where a task occurs twice in a round.
    """
    seen: set[tuple[int, str]] = set()
    found = []
    for place, comparison in read_lines(path, Comparison):
        for name in comparison.tasks:
            if (comparison.round, name) in seen:
                raise BadTasks(
                    f"{place}: task {name!r} occurs twice in round {comparison.round}.",
                    "A task is compared once in a round: give the comparison another round.",
                )
            seen.add((comparison.round, name))
        found.append(comparison)
    return found


def write_comparisons(path: Path, comparisons: Iterable[Comparison]) -> None:
    """Write the file anew; after a crash it is as before or complete. Raises BadTasks."""
    lines = (canonical_json(each.model_dump(exclude_none=True)) for each in comparisons)
    write_file(path, "".join(f"{line}\n" for line in lines))


def refuse_changed(comparisons: Iterable[Comparison], tasks: Sequence[Task], path: Path) -> None:
    """Raise BadTasks where a task has another prompt than when it was compared."""
    digests = {task.id: task.digest for task in tasks}
    for comparison in comparisons:
        for name in _changed(comparison, digests):
            raise BadTasks(
                f"{path}: task {name!r} was compared with another prompt.",
                "Give the task that was changed a new identifier, or rank into another file.",
            )


def still_valid(comparisons: Iterable[Comparison], tasks: Sequence[Task]) -> list[Comparison]:
    """Without those in which one of these tasks had another prompt than it has now."""
    digests = {task.id: task.digest for task in tasks}
    return [each for each in comparisons if not _changed(each, digests)]


def _changed(comparison: Comparison, digests: Mapping[str, str]) -> list[str]:
    """Its tasks that have another digest by now, where one is known."""
    prompts = comparison.prompts
    return [name for name in comparison.tasks if digests.get(name) not in (None, prompts.get(name))]


def played(comparisons: Iterable[Comparison], tasks: Sequence[Task]) -> dict[str, int]:
    """Rounds that each task has been through, rests and what is pending included."""
    counts = Counter(name for each in comparisons for name in each.tasks)
    return {task.id: counts[task.id] for task in tasks}


def repeats(comparisons: Iterable[Comparison]) -> dict[tuple[int, str], int]:
    """How often the same two were shown in the same order before, by the comparison's place.

    So that a pair which is drawn again is judged again.
    """
    shown: Counter[tuple[str, ...]] = Counter()
    found = {}
    for each in sorted(comparisons, key=lambda each: each.round):
        found[each.place] = shown[each.tasks]
        shown[each.tasks] += 1
    return found
