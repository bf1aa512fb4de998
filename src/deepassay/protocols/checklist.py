"""Binary checklists: what a judge may answer, and the score of edition `paper`.

LiveResearchBench scores presentation and coverage alike: a verdict of 0 or 1 with a reason for
every item, and the share of items that are met (sections 4.1 and 4.2, appendix A.1 and A.3).
Nothing here asks anyone. The arithmetic of edition `code` is in `released`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, StringConstraints

from deepassay.models.fence import place_of_quote
from deepassay.models.operation import Inputs, OffMenu, Reply
from deepassay.models.prompt import Language
from deepassay.protocols.overlap import DELIVERED, held
from deepassay.reports.finding import excerpt
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.results.evidence import EvidenceItem, ReportPlace
from deepassay.score import Json, Score

BOUNDS: Final = (0.0, 100.0)
PLACES_KEPT: Final = 20
"""Places of one item that its evidence lists."""


class ReportAndQuery(Inputs):
    """A report and the request that it answers."""

    report: str
    query: str


def _number(value: Json) -> Json:
    # JSON has one 1, also written 1.0; its true is another thing, though Python thinks them equal.
    if isinstance(value, bool):
        raise ValueError("must be 0 or 1, not true or false")
    return int(value) if value in (0.0, 1.0) else value


class Verdict(Reply):
    """0 or 1 for one item, and why."""

    score: Annotated[Literal[0, 1], BeforeValidator(_number)]
    justification: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Verdicts(Reply):
    """A verdict for each item, by its key: `p1` to `p10`, or `q1` and on."""

    evaluations: dict[str, Verdict]


def keys_of(checklist: Sequence[str]) -> dict[str, str]:
    """`q1`, `q2`, … for the items of a checklist, in its order."""
    return {f"q{number}": item for number, item in enumerate(checklist, start=1)}


def check_complete(answered: Collection[str], keys: Collection[str]) -> None:
    """Raise OffMenu unless exactly the items of `keys` are answered."""
    missing = [key for key in keys if key not in answered]
    unasked = [key for key in answered if key not in keys]
    problems = [f"no verdict for {', '.join(missing)}"] if missing else []
    problems += [f"nobody asked for {', '.join(unasked[:5])}"] if unasked else []
    if problems:
        raise OffMenu(f"{'; '.join(problems)}: give one verdict for each of {', '.join(keys)}")


def verdict_by_rule(report: str, item: str) -> Verdict:
    """The floor: an item is met if one passage of a report holds most of its words."""
    best = held(report, item)
    return Verdict(score=1 if best.share >= DELIVERED else 0, justification=best.found)


def paper_score(answer: Verdicts, items: Mapping[str, str], prefix: str = "") -> Score:
    """The score of a complete answer. items: what each key stands for, for the evidence.

    prefix: of the names of parts, where the items of one task are not those of another.
    """
    verdicts = answer.evaluations
    return score_of(
        [
            evidence_of(key, item, verdicts[key].score, verdicts[key].justification)
            for key, item in items.items()
        ],
        prefix,
    )


def score_of(evidence: Sequence[Mapping[str, Json]], prefix: str = "") -> Score:
    """Share of items that are met, 0 to 100, from their evidence; each item is a part."""
    met, of = sum(item["score"] for item in evidence), len(evidence)
    return Score(
        met / of * 100,
        BOUNDS,
        parts={prefix + item["key"].upper(): 100.0 * item["score"] for item in evidence},
        tally=(float(met), float(of)),
        details={"items": list(evidence)},
    )


def evidence_of(key: str, item: str, score: Json, reason: str) -> dict[str, Json]:
    """One line of evidence, as `explain` reads it."""
    return EvidenceItem(key=key, item=item, score=score, justification=reason).to_json()


def quote_span(page: str, quote: str) -> Span | None:
    """Where the passage that a judge quotes begins and ends on the page; None if it has none."""
    place = place_of_quote(page, quote)
    return None if place is None else Span(*place)


_ABSENT: Final[Mapping[Language, str]] = {
    "en": "{count} quotes do not stand in {where}, the first is '{first}': copy passages word for "
    "word, leaving nothing out; or leave a quote out where no passage shows what you say",
    "zh": "{where}中找不到这 {count} 处引文，第一处是“{first}”：请逐字照抄，不要省略；"
    "如果没有能说明问题的段落，就不要给出引文",
}
_WHERE: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {"report": "the report", "part": "this part of the report"},
    "zh": {"report": "报告", "part": "报告的这一部分"},
}


def absence_of(quotes: Sequence[str], where: Literal["report", "part"], language: Language) -> str:
    """What a judge is told of quotes that it gave and that do not stand there."""
    first = excerpt(quotes[0], 80)
    return _ABSENT[language].format(count=len(quotes), where=_WHERE[language][where], first=first)


def left_out(quotes: int) -> str:
    """What a summary says of quotes that were not found, to be put behind it."""
    return f" Quotes not found in the report, and left out: {quotes}." if quotes else ""


def place_at(report: Report, offset: int, message: str) -> ReportPlace:
    """A place in a report, as evidence names it."""
    line, column = report.lines.place(offset)
    return ReportPlace(line=line, column=column, message=message)
