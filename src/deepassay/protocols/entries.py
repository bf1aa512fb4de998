"""A list of entries that a judge is asked about: criteria, key points, items of a checklist.

Each entry of the list is answered by its key, all of them are, and what is said of one is shown by
quotes from the report. What comes of an entry is a `Judgement`, also where nothing came.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from deepassay.models.fence import place_of_quote
from deepassay.models.operation import OffMenu
from deepassay.models.prompt import Language
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.results.evidence import EvidenceItem, ReportPlace
from deepassay.score import Cause, Json, Unscored
from deepassay.text import excerpt

PLACES_KEPT: Final = 20
"""Places of one entry that its evidence lists."""


# ------------------------------------------------------------------ each answered, and all


def numbered(letter: str, entries: Sequence[str]) -> dict[str, str]:
    """The entries of one question by their keys, in order: `q1`, `q2`, … for the letter q."""
    return {f"{letter}{number}": entry for number, entry in enumerate(entries, start=1)}


def incomplete(
    answered: Collection[str], keys: Collection[str], what: str, most: int | None = None
) -> list[str]:
    """What is wrong where not exactly these keys are answered. what: is given for each, a verdict.

    Two problems at most: what is missing, of which the first `most` are named, and what nobody
    asked for.
    """
    missing = [key for key in keys if key not in answered][:most]
    unasked = [key for key in answered if key not in keys]
    problems = [f"no {what} for {', '.join(missing)}"] if missing else []
    return problems + ([f"nobody asked for {', '.join(unasked[:5])}"] if unasked else [])


def check_complete(answered: Collection[str], keys: Collection[str]) -> None:
    """Raise OffMenu unless there is a verdict for each of the keys, and for no other."""
    if problems := incomplete(answered, keys, "verdict"):
        raise OffMenu(f"{'; '.join(problems)}: give one verdict for each of {', '.join(keys)}")


# ------------------------------------------------------------------ quotes


def quote_span(text: str, quote: str) -> Span | None:
    """Where the passage that a judge quotes begins and ends in a text; None if it has none."""
    place = place_of_quote(text, quote)
    return None if place is None else Span(*place)


def place_at(report: Report, offset: int, message: str) -> ReportPlace:
    """A place in a report, as evidence names it."""
    line, column = report.lines.place(offset)
    return ReportPlace(line=line, column=column, message=message)


def quoted_places(
    quotes: Iterable[str], report: Report, text: str, start: int = 0
) -> tuple[ReportPlace, ...]:
    """Where those quotes stand in a report that stand in a part of it.

    text, start: the part that the judge was shown, and its offset in the report.
    """
    spans = (quote_span(text, quote) for quote in quotes)
    return tuple(
        place_at(report, start + span.start, excerpt(span.of(text), 120))
        for span in spans
        if span is not None
    )


_ABSENT: Final[Mapping[Language, str]] = {
    "en": "{count} quotes do not stand in {where}, the first is '{first}': copy passages word for "
    "word, leaving nothing out; or leave a quote out where no passage shows what you say",
    "zh": "{where}中找不到这 {count} 处引文，第一处是“{first}”：请逐字照抄，不要省略；"
    "如果没有能说明问题的段落，就不要给出引文",
}
_WHERE: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {"report": "the report", "part": "this part of the report"},
    "zh": {"report": "报告", "part": "报告的这一部分"},
}


def ask_for_quotes(
    absent: Sequence[str], where: Literal["report", "part"], language: Language
) -> str:
    """What a judge is told of quotes that it gave and that do not stand there; nothing if none."""
    if not absent:
        return ""
    first = excerpt(absent[0], 80)
    return _ABSENT[language].format(count=len(absent), where=_WHERE[language][where], first=first)


def absent_quotes_note(quotes: int) -> str:
    """What a summary says of so many quotes that were not found, to be put behind it."""
    return f" Quotes not found in the report, and left out: {quotes}." if quotes else ""


# ------------------------------------------------------------------ what came of an entry

Entry = TypeVar("Entry")
Given = TypeVar("Given")


@dataclass(frozen=True)
class Judgement(Generic[Given]):
    """What was said of one entry. verdict: None where there is none, and `cause` says why.

    places: where the evidence stands in the report, as `explain` reads it. windows: of how many it
    was gathered; 0 where the judge was shown the whole report. absent: quotes that were not found.
    """

    verdict: Given | None
    reason: str = ""
    places: tuple[ReportPlace, ...] = ()
    cause: Cause | None = None
    windows: int = 0
    absent: int = 0

    @classmethod
    def failed(cls, failure: Unscored) -> Judgement[Given]:
        """The judgement of an entry whose question came to nothing."""
        return cls(None, failure.detail, cause=failure.cause)

    def item(self, item: EvidenceItem) -> EvidenceItem:
        """The evidence on the entry, with its places, and with the cause if it is open."""
        found: dict[str, Json] = {"places": self.places} if self.places else {}
        if self.cause is not None:
            found["cause"] = str(self.cause)
        return item.model_copy(update=found)


class JudgedEntry(NamedTuple, Generic[Entry, Given]):
    """One entry and what came of it."""

    entry: Entry
    judgement: Judgement[Given]


def out_of_budget(judgements: Iterable[Judgement[Any]]) -> Unscored | None:
    """The end of a report of which the budget left something open: with a larger one it goes on."""
    spent = (each.reason for each in judgements if each.cause is Cause.BUDGET)
    return next((Unscored(Cause.BUDGET, reason) for reason in spent), None)
