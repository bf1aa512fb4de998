"""Runs as logs of Inspect: samples, scores, what was asked, and the way back."""

from __future__ import annotations

import asyncio
import math
import zipfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from inspect_ai import score as rescored
from inspect_ai.event import Event, ModelEvent, ScoreEvent, SpanBeginEvent
from inspect_ai.log import EvalLog, read_eval_log

from deepassay import Report, evaluate, open_run
from deepassay.cli.results import export
from deepassay.errors import BadSetting, Notice
from deepassay.reports.loaders import load_reports
from deepassay.run.archives import import_pages
from deepassay.run.showing.contents import expected
from deepassay.runfile import AgentRun, RunFile, StoredRun
from deepassay.score import report_key
from deepassay.wings.bridges.inspect.scorers import as_scorer
from tests.wings.bridges.inspect.logs import (
    CHECKLIST,
    REPORT,
    log_of,
    model,
    sample,
    scores_in,
    written,
)

PROMPT = "Are heat pumps worth it?"
TASKS = [
    {"id": "a", "prompt": PROMPT, "checklist": CHECKLIST, "labels": {"topic": "heat"}},
    {"id": "b", "prompt": "And {{current_year}}?", "checklist": CHECKLIST[:1]},
    {"id": "c", "prompt": "No checklist?"},
]
REPORTS = [
    Report(REPORT, "owl", "a"),
    Report(f"{REPORT}\nAgain \ud800.", "owl", "a", sample=2),
    Report(REPORT, "owl", "b"),
    Report(REPORT, "owl", "c"),
    Report("Short.", "crow", "a"),
]


def run_of(folder: Path, protocols: Sequence[str] = ("coverage",), **settings: object) -> Path:
    path = folder / "run.assay"
    evaluate(TASKS, REPORTS, list(protocols), run=path, date="2026-11-20", **settings)
    return path


def logs_of(run: Path, folder: Path) -> dict[str, EvalLog]:
    """The logs of a run, by task and agent."""
    open_run(run).export(folder, "eval")
    logs = [read_eval_log(str(path)) for path in sorted(folder.iterdir())]
    return {f"{log.eval.task} {(log.eval.metadata or {})['assay_agent']}": log for log in logs}


def test_a_log_for_each_protocol_and_agent_has_a_sample_for_each_judgement(tmp_path):
    logs = logs_of(run_of(tmp_path, repeat=2), tmp_path / "logs")

    assert list(logs) == ["coverage crow", "coverage owl"]
    samples = logs["coverage owl"].samples or []
    assert sorted((each.id, each.epoch) for each in samples) == [
        ("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 1), ("b", 2), ("c", 1), ("c", 2),
    ]  # fmt: skip
    assert {each.input for each in samples if each.id == "b"} == {"And 2026?"}
    assert samples[0].metadata["assay_labels"] == {"topic": "heat", "language": "en"}
    assert samples[0].output.completion == REPORT


def test_what_is_not_scored_stays_so_and_columns_say_what_they_rest_on(tmp_path):
    logs = logs_of(run_of(tmp_path), tmp_path / "logs")

    crow = {
        str(each.id): (each.scores or {})["coverage"]
        for each in logs["coverage crow"].samples or []
    }
    assert not math.isnan(float(str(crow["a"].value)))
    assert math.isnan(float(str(crow["b"].value)))
    assert (crow["b"].reason, (crow["b"].metadata or {})["cause"]) == (
        "no_response",
        "missing_input",
    )
    assert "no report for this task" in (crow["b"].explanation or "")
    owl = {
        str(each.id): (each.scores or {})["coverage"] for each in logs["coverage owl"].samples or []
    }
    assert (owl["c"].reason, (owl["c"].metadata or {})["cause"]) == (
        "scoring_failed",
        "missing_input",
    )
    results = logs["coverage owl"].results
    assert results
    (column,) = results.scores
    assert (column.scored_samples, column.unscored_samples) == (3, 1)
    assert column.metadata and column.metadata["coverage"] == {"scored": 3, "expected": 4}
    bounds = column.metadata["bounds"]
    assert bounds["low"] < column.metrics["mean"].value < bounds["high"]


def test_what_judges_were_asked_stands_in_the_shape_that_the_viewer_shows(tmp_path):
    logs = logs_of(run_of(tmp_path, judge=lambda prompt: "Fine."), tmp_path / "logs")

    (found, *_) = logs["coverage owl"].samples or []
    scorers, scorer = (each for each in found.events if isinstance(each, SpanBeginEvent))
    assert (scorers.type, scorer.type, scorer.parent_id) == ("scorers", "scorer", scorers.id)
    (asked,) = [each for each in found.events if isinstance(each, ModelEvent)]
    assert asked.span_id == scorer.id
    assert (asked.role, asked.output.completion) == ("judge", "Fine.")
    assert (asked.error or "").startswith("answer_unreadable")
    assert [each.role for each in asked.input] == ["system", "user"]
    assert [
        type(each) for each in found.events if each.span_id == scorer.id and not _is_span(each)
    ] == [
        ModelEvent,
        ScoreEvent,
    ]


def _is_span(event: Event) -> bool:
    return event.event in ("span_begin", "span_end")


def test_verdicts_on_pages_show_the_questions_that_they_came_from(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>Heat pumps save energy in most homes. They cost more to install.</p>")
    import_pages([page], tmp_path / "run.assay", "https://example.org/pumps")

    logs = logs_of(run_of(tmp_path, ["fact"], offline_sources=True), tmp_path / "logs")

    (found, *_) = logs["fact owl"].samples or []
    roles = [each.role for each in found.events if isinstance(each, ModelEvent)]
    assert "verifier" in roles
    assert logs["fact owl"].results
    assert [each.name for each in logs["fact owl"].results.scores] == ["overall", "E.Cit"]


def test_the_same_run_gives_the_same_members(tmp_path):
    run = run_of(tmp_path, ["coverage", "presentation"])
    for folder in ("one", "other"):
        open_run(run).export(tmp_path / folder, "eval")

    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert len(names) == 4
    for name in names:
        with (
            zipfile.ZipFile(tmp_path / "one" / name) as one,
            zipfile.ZipFile(tmp_path / "other" / name) as other,
        ):
            assert one.namelist() == other.namelist()
            assert all(one.read(each) == other.read(each) for each in one.namelist())


def test_a_log_is_scored_again_by_what_its_samples_bring(tmp_path):
    log = logs_of(run_of(tmp_path), tmp_path / "logs")["coverage owl"]
    before = [(each.scores or {})["coverage"].value for each in log.samples or []]

    done = rescored(log, as_scorer("coverage", judge="offline", run=tmp_path / "again.assay"),
                    action="overwrite", display="none")  # fmt: skip

    after = [(each.scores or {})["coverage"].value for each in done.samples or []]
    assert str(after) == str(before)


def test_reports_come_back_with_their_agent_and_how_it_ended(tmp_path):
    cut = AgentRun(REPORT, "truncated", "the model stopped", usage={"input": 9, "output": 3})
    reports = [Report(REPORT, "owl", "a", run=cut)]
    evaluate(TASKS, reports, "coverage", run=tmp_path / "run.assay")
    (log,) = logs_of(tmp_path / "run.assay", tmp_path / "logs").values()

    assert [each.total_time for each in log.samples or []] == [None] * 3  # nobody knows it
    found, *missing = load_reports([tmp_path / "logs"])

    assert (found.agent, found.task, found.sample, found.text) == ("owl", "a", 1, REPORT)
    assert found.run is not None
    assert (found.run.stop, found.run.usage) == ("truncated", {"input": 9, "output": 3})
    assert not missing  # nobody knows of a run on the other tasks


def test_what_agents_did_without_a_report_comes_back_and_what_they_did_not_do_does_not(tmp_path):
    ends = {
        ("owl", "b"): AgentRun(None, "failed", "It ended with status 3.", seconds=2.0),
        ("owl", "c"): AgentRun(None, "time", "It was stopped.", seconds=60.0),
        ("wren", "a"): AgentRun(None, "budget", "Used up.", usage={"output_tokens": 5}),
        ("wren", "b"): AgentRun(None, "cancelled", "Ctrl-C."),
    }
    wrote = AgentRun(REPORT, "done", usage={"input_tokens": 9, "output_tokens": 3})
    with RunFile.create(tmp_path / "agents.assay") as agents:
        for (agent, task), run in ends.items():
            asyncio.run(agents.answering.keep(StoredRun(agent, task, 1, run)))
        asyncio.run(agents.answering.keep(StoredRun("owl", "a", 1, wrote)))
    reports = [tmp_path / "agents.assay", Report("Short.", "crow", "a"), Report("", "crow", "b")]
    for folder, given in (("one", reports), ("two", tmp_path / "one" / "logs")):
        evaluate(TASKS, given, "coverage", run=tmp_path / folder / "run.assay", date="2026-11-20")
        open_run(tmp_path / folder / "run.assay").export(tmp_path / folder / "logs", "eval")

    with RunFile.read(tmp_path / "two" / "run.assay") as run:
        stops = {place[:2]: stop for place, stop in run.answering.stops().items()}
        used = {each.agent: each.run.tokens for each in run.answering.runs() if each.run.usage}
        written = {place[:2] for place in run.report_places()}
        places = {place[1:3] for place in expected(run)}
    assert {each: stops[each] for each in ends} == {each: run.stop for each, run in ends.items()}
    assert stops.keys() - ends.keys() == {("owl", "a"), ("crow", "a"), ("crow", "b")} == written
    assert used == {"owl": {"input": 9, "output": 3}, "wren": {"input": 0, "output": 5}}
    assert places == {*product(("owl", "wren", "crow"), "abc")}


def test_logs_of_a_run_by_two_protocols_are_evaluated_and_each_report_counts_once(tmp_path):
    logs_of(run_of(tmp_path, ("coverage", "presentation")), tmp_path / "logs")
    again = tmp_path / "again.assay"

    with pytest.warns(Notice, match="came again with the same text, and count once: "):
        evaluate(TASKS, tmp_path / "logs", ["coverage", "presentation"], run=again,
                 date="2026-11-20")  # fmt: skip

    with RunFile.read(tmp_path / "run.assay") as one, RunFile.read(again) as other:
        before, after = (
            # A log holds U+FFFD in place of a lone surrogate.
            {report_key(e): e.text.replace("\ud800", "\ufffd") for e in run.reports()}
            for run in (one, other)
        )
    assert before.items() <= after.items()
    assert {text for place, text in after.items() if place not in before} <= {""}


def test_one_log_is_counted_as_one(tmp_path, capsys):
    evaluate(TASKS, [Report(REPORT, "owl", "a")], "coverage", run=tmp_path / "run.assay")
    export([tmp_path / "run.assay"], output=tmp_path / "logs", format="eval")
    assert "Wrote 1 log into " in capsys.readouterr().err


def test_a_log_of_inspect_is_evaluated_and_its_errors_come_back(tmp_path):
    log = log_of([sample("a"), sample("b", "", prompt="And 2026?", stop="content_filter")])
    evaluate(TASKS, written(log, tmp_path / "l.eval"), "coverage", run=tmp_path / "run.assay",
             date="2026-11-20")  # fmt: skip

    found = logs_of(tmp_path / "run.assay", tmp_path / "logs")["coverage mockllm/writer"]

    ended = {str(each.id): each.metadata.get("stop") for each in found.samples or []}
    assert ended == {"a": "done", "b": "refused", "c": None}


def test_nothing_is_overwritten_unless_it_is_meant(tmp_path):
    run = open_run(run_of(tmp_path))
    run.export(tmp_path / "logs", "eval")

    with pytest.raises(BadSetting, match="is there already"):
        run.export(tmp_path / "logs", "eval")
    assert run.export(tmp_path / "logs", "eval", force=True)
    with pytest.raises(BadSetting, match="is no table"):
        run.export(tmp_path / "other", "eval", texts=True)


def test_a_panel_shows_what_each_judge_was_asked(tmp_path):
    def first(prompt: str) -> str:
        return "no"

    def second(prompt: str) -> str:
        return "neither"

    logs = logs_of(run_of(tmp_path, judge=[first, second]), tmp_path / "logs")

    (found, *_) = logs["coverage owl"].samples or []
    said = [each.output.completion for each in found.events if isinstance(each, ModelEvent)]
    assert sorted(said) == ["neither", "no"]


def test_scores_of_inspect_models_and_of_a_log_made_by_us_stand_side_by_side(tmp_path):
    logs_of(run_of(tmp_path), tmp_path / "logs")
    path = next(each for each in (tmp_path / "logs").iterdir() if "owl" in each.name)

    done = rescored(read_eval_log(str(path)), as_scorer("coverage"), action="append",
                    model_roles={"judge": model("j")}, display="none")  # fmt: skip

    written(done, path)
    assert set((done.samples or [])[0].scores or {}) == {"coverage", "coverage1"}
    assert not math.isnan(float(str(scores_in(path, "coverage1")["a"].value)))
