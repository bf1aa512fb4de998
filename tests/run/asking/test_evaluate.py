"""What a run says of itself when it is over."""

import asyncio
import gc
import json
import os
import signal
import subprocess
from dataclasses import replace

import pytest

from deepassay.errors import BadRunFile
from deepassay.reports.report import TextStore
from deepassay.run.archives import import_pages
from deepassay.run.asking import evaluate as evaluating
from deepassay.run.asking.evaluate import TIME_LIMIT, _reasons, aevaluate, evaluate
from deepassay.run.asking.sources import pages_of_no_host
from deepassay.run.showing.records import as_lines
from deepassay.runfile import Capture, RunFile, store
from deepassay.runfile.seals import keep_seals
from deepassay.score import Cause, canonical_json
from deepassay.sources.page import NO_HOST, NO_NAMES
from tests.asked import asked as asking_for
from tests.judging import verdicts
from tests.loopback import FakeJudge, completion
from tests.preloaded import python

pytestmark = pytest.mark.usefixtures("read_here")

NOWHERE = Capture("https://a.example/1", "2026-11-20T10:00:00Z", "direct", failure="gone")
NOWHERE = replace(NOWHERE, detail=NO_HOST)
UNASKED = replace(NOWHERE, url="https://d.example/4", failure="timeout", detail=NO_NAMES)
AGAIN = replace(UNASKED, fetched="2026-11-21T10:00:00Z")
ELSEWHERE = replace(NOWHERE, url="https://b.example/2")
GONE = replace(NOWHERE, url="https://c.example/3", detail="The server answered with status 404.")


@pytest.mark.parametrize(
    ("captures", "pages"),
    [
        ((), 0),
        ((NOWHERE, ELSEWHERE), 2),
        ((UNASKED, AGAIN, ELSEWHERE), 2),
        ((NOWHERE, GONE), 0),
        ((UNASKED, AGAIN, GONE), 0),
    ],
    ids=["no pages", "no host at all", "no name at all", "a host that answered", "later one did"],
)
def test_a_network_without_names_is_noticed(captures, pages, tmp_path):
    async def keep(run):
        for capture in captures:
            await run.captures.keep(capture)

    with RunFile.create(tmp_path / "run.assay") as run:
        asyncio.run(keep(run))
        assert pages_of_no_host(run) == pages


def asked_of(judge, folder, texts, connections):
    """A request of one question for each text, to a judge on loopback."""
    tasks = [json.dumps({"id": f"t{number}", "prompt": "Why?"}) for number in range(len(texts))]
    (folder / "tasks.jsonl").write_text("\n".join(tasks))
    (folder / "heron").mkdir()
    for number, text in enumerate(texts):
        (folder / "heron" / f"t{number}.md").write_text(text)
    return asking_for(
        folder / "tasks.jsonl",
        [folder / "heron"],
        protocols=["presentation"],
        run=folder / "run.assay",
        judge=["openai:good"],
        base_url=judge.base_url,
        max_connections=connections,
        allow_unpriced=True,
    )


def test_the_commonest_reason_is_counted_over_tasks_though_it_names_them(tmp_path):
    with FakeJudge(verdicts) as judge:
        request = asked_of(judge, tmp_path, ["", "", "Rain.", "Wind.", "Snow."], connections=4)
        summary = evaluate(*request.but(protocols=("ace",)))
    (told,) = [line for line in summary.lines() if "unscored: 5 missing_input, mostly: " in line]
    assert "has no ACE checklist" in told and told.endswith(" (3); the report is empty (2)")


def test_reasons_are_told_apart_by_their_status_and_not_by_how_many_there_were():
    details = ["status 500: down", "status 401: no key", "status 401: no key"]
    details += [f"No claim could be judged ({n} in all)." for n in (3, 4, 4, 9)]

    class Run:
        def unscored(self):
            return [
                (f"t{n}", {"cause": "timeout", "detail": each}) for n, each in enumerate(details)
            ]

    assert _reasons(Run()) == {
        Cause.TIMEOUT: "No claim could be judged (4 in all). (4); status 401: no key (2)"
    }


def test_reports_without_a_readable_page_are_told_beside_reports_without_text(tmp_path):
    texts = ["", "", *(f"The tide {n} is high [1](https://a.example/{n})." for n in range(3))]
    texts.append("A tide [1](https://a.example/8). A wave [1](https://a.example/9).")
    with RunFile.share(tmp_path / "pages.assay") as run:
        for n in range(10):
            at = (f"https://a.example/{n}", "2026-11-20T00:00:00+00:00", "direct")
            asyncio.run(run.captures.keep(Capture(*at, failure="not_text", detail="An image.")))
    with FakeJudge(verdicts) as judge:
        request = asked_of(judge, tmp_path, texts, connections=4)
        pages = {"snapshots": tmp_path / "pages.assay", "offline_sources": True}
        summary = evaluate(*request.but(protocols=("fact",), **pages))
    (told,) = [line for line in summary.lines() if "missing_input" in line]
    assert told.startswith(
        "  unscored: 6 missing_input, mostly: Not one of the cited pairs could be"
    )
    assert told.endswith(" (4); the report is empty (2)")


def test_what_all_judges_of_a_panel_say_is_told_and_what_is_kept_stays_as_it_was(tmp_path):
    def refusing(word):
        return lambda request, text: completion("", refusal=word)

    scenarios = {"shy": refusing("no"), "coy": refusing("no"), "sly": refusing("never")}
    with FakeJudge(verdicts, scenarios=scenarios) as judge:
        request = asked_of(judge, tmp_path, ["Rain.", "Wind.", "Snow."], connections=4)

        def told(run, protocol, *panel):
            file = tmp_path / f"{run}.assay"
            again = request.but(protocols=(protocol,), judge=[*panel], run=file)
            summary = evaluate(*again)
            (line,) = [line for line in summary.lines() if "unscored: 3 " in line]
            with RunFile.read(file) as kept:
                details = {outcome["detail"] for _, outcome in kept.unscored()}
            assert all(each.startswith("no judge came to a score (") for each in details)
            return line.partition("mostly: ")[2]

        assert "has no ACE checklist" in told("lacking", "ace", "openai:good", "openai:other")
        assert told("alike", "presentation", "openai:shy", "openai:coy") == "no"
        assert told("apart", "presentation", "openai:shy", "openai:sly") == (
            "no judge came to a score (openai:shy: judge_refused; openai:sly: judge_refused)"
        )


def test_a_limit_of_time_that_comes_with_the_last_score_has_stopped_nothing(tmp_path, monkeypatch):
    def tell(tally, spent):
        if not tally.left:
            running[0].stop(TIME_LIMIT)

    running = []
    monkeypatch.setattr(
        evaluating, "_stop_at", lambda end, execution, stack: running.append(execution)
    )
    with FakeJudge(verdicts) as judge:
        request = asked_of(judge, tmp_path, ["Rain.", "Wind."], connections=1)
        summary = evaluate(*request.but(time_limit=60.0), tell)
    assert running and not summary.out_of_time
    assert not [line for line in summary.lines() if "Stopped" in line]


def test_of_reports_that_have_their_scores_the_texts_are_not_held_and_hardly_read(
    tmp_path, monkeypatch
):
    """Each is read once to see that it is what was scored; those to be judged once more."""
    read = []
    get = TextStore.get
    monkeypatch.setattr(TextStore, "get", lambda *place: (read.append(place), get(*place))[1])
    with FakeJudge(verdicts) as judge:
        request = asked_of(judge, tmp_path, ["Rain.", "Wind.", "Snow."], connections=2)
        assert evaluate(*request).tally.scored == 3 and len(read) == 2 * 3
        (tmp_path / "heron" / "t3.md").write_text("Sun.")
        with (tmp_path / "tasks.jsonl").open("a") as tasks:
            tasks.write('\n{"id": "t3", "prompt": "Why?"}')
        read.clear()
        again = evaluate(*request)
    assert (again.tally.kept, again.tally.done) == (3, 1) and len(read) == 4 + 1


def test_nobody_is_asked_before_what_the_run_is_about_is_on_the_disk(tmp_path, monkeypatch):
    def on_a_full_disk(db, tables):
        keep_seals(db, tables)
        db.execute("PRAGMA max_page_count=1")  # as large as it is, and no larger

    texts = [f"# Noise\n\n{os.urandom(5_000).hex()}\n" for _ in range(40)]
    with FakeJudge(verdicts) as judge:
        request = asked_of(judge, tmp_path, texts, connections=4)
        with monkeypatch.context() as patch, pytest.raises(BadRunFile, match="disk is full"):
            patch.setattr(store, "keep_seals", on_a_full_disk)
            evaluate(*request)
        assert not judge.requests
        assert not request.run.exists()
        assert evaluate(*request).tally.scored == 40


LIMITED = """
import resource, sys
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # as refused in the middle of a page
from deepassay.cli import main
main()
"""


@pytest.mark.parametrize("size", [250_000, 400_000], ids=["no answer fits", "some answers fit"])
def test_a_full_disk_is_told_once_and_leaves_what_was_written(tmp_path, size):
    texts = [f"# Noise\n\n{os.urandom(2_000).hex()}\n" for _ in range(40)]
    with FakeJudge(verdicts, latency=0.05) as judge:
        request = asked_of(judge, tmp_path, texts, connections=4)
        command = [*python(LIMITED, f"{size}"), "evaluate", request.tasks, *request.reports]
        command += ["--protocol", "presentation", "--run", request.run, "--max-connections", "4"]
        command += ["--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced"]
        ended = subprocess.run(command, check=False, capture_output=True, text=True)
        assert ended.returncode == 2
        assert "Traceback" not in ended.stderr
        assert ended.stderr.count("The run file cannot be written") == 1
        assert len(judge.requests) < 40
        assert evaluate(*request).tally.scored == 40
        assert len(judge.requests) <= 44, "no more are paid twice than were in flight"


@pytest.mark.parametrize("moved", [False, True], ids=["removed", "replaced"])
def test_a_run_file_that_goes_away_is_noticed_and_nothing_paid_is_lost(tmp_path, moved):
    def answer(body):
        asked.append(body)
        if len(asked) == 3:
            request.run.unlink()
            if moved:
                request.run.write_bytes(b"something else")
        return verdicts(body)

    asked = []
    texts = [f"# Rain\n\nIt rained {number} times.\n" for number in range(30)]
    with FakeJudge(answer, latency=0.02) as judge:
        request = asked_of(judge, tmp_path, texts, connections=2)
        with pytest.raises(BadRunFile, match="was removed, moved or replaced") as raised:
            evaluate(*request)
        before = len(judge.requests)
        assert before < 30
        (rescued,) = tmp_path.glob("run.assay.rescued-*")
        assert str(rescued) in raised.value.remedy
        rescued.replace(request.run)
        assert evaluate(*request).tally.scored == 30
        assert len(judge.requests) == 30, "every answer that had come was kept"


def test_a_run_file_that_goes_away_after_the_last_answer_is_noticed_too(tmp_path):
    with (
        pytest.raises(BadRunFile, match="was removed, moved or replaced"),
        RunFile.create(tmp_path / "run.assay") as run,
    ):
        run.register({"date": "2026-11-20"}, {}, {}, []).result()
        run.path.unlink()


@pytest.mark.asyncio
async def test_it_runs_where_an_event_loop_does_and_leaves_its_process_alone(tmp_path):
    heard = []
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, heard.append, signal.SIGTERM)
    before, frozen = (gc.get_threshold(), signal.getsignal(signal.SIGINT)), gc.get_freeze_count()
    seen = []

    def look(tally, spent):
        seen.append((gc.get_threshold(), signal.getsignal(signal.SIGINT)))
        assert gc.get_freeze_count() <= frozen  # some of what the tests froze may be gone

    with FakeJudge(verdicts) as judge:
        request = asked_of(judge, tmp_path, ["# Rain\n\nIt rained.\n"], connections=2)
        assert (await aevaluate(*request, look)).tally.scored == 1
    assert seen == [before]
    os.kill(os.getpid(), signal.SIGTERM)
    while not heard:
        await asyncio.sleep(0)
    asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)


@pytest.mark.asyncio
async def test_cancelled_it_ends_at_once_and_keeps_what_it_has(tmp_path):
    texts = [f"# Rain\n\nIt rained {number} times.\n" for number in range(9)]
    with FakeJudge(verdicts, latency=0.05) as judge:
        request = asked_of(judge, tmp_path, texts, connections=2)
        asking = asyncio.create_task(aevaluate(*request, lambda tally, spent: asking.cancel()))
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await aevaluate(*request)).tally.scored == 9
        assert len(judge.requests) <= 9 + 2


def test_after_a_signal_nothing_is_asked_that_was_only_made_ready(tmp_path):
    def answer(body):  # the signal comes while both connections are in use
        asked.append(body)
        if len(asked) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return verdicts(body)

    asked = []
    texts = [f"# Rain\n\nIt rained {number} times.\n" for number in range(9)]
    with FakeJudge(answer, latency=0.5) as judge:
        request = asked_of(judge, tmp_path, texts, connections=2)
        stopped = evaluate(*request)
        assert len(judge.requests) == 2
        assert (stopped.signal, stopped.tally.scored, stopped.tally.left) == (signal.SIGINT, 2, 7)
        assert stopped.calls == {"answered": 2}
        assert evaluate(*request).tally.scored == 9
        assert len(judge.requests) == 9


def test_a_run_that_broke_off_before_its_scores_were_kept_ends_like_any_other(
    repository, tmp_path, monkeypatch
):
    async def broken_off(run, score):
        if (score.protocol, score.agent) == ("fact", "heron"):
            raise BadRunFile("broken off", "")
        await keep_score(run, score)

    keep_score = RunFile.keep_score

    demo = repository / "examples" / "demo"
    with FakeJudge(verdicts) as judge:
        request = asking_for(
            demo / "tasks.jsonl",
            [demo / "reports"],
            protocols=["fact", "kae", "race", "rubrics"],
            reference="heron",
            criteria=demo / "criteria.yaml",
            rubric=demo / "rubrics.yaml",
            judge=["openai:good"],
            extractor="offline",  # so that nothing but verdicts tells who judged
            base_url=judge.base_url,
            offline_sources=True,
            snapshots=tmp_path / "pages.assay",
            date="2026-05-04",
            limit=1,
            allow_unpriced=True,
        )
        import_pages([demo / "pages.jsonl"], tmp_path / "pages.assay", None)
        through = request.but(run=tmp_path / "through.assay")
        resumed = request.but(run=tmp_path / "resumed.assay")
        evaluate(*through)
        asked = len(judge.requests)
        with monkeypatch.context() as patch:
            patch.setattr(RunFile, "keep_score", broken_off)
            with pytest.raises(BadRunFile, match="broken off"):
                evaluate(*resumed)
        assert len(judge.requests) > asked
        evaluate(*resumed)
        assert len(judge.requests) == 2 * asked
    lines = exported(through.run)
    assert any("fact" in line for line in lines)
    assert exported(resumed.run) == lines


def exported(path):
    with RunFile.read(path) as run:
        return [canonical_json(line) for line in as_lines(run)]
