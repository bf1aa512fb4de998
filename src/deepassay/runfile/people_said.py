"""Reads what people answered, question by question, with its history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from deepassay.runfile.annotating import Rating, latest
from deepassay.runfile.file import RunFile
from deepassay.runfile.questions import Item, Question


@dataclass(frozen=True)
class Answered:
    """What one rater answered to one question.

    number: of the item in its study. value: empty where there is no menu. lines: a modified
    version, a draft, or lines. comment: on this answer; note: on the whole item. seconds: with the
    item open. at: UTC, ISO 8601. counts: whether it stands; taken_back_at: when it was taken back.
    """

    number: int
    item: Item
    question: Question
    rater: str
    value: str
    lines: tuple[Mapping[str, str], ...]
    comment: str
    note: str
    seconds: float
    at: str
    counts: bool
    taken_back_at: str = ""

    @property
    def task(self) -> str:
        """Identifier of what was asked about."""
        return self.item.task

    @property
    def text(self) -> str:
        """The text of the version or the draft, empty if there is none."""
        return self.lines[0].get("text", "") if self.lines else ""


def answered(run: RunFile, *, history: bool = False) -> list[Answered]:
    """All answers of a study, in the order in which they were given.

    history: with those that were given again or taken back, which do not count. What was said of
    judges at a second look is none of them.
    """
    items = [Item.model_validate(each) for each in run.annotating.items()]
    ratings = [each for each in run.annotating.ratings() if not each.second]
    standing = {each.form for each in latest(ratings).values()}
    found: list[Answered] = []
    for each in ratings:
        if each.answers is None:
            found = [_taken_back(one, each) for one in found]
        else:
            found += _of_rating(each, items[each.item], each.form in standing)
    return found if history else [each for each in found if each.counts]


def _of_rating(rating: Rating, item: Item, counts: bool) -> Iterator[Answered]:
    for question in item.questions:
        yield Answered(
            rating.item,
            item,
            question,
            rating.rater,
            (rating.answers or {}).get(question.key, ""),
            tuple(rating.lines.get(question.key, ())),
            rating.comments.get(question.key, ""),
            rating.note,
            rating.seconds,
            rating.at,
            counts,
        )


def _taken_back(one: Answered, by: Rating) -> Answered:
    if one.taken_back_at or (one.rater, one.number) != (by.rater, by.item):
        return one
    return replace(one, taken_back_at=by.at)
