"""Two reports side by side: their scores, then the criteria on which one lost more, and the texts.

Of two reports of one agent in two runs this is what changed, and of one text that two judges saw
it is where they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final, NamedTuple

from deepassay.results.tables import NONE, in_range
from deepassay.score import Score, digest
from deepassay.wings.view.findings import ReadFinding, ReadJudgement
from deepassay.wings.view.reading import ReadReport

ALONE: Final = 30
"""Items that are shown of those to which one report alone was held."""

MOST_LINES: Final = 80
"""Paragraphs that are shown of what is other in two texts."""

LONGEST: Final = 4_000
"""Paragraphs of a text up to which two are compared."""


class ScorePair(NamedTuple):
    """A protocol with both scores. difference: of the second less the first, if both have one."""

    title: str
    first: str
    second: str
    difference: str
    better: int
    judges: tuple[str, str]


class FindingPair(NamedTuple):
    """A criterion that both reports were held to. better: 1 or 2, who lost less; 0 neither."""

    first: ReadFinding
    second: ReadFinding
    better: int


class TextChange(NamedTuple):
    """Paragraphs that one text has in place of those of the other."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class ReportPair:
    """Two reports for one task."""

    first: ReadReport
    second: ReadReport

    @property
    def same_text(self) -> bool:
        """Whether both are one text, which two judges or two times saw."""
        return digest(self.first.text.text) == digest(self.second.text.text)

    @cached_property
    def scores(self) -> list[ScorePair]:
        """Both scores by each protocol that either was judged by."""
        found = []
        for one, other in self._judgements:
            shown = one or other
            assert shown is not None
            told = tuple(each.value if each and each.scored else NONE for each in (one, other))
            judges = one.by if one else "", other.by if other else ""
            values = [_value(each) for each in (one, other)]
            gap, better = "", 0
            if values[0] is not None and values[1] is not None:
                difference = values[1] - values[0]
                outcome = shown.record.outcome
                limits = outcome.bounds if isinstance(outcome, Score) else None
                gap = ("+" if difference > 0 else "") + in_range(difference, limits)
                better = 0 if not difference else 2 if difference > 0 else 1
            repeat = f" ({shown.record.repeat + 1})" if shown.record.repeat else ""
            name = shown.title + repeat
            found.append(ScorePair(name, told[0], told[1], gap, better, judges))
        return found

    @cached_property
    def _judgements(self) -> list[tuple[ReadJudgement | None, ReadJudgement | None]]:
        sides = [
            {(each.record.protocol, each.record.repeat): each for each in report.judgements}
            for report in (self.first, self.second)
        ]
        return [
            (sides[0].get(key), sides[1].get(key)) for key in dict.fromkeys(sides[0] | sides[1])
        ]

    @cached_property
    def criteria(self) -> list[FindingPair]:
        """Items that both have and of which they were not found the same, most points first."""
        found = []
        for one, other in self._judgements:
            if one is None or other is None:
                continue
            theirs = {(each.key, each.said): each for each in other.findings}
            for each in one.findings:
                match = theirs.get((each.key, each.said))
                if match and (each.verdict != match.verdict or each.cost != match.cost):
                    gap = each.share - match.share
                    better = 0 if abs(gap) < 1e-9 else 2 if gap > 0 else 1
                    found.append(FindingPair(each, match, better))
        return sorted(found, key=lambda pair: -abs(pair.first.share - pair.second.share))

    def alone(self, side: int) -> list[ReadFinding]:
        """What cost one of the reports something and is no criterion of the other, as a claim."""
        own, other = (self.first, self.second) if side == 1 else (self.second, self.first)
        there = {(each.protocol, each.key, each.said) for each in other.findings}
        found = [
            each
            for each in own.findings
            if each.share > 0 and (each.protocol, each.key, each.said) not in there
        ]
        return sorted(found, key=lambda each: -each.share)[:ALONE]

    @cached_property
    def changes(self) -> list[TextChange]:
        """Paragraphs that are other, where both texts are of one agent."""
        if self.first.at.agent != self.second.at.agent or self.same_text:
            return []
        before, after = (
            [line for line in each.text.text.splitlines() if line.strip()]
            for each in (self.first, self.second)
        )
        if max(len(before), len(after)) > LONGEST:
            return []
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        return [
            TextChange(tuple(before[a:b]), tuple(after[c:d]))
            for kind, a, b, c, d in matcher.get_opcodes()
            if kind != "equal"
        ][:MOST_LINES]


def _value(judgement: ReadJudgement | None) -> float | None:
    outcome = judgement.record.outcome if judgement else None
    return outcome.value if isinstance(outcome, Score) else None


def tags(pair: ReportPair) -> Sequence[str]:
    """What both reports do not share, in words."""
    found = []
    if not pair.same_text:
        found.append("other text")
    judges = {(each.by, other.by) for each, other in pair._judgements if each and other}
    if any(one != other for one, other in judges):
        found.append("other judge")
    against = (
        "reference" in each.record.signature.identity
        for both in pair._judgements
        for each in both
        if each
    )
    if pair.first.reference != pair.second.reference and any(against):
        found.append("other reference")
    return found
