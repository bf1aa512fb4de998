"""How a report stands to key points: it supports, omits or contradicts each.

DeepResearch Arena, equations 6 to 8 and the appendix "Key point relevance prompt". The paper asks
about one key point at a time; we ask about several, and have what the report says quoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import StringConstraints

from deepassay.models.ask import Asker
from deepassay.models.operation import OffMenu, Operation, Reply
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.overlap import read, share, words_of
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.quotes import quote_span
from deepassay.protocols.support import SUPPORTED
from deepassay.protocols.windows.dividing import Window, windows_of
from deepassay.protocols.windows.evidence import LONGEST_QUOTE
from deepassay.protocols.windows.inquiry import overflowed
from deepassay.reports.finding import excerpt
from deepassay.reports.report import Report
from deepassay.score import Cause, Json, Unscored

Relation = Literal["SUPPORTS", "OMITS", "CONTRADICTS"]

MOST_QUOTES: Final = 3

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


def relations_by_rule(inputs: PointsOnReport) -> Relations:
    """The floor: a report supports what it holds most words of, and contradicts nothing."""
    said = read(inputs.report).statements
    relations = {}
    for key, point in keys_of(inputs.points).items():
        wanted = words_of(point)
        found = share(wanted, said.vocabulary)
        reason = f"By rule: {found:.0%} of its words stand in the report."
        is_there = found >= SUPPORTED
        relations[key] = Related(
            reason=reason,
            relation="SUPPORTS" if is_there else "OMITS",
            quotes=said.best(wanted) if is_there else [],
        )
    return Relations(relations=relations)


JUDGE_POINTS: Final = Operation(
    "kae/judge_points",
    prompts=PROMPTS,
    takes=PointsOnReport,
    gives=Relations,
    offline=relations_by_rule,
    check=_check,
    version=2,
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
