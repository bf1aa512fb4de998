"""Issues as the authors' released program has them: edition `code`.

The program shows the judge the table and believes the number that it answers; neither the list of
issues nor their total enters it. So a report with six issues can get 100, and any number is taken.
All of it is reproduced, and each quirk that had a part in a number is named beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from deepassay.models.operation import Operation, Reply, Trusted, Unchecked
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.expected import ANALYSIS, ISSUE, for_each
from deepassay.protocols.pointwise.issues import (
    BOUNDS,
    PUBLISHED,
    Issue,
    Issues,
    contradictions_by_rule,
    distinct,
    table,
    uncited_by_rule,
)
from deepassay.protocols.protocol import PROMPTS, ScoreDetails
from deepassay.protocols.released import Quirk, Ungraded, fired, no_grade, quirks_kept
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Json, Score, Unscored

TABLE: Final = table(PUBLISHED)


class ReportOnDay(ReportAndQuery):
    """A report, its request, and the day on which it is judged, in words."""

    today: Annotated[str, Trusted]


class IssuesAndScore(Reply):
    """The form that the program asks for."""

    specific_issues: list[str]
    total_issues: int = Field(ge=0)
    score: int = Field(ge=10, le=100)
    justification: str


class RawIssues(Unchecked):
    """Whatever JSON a judge answered: the program asks for a form and does not check it."""

    form = IssuesAndScore


def as_released(name: str, rule: Callable[[str], Issues]) -> Operation[ReportOnDay, RawIssues]:
    """The question of the released program. rule: finds issues without a model."""

    def by_rule(inputs: ReportOnDay) -> RawIssues:
        return RawIssues(_in_released_form(distinct(inputs.report, rule(inputs.report).issues)))

    return Operation(
        name,
        prompts=PROMPTS,
        takes=ReportOnDay,
        gives=RawIssues,
        offline=by_rule,
        reading="released",
        version=2,  # a list with an object in a fence is no longer that object
        rule=2,
        expected=for_each(ISSUE + ANALYSIS),
    )


def _in_released_form(issues: list[Issue]) -> Json:
    quoted = (" / ".join(f'"{quote}"' for quote in issue.quotes.values()) for issue in issues)
    return {
        "specific_issues": [
            f"{issue.problem} {quotes}" for issue, quotes in zip(issues, quoted, strict=True)
        ],
        "total_issues": len(issues),
        "score": int(TABLE.score(len(issues))),
        "justification": f"{len(issues)} found by rule",
    }


JUDGE_CONSISTENCY_AS_RELEASED: Final = as_released(
    "consistency/judge_as_released", contradictions_by_rule
)

JUDGE_ASSOCIATION_AS_RELEASED: Final = as_released(
    "citation_association/judge_as_released", uncited_by_rule
)

QUESTIONS: Final[Mapping[str, Operation[ReportOnDay, RawIssues]]] = {
    "consistency": JUDGE_CONSISTENCY_AS_RELEASED,
    "citation_association": JUDGE_ASSOCIATION_AS_RELEASED,
}
"""By the name of the protocol."""


class IssueQuirk(Quirk):
    """Where the program takes what edition `paper` cannot."""

    AGAINST_COUNT = "issues-against-count"
    OFF_TABLE = "issues-off-table"
    TOTAL_DIFFERS = "issues-total-differs"
    NO_LIST = "issues-no-list"
    ODD_LIST = "issues-odd-list"
    NO_REASON = "issues-no-reason"
    MISSING_SCORE = "issues-missing-score"
    BOOLEAN_SCORE = "issues-boolean-score"
    OUT_OF_RANGE = "issues-out-of-range"
    NOT_A_NUMBER = "issues-not-a-number"
    NULL_SCORE = "issues-null-score"
    STOPPED = "issues-stopped"


@dataclass(frozen=True)
class StoredIssues:
    """What the program stores of an answer: four fields, what is missing filled in."""

    specific_issues: Json
    total_issues: Json
    score: Json
    justification: Json

    @property
    def listed(self) -> list[Json]:
        """The issues one by one, where they are a list."""
        return self.specific_issues if isinstance(self.specific_issues, list) else []

    @property
    def number(self) -> float:
        """The score as it enters the mean, also NaN. Raises Ungraded."""
        if self.score is None:
            raise Ungraded("the score is null, and the mean leaves it out", IssueQuirk.NULL_SCORE)
        if not isinstance(self.score, int | float):
            raise Ungraded("the score is no number", IssueQuirk.STOPPED)
        try:
            return float(self.score)
        except OverflowError:
            raise Ungraded("the score is too large to count with", IssueQuirk.STOPPED) from None


def stored(answer: Json) -> StoredIssues:
    """The answer as the program stores it. Raises Ungraded."""
    if not isinstance(answer, dict):
        raise Ungraded("the answer is not an object", IssueQuirk.STOPPED)
    return StoredIssues(
        answer.get("specific_issues", []),
        answer.get("total_issues", 0),
        answer.get("score", 0),
        answer.get("justification", ""),
    )


def released_score(answer: Json) -> Score | Unscored:
    """The score of edition `code`, the quirks that fired in its details.

    An answer at which the program stops, or which does not reach its mean, is Unscored.
    """
    try:
        found = stored(answer)
        number = found.number
    except Ungraded as stop:
        return no_grade(f"has no number for this answer: {stop}", quirks_kept([stop.quirk]))
    quirks = _quirks(answer, found, number)
    details = ScoreDetails(
        quirks=tuple(map(str, quirks)),
        items=tuple(
            EvidenceItem(key=f"i{at}", item=str(each), verdict="issue", justification="")
            for at, each in enumerate(found.listed, start=1)
        ),
    ).to_json() | {
        "issues": len(found.listed),
        "total_issues": found.total_issues,  # whatever it is
        "justification": found.justification,
    }
    if not math.isfinite(number):
        return no_grade(f"takes {number} from this answer, which is no score", details)
    return Score(number, None if IssueQuirk.OUT_OF_RANGE in quirks else BOUNDS, details=details)


def _quirks(answer: Json, found: StoredIssues, number: float) -> list[IssueQuirk]:
    """What edition `paper` would not have let pass, or would have counted otherwise."""
    listed = found.listed
    reason = found.justification
    return fired(
        {
            IssueQuirk.AGAINST_COUNT: number != TABLE.score(len(listed)),
            IssueQuirk.OFF_TABLE: number not in TABLE.scores,
            IssueQuirk.TOTAL_DIFFERS: type(found.total_issues) is not int
            or found.total_issues != len(listed),
            IssueQuirk.NO_LIST: "specific_issues" not in answer,
            IssueQuirk.ODD_LIST: not isinstance(found.specific_issues, list)
            or not all(isinstance(each, str) for each in listed),
            IssueQuirk.NO_REASON: not (isinstance(reason, str) and reason.strip()),
            IssueQuirk.MISSING_SCORE: "score" not in answer,
            IssueQuirk.BOOLEAN_SCORE: isinstance(found.score, bool),
            IssueQuirk.OUT_OF_RANGE: not BOUNDS[0] <= number <= BOUNDS[1],
            IssueQuirk.NOT_A_NUMBER: math.isnan(number),
        }
    )
