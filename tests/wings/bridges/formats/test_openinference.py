"""Scores as evaluations on the spans of traces that somebody else recorded."""

import json
from pathlib import Path

import pytest

from deepassay.reports.traces.exports import spans_in
from deepassay.run.showing.records import records_of
from deepassay.score import Score
from tests.wings.bridges.formats.random_runs import random_run

ROOT = {"traceId": "a" * 32, "spanId": "0000000000000001"}


def written(deepassay, run, *more):
    """The spans of a run, each with its attributes as plain values."""
    done = deepassay("export", run, "--format", "openinference", "-o", "s.otlp.jsonl", *more)
    assert done.returncode == 0, done.stderr
    spans = []
    for line in Path("s.otlp.jsonl").read_text("ascii").splitlines():
        (resource,) = json.loads(line)["resourceSpans"]
        spans += resource["scopeSpans"][0]["spans"]
    return [(each, {a["key"]: plain(a["value"]) for a in each["attributes"]}) for each in spans], (
        done.stderr
    )


def plain(value):
    ((kind, inner),) = value.items()
    return int(inner) if kind == "intValue" else inner


@pytest.fixture
def traced(deepassay, repository):
    folder = repository / "examples" / "traces"
    words = (folder / "tasks.jsonl", folder / "reports", "--traces", folder / "ferry.otlp.jsonl")
    for protocol in ("process", "presentation", "coverage"):
        words += ("--protocol", protocol)
    assert deepassay("evaluate", *words, "--date", "2026-05-04").returncode == 0
    return "run.assay"


def test_each_score_is_linked_to_the_root_and_each_finding_to_its_span(deepassay, traced):
    spans, told = written(deepassay, traced)
    whole = {a["evaluations.0.evaluation.name"]: (s, a) for s, a in spans if s["links"] == [ROOT]}
    assert whole.keys() == {"process", "presentation", "coverage"}
    assert whole["process"][1]["evaluations.0.evaluation.score"] == 50.0
    _, unscored = whole["coverage"]
    assert unscored["evaluations.0.evaluation.label"] == "unscored"
    assert unscored["evaluations.0.evaluation.explanation"].startswith("missing_input")
    assert "evaluations.0.evaluation.score" not in unscored
    found = {
        a["evaluations.0.evaluation.label"]: s["links"][0]["spanId"]
        for s, a in spans
        if a["evaluations.0.evaluation.name"] == "process: finding"
    }
    assert found["opened, on the blocked list"] == "000000000000000a"
    assert found["figure not on the cited page, though read"] == "0000000000000004"
    assert "3 evaluations of reports and 6 findings on spans" in told
    assert "Left out: 0 judgements" in told


def test_spans_are_of_their_own_and_the_same_every_time(deepassay, traced):
    spans, _ = written(deepassay, traced)
    text = Path("s.otlp.jsonl").read_bytes()
    assert len({each["spanId"] for each, _ in spans}) == len(spans)
    assert all(len(each["traceId"]) == 32 and each["traceId"] != "a" * 32 for each, _ in spans)
    assert all(a["openinference.span.kind"] == "EVALUATOR" for _, a in spans)
    assert {a["evaluations.0.evaluation.annotator_kind"] for _, a in spans} == {"CODE"}
    refused = deepassay("export", traced, "--format", "openinference", "-o", "s.otlp.jsonl")
    assert refused.returncode == 2 and "--force" in refused.stderr
    written(deepassay, traced, "--force")
    assert Path("s.otlp.jsonl").read_bytes() == text


def test_what_was_written_is_no_trace_of_an_agent(deepassay, traced):
    written(deepassay, traced)
    lines = Path("s.otlp.jsonl").read_text("ascii").splitlines()
    read = [each for line in lines for each in spans_in(json.loads(line))]
    assert {each.kind for each in read} == {"other"}


@pytest.mark.parametrize("seed", range(3))
def test_scores_of_random_runs_keep_every_bit_and_what_has_no_span_is_counted(
    deepassay, tmp_path, seed
):
    random_run(tmp_path / "r.assay", seed)
    spans, told = written(deepassay, tmp_path / "r.assay")
    records = records_of([tmp_path / "r.assay"])
    values = {
        (each.protocol, each.agent, each.task, each.sample, each.repeat): each.outcome.value
        for each in records
        if isinstance(each.outcome, Score)
    }
    scores = {
        (
            a["evaluations.0.evaluation.name"],
            *(a[f"deepassay.{name}"] for name in ("agent", "task", "sample", "repeat")),
        ): a["evaluations.0.evaluation.score"]
        for _, a in spans
        if "evaluations.0.evaluation.score" in a
    }
    assert scores and all(float(values[at]).hex() == each.hex() for at, each in scores.items())
    left = len(records) - len(spans)
    assert f"Left out: {left} judgement" in told


def test_spans_go_into_a_file(deepassay, traced):
    done = deepassay("export", traced, "--format", "openinference")
    assert done.returncode == 2 and "Name it with -o" in done.stderr
