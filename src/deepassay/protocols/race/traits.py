"""RACE without a model: what the words, the reasoning and the form of an article can show.

A baseline, and no more. It sees words and not meaning: whether an analysis is right it cannot
tell, only that the words of a criterion are treated, at what length, with figures and with
reasons. All constants are chosen, not fitted to published scores; so are the weights in the sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.protocols.race.article import (
    Article,
    Said,
    figures_of,
    read_article,
    reasoning_of,
)
from deepassay.protocols.race.discourse import (
    ASKS_FOR_LIST,
    ASKS_FOR_TABLE,
    FORMS,
    RHETORIC,
    RHETORIC_HAN,
)
from deepassay.protocols.race.form import saturation
from deepassay.protocols.recall import NUMBER, tokens
from deepassay.reports.report import Report
from deepassay.tasks.criteria import Dimension

HIGHEST: Final = 10.0

EXPLANATION: Final = 0.4
"""Weight of a word of the explanation, where one of the criterion itself weighs 1."""

TREATED: Final = 6.0
RELEVANT: Final = 30.0
FIGURES: Final = 20.0
REASONED: Final = 8.0
"""Statements that hold a word, statements that hold two words of a criterion, figures in these,
and those of these that show one kind of reasoning: so many are a fair amount (0.63 of full
marks)."""

FIT: Final = 0.4
"""Share of the wanted words that fits fairly well: nobody answers in all words of a question."""

ASKED_FOR: Final = 3.0
"""Weight of a side of readability that a criterion names, where another weighs 1."""


@dataclass(frozen=True)
class _Question:
    """A criterion and the prompt, held against an article.

    wanted: weight of each content word of the criterion. asked: content words of the prompt.
    """

    article: Article
    prompt: str
    text: str
    wanted: Mapping[str, float]
    asked: Mapping[str, float]

    @property
    def fit(self) -> float:
        """Whether the article is about criterion and prompt."""
        return saturation(
            0.7 * _coverage(self.article, self.wanted) + 0.3 * _coverage(self.article, self.asked),
            FIT,
        )

    @property
    def relevant(self) -> list[Said]:
        """The statements that hold two words of the criterion or more."""
        article = self.article
        counts = Counter(index for word in self.wanted for index in article.where.get(word, ()))
        return [article.said[index] for index, count in counts.items() if count > 1]


def grades(
    article: Report, prompt: str, criteria: Sequence[tuple[Dimension, str, str]]
) -> list[float]:
    """Grades from 0 to 10 of one article for criteria: (dimension, criterion, explanation) each.

    article: without citations, in English or Chinese; one that says nothing gets 0 throughout.
    Time is linear in the article for each criterion.
    """
    read = read_article(article)
    if not read.said:
        return [0.0] * len(criteria)
    asked = dict.fromkeys(_topic(prompt), 1.0)
    found = []
    for dimension, criterion, explanation in criteria:
        wanted = dict.fromkeys(_topic(explanation), EXPLANATION)
        wanted |= dict.fromkeys(_topic(criterion), 1.0)
        question = _Question(read, prompt, f"{criterion}\n{explanation}", wanted, asked)
        found.append(HIGHEST * read.finished * _SHARES[dimension](question))
    return found


def _topic(text: str) -> list[str]:
    """Content words of a text without those that only tell how it is to be judged."""
    plain = RHETORIC_HAN.sub(" ", text)
    return [
        token.word
        for token in tokens(plain)
        if token.word != NUMBER and not token.word.isdecimal() and token.written not in RHETORIC
    ]


def _coverage(article: Article, wanted: Mapping[str, float]) -> float:
    """How far words are treated, by weight: half for being there, half for how often."""
    treated = (
        weight * (0.5 + 0.5 * saturation(len(article.where[word]), TREATED))
        for word, weight in wanted.items()
        if word in article.where
    )
    return sum(treated) / sum(wanted.values()) if wanted else 0.0


def _comprehensiveness(question: _Question) -> float:
    relevant = question.relevant
    treated = 0.7 * saturation(len(relevant), RELEVANT)
    treated += 0.3 * saturation(len(figures_of(relevant)), FIGURES)
    return question.fit * (0.2 + 0.3 * treated + 0.5 * question.article.substance)


def _insight(question: _Question) -> float:
    near = reasoning_of(question.relevant, REASONED)
    return question.fit * (0.1 + 0.3 * near + 0.6 * question.article.reasoning)


def _instruction_following(question: _Question) -> float:
    article, asked = question.article, question.asked
    titles = sum(word in article.titles for word in asked) / max(1, len(asked))
    return question.fit * (
        0.2 + 0.2 * titles + 0.2 * _constraints_met(question) + 0.4 * article.substance
    )


def _constraints_met(question: _Question) -> float:
    """The share of figures, tables and lists asked for that are there; 1 if none are."""
    article, asked = question.article, f"{question.prompt}\n{question.text}"
    figures = {token.word for token in tokens(asked) if token.word.isdecimal()}
    met = [figure in article.figures for figure in figures]
    if ASKS_FOR_TABLE.search(asked):
        met.append(article.rows > 0)
    if ASKS_FOR_LIST.search(asked):
        met.append(article.items > 0)
    return sum(met) / len(met) if met else 1.0


def _readability(question: _Question) -> float:
    article = question.article
    weights = {side: ASKED_FOR if way.search(question.text) else 1.0 for side, way in FORMS.items()}
    form = sum(article.form[side] * weight for side, weight in weights.items())
    about = saturation(_coverage(article, question.asked), FIT)
    return form / sum(weights.values()) * (0.5 + 0.5 * about)


_SHARES: Final[Mapping[Dimension, Callable[[_Question], float]]] = {
    "comprehensiveness": _comprehensiveness,
    "insight": _insight,
    "instruction_following": _instruction_following,
    "readability": _readability,
}
