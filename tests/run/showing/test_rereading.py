"""Verdicts on pages are held to the answers that they were read from."""

import asyncio
import json
import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from deepassay.models.batches import batchers
from deepassay.models.batches.interface import Pacing
from deepassay.protocols import support
from deepassay.run.showing.merging import merge
from deepassay.run.showing.replay import replay
from deepassay.run.showing.rereading import reread
from deepassay.runfile import RunFile
from deepassay.runfile.rows import Bodies
from deepassay.runfile.seals import keep_seals
from deepassay.wings.bundles.packing import write_bundle
from deepassay.wings.bundles.verifying import verify
from tests.batching import FakeBatches
from tests.judging import verdicts
from tests.loopback import FakeJudge, completion
from tests.wings.bundles.honest import typed

PAGED = ("--protocol", "fact", "--protocol", "citation_accuracy")


def evaluate(demo, run, *options, of="reports"):
    if not run.exists():
        typed("sources", "import", demo / "pages.jsonl", "--snapshots", run)
    words = (*PAGED, "--offline-sources", "--judge", "offline", "--date", "2026-05-04", "--quiet")
    words += options
    typed("evaluate", demo / "tasks.jsonl", demo / of, *words, "--run", run)
    return run


@pytest.fixture(scope="module")
def demo(repository):
    return repository / "examples" / "demo"


@pytest.fixture(scope="module")
def run(demo, tmp_path_factory):
    """The demo by two protocols, which ask about the same pages."""
    return evaluate(demo, tmp_path_factory.mktemp("reread") / "run.assay")


def found_in(run):
    with RunFile.read(run) as file:
        return asyncio.run(reread(file)), len([*file.verdicts.each()])


def changed(run, copy, choose, change):
    """A copy in which one verdict is another, with every digest and seal made anew."""
    shutil.copy(run, copy)
    with closing(sqlite3.connect(copy)) as db:
        keep_seals(db)
        bodies = Bodies(copy)
        rows = db.execute("SELECT rowid, body, sha256 FROM verdicts ORDER BY rowid").fetchall()
        kept = [(row, bodies.unpack("a verdict", *body)) for row, *body in rows]
        row, value = next(each for each in kept if choose(each[1]))
        new = value | change(value)
        values = [new["verdict"], *bodies.pack(new), row]
        db.execute("UPDATE verdicts SET verdict=?, body=?, sha256=? WHERE rowid=?", values)
        db.commit()
    return value


def test_every_verdict_of_a_run_is_read_again(run):
    found, rows = found_in(run)
    assert rows > 20
    assert (found.same, found.different, found.unread) == (rows, [], 0)


def test_repeats_are_read_each_from_its_own_answers(demo, tmp_path):
    found, rows = found_in(evaluate(demo, tmp_path / "run.assay", "--repeat", "2", "--limit", "2"))
    assert (found.same, found.different, found.unread) == (rows, [], 0)


def test_what_agents_had_read_is_read_again(repository, tmp_path):
    traces, run = repository / "examples" / "traces", tmp_path / "run.assay"
    words = (
        "evaluate",
        traces / "tasks.jsonl",
        traces / "reports",
        "--judge",
        "offline",
        "--quiet",
    )
    words += ("--traces", traces / "ferry.otlp.jsonl", "--protocol", "process(judged=True)")
    typed(*words, "--date", "2026-05-04", "--run", run)
    found, rows = found_in(run)
    assert rows > 5
    assert (found.same, found.different, found.unread) == (rows, [], 0)


def test_long_pages_are_read_part_by_part(demo, tmp_path, monkeypatch):
    monkeypatch.setattr(support, "PART", 300)
    monkeypatch.setattr(support, "OVERLAP", 20)
    monkeypatch.setattr(support, "MOST_STATEMENTS", 2)
    found, rows = found_in(evaluate(demo, tmp_path / "run.assay", "--limit", "2"))
    assert rows > 20
    assert (found.same, found.different, found.unread) == (rows, [], 0)


class Moody:
    """A judge whose every answer about a page is another, and of which some can not be read."""

    def __init__(self, seed, unreadable):
        self._chance, self.unreadable = random.Random(seed), unreadable

    def __call__(self, request, text):
        if not text.startswith('{"verdicts": [{"statement"'):
            return completion(text)
        if self._chance.random() < self.unreadable:
            return completion("I would say so.")
        for each in (said := json.loads(text))["verdicts"]:
            each["verdict"] = self._chance.choice(["supported", "unsupported", "unknown"])
        return completion(json.dumps(said))


@pytest.mark.parametrize("part, of", [(support.PART, "reports"), (300, "reports/heron")])
def test_what_failed_and_was_asked_again_is_read_from_its_own_answer(
    demo, tmp_path, monkeypatch, part, of
):
    """Of two repeats by a panel. Where a part failed, what later ones said then is not contradicted
    by what they were asked once it was answered."""
    monkeypatch.setattr(support, "PART", part)
    monkeypatch.setattr(support, "OVERLAP", 20)
    monkeypatch.setattr(support, "MOST_STATEMENTS", 2)
    moods = {name: Moody(name, 0.7) for name in ("moody", "moodier")}
    with FakeJudge(verdicts, scenarios=moods) as server:
        words = ("--base-url", server.base_url, "--repeat", "2", "--limit", "1", "--retry-unscored")
        words += ("--max-connections", "1")  # what fails goes by the order in which questions come
        words += tuple(word for name in moods for word in ("--judge", f"openai:{name}"))
        for unreadable in (0.7, 0.5, 0.0):
            for each in moods.values():
                each.unreadable = unreadable
            run = evaluate(demo, tmp_path / "run.assay", *words, of=of)
    with RunFile.read(run) as file:
        rows = [*file.verdicts.each()]
        found = asyncio.run(reread(file))
    failed = sum(each.verdict == "failed" for each in rows)
    assert failed > 20
    assert found.different == []
    assert found.same + found.unread == len(rows) - failed
    assert found.unread < (0.1 * len(rows) if part == 300 else 1)


@pytest.fixture(scope="module")
def crossing(tmp_path_factory):
    """Reports for four tasks in two languages, which say the same of one page, and other things."""
    folder = tmp_path_factory.mktemp("crossing")
    facts = (
        "The tower has forty green windows",
        "A boat costs five crowns",
        "Nobody paid the toll",
    )
    page = {"url": "https://a.example/one", "text": f"{'. '.join(facts)}. Rain fell."}
    (folder / "pages.jsonl").write_text(json.dumps(page))
    (folder / "reports" / "heron").mkdir(parents=True)
    tasks = []
    for at in range(4):
        told = " ".join(f"{each} [1]." for each in (facts[at % 3], facts[at // 2], facts[0]))
        text = f"# Wind {at}\n\n{told}\n\n## Sources\n\n[1] https://a.example/one\n"
        (folder / "reports" / "heron" / f"t{at}.md").write_text(text)
        prompt, language = (f"Why {at}?", "en") if at < 2 else (f"为什么 {at}？", "zh")
        tasks.append(json.dumps({"id": f"t{at}", "prompt": prompt, "language": language}))
    (folder / "tasks.jsonl").write_text("\n".join(tasks))
    return folder


@pytest.mark.parametrize("failing, unread", [(0.0, 2), (1.0, 1)])
def test_shards_that_both_asked_about_a_statement_are_one_run_with_the_first_verdict(
    crossing, tmp_path, failing, unread
):
    """By a judge that never says the same twice, or of which one shard got no answer at all. What
    rested on the second verdict, or on none, is computed again."""
    with FakeJudge(verdicts, scenarios={"moody": (moody := Moody(3, failing))}) as server:
        words = ("--judge", "openai:moody", "--base-url", server.base_url)
        shards = []
        for at in (1, 2):
            shards.append(
                evaluate(crossing, tmp_path / f"{at}.assay", *words, "--shard", f"{at}/2")
            )
            moody.unreadable = 0.0
        asked = len(server.requests)
        merged = merge(shards, tmp_path / "merged.assay")
        assert 0 < merged.anew == merged.left <= 8
        assert f"to be computed again: {merged.anew};" in "\n".join(merged.lines())
        with RunFile.read(merged.target) as run:
            assert replay(run).proved
        evaluate(crossing, merged.target, *words)
        assert len(server.requests) == asked
    with RunFile.read(merged.target) as run:
        whole = replay(run)
        given = sum(each.verdict != "failed" for each in run.verdicts.each())
    assert whole.proved
    assert whole.same == 8
    # Those whose batch had a statement in it that another shard had asked about first.
    assert whole.reread.unread == unread
    assert whole.reread.same + unread == given
    # One that was forged fits nothing that was asked, and is held to its answer by number.
    forged = tmp_path / "forged.assay"
    changed(
        merged.target,
        forged,
        lambda each: each["verdict"] == "unsupported",
        lambda _: {"verdict": "supported"},
    )
    told, _ = found_in(forged)
    assert any("which its answer says of fewer statements" in each for each in told.different)


@pytest.mark.filterwarnings("ignore:Questions in batches")
def test_what_came_in_batches_in_two_languages_is_read_again(crossing, tmp_path, monkeypatch):
    monkeypatch.setattr(batchers, "PACING", Pacing(idle=0.05, first=0.01, longest=0.02))
    with FakeBatches(verdicts) as service:
        words = ("--judge", "openai:good", "--base-url", service.base_url, "--batch")
        run = evaluate(crossing, tmp_path / "run.assay", *words)
    found, rows = found_in(run)
    assert rows == 10  # by two judges: three statements in one language, two in the other
    assert (found.same, found.different, found.unread) == (rows, [], 0)


@pytest.mark.parametrize(
    "change, said",
    [
        ({"verdict": "unsupported"}, "unsupported is kept, and the answer says supported"),
        ({"quote": "Made up."}, "it is kept otherwise than it was answered"),
        ({"answer": "0" * 64}, "it is kept otherwise than it was answered"),
    ],
)
def test_a_verdict_that_its_answer_does_not_give_is_named(run, tmp_path, change, said):
    copy = tmp_path / "copy.assay"
    old = changed(run, copy, lambda each: each["verdict"] == "supported", lambda _: change)
    found, rows = found_in(copy)
    assert len(found.different) == 1
    assert said in found.different[0]
    assert old["statement"][:40] in found.different[0]
    assert found.same + found.unread == rows - 1


def test_a_verdict_on_a_page_that_is_not_there_is_counted(run, tmp_path):
    copy = tmp_path / "copy.assay"
    changed(run, copy, lambda _: True, lambda _: {"page": "0" * 64})
    found, rows = found_in(copy)
    assert found.unread >= 1
    assert found.same + found.unread == rows
    with RunFile.read(copy) as file:
        told = [*replay(file).problems()]
    assert [each for each in told if each.startswith(f"not read again: {found.unread} verdict")]


@pytest.mark.parametrize(
    "hidden, said",
    [
        ({"page": "0" * 64}, "which its answer says of fewer statements"),
        ({"judge": "0" * 64}, "which its answer says of fewer statements"),
        ({"page": "0" * 64, "answer": "0" * 64}, "and the answer that it names gives none"),
    ],
)
def test_a_verdict_is_not_hidden_by_what_cannot_be_read_again(run, tmp_path, hidden, said):
    """Whoever has it read as if its page or judge were gone is held to the answer it names."""
    copy = tmp_path / "copy.assay"
    old = changed(
        run,
        copy,
        lambda each: each["verdict"] == "unsupported",
        lambda _: {"verdict": "supported", **hidden},
    )
    found, _ = found_in(copy)
    (named,) = (each for each in found.different if old["statement"][:40] in each)
    assert f"supported is kept, {said}" in named


def test_who_changes_verdict_outcome_and_figures_together_is_contradicted(run, demo, tmp_path):
    """The forger changes a verdict and has all that hangs on it computed anew."""
    copy = tmp_path / "copy.assay"
    changed(run, copy, lambda e: e["verdict"] == "unsupported", lambda _: {"verdict": "supported"})
    with closing(sqlite3.connect(copy)) as db:
        keep_seals(db)
        db.execute("DELETE FROM outcomes")
        db.commit()
    evaluate(demo, copy)
    write_bundle(copy, tmp_path / "forged.zip")
    found = verify(tmp_path / "forged.zip")
    assert len(found.problems) == 1  # nothing but the answer shows it
    assert "supported is kept, and the answer says unsupported" in found.problems[0]
    with RunFile.read(copy) as file:
        replayed = replay(file)
    assert not replayed.proved
    assert [each for each in replayed.problems() if "differs: a verdict on" in each]
