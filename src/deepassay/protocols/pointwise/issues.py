"""Issues of a report, each with the words that show it, and what their number leaves of 100.

LiveResearchBench finds faults of consistency and of citation in the same way (appendix A.2 and
A.5): the judge lists them, their number decides the score (Tables 3 and 5, one table of steps).
Here every issue quotes the report; a quote that is not found costs the issue its place, and the
record says how many have none. The paper lets users weigh errors otherwise, so the table is an
option of the protocols, written

    0:100,2:90,4:80,6:70,8:60,10:50,12:40,14:30,17:20,more:10

as a list of steps: with no issue 100, with up to two 90, …, with more than seventeen 10.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from pydantic import StringConstraints

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation, Reply
from deepassay.models.prompt import Language
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.entries import quote_span
from deepassay.protocols.expected import ISSUE, ISSUES, QUOTE, for_each
from deepassay.protocols.overlap import readable, wording, words_of
from deepassay.protocols.protocol import PROMPTS
from deepassay.reports.attribution import attributions
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.reports.statements import Statement
from deepassay.text import first_few

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
    for passage in _by_block(report):
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


def _by_block(report: Report) -> list[list[Statement]]:
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
    return "; ".join(
        f"{problem}: {first_few(where, _NAMED)}" for where, problem in problems if where
    )


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


def distinct(report: str, issues: Sequence[Issue]) -> list[Issue]:
    """The issues in their order, those that point to the same passages once.

    Of issues without a passage those are one that quote the same words.
    """
    first: dict[frozenset[Span | str], Issue] = {}
    for issue in issues:
        first.setdefault(frozenset(passages_of(report, issue) or issue.quotes.values()), issue)
    return list(first.values())


def passages_of(report: str, issue: Issue) -> list[Span]:
    """Where those quotes of an issue stand that are found."""
    found = (quote_span(report, quote) for quote in issue.quotes.values())
    return [span for span in found if span is not None]


BOUNDS: Final = (0.0, 100.0)
PUBLISHED: Final = "0:100,2:90,4:80,6:70,8:60,10:50,12:40,14:30,17:20,more:10"
"""Table 3 and Table 5, which have the same steps."""

_STEP: Final = re.compile(r"([0-9]{1,6}|more):([0-9]{1,3}(?:\.[0-9]{1,6})?)")


@dataclass(frozen=True)
class Penalties:
    """A table of steps.

    upto: the largest number of issues of each step but the last, rising. scores: what each step
    scores, 0 to 100, never rising; one more than `upto`, for whatever lies beyond.
    """

    upto: tuple[int, ...]
    scores: tuple[float, ...]

    @classmethod
    def read(cls, text: str) -> Self:
        """A table as it is written above, blanks aside. Raises BadSetting."""
        steps = [_STEP.fullmatch("".join(step.split())) for step in text.split(",")]
        found = [(step[1], float(step[2])) for step in steps if step is not None]
        if len(found) < len(steps):
            raise _bad(text, "a step is not written as `2:90` or `more:10`")
        *numbered, (last, _) = found
        if last != "more" or any(count == "more" for count, _ in numbered):
            raise _bad(text, "`more` must stand in the last step and in no other")
        upto, scores = tuple(int(count) for count, _ in numbered), tuple(each for _, each in found)
        if any(count >= later for count, later in pairwise(upto)):
            raise _bad(text, "the numbers of issues must rise from step to step")
        if any(score < later for score, later in pairwise(scores)):
            raise _bad(text, "a score may not rise with the number of issues")
        if scores[0] > BOUNDS[1]:
            raise _bad(text, "a score lies between 0 and 100")
        return cls(upto, scores)

    def score(self, issues: int) -> float:
        """What so many issues leave of 100."""
        return self.scores[bisect_left(self.upto, issues)]

    def __str__(self) -> str:
        """The table written as `read` takes it."""
        counts = [*map(str, self.upto), "more"]
        pairs = zip(counts, self.scores, strict=True)
        return ",".join(f"{count}:{score:.10g}" for count, score in pairs)


table: Final = lru_cache(maxsize=8)(Penalties.read)
"""The table that a text stands for, read once."""


def _bad(text: str, problem: str) -> BadSetting:
    return BadSetting(
        f"penalties={text[:200]!r}: {problem}.",
        f"Write the steps as in penalties='{PUBLISHED}': number of issues at most, and score.",
    )
