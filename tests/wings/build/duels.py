"""Research tasks and comparisons of them, made up for the tests of RankEval."""

from __future__ import annotations

import json
from typing import Any

from deepassay.tasks.task import Task
from deepassay.wings.build.arena.rank_eval import TaskComparison, TaskMarks, TaskVerdict

SOUND = (
    "How does the mesh size of oyster cages change the growth of spat in tidal creeks, and whether "
    "that holds across salinities? Compare at least 12 published trials since 2005 and deliver a "
    "table with mesh, salinity, growth rate and method of each trial."
)
POOR = "Look into various things about oysters, etc., as the speaker said in the seminar."


def task(name: str, prompt: str = "", **labels: str) -> Task:
    return Task(
        id=name, prompt=prompt or f"Deliver a table of what is known on {name}.", labels=labels
    )


def marks(mark: int) -> TaskMarks:
    return TaskMarks(
        clarity=mark, actionability=mark, novelty=mark, depth_fit=mark, consistency=mark
    )


def comparison(number: int, winner: str, loser: str, confidence: float = 0.8) -> TaskComparison:
    """Decided; the winner was shown first."""
    verdict = TaskVerdict(
        winner=winner,
        confidence=confidence,
        first=marks(4),
        second=marks(2),
        reason="it says what it wants",
        judge="offline",
    )
    prompts = {name: task(name).digest for name in (winner, loser)}
    return TaskComparison(
        round=number, first=winner, second=loser, prompts=prompts, verdict=verdict
    )


def answer(a: int = 4, b: int = 2, better: str = "A", confidence: float = 0.8) -> str:
    """What a judge answers, the same mark on all five sides."""
    fields: dict[str, Any] = {"a": marks(a).model_dump(), "b": marks(b).model_dump()}
    return json.dumps(
        fields | {"reason": "so it seems", "better": better, "confidence": confidence}
    )
