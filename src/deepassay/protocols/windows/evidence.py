"""Evidence on the items of a checklist, gathered window by window with the words of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from deepassay.models.operation import Inputs, OffMenu, Reply
from deepassay.protocols.overlap import read, words_of
from deepassay.protocols.quotes import quote_span
from deepassay.reports.finding import excerpt

MOST_QUOTES: Final = 6
"""Quotes for one item from one window: the decision has to hold those of all windows."""

FEWEST_SHARED: Final = 2
"""Words of an item that a passage must hold to be quoted by rule."""

LONGEST_QUOTE: Final = 800
"""Characters of one quote."""

Bearing = Literal["for", "against"]


class WindowAndQuery(Inputs):
    """One window of a report, which of how many it is, and the request that the report answers."""

    window: str
    number: int
    windows: int
    query: str


class Passage(Reply):
    """Words of a window that bear on an item: in favour of it, or against it."""

    item: str
    bearing: Bearing
    quote: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Gathered(Reply):
    """Everything in one window that bears on any item; `[]` where nothing does."""

    evidence: list[Passage]


class Evidence(BaseModel):
    """A passage with the number of its window, as the deciding judge is shown it."""

    model_config = ConfigDict(frozen=True)

    item: str
    window: int
    bearing: Bearing
    quote: str


class EvidenceAndQuery(Inputs):
    """What was gathered from so many windows, and the request that the report answers."""

    evidence: tuple[Evidence, ...]
    windows: int
    query: str

    def quoted(self, item: str) -> str:
        """What was quoted on one item."""
        return "\n\n".join(each.quote for each in self.evidence if each.item == item)


def passages_by_rule(window: str, items: Mapping[str, str]) -> Gathered:
    """The floor: the statements of a window that hold most words of an item, all in favour."""
    statements = read(window).statements
    return Gathered(
        evidence=[
            Passage(item=key, bearing="for", quote=quote)
            for key, item in items.items()
            for quote in statements.best(words_of(item), MOST_QUOTES, FEWEST_SHARED)
        ]
    )


def check_quotes(window: str, answer: Gathered, keys: Sequence[str]) -> None:
    """Raise OffMenu unless the items are known and the quotes stand in the window."""
    unknown = {each.item for each in answer.evidence if each.item not in keys}
    if unknown:
        listed = ", ".join(sorted(unknown)[:5])
        raise OffMenu(f"there is no item {listed}: the items are {', '.join(keys)}")
    given = [each.item for each in answer.evidence]
    if crowded := [key for key in keys if given.count(key) > MOST_QUOTES]:
        raise OffMenu(
            f"more than {MOST_QUOTES} quotes for {', '.join(crowded)}: keep those that weigh most"
        )
    if any(len(each.quote) > LONGEST_QUOTE for each in answer.evidence):
        raise OffMenu(f"a quote is longer than {LONGEST_QUOTE} characters: quote what decides")
    absent = [each.quote for each in answer.evidence if quote_span(window, each.quote) is None]
    if absent:
        raise OffMenu(
            f"{len(absent)} quotes do not stand in this part of the report, the first is "
            f"'{excerpt(absent[0], 80)}': copy passages word for word, leaving nothing out"
        )
