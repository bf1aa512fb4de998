"""What people said as files: the columns that `agree` reads, and the JSON of Label Studio."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.results.tables import as_csv
from deepassay.score import Json
from deepassay.web.annotate.book import Book


def decision_rows(book: Book) -> Iterator[dict[str, Json]]:
    """A row for each question that a rater answered, as `agree --human` reads them, and more."""
    for (rater, number), rating in sorted(book.latest().items()):
        item = book.items[number]
        for question in item.questions:
            said = (rating.answers or {})[question.key]
            yield {
                "agent": item.agent,
                "task": item.task,
                "sample": item.sample,
                "rater": rater,
                "protocol": question.protocol,
                "item": question.item,
                "judge": question.judge,
                "score": said if question.column == "score" else "",
                "verdict": said if question.column == "verdict" else "",
                "note": rating.note,
                "seconds": round(rating.seconds, 1),
                "saw_judge": "yes" if rating.saw_judge else "no",
                "at": rating.at,
            }


def as_decisions(book: Book) -> str:
    """The same as CSV; no cell is one that a spreadsheet would execute."""
    return as_csv(list(decision_rows(book)), COLUMNS)


COLUMNS = (
    *("agent", "task", "sample", "rater", "protocol", "item", "judge", "score", "verdict"),
    *("note", "seconds", "saw_judge", "at"),
)
