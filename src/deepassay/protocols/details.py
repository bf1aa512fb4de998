"""What protocols keep beside a score, as a type; results read it as an `OutcomeEvidence`."""

from __future__ import annotations

from collections.abc import Mapping

from deepassay.results.evidence import DetailsObject, EvidenceItem, Number, PageVisit
from deepassay.score import Json


class ScoreDetails(DetailsObject):
    """What protocols keep in the details of a score; `OutcomeEvidence` reads it. None: not kept.

    A protocol that keeps more adds fields in a class of its own. items: what was decided one by
    one. low, high: the value, had all that is open gone badly, and well. open: whether some item
    has no verdict. again: whether it may come out otherwise if it is tried again. summary: a
    sentence on what the items come to. windows: of how many the report was read. quotes_not_found:
    how many were left out. page_classes: cited addresses by what came back. pages: each of them.
    quirks: peculiarities of the released program that fired.
    """

    items: tuple[EvidenceItem, ...] | None = None
    low: Number | None = None
    high: Number | None = None
    open: bool | None = None
    again: bool | None = None
    summary: str | None = None
    windows: int | None = None
    quotes_not_found: int | None = None
    page_classes: Mapping[str, int] | None = None
    pages: tuple[PageVisit, ...] | None = None
    quirks: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Json]:
        """What is kept, as the run file has it."""
        return {name: each for name, each in super().to_json().items() if each is not None}
