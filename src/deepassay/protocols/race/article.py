"""What the offline rule for RACE sees of an article: what it says, once each, and its form."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.protocols.race.discourse import PROCESS_TALK, REASONING
from deepassay.protocols.race.form import (
    content_words,
    distinct_blocks,
    form_of,
    rows,
    saturation,
)
from deepassay.protocols.recall import NUMBER, tokens
from deepassay.protocols.wordings import ADMITS_GAP
from deepassay.reports.report import Report
from deepassay.reports.statements import Statement

STATEMENTS: Final = 150.0
VOCABULARY: Final = 1000.0
FIGURES: Final = 50.0
REASONED: Final = 25.0
"""Distinct statements, content words and figures, and statements that show one kind of reasoning:
so many of each are a fair amount (0.63 of full marks). Chosen, not fitted."""

REMARKS: Final = 4.0
DRAFT: Final = 0.2
"""So many remarks on the agent's own work cost 0.63 of this share of every grade. Chosen."""


@dataclass(frozen=True)
class Said:
    """One statement: its content words, its figures, and the kinds of reasoning that it shows."""

    words: frozenset[str]
    figures: frozenset[str]
    reasoning: frozenset[str]


@dataclass(frozen=True)
class Article:
    """An article, read once for all criteria. Shares are in [0, 1].

    said: its statements, a repeated one once, without those that admit a gap or tell of the
    agent's own work. where: for each content word, the statements that hold it, by index.
    figures: of all statements. titles: content words of its headings. rows: of tables.
    items: of lists. substance: how much is said, whatever about. reasoning: how much of it
    argues. form: sides of readability. finished: below 1 where the agent talks of its own work.
    """

    said: tuple[Said, ...]
    where: Mapping[str, Sequence[int]]
    figures: frozenset[str]
    titles: frozenset[str]
    rows: int
    items: int
    substance: float
    reasoning: float
    form: Mapping[str, float]
    finished: float


def read_article(report: Report) -> Article:
    """The article as the rule sees it; linear in its length."""
    distinct = {each.text.casefold(): each for each in reversed(report.statements)}.values()
    own = [each for each in distinct if not PROCESS_TALK.search(each.text)]
    said = tuple(_said(each) for each in own if not ADMITS_GAP.search(each.text))
    where: dict[str, list[int]] = defaultdict(list)
    for index, each in enumerate(said):
        for word in each.words:
            where[word].append(index)
    figures = figures_of(said)
    blocks = distinct_blocks(report)
    titles = [each.span.of(report.text) for each in blocks if each.kind == "heading"]
    form = form_of(report, [each.words for each in said]) if said else {}
    once = len(distinct) / max(1, len(report.statements))
    return Article(
        said=said,
        where=dict(where),
        figures=figures,
        titles=frozenset[str]().union(*map(content_words, titles)),
        rows=rows(blocks),
        items=sum(block.item for block in blocks),
        substance=0.4 * saturation(len(said), STATEMENTS)
        + 0.4 * saturation(len(where), VOCABULARY)
        + 0.2 * saturation(len(figures), FIGURES),
        reasoning=reasoning_of(said, REASONED),
        form={side: once * share for side, share in form.items()},
        finished=1.0 - DRAFT * saturation(len(distinct) - len(own), REMARKS),
    )


def figures_of(said: Iterable[Said]) -> frozenset[str]:
    """The distinct figures of statements."""
    return frozenset(figure for each in said for figure in each.figures)


def reasoning_of(said: Iterable[Said], enough: float) -> float:
    """How often statements show each kind of reasoning, in [0, 1]; the kinds count alike."""
    kinds = Counter(kind for each in said for kind in each.reasoning)
    return sum(saturation(kinds[kind], enough) for kind in REASONING) / len(REASONING)


def _said(statement: Statement) -> Said:
    words = frozenset(token.word for token in tokens(statement.text))
    figures = frozenset(filter(str.isdecimal, words))
    return Said(
        words=words - figures - {NUMBER},
        figures=figures,
        reasoning=frozenset(kind for kind, way in REASONING.items() if way.search(statement.text)),
    )
