"""Judgements as rows of tables: the score, what each judge said, the parts, and every item.

The rows of one judgement share its place: protocol, agent, task, sample and repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from deepassay.results.evidence import (
    EvidenceItem,
    OutcomeEvidence,
    by_judge,
    evidence_of,
    panel_then_judges,
    snapshots_of,
)
from deepassay.results.records import Judged, has_offline
from deepassay.results.tables import Row
from deepassay.score import Json, Score, Unscored

Place = dict[str, Json]

MET: Final[Mapping[Json, str]] = {1: "met", 0: "not met"}
"""What the score of an item says that has no verdict besides."""


def score_row(record: Judged) -> Row:
    """The outcome itself. low, high: what the value could be while some of it is open."""
    outcome, identity = record.outcome, record.signature.identity
    evidence = evidence_of(record)
    score = outcome if isinstance(outcome, Score) else None
    failed = outcome if isinstance(outcome, Unscored) else None
    met, of = (score and score.tally) or (None, None)
    lowest, highest = (score and score.bounds) or (None, None)
    return _place(record) | {
        "value": score and score.value,
        "cause": failed and str(failed.cause),
        "detail": failed and failed.detail,
        "open": _is_open(evidence),
        "low": evidence.low,
        "high": evidence.high,
        "lowest": lowest,
        "highest": highest,
        "met": met,
        "of": of,
        "edition": identity.get("edition"),
        "judges": len(identity.get("judges", [])),
        "offline": has_offline(record.signature),
        "reference": record.is_reference,
        "recipe": record.signature.digest,
        "signature": str(record.signature),
    }


def judgement_rows(record: Judged) -> Iterator[Row]:
    """What each judge said, also where there was only one."""
    for judge, outcome in by_judge(record).items():
        yield _place(record) | {
            "judge": judge,
            "value": outcome.value,
            "cause": outcome.cause and str(outcome.cause),
            "detail": outcome.detail if outcome.cause else None,
        }


def part_rows(record: Judged) -> Iterator[Row]:
    """The parts of the score, without a judge, and those of each judge of a panel."""
    for judge, outcome in panel_then_judges(record):
        for part, value in outcome.parts.items():
            yield _place(record) | {"judge": judge or None, "part": part, "value": value}


def item_rows(record: Judged) -> Iterator[Row]:
    """Every criterion, check, statement or issue that a judge decided on, in order."""
    for judge, outcome in by_judge(record).items():
        for number, item in enumerate(outcome.evidence.items, start=1):
            yield _place(record) | {"judge": judge, "number": number} | _item(item)


def page_rows(record: Judged) -> Iterator[Row]:
    """The snapshots that the score was made with."""
    for url, page in snapshots_of(record).items():
        yield _place(record) | {"url": url, "page": page}


def _place(record: Judged) -> Place:
    return {
        "protocol": record.protocol,
        "agent": record.agent,
        "task": record.task,
        "sample": record.sample,
        "repeat": record.repeat,
    }


def _is_open(evidence: OutcomeEvidence) -> bool:
    """Whether a judge or an item of it is unscored."""
    return evidence.is_open or any(
        each.cause is not None or each.evidence.is_open for each in evidence.judges.values()
    )


def _item(item: EvidenceItem) -> dict[str, Json]:
    """The verdict is that of the item, or met, not met and unscored where it has only a score."""
    verdict = item.verdict
    if not item.has("verdict") and item.dimension is None and item.score in MET:
        verdict = MET[item.score]
    place = item.places[0] if item.places else None
    return {
        "item": item.key,
        "text": item.item,
        "verdict": verdict,
        "score": item.score,
        "reference": item.reference,
        "weight": item.weight,
        "axis": item.axis or item.dimension,
        "mandatory": item.mandatory,
        "depth": item.depth if item.has("depth") else None,
        "decided_by": item.decided_by,
        "cause": item.cause or None,
        "url": item.url,
        "justification": item.justification,
        "line": place and place.line,
        "column": place and place.column,
    }
