"""What travels between driver and workers: JSON, which whoever receives it checks.

Never pickled classes: unpickling checks nothing, and has to find the very same class. Beneath
these messages Ray itself unpickles what an actor returns: whoever has a node has the driver, and
what is checked here is that a faulty worker, not a hostile one, costs no more than its own cases.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from datetime import date
from functools import cache
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter

from deepassay.models.client import ModelSettings
from deepassay.models.functions import client_named
from deepassay.protocols.protocol import Case, Protocol
from deepassay.reports.report import Report
from deepassay.run.asking.plan import AskedModel
from deepassay.runfile import Capture
from deepassay.runfile.rows import MOST_USD, to_bytes, to_text
from deepassay.runfile.shapes import check_shape
from deepassay.score import Json, Score, Unscored, from_json
from deepassay.tasks.task import Task

Record = TypeVar("Record")


class Message(NamedTuple):
    """kind: what it is about. number: of the question that it asks or answers, or of a case."""

    kind: str
    number: int
    value: Json

    def packed(self) -> bytes:
        """The message as it travels: JSON in UTF-8."""
        return to_bytes(json.dumps(self, ensure_ascii=False, separators=(",", ":")))

    @classmethod
    def of(cls, packed: bytes) -> Message:
        """What was packed. Raises ValueError for what is no message."""
        try:
            kind, number, value = json.loads(to_text(packed))
        except (TypeError, RecursionError) as error:
            raise ValueError(f"no message: {error}") from None
        if not isinstance(kind, str) or type(number) is not int or number < 0:
            raise ValueError(f"no message: {kind!r:.80}, {number!r:.80}")
        return cls(kind, number, value)


def as_json(record: object) -> dict[str, Json]:
    """The fields of a dataclass whose values are JSON."""
    return {each.name: getattr(record, each.name) for each in fields(record)}  # type: ignore[arg-type]


def as_list(records: Iterable[object]) -> list[Json]:
    """The fields of each of several dataclasses whose values are JSON."""
    return [as_json(each) for each in records]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - of any type
    return TypeAdapter(kind)


def of(kind: type[Record], value: Json) -> Record:
    """The record that `as_json` wrote, or a list of them. Raises ValueError for what is none."""
    found: Record = _adapter(kind).validate_python(value)  # type: ignore[arg-type]
    return found


def amount_of(value: Json) -> float:
    """An amount of money. Raises ValueError for what is none: it would lift the budget."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"no amount: {value!r:.80}")
    if not 0 <= value <= MOST_USD:  # which NaN is not either
        raise ValueError(f"no amount: {value}")
    return float(value)


def outcome_from_wire(value: Json) -> tuple[Score | Unscored, dict[str, Json]]:
    """What came of a case, and its record. Raises ValueError for what is no outcome."""
    outcome, record = of(list[dict[str, Any]], value)
    check_shape("outcome", outcome)
    check_shape("record", record)
    return from_json(outcome), record


def capture_as_json(capture: Capture) -> dict[str, Json]:
    """A capture with its body and its name, which an older version may have given it."""
    body = None if capture.body is None else b64encode(capture.body).decode()
    return as_json(capture) | {"body": body, "id": capture.id}


def capture_of(value: Json) -> Capture:
    """What `capture_as_json` wrote."""
    name, body = str(value["id"]), value["body"]
    capture = of(Capture, {**value, "body": None if body is None else b64decode(body)})
    vars(capture)["id"] = name
    return capture


def case_as_json(protocol: Protocol, case: Case) -> dict[str, Json]:
    """A case with all that it is made of."""
    return {
        "protocol": str(protocol),
        "task": case.task.model_dump(mode="json"),
        "day": case.task.day.isoformat() if case.task.day else None,
        "repeat": case.repeat,
        "report": _report(case.report),
        "reference": case.reference and _report(case.reference),
        "rival": case.rival and _report(case.rival),
    }


def _report(report: Report) -> dict[str, Json]:
    return as_json(report) | {"run": asdict(report.run) if report.run else None, "path": None}


def case_of(value: Json, protocols: Mapping[str, Protocol]) -> tuple[Protocol, Case]:
    """What `case_as_json` wrote."""
    protocol = protocols[value["protocol"]]
    task = Task.model_validate(value["task"])
    if value["day"] is not None:
        task = task.on(date.fromisoformat(value["day"]), protocol.edition)
    reports = {name: value[name] and of(Report, value[name]) for name in ("reference", "rival")}
    return protocol, Case(task, of(Report, value["report"]), int(value["repeat"]), **reports)


def model_as_json(model: AskedModel) -> dict[str, Json]:
    """A model by its name; an object of the caller stays where it is."""
    return {
        "model": model.model,
        "base_url": model.base_url,
        "settings": as_json(model.settings),
        "is_code": model.client is not None,
    }


def model_of(value: Json) -> AskedModel:
    """What `model_as_json` wrote, with the code of this machine where it is code."""
    client = client_named(value["model"]) if value["is_code"] else None
    settings = of(ModelSettings, value["settings"])
    return AskedModel(value["model"], value["base_url"], settings, client)
