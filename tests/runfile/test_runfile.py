"""The run file keeps what was paid for, and touches nothing that is not its own."""

import asyncio
import os
import sqlite3
import subprocess
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from deepassay.errors import BadRunFile, ConfigurationChanged
from deepassay.runfile import Attempt, RunFile, StoredAnswer, StoredReport, StoredScore, copy_of
from deepassay.runfile.schema import VERSION, checked_version, make
from tests.preloaded import python


def answer(key="k", raw="raw", cause=None):
    return StoredAnswer(key, "coverage/judge", "offline", 0, "digest", raw, cause=cause)


IDENTITY = {
    "protocol": "coverage",
    "edition": "paper",
    "judges": [{"model": "offline"}],
    "repeats": 1,
}


def score(key="s", **outcome):
    lacking = {"detail": ""} if "cause" in outcome else {"bounds": None, "parts": {}, "tally": None}
    outcome = {**lacking, "details": {}, **outcome}
    return StoredScore(key, "coverage", "heron", "t1", 1, 0, outcome, IDENTITY, {})


def keep(run, *answers):
    async def all_at_once():
        await asyncio.gather(
            *(run.keep_answer(each, [Attempt(each.key, 1, "answered")]) for each in answers)
        )

    asyncio.run(all_at_once())


def register(run, configuration=None, protocols=None, tasks=None, reports=()):
    configuration = configuration or {"date": "2026-11-20"}
    run.register(configuration, protocols or {}, tasks or {}, reports).result()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.assay"


def test_what_a_log_holds_is_read_where_nothing_may_be_written(path, monkeypatch):
    """As of a run that goes on, or was killed, in the folder of somebody else."""
    with RunFile.create(path) as writing:
        asyncio.run(writing.keep_score(score(value=50.0)))
        monkeypatch.setattr("deepassay.runfile.schema.os.access", lambda *_: False)
        with RunFile.read(path) as run:
            assert len(list(run.scores())) == 1
        alone = path.with_name("alone.assay")
        for end in ("", "-wal"):
            alone.with_name(alone.name + end).write_bytes(Path(f"{path}{end}").read_bytes())
        with pytest.raises(BadRunFile, match=r"stands in alone.assay-wal"):
            RunFile.read(alone)
    with RunFile.read(path) as run:  # without a log
        assert len(list(run.scores())) == 1


def test_what_was_kept_is_there_when_it_is_opened_again(path):
    with RunFile.create(path) as run:
        salt = run.salt
        register(
            run,
            {"judges": ["offline"]},
            tasks={"t1": {"prompt": "Why?"}, "t0": {"prompt": "怎么办？"}},
            reports=[StoredReport("heron", "t1", 1, "lone \ud800 surrogate\r\n")],
        )
        keep(run, answer())
        asyncio.run(run.keep_score(score(value=50.0)))
    with RunFile.read(path) as run:
        assert run.salt == salt
        assert run.configuration == {"judges": ["offline"]}
        assert [identifier for identifier, _ in run.tasks()] == ["t1", "t0"]
        assert [report.text for report in run.reports()] == ["lone \ud800 surrogate\r\n"]
        assert run.answer("k") == answer()
        assert [each.outcome["value"] for each in run.scores()] == [50.0]


def test_a_closed_run_is_one_file(path):
    with RunFile.create(path) as run:
        keep(run, answer())
    assert [file.name for file in path.parent.iterdir()] == ["run.assay"]


def test_an_answer_gives_way_to_nothing_and_a_failure_to_an_answer():
    with RunFile.in_memory() as run:
        keep(run, answer(raw="", cause="timeout"))
        keep(run, answer(raw="first"))
        keep(run, answer(raw="second"))
        assert run.answer("k").raw == "first"
        assert run.attempts() == {"answered": 3}


def test_an_unscored_gives_way_to_a_score_and_a_score_to_nothing():
    with RunFile.in_memory() as run:
        for outcome in ({"cause": "timeout"}, {"value": 1.0}, {"value": 2.0}):
            asyncio.run(run.keep_score(score(**outcome)))
        assert [each.outcome["value"] for each in run.scores()] == [1.0]


def test_spending_and_tokens_are_added_up_over_all_attempts():
    async def spend(run):
        for number in (1, 2):
            attempt = Attempt("k", number, "answered", usage={"input_tokens": 7}, cost=0.25)
            await run.keep_answer(answer(), [attempt])

    with RunFile.in_memory() as run:
        asyncio.run(spend(run))
        assert run.spent() == 0.5
        assert run.usage() == {"input_tokens": 14}


def test_kinds_of_attempts_of_earlier_versions_count_under_their_names_of_today():
    async def attempted(run):
        attempts = [Attempt("k", n, kind) for n, kind in enumerate(["doubtful", "sent_back", "x"])]
        await run.keep_answer(answer(), attempts)

    with RunFile.in_memory() as run:
        asyncio.run(attempted(run))
        assert run.attempts() == {"sent_back": 2, "x": 1}


def test_another_configuration_is_refused_and_the_difference_named(path):
    with RunFile.create(path) as run:
        register(run, {"repeat": 1, "date": "2026-11-20"})
    with (
        RunFile.create(path) as run,
        pytest.raises(ConfigurationChanged, match=r"repeat: 1 when the run began, 3 now"),
    ):
        register(run, {"repeat": 3, "date": "2026-11-20"})


def test_a_protocol_under_another_identity_is_refused_and_the_difference_named():
    with RunFile.in_memory() as run:
        register(run, protocols={"coverage": {**IDENTITY, "prompts": "one"}})
        with pytest.raises(ConfigurationChanged, match="coverage, prompts: 'one' when"):
            register(run, protocols={"coverage": {**IDENTITY, "prompts": "two"}})


def test_a_refusal_names_everything_that_differs_and_each_setting_once(path):
    def identity(judge, prompts="one", repeats=1):
        return IDENTITY | {"judges": [{"model": judge}], "prompts": prompts, "repeats": repeats}

    reports = [StoredReport(agent, "t1", 1, "text") for agent in ("heron", "tern")]
    edited = [replace(each, text="edited") for each in reports]
    before = {name: identity("a") for name in ("coverage", "depth", "surface")}
    now = {"coverage": identity("b", repeats=3), "depth": identity("b", "two", repeats=3)}
    tasks, others = ({f"t{n}": {"prompt": prompt} for n in range(1, 13)} for prompt in "ab")
    one, three = ({"repeat": repeat, "date": "2026-11-20"} for repeat in (1, 3))
    with RunFile.create(path) as run:
        register(run, one, before, tasks, reports)
        with pytest.raises(ConfigurationChanged) as refused:
            register(run, three, now, {"t1": {}}, edited)
        assert refused.value.problem.splitlines()[1:] == [
            "  repeat: 1 when the run began, 3 now",
            "  coverage, depth, judges: [{'model': 'a'}] when the run began, [{'model': 'b'}] now",
            "  depth, prompts: 'one' when the run began, 'two' now",
            "  task t1, the report of heron for task t1, the report of tern for task t1 changed "
            "since the run began.",
        ]
        with pytest.raises(ConfigurationChanged, match=r"t1, task t2,.* t10 and 2 more changed"):
            register(run, one, tasks=others)
        with pytest.raises(ConfigurationChanged, match="surface, repeats: 1 when the run began, 2"):
            register(run, one, {"surface": identity("a", repeats=2)})


def test_a_changed_task_or_report_is_refused_and_a_new_one_is_not():
    report = StoredReport("heron", "t1", 1, "text")
    with RunFile.in_memory() as run:
        register(run, tasks={"t1": {"prompt": "a"}}, reports=[report])
        register(run, tasks={"t1": {"prompt": "a"}, "t2": {"prompt": "b"}}, reports=[report])
        with pytest.raises(ConfigurationChanged, match="task t1"):
            register(run, tasks={"t1": {"prompt": "other"}})
        with pytest.raises(ConfigurationChanged, match="report of heron for task t1"):
            register(run, reports=[StoredReport("heron", "t1", 1, "edited")])


def test_where_anything_is_refused_nothing_is_written():
    with RunFile.in_memory() as run:
        register(run, tasks={"t1": {"prompt": "a"}})
        with pytest.raises(ConfigurationChanged):
            register(
                run,
                protocols={"coverage": {}},
                tasks={"t0": {"prompt": "new"}, "t1": {"prompt": "other"}},
                reports=[StoredReport("heron", "t1", 1, "text")],
            )
        assert run.protocols() == {}
        assert [identifier for identifier, _ in run.tasks()] == ["t1"]
        assert list(run.reports()) == []


def test_what_cannot_be_written_is_told_and_does_not_take_the_rest_with_it():
    async def both(run):
        return await asyncio.gather(
            run.keep_answer(StoredAnswer("bad", "op", "lone \ud800", 0, "d", "r"), []),
            run.keep_answer(answer("good"), []),
            return_exceptions=True,
        )

    with RunFile.in_memory() as run:
        bad, good = asyncio.run(both(run))
        assert isinstance(bad, BadRunFile)
        assert "No disk is to blame" in bad.remedy
        assert good is None
        assert run.answer("good") == answer("good")
        keep(run, answer("later"))
        assert run.answer("later") == answer("later")


def test_a_waiter_that_is_cancelled_does_not_stop_the_writing():
    async def cancelled(run):
        waiting = asyncio.create_task(
            run.keep_answer(StoredAnswer("bad", "op", "lone \ud800", 0, "d", "r"), [])
        )
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    with RunFile.in_memory() as run:
        asyncio.run(cancelled(run))
        keep(run, answer("later"))
        assert run.answer("later") == answer("later")


def test_a_copy_has_what_a_run_that_goes_on_has_written_last(path):
    with RunFile.create(path) as run:
        register(run)
        keep(run, answer("first"), answer("last"))
        assert path.with_name(f"{path.name}-wal").stat().st_size
        copy_of(path, copied := path.with_name("copied.assay"))
    with RunFile.read(copied) as found:
        assert found.answers().keys() == {"first", "last"}


def test_the_log_of_a_run_that_is_gone_is_not_put_into_a_new_one(path):
    log = path.with_name("run.assay-wal")
    log.write_bytes(b"what a killed run left")
    with pytest.raises(BadRunFile, match=r"run.assay-wal of the same run is still beside it"):
        RunFile.create(path)
    with pytest.raises(BadRunFile, match=r"run.assay-wal of the same run is still beside it"):
        copy_of(path.with_name("other.assay"), path)
    assert not path.exists()
    assert log.exists()


def test_what_killed_processes_left_goes_when_the_same_file_is_made_and_nothing_else(path):
    ended = subprocess.Popen(python(""))
    ended.wait()
    scraps = [f".run.assay.{ended.pid}.new", f".run.assay.{ended.pid}.new-wal"]
    others = [
        f".run.assay.{os.getppid()}.new",
        f".run.assay.{ended.pid}.new.txt",
        f".run-assay.{ended.pid}.new",
        f".other.assay.{ended.pid}.new",
        f".run.assay.{10**30}.new",
    ]
    for name in (*scraps, *others):
        path.with_name(name).touch()
    assert make(path)
    assert sorted(each.name for each in path.parent.iterdir()) == sorted([*others, path.name])


def test_what_was_made_here_is_whole_and_is_made_once(path):
    assert make(path)
    made = path.read_bytes()
    assert checked_version(path) == VERSION
    assert not make(path)
    assert path.read_bytes() == made
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("opening", [RunFile.create, RunFile.share])
def test_a_file_that_another_process_was_faster_to_make_is_looked_at(path, monkeypatch, opening):
    def overtaken(wanted):
        not_ours(wanted)
        return make(wanted)

    monkeypatch.setattr("deepassay.runfile.store.make", overtaken)
    with pytest.raises(BadRunFile, match="not a run file of DeepAssay"):
        opening(path)
    assert path.read_text().startswith("# My thesis")


def not_ours(path):
    path.write_text("# My thesis\n" * 100)


def empty(path):
    path.touch()


def half(path):
    make_run(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def last_bytes_cut(path):
    make_run(path)
    path.write_bytes(path.read_bytes()[:-100])


def another_database(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE accounts(id)")
    db.commit()
    db.close()


def newer(path):
    make_run(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=99")
    db.commit()
    db.close()


def make_run(path):
    with RunFile.create(path) as run:
        keep(run, *(answer(f"k{number}", os.urandom(3000).hex()) for number in range(20)))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (not_ours, "not a run file"),
        (empty, "not a run file"),
        (half, "damaged"),
        (last_bytes_cut, "damaged"),
        (another_database, "another program"),
        (newer, "newer version"),
    ],
)
def test_a_torn_or_foreign_file_is_refused_and_not_touched(path, damage, says):
    damage(path)
    before = path.read_bytes()
    for opening in (RunFile.create, RunFile.read):
        with pytest.raises(BadRunFile, match=says):
            opening(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["run.assay"]


def test_a_flipped_bit_inside_a_body_is_found_when_it_is_read(path):
    make_run(path)
    with RunFile.read(path) as run:
        body = run._store.rows("SELECT body FROM answers WHERE key='k7'")[0][0]
    content = bytearray(path.read_bytes())
    content[content.index(body) + len(body) // 2] ^= 1
    path.write_bytes(content)
    with RunFile.read(path) as run, pytest.raises(BadRunFile, match="answer k7"):
        run.answer("k7")


@pytest.mark.parametrize(
    ("written", "damaged"),
    [(b"CREATE TABLE attempts", b"CREATE TAB\xccE attempts"), (b"cause TEXT,", b"caus\xe5 TEXT,")],
)
def test_a_schema_that_is_no_text_any_more_is_refused(path, written, damaged):
    RunFile.create(path).close()
    content = path.read_bytes()
    assert written in content
    path.write_bytes(content.replace(written, damaged))
    with pytest.raises(BadRunFile), RunFile.read(path) as run:
        assert not run.verify().damage
        list(run.unscored())


def test_a_body_that_claims_to_be_huge_is_not_unpacked(path):
    import zstandard

    make_run(path)
    bomb = zstandard.ZstdCompressor().compress(bytes(300 * 1024 * 1024))
    db = sqlite3.connect(path)
    db.execute("UPDATE answers SET body=? WHERE key='k7'", (bomb,))
    db.commit()
    db.close()
    with RunFile.read(path) as run, pytest.raises(BadRunFile, match="claims to be"):
        run.answer("k7")


def test_one_process_writes_at_a_time(path):
    with RunFile.create(path), pytest.raises(BadRunFile, match=f"process {os.getpid()}"):
        RunFile.create(path)
    RunFile.create(path).close()


def test_a_reader_may_look_while_the_run_goes_on(path):
    with RunFile.create(path) as run:
        keep(run, answer())
        with RunFile.read(path) as reader:
            assert reader.answer("k") == answer()


def test_a_missing_file_is_not_made_by_reading(path):
    with pytest.raises(BadRunFile, match="no such run file"):
        RunFile.read(path)
    assert not path.exists()


def test_a_run_that_cannot_be_written_says_where(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(BadRunFile, match="cannot be written there"):
        RunFile.create(tmp_path / "file" / "run.assay")


def test_every_acknowledged_answer_survives_a_kill(path):
    program = textwrap.dedent(
        """
        import asyncio, sys
        from pathlib import Path
        from deepassay.runfile import RunFile, StoredAnswer

        async def work(run, hand):
            for number in range(100000):
                key = f"{hand}-{number}"
                await run.keep_answer(StoredAnswer(key, "op", "m", 0, "d", key * 50), [])
                print(key, flush=True)

        async def main():
            run = RunFile.create(Path(sys.argv[1]))
            await asyncio.gather(*(work(run, hand) for hand in range(8)))

        asyncio.run(main())
        """
    )
    for kill_after in (1, 50, 400):
        child = subprocess.Popen(python(program, str(path)), stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        acknowledged = [child.stdout.readline().strip() for _ in range(kill_after)]
        child.kill()
        acknowledged += [line.strip() for line in child.stdout.read().splitlines()[:-1]]
        child.stdout.close()
        child.wait()
        with RunFile.create(path) as run:
            for key in acknowledged:
                kept = run.answer(key)
                assert kept is not None
                assert kept.raw == key * 50


@pytest.mark.asyncio
async def test_what_an_attempt_may_cost_gives_way_to_what_it_cost(tmp_path):
    before = Attempt("k", 1, "unfinished", cost=5.0)
    with RunFile.create(tmp_path / "run.assay") as run:
        await run.keep_attempt(before)
        await run.keep_attempt(Attempt("k", 1, "unfinished", cost=3.0))  # of an earlier, killed run
        assert (run.spent(), run.attempts()) == (8.0, {"unfinished": 2})
        await run.keep_answer(answer(), [replace(before, kind="answered", cost=0.25)])
        assert (run.spent(), run.attempts()) == (3.25, {"answered": 1, "unfinished": 1})


def test_a_command_that_is_refused_leaves_no_empty_file_behind(tmp_path):
    path = tmp_path / "new" / "r.assay"
    with pytest.raises(ValueError, match="refused"), RunFile.create(path):
        raise ValueError("refused")
    assert not list(path.parent.iterdir())


def test_a_file_that_was_there_or_holds_something_stays(tmp_path):
    there, used = tmp_path / "there", tmp_path / "used"
    RunFile.create(there).close()
    with pytest.raises(ValueError, match="refused"), RunFile.create(there):
        raise ValueError("refused")
    with pytest.raises(ValueError, match="refused"), RunFile.create(used) as run:
        run.register({"repeat": 1}, {"coverage": {}}, {}, [])
        raise ValueError("refused")
    assert there.exists() and used.exists()
