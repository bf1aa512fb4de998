"""What presentation asks: ten checks, the four that code leaves, and both of a long report.

Much of form is seen by code, and over the whole report: the judge who decides on a report in
windows is shown the outline and what the lint rules found, beside the passages gathered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from deepassay.models.ask import Asker
from deepassay.models.fence import disarmed
from deepassay.models.operation import Operation, Trusted
from deepassay.protocols.checklist import (
    ReportAndQuery,
    Verdict,
    Verdicts,
    check_complete,
)
from deepassay.protocols.checklist_released import as_released
from deepassay.protocols.expected import VERDICT, for_each
from deepassay.protocols.overlap import readable
from deepassay.protocols.presentation.by_rule import (
    MECHANICAL,
    RULES_SHOWN,
    hints,
    places_against,
    verdicts_by_rule,
)
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.windows import (
    LONGEST_QUOTE,
    MOST_QUOTES,
    EvidenceAndQuery,
    Gathered,
    Inquiry,
    Judged,
    Passage,
    WindowAndQuery,
    gathering,
)
from deepassay.reports.finding import Finding, excerpt
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.score import Unscored

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
    """The same with what the lint rules found."""

    hints: str


JUDGE_CHECKS: Final = Operation(
    "presentation/judge_checks",
    prompts=PROMPTS,
    takes=ReportAndQuery,
    gives=Verdicts,
    offline=lambda inputs: verdicts_by_rule(readable(inputs.report), tuple(CHECKS)),
    check=lambda inputs, answer: check_complete(answer.evaluations, CHECKS),
    shape=lambda inputs, form: form.keys("evaluations", CHECKS),
    rule=2,
    expected=for_each(VERDICT, lambda inputs: len(CHECKS)),
)

JUDGE_CHECKS_AS_RELEASED: Final = as_released(JUDGE_CHECKS)

JUDGE_REST: Final = Operation(
    "presentation/judge_rest",
    prompts=PROMPTS,
    takes=ReportWithHints,
    gives=Verdicts,
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
    """The same with the checks that are asked, `p1, p2` and so on."""

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
                evidence.append(Passage(item=key, bearing="against", quote=quote))
    return Gathered(evidence=evidence)


def _by_places(inputs: EvidenceOnChecks) -> Verdicts:
    against = {each.item for each in inputs.evidence if each.bearing == "against"}
    against |= {line.partition(",")[0] for line in inputs.hints.split("\n")}
    return Verdicts(
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
    gives=Verdicts,
    offline=_by_places,
    check=lambda inputs, answer: check_complete(answer.evaluations, _keys(inputs.asked)),
    shape=lambda inputs, form: form.keys("evaluations", _keys(inputs.asked)),
    rule=2,
    expected=for_each(VERDICT, lambda inputs: len(_keys(inputs.asked))),
)


async def judge_in_windows(
    case: Case, findings: Sequence[Finding], keys: Sequence[str], ask: Asker
) -> Judged[Verdicts] | Unscored:
    """Verdicts on the checks `keys`, decided on the evidence of all windows.

    findings: of the lint rules over the whole report.
    """
    inquiry = Inquiry(
        GATHER_EVIDENCE,
        JUDGE_ON_EVIDENCE,
        case,
        about={"asked": ", ".join(keys)},
        shown={"outline": outline(case.report), "hints": hints(case.report, findings, keys)},
    )
    return await inquiry.hold(ask)


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
