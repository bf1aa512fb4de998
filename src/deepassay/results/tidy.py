"""Judgements as rows of tables: the score, what each judge said, the parts, and every item.

The rows of one judgement share its place: protocol, agent, task, sample and repeat. Each table has
its columns here, and beside them what makes the cells of its rows, in the same order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self

from pydantic import ValidationError

from deepassay.results.evidence import EvidenceItem, JudgeOutcome, OutcomeEvidence, reading_of
from deepassay.results.item_columns import Item, PartedItem, marks_in, read_items
from deepassay.results.records import Judged, has_offline, judges_of, snapshots_of
from deepassay.results.tables import Column, ColumnKind, Row
from deepassay.runfile.shapes import check_shape
from deepassay.score import Json, Signature

Place = tuple[str, str, str, int, int]
"""Protocol, agent, task, sample and repeat."""

Cells = tuple[Json, ...]
"""The values of a row, in the order of the columns of its table."""

Columns = tuple[Column, ...]

MET: Final[Mapping[Json, str]] = {1: "met", 0: "not met"}
"""What the score of an item says that has no verdict besides."""


def of_kind(kind: ColumnKind, *names: str) -> Columns:
    """Columns of these names, which all hold values of this kind."""
    return tuple(Column(name, kind) for name in names)


class Tabled(NamedTuple):
    """An outcome as tables tell it.

    columns: those of `runfile.columns` that are asked for, JSON as it was parsed; and, there and in
    `voices`, its items: `parted`, see `item_columns`, or `items`, as an outcome has them.
    """

    place: Place
    columns: Mapping[str, Json]
    recipe: Signature
    is_reference: bool

    @classmethod
    def of(cls, record: Judged) -> Self:
        """A judgement that was read whole, or that is lacking."""
        outcome = reading_of(record.outcome)
        judges = outcome.evidence.judges
        columns = {
            **_columns(outcome),
            "partial": _is_open(outcome.evidence),
            "low": outcome.evidence.low,
            "high": outcome.evidence.high,
            "voices": {name: _columns(each) for name, each in judges.items()},
            "pages": snapshots_of(record),
        }
        return cls(place_of(record), columns, record.signature, record.is_reference)

    def judges(self) -> Mapping[str, Mapping[str, Json]]:
        """What each judge of a panel said; what the only judge did, if there was no panel."""
        voices: Mapping[str, Mapping[str, Json]] | None = self.columns.get("voices")
        return voices or dict.fromkeys(judges_of(self.recipe), self.columns)


JSON_COLUMNS: Final = ("parts", "voices", "pages", "said", "marks")
"""Columns of the run file that tables are made of and that are JSON."""


def said_in(column: str, text: str) -> Json:
    """What a column of JSON says. Raises ValueError or AttributeError for what no run wrote."""
    if column == "marks":
        return marks_in(text)
    found = json.loads(text)
    if column == "parts":
        check_shape("numbers", found)
    elif column == "pages":
        check_shape("texts", found)
    elif column == "voices":
        judges = {judge: own | {"details": {}} for judge, own in found.items()}
        check_shape("details", {"judges": judges})
        found = {
            judge: own | {"marks": read_items(own["marks"])} if "marks" in own else own
            for judge, own in found.items()
        }
    return found


def _columns(outcome: JudgeOutcome) -> dict[str, Json]:
    lowest, highest = outcome.bounds or (None, None)
    met, of = outcome.tally or (None, None)
    return {
        "value": outcome.value,
        "cause": outcome.cause and str(outcome.cause),
        "detail": outcome.detail if outcome.cause else None,
        **{"lowest": lowest, "highest": highest, "met": met, "of": of},
        "parts": outcome.parts,
        "items": outcome.evidence.details.get("items") or (),
    }


def _is_open(evidence: OutcomeEvidence) -> bool:
    """Whether a judge or an item of it is unscored."""
    return evidence.is_open or any(
        each.cause is not None or each.evidence.is_open for each in evidence.judges.values()
    )


def place_of(record: Judged) -> Place:
    """Where a judgement stands."""
    return record.protocol, record.agent, record.task, record.sample, record.repeat


PLACE: Final = (
    *of_kind(ColumnKind.TEXT, "protocol", "agent", "task"),
    *of_kind(ColumnKind.INTEGER, "sample", "repeat"),
)


def as_row(columns: Columns, place: Place, cells: Cells) -> Row:
    """A row with its place. columns: those that the cells are of."""
    names = (name for name, _ in (*PLACE, *columns))
    return dict(zip(names, (*place, *cells), strict=True))


SCORES: Final = (
    *of_kind(ColumnKind.NUMBER, "value"),
    *of_kind(ColumnKind.TEXT, "cause", "detail"),
    *of_kind(ColumnKind.BOOLEAN, "open"),
    *of_kind(ColumnKind.NUMBER, "low", "high", "lowest", "highest", "met", "of"),
    *of_kind(ColumnKind.TEXT, "edition"),
    *of_kind(ColumnKind.INTEGER, "judges"),
    *of_kind(ColumnKind.BOOLEAN, "offline", "reference"),
    *of_kind(ColumnKind.TEXT, "recipe", "signature"),
)

SCORES_READ: Final = (
    *("value", "cause", "detail", "partial", "low", "high", "lowest", "highest", "met", "of"),
    "said",
)
"""Columns of the run file that `score_cells` and the mark of references need."""


def score_cells(outcome: Tabled) -> Cells:
    """The outcome itself. low, high: what the value could be while some of it is open."""
    its, recipe = outcome.columns.get, outcome.recipe
    return (
        *(its("value"), its("cause"), its("detail"), bool(its("partial"))),
        *(its("low"), its("high"), its("lowest"), its("highest"), its("met"), its("of")),
        *(recipe.identity.get("edition"), len(recipe.identity.get("judges", []))),
        *(has_offline(recipe), outcome.is_reference, recipe.digest, str(recipe)),
    )


JUDGEMENTS: Final = (
    *of_kind(ColumnKind.TEXT, "judge"),
    *of_kind(ColumnKind.NUMBER, "value"),
    *of_kind(ColumnKind.TEXT, "cause", "detail"),
)


def judgement_rows(outcome: Tabled) -> Iterator[Cells]:
    """What each judge said, also where there was only one."""
    for judge, said in outcome.judges().items():
        cause = said.get("cause")
        yield judge, said.get("value"), cause, (said.get("detail") or "") if cause else None


PARTS: Final = (
    *of_kind(ColumnKind.TEXT, "judge", "part"),
    *of_kind(ColumnKind.NUMBER, "value"),
)


def part_rows(outcome: Tabled) -> Iterator[Cells]:
    """The parts of the score, without a judge, and those of each judge of a panel."""
    for part, value in (outcome.columns.get("parts") or {}).items():
        yield None, part, value
    for judge, said in (outcome.columns.get("voices") or {}).items():
        for part, value in (said.get("parts") or {}).items():
            yield judge, part, value


PAGES: Final = of_kind(ColumnKind.TEXT, "url", "page")


def page_rows(outcome: Tabled) -> Iterator[Cells]:
    """The snapshots that the score was made with."""
    yield from (outcome.columns.get("pages") or {}).items()


ITEMS: Final = (
    *of_kind(ColumnKind.TEXT, "judge"),
    *of_kind(ColumnKind.INTEGER, "number"),
    *of_kind(ColumnKind.TEXT, "item", "text", "verdict"),
    *of_kind(ColumnKind.NUMBER, "score", "reference", "weight"),
    *of_kind(ColumnKind.TEXT, "axis"),
    *of_kind(ColumnKind.BOOLEAN, "mandatory"),
    *of_kind(ColumnKind.INTEGER, "depth"),
    *of_kind(ColumnKind.TEXT, "decided_by", "cause", "url", "justification"),
    *of_kind(ColumnKind.INTEGER, "line", "column"),
)


ITEMS_READ: Final = ("list", "marks", "voices", "rest")
"""Columns of the run file that items stand in."""


def _items(said: Mapping[str, Json]) -> Sequence[PartedItem]:
    """The items of an outcome. Raises BadInput as `EvidenceItem.read` does."""
    if "parted" in said:
        found: Sequence[PartedItem] = said["parted"]
        return found
    kept = said.get("items") or ()
    try:
        return [(each, each, each) for each in read_items(kept)]
    except ValidationError:
        for each in kept:
            EvidenceItem.read(each)  # which says what is wrong
        raise


def item_rows(outcome: Tabled) -> Iterator[Cells]:
    """Every criterion, check, statement or issue that a judge decided on, in order."""
    for judge, said in outcome.judges().items():
        for number, item in enumerate(_items(said), start=1):
            yield _item(judge, number, *item)


def _item(judge: str, number: int, same: Item, decided: Item, words: Item) -> Cells:
    """The verdict is that of the item, or met, not met and unscored where it has only a score."""
    its, told = same.get, words.get
    score, verdict, dimension = decided.get("score"), decided.get("verdict"), its("dimension")
    if "verdict" not in decided and dimension is None and score in MET:
        verdict = MET[score]
    places = told("places")
    line, column = (places[0].line, places[0].column) if places else (None, None)
    return (
        judge, number, its("key", ""), told("item", ""), verdict, score, its("reference"),
        its("weight"), its("axis") or dimension, its("mandatory"), its("depth"),
        told("decided_by"), decided.get("cause") or None, told("url"), told("justification"),
        line, column,
    )  # fmt: skip
