"""Presentation and organisation: ten checks of form (LiveResearchBench, section 4.1, Table 2).

The score is the share of checks that a report passes, 0 to 100. Edition `paper` takes an answer
only if all ten verdicts are there, each 0 or 1 with a reason; edition `code` counts as the
released program does. With `mechanical=True`, which is ours, code decides six of the checks and
the judge the other four. A report that is too long for the judge is judged in windows; edition
`code` sends the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation
from deepassay.protocols.checklist import (
    BOUNDS,
    ReportAndQuery,
    Verdicts,
    evidence_of,
    paper_score,
    score_of,
)
from deepassay.protocols.checklist_released import released_score
from deepassay.protocols.presentation.by_rule import (
    MECHANICAL,
    RULES_SHOWN,
    evidence,
    hints,
)
from deepassay.protocols.presentation.questions import (
    CHECKS,
    GATHER_EVIDENCE,
    JUDGE_CHECKS,
    JUDGE_CHECKS_AS_RELEASED,
    JUDGE_ON_EVIDENCE,
    JUDGE_REST,
    REST,
    ReportWithHints,
    judge_in_windows,
)
from deepassay.protocols.protocol import Case, Protocol, Roles, Sources
from deepassay.protocols.windows import overflowed
from deepassay.reports.finding import Finding
from deepassay.reports.lint import lint
from deepassay.reports.rules import versions
from deepassay.score import Score, Unscored


@dataclass(frozen=True, repr=False)
class Presentation(Protocol):
    """Share of ten checks of form that a report passes (LiveResearchBench, section 4.1).

    mechanical: let code decide P3, P4, P5, P8, P9 and P10, with line numbers, and the judge only
    P1, P2, P6 and P7, with the code's findings as hints. Ours, in edition `paper` only.
    """

    mechanical: bool = False

    name: ClassVar[str] = "presentation"
    title: ClassVar[str] = "Presentation & Organization"
    source: ClassVar[str] = "LiveResearchBench, section 4.1 and Table 2"
    calls: ClassVar[str] = "1 a report"
    importance: ClassVar[int] = 50
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mechanical and self.edition == "code":
            raise BadSetting(
                "presentation(mechanical=True) has no edition 'code': "
                "in the released program the judge decides all ten checks.",
                "Leave out either mechanical=True or --edition code.",
            )

    @property
    def rules(self) -> dict[str, int]:
        """The lint rules that decide checks or give hints, where they do."""
        return versions(RULES_SHOWN) if self.mechanical else {}

    async def score(self, case: Case, ask: Roles, sources: Sources) -> Score | Unscored:
        """Ask for the verdicts and count them."""
        if self.mechanical:
            return await self._score_mechanically(case, ask)
        inputs = ReportAndQuery(
            language=case.task.language, report=case.report.text, query=case.task.prompt
        )
        if self.edition == "code":
            raw = await ask.judge(JUDGE_CHECKS_AS_RELEASED, inputs, repeat=case.repeat)
            return raw if isinstance(raw, Unscored) else released_score(raw.value.root, CHECKS)
        answer = await ask.judge(JUDGE_CHECKS, inputs, repeat=case.repeat)
        if not overflowed(answer):
            return answer if isinstance(answer, Unscored) else paper_score(answer.value, CHECKS)
        judged = await judge_in_windows(
            case, lint(case.report, RULES_SHOWN), tuple(CHECKS), ask.judge
        )
        if isinstance(judged, Unscored):
            return judged
        return judged.told(paper_score(judged.verdicts, CHECKS), case.report)

    async def _score_mechanically(self, case: Case, ask: Roles) -> Score | Unscored:
        report = case.report
        findings = lint(report, RULES_SHOWN)
        inputs = ReportWithHints(
            language=case.task.language,
            report=report.text,
            query=case.task.prompt,
            hints=hints(report, findings, REST),
        )
        answer = await ask.judge(JUDGE_REST, inputs, repeat=case.repeat)
        if not overflowed(answer):
            return answer if isinstance(answer, Unscored) else _with_code(answer.value, findings)
        judged = await judge_in_windows(case, findings, REST, ask.judge)
        if isinstance(judged, Unscored):
            return judged
        return judged.told(_with_code(judged.verdicts, findings), report)

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question that this form asks, and the two for a report in windows."""
        if self.edition == "code":
            return (JUDGE_CHECKS_AS_RELEASED,)
        whole = JUDGE_REST if self.mechanical else JUDGE_CHECKS
        return whole, GATHER_EVIDENCE, JUDGE_ON_EVIDENCE


def _with_code(answer: Verdicts, findings: Sequence[Finding]) -> Score:
    """The score of ten checks, of which the judge decided four and code the others."""
    judged = answer.evaluations
    lines = [
        evidence(key, item, findings)
        if key in MECHANICAL
        else evidence_of(key, item, judged[key].score, judged[key].justification)
        for key, item in CHECKS.items()
    ]
    return score_of(lines)
