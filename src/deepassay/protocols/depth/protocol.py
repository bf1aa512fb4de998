"""Analysis depth: which of two reports on a task goes deeper (LiveResearchBench).

Section 4.2 and appendix A.4. A judge marks both on five dimensions, once in each order; who wins,
follows from the marks, averaged over orders and judges. A report scores 100 for a win, 50 for a
tie and 0 for a loss; the pooled share that results show beside the mean is the paper's win rate,
without ties.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from deepassay.models.operation import Operation
from deepassay.protocols.depth.arithmetic import BOUNDS, Order, panel_score, score_of
from deepassay.protocols.depth.questions import COMPARE, TwoReports
from deepassay.protocols.depth.released import COMPARE_AS_RELEASED, released_score
from deepassay.protocols.protocol import Case, Pairwise, Roles, Sources
from deepassay.score import Cause, Score, Unscored


@dataclass(frozen=True, repr=False)
class Depth(Pairwise):
    """Whether a report goes deeper than the baseline's on the same task (LiveResearchBench)."""

    name: ClassVar[str] = "depth"
    title: ClassVar[str] = "Analysis Depth"
    source: ClassVar[str] = "LiveResearchBench, section 4.2 and appendix A.4"
    needs: ClassVar[str] = "the reports of another agent, the baseline"
    calls: ClassVar[str] = "2 a report, one in each order"
    importance: ClassVar[int] = 55
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS

    async def score(self, case: Case, ask: Roles, sources: Sources) -> Score | Unscored:
        """Ask in both orders; without one of the answers there is no score."""
        rival = case.rival
        if rival is None:
            return self._with_baseline(Unscored(Cause.MISSING_INPUT, self.lacks(case)))
        texts = [case.report.text, rival.text]
        first, second = (
            TwoReports(language=case.task.language, report_a=a, report_b=b, query=case.task.prompt)
            for a, b in (texts, texts[::-1])
        )
        answers = await asyncio.gather(
            *(ask.judge(self._question, each, repeat=case.repeat) for each in (first, second))
        )
        read = []
        for answer in answers:
            if isinstance(answer, Unscored):
                return answer
            read.append(answer.value)
        if self.edition == "code":
            outcome = released_score(*(raw.root for raw in read))
        else:
            outcome = score_of([Order(True, read[0]), Order(False, read[1])])
        return self._with_baseline(outcome)

    @property
    def _question(self) -> Operation[TwoReports, Any]:
        return COMPARE_AS_RELEASED if self.edition == "code" else COMPARE

    def _with_baseline(self, outcome: Score | Unscored) -> Score | Unscored:
        """The outcome with the name of the baseline, by which results cross-tabulate pairs."""
        return replace(outcome, details={**outcome.details, "baseline": self.baseline})

    def combine(self, outcomes: Mapping[str, Score | Unscored]) -> Score | Unscored:
        """Totals are averaged over the judges that scored; who wins, is decided after that.

        In edition `code` nothing is averaged but the judges' win rates.
        """
        mean = super().combine(outcomes)
        if isinstance(mean, Score) and self.edition == "paper":
            judges = {name: each for name, each in outcomes.items() if isinstance(each, Score)}
            mean = panel_score(mean, judges)
        return self._with_baseline(mean)

    def lacks(self, case: Case) -> str:
        """The baseline's report for the task."""
        if case.rival is not None:
            return ""
        if not self.baseline:
            return "There is nothing to compare with: name an agent or a file with --baseline."
        return f"The baseline {self.baseline} has no report for task {case.task.id}."

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The question that it asks in both orders."""
        return (self._question,)

    def basis(self, case: Case) -> dict[str, str]:
        """The baseline's report."""
        return {"baseline": case.rival.digest} if case.rival is not None else {}
