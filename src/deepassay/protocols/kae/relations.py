"""How a report stands to key points of its sources (DeepResearch Arena, equations 6 to 8).

The appendix's prompt for relevance. The paper asks about one key point at a time; we ask about
several, and have what the report says quoted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import StringConstraints

from deepassay.models.ask import Asker
from deepassay.models.operation import OffMenu, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import Range
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.entries import (
    Judgement,
    incomplete,
    numbered,
    quote_span,
    quoted_places,
)
from deepassay.protocols.expected import QUOTE, VERDICT, for_each
from deepassay.protocols.overlap import report_words, share, words_of
from deepassay.protocols.protocol import (
    PROMPTS,
    Case,
)
from deepassay.protocols.support import SUPPORTED
from deepassay.protocols.windows import LONGEST_QUOTE, Window, windows_of
from deepassay.score import Cause, Unscored
from deepassay.text import excerpt

Relation = Literal["SUPPORTS", "OMITS", "CONTRADICTS"]

MOST_QUOTES: Final = 3
"""Passages of a report that show how it stands to a key point."""

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


def keys_of(points: Sequence[str]) -> dict[str, str]:
    """The key points of one question by their keys: `k1`, `k2` and so on."""
    return numbered("k", points)


def _check(inputs: PointsOnReport, answer: Relations) -> None:
    if problems := incomplete(answer.relations, keys_of(inputs.points), "relation", most=20):
        raise OffMenu("; ".join(problems))


def _doubts(inputs: PointsOnReport, answer: Relations) -> str:
    """What is wrong with quotes, on which no relation rests."""
    said = answer.relations.items()
    flaws = [f"{key}: {flaw}" for key, each in said if (flaw := _flaw_of(inputs, each))]
    return "; ".join(flaws[:8])


_FLAWS: Final[Mapping[Language, Sequence[str]]] = {
    "en": (
        "OMITS has no quotes",
        f"{{}} needs 1 to {MOST_QUOTES} quotes from the report",
        f"a quote is longer than {LONGEST_QUOTE} characters",
        "this quote does not stand in the report, word for word: '{}'",
    ),
    "zh": (
        "OMITS 不带引文",
        f"{{}} 需要 1 到 {MOST_QUOTES} 处报告原文",
        f"有一处引文超过 {LONGEST_QUOTE} 个字符",
        "报告中找不到这处引文，要逐字照抄：“{}”",
    ),
}


def _flaw_of(inputs: PointsOnReport, said: Related) -> str:
    superfluous, number, long, lost = _FLAWS[inputs.language]
    if said.relation == "OMITS":
        return superfluous if said.quotes else ""
    if not 1 <= len(said.quotes) <= MOST_QUOTES:
        return number.format(said.relation)
    if any(len(quote) > LONGEST_QUOTE for quote in said.quotes):
        return long
    absent = [quote for quote in said.quotes if quote_span(inputs.report, quote) is None]
    return lost.format(excerpt(absent[0], 80)) if absent else ""


def relations_by_rule(inputs: PointsOnReport) -> Relations:
    """The floor: a report supports what it holds most words of, and contradicts nothing."""
    said = report_words(inputs.report).statements
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
    quotes=_doubts,
    shape=lambda inputs, form: form.keys("relations", keys_of(inputs.points)).at_most(
        "quotes", MOST_QUOTES
    ),
    version=2,
    rule=2,
    expected=for_each(VERDICT + QUOTE * Range(0, 0.7, 1.5), lambda inputs: len(inputs.points)),
)


async def relations_to(points: Sequence[str], case: Case, ask: Asker) -> list[Judgement[Relation]]:
    """How a report stands to a few key points; in windows, if it is too long for the judge."""
    whole = await _in_window(Window(1, 0, case.report.text), points, case, ask)
    if not any(each.cause is Cause.CONTEXT_OVERFLOW for each in whole):
        return whole
    omitted = Judgement[Relation]("OMITS", "It stands in none of the windows of the report.")
    found = [omitted] * len(points)
    for window in windows_of(case.report.text, ask.identity):
        said = await _in_window(window, points, case, ask)
        found = [_weightier(*pair) for pair in zip(found, said, strict=True)]
    return found


async def _in_window(
    window: Window, points: Sequence[str], case: Case, ask: Asker
) -> list[Judgement[Relation]]:
    """What is said of key points by what one window shows; nothing can show that one is omitted."""
    inputs = PointsOnReport(
        language=case.task.language,
        report=window.text,
        query=case.task.prompt,
        points=tuple(points),
    )
    answer = await ask(JUDGE_POINTS, inputs, repeat=case.repeat)
    if isinstance(answer, Unscored):
        return [Judgement.failed(answer)] * len(points)
    judgements: list[Judgement[Relation]] = []
    for key in keys_of(points):
        said = answer.value.relations[key]
        quotes = () if said.relation == "OMITS" else said.quotes
        places = quoted_places(quotes, case.report, window.text, window.start)
        absent = len(quotes) - len(places)
        judgements.append(Judgement[Relation](said.relation, said.reason, places, absent=absent))
    return judgements


def _weightier(old: Judgement[Relation], new: Judgement[Relation]) -> Judgement[Relation]:
    """What two windows say together: one that was not judged leaves open all but support."""
    order = ("OMITS", "CONTRADICTS", None, "SUPPORTS")
    return new if order.index(new.verdict) > order.index(old.verdict) else old
