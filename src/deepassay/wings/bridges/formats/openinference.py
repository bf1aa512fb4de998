"""Scores beside the traces they judge: evaluations by the names of OpenInference, as OTLP in JSON.

An evaluation comes after the trace, and a span that was exported cannot be changed: so each is a
span of its own, of kind EVALUATOR, with one link to the span that it judges (spec/annotations.md of
https://github.com/Arize-ai/openinference, and Span Links of OpenTelemetry).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, NamedTuple

from deepassay import __version__
from deepassay.files import without_surrogates
from deepassay.results.evidence import OutcomeEvidence
from deepassay.results.records import Judged, judges_of
from deepassay.results.tables import several
from deepassay.run.showing.output import check_output, fresh_output
from deepassay.run.showing.records import each_run, judged
from deepassay.run.showing.yardsticks import agent_runs
from deepassay.runfile import AgentRun, RunFile
from deepassay.score import Json, Score, digest, report_key

_TRACE: Final = re.compile(r"[0-9a-f]{32}")
_SPAN: Final = re.compile(r"[0-9a-f]{16}")
_NAMED: Final = re.compile(r"\bspan ([0-9a-f]{16})\b")


class JudgedSpan(NamedTuple):
    """The span that something is said of, in hexadecimal."""

    trace: str
    span: str


@dataclass(frozen=True)
class SpanEvaluations:
    """What was written. outcomes: how many judgements and findings are told of spans. without:
    judgements of reports whose run is not known by a trace with spans.
    """

    outcomes: int
    findings: int
    without: int

    def lines(self, output: Path) -> Iterator[str]:
        """What was written and what was left out, for a person."""
        yield (
            f"Wrote {several(self.outcomes, 'evaluation')} of reports and "
            f"{several(self.findings, 'finding')} on spans into {output}. Left out: "
            f"{several(self.without, 'judgement')} of reports that have no trace with spans."
        )


def write_evaluations(
    paths: Sequence[Path], output: Path, *, force: bool = False
) -> SpanEvaluations:
    """Write a line of OTLP for each judgement of a report whose trace is known.

    The same run gives the same bytes. Raises BadSetting for a file that is there (unless `force`),
    BadRunFile for a run that cannot be read.
    """
    outcomes = findings = without = 0
    check_output(output, paths, force=force)
    with fresh_output(output) as fresh, fresh.open("w", encoding="utf-8") as file:
        for run in each_run(paths):
            spans = EvaluationSpans(run)
            for record in judged(run):
                made = [*spans.of(record)]
                outcomes += bool(made)
                findings += max(0, len(made) - 1)
                without += not made
                if made:
                    file.write(json.dumps(spans.request(made), allow_nan=False) + "\n")
    return SpanEvaluations(outcomes, findings, without)


class EvaluationSpans:
    """The spans that tell what a run says of traces."""

    def __init__(self, run: RunFile) -> None:
        self._salt = run.salt
        self._runs = agent_runs(run)
        day = date.fromisoformat(run.configuration["date"])
        self._time = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 10**9

    def of(self, record: Judged) -> Iterator[Json]:
        """A span for the judgement and for each finding in it; none where no span is known."""
        own = self._runs.get(report_key(record))
        judged_span = _root_of(own)
        if own is None or judged_span is None:
            return
        yield self._span(record, judged_span, 0, _of_outcome(record))
        known = {each.span for each in own.events or ()}
        for number, item in enumerate(OutcomeEvidence(record.outcome.details).items, start=1):
            named = [each for each in _NAMED.findall(item.reason) if each in known]
            if named:
                place = JudgedSpan(judged_span.trace, named[0])
                about = {
                    "name": f"{record.protocol}: finding",
                    "label": str(item.verdict or item.score),
                    "explanation": ": ".join(filter(None, [item.item, item.reason])),
                    "identifier": f"{record.signature.digest}/{item.key}",
                }
                yield self._span(record, place, number, about)

    def request(self, spans: Sequence[Json]) -> Json:
        """What a line of an OTLP file holds."""
        about = {"service.name": "deepassay", "service.version": __version__}
        scope = {"name": "deepassay", "version": __version__}
        return {
            "resourceSpans": [
                {
                    "resource": {"attributes": _attributes(about)},
                    "scopeSpans": [{"scope": scope, "spans": [*spans]}],
                }
            ]
        }

    def _span(
        self, record: Judged, place: JudgedSpan, number: int, about: Mapping[str, Json]
    ) -> Json:
        own = digest(["openinference", self._salt, record.protocol, *report_key(record),
                      record.repeat, number])  # fmt: skip
        kind = "CODE" if {*judges_of(record.signature)} <= {"none", "offline"} else "LLM"
        prefix = "evaluations.0.evaluation"
        told = {f"{prefix}.{key}": each for key, each in about.items() if each not in (None, "")}
        return {
            "traceId": own[:32],
            "spanId": own[32:48],
            "name": without_surrogates(f"evaluate {record.protocol}"),
            "kind": 1,
            "startTimeUnixNano": str(self._time),
            "endTimeUnixNano": str(self._time),
            "attributes": _attributes(
                {
                    "openinference.span.kind": "EVALUATOR",
                    "deepassay.agent": record.agent,
                    "deepassay.task": record.task,
                    "deepassay.sample": record.sample,
                    "deepassay.repeat": record.repeat,
                    **told,
                    f"{prefix}.annotator_kind": kind,
                }
            ),
            "links": [{"traceId": place.trace, "spanId": place.span}],
            "status": {},
        }


def _root_of(run: AgentRun | None) -> JudgedSpan | None:
    """The span around all others, where a run was read from a trace with spans."""
    record = run.record if run else {}
    trace, root = str(record.get("trace", "")), str(record.get("root", ""))
    return JudgedSpan(trace, root) if _TRACE.fullmatch(trace) and _SPAN.fullmatch(root) else None


def _of_outcome(record: Judged) -> dict[str, Json]:
    """A judgement in the fields of an evaluation; without a score where there is none."""
    outcome = record.outcome
    about: dict[str, Json] = {
        "agent": record.agent,
        "task": record.task,
        "sample": record.sample,
        "repeat": record.repeat,
        "signature": str(record.signature),
    }
    found: dict[str, Json] = {
        "name": record.protocol,
        "identifier": f"{record.signature.digest}/{record.sample}.{record.repeat}",
    }
    if isinstance(outcome, Score):
        about |= {"bounds": outcome.bounds, "parts": outcome.parts or None, "tally": outcome.tally}
        found |= {"score": float(outcome.value), "explanation": outcome.details.get("summary")}
    else:
        why = f"{outcome.cause}: {outcome.detail}" if outcome.detail else str(outcome.cause)
        found |= {"label": "unscored", "explanation": why}
    told = {key: each for key, each in about.items() if each is not None}
    return {**found, "metadata": json.dumps(told, allow_nan=False)}


def _attributes(given: Mapping[str, Json]) -> list[Json]:
    return [{"key": key, "value": _value(each)} for key, each in given.items()]


def _value(value: Json) -> Json:
    """A value as OTLP has it in JSON: whole numbers of 64 bits are texts there."""
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": without_surrogates(str(value))}
