"""Spans of instrumentation as runs of agents: the same run however it was exported, or less."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
import zstandard

from deepassay.errors import BadReports, Notice
from deepassay.reports.loaders import load_reports
from deepassay.reports.traces.files import recorded_in
from tests.reports.traces.building import (
    CALLS,
    FOUND,
    GONE,
    HIGH,
    LOW,
    OPENED,
    PAGE,
    PROMPT,
    REPORT,
    cut,
    lines,
    span,
    spans,
)

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")


def read(path: Path, text: str, name: str = "x.otlp.jsonl"):
    (path / name).write_text(text)
    (found,) = recorded_in([path / name])
    return found


@pytest.mark.parametrize("vocabulary", ["openinference", "genai"])
def test_a_run_is_what_was_asked_for_what_came_and_what_was_written(tmp_path, vocabulary):
    found = read(tmp_path, lines(spans(vocabulary)))

    assert (found.agent, found.prompts[0], found.run.report) == ("norrby", PROMPT, REPORT)
    assert (found.run.found, found.run.opened) == (FOUND, OPENED)
    assert [(e.kind, e.query, e.urls, e.status) for e in found.run.events] == [
        ("search", "tide Norrby", FOUND, 200),
        ("page", "", (HIGH,), 200),
        ("page", "", (LOW,), 200),
        ("page", "", (GONE,), 404),
    ]
    assert [e.span for e in found.run.events] == [f"{n:016x}" for n in (2, 4, 6, 8)]
    assert (found.run.events[1].text, found.run.events[1].tool) == (PAGE, "visit_page")
    assert found.run.usage == {"input": 50, "output": 10}
    assert found.run.record["tools"] == {"web_search": {"search": 1}, "visit_page": {"page": 3}}


def test_order_repeats_and_lines_do_not_matter(tmp_path):
    whole = read(tmp_path, lines(spans())).run
    mixed = [*spans(), *spans()[:5]]
    random.Random(1).shuffle(mixed)

    assert read(tmp_path, lines(mixed, 4)).run == whole


def test_one_run_may_stand_in_several_files(tmp_path):
    all_of_it = spans()
    for number, part in enumerate((all_of_it[::2], all_of_it[1::2])):
        (tmp_path / f"{number}.otlp.jsonl").write_text(lines(part))

    (report,) = load_reports([tmp_path])

    assert (report.text, report.agent, report.run.opened) == (REPORT, "norrby", OPENED)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("name", ["x.otlp.jsonl.gz", "x.otlp.jsonl.zst"])
def test_files_may_be_packed(tmp_path, pack, name):
    (tmp_path / name).write_bytes(pack(lines(spans()).encode()))

    (report,) = load_reports([tmp_path / name])

    assert report.run.found == FOUND


def test_lines_of_traces_are_known_by_how_they_begin(tmp_path):
    (tmp_path / "export.jsonl").write_text(lines(spans()))

    (report,) = load_reports([tmp_path / "export.jsonl"])

    assert (report.prompt, report.run.opened) == (PROMPT, OPENED)


@pytest.mark.parametrize("vocabulary", ["openinference", "genai"])
def test_a_trace_without_content_says_nothing_of_what_was_found(tmp_path, vocabulary):
    run = read(tmp_path, lines(spans(vocabulary, content=False))).run

    assert (run.found, run.opened, run.events, run.report) == (None, None, None, "")
    assert "4 calls of tools" in run.record["unseen"]


def test_what_is_redacted_was_not_kept(tmp_path):
    hidden = [(tool, "__REDACTED__", "__REDACTED__") for tool, _, _ in CALLS]

    assert read(tmp_path, lines(spans(calls=hidden))).run.events is None


@pytest.mark.parametrize("vocabulary", ["openinference", "genai"])
def test_texts_that_were_cut_never_make_anything_absent(tmp_path, vocabulary):
    whole = spans(vocabulary)
    longest = max(len(json.dumps(each)) for each in whole)
    known = 0
    for most in [*range(1, 700, 3), *range(700, longest, 37)]:
        (tmp_path / "x.otlp.jsonl").write_text(lines(cut(whole, most)))
        if not (those := recorded_in([tmp_path / "x.otlp.jsonl"])):
            assert most < 12  # nobody can tell spans of tools from others
            continue
        run = those[0].run
        assert run.found in (None, FOUND), most
        assert run.opened in (None, OPENED), most
        texts = {e.urls: e.text for e in run.events or () if e.kind == "page" and e.whole}
        assert texts.get((HIGH,), PAGE) == PAGE, most
        assert run.report in ("", REPORT) or run.stop == "truncated", most
        known += run.opened is not None
    assert known  # else it would hold of a reader that knows nothing


def test_a_file_that_breaks_off_never_makes_anything_absent(tmp_path):
    text = lines(spans())
    known = 0
    for most in range(1, len(text), 61):
        (tmp_path / "x.otlp.jsonl").write_text(text[:most])
        try:
            (run,) = (each.run for each in recorded_in([tmp_path / "x.otlp.jsonl"]))
        except BadReports:
            continue
        assert run.found is None or run.report == REPORT, most
        assert run.opened is None or most > len(text) - 2, most
        known += run.events is not None
    assert known > 20


@pytest.mark.parametrize("lost", [0, 2, 4, 6])
def test_a_span_that_was_lost_is_known_by_what_models_were_told(tmp_path, lost):
    whole = spans()
    left = [*whole[:lost], *whole[lost + 1 :]]
    run = read(tmp_path, lines(left)).run
    assert (run.found, sorted(run.opened)) == (FOUND, sorted(OPENED))
    assert ["#" in each.span for each in run.events].count(True) == 1

    for each in left:  # models say what they ask for, and not what they were told
        each["attributes"] = [
            one
            for one in each["attributes"]
            if each["name"] != "model" or one["key"] != "input.value"
        ]
    run = read(tmp_path, lines(left)).run
    assert run.found is None or run.opened is None
    assert [each.status for each in run.events].count(None) == 1


def test_attributes_that_were_dropped_are_not_absent(tmp_path):
    whole = spans()
    whole[2]["attributes"] = whole[2]["attributes"][:2]
    whole[2]["droppedAttributesCount"] = 3

    run = read(tmp_path, lines(whole)).run

    assert (run.found, run.opened, run.record["lost"]) == (None, None, 1)


def test_a_parent_that_was_recorded_elsewhere_is_not_missing(tmp_path):
    whole = spans()
    whole[-1] |= {"parentSpanId": "f" * 16, "flags": 0x301}
    assert read(tmp_path, lines(whole)).run.opened == OPENED
    whole[-1] |= {"flags": 0x101}
    assert read(tmp_path, lines(whole)).run.opened is None


def test_of_a_tool_around_a_retriever_the_retriever_counts(tmp_path):
    around = {"openinference.span.kind": "TOOL", "tool.name": "web_search"}
    inner = {"openinference.span.kind": "RETRIEVER", "input.value": "tide"}
    inner["retrieval.documents.0.document.metadata"] = json.dumps({"source": HIGH})
    inner["retrieval.documents.0.document.content"] = "High."
    both = [
        span(2, "web_search", {**around, "input.value": "tide", "output.value": "High."}),
        span(3, "Web", inner, parent=2),
        span(1, "run", {"openinference.span.kind": "AGENT", "output.value": REPORT}, parent=0),
    ]

    run = read(tmp_path, lines(both)).run

    assert [(each.kind, each.urls, each.text) for each in run.events] == [
        ("search", (HIGH,), f"{HIGH}\nHigh.")
    ]


def test_of_a_span_within_a_tool_that_says_nothing_the_tool_counts(tmp_path):
    around = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "visit"}
    told = {"gen_ai.tool.call.arguments": json.dumps({"url": HIGH})}
    told["gen_ai.tool.call.result"] = PAGE
    both = [
        span(2, "visit", around | told),
        span(3, "tools/call", around, parent=2),
        span(1, "run", {"gen_ai.operation.name": "invoke_agent"}, parent=0),
    ]

    run = read(tmp_path, lines(both)).run

    assert (run.opened, run.record["tools"]) == ((HIGH,), {"visit": {"page": 1}})


def test_tokens_of_what_is_around_the_model_are_not_counted_again(tmp_path):
    whole = spans()
    whole[-1]["attributes"] += [
        {"key": "llm.token_count.prompt", "value": {"intValue": "50"}},
        {"key": "llm.token_count.completion", "value": {"intValue": "10"}},
    ]

    assert read(tmp_path, lines(whole)).run.usage == {"input": 50, "output": 10}


def test_searches_of_a_provider_have_no_span_of_their_own(tmp_path):
    start = "llm.output_messages.0.message"
    action = {"type": "search", "query": "tide", "sources": [{"type": "url", "url": HIGH}]}
    opened = {"type": "open_page", "url": HIGH}
    own = {"openinference.span.kind": "LLM", f"{start}.role": "assistant"}
    for number, each in enumerate((action, opened)):
        call = f"{start}.tool_calls.{number}.tool_call"
        own |= {f"{call}.id": f"ws_{number}", f"{call}.function.name": "web_search_call"}
        own[f"{call}.function.arguments"] = json.dumps(each)
    own[f"{start}.contents.0.message_content.text"] = REPORT
    own[f"{start}.contents.0.message_content.type"] = "text"

    run = read(tmp_path, lines([span(1, "response", own, parent=0)])).run

    assert [(e.kind, e.urls, e.came, e.whole) for e in run.events] == [
        ("search", (HIGH,), True, True),
        ("page", (HIGH,), True, False),  # it was opened, and nobody sees what it says
    ]
    assert (run.report, run.opened) == (REPORT, (HIGH,))


def test_contents_may_stand_in_events_of_spans(tmp_path):
    def event(name, **told):
        pairs = [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]
        return {"name": f"gen_ai.{name}", "attributes": pairs}

    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "visit"}
    asked = event("tool.message", content=json.dumps({"url": HIGH}), id="c1")
    came = event("choice", message=json.dumps([{"text": PAGE}]), id="c1")
    heard = event("user.message", content=json.dumps([{"text": PROMPT}]))
    said = event("choice", message=REPORT)
    both = [
        span(2, "visit", tool, events=[asked, came]),
        span(3, "chat", {"gen_ai.operation.name": "chat"}, events=[heard, said]),
        span(1, "run", {"gen_ai.operation.name": "invoke_agent"}, parent=0),
    ]

    found = read(tmp_path, lines(both))

    assert (found.run.report, found.prompts, found.run.opened) == (REPORT, (PROMPT,), (HIGH,))
    assert found.run.events[0].text == PAGE


def test_spans_may_be_printed_as_the_console_exporter_does(tmp_path):
    printed = []
    for each in spans():
        own = {a["key"]: next(iter(a["value"].values())) for a in each["attributes"]}
        context = {"trace_id": "0x1", "span_id": f"0x{each['spanId']}"}
        above = f"0x{each['parentSpanId']}" if each["parentSpanId"] else None
        start = f"2026-11-27T03:{int(each['spanId'], 16) % 60:02d}:00Z"
        told = {"name": each["name"], "context": context, "parent_id": above, "start_time": start}
        status = {"status_code": "UNSET"}
        printed.append(
            told | {"end_time": start, "attributes": own, "status": status, "events": []}
        )

    run = read(tmp_path, "\n".join(json.dumps(each, indent=4) for each in printed)).run

    assert (run.found, run.opened, run.report) == (FOUND, OPENED, REPORT)


def test_what_a_program_printed_in_place_of_an_answer_is_no_report(tmp_path):
    whole = spans()
    printed = f"StopEvent(result=AgentOutput(text='{REPORT[:20]}..."
    whole[-1]["attributes"].append({"key": "output.value", "value": {"stringValue": printed}})

    assert read(tmp_path, lines(whole)).run.report == REPORT


def test_traces_in_which_nobody_is_at_work_are_left_out_and_told_of(tmp_path):
    other = span(7, "GET /health", {"http.method": "GET"}, parent=0, trace="c" * 32)
    (tmp_path / "x.otlp.jsonl").write_text(lines([*spans(), other]))

    with pytest.warns(Notice, match="1 traces are left out"):
        (found,) = recorded_in([tmp_path / "x.otlp.jsonl"])

    assert found.run.report == REPORT


def test_several_runs_of_a_task_are_samples_in_order_of_time(tmp_path):
    second = [{**each, "traceId": "b" * 32} for each in spans(report="Second.")]
    for each in second:
        each["startTimeUnixNano"] = str(int(each["startTimeUnixNano"]) + 10**12)
    (tmp_path / "x.otlp.jsonl").write_text(lines([*second, *spans()]))

    reports = load_reports([tmp_path / "x.otlp.jsonl"])

    assert {(each.sample, each.text) for each in reports} == {(1, REPORT), (2, "Second.")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("{}", "no trace"),
        ('{"resourceSpans": []}', "no trace"),
        ("[" * 200_000, "nested too deep"),
        ('{"resourceSpans": [\n{"a"', "not JSON"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": 3}, 4, null]}, "x"]}', "no trace"),
        (lines(spans())[:40], "not JSON"),
    ],
)
def test_what_is_no_trace_is_told_in_a_sentence(tmp_path, text, told):
    (tmp_path / "x.otlp.jsonl").write_text(text)

    with pytest.raises(BadReports, match=told):
        load_reports([tmp_path / "x.otlp.jsonl"])


def test_values_of_other_types_than_they_should_be_are_no_reason_to_stop(tmp_path):
    strange = [1, None, True, [], {}, "x", [[{}]], {"a": [None]}]
    for each in strange:
        whole = spans()
        for one in whole:
            for attribute in one["attributes"][1:]:
                attribute["value"] = {"stringValue": each}
            one |= {"status": each, "events": each, "flags": each, "name": each}
        run = read(tmp_path, lines(whole)).run
        assert run.found in (None, ()), each
