"""What edition ours may do beyond the paper, and what its research has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from deepassay.models.prompt import Language
from deepassay.wings.research.deerflow.context import PromptPart, truncated
from deepassay.wings.research.deerflow.evidence import (
    EvidenceStore,
    QuotedEvidence,
    ResearchQuestion,
)
from deepassay.wings.research.deerflow.gaps import ledger_line

_SHORT: Final = 80


@dataclass(frozen=True)
class Switches:
    """What edition ours has beyond the paper; each may be switched off."""

    ledger: bool = True
    outline: bool = True
    sections: bool = True
    check: bool = True
    summaries: bool = False
    patches: bool = True
    contradictions: bool = True
    forms: bool = True


@dataclass
class Findings:
    """What research has found. answered, unanswerable: identifiers of questions.

    lost: quotes of models that stand on no page. ending: why research ended. by_rule: nobody could
    be asked any more, and the rules alone read.
    """

    prompt: str
    language: Language
    day: str
    must_cover: list[str] = field(default_factory=list)
    questions: list[ResearchQuestion] = field(default_factory=list)
    store: EvidenceStore = field(default_factory=EvidenceStore)
    answered: set[str] = field(default_factory=set)
    unanswerable: set[str] = field(default_factory=set)
    contradictions: list[tuple[str, str]] = field(default_factory=list)
    lost: int = 0
    ending: str = ""
    by_rule: bool = False

    @property
    def open(self) -> list[ResearchQuestion]:
        """Questions that are still to be answered, the important ones first."""
        ended = self.answered | self.unanswerable
        left = [each for each in self.questions if each.id not in ended]
        return sorted(left, key=lambda each: -each.importance)

    def numbers(self, evidence: QuotedEvidence) -> list[int]:
        """The numbers, from 1, of the questions that a quote bears on."""
        asked = enumerate(self.questions, start=1)
        return [number for number, each in asked if each.id in evidence.questions]

    def items(
        self, evidence: Sequence[QuotedEvidence], forms: bool, *, asked: bool
    ) -> list[PromptPart]:
        """Quotes as items of a prompt: in full, then their beginning, then not at all.

        forms: False cuts them like any other text. asked: with the numbers of their questions.
        """
        found = []
        for each in evidence:
            lines = [each.line(), each.line(_SHORT)]
            if asked:
                lines = [ledger_line(line, self.numbers(each)) for line in lines]
            several = (*lines, "") if forms else truncated(lines[0], _SHORT)
            found.append(PromptPart(each.id, several, each.importance, each.turn))
        return found
