"""What people answered, question by question, with its history; what a second group is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deepassay.runfile.annotating import Rating, latest
from deepassay.runfile.file import RunFile
from deepassay.runfile.questions import Choice, Item, Question, Shown


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


def unanswered(run: RunFile) -> list[tuple[str, str]]:
    """Raters with the tasks that they have still to decide on, in the order of their duties."""
    tasks = [str(each["task"]) for each in run.annotating.items()]
    done = latest(run.annotating.ratings())
    return [
        (each.rater, tasks[each.item])
        for each in run.annotating.duties()
        if (each.rater, each.item) not in done
    ]


AGREED: Final = "agreed"
"""What the name of a question ends in that asks whether one agrees with another's answer."""

_AGREE: Final = (
    Choice(value="agree", en="agree", zh="同意"),
    Choice(value="disagree", en="disagree", zh="不同意", version="may", comment="must"),
)
_WORDS: Final = {
    "en": ("Do you agree with this answer?", "Answer", "Modified version", "Comment"),
    "zh": ("您是否同意这一回答？", "回答", "修改稿", "理由"),
}


def to_agree_on(item: Item, answers: Sequence[Answered]) -> Item:
    """What a second group is asked: whether it agrees with each of these answers of the first.

    Only questions with a menu. Column `judge` says whose answer it was, no page does; who gave one
    does not decide on any. Who disagrees says why, and may give a version of his own.
    """
    questions = []
    for each in answers:
        if not each.value:
            continue
        asked, said, version, comment = _WORDS[item.language]
        chosen = next(one for one in each.question.menu if one.value == each.value)
        shown = [Shown(label=said, text=chosen.zh if item.language == "zh" else chosen.en)]
        shown += [
            Shown(label=version, text="\n".join(filter(None, line.values()))) for line in each.lines
        ]
        shown += [Shown(label=comment, text=each.comment)] if each.comment else []
        boxes = each.question.boxes
        questions.append(
            Question(
                protocol=f"{each.question.protocol}/{AGREED}",
                item=each.question.item,
                judge=each.rater,
                text=f"{each.question.text}\n{asked}",
                shown=tuple(shown),
                menu=_AGREE
                if boxes
                else (_AGREE[0], _AGREE[1].model_copy(update={"version": "no"})),
                boxes=boxes,
                given=each.lines or each.question.given,
            )
        )
    barred = tuple(sorted({*item.barred, *(each.rater for each in answers)}))
    return item.model_copy(update={"questions": tuple(questions), "raters": (), "barred": barred})
