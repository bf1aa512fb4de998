"""Services that carry out jobs: what comes of them, what they cost, and that none is lost."""

from __future__ import annotations

import asyncio
import time

import pytest

from deepassay.agents import Stop
from deepassay.agents.registry import agents_of
from deepassay.errors import BadSetting
from deepassay.tasks.task import Task
from deepassay.wings.research.adapters.job import Job, Responses
from deepassay.wings.research.adapters.recipe import READY, ResultPlace, at, service_recipe_of
from tests.loopback import Reply, error
from tests.wings.research import vendors
from tests.wings.research.sessions import session
from tests.wings.research.vendors import TEXT, URLS, Vendor

TASK = Task(id="tides", prompt="How high is {id} and {env:HOME}? 潮汐")
KEY = "sk-abcdefghijklmnopqrstuvwxyz"
KEYS = dict.fromkeys(("OPENAI_API_KEY", "GEMINI_API_KEY", "PERPLEXITY_API_KEY"), KEY)
CITED = TEXT.replace("🌊. 月", "🌊[1]. 月").replace("海水。", "海水[2]。")
LISTED = f"[1] A page: {URLS[0]}\n[2] A page: {URLS[1]}\n"


def answered(vendor, tmp_path, handle=None, recipe=None, **settings):
    """What comes of a job at this service; `kept` of the second value lists its handles."""
    agent = Job(job=recipe or vendor.recipe(), base_url=vendor.base, **settings)
    agent.check(KEYS)
    with session(tmp_path, KEYS, handle=handle) as given:
        return asyncio.run(agent.answer(TASK, given)), given.kept


@pytest.mark.parametrize(
    ("name", "result", "steps"),
    [
        ("openai", vendors.openai(), ("offsets:characters", "list")),
        ("openai", vendors.openai("utf16"), ("offsets:utf16", "list")),
        ("openai", vendors.openai("utf8"), ("offsets:utf8", "list")),
        ("gemini", vendors.gemini(), ("offsets:utf8", "list")),
        ("perplexity", vendors.perplexity(), ("think", "list")),
    ],
)
def test_the_text_and_its_sources_are_those_of_the_vendor(name, result, steps, tmp_path):
    with Vendor(name, result) as vendor:
        run, kept = answered(vendor, tmp_path)
    report = run.report
    assert report.startswith(CITED) and report.endswith(LISTED)
    assert (run.stop, run.steps, run.sources) == (Stop.DONE, steps, URLS)
    assert run.record["job"] == "job-1" and [each["id"] for each in kept] == ["job-1"]
    assert (len(vendor.submitted), vendor.polls) == (1, 3)


def test_what_was_used_is_what_the_service_says_and_else_unknown(tmp_path):
    with Vendor("perplexity", vendors.perplexity()) as vendor:
        run, _ = answered(vendor, tmp_path)
    assert (run.usage, run.cost) == ({"prompt_tokens": 900}, 0.42)
    with Vendor("gemini", vendors.gemini()) as vendor:
        run, _ = answered(vendor, tmp_path)
    assert (run.usage, run.cost) == (None, None)


def test_the_prompt_is_sent_as_it_is_and_fields_of_the_body_may_be_added(tmp_path):
    with Vendor("openai", vendors.openai()) as vendor:
        answered(vendor, tmp_path, model="m-1", body={"max_tool_calls": 5})
    sent = vendor.submitted[0]
    assert sent["input"] == TASK.prompt and sent["background"] is True
    assert (sent["model"], sent["max_tool_calls"]) == ("m-1", 5)


def test_a_key_that_comes_back_is_kept_nowhere(tmp_path):
    told = error(400, f"no access for {KEY}")
    with Vendor("openai", vendors.openai() | {"note": KEY}) as vendor:
        assert KEY not in repr(answered(vendor, tmp_path))
        assert vendor.requests[0].headers["authorization"] == f"Bearer {KEY}"
    with Vendor("openai", {}) as vendor:
        vendor.replies = [told]
        run, _ = answered(vendor, tmp_path)
    assert run.stop == Stop.FAILED and "no access" in run.detail and KEY not in repr(run)


def test_a_job_that_was_begun_is_taken_up_and_not_begun_again(tmp_path):
    with Vendor("openai", vendors.openai()) as vendor:
        run, kept = answered(vendor, tmp_path, {"id": "job-1", "began": time.time() - 100})
    assert run.report.startswith(CITED) and not vendor.submitted and not kept
    assert run.seconds >= 100


@pytest.mark.parametrize(
    "trouble",
    [
        error(429, "slow down", {"Retry-After": "0"}),
        error(503, "down", {"Retry-After": "0"}),
        error(500, "oops"),
        error(404, "not known yet"),
        Reply(body=b"<html>"),
        Reply(body=b'{"id"', cut_at=3),
    ],
)
def test_trouble_while_it_works_is_waited_out(trouble, tmp_path):
    with Vendor("openai", vendors.openai()) as vendor:
        vendor.replies = [trouble, trouble]
        run, _ = answered(vendor, tmp_path)
    assert run.report.startswith(CITED) and len(vendor.submitted) == 1


@pytest.mark.parametrize(
    ("reply", "stop", "words"),
    [
        ({"status": "failed", "error": {"message": "no\nluck"}}, Stop.FAILED, "failed: no luck"),
        ({"status": "cancelled"}, Stop.CANCELLED, "cancelled it"),
        ({"status": "pondering"}, Stop.FAILED, "pondering"),
        ({"status": 7}, Stop.FAILED, "7"),
        ({"status": "completed", "output": []}, Stop.FAILED, "empty text"),
    ],
)
def test_an_end_without_a_report_has_its_name(reply, stop, words, tmp_path):
    with Vendor("openai", {}) as vendor:
        vendor.running = 0
        vendor.result = reply
        run, _ = answered(vendor, tmp_path)
    assert (run.stop, run.report) == (stop, None) and words in run.detail


def test_after_a_failure_the_next_try_begins_another_job(tmp_path):
    with Vendor("openai", {"status": "failed"}, running=0) as vendor:
        assert answered(vendor, tmp_path)[1][-1] is None
    with Vendor("openai", {"status": "pondering"}, running=0) as vendor:
        assert answered(vendor, tmp_path)[1][-1] is not None  # it may yet bring a report


def test_a_question_back_and_a_cut_are_told_apart(tmp_path):
    with Vendor("gemini", {"status": "requires_action"}, running=0) as vendor:
        assert answered(vendor, tmp_path)[0].stop == Stop.ASKED_BACK
    with Vendor("openai", vendors.openai() | {"status": "incomplete"}, running=0) as vendor:
        run, _ = answered(vendor, tmp_path)
    assert run.stop == Stop.TRUNCATED and run.report.startswith(CITED)


def test_results_that_have_expired_are_named(tmp_path):
    with Vendor("openai", {}) as vendor:
        vendor.replies = [error(404, "no such response")]
        run, kept = answered(vendor, tmp_path, {"id": "job-1", "began": time.time() - 9000})
    assert run.stop == Stop.FAILED and "has the result no more" in run.detail
    assert kept == [None] and not vendor.cancelled


def test_a_result_that_was_looked_for_in_the_wrong_place_is_read_again_and_paid_once(tmp_path):
    with Vendor("perplexity", vendors.perplexity()) as vendor:
        right = vendor.recipe()
        wrong = right.model_copy(update={"result": ResultPlace(text=("no.such.place",))})
        run, kept = answered(vendor, tmp_path, recipe=wrong)
        assert run.stop == Stop.FAILED and [each["id"] for each in kept] == ["job-1"]
        mistaken, corrected = (Job(job=each, base_url=vendor.base) for each in (wrong, right))
        assert mistaken.identity == corrected.identity
        again, _ = answered(vendor, tmp_path, kept[-1])
    assert again.stop == Stop.DONE and len(vendor.submitted) == 1


def test_what_is_submitted_is_a_part_of_the_identity(tmp_path):
    with Vendor("openai", {}) as vendor:
        one, other = (Job(job=vendor.recipe(), model=model) for model in ("a", "b"))
    assert one.identity != other.identity


def test_at_the_limit_it_is_cancelled_and_asked_once_more(tmp_path):
    old = {"id": "job-1", "began": time.time() - 9000}
    with Vendor("openai", {}, running=None) as vendor:
        run, kept = answered(vendor, tmp_path, old, limit_s=60)
    assert (run.stop, vendor.cancelled, vendor.polls, kept) == (Stop.TIME, True, 2, [None])
    assert "limit" in run.detail


def test_what_was_done_at_the_last_poll_is_a_report(tmp_path):
    old = {"id": "job-1", "began": time.time() - 9000}
    with Vendor("openai", vendors.openai(), running=1) as vendor:
        vendor.paths["/v1/responses/job-1/cancel"] = lambda request, text: error(409, "too late")
        run, _ = answered(vendor, tmp_path, old, limit_s=60)
    assert run.stop == Stop.DONE and run.report.startswith(CITED)


def test_a_service_without_cancellation_is_left_and_its_job_can_be_taken_up(tmp_path):
    old = {"id": "job-1", "began": time.time() - 9000}
    with Vendor("perplexity", {}, running=None) as vendor:
        run, kept = answered(vendor, tmp_path, old, limit_s=60)
    assert (run.stop, vendor.polls, kept) == (Stop.TIME, 1, [])


@pytest.mark.parametrize("wait", ["1e9", "-5", "nan", "inf", "0"])
def test_every_wait_is_clamped(wait, tmp_path, monkeypatch):
    slept = []
    pause = asyncio.sleep

    async def sleep(seconds):
        slept.append(seconds)
        await pause(0)

    monkeypatch.setattr("deepassay.wings.research.adapters.service.asyncio.sleep", sleep)
    with Vendor("openai", vendors.openai()) as vendor:
        vendor.replies = [
            Reply(headers={"openai-poll-after-ms": wait}, body=b'{"status": "queued"}'),
            error(429, "slow down", {"Retry-After": wait}),
        ]
        answered(vendor, tmp_path)
    waits = [each for each in slept if each]
    assert len(waits) == 2 and all(0.01 <= each <= 60 for each in waits)


@pytest.mark.parametrize(
    ("reply", "words", "requests"),
    [
        (error(401, "Incorrect API key"), "Incorrect API key", 1),
        (error(500, "oops"), "status 500", 1),
        (Reply(body=b"{}"), "no identifier under 'id'", 1),
        (Reply(body=b'{"id": "job-1"}', cut_at=3), "may have begun the job", 1),
        (error(429, "slow down", {"Retry-After": "0"}), "status 429", 6),
    ],
)
def test_a_submission_is_repeated_only_where_nothing_was_begun(reply, words, requests, tmp_path):
    with Vendor("openai", {}) as vendor:
        vendor.paths["/v1/responses"] = lambda request, text: reply
        run, kept = answered(vendor, tmp_path)
    assert run.stop == Stop.FAILED and words in run.detail
    assert (len(vendor.requests), kept) == (requests, [])


def test_a_submission_under_way_is_awaited_where_the_command_is_stopped(tmp_path):
    with Vendor("openai", {}, running=None) as vendor, session(tmp_path, KEYS) as given:

        async def stopped():
            working = asyncio.ensure_future(
                Job(job=vendor.recipe(), base_url=vendor.base).answer(TASK, given)
            )

            def submit(request, text):
                loop.call_soon_threadsafe(working.cancel)
                reply = vendor._submit(request, text)
                reply.wait = 0.2  # the cancellation comes before the answer
                return reply

            vendor.paths["/v1/responses"] = submit
            loop = asyncio.get_running_loop()
            with pytest.raises(asyncio.CancelledError):
                await working

        asyncio.run(stopped())
    assert [each["id"] for each in given.kept] == ["job-1"] and not vendor.polls


def test_addresses_that_lead_on_are_resolved_at_once_and_both_are_kept(tmp_path):
    with Vendor("gemini", {}, running=0) as vendor:
        ways = [f"{vendor.base}/grounding-api-redirect/{name}" for name in ("one", "two")]
        vendor.result = vendor.result | vendors.gemini((ways[0], ways[1]))
        vendor.paths["/grounding-api-redirect/one"] = lambda request, text: Reply(
            302, {"Location": "https://a.example/tides"}
        )
        vendor.paths["/grounding-api-redirect/two"] = lambda request, text: error(404, "gone")
        ready = vendor.recipe()
        way = ready.result.model_copy(update={"redirects": ("{base}/grounding-api-redirect/",)})
        run, _ = answered(vendor, tmp_path, recipe=ready.model_copy(update={"result": way}))
    assert run.sources == ("https://a.example/tides", ways[1])
    assert run.record["redirects"] == {ways[0]: "https://a.example/tides", ways[1]: None}


def test_a_service_that_no_interface_is_known_of_is_read_by_paths(tmp_path):
    table = {
        "name": "ours",
        "submit": {"url": "{base}/v1/responses", "body": {"q": "{prompt}"}, "id": "job.id"},
        "poll": {"url": "{base}/v1/responses/{id}", "running": ["no"], "done": ["yes"]},
        "result": {"text": ["nowhere", "out.-1.words"], "sources": "out.-1.pages", "cost": "usd"},
    }
    with Vendor("openai", {}, running=0) as vendor:
        words = "# Tides\n\nThe tide rises [1].\n"
        vendor.result = {"status": "yes", "out": [{"words": words, "pages": [URLS[0]]}], "usd": 2}
        vendor.paths["/v1/responses"] = lambda *_: Reply(body=b'{"job": {"id": "job-1"}}')
        run, _ = answered(vendor, tmp_path, recipe=service_recipe_of(table))
    assert run.report.startswith(words) and (run.sources, run.cost) == (URLS[:1], 2.0)


def test_paths_are_names_and_integers():
    value = {"a": [{"b": 1}, {"b": None}], "0": 5, "-1": "x"}
    assert at(value, ["a.0.b"]) == 1 and at(value, ["a.-1.b", "0"]) == 5
    assert at(value, ["a.7.b"]) is None and at(value, ["a.b"]) is None
    assert at(value, ["a.0.b.c"]) is None and at([], ["0"]) is None and at(3, [""]) is None


# ------------------------------------------------------------------ declared


def test_responses_are_the_ready_job_under_the_name_of_a_model(tmp_path, monkeypatch):
    with Vendor("openai", vendors.openai(), running=0) as vendor:
        agent = Responses(responses="gpt-9", base_url=vendor.base, body={"max_tool_calls": 5})
        with session(tmp_path, KEYS) as given:
            run = asyncio.run(agent.answer(TASK, given))
    assert run.report.startswith(CITED) and vendor.submitted[0]["model"] == "gpt-9"
    assert vendor.submitted[0]["max_tool_calls"] == 5


@pytest.mark.parametrize("each", [*READY.iterdir()], ids=lambda each: each.name)
def test_ready_jobs_can_be_declared(each):
    name = each.name.removesuffix(".toml")
    agent = agents_of([f"job:{name}"], {})[f"job:{name}"]
    agent.check(KEYS)
    assert agent.identity["job"]["name"] and KEY not in repr(agent.identity)
    assert agent.identity["job"]["name"] in agent.outlook() and " s at most" in agent.outlook()


def test_a_missing_variable_is_named():
    with pytest.raises(BadSetting, match="OPENAI_API_KEY is not set"):
        Responses(responses="gpt-9").check({})
    assert "5400 s" in Responses(responses="gpt-9").outlook()


MISTAKES = [
    ("nowhere.toml", "nowhere.toml", "gemini, openai, perplexity"),
    ('name = "x"\n[poll', "no TOML", "Mend"),
    ('name = "x"\n[submit]\nurl = "u"\n[poll]\nurl = "u"\ndone = ["d"]\nrunning = []\nevery = 3\n',
     "poll.every", "[poll] takes"),
    ('name = "x"\nsubmits = 3\n', "submit", "A job takes"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "problem", "remedy"), MISTAKES)
def test_a_mistake_in_a_file_is_told_with_its_place(text, problem, remedy, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    given = text if text.endswith("nowhere.toml") else str(path)
    with pytest.raises(BadSetting) as raised:
        agents_of([f"x=job:{given}"], {})
    assert problem in str(raised.value) and remedy in str(raised.value)


def test_a_table_of_the_settings_is_a_job_too():
    table = service_recipe_of("openai").model_dump()
    agent = agents_of(["mine"], {"mine": {"job": table, "model": "m-2"}})["mine"]
    agent.check(KEYS)
    with pytest.raises(BadSetting, match="is no address of a service"):
        agents_of(["mine"], {"mine": {"job": table | {"base": "ftp://x"}}})["mine"].check(KEYS)
