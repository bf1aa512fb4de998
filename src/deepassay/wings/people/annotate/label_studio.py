"""The same study in Label Studio: tasks that it imports, and the answers that it exports.

A question about a report is one task there, with `answer` as the name of the choice: so questions
that differ from report to report need one labelling configuration only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deepassay.errors import BadInput
from deepassay.runfile import Rating
from deepassay.runfile.questions import Item, Question
from deepassay.score import Json, digest
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.words import WORDS

CONFIGURATION: Final = """\
<View>
  <Text name="prompt" value="$prompt"/>
  <View style="display: flex; gap: 2em">
    <View style="flex: 1"><Header value="$above"/><Text name="report" value="$report"/></View>
    <View style="flex: 1"><Header value="$beside"/><Text name="rival" value="$rival"/></View>
  </View>
  <Header value="$question"/>
  <Choices name="answer" toName="report" choice="single" value="$menu" required="true"/>
  <TextArea name="note" toName="report" maxSubmissions="1"/>
</View>
"""
"""How Label Studio is told to show the tasks that `as_label_studio` writes: two reports stand side
by side under their own headings, and what is chosen are the words of the menu."""


def as_label_studio(book: StudyBook) -> str:
    """Tasks with the annotations that there are, as Label Studio imports and exports them.

    Blind as the study is: nothing tells whose report it is but the number of the item, and an
    answer is the words of the menu, whose value would tell of two reports which is whose. Raises
    BadInput for questions that take text or passages, which stay here.
    """
    tasks = []
    for number, whole in enumerate(book.items):
        item = book.shown(number)
        words = WORDS[item.language]
        for at, question in enumerate(item.questions):
            if (
                question.boxes
                or question.labels
                or any(each.comment != "no" for each in question.menu)
            ):
                raise BadInput(
                    f"{item.task}: {question.key} takes more than an answer.",
                    "Only questions with a menu alone can be answered in Label Studio.",
                )
            shown = {
                "prompt": item.prompt,
                "above": words["first" if item.rival else "report"],
                "report": item.report or item.subject,
                "beside": words["second"] if item.rival else "",
                "rival": item.rival,
                "question": question.text,
                "menu": [{"value": each} for each in _in_words(question, item)],
                "study": book.name,
                "item": number,
                "place": at,
            }
            said = [
                _annotation(rating, _chosen(question, item, rating), at, len(whole.questions))
                for (_, own), rating in sorted(book.latest().items())
                if own == number
            ]
            tasks.append({"data": shown, "annotations": said})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def _in_words(question: Question, item: Item) -> list[str]:
    """The answers of a menu, by place, as they are shown: none twice."""
    shown = [each.zh if item.language == "zh" else each.en for each in question.menu]
    if len({*shown}) == len(shown):
        return shown
    return [f"{place}. {each}" for place, each in enumerate(shown, start=1)]


def _chosen(question: Question, item: Item, rating: Rating) -> str:
    values = [each.value for each in question.menu]
    return _in_words(question, item)[values.index((rating.answers or {})[question.key])]


def _annotation(rating: Rating, said: str, place: int, questions: int) -> Json:
    """One answer; the note, which is on the whole item, stands with the first."""
    result = [_part("answer", "choices", {"choices": [said]})]
    if rating.note and place == 0:
        result.append(_part("note", "textarea", {"text": [rating.note]}))
    return {
        "completed_by": rating.rater,
        "created_at": rating.at,
        "lead_time": round(rating.seconds / questions, 3),
        "result": result,
    }


def _part(name: str, kind: str, value: Json) -> Json:
    return {"from_name": name, "to_name": "report", "type": kind, "value": value}


@dataclass(frozen=True)
class ImportedRatings:
    """What an export brings. known: ratings that the study has; partial: with questions open."""

    fresh: tuple[Rating, ...]
    known: int
    partial: int


@dataclass
class _RaterWork:
    """What one rater said of one item so far."""

    answers: dict[str, str]
    notes: list[str]
    seconds: float = 0.0
    at: str = ""


def read_label_studio(
    path: Path, book: StudyBook, raters: Mapping[str, str] | None = None
) -> ImportedRatings:
    """The ratings of an export: of every rater and item whose questions are all answered.

    raters: who a user of Label Studio is here, by number or address. Raises BadInput, naming the
    task, for what is no answer to a question of this study, or by whom it was not asked.
    """
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: is no JSON ({error}).", "Give an export in JSON.") from None
    said: dict[tuple[str, int], _RaterWork] = {}
    place = 0
    try:
        for place, task in enumerate(tasks, start=1):
            _take(task, f"{path}, task {place}", book, raters or {}, said)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise BadInput(
            f"{path}, task {place}: {error} is not there, or not of this study.",
            "Give an export of the tasks that `annotate export --format label-studio` wrote.",
        ) from None
    whole = {
        key: each
        for key, each in said.items()
        if len(each.answers) == len(book.items[key[1]].questions)
    }
    fresh = [
        rating
        for key, each in whole.items()
        if not _is_known(*key, each, book) and not book.has((rating := _rating(*key, each)).form)
    ]
    return ImportedRatings(tuple(fresh), len(whole) - len(fresh), len(said) - len(whole))


def _take(
    task: Json,
    place: str,
    book: StudyBook,
    raters: Mapping[str, str],
    said: dict[tuple[str, int], _RaterWork],
) -> None:
    """Add what was said in one task."""
    data = task["data"]
    number, at = data["item"], data["place"]
    if data["study"] != book.name or min(number, at) < 0:
        raise IndexError(f"item {number}")
    question = book.items[number].questions[at]
    for annotation in task["annotations"]:
        if not annotation["result"] or annotation.get("was_cancelled"):  # skipped
            continue
        rater, answer = _who(annotation, raters), _value(annotation, "answer", "choices")
        _check(place, rater, number, book)
        shown = _in_words(question, book.items[number])
        if answer not in shown:
            raise BadInput(
                f"{place}: {rater} said {answer!r}.",
                f"Answers are {', '.join(shown)}. Exports of tasks that an older version wrote "
                "have other words: write the tasks anew.",
            )
        own = said.setdefault((rater, number), _RaterWork({}, []))
        own.answers[question.key] = question.menu[shown.index(answer)].value
        own.seconds += float(annotation.get("lead_time") or 0)
        own.at = max(own.at, str(annotation.get("created_at") or ""))
        if (note := _value(annotation, "note", "text")) and note not in own.notes:
            own.notes.append(note)


def _check(place: str, rater: str, number: int, book: StudyBook) -> None:
    if rater not in book.raters:
        raise BadInput(
            f"{place}: {rater!r} is none of the raters, {', '.join(book.raters)}.",
            f"Say who that is: --rater {rater}={book.raters[0]}.",
        )
    if not book.is_duty(rater, number):
        raise BadInput(
            f"{place}: item {number} was not given to {rater}.",
            "Leave it out: who decides on what was drawn by chance when the study began.",
        )


def _rating(rater: str, number: int, own: _RaterWork) -> Rating:
    note = "\n".join(own.notes)
    name = digest([rater, number, own.answers, note, own.at])[:24]
    form = f"label-studio/{name}"
    return Rating(form, rater, number, own.answers, note, own.seconds, own.at)


def _is_known(rater: str, number: int, own: _RaterWork, book: StudyBook) -> bool:
    """Whether the study says the same already; a note that did not come along is kept there."""
    before = book.latest().get((rater, number))
    return (
        before is not None
        and before.answers == own.answers
        and before.note in ("\n".join(own.notes), before.note * (not own.notes))
    )


def _who(annotation: Mapping[str, Json], raters: Mapping[str, str]) -> str:
    by = annotation["completed_by"]
    names = (
        [str(by[name]) for name in ("id", "email") if by.get(name)]
        if isinstance(by, Mapping)
        else [str(by)]
    )
    return next((raters[each] for each in names if each in raters), names[-1])


def _value(annotation: Mapping[str, Json], name: str, kind: str) -> str:
    """The first value of a part of an annotation, empty where it is not there."""
    found = [each["value"][kind] for each in annotation["result"] if each["from_name"] == name]
    if not found and name == "answer":
        raise KeyError(name)
    return str(found[0][0] if isinstance(found[0], list) else found[0]) if found else ""
