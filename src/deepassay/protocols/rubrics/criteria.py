"""Criteria of a rubric: what a judge is asked of them, and what their evidence says of them.

ResearchRubrics, section 3.4. The judge is told neither weight nor axis of a criterion, and not
whether it describes a merit or a fault: a fault that a report does not have is Not Satisfied.
Binary grading collapses the same verdicts, so that both scales share what was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, get_args

from pydantic import StringConstraints

from deepassay.models.form import Form
from deepassay.models.operation import OffMenu, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.entries import (
    ask_for_quotes,
    check_complete,
    numbered,
    quote_span,
)
from deepassay.protocols.expected import GRADE, for_each
from deepassay.protocols.overlap import DELIVERED, PARTLY, best_passage
from deepassay.protocols.protocol import PROMPTS
from deepassay.protocols.rubrics.setting import RESEARCH_RUBRICS, Setting
from deepassay.protocols.windows import (
    LONGEST_QUOTE,
    MOST_QUOTES,
    EvidenceAndQuery,
    WindowAndQuery,
    gathering,
)
from deepassay.results.evidence import EvidenceItem
from deepassay.tasks.yardsticks import Criterion

Verdict = Literal["Satisfied", "Partially Satisfied", "Not Satisfied"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

Scale = Literal["ternary", "binary"]
SCALES: Final[tuple[Scale, ...]] = get_args(Scale)


_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class CriteriaOnReport(ReportAndQuery):
    """A report, the request that it answers, and criteria about it in words."""

    criteria: tuple[str, ...]


class WindowAndCriteria(WindowAndQuery):
    """One window, the request, and the criteria."""

    criteria: tuple[str, ...]


class EvidenceOnCriteria(EvidenceAndQuery):
    """What was gathered from all windows, the request, and the criteria."""

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
    """The criteria of one question by their keys: `r1`, `r2` and so on."""
    return numbered("r", criteria)


def check_quotes(verdicts: Mapping[str, CriterionVerdict]) -> None:
    """Raise OffMenu where there are too many quotes, or one is too long."""
    for key, each in verdicts.items():
        if len(each.quotes) > MOST_QUOTES:
            raise OffMenu(f"more than {MOST_QUOTES} quotes for {key}: keep those that decide")
        if any(len(quote) > LONGEST_QUOTE for quote in each.quotes):
            raise OffMenu(f"a quote for {key} is longer than {LONGEST_QUOTE} characters")


def _check(inputs: CriteriaOnReport | EvidenceOnCriteria, answer: CriteriaVerdicts) -> None:
    check_complete(answer.verdicts, keys_of(inputs.criteria))
    check_quotes(answer.verdicts)


def doubts_of(report: str, answer: CriteriaVerdicts, language: Language) -> str:
    """What is wrong with quotes, on which no verdict rests: some do not stand in the report."""
    quotes = (quote for each in answer.verdicts.values() for quote in each.quotes)
    absent = [quote for quote in quotes if quote_span(report, quote) is None]
    return ask_for_quotes(absent, "report", language)


def _form_of(inputs: CriteriaOnReport | EvidenceOnCriteria, form: Form) -> None:
    form.keys("verdicts", keys_of(inputs.criteria)).at_most("quotes", MOST_QUOTES)


def verdict_by_rule(report: str, criterion: str) -> CriterionVerdict:
    """The floor: how many words of a criterion one passage of the report holds."""
    best = best_passage(report, criterion)
    verdict: Verdict = "Not Satisfied"
    if best.share >= PARTLY:
        verdict = "Satisfied" if best.share >= DELIVERED else "Partially Satisfied"
    quotes = [] if verdict == "Not Satisfied" else best.quotes
    return CriterionVerdict(reason=best.found, verdict=verdict, quotes=quotes)


def _by_rule(inputs: CriteriaOnReport | EvidenceOnCriteria) -> CriteriaVerdicts:
    """The floor, from the whole report, or from what was gathered on each criterion."""
    verdicts = {
        key: verdict_by_rule(
            inputs.report if isinstance(inputs, CriteriaOnReport) else inputs.quoted(key), text
        )
        for key, text in keys_of(inputs.criteria).items()
    }
    return CriteriaVerdicts(verdicts=verdicts)


JUDGE_CRITERIA: Final = Operation(
    "rubrics/judge_criteria",
    prompts=PROMPTS,
    takes=CriteriaOnReport,
    gives=CriteriaVerdicts,
    offline=_by_rule,
    check=_check,
    quotes=lambda inputs, answer: doubts_of(inputs.report, answer, inputs.language),
    shape=_form_of,
    version=2,
    rule=2,
    expected=for_each(GRADE, lambda inputs: len(inputs.criteria)),
)

GATHER_EVIDENCE: Final = gathering(
    "rubrics", WindowAndCriteria, lambda inputs: keys_of(inputs.criteria)
)

JUDGE_ON_EVIDENCE: Final = Operation(
    "rubrics/judge_on_evidence",
    prompts=PROMPTS,
    takes=EvidenceOnCriteria,
    gives=CriteriaVerdicts,
    offline=_by_rule,
    check=_check,
    quotes=lambda inputs, answer: doubts_of(
        "\n\n".join(each.quote for each in inputs.evidence), answer, inputs.language
    ),
    shape=_form_of,
    version=2,
    rule=2,
    expected=for_each(GRADE, lambda inputs: len(inputs.criteria)),
)


def criterion_item(criterion: Criterion, setting: Setting = RESEARCH_RUBRICS) -> EvidenceItem:
    """What evidence says of a criterion, as `explain` and results read it."""
    item = EvidenceItem(
        key=criterion.id,
        item=criterion.criterion,
        weight=setting.weight_of(criterion),
        axis=criterion.axis,
    )
    mandatory = {"mandatory": criterion.mandatory} if setting.levels else {}
    return item.model_copy(update=mandatory)
