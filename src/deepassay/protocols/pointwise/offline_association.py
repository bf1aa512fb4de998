"""Claims without a source, found without a model.

A baseline, and plainly so. A claim needs a source if it gives a quantity, a year, or what someone
found, said or did; a paragraph, list item, table row or cell in which such a claim has none is one
issue. What the report says of itself, and what a sourced statement says elsewhere in it, needs
none. In a report without any citation every claim needs one. Whether a source fits its claim is
left to a judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from deepassay.protocols.fact.claims import content_words, is_claim
from deepassay.protocols.pointwise.issues import UnsourcedClaim, UnsourcedClaims
from deepassay.protocols.pointwise.measures import Measure, measures
from deepassay.protocols.pointwise.placing import Placed, placed
from deepassay.protocols.pointwise.resemblance import Resemblance, Said
from deepassay.reports.attribution import attributions
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.reports.statements import Statement, sentences_with_citations

RESTATED: Final = 0.5
"""Weight of a claim's words that a sourced statement must hold to have said it already."""

LONGEST: Final = 1_000
"""Characters of a statement that is sought elsewhere, or found there."""

FEWEST_WORDS: Final = 4
"""Content words of a claim that needs a source; `As of 31 August 2025.` has fewer."""

MOST_ISSUES: Final = 200
"""Claims that are listed; the score falls no further long before."""

_HEADS_OWN_MATTERS = re.compile(
    r"\b(?:scope|method(?:s|ology|ological)?|definitions?|assumptions?|limitations?|gaps|scoring|"
    r"(?:inclusion|exclusion|selection|ranking) criteria|how to (?:read|use)|next steps|work ?plan|"
    r"deliverables?|delivery (?:plan|timeline)|clarifications?|data model|schema|output format|"
    r"normali[sz]ation|formulas?|requested|requirements restated|follow-ups|checklists?|templates?|"
    r"reproducib\w{1,5}|(?:will|to) be|(?:is|are|what['’]s) (?:needed|missing|required)|glossary|"
    r"abbreviations|table of contents|(?:forecasting|research|and) approach|recommend\w{0,8})\b|"
    r"研究(?:范围|方法|局限|不足|计划)|"
    r"(?:报告|评价|评估|统计)(?:范围|方法|口径)|(?:概念|术语)(?:界定|定义|表)|(?:纳入|评分)标准|"
    r"局限|下一步|目录|缩写|建议",
    re.IGNORECASE,
)
"""A heading under which a report speaks of itself, or of what to do."""

_OWN_MATTER = re.compile(
    r"\bunknown\b|\b(?:is|are|was|were) (?:in|ex)cluded\b|\bpending\b|\bout of scope\b|"
    r"\bthe brief\b|\bnot (?:publicly|independently) \w{4,12}\b|"
    r"\bno\b[^.;]{1,120}\b(?:were|was) (?:identified|captured|found|verified)\b|"
    r"\b(?:this|the present) (?:report|review|list|pass)\b|\bwill be "
    r"(?:collect|compil|comput|convert|document|fix|label|list|normali[sz]|report)\w{1,3}\b|"
    r"\A(?:recommendation|goal|objective|next step|note)s?\s?[:：]|"
    r"\A(?:collect|compute|confirm|exclude|identify|include|prefer|retrieve|use|verify)\s|"
    r"未予?纳入|不在.{0,6}范围|本(?:报告|文|研究)|\A建议",
    re.IGNORECASE,
)
"""What a report says of itself, of what it did not find, and of what is to be done."""

_TOLD = re.compile(
    r"\b(?:found|finds|show(?:s|ed|n)|report(?:s|ed)|according to|stud(?:y|ies)|surve(?:ys?|yed)|"
    r"trials?|reveal(?:s|ed)|demonstrat(?:es|ed)|announced|launched|acquired|estimate[sd]?|"
    r"ranked|confirmed|stated|argue[sd]?|conclude[sd]|published|meta-analys[ei]s)\b|"
    r"研究|调查|显示|表明|发现|指出|宣布|发布|据|认为|收购|推出",
    re.IGNORECASE,
)
"""What someone found, said or did."""

_POINT = re.compile(r"[•●▪]\s|<br\s?/?>|(?<=\s)[-–]\s(?=[A-Z])")
"""Where a cell goes on to another point."""


class Passage(NamedTuple):
    """A paragraph, list item, table row or cell: what it says, and whether all of it is covered."""

    statements: Sequence[Statement]
    covered: bool = False


def uncited_by_rule(report: Report) -> UnsourcedClaims:
    """One issue for each passage of a report with a claim that has no source. Deterministic.

    Their number does not depend on the order of the sections.
    """
    attributed = {each.statement.span for each in attributions(report)}
    needs = _needs_source if report.citations or attributed else is_claim
    passages = list(_passages(report))
    told = _Told([each for one in passages for each in one.statements if each.citations])
    issues = []
    for passage in passages:
        unsourced = [
            each
            for each in passage.statements
            if not (passage.covered or each.citations or each.span in attributed)
            and needs(each)
            and not told.elsewhere(each)
        ]
        if unsourced:
            claim = max(unsourced, key=lambda each: len(each.text))
            issues.append(_issue(report, claim, len(unsourced)))
    return UnsourcedClaims(issues=issues[:MOST_ISSUES])


def _issue(report: Report, claim: Statement, claims: int) -> UnsourcedClaim:
    others = f"; nor have {claims - 1} more beside it" if claims > 1 else ""
    return UnsourcedClaim(
        kind="uncited",
        quote=claim.span.of(report.text),
        problem=f"By rule: the claim has no citation{others}.",
    )


def _needs_source(statement: Statement) -> bool:
    """Whether a statement claims a quantity, a year or a finding, and not of the report itself."""
    if (
        _OWN_MATTER.search(statement.text)
        or not is_claim(statement)
        or len(content_words(statement.text)) < FEWEST_WORDS
    ):
        return False
    if _TOLD.search(statement.text):
        return True
    said = Said(statement.text)
    return bool(said.years) or any(measure.figure.unit for measure in measures(said))


def _passages(report: Report) -> Iterator[Passage]:
    """The passages of the body; those of own matters and those that lead up to a list are covered.

    A row is covered by a citation in any of its cells; a cell that has some is a passage itself.
    """
    skipped = _skipped(report)

    def place(each: Placed) -> tuple[int, int]:
        """The number of its block, and the line of its row if it is a cell."""
        cell = each.statement.kind == "cell"
        return each.block, report.lines.place(each.statement.span.start)[0] if cell else 0

    for (block, row), group in groupby(placed(report), place):
        statements = [each.statement for each in group]
        if not row:
            yield Passage(statements, skipped[block])
            continue
        cited = [each for each in statements if _is_cited_itself(each)]
        others = [each for each in statements if not _is_cited_itself(each)]
        yield Passage(others, skipped[block] or bool(cited))
        for cell in cited:
            yield Passage([*_points(report.text, cell)], skipped[block])


def _is_cited_itself(cell: Statement) -> bool:
    return bool(cell.citations) and not cell.inherited


def _points(text: str, cell: Statement) -> Iterator[Statement]:
    """The sentences of a cell, point by point where it is a list, with their citations."""
    cuts = [found.start() for found in _POINT.finditer(text, *cell.span)]
    citations = list(cell.citations)
    at = 0
    for start, end in pairwise([cell.span.start, *cuts, cell.span.end]):
        first = at
        while at < len(citations) and citations[at].citation.span.start < end:
            at += 1
        if start < end:
            yield from sentences_with_citations(text, Span(start, end), citations[first:at])


def _skipped(report: Report) -> list[bool]:
    """For each block, whether it stands under a heading of own matters, or leads up to a list.

    The title of the whole report heads nothing.
    """
    levels = Counter(block.level for block in report.blocks if block.kind == "heading")
    title = min(levels, default=0)
    if levels[title] > 1:
        title = 0
    skipped: list[bool] = []
    own = 0
    for block, following in pairwise([*report.blocks, None]):
        assert block is not None, "only the one that follows the last is none"
        if block.kind == "heading" and block.level != title and (not own or block.level <= own):
            named = _HEADS_OWN_MATTERS.search(block.span.of(report.text))
            own = block.level if named else 0
        leads = following is not None and following.item and following.depth > block.depth
        skipped.append(own > 0 or leads)
    return skipped


class _Told:
    """What a report says with a source, to be found again where it says it without."""

    def __init__(self, sourced: Sequence[Statement]) -> None:
        self._said = [Said(each.text) for each in sourced if len(each.text) <= LONGEST]
        self._resemblance = Resemblance(self._said)

    def elsewhere(self, claim: Statement) -> bool:
        """Whether one sourced statement has most words and all numbers of a claim."""
        if len(claim.text) > LONGEST:
            return False
        said = Said(claim.text)
        numbers = list(measures(said))
        return any(
            said.years <= other.years
            and self._resemblance.share(said.words, other.words) >= RESTATED
            and all(_given(number, other) for number in numbers)
            for other in map(self._said.__getitem__, self._resemblance.near(said.words))
        )


def _given(number: Measure, said: Said) -> bool:
    return any(number.alike(other) and not number.excludes(other) for other in measures(said))
