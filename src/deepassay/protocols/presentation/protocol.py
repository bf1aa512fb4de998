"""Presentation and organisation: ten checks of form (LiveResearchBench, section 4.1, Table 2).

The score is the share of checks that a report passes, 0 to 100. Edition `paper` takes an answer
only if all ten verdicts are there, each 0 or 1 with a reason; edition `code` counts as the
released program does. With `mechanical=True`, which is ours, code decides six of the checks and
the judge the other four. A report that is too long for the judge is judged in windows; edition
`code` sends the whole.

Much of form is seen by code, and over the whole report: the judge who decides on a report in
windows is shown the outline and what the lint rules found, beside the passages gathered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from deepassay.errors import BadSetting
from deepassay.models.fence import disarmed
from deepassay.models.operation import Operation, Trusted
from deepassay.protocols.checklist import (
    BOUNDS,
    ChecklistAnswer,
    ReportAndQuery,
    Verdict,
    item_of,
    share_met,
)
from deepassay.protocols.entries import check_complete
from deepassay.protocols.expected import VERDICT, for_each
from deepassay.protocols.overlap import readable
from deepassay.protocols.presentation.by_rule import (
    MECHANICAL,
    RULES_SHOWN,
    hints,
    item_by_rule,
    places_against,
    verdicts_by_rule,
)
from deepassay.protocols.protocol import PROMPTS, Case, Protocol, RoleAskers, Sources
from deepassay.protocols.windows import (
    LONGEST_QUOTE,
    MOST_QUOTES,
    EvidenceAndQuery,
    Gathered,
    WindowAndQuery,
    WindowedQuestion,
    ask_about_report,
    gathering,
)
from deepassay.reports.finding import Finding
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.reports.rules import versions
from deepassay.score import Score, Unscored
from deepassay.text import excerpt

CHECKS: Final = {
    "p1": "clear structure that answers the request",
    "p2": "no mistake of grammar or spelling",
    "p3": "every reference is cited",
    "p4": "every citation has its reference",
    "p5": "one reference list in one order",
    "p6": "one citation style",
    "p7": "citations at the end of clauses",
    "p8": "complete tables and figures",
    "p9": "correct and consistent formatting",
    "p10": "numbers without gaps or duplicates",
}
"""The ten checks in short; the judge reads them in full in the prompt files."""

REST: Final = tuple(key for key in CHECKS if key not in MECHANICAL)


class ReportWithHints(ReportAndQuery):
    """A report, the request that it answers, and what the lint rules found."""

    hints: str


JUDGE_CHECKS: Final = Operation(
    "presentation/judge_checks",
    prompts=PROMPTS,
    takes=ReportAndQuery,
    gives=ChecklistAnswer,
    offline=lambda inputs: verdicts_by_rule(readable(inputs.report), tuple(CHECKS)),
    check=lambda inputs, answer: check_complete(answer.evaluations, CHECKS),
    shape=lambda inputs, form: form.keys("evaluations", CHECKS),
    rule=2,
    expected=for_each(VERDICT, lambda inputs: len(CHECKS)),
)

JUDGE_REST: Final = Operation(
    "presentation/judge_rest",
    prompts=PROMPTS,
    takes=ReportWithHints,
    gives=ChecklistAnswer,
    offline=lambda inputs: verdicts_by_rule(readable(inputs.report), REST),
    check=lambda inputs, answer: check_complete(answer.evaluations, REST),
    shape=lambda inputs, form: form.keys("evaluations", REST),
    rule=2,
    expected=for_each(VERDICT, lambda inputs: len(REST)),
)

HEADINGS_SHOWN: Final = 400
"""Headings of the outline; how many more there are is said."""

_IN_A_PART: Final = ("p2", "p6", "p7")
"""Checks on which a part tells by itself; the hints about the whole report tell of the others."""


class WindowAndChecks(WindowAndQuery):
    """One window, the request, and the checks that are asked: `p1, p2` and so on."""

    asked: Annotated[str, Trusted]


class EvidenceOnChecks(EvidenceAndQuery):
    """What was gathered from all windows, and what code sees of the whole report."""

    asked: Annotated[str, Trusted]
    outline: str
    hints: str


def _keys(asked: str) -> list[str]:
    return asked.split(", ")


def _places_in_window(inputs: WindowAndChecks) -> Gathered:
    report = Report(disarmed(inputs.window))
    findings = lint(report, RULES_SHOWN)
    evidence = []
    for key in _keys(inputs.asked):
        places = places_against(key, report, findings) if key in _IN_A_PART else []
        for line in dict.fromkeys(line for line, _ in places[:MOST_QUOTES]):
            quote = report.lines.span(line - 1, line).of(report.text).strip()[:LONGEST_QUOTE]
            if any(map(str.isalnum, quote)):
                evidence.append(Gathered.Passage(item=key, bearing="against", quote=quote))
    return Gathered(evidence=evidence)


def _by_places(inputs: EvidenceOnChecks) -> ChecklistAnswer:
    against = {each.item for each in inputs.evidence if each.bearing == "against"}
    against |= {line.partition(",")[0] for line in inputs.hints.split("\n")}
    return ChecklistAnswer(
        evaluations={
            key: Verdict(score=0, justification="By rule: places speak against it.")
            if key in against
            else Verdict(score=1, justification="By rule: nothing speaks against it.")
            for key in _keys(inputs.asked)
        }
    )


GATHER_EVIDENCE: Final = gathering(
    "presentation",
    WindowAndChecks,
    lambda inputs: dict.fromkeys(_keys(inputs.asked), ""),
    _places_in_window,
)

JUDGE_ON_EVIDENCE: Final = Operation(
    "presentation/judge_on_evidence",
    prompts=PROMPTS,
    takes=EvidenceOnChecks,
    gives=ChecklistAnswer,
    offline=_by_places,
    check=lambda inputs, answer: check_complete(answer.evaluations, _keys(inputs.asked)),
    shape=lambda inputs, form: form.keys("evaluations", _keys(inputs.asked)),
    rule=2,
    expected=for_each(VERDICT, lambda inputs: len(_keys(inputs.asked))),
)


def outline(report: Report) -> str:
    """The headings of a report with their lines, indented by level."""
    headings = [block for block in report.blocks if block.kind == "heading"]
    lines = []
    for block in headings[:HEADINGS_SHOWN]:
        line, _ = report.lines.place(block.span.start)
        lines.append(
            f"{'  ' * (block.level - 1)}line {line}: {excerpt(block.span.of(report.text))}"
        )
    more = len(headings) - HEADINGS_SHOWN
    return "\n".join([*lines, f"and {more} more"] if more > 0 else lines) or "no headings"


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

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Ask for the verdicts and count them."""
        task, report = case.task, case.report
        inputs = ReportAndQuery(language=task.language, report=report.text, query=task.prompt)
        if self.edition == "code":
            from deepassay.protocols.checklist_released import judged_as_released

            return await judged_as_released(JUDGE_CHECKS, inputs, ask.judge, case.repeat, CHECKS)
        findings: Sequence[Finding] = ()
        keys: Sequence[str] = tuple(CHECKS)
        whole: Operation[Any, ChecklistAnswer] = JUDGE_CHECKS
        if self.mechanical:
            findings, keys, whole = lint(report, RULES_SHOWN), REST, JUDGE_REST
            found = hints(report, findings, REST)
            inputs = ReportWithHints.model_validate({**inputs.model_dump(), "hints": found})
        judged = await ask_about_report(
            whole, inputs, lambda: _in_windows(case, keys), ask.judge, case.repeat
        )
        if isinstance(judged, Unscored):
            return judged
        items = [
            item_of(key, item, judged.verdicts.evaluations[key])
            if key in keys
            else item_by_rule(key, item, findings)
            for key, item in CHECKS.items()
        ]
        return share_met(judged.with_places(items, report), details=judged.details)

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question that this form asks, and the two for a report in windows."""
        if self.edition == "code":
            from deepassay.protocols.checklist_released import as_released

            return (as_released(JUDGE_CHECKS),)
        whole = JUDGE_REST if self.mechanical else JUDGE_CHECKS
        return whole, GATHER_EVIDENCE, JUDGE_ON_EVIDENCE


def _in_windows(
    case: Case, keys: Sequence[str]
) -> WindowedQuestion[WindowAndChecks, EvidenceOnChecks, ChecklistAnswer]:
    """The questions about the checks `keys` for a report that is too long for the judge."""
    report = case.report
    return WindowedQuestion(
        GATHER_EVIDENCE,
        JUDGE_ON_EVIDENCE,
        case,
        about={"asked": ", ".join(keys)},
        shown={
            "outline": outline(report),
            "hints": hints(report, lint(report, RULES_SHOWN), keys),
        },
    )
