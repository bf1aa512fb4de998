"""Queries of users: whether they ask for deep research, and on which of the 22 topics.

DeepResearch Bench, section 2.1 and appendix B. Its prompts are not published; the questions and the
text of the taxonomy are ours. That a topic is asked for twice, with the menu the other way round,
is ours too: a model that leans to what stands first on a menu disagrees with itself.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import fsum
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

import numpy as np
from pydantic import Field

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, Operation, Reply, Trusted
from deepassay.score import Signature, Unscored, digest
from deepassay.tasks.entries import append
from deepassay.tasks.fields import Record, Text
from deepassay.tasks.task import Language, Task
from deepassay.tasks.topics import TOPICS, Topic
from deepassay.text import IN_EVERY_TEXT, count_words
from deepassay.wings.build.arena.transcript import read_unique
from deepassay.wings.build.leakage.leakage import leakage_words
from deepassay.wings.build.wording import PROMPTS, wordings
from deepassay.wings.build.yardsticks.criteria import Query

TopicOrNone = Literal[Topic, "none"]

PASSED: Final = (44_019, 96_147)
"""Queries that asked for deep research, and all, in the paper."""


class Demand(Reply):
    """What a query calls for, and why."""

    reason: Text
    needs_many_sources: bool
    needs_analysis: bool
    wants_report: bool
    self_contained: bool

    @property
    def deep_research(self) -> bool:
        """Whether it is a task of deep research: several searches, analysis and a report."""
        return self.needs_many_sources and self.needs_analysis and self.wants_report


_ANALYSIS: Final = re.compile(
    r"\b(?:analy[sz]|compar|differ|evaluat|assess|impact|affect|influenc|trend|forecast|predict|"
    r"explor|investigat|research|why|how\b.{0,40}\b(?:do|did|have|should|could|will)\b)"
    r"|分析|对比|比较|评估|影响|趋势|预测|调研|研究|探讨|为什么|原因|关系|如何",
    re.IGNORECASE,
)
_ABSENT: Final = re.compile(
    r"\b(?:attached|above|this (?:text|file|image|picture|article))\b|附件|上文|以上内容|这张图",
    re.IGNORECASE,
)
LONG: Final[Mapping[Language, int]] = {"en": 12, "zh": 16}
"""Words, or Chinese characters, of a query that wants more than a fact: the offline rule."""


def _demand_by_rule(inputs: Query) -> Demand:
    """By length, by words for analysis, and by words that lean on something absent."""
    length = count_words(inputs.query)
    long = length >= LONG[inputs.language]
    return Demand(
        reason=f"by rule: {length} words or Chinese characters",
        needs_many_sources=long,
        needs_analysis=_ANALYSIS.search(inputs.query) is not None,
        wants_report=long,
        self_contained=_ABSENT.search(inputs.query) is None,
    )


IS_DEEP_RESEARCH: Final = Operation(
    "topics/is_deep_research",
    prompts=PROMPTS,
    takes=Query,
    gives=Demand,
    offline=_demand_by_rule,
)


class QueryAndMenu(Inputs):
    """A query, and a line for each topic in the order in which this question has them."""

    query: str
    menu: Annotated[str, Trusted]


class Classified(Reply):
    """The topic of a query, and why it is that."""

    topic: TopicOrNone
    reason: Text


def menus(query: str, language: Language, seed: int) -> tuple[str, str]:
    """The topics in an order drawn for this query, and the other way round; none stands last."""
    chance = np.random.default_rng([seed, int(digest(query)[:8], 16)])
    drawn = [TOPICS[place] for place in chance.permutation(len(TOPICS))]
    return _menu(drawn, language), _menu(drawn[::-1], language)


def _menu(order: Sequence[Topic], language: Language) -> str:
    texts = wordings("taxonomy", language)
    return "\n".join(f"- {topic}: {texts[topic]}" for topic in [*order, "none"])


_ON_MENU: Final = re.compile(r"^- ([^:]+):", re.MULTILINE)


def _classified_by_rule(inputs: QueryAndMenu) -> Classified:
    """The topic whose text shares most words with the query, rare ones counting most.

    Of equal ones the first of the menu, so that a guess differs from one menu to the other.
    """
    own, weights = set(leakage_words(inputs.query)), _weights(inputs.language)
    points = {  # the sum of the library does not depend on the order of a set
        topic: fsum(weights[topic].get(word, 0.0) for word in own)
        for topic in _ON_MENU.findall(inputs.menu)
        if topic in weights
    }
    best = max(points, key=points.__getitem__)
    if not points[best]:
        return Classified(topic="none", reason="by rule: no word of any topic's text")
    return Classified(topic=best, reason=f"by rule: shared words weigh {points[best]:.2f}")


@cache
def _weights(language: Language) -> Mapping[str, Mapping[str, float]]:
    """For each topic, the words of its text, each by one over the topics whose texts have it."""
    texts = wordings("taxonomy", language)
    own = {topic: set(leakage_words(f"{topic} {texts[topic]}")) - IN_EVERY_TEXT for topic in TOPICS}
    often = Counter(word for each in own.values() for word in each)
    return {topic: {word: 1 / often[word] for word in each} for topic, each in own.items()}


CLASSIFY: Final = Operation(
    "topics/classify",
    prompts=PROMPTS,
    takes=QueryAndMenu,
    gives=Classified,
    offline=_classified_by_rule,
)


class SortedQuery(Record):
    """A query with what was found of it, as a line of a file has it.

    topics, topic_reasons: of the two answers, which may differ; nothing where the query asks for
    no deep research. recipe: see `topics_recipe`.
    """

    id: Text
    prompt: Text
    language: Language
    deep_research: bool
    needs_many_sources: bool
    needs_analysis: bool
    wants_report: bool
    self_contained: bool
    reason: Text
    topics: Annotated[tuple[TopicOrNone, ...], Field(strict=False, max_length=2)] = ()
    topic_reasons: Annotated[tuple[Text, ...], Field(strict=False)] = ()
    recipe: Text


def topics_recipe(model: str, temperature: float | None, seed: int) -> str:
    """What decides whether two distributions may be compared, on one line."""
    asked = [
        operation.digest(language, offline=model == "offline")
        for operation in (IS_DEEP_RESEARCH, CLASSIFY)
        for language in get_args(Language)
    ]
    texts = [dict(wordings("taxonomy", language)) for language in get_args(Language)]
    sent = {} if temperature is None else {"temperature": temperature}
    prompts = digest([*asked, *texts])[:12]
    identity = {"topics": "bench", "model": model, **sent, "prompts": prompts, "seed": seed}
    return str(Signature(identity))


async def sort_query(task: Task, maker: Asker, seed: int, recipe: str) -> SortedQuery | Unscored:
    """Ask what a query calls for and, if that is deep research, for its topic twice."""
    asked = await maker(IS_DEEP_RESEARCH, Query(language=task.language, query=task.prompt))
    if isinstance(asked, Unscored):
        return asked
    demand = asked.value
    found: list[Classified] = []
    if demand.deep_research:
        answers = await asyncio.gather(
            *(
                maker(CLASSIFY, QueryAndMenu(language=task.language, query=task.prompt, menu=menu))
                for menu in menus(task.prompt, task.language, seed)
            )
        )
        for answer in answers:
            if isinstance(answer, Unscored):
                return Unscored(answer.cause, f"topic: {answer.detail}", answer.details)
            found.append(answer.value)
    return SortedQuery(
        id=task.id,
        prompt=task.prompt,
        language=task.language,
        deep_research=demand.deep_research,
        **demand.model_dump(),
        topics=tuple(each.topic for each in found),
        topic_reasons=tuple(each.reason for each in found),
        recipe=recipe,
    )


def read_sorted(path: Path) -> list[SortedQuery]:
    """The queries of a file that `tasks topics` wrote. Raises BadTasks."""
    return read_unique(path, SortedQuery, "a query", "id")


def write_sorted(path: Path, queries: Iterable[SortedQuery]) -> None:
    """Add queries at the end of a file, making it if it is missing. Raises BadTasks."""
    append(path, [each.model_dump(mode="json") for each in queries])


@dataclass(frozen=True)
class Demands:
    """How queries are distributed. counts: by topic, all 22; a half where two answers differ.

    queries: all of them. passed: those that ask for deep research. disputed: those of them with
    two topics. none: those with no topic, halves included. other: topics that are none of the 22.
    recipes: by which they were sorted; none for topics as published.
    """

    counts: Mapping[Topic, float]
    queries: int
    passed: int
    disputed: int = 0
    none: float = 0.0
    other: Mapping[str, float] = field(default_factory=dict)
    recipes: tuple[str, ...] = ()

    @property
    def classified(self) -> float:
        """Queries with one of the topics."""
        return sum(self.counts.values())

    def share(self, topic: Topic) -> float | None:
        """Of a topic, among all that have one."""
        return self.counts[topic] / self.classified if self.classified else None


def demands_of(queries: Sequence[SortedQuery]) -> Demands:
    """The distribution of these queries."""
    passed = [each for each in queries if each.deep_research and each.topics]
    # Two answers a query, of which a person may have left one.
    votes = Counter(topic for each in passed for topic in (each.topics * 2)[:2])
    return Demands(
        counts={topic: votes[topic] / 2 for topic in TOPICS},
        queries=len(queries),
        passed=len(passed),
        disputed=sum(len(set(each.topics)) > 1 for each in passed),
        none=votes["none"] / 2,
        recipes=tuple(dict.fromkeys(each.recipe for each in queries)),
    )
