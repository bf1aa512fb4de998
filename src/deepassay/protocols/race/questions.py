"""What RACE asks: two articles side by side, one article alone, or one mark for the whole.

DeepResearch Bench, sections 3.1 and 4.3 and the prompts of its appendix. The judge is shown each
criterion with an identifier and never its weight, and the articles under neutral names. Every
criterion is answered by identifier and text, in its dimension, exactly once, so that no mark can
come to stand for another criterion by luck.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Annotated, Any, Final, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from deepassay.models.form import Form
from deepassay.models.operation import Expected, Inputs, OffMenu, Operation, Reply, Trusted
from deepassay.models.usage import Range, token_range
from deepassay.protocols.expected import ANALYSIS, FRAME, VERDICT, for_each, times
from deepassay.protocols.overlap import mark
from deepassay.protocols.protocol import PROMPTS
from deepassay.score import Json
from deepassay.tasks.yardsticks import DIMENSIONS, Dimension, WeightedCriterion

Mark = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]
"""0 to 10, as a judge gives it."""

Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

_QUOTES: Final = str.maketrans(dict.fromkeys('“”„‟«»‘’‚‛‹›「」『』＂＇"`´', "'"))
_NAMED: Final = 5
"""Problems of an answer that are named to the model at once."""


class ListedCriterion(BaseModel):
    """One criterion as a judge sees it; id: `c1` and on, over all four dimensions."""

    model_config = ConfigDict(frozen=True)

    id: Annotated[str, Trusted]
    criterion: str
    explanation: str


class CriteriaList(BaseModel):
    """All criteria of a task, their weights withheld."""

    model_config = ConfigDict(frozen=True)

    comprehensiveness: tuple[ListedCriterion, ...]
    insight: tuple[ListedCriterion, ...]
    instruction_following: tuple[ListedCriterion, ...]
    readability: tuple[ListedCriterion, ...]

    @classmethod
    def of(cls, criterions: Mapping[Dimension, Sequence[WeightedCriterion]]) -> Self:
        """Numbered through in the order of the dimensions."""
        numbers = count(1)
        return cls.model_validate(
            {
                dimension: [
                    {
                        "id": f"c{next(numbers)}",
                        "criterion": each.criterion,
                        "explanation": each.explanation,
                    }
                    for each in criterions[dimension]
                ]
                for dimension in DIMENSIONS
            }
        )

    def of_dimension(self, dimension: Dimension) -> tuple[ListedCriterion, ...]:
        """The criteria of one dimension."""
        listed: tuple[ListedCriterion, ...] = getattr(self, dimension)
        return listed

    def rows(self) -> list[tuple[Dimension, str, str]]:
        """Dimension, criterion and explanation of each, as the offline rule takes them."""
        return [
            (dimension, each.criterion, each.explanation)
            for dimension in DIMENSIONS
            for each in self.of_dimension(dimension)
        ]


class CriterionEntry(Reply):
    """What is said on one criterion."""

    id: str
    criterion: str
    analysis: Reason


class ComparedEntry(CriterionEntry):
    """What is said on one criterion, with a mark for each of two articles."""

    article_1_score: Mark
    article_2_score: Mark


class FourComparedEntry(ComparedEntry):
    """What is said on one criterion, with a mark for each of four articles."""

    article_3_score: Mark
    article_4_score: Mark


class GradedEntry(CriterionEntry):
    """What is said on one criterion, with the mark of the one article."""

    score: Mark


AnEntry = TypeVar("AnEntry", bound=CriterionEntry)


class Marksheet(Reply, Generic[AnEntry]):
    """Every criterion in its dimension."""

    comprehensiveness: list[AnEntry]
    insight: list[AnEntry]
    instruction_following: list[AnEntry]
    readability: list[AnEntry]

    @property
    def entries(self) -> list[tuple[Dimension, AnEntry]]:
        """As they were answered, each with the dimension it stands under."""
        return [(each, entry) for each in DIMENSIONS for entry in getattr(self, each)]

    @property
    def in_order(self) -> list[AnEntry]:
        """In the order in which the criteria were asked, once the answer has passed its check."""
        return sorted((entry for _, entry in self.entries), key=lambda each: int(each.id[1:]))


class ComparedMarks(Marksheet[ComparedEntry]):
    """An entry with the marks of both articles for every criterion."""


class FourComparedMarks(Marksheet[FourComparedEntry]):
    """An entry with the marks of four articles for every criterion."""


class GradedMarks(Marksheet[GradedEntry]):
    """An entry with the mark of the article for every criterion."""


def folded_criterion(criterion: str) -> str:
    """The text of a criterion without differences of blanks and of the style of quotation marks."""
    return " ".join(criterion.translate(_QUOTES).split())


def check_entries(inputs: TwoArticles | OneArticle, answer: Marksheet[Any]) -> None:
    """Raise OffMenu unless every criterion is answered once, in its dimension, under its text."""
    asked = {
        each.id: (dimension, each.criterion)
        for dimension in DIMENSIONS
        for each in inputs.criteria.of_dimension(dimension)
    }
    problems: list[str] = []
    seen: set[str] = set()
    for dimension, entry in answer.entries:
        if entry.id not in asked:
            problems.append(f"{entry.id[:20]!r} is no identifier of a criterion")
            continue
        home, text = asked[entry.id]
        if entry.id in seen:
            problems.append(f"{entry.id} occurs twice")
        if dimension != home:
            problems.append(f"{entry.id} belongs under {home}, not under {dimension}")
        if entry.criterion != text and folded_criterion(entry.criterion) != folded_criterion(text):
            problems.append(f"the criterion {entry.id} reads {text!r}: copy it exactly")
        seen.add(entry.id)
    problems += [f"{each} is missing" for each in asked if each not in seen]
    if problems:
        more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
        raise OffMenu("; ".join(problems[:_NAMED]) + more)


class TwoArticles(Inputs):
    """Two articles on the same task, and the criteria to hold them against."""

    article_1: str
    article_2: str
    query: str
    criteria: CriteriaList


class FourArticles(TwoArticles):
    """Four articles on the same task, and the criteria to hold them against."""

    article_3: str
    article_4: str


class OneArticle(Inputs):
    """One article and the criteria to hold it against."""

    article: str
    query: str
    criteria: CriteriaList


class PlainArticle(Inputs):
    """One article and what it was written for."""

    article: str
    query: str


class Overall(Reply):
    """One mark for the whole article."""

    overall_score: Mark
    justification: Reason


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


def _compare_by_rule(inputs: TwoArticles) -> ComparedMarks:
    first = _marks_by_rule(inputs.article_1, inputs)
    second = _marks_by_rule(inputs.article_2, inputs)
    marks = (
        {"article_1_score": a, "article_2_score": b} for a, b in zip(first, second, strict=True)
    )
    return ComparedMarks.model_validate(_by_rule(inputs, marks))


def _compare_four_by_rule(inputs: FourArticles) -> FourComparedMarks:
    articles = (inputs.article_1, inputs.article_2, inputs.article_3, inputs.article_4)
    columns = [_marks_by_rule(article, inputs) for article in articles]
    rows = (
        {f"article_{n}_score": m for n, m in enumerate(row, 1)}
        for row in zip(*columns, strict=True)
    )
    return FourComparedMarks.model_validate(_by_rule(inputs, rows))


def _grade_by_rule(inputs: OneArticle) -> GradedMarks:
    marks = ({"score": mark} for mark in _marks_by_rule(inputs.article, inputs))
    return GradedMarks.model_validate(_by_rule(inputs, marks))


def _overall_by_rule(inputs: PlainArticle) -> Overall:
    return Overall(
        overall_score=mark(inputs.article, inputs.query),
        justification="By rule: words shared with the request counted, no judgement.",
    )


def _marksheet_form(inputs: TwoArticles | OneArticle, form: Form) -> None:
    """An entry for each criterion, in its dimension, with its identifier and text."""
    for dimension in DIMENSIONS:
        listed = inputs.criteria.of_dimension(dimension)
        rows = [{"id": each.id, "criterion": each.criterion} for each in listed]
        form.rows(dimension, rows, theirs="criterion")


def _marksheet_tokens(inputs: TwoArticles | OneArticle) -> Range:
    """Each criterion copied, with an analysis and its marks."""
    rows = inputs.criteria.rows()
    names = sum((token_range(name) for _, name, _ in rows), Range(0, 0, 0))
    return names + (FRAME + FRAME + ANALYSIS) * times(len(rows))


COMPARE: Final = Operation(
    "race/compare",
    prompts=PROMPTS,
    takes=TwoArticles,
    gives=ComparedMarks,
    offline=_compare_by_rule,
    check=check_entries,
    shape=_marksheet_form,
    rule=2,
    expected=Expected(_marksheet_tokens),
)

COMPARE_FOUR: Final = Operation(
    "race/compare_four",
    prompts=PROMPTS,
    takes=FourArticles,
    gives=FourComparedMarks,
    offline=_compare_four_by_rule,
    check=check_entries,
    shape=_marksheet_form,
    expected=Expected(_marksheet_tokens),
)

GRADE: Final = Operation(
    "race/grade",
    prompts=PROMPTS,
    takes=OneArticle,
    gives=GradedMarks,
    offline=_grade_by_rule,
    check=check_entries,
    shape=_marksheet_form,
    rule=2,
    expected=Expected(_marksheet_tokens),
)

VANILLA: Final = Operation(
    "race/vanilla",
    prompts=PROMPTS,
    takes=PlainArticle,
    gives=Overall,
    offline=_overall_by_rule,
    rule=2,
    expected=for_each(VERDICT),
)
