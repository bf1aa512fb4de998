"""Logs of Inspect as reports: samples, epochs, how they ended, and citations beside the text."""

from __future__ import annotations

import asyncio
import math
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.citation import UrlCitation
from inspect_ai.log import EvalError
from inspect_ai.log._log import EvalSampleLimit
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    ContentToolUse,
    ModelUsage,
)
from inspect_ai.tool import ToolCall

from deepassay import evaluate
from deepassay.errors import BadReports, MissingExtra, Notice
from deepassay.reports.loaders import load_reports
from deepassay.run.asking.traced import with_traces
from deepassay.runfile import RunFile
from deepassay.tasks.task import Task
from deepassay.wings.bridges.inspect.outputs import report_of_output
from deepassay.wings.bridges.inspect.reading import MOST_PART, _report, load_log
from tests.wings.bridges.inspect.logs import REPORT, log_of, output, sample, written

SOURCE = "https://example.org/pumps"


def test_samples_are_reports_and_epochs_are_samples(tmp_path):
    log = log_of([sample("b"), sample("b", "Other.", epoch=2), sample(7, prompt="And boilers?")])

    reports = load_reports([written(log, tmp_path / "log.eval")])

    assert [(each.agent, each.task, each.sample, each.text) for each in reports] == [
        ("mockllm/writer", "7", 1, REPORT),
        ("mockllm/writer", "b", 1, REPORT),
        ("mockllm/writer", "b", 2, "Other."),
    ]
    assert [each.prompt for each in reports] == ["And boilers?", *["Are heat pumps worth it?"] * 2]
    assert reports[0].path == f"{tmp_path / 'log.eval'}#7"


@pytest.mark.parametrize(
    ("spec", "agent"),
    [
        ({"model": "openai/gpt"}, "openai/gpt"),
        ({"model": "openai/gpt", "solver": "deep"}, "deep/openai/gpt"),
        ({"model": "openai/gpt", "metadata": {"assay_agent": "onyx"}}, "onyx"),
    ],
)
def test_the_agent_is_named_after_solver_and_model_or_as_the_log_says(tmp_path, spec, agent):
    (report,) = load_reports([written(log_of([sample("a")], **spec), tmp_path / "log.eval")])

    assert report.agent == agent


def test_what_the_agent_searched_and_opened_comes_along(tmp_path):
    calls = [("web_search", {"query": "pumps"}), ("visit", {"url": SOURCE})]
    asked = [ToolCall(id=str(n), function=f, arguments=a) for n, (f, a) in enumerate(calls)]
    brought = [f'[{{"url": "{SOURCE}"}}]', "A page on pumps."]
    messages = [
        ChatMessageUser(content="Are heat pumps worth it?"),
        ChatMessageAssistant(content="", tool_calls=asked),
        *(ChatMessageTool(content=c, tool_call_id=str(n)) for n, c in enumerate(brought)),
    ]
    log = log_of([sample("a").model_copy(update={"messages": messages}), sample("b")])

    first, second = load_reports([written(log, tmp_path / "log.eval")])

    assert (first.run.found, first.run.opened) == ((SOURCE,), (SOURCE,))
    assert [(e.kind, e.span, e.text) for e in first.run.events] == [
        ("search", "0", SOURCE),
        ("page", "1", "A page on pumps."),
    ]
    assert (second.run.found, second.run.opened, second.run.events) == (None, None, None)


def test_what_is_said_of_tools_holds_for_logs_too(tmp_path):
    """Also where the log is read as the reports, whose runs tell of the calls otherwise."""
    asked = [
        ToolCall(id="0", function="peruse", arguments={"url": SOURCE}),
        ToolCall(id="1", function="consult", arguments={"about": "pumps", "mood": "calm"}),
    ]
    messages = [
        ChatMessageUser(content="Are heat pumps worth it?"),
        ChatMessageAssistant(content="", tool_calls=asked),
        ChatMessageTool(content="A page.", tool_call_id="0"),
        ChatMessageTool(content=f'[{{"url": "{SOURCE}/found"}}]', tool_call_id="1"),
    ]
    log = log_of([sample("a").model_copy(update={"messages": messages})])
    path = written(log, tmp_path / "log.eval")
    (report,) = load_reports([path])
    assert (report.run.found, report.run.opened) == ((), (SOURCE,))
    task = Task(id="a", prompt="Are heat pumps worth it?")
    for given in (report, report.but(run=None)):
        with pytest.warns(Notice) as told:
            (found,) = with_traces([task], [given], [path], ("peruse=ignore", "consult=search"))
        assert (found.run.found, found.run.opened) == ((f"{SOURCE}/found",), ())
        assert found.run.record["tools"] == {"consult": {"search": 1}, "peruse": {"other": 1}}
        assert "1 × consult: search" in str(told[-1].message)
        assert "No trace calls" not in str(told[-1].message)


def limit(kind: Any, most: float) -> EvalSampleLimit:
    return EvalSampleLimit(type=kind, limit=most)


ERROR = EvalError(message="the sandbox\nis gone", traceback="", traceback_ansi="")
STOPS = {
    "done": ({}, "done", ""),
    "cut off": ({"stop": "max_tokens"}, "truncated", "the model stopped for max_tokens"),
    "filtered": ({"stop": "content_filter"}, "refused", "the model stopped for content_filter"),
    "error": ({"error": ERROR}, "failed", "the sandbox is gone"),
    "tokens": ({"limit": limit("token", 9)}, "budget", "the limit of token: 9"),
    "time": ({"limit": limit("time", 60)}, "time", "the limit of time: 60"),
    "nothing": ({"report": " "}, "failed", "the sample has no output"),
}  # fmt: skip


@pytest.mark.parametrize("case", STOPS)
def test_how_a_sample_ended_is_the_stop_of_its_agent(tmp_path, case):
    given, stop, detail = STOPS[case]
    log = log_of([sample("a", total_time=12.5, **given)])

    (report,) = load_reports([written(log, tmp_path / "log.eval")])

    assert report.run is not None
    assert (report.run.stop, report.run.detail, report.run.seconds) == (stop, detail, 12.5)
    assert report.run.report == (None if case == "nothing" else report.text)


def test_what_the_agent_used_is_kept_and_not_what_others_did(tmp_path):
    used = {
        "mockllm/writer": ModelUsage(input_tokens=10, output_tokens=5, total_cost=0.5),
        "openai/judge": ModelUsage(input_tokens=900, output_tokens=90, total_cost=9.0),
    }
    log = log_of([sample("a", model_usage=used)])

    (report,) = load_reports([written(log, tmp_path / "log.eval")])

    assert report.run is not None
    assert (report.run.usage, report.run.cost) == ({"input": 10, "output": 5}, 0.5)


def cited(text: str, *where: tuple[int, int] | str | None) -> ContentText:
    """A block of an answer. where: what each citation says of the stretch that it is for."""
    citations = [UrlCitation(url=f"{SOURCE}{n}", title="Pumps", cited_text=each)
                 for n, each in enumerate(where, start=1)]  # fmt: skip
    return ContentText(text=text, citations=citations)


SENTENCES = "热泵节能。Heat pumps save energy. They cost more."
IN_BYTES = len("热泵节能。Heat pumps save energy.".encode())
MARKED = "热泵节能。Heat pumps save energy [1]. They cost more."
LIST = f"\n\n## References\n\n[1] Pumps: {SOURCE}1"
ANSWERS = {
    "offsets in characters": ([cited(SENTENCES, (5, 28))], MARKED + LIST),
    "offsets in bytes": ([cited(SENTENCES, (15, IN_BYTES))], MARKED + LIST),
    "blocks that quote their source": (
        [
            ContentText(text="Let me look."),
            ContentToolUse(
                tool_type="web_search", id="1", name="search", arguments="{}", result="[]"
            ),
            cited("Heat pumps save energy", "Pumps save a third of all energy."),
            ContentText(text=". They cost more."),
        ],
        f"Heat pumps save energy [1]. They cost more.{LIST}",
    ),
    "a list that the text counts": (
        [
            ContentReasoning(reasoning="Hm."),
            cited("Heat pumps save energy [2]. They cost more [1].", None, None),
        ],
        f"Heat pumps save energy [2]. They cost more [1].{LIST}\n[2] Pumps: {SOURCE}2",
    ),
    "no citation": (
        [ContentText(text="Heat pumps"), ContentText(text="save energy.")],
        "Heat pumps\nsave energy.",
    ),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_citations_beside_the_text_become_marks_in_it(tmp_path, case):
    content, report = ANSWERS[case]

    (found,) = load_reports([written(log_of([sample("a", content)]), tmp_path / "log.eval")])

    assert found.text.strip() == report
    assert bool(found.converter) == (case != "no citation")


def test_a_long_report_that_inspect_keeps_apart_comes_whole(tmp_path):
    report = "# Pumps\n\n" + "热泵节能。Heat pumps save energy. " * 20_000

    (found,) = load_reports([written(log_of([sample("a", report)]), tmp_path / "log.eval")])

    assert found.text == report


def test_what_is_no_log_is_told(tmp_path):
    (tmp_path / "no.eval").write_text("no zip")
    written(log_of([]), tmp_path / "empty.eval")

    with pytest.raises(BadReports, match=r"no\.eval: Inspect cannot read this log"):
        load_reports([tmp_path / "no.eval"])
    with pytest.raises(BadReports, match=r"empty\.eval: the log has no sample"):
        load_reports([tmp_path / "empty.eval"])


def test_without_inspect_the_extra_is_named(tmp_path, monkeypatch):
    path = written(log_of([sample("a")]), tmp_path / "log.eval")
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)

    with pytest.raises(MissingExtra, match=r"log of Inspect.*"):
        load_reports([path])


def test_logs_are_evaluated_also_where_a_loop_runs(tmp_path):
    log = written(log_of([sample("a"), sample("b", "", error=ERROR)]), tmp_path / "log.eval")
    tasks = [{"id": x, "prompt": "Are heat pumps worth it?", "checklist": ["Why?"]} for x in "ab"]

    async def within() -> None:
        evaluate(tasks, log, "coverage", run=tmp_path / "r.assay")

    asyncio.run(within())

    with RunFile.read(tmp_path / "r.assay") as run:
        causes = {each.task: each.outcome.get("cause") for each in run.scores()}
        stops = run.answering.stops()
        lacking = [*run.answering.unwritten()]
    assert causes == {"a": None}
    assert lacking == [("mockllm/writer", "b", 1)]
    assert stops["mockllm/writer", "b", 1] == "failed"


def hostile(path, **parts):
    """A log whose parts are added or replaced by these texts."""
    with zipfile.ZipFile(written(log_of([sample("a")]), path)) as log:
        kept = {each.filename: log.read(each) for each in log.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        for name, content in (kept | parts).items():
            log.writestr(name, content)
    return path


A_SAMPLE = "samples/a_epoch_1.json"


@pytest.mark.parametrize(
    "parts",
    [
        {A_SAMPLE: b"[" * 200_000},
        {A_SAMPLE: b'{"a":' * 200_000},
        {A_SAMPLE: b'{"id": "a", "epoch": 1, "input": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"},
        {"summaries.json": b"[" * 200_000},
        {"header.json": b"[" * 200_000},
        {"_journal/start.json": b"[" * 200_000},
        {A_SAMPLE: bytes(MOST_PART + 1)},
        {A_SAMPLE: b'"' + b"a" * MOST_PART + b'"'},
        {"summaries.json": b" " * (MOST_PART + 1)},
        {"more.json": b" " * (MOST_PART + 1)},
        {A_SAMPLE: b"{"},
        {A_SAMPLE: b'{"id": "a", "epoch": 1}'},
        {"header.json": b"null"},
        {"summaries.json": b"{}"},
    ],
    ids=lambda parts: f"{next(iter(parts))}: {next(iter(parts.values()))[:12]!r}",
)
def test_a_hostile_log_is_refused_in_words_and_before_it_fills_the_memory(tmp_path, parts):
    path = hostile(tmp_path / "log.eval", **parts)
    with pytest.raises(BadReports, match=r"log\.eval"):
        list(load_log(path))


CENTRAL = b"PK\x01\x02"
ODD_FIRST = {
    "whose sum is wrong": lambda log: log.replace(b"OfNoUse", b"OfNoUsE", 1),
    "packed in a way nobody knows": lambda log: _set(
        _set(log, b"PK\x03\x04", 8, 97), CENTRAL, 10, 97
    ),
    "under a password": lambda log: _set(_set(log, b"PK\x03\x04", 6, 1), CENTRAL, 8, 1),
    "under another name": lambda log: log.replace(b"first.json", b"f1rst.json", 1),
    "without its head": lambda log: log.replace(b"PK\x03\x04", b"PK\x03\x05", 1),
}


def _set(log, mark, offset, value):
    """The first head of a part, with another byte at an offset."""
    at = log.find(mark) + offset
    return log[:at] + bytes([value]) + log[at + 1 :]


@pytest.mark.parametrize("odd", ODD_FIRST)
def test_a_part_that_cannot_be_looked_at_lets_none_behind_it_pass(tmp_path, odd, monkeypatch):
    """Inspect reads past such a part, and would unpack what comes after it whole."""
    path, most = tmp_path / "log.eval", 1 << 20
    monkeypatch.setattr("deepassay.wings.bridges.inspect.reading.MOST_PART", most)
    with zipfile.ZipFile(hostile(path, **{A_SAMPLE: bytes(most + 1)})) as log:
        kept = {each.filename: log.read(each) for each in log.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("first.json", b"OfNoUse", zipfile.ZIP_STORED)
        for name, content in kept.items():
            log.writestr(name, content)
    path.write_bytes(ODD_FIRST[odd](path.read_bytes()))
    monkeypatch.setattr("inspect_ai.log.read_eval_log", lambda *_, **__: pytest.fail("unpacked"))
    with pytest.raises(BadReports, match=r"log\.eval: Inspect cannot read this log"):
        list(load_log(path))


def test_a_log_that_unpacks_to_too_much_in_all_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("deepassay.wings.bridges.inspect.reading.MOST_WHOLE", 50_000)
    path = hostile(tmp_path / "log.eval", **{f"more{n}.json": b" " * 20_000 for n in range(3)})
    with pytest.raises(BadReports, match="unpacks to more than is read"):
        list(load_log(path))


@pytest.mark.parametrize(
    ("used", "seconds", "expected"),
    [
        ({"input_tokens": -5, "output_tokens": 7}, -1.0, ({"output": 7}, 0.0, None)),
        ({"input_tokens": 5, "output_tokens": 10**15}, 1e12, ({"input": 5}, 0.0, None)),
        ({"input_tokens": -1, "output_tokens": -1}, None, (None, 0.0, None)),
        ({"input_tokens": 1, "output_tokens": 2, "total_cost": -3.0}, 5.0, "counted"),
        ({"input_tokens": 1, "output_tokens": 2, "total_cost": math.nan}, math.nan, "no time"),
        ({"input_tokens": 1, "output_tokens": 2, "total_cost": math.inf}, math.inf, "no time"),
        ({"input_tokens": 1, "output_tokens": 2, "total_cost": 1e9}, 5.0, "counted"),
    ],
)
def test_amounts_that_cannot_be_are_none(used, seconds, expected):
    both = {"input": 1, "output": 2}
    named = {"counted": (both, 5.0, None), "no time": (both, 0.0, None)}
    one = sample("a", model_usage={"mockllm/writer": ModelUsage(**used)}, total_time=seconds)
    run = _report(Path("log.eval"), log_of([one]), one).run
    assert (run.usage, run.seconds, run.cost) == named.get(str(expected), expected)


def test_names_without_end_are_cut_and_stay_apart():
    samples = [sample("a" * 5000 + end) for end in "bc"]
    log = log_of(samples, solver="s" * 5000)
    found = [_report(Path("log.eval"), log, each) for each in samples]
    assert len({each.task for each in found}) == 2
    assert all(len(each.task) < 200 and len(each.agent) < 200 for each in found)


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc",
    ],
)
def test_addresses_that_name_no_page_are_no_sources(address):
    cites = UrlCitation(url=address, title="A page", cited_text=None)
    text, _ = report_of_output(output([ContentText(text="Pumps save energy.", citations=[cites])]))
    assert "script:" not in text.lower() and "data:" not in text and "file:" not in text
