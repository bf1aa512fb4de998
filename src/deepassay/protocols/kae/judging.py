"""How a report stands to key points: it supports, omits or contradicts each.

DeepResearch Arena, equations 6 to 8 and the appendix "Key point relevance prompt". The paper asks
about one key point at a time; we ask about several, and have what the report says quoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import StringConstraints

from deepassay.files import without_surrogates
from deepassay.models.ask import Asker
from deepassay.models.fence import disarmed
from deepassay.models.operation import OffMenu, Operation, Reply
from deepassay.protocols.alignment.alignment import align
from deepassay.protocols.alignment.contradictions import contradictions
from deepassay.protocols.alignment.passages import PageIndex
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.quotes import quote_span
from deepassay.protocols.windows.dividing import Window, windows_of
from deepassay.protocols.windows.evidence import LONGEST_QUOTE
from deepassay.protocols.windows.inquiry import overflowed
from deepassay.reports.finding import excerpt
from deepassay.reports.report import Report
from deepassay.score import Cause, Json, Unscored

Relation = Literal["SUPPORTS", "OMITS", "CONTRADICTS"]

MOST_QUOTES: Final = 3

AGAINST: Final = 0.5
"""What a doubt leaves of a score at most for the offline rule to see a contradiction."""

PARAGRAPH: Final = "\n\n"

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class PointsOnReport(ReportAndQuery):
    """A report, the request that it answers, and key points of its sources."""

    points: tuple[str, ...]


class Related(Reply):
    """How the report stands to one key point, why, and the words that show it."""

    reason: _Text
    relation: Relation
    quotes: list[_Text]


class Relations(Reply):
    """A relation for each key point, by its key: `k1` and on."""

    relations: dict[str, Related]


@dataclass(frozen=True)
class Judgement:
    """What came of one key point. relation: None where there is none, and `cause` says why.

    places: where the evidence stands in the report, as `explain` reads it.
    """

    relation: Relation | None
    reason: str = ""
    places: tuple[Json, ...] = ()
    cause: Cause | None = None


def keys_of(points: Sequence[str]) -> dict[str, str]:
    """`k1`, `k2`, … for the key points of one question, in its order."""
    return {f"k{number}": text for number, text in enumerate(points, start=1)}


def _check(inputs: PointsOnReport, answer: Relations) -> None:
    keys = keys_of(inputs.points)
    missing = [key for key in keys if key not in answer.relations]
    unasked = [key for key in answer.relations if key not in keys]
    problems = [f"no relation for {', '.join(missing[:20])}"] if missing else []
    problems += [f"nobody asked for {', '.join(unasked[:5])}"] if unasked else []
    problems += [
        f"{key}: {flaw}"
        for key, each in answer.relations.items()
        if (flaw := _flaw_of(inputs.report, each))
    ]
    if problems:
        raise OffMenu("; ".join(problems[:8]))


def _flaw_of(report: str, said: Related) -> str:
    if said.relation == "OMITS":
        return "OMITS has no quotes" if said.quotes else ""
    if not 1 <= len(said.quotes) <= MOST_QUOTES:
        return f"{said.relation} needs 1 to {MOST_QUOTES} quotes from the report"
    if any(len(quote) > LONGEST_QUOTE for quote in said.quotes):
        return f"a quote is longer than {LONGEST_QUOTE} characters"
    absent = [quote for quote in said.quotes if quote_span(report, quote) is None]
    if absent:
        return f"this quote does not stand in the report, word for word: '{excerpt(absent[0], 80)}'"
    return ""


@lru_cache(maxsize=4)
def _index(report: str) -> PageIndex:
    """What a report says itself: titles in its reference lists are none of it."""
    pieces, at = [], 0
    for each in Report(without_surrogates(report)).reference_lists:
        pieces.append(report[at : each.span.start])
        at = each.span.end
    return PageIndex(PARAGRAPH.join([*pieces, report[at:]]))


def relations_by_rule(inputs: PointsOnReport) -> Relations:
    """The baseline: each key point laid beside the passage of the report that resembles it most."""
    index = _index(disarmed(inputs.report))
    return Relations(
        relations={key: _related(text, index) for key, text in keys_of(inputs.points).items()}
    )


def _related(point: str, index: PageIndex) -> Related:
    found = align(point, index)
    quote = max(found.quote.split(PARAGRAPH), key=len)[:LONGEST_QUOTE].strip()
    if not any(map(str.isalnum, quote)):
        return Related(reason=found.reason, relation="OMITS", quotes=[])
    if found.verdict == "supported":
        return Related(reason=found.reason, relation="SUPPORTS", quotes=[quote])
    if any(doubt.factor < AGAINST for doubt in contradictions(point, [found.quote])):
        return Related(reason=found.reason, relation="CONTRADICTS", quotes=[quote])
    return Related(reason=found.reason, relation="OMITS", quotes=[])


JUDGE_POINTS: Final = Operation(
    "kae/judge_points",
    prompts=PROMPTS,
    takes=PointsOnReport,
    gives=Relations,
    offline=relations_by_rule,
    check=_check,
)


async def judged(points: Sequence[str], case: Case, ask: Asker) -> list[Judgement]:
    """What comes of a few key points; in windows, if the judge cannot take the whole report."""
    whole = await _asked(Window(1, 0, case.report.text), points, case, ask)
    if not overflowed(whole):
        return whole if isinstance(whole, list) else _open(whole, points)
    found = [Judgement("OMITS", "It stands in none of the windows of the report.")] * len(points)
    for window in windows_of(case.report.text):
        said = await _asked(window, points, case, ask)
        new = said if isinstance(said, list) else _open(said, points)
        found = [_weightier(*pair) for pair in zip(found, new, strict=True)]
    return found


async def _asked(
    window: Window, points: Sequence[str], case: Case, ask: Asker
) -> list[Judgement] | Unscored:
    inputs = PointsOnReport(
        language=case.task.language,
        report=window.text,
        query=case.task.prompt,
        points=tuple(points),
    )
    answer = await ask(JUDGE_POINTS, inputs, repeat=case.repeat)
    if isinstance(answer, Unscored):
        return answer
    said = (answer.value.relations[key] for key in keys_of(points))
    return [
        Judgement(each.relation, each.reason, tuple(_places(each, window, case.report)))
        for each in said
    ]


def _places(said: Related, window: Window, report: Report) -> Iterator[Json]:
    for quote in said.quotes:
        if (span := quote_span(window.text, quote)) is not None:
            line, column = report.lines.place(window.start + span.start)
            message = excerpt(span.of(window.text), 120)
            yield {"line": line, "column": column, "message": message}


def _open(failure: Unscored, points: Sequence[str]) -> list[Judgement]:
    return [Judgement(None, failure.detail, cause=failure.cause)] * len(points)


def _weightier(old: Judgement, new: Judgement) -> Judgement:
    """What two windows say together: one that was not judged leaves open all but support."""
    order = ("OMITS", "CONTRADICTS", None, "SUPPORTS")
    return new if order.index(new.relation) > order.index(old.relation) else old
