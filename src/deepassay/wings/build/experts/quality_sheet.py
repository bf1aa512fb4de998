"""The second round and the last decisions on a sheet, a row for each part that is asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from deepassay.wings.build.experts.asking import part_text
from deepassay.wings.build.experts.quality import Drawn
from deepassay.wings.build.experts.query_drafts import QueryDraft
from deepassay.wings.build.experts.sheets import FilledRow, Wrong, as_sheet, read_said
from deepassay.wings.build.experts.verification import (
    AGREE,
    OUTCOMES,
    RATE,
    RESOLUTION,
    RESOLVE,
    SAMPLE,
    PersonAnswer,
    VerifiedPart,
    answer_flaw,
    rated_parts_of,
    raters_of,
)

ASKED: Final = ("qid", "Deep Research Query", "item", "Step", "Text", "Outcome", "What was said")
FILLED: Final = ("Decision", "Text to stand", "Comment", "Decided by", "When")
COLUMNS: Final = (*ASKED, *FILLED)

_MENUS: Final = {SAMPLE: OUTCOMES, RESOLVE: RESOLUTION}
_BARRED: Final = {SAMPLE: (RATE, AGREE), RESOLVE: (RATE, AGREE, SAMPLE)}


def quality_sheet(step: str, drawn: Sequence[Drawn]) -> str:
    """What is to be decided at a step, `sample` or `resolve`, as CSV to be filled in.

    Decisions are right or wrong, take or drop.
    """
    return as_sheet((_row(step, *each) for each in drawn), COLUMNS)


def _row(step: str, draft: QueryDraft, part: VerifiedPart) -> dict[str, str]:
    entries = [*part.ratings.values(), *part.agreements.values(), *part.samples.values()]
    said = [": ".join(filter(None, (e.said, e.proposed, e.note))) for e in entries]
    return {
        "qid": draft.id,
        "Deep Research Query": draft.query,
        "item": part.of,
        "Step": step,
        "Text": part_text(draft, part),
        "Outcome": "stands" if part.text else "taken out",
        "What was said": "\n".join(said),
    }


def read_quality_sheet(path: Path, drafts: Mapping[str, QueryDraft]) -> list[PersonAnswer]:
    """What such a sheet says; rows without a decision are open. Raises BadTasks naming rows."""
    wanted = ("qid", "item", "Step", "Text", "Decision", "Comment", "Decided by")
    return read_said(path, wanted, lambda filled: _read(filled, drafts))


def _read(filled: FilledRow, drafts: Mapping[str, QueryDraft]) -> list[PersonAnswer]:
    cells = filled.cells
    step, value, who = cells["Step"], cells["Decision"].casefold(), cells["Decided by"]
    version, comment = cells.get("Text to stand", ""), cells["Comment"]
    draft = drafts.get(cells["qid"])
    if draft is None or cells["item"] not in rated_parts_of(draft):
        raise Wrong(f"there is no part {cells['item']!r} of a query {cells['qid']!r}")
    if step not in _MENUS:
        raise Wrong(f"{step!r} is no step; there are {', '.join(_MENUS)}")
    if not value:
        if version or comment or who:
            raise Wrong("there is no decision, though other cells of the row are filled in")
        return []
    if flaw := answer_flaw(_MENUS[step], value, version, comment):
        raise Wrong(flaw)
    if not who:
        raise Wrong("'Decided by' does not say who decides")
    if who in raters_of(draft, _BARRED[step]):
        raise Wrong(f"{who} had a say in it before, and cannot decide on it")
    texts = tuple(filter(None, (version,)))
    said = PersonAnswer(draft.id, step, cells["item"], who, filled.when, value, texts, comment)
    return [replace(said, original=cells["Text"], place=filled.place)]
