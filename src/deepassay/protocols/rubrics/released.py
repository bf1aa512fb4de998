"""Rubrics as the authors' released programs grade them: edition `code`.

One call a criterion. The judge is not told the request; it is told title, category and the signed
weight, which may sway it. Long reports are read in chunks that do not overlap, one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple

from deepassay.models.ask import Answer, Asker
from deepassay.models.operation import Inputs, Operation, Trusted
from deepassay.protocols.expected import GRADE, ITEM_PASSAGE, REASON, for_each
from deepassay.protocols.protocol import PROMPTS, Case, gather_limited
from deepassay.protocols.rubrics.criteria import Scale, verdict_by_rule
from deepassay.protocols.rubrics.released_grades import (
    Grade,
    RawEvidence,
    RawGrade,
    grade_of,
    merit_by_verdict,
    read_evidence,
    read_grade,
    released_score,
)
from deepassay.score import Cause, Json, Score, Unscored, canonical_json
from deepassay.tasks.yardsticks import Criterion

CHUNK: Final = 400_000
"""Characters that a chunk stays below: what the program takes for 100,000 tokens."""

MOST_TOKENS: Final = 150_000
"""What it shows a judge at once: a context of 200,000 tokens less 50,000 for the answer."""


def needs_chunks(report: str) -> bool:
    """Whether the program divides a report; it takes four characters for a token."""
    return len(report) // 4 > MOST_TOKENS


def chunks_of(report: str) -> list[str]:
    """The report cut at blank lines, as few pieces as go in order; a long paragraph stays whole.

    Blanks at the ends of a piece are taken off.
    """
    chunks: list[list[str]] = [[]]
    length = 0
    for paragraph in report.split("\n\n"):
        longer = length + len("\n\n") + len(paragraph)
        if chunks[-1] and longer >= CHUNK:
            chunks.append([])
        length = longer if chunks[-1] else len(paragraph)
        chunks[-1].append(paragraph)
    return ["\n\n".join(each).strip() for each in chunks]


MENUS: Final[Mapping[Scale, str]] = {
    "ternary": '"Satisfied" = 1.0, "Partially Satisfied" = 0.5, "Not Satisfied" = 0.0',
    "binary": '"Satisfied" = 1.0, "Not Satisfied" = 0.0',
}
"""The verdicts to choose from, each with its score, as the prompts show them."""


class Titled(Inputs):
    """What a question says of a criterion. weight: signed."""

    title: str
    category: str
    weight: float


class ReportAndTitle(Titled):
    """A whole report, and the menu."""

    report: str
    menu: Annotated[str, Trusted]


class ChunkAndTitle(Titled):
    """One chunk of a report, and whether others were read before."""

    chunk: str
    number: int
    chunks: int


class EvidenceAndTitle(Titled):
    """What was found in all chunks, and the menu."""

    evidence: tuple[str, ...]
    menu: Annotated[str, Trusted]


def _grade_by_rule(report: str, criterion: str, menu: str) -> RawGrade:
    said = verdict_by_rule(report, criterion)
    verdict = said.verdict if f'"{said.verdict}"' in menu else "Not Satisfied"
    answer: Json = {
        "verdict": verdict,
        "score": merit_by_verdict(verdict, "ternary"),
        "confidence": 0.5,
        "reasoning": said.reason,
        "evidence_quotes": said.quotes,
        "missing_elements": [],
    }
    return RawGrade(answer)


def _evidence_by_rule(inputs: ChunkAndTitle) -> RawEvidence:
    said = verdict_by_rule(inputs.chunk, inputs.title)
    answer: Json = {
        "relevant_evidence": said.quotes,
        "satisfaction": said.verdict == "Satisfied",
        "confidence_for_chunk": 0.5,
        "notes": said.reason,
    }
    return RawEvidence(answer)


JUDGE_AS_RELEASED: Final = Operation(
    "rubrics/judge_as_released",
    prompts=PROMPTS,
    takes=ReportAndTitle,
    gives=RawGrade,
    offline=lambda inputs: _grade_by_rule(inputs.report, inputs.title, inputs.menu),
    reading=read_grade,
    rule=2,
    expected=for_each(GRADE + REASON),
)

GATHER_AS_RELEASED: Final = Operation(
    "rubrics/gather_as_released",
    prompts=PROMPTS,
    takes=ChunkAndTitle,
    gives=RawEvidence,
    offline=_evidence_by_rule,
    reading=read_evidence,
    version=2,  # reports are divided elsewhere than by version 1
    rule=2,
    expected=for_each(
        ITEM_PASSAGE + REASON,
        simulated=lambda inputs, rate: {"relevant_evidence": [inputs.chunk[:200]]},
    ),
)

DECIDE_AS_RELEASED: Final = Operation(
    "rubrics/decide_as_released",
    prompts=PROMPTS,
    takes=EvidenceAndTitle,
    gives=RawGrade,
    offline=lambda inputs: _grade_by_rule("\n\n".join(inputs.evidence), inputs.title, inputs.menu),
    reading=read_grade,
    rule=2,
    expected=for_each(GRADE + REASON),
)

OPERATIONS: Final[tuple[Operation[Any, Any], ...]] = (
    JUDGE_AS_RELEASED,
    GATHER_AS_RELEASED,
    DECIDE_AS_RELEASED,
)


class _Row(NamedTuple):
    """The row of one criterion. cause: why the call came to nothing, where it did."""

    grade: Grade
    cause: Cause | None


async def score(case: Case, ask: Asker, scale: Scale) -> Score | Unscored:
    """Grade every criterion on its own, and count as the program does."""
    chunks = chunks_of(case.report.text) if needs_chunks(case.report.text) else []
    rows = await gather_limited(
        _row(case, criterion, ask, scale, chunks) for criterion in case.task.rubric
    )
    for row in rows:
        if row.cause is Cause.BUDGET:  # no outcome yet: a larger budget goes on from here
            return Unscored(Cause.BUDGET, str(row.grade.reasoning))
    return released_score(
        case.task.rubric,
        [row.grade for row in rows],
        [row.cause for row in rows],
        scale,
        chunked=bool(chunks),
    )


async def _row(
    case: Case, criterion: Criterion, ask: Asker, scale: Scale, chunks: Sequence[str]
) -> _Row:
    titled: dict[str, Any] = {
        "language": case.task.language,
        "title": criterion.criterion,
        "category": criterion.axis,
        "weight": criterion.weight,
    }
    answer: Answer[RawGrade] | Unscored
    if chunks:
        evidence = await _evidence(titled, chunks, ask, case.repeat)
        if isinstance(evidence, Unscored):
            return _failed(evidence)
        found = EvidenceAndTitle(**titled, evidence=tuple(evidence), menu=MENUS[scale])
        answer = await ask(DECIDE_AS_RELEASED, found, repeat=case.repeat)
    else:
        whole = ReportAndTitle(**titled, report=case.report.text, menu=MENUS[scale])
        answer = await ask(JUDGE_AS_RELEASED, whole, repeat=case.repeat)
    return (
        _failed(answer) if isinstance(answer, Unscored) else _Row(grade_of(answer.value.root), None)
    )


def _failed(failure: Unscored) -> _Row:
    return _Row(Grade.failed(failure.detail), failure.cause)


async def _evidence(
    titled: Mapping[str, Any], chunks: Sequence[str], ask: Asker, repeat: int
) -> list[str] | Unscored:
    """The evidence of all chunks; the next one is asked about when the one before is answered."""
    evidence: list[str] = []
    for number, chunk in enumerate(chunks, start=1):
        inputs = ChunkAndTitle(**titled, chunk=chunk, number=number, chunks=len(chunks))
        answer = await ask(GATHER_AS_RELEASED, inputs, repeat=repeat)
        if isinstance(answer, Unscored):
            return answer
        evidence += [
            each if isinstance(each, str) else canonical_json(each)
            for each in answer.value.root["relevant_evidence"]
        ]
    return evidence
