"""What answers of judges are like before anybody was asked, by operation: the table of estimates.

Lengths are tokens, as a mean over the questions of a run: of a terse judge, of a common one, of one
that talks. Measured were 514 reasons of a judge for single verdicts (published with KPR; 60 tokens,
half of them between 49 and 69, nine in ten between 36 and 90), 155 statements with their sources
as extracted in published files of FACT (135 characters each), and articles before and after a
model took their citations out (.87 of the length). The frame of an item is counted from the forms
that prompts show. All else are bounds that follow from what a prompt asks for: how many sentences,
how many quotes, how many items at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final
from zlib import crc32

from deepassay.models.estimating import Expected, Supposed
from deepassay.models.usage import Range, token_range
from deepassay.protocols.direct_rating import SIDES
from deepassay.protocols.kae.questions import MOST_POINTS
from deepassay.score import Json

Question = Any
"""The inputs of one kind of question; which fields they have, its row of the table knows."""

Count = Callable[[Question], float]
"""How many items a question asks about, from its inputs."""

FRAME: Final = Range(12, 18, 28)
"""Braces, names of fields, key and mark of one item; the most where it is laid out in lines."""

BRACES: Final = Range(3, 5, 10)
"""Around all items."""

REASON: Final = Range(25, 60, 90)
"""Of one verdict, in one to three sentences."""

ANALYSIS: Final = Range(40, 100, 200)
"""A few sentences that name passages, figures or gaps."""

QUOTE: Final = Range(15, 40, 70)
"""A passage that is copied out."""

VERDICT: Final = FRAME + REASON

POINTS: Final = Range(0, 8, MOST_POINTS)
"""Key points of a part of a page. How many a model finds is not published."""

ON_TOPIC: Final = Range(0, 0.82, 1)
"""Of the pages that can be read. LiveResearchBench (Table 7) counts 7.6 addresses that cannot be
reached and 7.0 on something else a report, over all rows; 40 of its reports that were published
with it cite 45 each."""

IS_PAGE: Final = Range(0, 0.5, 1)
"""Of the texts that say so little that they are in doubt. Not published."""

SUPPORTED: Final = Range(1, 0.5, 0)
"""Of the statements that a part of a long page is asked about. Of all statements DeepResearch
Bench (Table 1) finds 69 % supported, over its deep research agents; where a page has several
parts, what supports one may stand in any of them."""

DISTINCT: Final = Range(0.5, 0.95, 1)
"""Of the key points of all pages, those that say what no other says. Not published."""

PASSAGES: Final = Range(0, 1, 4)
"""Passages of one window that bear on an item."""

ISSUES: Final = Range(0.5, 4, 20)
"""Issues of a report; nobody has published how many a judge lists."""


def _nothing(inputs: Question, rate: float) -> Json:
    return None


def _chance(text: str) -> float:
    """A number from 0 to 1 that the text decides: what happens in a share of cases does in these.

    No two texts are treated alike, and every estimate of the same says the same.
    """
    return crc32(text.encode("utf-8", "surrogatepass")) / 2**32


def _each(
    item: Range,
    count: Count = lambda inputs: 1,
    supposed: Supposed = _nothing,
) -> Expected:
    """An answer of so many tokens for every item, in braces of its own."""

    def tokens(inputs: Question) -> Range:
        number = count(inputs)
        return item * Range(number, number, number) + BRACES

    return Expected(tokens, supposed)


def _checks(inputs: Question) -> int:
    return len(inputs.asked.split(","))


def _len_of(field: str) -> Count:
    return lambda inputs: len(getattr(inputs, field))


_CHECKLIST: Final = _len_of("checklist")
_CRITERIA: Final = _len_of("criteria")
_STATEMENTS: Final = _len_of("statements")
_POINTS: Final = _len_of("points")


def _addresses(inputs: Question) -> int:
    return max(1, len(inputs.report.split("http")) - 1)


def _passages(keys: Callable[[Question], list[str]]) -> Supposed:
    """One passage for each item, from any place of the window: how long they are is what counts."""

    def supposed(inputs: Question, rate: float) -> Json:
        quote = inputs.window[:200].strip()
        given = keys(inputs) if quote else []
        return {"evidence": [{"item": key, "bearing": "for", "quote": quote} for key in given]}

    return supposed


def _numbered(letter: str, count: Count) -> Callable[[Question], list[str]]:
    return lambda inputs: [f"{letter}{number + 1}" for number in range(int(count(inputs)))]


def _support(inputs: Question, rate: float) -> Json:
    """What a part of a page supports is not asked of the next one."""
    beginning = f"{len(inputs.page)} {inputs.page[:200]}"
    said = [
        "supported" if _chance(f"{beginning} {each}") < rate else "unknown"
        for each in inputs.statements
    ]
    return {
        "verdicts": [
            {"statement": number, "verdict": word, "quote": ""}
            for number, word in enumerate(said, start=1)
        ]
    }


def _relevance(inputs: Question, rate: float) -> Json:
    """Of a page that is not on topic nothing else is asked."""
    chance = _chance(f"{inputs.query} {inputs.title} {inputs.opening}")
    return {"on_topic": chance < rate, "reason": "supposed"}


def _seen(inputs: Question, rate: float) -> Json:
    """Of a text that is not the page nothing else is asked."""
    chance = _chance(f"{inputs.address} {inputs.title} {inputs.text[:200]}")
    return {"came": "page" if chance < rate else "not_found", "reason": "supposed"}


_SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|[。！？]")


def _sentences(inputs: Question) -> float:
    """Of a page, as far as so many key points could stand in them."""
    ends = _SENTENCE_ENDS.finditer(inputs.page.strip())
    return 1 + sum(1 for _ in islice(ends, inputs.most))


def _page_points(inputs: Question, rate: float) -> Json:
    """So many passages, from places of the page that lie equally far apart."""
    page = inputs.page
    number = min(int(rate + _chance(f"{len(page)} {page[:200]}")), inputs.most)
    step = max(1, len(page) // max(1, number))
    quotes = dict.fromkeys(page[at : at + 120].strip() for at in range(0, len(page), step))
    chosen = [quote for quote in quotes if any(map(str.isalnum, quote))][:number]
    return {"points": [{"point": " ".join(each.split()), "spans": [each]} for each in chosen]}


def _groups(inputs: Question, rate: float) -> Json:
    """Those that say the same as one before stand with it."""
    groups: list[list[int]] = []
    for number, point in enumerate(inputs.points, start=1):
        if groups and _chance(point) >= rate:
            groups[-1].append(number)
        else:
            groups.append([number])
    return {"groups": groups}


def _copied(share: Range) -> Callable[[Question], Range]:
    return lambda inputs: token_range(inputs.article) * share


def _marksheet(inputs: Question) -> Range:
    """Each criterion copied, with an analysis and its marks."""
    rows = inputs.criteria.rows()
    names = sum((token_range(name) for _, name, _ in rows), Range(0, 0, 0))
    number = len(rows)
    return names + (FRAME + FRAME + ANALYSIS) * Range(number, number, number)


_ITEM_PASSAGE: Final = (FRAME + QUOTE) * PASSAGES
_ISSUE: Final = (FRAME + QUOTE + Range(15, 35, 60)) * ISSUES
_MARK: Final = FRAME + ANALYSIS
_EXTRACTED: Final = Expected(
    lambda inputs: Range(30, 60, 110) * Range(*[_addresses(inputs)] * 3),
    by_rule=True,
    decides="which statements a model reads off reports (taken as code reads them)",
)
_GRADE: Final = VERDICT + QUOTE * Range(0, 2, 4)

EXPECTED: Final[Mapping[str, Expected]] = {
    "ace/gather_evidence": _each(_ITEM_PASSAGE, supposed=_passages(lambda inputs: ["a1"])),
    "ace/judge_on_evidence": _each(_MARK),
    "ace/make_checklist": Expected(
        lambda inputs: Range(150, 450, 1_200), by_rule=True, decides="how many items are made"
    ),
    "ace/score_item": _each(_MARK),
    "citation_accuracy/judge_relevance": replace(
        _each(FRAME + Range(12, 30, 60), supposed=_relevance),
        decides="which pages are on topic",
        rate=ON_TOPIC,
        told=lambda answer: (answer.on_topic, 1),
    ),
    "citation_association/find_issues": _each(_ISSUE),
    "citation_association/judge_as_released": _each(_ISSUE + ANALYSIS),
    "consistency/find_issues": _each(_ISSUE + QUOTE * ISSUES),
    "consistency/judge_as_released": _each(_ISSUE + ANALYSIS),
    "coverage/gather_evidence": _each(
        _ITEM_PASSAGE, _CHECKLIST, _passages(_numbered("q", _CHECKLIST))
    ),
    "coverage/judge_items": _each(VERDICT, _CHECKLIST),
    "coverage/judge_on_evidence": _each(VERDICT, _CHECKLIST),
    "depth/compare": _each(Range(110, 260, 600)),
    "depth/compare_as_released": _each(Range(130, 290, 640)),
    **{f"direct_rating/{side}": _each(_MARK) for side in SIDES},
    "error_patterns/find_places": _each(_ISSUE),
    "fact/extract": _EXTRACTED,
    "fact/extract_as_released": _EXTRACTED,
    "fact/judge_support": replace(
        _each(FRAME + QUOTE * Range(0.2, 0.6, 1), _STATEMENTS, _support),
        decides="what the first part of a long page supports",
        rate=SUPPORTED,
        told=lambda answer: (
            sum(each.verdict == "supported" for each in answer.verdicts),
            len(answer.verdicts),
        ),
    ),
    "fact/judge_support_as_released": _each(Range(8, 14, 22), _STATEMENTS),
    "fact/merge": _each(Range(0, 1, 3), _STATEMENTS, lambda inputs, rate: {"same": []}),
    "fact/merge_as_released": _each(
        Range(2, 2, 4),
        _STATEMENTS,
        lambda inputs, rate: list(range(1, len(inputs.statements) + 1)),
    ),
    "kae/extract_points": Expected(
        lambda inputs: (FRAME + Range(20, 35, 50) + QUOTE * Range(1, 1.3, 2)) * POINTS + BRACES,
        _page_points,
        decides="how many key points pages have",
        rate=POINTS,
        most=_sentences,
        told=lambda answer: (len(answer.points), 1),
    ),
    "kae/judge_points": _each(VERDICT + QUOTE * Range(0, 0.7, 1.5), _POINTS),
    "kae/unify_points": replace(
        _each(Range(2, 3, 5), _POINTS, _groups),
        decides="how many of them are the same",
        rate=DISTINCT,
        told=lambda answer: (len(answer.groups), sum(map(len, answer.groups))),
    ),
    "own/judge": _each(VERDICT, lambda inputs: inputs.criteria.count("\n") + 1),
    "pages/judge_page": replace(
        _each(FRAME + Range(12, 30, 60), supposed=_seen),
        decides="which texts in doubt are pages",
        rate=IS_PAGE,
        told=lambda answer: (answer.came == "page", 1),
    ),
    "presentation/gather_evidence": _each(
        _ITEM_PASSAGE, _checks, _passages(lambda inputs: inputs.asked.split(", "))
    ),
    "presentation/judge_checks": _each(VERDICT, lambda inputs: 10),
    "presentation/judge_on_evidence": _each(VERDICT, _checks),
    "presentation/judge_rest": _each(VERDICT, lambda inputs: 4),
    "race/clean": Expected(
        _copied(Range(0.8, 0.9, 1)), lambda inputs, rate: {"article": inputs.article}
    ),
    "race/compare": Expected(_marksheet),
    "race/compare_four": Expected(_marksheet),
    "race/grade": Expected(_marksheet),
    "race/vanilla": _each(VERDICT),
    "rubrics/decide_as_released": _each(_GRADE + REASON),
    "rubrics/gather_as_released": _each(
        _ITEM_PASSAGE + REASON,
        supposed=lambda inputs, rate: {"relevant_evidence": [inputs.chunk[:200]]},
    ),
    "rubrics/gather_evidence": _each(
        _ITEM_PASSAGE, _CRITERIA, _passages(_numbered("r", _CRITERIA))
    ),
    "rubrics/judge_as_released": _each(_GRADE + REASON),
    "rubrics/judge_criteria": _each(_GRADE, _CRITERIA),
    "rubrics/judge_on_evidence": _each(_GRADE, _CRITERIA),
}
