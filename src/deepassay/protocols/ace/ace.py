"""ACE: a report scored on the weighted checklist of its task (DeepResearch Arena).

Section "Adaptively-generated Checklist Evaluation": a model makes the checklist once for a task,
and another one, which may be the same, scores each item on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.ace.figures import BOUNDS, Line, ace_score
from deepassay.protocols.ace.scoring import SCORE_ITEM, question_about
from deepassay.protocols.fact.turns import in_turn
from deepassay.protocols.protocol import Case, Edition, Protocol, Role, Roles, Sources
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.ace import AceItem, ace_digest
from deepassay.tasks.curate.checklists import MAKE_CHECKLIST, make_checklist


@dataclass(frozen=True, repr=False)
class Ace(Protocol):
    """Weighted mean over the items of a task's checklist, 0 to 10 (DeepResearch Arena).

    make: have the maker make every checklist, and use none that is given. The checklist of a task
    is then one answer of the run, the same for all reports, judges and repeats.
    """

    make: bool = False

    name: ClassVar[str] = "ace"
    title: ClassVar[str] = "Adaptive checklist"
    source: ClassVar[str] = "DeepResearch Arena, Adaptively-generated Checklist Evaluation"
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)

    @property
    def roles(self) -> tuple[Role, ...]:
        """The maker only where there is something to make."""
        return ("judge", "maker") if self.make else ("judge",)

    async def score(self, case: Case, ask: Roles, sources: Sources) -> Score | Unscored:
        """Have the checklist made if need be, score its items, and weigh them."""
        if missing := self.lacks(case):
            return Unscored(Cause.MISSING_INPUT, missing)
        items: Sequence[AceItem] = case.task.ace or ()
        if self.make:
            made = await make_checklist(case.task, ask.maker)
            if isinstance(made, Unscored):
                return made
            items = made
        lines = await in_turn(_scored(item, case, ask.judge) for item in items)
        for line in lines:
            if line.cause is Cause.BUDGET:  # no outcome yet: a larger budget goes on from here
                return Unscored(Cause.BUDGET, line.reason)
        made_by = str(ask.maker.identity["model"]) if self.make else ""
        return ace_score(lines, f"{case.task.id}:", made_by)

    def lacks(self, case: Case) -> str:
        """A checklist, where none is to be made."""
        if self.make or case.task.ace:
            return ""
        return (
            f"Task {case.task.id} has no ACE checklist: make one with `deepassay tasks checklist` "
            "and give it with --ace FILE, or name a --maker."
        )

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """What it asks the judge, and the maker if there is something to make."""
        return (SCORE_ITEM, MAKE_CHECKLIST) if self.make else (SCORE_ITEM,)

    def basis(self, case: Case) -> dict[str, str]:
        """The checklist that is given; one that is made follows from maker and prompt."""
        return {} if self.make else {"checklist": ace_digest(case.task.ace or ())}


async def _scored(item: AceItem, case: Case, ask: Asker) -> Line:
    answer = await ask(SCORE_ITEM, question_about(item, case), repeat=case.repeat)
    if isinstance(answer, Unscored):
        return Line(item, None, answer.detail, answer.cause)
    return Line(item, answer.value.rating, answer.value.justification)
