"""What people said as files that `agree` reads: decisions, spans, pairs, preferences."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from deepassay.errors import BadInput
from deepassay.files import as_json
from deepassay.results.tables import as_csv
from deepassay.runfile import Rating
from deepassay.runfile.questions import Item, Question
from deepassay.score import Json
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.spans import text_digest

COLUMNS: Final = (
    *("agent", "task", "sample", "rater", "protocol", "item", "judge", "score", "verdict"),
    *("note", "seconds", "saw_judge", "at"),
)
WRITTEN: Final = ("written", "comment")
"""Columns besides, where a question takes text."""
PAIRED: Final = ("rival", "rival_sample", "shown_first")
"""Columns besides, where pairs are asked about: whose the other is, and which stood first."""
SPANS: Final = (
    *("agent", "task", "sample", "rater", "question", "label", "start", "end", "length", "words"),
    *("comment", "beside", "beside_sample", "seconds", "saw_judge", "at", "text_digest"),
)


def decision_rows(book: StudyBook) -> Iterator[dict[str, Json]]:
    """A row for each question that a rater answered, as `agree --human` reads them, and more.

    Where answers are shares of a part of a score, the part has a row, and they stand in `written`.
    A question under whose labels spans are marked, and no more, has no row.
    """
    for (rater, number), rating in sorted(book.latest().items()):
        item, answers = book.items[number], rating.answers or {}
        for question in item.questions:
            if question.labels and not question.menu:
                continue
            said = answers.get(question.key, "")
            column = "written" if question.part else question.column
            written = _written(rating.lines.get(question.key, ()))
            comment = rating.comments.get(question.key, "")
            yield {
                **_place(item, rater, question, rating),
                "written": written,
                "comment": comment,
                column: said,
            }
        for (_, part), shares in _parts(item).items():
            total = sum(each.weight for each in shares)
            marks = [each.weight * float(answers[each.key]) for each in shares]
            place = _place(item, rater, shares[0], rating)
            yield place | {"item": part, "score": round(sum(marks) / total, 6) if total else ""}


def _place(item: Item, rater: str, question: Question, rating: Rating) -> dict[str, Json]:
    return {
        "agent": item.agent,
        "task": item.task,
        "sample": item.sample,
        "rater": rater,
        "protocol": question.protocol,
        "item": question.item,
        "judge": question.judge,
        "note": rating.note,
        "seconds": round(rating.seconds, 1),
        "saw_judge": "yes" if rating.saw_judge else "no",
        "at": rating.at,
        **(_rival(item) if item.rival_agent else {}),
    }


def _rival(item: Item) -> dict[str, Json]:
    return {
        "rival": item.rival_agent,
        "rival_sample": item.rival_sample,
        "shown_first": item.rival_agent if item.rival_first else item.agent,
    }


def _parts(item: Item) -> dict[tuple[str, str], list[Question]]:
    """The questions whose answers are shares, by protocol and part."""
    found: defaultdict[tuple[str, str], list[Question]] = defaultdict(list)
    for question in item.questions:
        if question.part:
            found[question.protocol, question.part].append(question)
    return found


def as_decisions(book: StudyBook) -> str:
    """The decisions of a study as CSV; no cell is one that a spreadsheet would execute."""
    asked = [question for item in book.items for question in item.questions]
    taking = any(q.boxes or q.part or any(c.comment != "no" for c in q.menu) for q in asked)
    paired = any(item.rival_agent for item in book.items)
    columns = [*COLUMNS, *(WRITTEN if taking else ()), *(PAIRED if paired else ())]
    return as_csv(list(decision_rows(book)), columns)


def as_spans(book: StudyBook) -> str:
    """What raters marked as CSV, for `agree spans`: a row for each span.

    start, end: characters of the report, of which there are `length`. Of a text in which a rater
    marked nothing there is a row without a label: that is something that was said. Raises
    BadInput where nothing is asked that spans are marked for.
    """
    asked = [question for item in book.items for question in item.questions if question.labels]
    if not asked:
        raise BadInput(
            "No question of this study has labels, so nothing was marked.",
            "The answers are in --format csv.",
        )
    rows = [
        row
        for (rater, number), rating in sorted(book.latest().items())
        for question in book.items[number].questions
        if question.labels
        for row in _span_rows(book.items[number], rater, question, rating)
    ]
    return as_csv(rows, SPANS)


def _span_rows(
    item: Item, rater: str, question: Question, rating: Rating
) -> Iterator[dict[str, Json]]:
    own, other = (item.agent, item.sample), (item.rival_agent, item.rival_sample)
    marked = rating.spans.get(question.key, ())
    for name, text in item.texts.items():
        is_own = (name == "first") is not item.rival_first
        (agent, sample), (beside, beside_sample) = (own, other) if is_own else (other, own)
        text_row: dict[str, Json] = {
            "agent": agent,
            "task": item.task,
            "sample": sample,
            "rater": rater,
            "question": question.key,
            "length": len(text),
            "beside": beside if item.rival else "",
            "beside_sample": beside_sample if item.rival else "",
            "seconds": round(rating.seconds, 1),
            "saw_judge": "yes" if rating.saw_judge else "no",
            "at": rating.at,
            "text_digest": text_digest(text),
        }
        spans = [each for each in marked if each.text == name]
        for each in spans:
            words = text[each.start : each.end] or each.words
            told = {"label": each.label, "words": words, "comment": each.comment}
            yield {**text_row, **told, "start": each.start, "end": each.end}
        if not spans:
            yield text_row


def as_pairs(book: StudyBook, key: str | None = None) -> str:
    """Which of two reports raters preferred, as RAGChecker publishes such labels, in JSON.

    That is what `agree preferences` has a judge compare. A label of 1 prefers the second report, -1
    the first, which is that of `agent` whichever was shown first; `shown_first` says that. key: of
    the question. Raises BadInput where no pair was asked about, or where it is not said by which of
    several questions.
    """
    asked = sorted(
        {
            question.key
            for item in book.items
            if item.rival_agent
            for question in item.questions
            if question.menu
        }
    )
    if (key is None and len(asked) != 1) or key not in (None, *asked):
        raise BadInput(
            f"Pairs are asked about by {len(asked)} questions"
            f"{', and by none that is called ' + key if key else ''}.",
            f"Name one with --question: {', '.join(asked)}." if asked else "Ask about `pairs`.",
        )
    chosen = key or asked[0]
    labels = {"win": -1, "tie": 0, "loss": 1}
    rows = []
    for (rater, number), rating in sorted(book.latest().items()):
        item, said = book.items[number], (rating.answers or {}).get(chosen)
        if not item.rival_agent or said is None:
            continue
        texts = [item.report, item.rival]
        one, other = reversed(texts) if item.rival_first else texts
        rows.append(
            {
                "study": chosen,
                "query": item.prompt or item.task,
                "dataset": item.task,
                "model1": {"name": item.agent, "sample": item.sample, "response": one},
                "model2": {
                    "name": item.rival_agent,
                    "sample": item.rival_sample,
                    "response": other,
                },
                "overall_label": labels[said],
                "rater": rater,
                "shown_first": "model2" if item.rival_first else "model1",
            }
        )
    return as_json(rows)


def _written(lines: Sequence[Mapping[str, str]]) -> str:
    """What was written as one cell: the text alone, or JSON where there is more."""
    if len(lines) == 1 and len(lines[0]) == 1:
        return next(iter(lines[0].values()))
    return json.dumps(lines, ensure_ascii=False) if lines else ""


def as_preferences(book: StudyBook) -> str:
    """Whom raters agreed with at the second look, as CSV for `agree preferences`.

    Without those at answers that were changed since. Raises BadInput where none is left.
    """
    rows = []
    for (rater, number), look in sorted(book.looks().items()):
        item, own = book.items[number], book.latest()[rater, number]
        for at, (question, letters) in enumerate(book.opinions(number)):
            said = f" {(look.answers or {}).get(question.key, '')} "
            chosen = [letter for letter, each in letters.items() if f" {each.judge} " in said]
            rows.append(
                {
                    "row": f"{number}.{at}",
                    "agent": item.agent,
                    "task": item.task,
                    "rater": rater,
                    "protocol": question.protocol,
                    "item": question.item,
                    "question": question.text,
                    "own verdict": (own.answers or {}).get(question.key, ""),
                    **{letter: each.verdict for letter, each in letters.items()},
                    "prefer": " ".join(chosen) or "none",
                    "key": json.dumps({name: each.judge for name, each in letters.items()}),
                }
            )
    if not rows:
        raise BadInput(
            "Nobody has had a second look at an answer that counts.",
            "Serve the study with --second-look, by a panel.",
        )
    return as_csv(rows)
