"""The annotation sheet of LiveResearchBench (Table 11), written from the records and read back.

One row a checklist item, and one for the query itself, so that each is rated in its own row. Who
appends an item adds a row with `qid` and `Checklist`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from deepassay.tasks.history import HistoryEntry, standing_texts
from deepassay.wings.build.experts.query_drafts import QUERY, QueryDraft
from deepassay.wings.build.experts.sheets import FilledRow, Wrong, as_sheet, read_said
from deepassay.wings.build.experts.verification import (
    AGREE,
    AGREEMENT,
    APPEND,
    RATE,
    PersonAnswer,
    VerifiedPart,
    answer_flaw,
    rated_parts_of,
    ratings_of,
)

KEYS: Final = ("qid", "Deep Research Query", "Checklist")
"""The key columns of Table 11."""

FILLED: Final = (
    *("Rating", "Modified version", "Comment", "Annotator"),
    *("Agreement", "Second comment", "Second annotator", "When"),
)
COLUMNS: Final = (*KEYS, "item", *FILLED)


def sheet_of(drafts: Sequence[QueryDraft]) -> str:
    """The sheet as CSV: what was rated, and what was said of it."""
    return as_sheet((row for draft in drafts for row in _rows(draft)), COLUMNS)


def _rows(draft: QueryDraft) -> Iterator[dict[str, str]]:
    shown = _as_rated(draft)
    for part in rated_parts_of(draft).values():
        text = shown.get(part.of) or next((e.proposed for e in part.ratings.values()), part.text)
        key = {
            "qid": draft.id,
            "Deep Research Query": shown.get(QUERY, draft.query),
            "Checklist": "" if part.of == QUERY else text,
            "item": part.of,
        }
        for rated, agreed in _pairs(part):
            yield {**key, **_cells(rated, agreed)}


def _as_rated(draft: QueryDraft) -> dict[str, str]:
    """The texts that the first group was shown."""
    first = next(
        (place for place, each in enumerate(draft.history) if each.step == RATE),
        len(draft.history),
    )
    return standing_texts(draft.history[:first])


def _pairs(part: VerifiedPart) -> list[tuple[HistoryEntry | None, HistoryEntry | None]]:
    first: list[HistoryEntry | None] = [*part.ratings.values()] or [None]
    second: list[HistoryEntry | None] = [*part.agreements.values()] or [None]
    return [(one, other) for one in first for other in second]


def _cells(rated: HistoryEntry | None, agreed: HistoryEntry | None) -> dict[str, str]:
    cells: dict[str, str] = {}
    if rated is not None:
        version = "" if rated.said == APPEND else rated.proposed
        cells |= {"Rating": rated.said, "Modified version": version, "Comment": rated.note}
        cells |= {"Annotator": rated.who, "When": rated.when}
    if agreed is not None:
        cells |= {"Agreement": agreed.said, "Second comment": agreed.note}
        cells |= {"Second annotator": agreed.who}
    return cells


def read_ratings(path: Path, drafts: Sequence[QueryDraft]) -> list[PersonAnswer]:
    """What a sheet says of these drafts; rows without rating are open.

    Raises BadTasks, naming rows, for what is no answer, and for texts that are not those of the
    drafts.
    """
    known, keys = {each.id: each for each in drafts}, dict[tuple[str, str, str], str]()
    wanted = (*KEYS, "Rating", "Modified version", "Comment", "Annotator")
    return read_said(path, wanted, lambda filled: _read(filled, known, keys))


def _read(
    filled: FilledRow, known: Mapping[str, QueryDraft], keys: dict[tuple[str, str, str], str]
) -> list[PersonAnswer]:
    """What a row says. keys: of items that were appended so far. Raises Wrong."""
    cells = filled.cells
    draft = known.get(cells["qid"])
    if draft is None:
        raise Wrong(f"there is no query {cells['qid']!r}")
    if cells["Deep Research Query"] and not _same(cells["Deep Research Query"], draft.query):
        raise Wrong("the query was changed; new words belong into 'Modified version'")
    of = cells.get("item", "") or _item_of(draft, cells["Checklist"])
    if appended := of not in (QUERY, *draft.checklist):
        of = _new_key(draft, cells, keys)
    elif of != QUERY and not _same(cells["Checklist"], draft.checklist[of]):
        raise Wrong(f"item {of} was changed; new words belong into 'Modified version'")
    for flaw in _flaws(cells, of, appended):
        raise Wrong(flaw)
    return [*_said(filled, draft, of, appended)]


def _item_of(draft: QueryDraft, text: str) -> str:
    """The item with this text, where a row names none."""
    if not text:
        return QUERY
    return next((key for key, each in draft.checklist.items() if _same(text, each)), "")


def _new_key(
    draft: QueryDraft, cells: Mapping[str, str], keys: dict[tuple[str, str, str], str]
) -> str:
    """The identifier that an appended item will get: `with_ratings` counts in the same way."""
    name = (draft.id, " ".join(cells["Checklist"].split()), cells["Annotator"])
    own = [key for (task, *_), key in keys.items() if task == draft.id]
    return keys.setdefault(name, f"c{int(draft.next_key('c')[1:]) + len(own)}")


def _flaws(cells: Mapping[str, str], of: str, appended: bool) -> list[str]:
    if wrong := _flaw_of_appended(cells, of) if appended else _first_flaw(cells, of):
        return [wrong]
    return [*_second_flaws(cells)]


def _flaw_of_appended(cells: Mapping[str, str], of: str) -> str:
    if not cells["Checklist"]:
        return f"there is no item {of}, and 'Checklist' is empty"
    if cells["Rating"].casefold() not in ("", APPEND) or cells["Modified version"]:
        return "the query has no such item; an appended one takes no rating and no version"
    return "" if cells["Annotator"] else "'Annotator' does not say who appended the item"


def _first_flaw(cells: Mapping[str, str], of: str) -> str:
    rating, version, comment = (cells[name] for name in ("Rating", "Modified version", "Comment"))
    if not rating:
        others = version or comment or cells.get("Agreement")
        return "there is no rating, though other cells of the row are filled in" if others else ""
    if flaw := answer_flaw(ratings_of(of), rating.casefold(), version, comment):
        return flaw
    return "" if cells["Annotator"] else "'Annotator' does not say whose rating it is"


def _second_flaws(cells: Mapping[str, str]) -> Iterator[str]:
    agreement, second = cells.get("Agreement", ""), cells.get("Second annotator", "")
    if not agreement:
        if cells.get("Second comment"):
            yield "there is a second comment, and no agreement"
    elif flaw := answer_flaw(AGREEMENT, agreement.casefold(), "", cells.get("Second comment", "")):
        yield flaw
    elif not second:
        yield "'Second annotator' does not say who agrees or disagrees"
    elif second == cells["Annotator"]:
        yield f"{second} rated it, and cannot be the second to look at it"


def _said(filled: FilledRow, draft: QueryDraft, of: str, appended: bool) -> Iterator[PersonAnswer]:
    cells, comment = filled.cells, filled.cells["Comment"]
    own = PersonAnswer(
        draft.id, RATE, of, cells["Annotator"], filled.when, comment=comment, place=filled.place
    )
    if appended:
        yield replace(own, step=APPEND, texts=(cells["Checklist"],))
    elif cells["Rating"]:
        yield replace(
            own,
            value=cells["Rating"].casefold(),
            texts=tuple(filter(None, (cells["Modified version"],))),
            original=draft.parts[of],
        )
    if cells.get("Agreement"):
        yield replace(
            own,
            step=AGREE,
            who=cells["Second annotator"],
            value=cells["Agreement"].casefold(),
            comment=cells.get("Second comment", ""),
        )


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()
