"""ACE: a report scored on the weighted checklist of its task (DeepResearch Arena).

Section "Adaptively-generated Checklist Evaluation": a model makes the checklist once for a task,
and another one, which may be the same, scores each item on its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.ace.arithmetic import BOUNDS, ace_score
from deepassay.protocols.ace.checklists import MAKE_CHECKLIST, make_checklist
from deepassay.protocols.ace.questions import (
    GATHER_EVIDENCE,
    JUDGE_ON_EVIDENCE,
    KEY,
    SCORE_ITEM,
    ItemOnReport,
    about,
)
from deepassay.protocols.judgements import Judgement, Line, out_of_budget
from deepassay.protocols.protocol import Case, Edition, Protocol, Role, Roles, Sources, in_turn
from deepassay.protocols.windows import Inquiry, overflowed
from deepassay.score import Cause, Json, Score, Unscored, digest
from deepassay.tasks.ace import AceItem, ace_digest


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
    needs: ClassVar[str] = "a weighted checklist for each task, or a model that makes it"
    calls: ClassVar[str] = "1 an item of the checklist"
    importance: ClassVar[int] = 65
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
        if (spent := out_of_budget(line.judgement for line in lines)) is not None:
            return spent
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
        asked = (SCORE_ITEM, GATHER_EVIDENCE, JUDGE_ON_EVIDENCE)
        return (*asked, MAKE_CHECKLIST) if self.make else asked

    def basis(self, case: Case) -> dict[str, str]:
        """The checklist that is given."""
        return {} if self.make else {"checklist": ace_digest(case.task.ace or ())}

    def made_basis(self, details: Mapping[str, Json]) -> dict[str, str]:
        """The checklist that was made: another maker's, or of another day, is another one."""
        if not self.make:
            return {}
        judges = (each["details"] for each in details.get("judges", {}).values())
        items: Json = next((each["items"] for each in (details, *judges) if each.get("items")), [])
        lines = [[item["dimension"], item["item"], item["weight"]] for item in items]
        return {"checklist": digest(lines)} if lines else {}


async def _scored(item: AceItem, case: Case, ask: Asker) -> Line[AceItem, int]:
    task = case.task
    inputs = ItemOnReport(
        language=task.language, report=case.report.text, query=task.prompt, **about(item, task)
    )
    answer = await ask(SCORE_ITEM, inputs, repeat=case.repeat)
    if overflowed(answer):
        return Line(item, await _scored_in_windows(item, case, ask))
    if isinstance(answer, Unscored):
        return Line(item, Judgement.failed(answer))
    return Line(item, Judgement(answer.value.rating, answer.value.justification))


async def _scored_in_windows(item: AceItem, case: Case, ask: Asker) -> Judgement[int]:
    inquiry = Inquiry(GATHER_EVIDENCE, JUDGE_ON_EVIDENCE, case, about(item, case.task))
    judged = await inquiry.hold(ask)
    if isinstance(judged, Unscored):
        return Judgement.failed(judged)
    said = judged.verdicts
    places = judged.places(KEY, case.report)
    return Judgement(said.rating, said.justification, places, windows=judged.windows)
