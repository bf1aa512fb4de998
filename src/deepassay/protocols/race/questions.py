"""What RACE asks: two articles side by side, one article alone, one mark for the whole, a cleaning.

DeepResearch Bench, sections 3.1 and 4.3 and the prompts of its appendix. The judge is shown each
criterion with an identifier and never its weight, and the articles under neutral names, so that
it cannot know which of them is the reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pydantic import RootModel

from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.protocols.overlap import mark, readable
from deepassay.protocols.protocol import PROMPTS
from deepassay.protocols.race.cleaning_checks import check_cleaned
from deepassay.protocols.race.extraction import released_json
from deepassay.protocols.race.marksheet import (
    Comparison,
    CriteriaList,
    Grading,
    Mark,
    Reason,
    check_entries,
)
from deepassay.protocols.race.released_cleaning import accepted
from deepassay.reports.clean import clean
from deepassay.score import Json
from deepassay.tasks.criteria import DIMENSIONS


class TwoArticles(Inputs):
    """Two articles on the same task, and the criteria to hold them against."""

    article_1: str
    article_2: str
    query: str
    criteria: CriteriaList


class OneArticle(Inputs):
    """One article and the criteria to hold it against."""

    article: str
    query: str
    criteria: CriteriaList


class PlainArticle(Inputs):
    """One article and what it was written for."""

    article: str
    query: str


class RawArticle(Inputs):
    """An article, or a piece of a long one, with its citations still in it."""

    article: str


class Overall(Reply):
    """One mark for the whole article."""

    overall_score: Mark
    justification: Reason


class Cleaned(Reply):
    """The article without its citations."""

    article: str


class RawComparison(RootModel[Json]):
    """Whatever JSON the released program finds in an answer."""

    @classmethod
    def model_json_schema(cls, *args: Json, **options: Json) -> dict[str, Json]:
        """The form that the judge is shown."""
        return Comparison.model_json_schema(*args, **options)


def _marks_by_rule(article: str, inputs: TwoArticles | OneArticle) -> list[float]:
    """The floor: of each criterion how many words the article holds, and how much that says."""
    return [mark(article, f"{name} {why}") for _, name, why in inputs.criteria.rows()]


def _by_rule(inputs: TwoArticles | OneArticle, marks: Iterable[Mapping[str, float]]) -> Json:
    """An answer of the offline rule: `marks` are the score fields of the criteria in order."""
    following = iter(marks)
    return {
        dimension: [
            {
                "id": each.id,
                "criterion": each.criterion,
                "analysis": "By rule: shared words counted, no judgement.",
                **next(following),
            }
            for each in inputs.criteria.of_dimension(dimension)
        ]
        for dimension in DIMENSIONS
    }


def _compare_by_rule(inputs: TwoArticles) -> Comparison:
    first = _marks_by_rule(inputs.article_1, inputs)
    second = _marks_by_rule(inputs.article_2, inputs)
    marks = (
        {"article_1_score": a, "article_2_score": b} for a, b in zip(first, second, strict=True)
    )
    return Comparison.model_validate(_by_rule(inputs, marks))


def _grade_by_rule(inputs: OneArticle) -> Grading:
    marks = ({"score": mark} for mark in _marks_by_rule(inputs.article, inputs))
    return Grading.model_validate(_by_rule(inputs, marks))


def _overall_by_rule(inputs: PlainArticle) -> Overall:
    return Overall(
        overall_score=mark(inputs.article, inputs.query),
        justification="By rule: words shared with the request counted, no judgement.",
    )


def _clean_by_rule(inputs: RawArticle) -> Cleaned:
    return Cleaned(article=clean(readable(inputs.article)))


def _all_compared(inputs: TwoArticles, answer: Comparison) -> None:
    check_entries(inputs.criteria, answer)


def _all_graded(inputs: OneArticle, answer: Grading) -> None:
    check_entries(inputs.criteria, answer)


def _check_cleaned(inputs: RawArticle, answer: Cleaned) -> None:
    check_cleaned(clean(inputs.article), answer.article)


def _long_enough(inputs: RawArticle, answer: Cleaned) -> None:
    if not accepted(answer.article):
        raise OffMenu("the cleaned article is too short")


COMPARE: Final = Operation(
    "race/compare",
    prompts=PROMPTS,
    takes=TwoArticles,
    gives=Comparison,
    offline=_compare_by_rule,
    check=_all_compared,
    version=2,
)

COMPARE_AS_RELEASED: Final = Operation(
    "race/compare",
    prompts=PROMPTS,
    takes=TwoArticles,
    gives=RawComparison,
    offline=lambda inputs: RawComparison(_compare_by_rule(inputs).model_dump()),
    reading=released_json,
    version=2,
)

GRADE: Final = Operation(
    "race/grade",
    prompts=PROMPTS,
    takes=OneArticle,
    gives=Grading,
    offline=_grade_by_rule,
    check=_all_graded,
    version=2,
)

VANILLA: Final = Operation(
    "race/vanilla",
    prompts=PROMPTS,
    takes=PlainArticle,
    gives=Overall,
    offline=_overall_by_rule,
    version=2,
)

CLEAN: Final = Operation(
    "race/clean",
    prompts=PROMPTS,
    takes=RawArticle,
    gives=Cleaned,
    offline=_clean_by_rule,
    check=_check_cleaned,
    version=2,
)

CLEAN_AS_RELEASED: Final = Operation(
    "race/clean",
    prompts=PROMPTS,
    takes=RawArticle,
    gives=Cleaned,
    offline=_clean_by_rule,
    check=_long_enough,
    reading="released",
)
