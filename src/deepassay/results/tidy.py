"""Judgements as rows of tables: the score, what each judge said, the parts, and every item.

The rows of one judgement share its place: protocol, agent, task, sample and repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from deepassay.results.columns import Row
from deepassay.results.ranking import is_offline
from deepassay.results.records import Judged
from deepassay.score import Json, Score, Unscored, to_json

Place = dict[str, Json]

MET: Final[Mapping[Json, str]] = {1: "met", 0: "not met"}
"""What the score of an item says that has no verdict besides."""


def score_row(record: Judged) -> Row:
    """The outcome itself. low, high: what the value could be while some of it is open."""
    outcome, identity = record.outcome, record.signature.identity
    score = outcome if isinstance(outcome, Score) else None
    failed = outcome if isinstance(outcome, Unscored) else None
    met, of = (score and score.tally) or (None, None)
    lowest, highest = (score and score.bounds) or (None, None)
    return _place(record) | {
        "value": score and score.value,
        "cause": failed and str(failed.cause),
        "detail": failed and failed.detail,
        "open": _is_open(outcome.details),
        "low": outcome.details.get("low"),
        "high": outcome.details.get("high"),
        "lowest": lowest,
        "highest": highest,
        "met": met,
        "of": of,
        "edition": identity.get("edition"),
        "judges": len(identity.get("judges", [])),
        "offline": is_offline(record.signature),
        "recipe": record.signature.digest,
        "signature": str(record.signature),
    }


def judgement_rows(record: Judged) -> Iterator[Row]:
    """What each judge said, also where there was only one."""
    for judge, outcome in _judges(record).items():
        yield _place(record) | {
            "judge": judge,
            "value": outcome.get("value"),
            "cause": outcome.get("cause"),
            "detail": outcome.get("detail"),
        }


def part_rows(record: Judged) -> Iterator[Row]:
    """The parts of the score, without a judge, and those of each judge of a panel."""
    said: dict[str | None, Mapping[str, Json]] = {None: to_json(record.outcome)}
    said |= record.outcome.details.get("judges", {})
    for judge, outcome in said.items():
        for part, value in outcome.get("parts", {}).items():
            yield _place(record) | {"judge": judge, "part": part, "value": value}


def item_rows(record: Judged) -> Iterator[Row]:
    """Every criterion, check, statement or issue that a judge decided on, in order."""
    for judge, outcome in _judges(record).items():
        for number, item in enumerate(outcome["details"].get("items", []), start=1):
            yield _place(record) | {"judge": judge, "number": number} | _item(item)


def page_rows(record: Judged) -> Iterator[Row]:
    """The snapshots that the score was made with."""
    for url, page in record.signature.record.get("pages", {}).items():
        yield _place(record) | {"url": url, "page": page}


def _place(record: Judged) -> Place:
    return {
        "protocol": record.protocol,
        "agent": record.agent,
        "task": record.task,
        "sample": record.sample,
        "repeat": record.repeat,
    }


def _judges(record: Judged) -> dict[str, Mapping[str, Json]]:
    """The outcome of each judge by its name; of an outcome that never came, of all of them."""
    if said := record.outcome.details.get("judges"):
        return dict(said)
    judges = record.signature.identity.get("judges", [])
    return {str(judge["model"]): to_json(record.outcome) for judge in judges}


def _is_open(details: Mapping[str, Json]) -> bool:
    """Whether a judge or an item of it is unscored."""
    judges = details.get("judges", {}).values()
    return bool(details.get("open")) or any(
        "cause" in each or each["details"].get("open") for each in judges
    )


def _item(item: Mapping[str, Json]) -> dict[str, Json]:
    """The verdict is that of the item, or met, not met and unscored where it has only a score."""
    score = item.get("score")
    verdict = item.get("verdict")
    if "verdict" not in item and "dimension" not in item and score in MET:
        verdict = MET[score]
    place = (item.get("places") or [{}])[0]
    return {
        "item": item["key"],
        "text": item["item"],
        "verdict": verdict,
        "score": score,
        "reference": item.get("reference"),
        "weight": item.get("weight"),
        "axis": item.get("axis") or item.get("dimension"),
        "mandatory": item.get("mandatory"),
        "depth": item.get("depth"),
        "decided_by": item.get("decided_by"),
        "cause": item.get("cause") or None,
        "url": item.get("url"),
        "justification": item.get("justification"),
        "line": place.get("line"),
        "column": place.get("column"),
    }
