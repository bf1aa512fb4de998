"""What a judge may point out in a report: each issue with the words of the report that show it.

LiveResearchBench finds faults of consistency and of citation in the same way (appendix A.2 and
A.5): the judge lists them, their number decides the score. Here every issue quotes the report; a
quote that is not found costs the issue its place, and the record says how many have none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import StringConstraints

from deepassay.models.operation import Operation, Reply
from deepassay.models.prompt import Language
from deepassay.protocols.checklist import ReportAndQuery, quote_span
from deepassay.protocols.expected import ISSUE, ISSUES, QUOTE, for_each
from deepassay.protocols.overlap import readable, wording, words_of
from deepassay.protocols.protocol import PROMPTS
from deepassay.reports.attribution import attributions
from deepassay.reports.report import Report
from deepassay.reports.statements import Statement

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Inconsistency(Reply):
    """Two statements that exclude each other, or a step of reasoning that does not hold.

    quote: verbatim from the report. other_quote: the passage that it is at odds with, verbatim
    too; empty only if kind is `logic` and one passage shows it all. problem: a sentence.
    """

    kind: Literal["contradiction", "logic"]
    quote: Words
    other_quote: Annotated[str, StringConstraints(strip_whitespace=True)]
    problem: Words

    @property
    def quotes(self) -> dict[str, str]:
        """The passages that show it, by the name of their field."""
        both = {"quote": self.quote, "other_quote": self.other_quote}
        return {field: quote for field, quote in both.items() if quote}


class UnsourcedClaim(Reply):
    """A claim that has no citation, or one whose source evidently cannot be about it.

    quote: the claim, verbatim from the report. problem: a sentence.
    """

    kind: Literal["uncited", "mismatched"]
    quote: Words
    problem: Words

    @property
    def quotes(self) -> dict[str, str]:
        """The passage that shows it, by the name of its field."""
        return {"quote": self.quote}


class Inconsistencies(Reply):
    """Everything in a report that does not agree with itself; `[]` if all does."""

    issues: list[Inconsistency]


class UnsourcedClaims(Reply):
    """All claims of a report that lack a fitting citation; `[]` if none does."""

    issues: list[UnsourcedClaim]


Issue = Inconsistency | UnsourcedClaim
Issues = Inconsistencies | UnsourcedClaims


MOST_ISSUES: Final = 200
"""Issues that are listed; the score falls no further long before."""

FEWEST_WORDS: Final = 4
"""Words of a sentence that says something by itself."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def contradictions_by_rule(text: str) -> Inconsistencies:
    """The floor: sentences of a report that are the same but for their numbers."""
    report = readable(text)
    first: dict[str, Statement] = {}
    issues = []
    for each in report.statements:
        numbers = _NUMBER.findall(each.text)
        if each.kind == "cell" or not numbers or len(words_of(each.text)) < FEWEST_WORDS:
            continue
        known = first.setdefault(_NUMBER.sub("#", wording(each.text)), each)
        if numbers != _NUMBER.findall(known.text):
            issues.append(
                Inconsistency(
                    kind="contradiction",
                    quote=known.span.of(report.text),
                    other_quote=each.span.of(report.text),
                    problem="By rule: the same words with other numbers.",
                )
            )
    return Inconsistencies(issues=issues[:MOST_ISSUES])


def uncited_by_rule(text: str) -> UnsourcedClaims:
    """The floor: paragraphs, list items and table rows with a number and without a citation."""
    report = readable(text)
    attributed = {each.statement.span for each in attributions(report)}
    issues = []
    for passage in _passages(report):
        claims = [each for each in passage if _NUMBER.search(each.text)]
        cited = any(each.citations or each.span in attributed for each in passage)
        if claims and not cited and len(words_of(claims[0].text)) >= FEWEST_WORDS:
            issues.append(
                UnsourcedClaim(
                    kind="uncited",
                    quote=claims[0].span.of(report.text),
                    problem="By rule: a number, and no citation beside it.",
                )
            )
    return UnsourcedClaims(issues=issues[:MOST_ISSUES])


def _passages(report: Report) -> list[list[Statement]]:
    """The statements of each block, those of a table by their lines."""
    found: defaultdict[tuple[int, int], list[Statement]] = defaultdict(list)
    block = -1
    for each in report.statements:
        start = each.span.start
        while block + 1 < len(report.blocks) and report.blocks[block + 1].span.start <= start:
            block += 1
        row = report.lines.place(start)[0] if each.kind == "cell" else 0
        found[block, row].append(each)
    return list(found.values())


_NAMED = 8
"""Problems of an answer that are named to the model at once."""

_PROBLEMS: Final[Mapping[Language, tuple[Sequence[str], str, str]]] = {
    "en": (
        (
            "these do not stand in the report; copy the passage word for word, without leaving "
            "anything out, or drop the issue if there is no such passage",
            "a contradiction needs other_quote too, which is empty here",
            "quote and other_quote are one and the same passage",
        ),
        "{field} of issue {number}",
        "issue {number}",
    ),
    "zh": (
        (
            "报告中找不到下列引文；请逐字照抄，不要省略；如果没有这样的段落，请去掉这个问题",
            "矛盾还需要 other_quote，这里是空的",
            "quote 与 other_quote 是同一段落",
        ),
        "第 {number} 个问题的 {field}",
        "第 {number} 个问题",
    ),
}
"""What is said of quotes, and how a quote and an issue are named."""


def doubts_of_issues(inputs: ReportAndQuery, answer: Issues) -> str:
    """What is wrong with quotes: some do not stand in the report, or a contradiction has one.

    An issue counts without its quotes too; where it stands is not known then.
    """
    told, quote_of, issue_of = _PROBLEMS[inputs.language]
    absent, alone, same = [], [], []
    issues: Sequence[Issue] = answer.issues
    for number, issue in enumerate(issues, start=1):
        spans = {field: quote_span(inputs.report, quote) for field, quote in issue.quotes.items()}
        lost = [
            quote_of.format(number=number, field=field)
            for field, span in spans.items()
            if span is None
        ]
        absent += lost
        if issue.kind == "contradiction" and len(spans) < 2:
            alone.append(issue_of.format(number=number))
        elif not lost and len(set(spans.values())) < len(spans):
            same.append(issue_of.format(number=number))
    problems = zip((absent, alone, same), told, strict=True)
    return "; ".join(f"{problem}: {_named(where)}" for where, problem in problems if where)


def _named(where: Sequence[str]) -> str:
    more = f" and {len(where) - _NAMED} more" if len(where) > _NAMED else ""
    return ", ".join(where[:_NAMED]) + more


FIND_INCONSISTENCIES: Final = Operation(
    "consistency/find_issues",
    prompts=PROMPTS,
    takes=ReportAndQuery,
    gives=Inconsistencies,
    offline=lambda inputs: contradictions_by_rule(inputs.report),
    quotes=doubts_of_issues,
    version=2,
    rule=2,
    expected=for_each(ISSUE + QUOTE * ISSUES),
)


FIND_UNSOURCED_CLAIMS: Final = Operation(
    "citation_association/find_issues",
    prompts=PROMPTS,
    takes=ReportAndQuery,
    gives=UnsourcedClaims,
    offline=lambda inputs: uncited_by_rule(inputs.report),
    quotes=doubts_of_issues,
    version=2,
    rule=2,
    expected=for_each(ISSUE),
)
