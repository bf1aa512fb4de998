"""Reports of 400,000 tokens, wherever in them the evidence stands."""

import json

import pytest

from deepassay.models.usage import estimate_tokens
from deepassay.protocols.windows import windows_of
from deepassay.run.asking.estimate import estimate
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.showing.records import records_of
from deepassay.run.showing.replay import replay
from deepassay.runfile import RunFile
from tests.asked import asked as asking
from tests.loopback import FakeJudge
from tests.protocols.reader import Reader

TOKENS = 400_000
ENGLISH = {
    "language": "en",
    "prompt": "How loud are harbour ferries?",
    "filler": "The harbour kept its usual hours and nothing of note was written down there. ",
    "facts": {
        "q1": ("The ferry Alma makes 61 decibels at ten metres (survey of 2024) [1].",),
        "q2": ("Quiet hours begin at 22:00.", "Quiet hours end at 06:00."),
        "q3": ("A table of all ferries, with prices, is in the annex.",),
    },
    "met": {"t:Q1": 100, "t:Q2": 100, "t:Q3": 0},
}
CHINESE = {
    "language": "zh",
    "prompt": "港口渡轮的噪声有多大？",
    "filler": "港口照常开放，当天没有记下什么值得一提的事情。",
    "facts": {
        "q1": ("渡轮“阿尔玛号”在十米处的噪声为61分贝（2024年调查）[1]。",),
        "q2": ("静音时段从22:00开始。", "静音时段到06:00结束。"),
        "q3": ("附录中有全部渡轮及其价格的表格。",),
    },
    "met": {"t:Q1": 100, "t:Q2": 100, "t:Q3": 0},
}
FAULT = "The the crew was counted twice."


def filler(about: dict, tokens: int) -> list[str]:
    """Paragraphs of nothing, no two alike, at least so many tokens."""
    paragraph = about["filler"] * 8
    count = tokens // (estimate_tokens(paragraph) - 1) + 1
    return [f"{day}. {paragraph}" for day in range(1, count + 1)]


def holding(about: dict, place: str, tokens: int = TOKENS) -> str:
    """A report with the evidence at a place; what has two pieces has one there, one far away."""
    first, (second, third) = about["facts"]["q1"][0], about["facts"]["q2"]
    paragraphs = filler(about, tokens)
    if place == "border":
        text = " ".join(paragraphs)  # in one line, so that nothing keeps a cut from a sentence
        text = text if " " in first else text.replace(" ", "")
        at = ends_of_windows(text)[4] - len(first) // 2
        whole = f"{text[:at]}{first}{second}{text[at:]}\n\n{third}\n"
        assert at < ends_of_windows(whole)[4] < at + len(first)
        return whole
    at = {"start": 0, "middle": len(paragraphs) // 2, "end": len(paragraphs)}[place]
    far = (at + len(paragraphs) // 3) % len(paragraphs)
    paragraphs.insert(at, f"{first}{second}")
    paragraphs.insert(far, third)
    return "\n\n".join(paragraphs)


def ends_of_windows(text: str) -> list[int]:
    """Where the windows end."""
    return [window.start + len(window.text) for window in windows_of(text)]


@pytest.fixture
def lab(tmp_path):
    """Makes a request about reports by their agents, with a task whose checklist has three."""

    def made(about, reports, protocols=("coverage",), **more):
        task = {"id": "t", "prompt": about["prompt"], "language": about["language"]}
        task["checklist"] = ["Noise?", "Hours?", "Table?"]
        (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
        for agent, text in reports.items():
            (tmp_path / agent).mkdir(exist_ok=True)
            (tmp_path / agent / "t.md").write_text(text, encoding="utf-8")
        return asking(
            tasks=tmp_path / "tasks.jsonl",
            reports=[tmp_path / agent for agent in reports],
            protocols=protocols,
            date="2026-11-20",
            run=tmp_path / f"{more.get('context_window')}.assay",
            **more,
        )

    return made


@pytest.mark.parametrize(
    ("about", "known"),
    [(ENGLISH, None), (ENGLISH, 40_000), (CHINESE, None)],
    ids=["refused", "window given", "Chinese"],
)
def test_verdicts_are_the_same_wherever_the_evidence_stands(lab, about, known):
    reports = {place: holding(about, place) for place in ("start", "middle", "end", "border")}
    assert all(estimate_tokens(text) >= TOKENS for text in reports.values())
    reader = Reader(about["facts"])
    scenario = reader.cutting if known else reader.refusing
    with FakeJudge(reader.answer, scenarios={"reader": scenario}) as judge:
        request = lab(
            about,
            reports,
            judge=["openai:reader"],
            base_url=judge.base_url,
            context_window=known,
        )
        assert evaluate(*request).tally.scored == 4
    records = {record.agent: record for record in records_of([request.run])}
    assert [record.outcome.parts for record in records.values()] == [about["met"]] * 4
    windows = {place: len(windows_of(text)) for place, text in reports.items()}
    assert {agent: each.outcome.details["windows"] for agent, each in records.items()} == windows
    assert all(len(each.outcome.details["items"][0]["places"]) == 1 for each in records.values())
    asked = sum(windows.values()) + len(windows) * (1 + (known is None))
    # What comes before the evidence is the same in several of these reports, and asked once.
    assert asked - 2 * max(windows.values()) <= judge.count("reader") <= asked
    with RunFile.read(request.run) as run:
        assert (replay(run).same, replay(run).different) == (4, ())


def test_a_fault_of_language_counts_wherever_it_stands(lab):
    paragraphs = filler(ENGLISH, 60_000)
    reports = {"clean": "\n\n".join(paragraphs)}
    for agent, at in (("start", 0), ("end", len(paragraphs))):
        reports[agent] = "\n\n".join([*paragraphs[:at], FAULT, *paragraphs[at:]])
    reader = Reader(ENGLISH["facts"], (FAULT,))
    with FakeJudge(reader.answer, scenarios={"reader": reader.refusing}) as judge:
        request = lab(
            ENGLISH, reports, ["presentation"], judge=["openai:reader"], base_url=judge.base_url
        )
        evaluate(*request)
    parts = {each.agent: each.outcome.parts["P2"] for each in records_of([request.run])}
    assert parts == {"clean": 100, "start": 0, "end": 0}


def test_a_judge_that_cannot_take_a_window_gives_no_score(lab):
    reader = Reader(ENGLISH["facts"], window=9_000)
    with FakeJudge(reader.answer, scenarios={"reader": reader.refusing}) as judge:
        request = lab(
            ENGLISH,
            {"a": holding(ENGLISH, "middle", 60_000)},
            judge=["openai:reader"],
            base_url=judge.base_url,
        )
        evaluate(*request)
    (record,) = records_of([request.run])
    assert record.outcome.cause == "context_overflow"
    assert "window 1 of 3" in record.outcome.detail


def test_a_judge_whose_small_context_is_given_is_shown_windows_that_fit(lab):
    reader = Reader(ENGLISH["facts"], window=10_000)
    with FakeJudge(reader.answer, scenarios={"reader": reader.refusing}) as judge:
        request = lab(
            ENGLISH,
            {"a": holding(ENGLISH, "middle", 60_000)},
            judge=["openai:reader"],
            base_url=judge.base_url,
            context_window=10_000,
        )
        assert evaluate(*request).tally.scored == 1
    (record,) = records_of([request.run])
    assert record.outcome.parts == ENGLISH["met"] and record.outcome.details["windows"] > 7


def test_edition_code_sends_the_whole_and_stays_unscored(lab):
    reader = Reader(ENGLISH["facts"])
    with FakeJudge(reader.answer, scenarios={"reader": reader.refusing}) as judge:
        request = lab(
            ENGLISH,
            {"a": holding(ENGLISH, "middle", 60_000)},
            ["coverage", "presentation"],
            edition="code",
            judge=["openai:reader"],
            base_url=judge.base_url,
        )
        evaluate(*request)
        assert judge.count("reader") == 2
    assert {each.outcome.cause for each in records_of([request.run])} == {"context_overflow"}


def test_the_estimate_reckons_windows_where_the_judge_needs_them(lab):
    reports = {"a": holding(ENGLISH, "middle", 60_000)}
    few = estimate(*lab(ENGLISH, reports, judge=["openai:reader"], context_window=40_000))
    one = estimate(*lab(ENGLISH, reports, judge=["openai:reader"]))
    calls = [next(iter(each.models.values())).typical.calls for each in (few, one)]
    assert calls == [len(windows_of(reports["a"])) + 1, 1]


def test_the_offline_rule_reads_the_whole_report(lab):
    request = lab(ENGLISH, {"a": holding(ENGLISH, "end", 60_000)})
    evaluate(*request)
    (record,) = records_of([request.run])
    assert "windows" not in record.outcome.details
