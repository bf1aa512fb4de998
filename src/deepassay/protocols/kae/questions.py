"""The key points of cited pages, and how a report stands to each.

DeepResearch Arena, equations 4 and 6 to 8 and the appendix's prompts for extraction and relevance.
Key points are read off a page once for all reports that cite it for the task, each with the words
that it rests on. The paper asks about one key point at a time; we ask about several, and have what
the report says quoted.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import StringConstraints

from deepassay.models.ask import Asker
from deepassay.models.expected import Expected
from deepassay.models.fence import find_quote
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import Range, overlapping_parts
from deepassay.protocols.checklist import ReportAndQuery, place_at, quote_span
from deepassay.protocols.expected import BRACES, FRAME, QUOTE, VERDICT, chance, for_each
from deepassay.protocols.judgements import Judgement
from deepassay.protocols.overlap import read, sentences_of, share, words_of
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.support import MOST_PARTS, OVERLAP, PART, SUPPORTED
from deepassay.protocols.windows import LONGEST_QUOTE, Window, overflowed, windows_of
from deepassay.reports.finding import excerpt
from deepassay.reports.report import Report
from deepassay.results.evidence import ReportPlace
from deepassay.score import Cause, Json, Unscored
from deepassay.sources.page import Page

MOST_POINTS: Final = 20
"""Key points of a page, or of a part of a long one."""

LONGEST_POINT: Final = 1_000
"""Characters of one: more than a sentence needs."""

BY_RULE: Final = 8
"""Key points that the offline rule takes from it."""

FEWEST_WORDS: Final = 5
"""Content words of a sentence that states something."""

ENDS: Final = (".", "!", "?", "。", "！", "？", ";", "；", "”", '"')
"""How a sentence ends; a title or a cell of a table ends otherwise."""

SHARED: Final = 2
"""Words of the task that a sentence must hold to bear on it."""

OF_SHORT_TASKS: Final = 3
"""Of a task that has few words, one in so many is enough."""


@dataclass(frozen=True)
class KeyPoint:
    """What a report on the task may be expected to say.

    spans: passages that it rests on, as their pages spell them. urls: of these pages.
    """

    text: str
    spans: tuple[str, ...]
    urls: tuple[str, ...]


class PagePoints(NamedTuple):
    """What was read off a page. dropped: key points of which no span stands on it."""

    points: tuple[KeyPoint, ...]
    dropped: int


class PageForTask(Inputs):
    """A page, or a part of a long one, and the task that it is read for."""

    page: str
    query: str
    most: int = MOST_POINTS


class Point(Reply):
    """One key point as a model gives it."""

    point: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_POINT)
    ]
    spans: list[str]


class Points(Reply):
    """The key points of a page."""

    points: list[Point]


def _not_too_many(inputs: PageForTask, answer: Points) -> None:
    if len(answer.points) > inputs.most:
        raise OffMenu(f"{len(answer.points)} key points; give {inputs.most} at most")


def _doubt(inputs: PageForTask, answer: Points) -> str:
    """A key point without a standing span is dropped; if all are, they are asked for again."""
    if not answer.points or any(_standing(inputs.page, each) for each in answer.points):
        return ""
    told: Mapping[Language, str] = {
        "en": "not one of the spans stands in the text; copy each letter for letter, without "
        "leaving anything out, or give an empty list if the text has nothing for the task",
        "zh": "这些段落在文字中都找不到；请逐字照抄，不要省略；如果文字与任务无关，就给空列表",
    }
    return told[inputs.language]


def _standing(page: str, point: Point) -> tuple[str, ...]:
    """The spans of a key point that are on the page, as the page spells them."""
    found = (find_quote(page, span) for span in point.spans)
    return tuple(dict.fromkeys(span for span in found if span))


def points_by_rule(inputs: PageForTask) -> Points:
    """The floor: the sentences with most words of the task, those with most first."""
    wanted = set(words_of(inputs.query))
    needed = min(SHARED, max(1, len(wanted) // OF_SHORT_TASKS))
    page = sentences_of(inputs.page)
    best = [
        text
        for text in page.best(wanted, MOST_POINTS, needed)
        if text.endswith(ENDS) and len(words_of(text)) >= FEWEST_WORDS
    ][:BY_RULE]
    return Points(points=[Point(point=" ".join(text.split()), spans=[text]) for text in best])


POINTS_OF_PAGE: Final = Range(0, 8, MOST_POINTS)
"""Key points of a part of a page, for estimates. How many a model finds is not published."""

_SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|[。！？]")


def _sentences(inputs: PageForTask) -> float:
    """Of a page, as far as so many key points could stand in them."""
    ends = _SENTENCE_ENDS.finditer(inputs.page.strip())
    return 1 + sum(1 for _ in islice(ends, inputs.most))


def _simulated_points(inputs: PageForTask, rate: float) -> Json:
    """So many passages, from places of the page that lie equally far apart."""
    page = inputs.page
    number = min(int(rate + chance(f"{len(page)} {page[:200]}")), inputs.most)
    step = max(1, len(page) // max(1, number))
    quotes = dict.fromkeys(page[at : at + 120].strip() for at in range(0, len(page), step))
    chosen = [quote for quote in quotes if any(map(str.isalnum, quote))][:number]
    return {"points": [{"point": " ".join(each.split()), "spans": [each]} for each in chosen]}


EXTRACT_POINTS: Final = Operation(
    "kae/extract_points",
    prompts=PROMPTS,
    takes=PageForTask,
    gives=Points,
    offline=points_by_rule,
    check=_not_too_many,
    soft_check=_doubt,
    shape=lambda inputs, form: form.at_most("points", inputs.most).at_most("spans", MOST_QUOTES),
    version=2,
    rule=2,
    expected=Expected(
        lambda inputs: (
            (FRAME + Range(20, 35, 50) + QUOTE * Range(1, 1.3, 2)) * POINTS_OF_PAGE + BRACES
        ),
        _simulated_points,
        decides="how many key points pages have",
        rate=POINTS_OF_PAGE,
        most=_sentences,
        told=lambda answer: (len(answer.points), 1),
    ),
)


async def points_of(page: Page, case: Case, ask: Asker) -> PagePoints | Unscored:
    """The key points of a page; Unscored if any part of it could not be read for them."""
    parts = list(overlapping_parts(page.text, PART, OVERLAP))
    if len(parts) > MOST_PARTS:
        large = f"The page has {len(page.text)} characters, more than {MOST_PARTS} parts."
        return Unscored(Cause.PAGE_TOO_LARGE, large)
    language, query = case.task.language, case.task.prompt
    answers = await asyncio.gather(
        *(
            ask(
                EXTRACT_POINTS,
                PageForTask(language=language, page=part, query=query),
                repeat=case.repeat,
            )
            for part in parts
        )
    )
    points: list[KeyPoint] = []
    dropped = 0
    for part, answer in zip(parts, answers, strict=True):
        if isinstance(answer, Unscored):
            return answer
        for each in answer.value.points:
            if spans := _standing(part, each):
                points.append(KeyPoint(each.point, spans, (page.url,)))
            else:
                dropped += 1
    return PagePoints(tuple(points), dropped)


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


def keys_of(points: Sequence[str]) -> dict[str, str]:
    """`k1`, `k2`, … for the key points of one question, in its order."""
    return {f"k{number}": text for number, text in enumerate(points, start=1)}


def _check(inputs: PointsOnReport, answer: Relations) -> None:
    keys = keys_of(inputs.points)
    missing = [key for key in keys if key not in answer.relations]
    unasked = [key for key in answer.relations if key not in keys]
    problems = [f"no relation for {', '.join(missing[:20])}"] if missing else []
    problems += [f"nobody asked for {', '.join(unasked[:5])}"] if unasked else []
    if problems:
        raise OffMenu("; ".join(problems[:8]))


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
    quotes=_doubts,
    shape=lambda inputs, form: form.keys("relations", keys_of(inputs.points)).at_most(
        "quotes", MOST_QUOTES
    ),
    version=2,
    rule=2,
    expected=for_each(VERDICT + QUOTE * Range(0, 0.7, 1.5), lambda inputs: len(inputs.points)),
)


async def judged(points: Sequence[str], case: Case, ask: Asker) -> list[Judgement[Relation]]:
    """What comes of a few key points; in windows, if the judge cannot take the whole report."""
    whole = await _asked(Window(1, 0, case.report.text), points, case, ask)
    if not overflowed(whole):
        return whole if isinstance(whole, list) else [Judgement.failed(whole)] * len(points)
    omitted = Judgement[Relation]("OMITS", "It stands in none of the windows of the report.")
    found = [omitted] * len(points)
    for window in windows_of(case.report.text, ask.identity):
        said = await _asked(window, points, case, ask)
        new = said if isinstance(said, list) else [Judgement.failed(said)] * len(points)
        found = [_weightier(*pair) for pair in zip(found, new, strict=True)]
    return found


async def _asked(
    window: Window, points: Sequence[str], case: Case, ask: Asker
) -> list[Judgement[Relation]] | Unscored:
    inputs = PointsOnReport(
        language=case.task.language,
        report=window.text,
        query=case.task.prompt,
        points=tuple(points),
    )
    answer = await ask(JUDGE_POINTS, inputs, repeat=case.repeat)
    if isinstance(answer, Unscored):
        return answer
    return [_judgement(answer.value.relations[key], window, case.report) for key in keys_of(points)]


def _judgement(said: Related, window: Window, report: Report) -> Judgement[Relation]:
    """What was said of a key point; nothing can show that it is omitted."""
    if said.relation == "OMITS":
        return Judgement("OMITS", said.reason)
    places = tuple(_places(said, window, report))
    return Judgement(said.relation, said.reason, places, absent=len(said.quotes) - len(places))


def _places(said: Related, window: Window, report: Report) -> Iterator[ReportPlace]:
    for quote in said.quotes:
        if (span := quote_span(window.text, quote)) is not None:
            message = excerpt(span.of(window.text), 120)
            yield place_at(report, window.start + span.start, message)


def _weightier(old: Judgement[Relation], new: Judgement[Relation]) -> Judgement[Relation]:
    """What two windows say together: one that was not judged leaves open all but support."""
    order = ("OMITS", "CONTRADICTS", None, "SUPPORTS")
    return new if order.index(new.verdict) > order.index(old.verdict) else old
