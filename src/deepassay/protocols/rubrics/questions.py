"""Verdicts on criteria: whether what each describes is so.

ResearchRubrics, section 3.4. The judge is told neither weight nor axis, and not whether a
criterion describes a merit or a fault: a fault that a report does not have is Not Satisfied.
Binary grading collapses the same verdicts, so that both scales share what was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, get_args

from pydantic import StringConstraints

from deepassay.models.form import Form
from deepassay.models.operation import OffMenu, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.protocols.checklist import (
    ReportAndQuery,
    absence_of,
    check_complete,
    place_at,
    quote_span,
)
from deepassay.protocols.expected import GRADE, for_each
from deepassay.protocols.judgements import Judgement
from deepassay.protocols.overlap import DELIVERED, PARTLY, held
from deepassay.protocols.protocol import PROMPTS
from deepassay.protocols.windows import (
    LONGEST_QUOTE,
    MOST_QUOTES,
    EvidenceAndQuery,
    WindowAndQuery,
    gathering,
)
from deepassay.reports.finding import excerpt
from deepassay.reports.report import Report

Verdict = Literal["Satisfied", "Partially Satisfied", "Not Satisfied"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

Scale = Literal["ternary", "binary"]
SCALES: Final[tuple[Scale, ...]] = get_args(Scale)

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class CriteriaOnReport(ReportAndQuery):
    """A report, the request that it answers, and criteria about it in words."""

    criteria: tuple[str, ...]


class CriterionVerdict(Reply):
    """Whether what one criterion describes is so, why, and the words that show it."""

    reason: _Text
    verdict: Verdict
    quotes: list[_Text]


class CriteriaVerdicts(Reply):
    """A verdict on each criterion, by its key: `r1` and on."""

    verdicts: dict[str, CriterionVerdict]


def keys_of(criteria: Sequence[str]) -> dict[str, str]:
    """`r1`, `r2`, … for the criteria of one question, in its order."""
    return {f"r{number}": text for number, text in enumerate(criteria, start=1)}


def check_quotes(verdicts: Mapping[str, CriterionVerdict]) -> None:
    """Raise OffMenu where there are too many quotes, or one is too long."""
    for key, each in verdicts.items():
        if len(each.quotes) > MOST_QUOTES:
            raise OffMenu(f"more than {MOST_QUOTES} quotes for {key}: keep those that decide")
        if any(len(quote) > LONGEST_QUOTE for quote in each.quotes):
            raise OffMenu(f"a quote for {key} is longer than {LONGEST_QUOTE} characters")


def doubts_of(report: str, answer: CriteriaVerdicts, language: Language) -> str:
    """What is wrong with quotes, on which no verdict rests: some do not stand in the report."""
    quotes = (quote for each in answer.verdicts.values() for quote in each.quotes)
    absent = [quote for quote in quotes if quote_span(report, quote) is None]
    return absence_of(absent, "report", language) if absent else ""


def _form_of(criteria: Sequence[str], form: Form) -> None:
    form.keys("verdicts", keys_of(criteria)).at_most("quotes", MOST_QUOTES)


def _check(inputs: CriteriaOnReport | EvidenceOnCriteria, answer: CriteriaVerdicts) -> None:
    check_complete(answer.verdicts, keys_of(inputs.criteria))
    check_quotes(answer.verdicts)


def verdict_by_rule(report: str, criterion: str) -> CriterionVerdict:
    """The floor: how many words of a criterion one passage of the report holds."""
    best = held(report, criterion)
    verdict: Verdict = "Not Satisfied"
    if best.share >= PARTLY:
        verdict = "Satisfied" if best.share >= DELIVERED else "Partially Satisfied"
    quotes = [] if verdict == "Not Satisfied" else best.quotes
    return CriterionVerdict(reason=best.found, verdict=verdict, quotes=quotes)


def _by_rule(inputs: CriteriaOnReport) -> CriteriaVerdicts:
    criteria = keys_of(inputs.criteria).items()
    return CriteriaVerdicts(
        verdicts={key: verdict_by_rule(inputs.report, text) for key, text in criteria}
    )


JUDGE_CRITERIA: Final = Operation(
    "rubrics/judge_criteria",
    prompts=PROMPTS,
    takes=CriteriaOnReport,
    gives=CriteriaVerdicts,
    offline=_by_rule,
    check=_check,
    quotes=lambda inputs, answer: doubts_of(inputs.report, answer, inputs.language),
    shape=lambda inputs, form: _form_of(inputs.criteria, form),
    version=2,
    rule=2,
    expected=for_each(GRADE, lambda inputs: len(inputs.criteria)),
)


def judgement_of(said: CriterionVerdict, report: Report) -> Judgement[Verdict]:
    """A checked answer about the whole report, its quotes with their places."""
    spans = (quote_span(report.text, quote) for quote in said.quotes)
    places = (
        place_at(report, span.start, excerpt(span.of(report.text), 120))
        for span in spans
        if span is not None
    )
    found = tuple(places)
    return Judgement(said.verdict, said.reason, found, absent=len(said.quotes) - len(found))


class WindowAndCriteria(WindowAndQuery):
    """One window, the request, and the criteria."""

    criteria: tuple[str, ...]


class EvidenceOnCriteria(EvidenceAndQuery):
    """What was gathered from all windows, the request, and the criteria."""

    criteria: tuple[str, ...]


def _by_rule_on_evidence(inputs: EvidenceOnCriteria) -> CriteriaVerdicts:
    criteria = keys_of(inputs.criteria).items()
    return CriteriaVerdicts(
        verdicts={key: verdict_by_rule(inputs.quoted(key), text) for key, text in criteria}
    )


def _doubts_on_evidence(inputs: EvidenceOnCriteria, answer: CriteriaVerdicts) -> str:
    quoted = "\n\n".join(each.quote for each in inputs.evidence)
    return doubts_of(quoted, answer, inputs.language)


GATHER_EVIDENCE: Final = gathering(
    "rubrics", WindowAndCriteria, lambda inputs: keys_of(inputs.criteria)
)

JUDGE_ON_EVIDENCE: Final = Operation(
    "rubrics/judge_on_evidence",
    prompts=PROMPTS,
    takes=EvidenceOnCriteria,
    gives=CriteriaVerdicts,
    offline=_by_rule_on_evidence,
    check=_check,
    quotes=_doubts_on_evidence,
    shape=lambda inputs, form: _form_of(inputs.criteria, form),
    version=2,
    rule=2,
    expected=for_each(GRADE, lambda inputs: len(inputs.criteria)),
)
