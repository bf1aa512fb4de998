"""Captures are kept for ever, each body once, and come back as they were."""

import asyncio
import sqlite3
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadRunFile
from deepassay.runfile import Capture, RunFile, StoredReport, StoredScore, StoredVerdict
from tests.captured import keep
from tests.preloaded import python

URL = "https://a.example/page"
PAGE = Capture(
    url=URL,
    fetched="2026-11-20T10:00:00Z",
    reader="direct",
    final_url="https://a.example/moved",
    status=200,
    media="text/html",
    title="A page",
    text="What it says. 它说什么。",
    body=b"\x00raw \xff bytes" * 100,
)
DEAD = Capture(URL, "2026-11-21T10:00:00Z", "direct", status=404, failure="gone", detail="gone")


@pytest.fixture
def run():
    with RunFile.in_memory() as run:
        yield run


@pytest.fixture(scope="module")
def one_run():
    with RunFile.in_memory() as run:
        yield run


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pages.assay"


def count(path, what):
    db = sqlite3.connect(path)
    try:
        return db.execute(f"SELECT count(*) FROM {what}").fetchone()[0]
    finally:
        db.close()


def test_a_capture_comes_back_as_it_was_and_under_the_same_name(path):
    with RunFile.share(path) as run:
        asyncio.run(run.captures.keep(PAGE))
    with RunFile.read(path) as run:
        kept = run.captures.best(URL)
        assert kept == PAGE
        assert kept.id == PAGE.id
        assert run.captures.get(PAGE.id) == PAGE
        assert run.captures.get("no such name") is None
        assert run.captures.best("https://b.example/") is None


def test_the_name_stays_the_same_where_the_body_is_left_out(run):
    asyncio.run(run.captures.keep(PAGE, body=False))
    kept = run.captures.get(PAGE.id)
    assert kept == replace(PAGE, body=None)
    assert kept.id == PAGE.id
    keep(run, PAGE)
    assert run.captures.get(PAGE.id).body == PAGE.body
    assert run.captures.best_to_read(URL) == replace(PAGE, body=None)


def test_a_text_wins_over_a_failure_and_the_newer_over_the_older(run):
    older = replace(PAGE, fetched="2026-11-19T10:00:00Z", text="older")
    early = replace(DEAD, fetched="2026-11-18T10:00:00Z", failure="blocked")
    keep(run, DEAD, early)
    assert run.captures.best(URL).failure == "gone"
    keep(run, PAGE, older)
    assert run.captures.best(URL).text == PAGE.text


def test_the_same_body_costs_once(path):
    with RunFile.share(path) as run:
        keep(run, *(replace(PAGE, url=f"https://a.example/{number}") for number in range(50)))
    assert count(path, "captures") == 50
    assert count(path, "contents") == 2  # one body and one text


def test_the_order_does_not_depend_on_when_a_capture_was_kept(run):
    pages = [
        replace(PAGE, url=f"https://{letter}.example/", body=letter.encode()) for letter in "cab"
    ]
    keep(run, *pages, DEAD)
    assert [page.url[8] for page in run.captures.all()] == ["a", "a", "b", "c"]
    assert [page.body for page in run.captures.all()] == [b"a", None, b"b", b"c"]
    assert [page.id for page in run.captures.rows()] == [page.id for page in run.captures.all()]
    assert {page.text for page in run.captures.rows()} == {None}


def test_of_a_capture_that_cannot_be_kept_nothing_is_left(path):
    bad = replace(PAGE, status=10**30)  # more than SQLite can hold
    with RunFile.share(path) as run, pytest.raises(BadRunFile):
        keep(run, bad)
    assert count(path, "captures") == count(path, "contents") == 0


def test_what_sqlite_cannot_hold_is_kept_all_the_same(run):
    odd = replace(PAGE, url="https://a.example/\ud800", title="\udfff", text="lone \ud800")
    keep(run, odd)
    assert run.captures.best(odd.url).text == "lone \ud800"


@settings(deadline=None, max_examples=30)
@given(
    st.builds(
        Capture,
        url=st.text(st.characters(exclude_categories=["Cs"])),
        fetched=st.sampled_from(["2026-11-20T10:00:00Z", ""]),
        reader=st.just("import"),
        status=st.none() | st.integers(100, 599),
        title=st.text(st.characters(exclude_categories=["Cs"])),
        text=st.none() | st.text(),
        body=st.none() | st.binary(),
    )
)
def test_any_capture_comes_back_as_it_was(one_run, capture):
    keep(one_run, capture)
    kept = one_run.captures.get(capture.id)
    assert (kept, kept.id) == (capture, capture.id)


def test_a_changed_body_is_found_when_it_is_read(path):
    with RunFile.share(path) as run:
        keep(run, PAGE)
    db = sqlite3.connect(path)
    db.execute("UPDATE contents SET body=(SELECT max(body) FROM contents)")
    db.commit()
    db.close()
    with RunFile.read(path) as run, pytest.raises(BadRunFile, match="not what was written"):
        run.captures.best(URL)


def test_a_body_that_is_gone_is_told(path):
    with RunFile.share(path) as run:
        keep(run, PAGE)
    db = sqlite3.connect(path)
    db.execute("DELETE FROM contents")
    db.commit()
    db.close()
    with RunFile.read(path) as run, pytest.raises(BadRunFile, match="is not there"):
        run.captures.best(URL)


def test_a_verdict_stays_what_it_was_first(run):
    first = StoredVerdict("k", "A statement \ud800", "page", "judge", "supported", "quote", "a1")
    asyncio.run(run.verdicts.keep([first, replace(first, key="other")]))
    asyncio.run(run.verdicts.keep([replace(first, verdict="unknown")]))
    assert run.verdicts.find("k") == first
    assert run.verdicts.find("other").key == "other"
    assert run.verdicts.find("nobody's") is None
    asyncio.run(run.verdicts.keep([]))


@pytest.mark.parametrize(
    ("outcome", "is_open"),
    [
        ({"value": 1.0, "details": {}}, False),
        ({"value": 1.0, "details": {"open": True}}, True),
        ({"value": 1.0, "details": {"open": False}}, False),
        ({"cause": "timeout"}, True),
        ({"value": 1.0, "details": {"judges": {"a": {"value": 1.0, "details": {}}}}}, False),
        ({"value": 1.0, "details": {"judges": {"a": {"cause": "timeout"}}}}, True),
        ({"value": 1.0, "details": {"judges": {"a": {"details": {"open": True}}}}}, True),
    ],
)
def test_a_score_that_left_something_out_is_open(outcome, is_open):
    score = StoredScore("s", "fact", "heron", "t1", 1, 0, outcome, {}, {})
    assert score.end.open is is_open


def keep_reference(run, *reports):
    run.register({"date": "2026-11-20"}, {}, {}, [], {"reference": reports}).result()


def test_references_may_be_added_but_not_changed(run):
    from deepassay.errors import ConfigurationChanged

    one = StoredReport("onyx", "t1", 1, "The reference.")
    keep_reference(run, one)
    keep_reference(run, one, replace(one, task="t0"))
    assert list(run.judged_by("reference")) == [
        ("t0", "onyx", "The reference."),
        ("t1", "onyx", "The reference."),
    ]
    assert list(run.judged_by("baseline")) == []
    for other in (replace(one, text="edited"), replace(one, agent="heron")):
        with pytest.raises(ConfigurationChanged, match="the reference for task t1"):
            keep_reference(run, other)


SHARER = """
import asyncio, sys
from pathlib import Path
from deepassay.runfile import Capture, RunFile

async def main(path, hand):
    with RunFile.share(Path(path)) as run:
        for number in range(150):
            page = Capture(f"https://{hand}.example/{number}", "2026", "direct", text="same")
            await run.captures.keep(page)
            assert run.captures.best(page.url).text == "same"

asyncio.run(main(*sys.argv[1:]))
"""


def test_several_processes_may_share_a_file_and_make_it_together(path):
    hands = [subprocess.Popen(python(SHARER, str(path), hand)) for hand in "abc"]
    assert [hand.wait(60) for hand in hands] == [0, 0, 0]
    assert count(path, "captures") == 450
    assert count(path, "contents") == 1
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_run_in_progress_does_not_keep_pages_out(path):
    with RunFile.create(path), RunFile.share(path) as shared:
        keep(shared, PAGE)
    with RunFile.read(path) as run:
        assert run.captures.best(URL) == PAGE


def test_a_capture_says_by_which_rules_it_was_read(run):
    told = Capture(URL, "2026-11-22T10:00:00Z", "direct", text="Hello.", reading="text-3")
    keep(run, told)
    assert run.captures.best(URL) == told
    assert [each.reading for each in run.captures.rows()] == ["text-3"]


def test_a_failure_of_an_earlier_version_is_read_under_its_present_name(run):
    older = Capture(URL, "2026-11-22T10:00:00Z", "direct", status=404, failure="dead")
    keep(run, older)
    found = run.captures.best(URL)
    assert (found.failure, found.reading, found.id) == ("gone", "", older.id)
