"""ResearchRubrics by other code: equation 1 in fractions, and both released programs."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from random import Random
from typing import Any

from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.entries import JudgedEntry, Judgement
from deepassay.protocols.rubrics.criteria import JUDGE_CRITERIA, CriteriaOnReport
from deepassay.protocols.rubrics.protocol import judgement_of, on_scale
from deepassay.protocols.rubrics.released import JUDGE_AS_RELEASED, ReportAndTitle, chunks_of
from deepassay.protocols.rubrics.released_grades import Grade, grade_of, released_score
from deepassay.protocols.rubrics.scoring import paper_score
from deepassay.reports.report import Report
from deepassay.score import Cause, Score
from deepassay.tasks.yardsticks import Criterion
from tests.differential.comparing import STOPS, Comparison
from tests.differential.writing import PIECES, analysis, mangled, style, wrapped

VERDICTS = {
    "Satisfied": Fraction(1),
    "Partially Satisfied": Fraction(1, 2),
    "Not Satisfied": Fraction(0),
}
REPORT = Report(
    'The grid “stored” 3.5 GW in 2023. 电网储能达到3.5吉瓦。 Prices rose; "insight" was thin.'
)
QUOTES = ("stored” 3.5 GW", "电网储能达到3.5吉瓦。", '"insight" was thin')


def rubric(chance: Random) -> list[Criterion]:
    """Merits and faults, at least one of them a merit."""
    weights = [
        chance.choice([-5, -4, -2, -1, 1, 2, 3, 4, 5, 2.5]) for _ in range(chance.randint(0, 7))
    ]
    return [
        Criterion(id=f"c{number}", criterion=f"{number} {chance.choice(PIECES)}", weight=weight,
                  axis=chance.choice(["Explicit", "隐含", ""]))
        for number, weight in enumerate([chance.randint(1, 5), *weights])
    ]  # fmt: skip


# ------------------------------------------------------------------ edition paper


def paper(chance: Random) -> Comparison:
    """Verdicts, one question each, spelled and wrapped anyhow; some calls fail."""
    scale = chance.choice(["ternary", "binary"])
    lines, known, raws = [], [], []
    for criterion in rubric(chance):
        verdict = chance.choice([*VERDICTS])
        judgement, failed = _judged(chance, criterion, verdict, raws)
        lines.append(JudgedEntry(criterion, on_scale(judgement, scale)))
        merit = Fraction(int(verdict == "Satisfied")) if scale == "binary" else VERDICTS[verdict]
        known.append((Fraction(criterion.weight), None if failed else merit))
    outcome = paper_score(lines)
    ours = outcome.value if isinstance(outcome, Score) else None
    ends = [outcome.details["low"], outcome.details["high"]]
    return Comparison((scale, raws), [ours, *ends], _equation_1(known))


def _judged(
    chance: Random, criterion: Criterion, verdict: str, raws: list[str]
) -> tuple[Judgement, bool]:
    """What ours reads, and whether it may be open."""
    asked = CriteriaOnReport(
        language="en", report=REPORT.text, query="q", criteria=(criterion.criterion,)
    )
    said = {
        "reason": analysis(chance),
        "verdict": verdict,
        "quotes": chance.sample(QUOTES, chance.randint(0, 2)),
    }
    written = style(chance, broken=0.2)
    raws.append(wrapped(written.spell({"verdicts": {"r1": said}}), chance))
    if chance.random() < 0.1:
        return Judgement(None, "too late", cause=Cause.TIMEOUT), True
    try:
        found = read_reply(JUDGE_CRITERIA, asked, raws[-1]).value.verdicts["r1"]
    except Unreadable:
        assert written.broken, raws[-1]
        return Judgement(None, "no JSON", cause=Cause.ANSWER_UNREADABLE), True
    return judgement_of(found, REPORT), False


def _equation_1(known: list[tuple[Fraction, Fraction | None]]) -> Any:
    """Open criteria count as the decided ones of their sign; the ends are all against, and for."""
    possible = sum(weight for weight, _ in known if weight > 0)
    shares: dict[bool, Fraction | None] = {}
    for sign in (True, False):
        own = [(weight, merit) for weight, merit in known if (weight > 0) is sign]
        decided = [(weight, merit) for weight, merit in own if merit is not None]
        weight = sum((weight for weight, _ in decided), Fraction(0))
        met = sum((weight * merit for weight, merit in decided), Fraction(0))
        shares[sign] = met / weight if decided else None if own else Fraction(0)

    def score(otherwise: Any) -> float:
        earned = sum(w * (otherwise(w) if m is None else m) for w, m in known)
        return float(earned / possible)

    ends = [score(lambda w: int(w < 0)), score(lambda w: int(w > 0))]
    if None in shares.values():
        return [None, *ends]
    return [score(lambda w: shares[w > 0]), *ends]


# ------------------------------------------------------------------ edition code


def code(chance: Random) -> Comparison:
    """Grades of either released program, from raw answers of any kind."""
    scale = chance.choice(["ternary", "binary"])
    criteria = rubric(chance)
    raws = [_grade(chance) for _ in criteria]
    grades, causes = [], []
    for criterion, raw in zip(criteria, raws, strict=True):
        asked = ReportAndTitle(
            language="en", title=criterion.criterion, category="", weight=criterion.weight,
            report="r", menu="m",
        )  # fmt: skip
        try:
            grades.append(grade_of(read_reply(JUDGE_AS_RELEASED, asked, raw).value.root))
            causes.append(None)
        except Unreadable as problem:
            grades.append(Grade.failed(str(problem)))
            causes.append(Cause.ANSWER_UNREADABLE)
    outcome = released_score(criteria, grades, causes, scale)
    ours = outcome.value if isinstance(outcome, Score) else STOPS
    weights = [criterion.weight for criterion in criteria]
    return Comparison((scale, weights, raws), ours, _program(scale, weights, raws))


def _grade(chance: Random) -> str:
    verdict = chance.choice([*VERDICTS] * 6 + ["satisfied", "", None, ["Satisfied"], 1])
    number = chance.choice(
        [1.0, 0.0, 0.5, 1, 0] * 6 + ["1", " 0.5 ", "high", None, True, -1, 7, "nan"]
    )
    answer = {
        "verdict": verdict,
        "score": number,
        "confidence": chance.choice([0.9, 1] * 20 + ["0.9", "high", None]),
        "reasoning": None if chance.random() < 0.005 else analysis(chance),
        "evidence_quotes": [analysis(chance)],
        "missing_elements": [],
    }
    if chance.random() < 0.02:
        del answer[chance.choice([*answer])]
    raw = style(chance, broken=0.05).spell(answer)
    if chance.random() < 0.05:
        return mangled(raw, chance)
    return wrapped(raw, chance) if chance.random() < 0.1 else raw


def _program(scale: str, weights: list[float], raws: list[str]) -> Any:
    """Section B4: a failed call is a 0; one program counts verdicts, the later one numbers."""
    merits, read_any = [], False
    for raw in raws:
        try:
            answer = json.loads(raw)
            number, _ = float(answer.get("score")), float(answer.get("confidence"))
        except (ValueError, TypeError, AttributeError):
            merits.append(0.0)
            continue
        read_any = True
        if not isinstance(answer.get("reasoning"), str):
            return STOPS
        verdict = answer.get("verdict")
        by_word = {"Satisfied": 1.0, "Partially Satisfied": 0.5}
        merits.append(
            number if scale == "binary"
            else by_word.get(verdict, 0.0) if isinstance(verdict, str) else 0.0
        )  # fmt: skip
    earned = math.fsum(w * m for w, m in zip(weights, merits, strict=True))
    value = earned / math.fsum(w for w in weights if w > 0)
    return value if read_any and math.isfinite(value) else STOPS


def chunks(chance: Random) -> Comparison:
    """Where a very long report is divided."""
    sizes = [
        chance.choice(
            [10, 99_998, 100_000, 133_332, 199_997, 199_998, 199_999, 200_000, 400_000, 500_000]
        )
        for _ in range(chance.randint(1, 7))
    ]
    text = "\n\n".join("p" * size for size in sizes)
    expected: list[int] = []
    for size in sizes:
        if expected and expected[-1] + 2 + size < 400_000:
            expected[-1] += 2 + size
        else:
            expected.append(size)
    return Comparison(sizes, [len(chunk) for chunk in chunks_of(text)], expected)
