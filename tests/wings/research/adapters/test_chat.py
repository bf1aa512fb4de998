"""Models with a search of their own as agents: what is sent, what is kept, what is paid."""

from __future__ import annotations

import asyncio
import json

import pytest

from deepassay.agents import Stop
from deepassay.agents.registry import agents_of
from deepassay.errors import BadSetting
from deepassay.models.client import ModelSettings
from deepassay.models.clients import Clients
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.tasks.task import Task
from deepassay.wings.research.adapters.chat import Chat
from deepassay.wings.research.answering import ResearchTerms, research
from tests.loopback import FakeJudge, Reply, completion, error

KEY = "sk-abcdefghijklmnopqrstuvwxyz"
TASK = Task(id="tides", prompt="How high is the tide, {really}?")
REPORT = "# Tides\n\nThe tide rises twice a day. It falls after that.\n"
URL = "https://a.example/tides"
END = REPORT.index(" It falls")


def shaped(text=REPORT, finish="stop", message=None, **body):
    """A completion with more in it than the interface has."""
    reply = completion(text, finish, **(message or {}))
    return Reply(body=json.dumps(json.loads(reply.body) | body).encode())


def answered(tmp_path, reply, *, settings=None, **fields):
    """What came of the task, and the requests that it took."""
    with FakeJudge(scenarios={"searcher": reply}) as judge:
        agent = Chat(chat="openai:searcher", base_url=judge.base_url, **fields)
        path = tmp_path / "r.assay"
        research([TASK], {"x": agent}, Settings(run=path, **(settings or {})), ResearchTerms())
        with RunFile.read(path) as kept:
            (stored,) = kept.answering.runs()
            assert not kept.verify().damage
    return stored.run, judge.requests


CITATION = {"type": "url_citation", "url_citation": {
    "url": URL, "title": "A page", "end_index": END,
    "start_index": REPORT.index("The")}}  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        shaped(message={"annotations": [CITATION]}),
        shaped(REPORT.replace("day.", "day[1]."), citations=[URL]),
        shaped(REPORT.replace("day.", "day[1]."), search_results=[{"url": URL, "title": "A page"}]),
        shaped(
            REPORT.replace("day.", "day[1]."),
            message={"context": {"citations": [{"url": URL, "title": "A page"}]}},
        ),
        shaped("<think>hm</think>\n" + REPORT.replace("day.", f"day ([A page]({URL})).")),
    ],
    ids=["annotations", "citations", "search_results", "context", "links"],
)
def test_sources_are_read_from_the_body_wherever_they_stand(reply, tmp_path):
    run, requests = answered(tmp_path, lambda *_: reply)
    assert run.report.startswith("# Tides\n\nThe tide rises twice a day")
    assert (run.stop, run.sources, len(requests)) == (Stop.DONE, (URL,), 1)
    assert json.loads(run.raw)["object"] == "chat.completion"


def test_the_preset_of_the_paper_sets_citations_in_its_form(tmp_path):
    reply = shaped(REPORT.replace("day.", f"day ([A page]({URL}?utm_source=openai))."))
    run, _ = answered(tmp_path, lambda *_: reply, preset="bench")
    body, listed = REPORT.replace("day.", "day [1].").rstrip(), f"[1] A page: {URL}"
    assert run.report == f"{body}\n\n## References\n\n{listed}\n"
    assert run.steps == ("standard",)


def test_the_prompt_is_all_that_is_sent(tmp_path):
    run, (request,) = answered(tmp_path, lambda *_: shaped())
    assert request.body["messages"] == [{"role": "user", "content": TASK.prompt}]
    assert run.usage == {"input": 1000, "output": 100}
    assert (run.record["served"], run.record["counted"]) == ("served-model-1", True)


def test_a_call_is_paid_once_although_its_run_was_lost(tmp_path):
    """As after a kill between the answer and the run: the answer is found again."""
    settings = Settings(run=tmp_path / "r.assay")
    with FakeJudge(scenarios={"searcher": lambda *_: shaped()}) as judge:
        agent = Chat(chat="openai:searcher", base_url=judge.base_url)
        research([TASK], {"x": agent}, settings, ResearchTerms())
        research([TASK], {"again": agent}, settings, ResearchTerms())
        research([TASK], {"again": agent}, settings, ResearchTerms(repeat=2))
    assert len(judge.requests) == 2  # the second is of the second sample


def test_what_it_cost_counts_once_for_the_budget(tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("searcher: {input: 1000, output: 0}\n")
    path = tmp_path / "r.assay"
    with FakeJudge(scenarios={"searcher": lambda *_: shaped()}) as judge:
        agent = Chat(chat="openai:searcher", base_url=judge.base_url, max_output=100)
        given = Settings(run=path, prices=prices, budget=10.0)
        done = research([TASK], {"x": agent}, given, ResearchTerms())
        assert done.spent == pytest.approx(1.0)
        done = research([TASK], {"x": agent}, given, ResearchTerms(repeat=2))
        assert done.spent == pytest.approx(2.0)
    with RunFile.read(path) as kept:
        assert kept.spent() == pytest.approx(2.0)
        assert [each.run.cost for each in kept.answering.runs()] == [1.0, 1.0]


def test_a_budget_that_is_used_up_stops_the_command_which_goes_on_later(tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("searcher: {input: 1000, output: 1000}\n")
    with FakeJudge(scenarios={"searcher": lambda *_: shaped()}) as judge:
        agent = Chat(chat="openai:searcher", base_url=judge.base_url, max_output=100)
        given = Settings(run=tmp_path / "r.assay", prices=prices, budget=0.05)
        done = research([TASK], {"x": agent}, given, ResearchTerms())
        assert done.out_of_budget and not judge.requests
        done = research(
            [TASK], {"x": agent}, given.model_copy(update={"budget": 5.0}), ResearchTerms()
        )
    assert done.reports == 1 and len(judge.requests) == 1


@pytest.mark.parametrize(
    ("reply", "stop", "has_report"),
    [
        (lambda *_: shaped(finish="length"), Stop.TRUNCATED, True),
        (lambda *_: completion("", refusal="I cannot help with this."), Stop.REFUSED, False),
        (lambda *_: completion("", "content_filter"), Stop.REFUSED, False),
        (lambda *_: error(401, f"Incorrect key {KEY}"), Stop.FAILED, False),
        (lambda *_: error(400, "no such option"), Stop.FAILED, False),
        (lambda *_: shaped("Error generating final report: x"), Stop.FAILED, False),
        (lambda *_: shaped("Which tide do you mean?"), Stop.ASKED_BACK, False),
    ],
)
def test_every_end_is_a_report_or_a_named_stop(reply, stop, has_report, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    run, _ = answered(tmp_path, reply)
    assert (run.stop, run.report is not None) == (stop, has_report)
    assert (run.detail or has_report) and KEY not in repr(run)


def test_a_silent_server_is_a_named_stop(tmp_path):
    for limit in (0.2, 2.0, 20.0):  # a busy machine may not have asked when the first is over
        place = tmp_path / str(limit)
        place.mkdir()
        run, requests = answered(place, lambda *_: Reply(wait=3600), limit_s=limit)
        assert run.stop == Stop.TIME
        if requests:
            break
    assert len(requests) == 1


def test_a_rate_limit_is_waited_out(tmp_path):
    def reply(request, text):
        return error(429, "slow", {"Retry-After": "0"}) if request.number == 1 else shaped()

    run, requests = answered(tmp_path, reply)
    assert (run.stop, len(requests)) == (Stop.DONE, 2)


# ------------------------------------------------------------------ settings


def sent(name, base_url=None, **fields):
    """The settings that a model would be sent."""

    async def composed():
        agent = Chat(chat=name, base_url=base_url, **fields)
        async with Clients(keys=False) as clients:
            return (await clients.connect(name, agent._settings, base_url)).identity["settings"]

    return asyncio.run(composed())


def test_the_settings_of_the_paper_are_a_preset():
    chat = sent("openai:gpt-5-search-api", preset="bench")
    assert chat["web_search_options"] == {"search_context_size": "high"}
    assert chat["max_completion_tokens"] == 36_000
    sonar = sent("openai:sonar-pro", "http://127.0.0.1:1", preset="bench")
    assert sonar["web_search_options"] == {"search_context_size": "high"}
    (tool,) = sent("openai-responses:gpt-5", preset="bench")["tools"]
    assert tool == {"type": "web_search", "search_context_size": "high"}
    claude = sent("anthropic:claude-sonnet-4-0", preset="bench")
    assert claude["thinking"] == {"type": "enabled", "budget_tokens": 16_000}
    assert claude["max_tokens"] == 36_000 and claude["tools"][0]["max_uses"] == 5
    gemini = sent("google:gemini-2.5-pro", preset="bench")
    assert [*gemini["generationConfig"]["thinkingConfig"].values()] == [16_000]
    assert gemini["generationConfig"]["maxOutputTokens"] == 36_000
    assert gemini["tools"] == [{"googleSearch": {}}]
    router = sent("openrouter:vendor/name", preset="bench")
    assert router["reasoning"] == {"max_tokens": 16_000}


def test_what_is_said_beside_a_preset_goes_before_it():
    agent = agents_of(["chat:openai:gpt-5(preset='bench', searches=3)"], {})
    (chat,) = agent.values()
    assert (chat._settings.searches, chat._settings.search) == (3, "high")
    assert chat.outlook() == (
        "one call of openai:gpt-5 each, of 36000 tokens at most, or the model's own maximum where "
        "it refuses so many; sent: search high, effort high; its interface takes no searches, "
        "thinking"
    )


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("openai-responses:gpt-5", "search high, effort high"),
        ("anthropic:claude-sonnet-4-0", "search high, searches 5, thinking 16000"),
        ("google:gemini-2.5-pro", "search high, thinking 16000"),
        ("openrouter:vendor/name", "search high, thinking 16000"),
    ],
)
def test_the_estimate_says_which_settings_of_the_paper_a_model_gets(name, taken):
    said = Chat(chat=name, preset="bench").outlook()
    assert f"; sent: {taken}; its interface takes no " in said


REFUSALS = {
    8192: "max_tokens: 36000 > 8192, which is the maximum allowed number of output tokens for "
    "claude-3-5-sonnet-20241022",
    16384: "max_tokens is too large: 36000. This model supports at most 16384 completion tokens, "
    "whereas you provided 36000.",
    8191: "a maxOutputTokens value of 36000 but the supported range is from 1 (inclusive) to 8192 "
    "(exclusive).",
    4096: "Invalid max_tokens value, the valid range of max_tokens is [1, 4,096]",
}


@pytest.mark.parametrize("most", REFUSALS)
def test_a_model_that_can_give_fewer_tokens_is_asked_for_its_maximum(most, tmp_path):
    """Three tasks, two of them after the refusal is known: four requests."""

    def limited(request, *_):
        if request.body["max_completion_tokens"] > most:
            return error(400, REFUSALS[most])
        return shaped()

    tasks = [Task(id=name, prompt=f"How high is the tide of {name}?") for name in ("a", "b", "c")]
    given = Settings(run=tmp_path / "r.assay", max_connections=1)
    with FakeJudge(scenarios={"searcher": limited}) as judge:
        agent = Chat(chat="openai:searcher", base_url=judge.base_url, preset="bench")
        done = research(tasks, {"x": agent}, given, ResearchTerms(at_once=1))
    assert done.reports == 3
    sent = [each.body["max_completion_tokens"] for each in judge.requests]
    assert sent == [36_000, most, most, most]
    with RunFile.read(tmp_path / "r.assay") as kept:
        assert {each.run.record["max_output"] for each in kept.answering.runs()} == {most}


@pytest.mark.parametrize(
    "refusal",
    [
        "no such option: 16000",
        "this key may send 4096 requests",
        "max_tokens must be a number",
        REFUSALS[8192],
    ],
)
def test_a_refusal_of_something_else_or_for_good_is_a_named_stop(refusal, tmp_path):
    run, requests = answered(tmp_path, lambda *_: error(400, refusal), preset="bench")
    assert run.stop == Stop.FAILED and refusal[:20] in run.detail
    assert len(requests) == 1 + (refusal == REFUSALS[8192])


def test_without_search_nothing_of_it_is_sent():
    assert sent("openai:gpt-4o") == sent("openai:gpt-4o", search=None)
    assert "web_search_options" not in sent("openai:gpt-4o")
    assert ModelSettings() == ModelSettings(search=None, searches=None, thinking=None)


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        ("openai:gpt-5", {}, "OPENAI_API_KEY"),
        ("offline", {}, "does not name a model"),
        ("nobody:x-1", {}, "does not name a model"),
        ("openai:gpt-5", {"preset": "best"}, "There is no preset 'best'"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_asked(name, fields, words):
    with pytest.raises(BadSetting, match=words):
        Chat(chat=name, **fields).check({})


MESSAGES = {
    "type": "message", "role": "assistant", "id": "m", "model": "claude-1",
    "stop_reason": "end_turn", "stop_sequence": None,
    "usage": {"input_tokens": 10, "output_tokens": 5},
    "content": [
        {"type": "text", "text": "# Tides\n\nThe tide rises", "citations": None},
        {"type": "text", "text": " twice a day.", "citations": [{
            "type": "web_search_result_location", "url": URL, "title": "A page",
            "cited_text": "twice", "encrypted_index": "x"}]},
    ],
}  # fmt: skip


def test_citations_that_a_library_hides_are_read_too(tmp_path):
    with FakeJudge(
        scenarios={"claude-1": lambda *_: Reply(body=json.dumps(MESSAGES).encode())}
    ) as judge:
        base = judge.base_url.removesuffix("/v1")
        agent = Chat(chat="anthropic:claude-1", base_url=base, search="high")
        path = tmp_path / "r.assay"
        research([TASK], {"x": agent}, Settings(run=path), ResearchTerms())
    assert judge.requests[0].body["messages"][0]["content"]
    assert "system" not in judge.requests[0].body
    with RunFile.read(path) as kept:
        (stored,) = kept.answering.runs()
    assert stored.run.sources == (URL,) and "twice a day [1]" in stored.run.report
