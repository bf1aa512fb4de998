"""What people said as CSV: the columns that `agree people` and `agree preferences` read."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.tables import as_csv
from deepassay.runfile import Rating
from deepassay.runfile.questions import Item, Question
from deepassay.score import Json
from deepassay.wings.people.annotate.book import StudyBook

COLUMNS: Final = (
    *("agent", "task", "sample", "rater", "protocol", "item", "judge", "score", "verdict"),
    *("note", "seconds", "saw_judge", "at"),
)
WRITTEN: Final = ("written", "comment")
"""Columns besides, where a question takes text."""


def decision_rows(book: StudyBook) -> Iterator[dict[str, Json]]:
    """A row for each question that a rater answered, as `agree --human` reads them, and more.

    Where answers are shares of a part of a score, the part has a row, and they stand in `written`.
    """
    for (rater, number), rating in sorted(book.latest().items()):
        item, answers = book.items[number], rating.answers or {}
        for question in item.questions:
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
    return as_csv(list(decision_rows(book)), [*COLUMNS, *(WRITTEN if taking else ())])


def _written(lines: Sequence[Mapping[str, str]]) -> str:
    """What was written as one cell: the text alone, or JSON where there is more."""
    if len(lines) == 1 and len(lines[0]) == 1:
        return next(iter(lines[0].values()))
    return json.dumps(lines, ensure_ascii=False) if lines else ""


def as_preferences(book: StudyBook) -> str:
    """Whom raters agreed with at the second look, as CSV for `agree preferences`.

    Raises BadInput where nobody has had one.
    """
    rows = []
    for (rater, number), look in sorted(book.looks().items()):
        item, own = book.items[number], book.latest().get((rater, number))
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
                    "own verdict": ((own and own.answers) or {}).get(question.key, ""),
                    **{letter: each.verdict for letter, each in letters.items()},
                    "prefer": " ".join(chosen) or "none",
                    "key": json.dumps({name: each.judge for name, each in letters.items()}),
                }
            )
    if not rows:
        raise BadInput(
            "Nobody has had a second look.", "Serve the study with --second-look, by a panel."
        )
    return as_csv(rows)
