"""What people said as files: the columns that `agree` reads, and the JSON of Label Studio.

Of Label Studio, a question about a report is one task, with `answer` as the name of the choice:
so questions that differ from report to report need one labelling configuration only.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.tables import as_csv
from deepassay.runfile import Rating
from deepassay.score import Json, digest
from deepassay.web.annotate.book import Book

COLUMNS: Final = (
    *("agent", "task", "sample", "rater", "protocol", "item", "judge", "score", "verdict"),
    *("note", "seconds", "saw_judge", "at"),
)
WRITTEN: Final = ("written", "comment")
"""Columns besides, where a question takes text."""

CONFIGURATION: Final = """\
<View>
  <Text name="prompt" value="$prompt"/>
  <Text name="report" value="$report"/>
  <Header value="$question"/>
  <Choices name="answer" toName="report" choice="single" value="$menu" required="true"/>
</View>
"""
"""How Label Studio is told to show the tasks that `as_label_studio` writes."""


def decision_rows(book: Book) -> Iterator[dict[str, Json]]:
    """A row for each question that a rater answered, as `agree --human` reads them, and more."""
    for (rater, number), rating in sorted(book.latest().items()):
        item = book.items[number]
        for question in item.questions:
            said = (rating.answers or {}).get(question.key, "")
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
                "written": _written(rating.lines.get(question.key, ())),
                "comment": rating.comments.get(question.key, ""),
                "note": rating.note,
                "seconds": round(rating.seconds, 1),
                "saw_judge": "yes" if rating.saw_judge else "no",
                "at": rating.at,
            }


def as_decisions(book: Book) -> str:
    """The same as CSV; no cell is one that a spreadsheet would execute."""
    asked = [question for item in book.items for question in item.questions]
    taking = any(q.boxes or any(c.comment != "no" for c in q.menu) for q in asked)
    return as_csv(list(decision_rows(book)), [*COLUMNS, *(WRITTEN if taking else ())])


def _written(lines: Sequence[Mapping[str, str]]) -> str:
    """What was written as one cell: the text alone, or JSON where there is more."""
    if len(lines) == 1 and len(lines[0]) == 1:
        return next(iter(lines[0].values()))
    return json.dumps(lines, ensure_ascii=False) if lines else ""


def as_preferences(book: Book) -> str:
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


def as_label_studio(book: Book) -> str:
    """Tasks with the annotations that there are, as Label Studio imports and exports them.

    Blind as the study is: nothing tells whose report it is but the number of the item.
    """
    tasks = []
    for number in range(len(book.items)):
        item = book.shown(number)
        for at, question in enumerate(item.questions):
            shown = {
                "prompt": item.prompt,
                "report": item.report + (f"\n\n{item.rival}" if item.rival else ""),
                "question": question.text,
                "menu": [{"value": choice.value} for choice in question.menu],
                "item": number,
                "place": at,
            }
            said = [
                (rating, (rating.answers or {})[book.items[number].questions[at].key])
                for (_, own), rating in sorted(book.latest().items())
                if own == number
            ]
            tasks.append({"data": shown, "annotations": [_annotation(*each) for each in said]})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def _annotation(rating: Rating, said: str) -> Json:
    return {
        "completed_by": rating.rater,
        "created_at": rating.at,
        "lead_time": rating.seconds,
        "result": [
            {
                "from_name": "answer",
                "to_name": "report",
                "type": "choices",
                "value": {"choices": [said]},
            }
        ],
    }


def read_label_studio(path: Path, book: Book) -> list[Rating]:
    """The ratings of an export: of every rater and item whose questions are all answered.

    Raises BadInput, naming the task, for what is no answer to a question of this study.
    """
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: is no JSON ({error}).", "Give an export in JSON.") from None
    said: defaultdict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    first: dict[tuple[str, int], Json] = {}
    place = 0
    try:
        for place, task in enumerate(tasks, start=1):
            number, at = task["data"]["item"], task["data"]["place"]
            if min(number, at) < 0:
                raise IndexError(number)
            question = book.items[number].questions[at]
            for annotation in task["annotations"]:
                if not annotation["result"]:  # skipped
                    continue
                rater, answer = _who(annotation), _answer(annotation)
                float(annotation.get("lead_time") or 0)
                if rater not in book.raters or answer not in {each.value for each in question.menu}:
                    raise BadInput(
                        f"{path}, task {place}: {rater!r} said {answer!r}.",
                        f"Raters: {', '.join(book.raters)}; answers: "
                        f"{', '.join(each.value for each in question.menu)}.",
                    )
                said[rater, number][question.key] = answer
                first.setdefault((rater, number), annotation)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise BadInput(
            f"{path}, task {place}: {error} is not there, or not of this study.",
            "Give an export of the tasks that `annotate export --format label-studio` wrote.",
        ) from None
    return [*_ratings(said, first, book)]


def _ratings(
    said: Mapping[tuple[str, int], dict[str, str]],
    first: Mapping[tuple[str, int], Json],
    book: Book,
) -> Iterator[Rating]:
    """Of every rater and item whose questions are all answered."""
    for (rater, number), answers in said.items():
        if len(answers) == len(book.items[number].questions):
            yield Rating(
                form=f"label-studio/{digest([rater, number, answers])[:24]}",
                rater=rater,
                item=number,
                answers=answers,
                seconds=float(first[rater, number].get("lead_time") or 0),
                at=str(first[rater, number].get("created_at") or ""),
            )


def _who(annotation: Mapping[str, Json]) -> str:
    by = annotation["completed_by"]
    return str(by.get("email") or by["id"]) if isinstance(by, Mapping) else str(by)


def _answer(annotation: Mapping[str, Json]) -> str:
    (only,) = (each for each in annotation["result"] if each["from_name"] == "answer")
    return str(only["value"]["choices"][0])
