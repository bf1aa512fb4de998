"""What stands in a form that a rater sent, and what is missing in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.datastructures import FormData

from deepassay.runfile import Rating
from deepassay.runfile.annotating import MarkedSpan, TextName
from deepassay.runfile.questions import LONGEST_TEXT, Box, Choice, Item, Question
from deepassay.text import visible_text
from deepassay.wings.people.annotate.spans import ShownText, spans_sent

LONGEST_NOTE: Final = 4000

Line = Mapping[str, str]
Texts = Mapping[TextName, ShownText]
"""The texts of an item, as its raters see them."""

_NUMBER: Final = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?", re.ASCII)


@dataclass
class FilledForm:
    """A form. typed: lines by key of question, as they were typed; comments: the same.

    spans: by key, what was marked. open: of questions that are not answered, what is missing, by
    its name in `words`.
    """

    answers: dict[str, str] = field(default_factory=dict)
    typed: dict[str, list[Line]] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    spans: dict[str, list[MarkedSpan]] = field(default_factory=dict)
    note: str = ""
    open: dict[str, str] = field(default_factory=dict)

    def lines_of(self, question: Question) -> list[Line]:
        """What stands in the boxes of a question, with an empty line where one may be added."""
        lines = self.typed.get(question.key, list(question.given))
        least = max(1, question.least, min(len(lines) + 1, question.most))
        return [*lines, *({} for _ in range(least - len(lines)))]


def filled_before(rating: Rating, item: Item) -> FilledForm:
    """The form of which a rating came; of answers that took no version, the original stands."""
    lines = {key: list(each) for key, each in rating.lines.items()}
    blank: dict[str, list[Line]] = {
        each.key: [] for each in item.questions if not each.menu and each.boxes
    }
    return FilledForm(
        dict(rating.answers or {}),
        blank | lines,
        dict(rating.comments),
        {key: list(each) for key, each in rating.spans.items()},
        rating.note,
    )


def read_form(form: FormData, item: Item, texts: Texts) -> FilledForm:
    """What was sent, all of it, and what is still open. item: whole, not as it was shown."""
    found = FilledForm(note=_text(form, "note", LONGEST_NOTE))
    for number, question in enumerate(item.questions):
        name, key = f"q{number}", question.key
        # A page sends the place of an answer: its value may tell which of two reports is whose.
        given = str(form.get(name, ""))
        places = {str(place): each for place, each in enumerate(question.menu)}
        chosen = places.get(given)
        if chosen:
            found.answers[key] = chosen.value
        if comment := _text(form, f"{name}.comment"):
            found.comments[key] = comment
        if question.boxes:
            found.typed[key] = _lines(form, name, question)
        if question.labels:
            sent = str(form.get(f"{name}.spans", ""))
            found.spans[key], lost = spans_sent(sent, question, item, texts)
            if lost:
                found.open[key] = "lost_span"
        if problem := _missing(question, chosen, found):
            found.open.setdefault(key, problem)
    return found


def kept(found: FilledForm, item: Item) -> tuple[dict[str, list[Line]], dict[str, str]]:
    """The lines and the comments that belong to the answers: what those take, and what is new."""
    lines, comments = {}, {}
    for question in item.questions:
        key = question.key
        chosen = next((e for e in question.menu if e.value == found.answers.get(key)), None)
        written = [each for each in found.typed.get(key, []) if any(each.values())]
        if chosen is None or chosen.version != "no":
            own = [each for each in written if not _is_original(each, question)]
            if own:
                lines[key] = own
        if chosen is not None and chosen.comment != "no" and key in found.comments:
            comments[key] = found.comments[key]
    return lines, comments


def _missing(question: Question, chosen: Choice | None, found: FilledForm) -> str:
    """What an answer lacks, by its name in `words`; empty if nothing."""
    lines = [each for each in found.typed.get(question.key, []) if any(each.values())]
    if question.menu:
        if chosen is None:
            return "open"
        new = [each for each in lines if not _is_original(each, question)]
        if chosen.version == "must" and not new:
            return "no_version"
        lines = new if chosen.version != "no" else []
        silent = chosen.comment == "must" and question.key not in found.comments
    else:
        if len(lines) < question.least and not question.labels:
            return "too_few"
        silent = False
    if problem := _of_spans(question, found.spans.get(question.key, [])):
        return problem
    wrong = next(filter(None, (_wrong(each, question.boxes) for each in lines)), "")
    return wrong or ("no_comment" if silent else "")


def _of_spans(question: Question, spans: Sequence[MarkedSpan]) -> str:
    """What is missing in what was marked."""
    if question.labels and len(spans) < question.least:
        return "too_few_spans"
    explained = {each.value for each in question.labels if each.comment == "must"}
    silent = any(each.label in explained and not each.comment for each in spans)
    return "no_comment" if silent else ""


def _wrong(line: Line, boxes: Sequence[Box]) -> str:
    for box in boxes:
        text = line.get(box.name, "")
        if not text:
            if box.required:
                return "empty_box"
        elif box.kind == "number" and not _NUMBER.fullmatch(text):
            return "no_number"
        elif box.kind == "choice" and text not in {each.value for each in box.menu}:
            return "empty_box"
    return ""


def _is_original(line: Line, question: Question) -> bool:
    """Whether nothing was changed, as far as one can see."""
    if not question.menu:
        return False
    before = {
        name: visible_text(text).split() for name, text in question.original.items() if text.strip()
    }
    return {name: visible_text(text).split() for name, text in line.items() if text} == before


def _lines(form: FormData, name: str, question: Question) -> list[Line]:
    lines: list[Line] = [
        {box.name: _text(form, f"{name}.{at}.{box.name}") for box in question.boxes}
        for at in range(question.most)
    ]
    while lines and not any(lines[-1].values()):
        lines.pop()
    return lines


def _text(form: FormData, name: str, longest: int = LONGEST_TEXT) -> str:
    return str(form.get(name, "")).replace("\r\n", "\n").replace("\0", "").strip()[:longest]


def typed_key(question: Question, place: int) -> str:
    """What is typed for the answer at a place of a menu; its digits, where there are over ten.

    Answers of a scale have their own number, others that of their place, from 1 on.
    """
    scored = question.column == "score" and all(e.value.isdigit() for e in question.menu)
    keys = [each.value if scored else str(at) for at, each in enumerate(question.menu, start=1)]
    few = len(keys) <= (11 if scored else 10)
    return "x" if few and keys[place] == "10" else keys[place]
