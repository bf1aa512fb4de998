"""A page is read once, kept where it belongs, and is the same when it is asked for again."""

import asyncio
from dataclasses import replace

import pytest

from deepassay.errors import BadRunFile
from deepassay.runfile import Capture, RunFile
from deepassay.sources.page import Failure, NoPage, Page, state_of
from deepassay.sources.snapshots import Snapshots
from deepassay.stopping import piece_of_work

URL = "https://a.example/page"
PAGE = Capture(
    URL, "2026-11-20T10:00:00Z", "direct", title="A page", text="What it says.", body=b"raw"
)


def failed(failure, url=URL, **other):
    return Capture(url, "2026-11-20T10:00:00Z", "direct", failure=failure, **other)


class FakeReader:
    """Reads a web that is a dictionary, in no time or when it is let."""

    def __init__(self, **web):
        self.web = web
        self.asked = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def read(self, url):
        self.asked.append(url)
        await self.gate.wait()
        return self.web.get(url, replace(PAGE, url=url))


@pytest.fixture
def run():
    with RunFile.in_memory() as run:
        yield run


@pytest.fixture
def shared():
    with RunFile.in_memory() as run:
        yield run


@pytest.mark.asyncio
async def test_a_page_is_read_once_and_then_kept(run):
    reader = FakeReader()
    snapshots = Snapshots(run.captures, None, reader)
    page = await snapshots.get(URL)
    assert page == Page(URL, "What it says.", "A page", "", PAGE.fetched, "direct", PAGE.id)
    assert await snapshots.get(URL) == page
    assert await Snapshots(run.captures).get(URL) == page
    assert reader.asked == [URL]
    assert run.captures.best(URL).body == b"raw"


def damage(run):
    run._store.write([("UPDATE contents SET body=x'00'", [])])


@pytest.mark.asyncio
async def test_a_damaged_text_costs_that_page_alone_also_when_it_is_replayed(run):
    await run.captures.keep(PAGE)
    damage(run)
    await run.captures.keep(replace(PAGE, url="https://b.example/", text="Another text."))
    seen = await Snapshots(run.captures).get(URL)
    assert isinstance(seen, NoPage)
    assert (seen.failure, seen.detail) == (Failure.NOT_ARCHIVED, "Its snapshot is damaged.")
    assert seen.capture == PAGE.id
    assert await Snapshots(run.captures, pinned={URL: seen.capture}).get(URL) == seen
    assert (await Snapshots(run.captures).get("https://b.example/")).text == "Another text."


@pytest.mark.asyncio
async def test_a_damaged_text_is_read_anew_and_whole_again(run, shared):
    await run.captures.keep(PAGE, body=False)
    await shared.captures.keep(PAGE)
    damage(run)
    assert (await Snapshots(run.captures, shared.captures).get(URL)).text == PAGE.text
    assert (await Snapshots(run.captures).get(URL)).text == PAGE.text
    damage(run)
    damage(shared)
    assert (await Snapshots(run.captures, shared.captures, FakeReader()).get(URL)).text == PAGE.text
    for each in (run, shared):
        assert each.captures.best(URL).text == PAGE.text


@pytest.mark.asyncio
async def test_spellings_of_one_address_are_one_page(run):
    reader = FakeReader()
    snapshots = Snapshots(run.captures, None, reader)
    for spelling in (URL, "HTTPS://A.example:443/page#:~:text=says", f"{URL}?utm_source=x"):
        assert (await snapshots.get(spelling)).url == URL
    assert reader.asked == [URL]


@pytest.mark.asyncio
async def test_without_a_reader_nothing_is_fetched(run):
    page = await Snapshots(run.captures).get(URL)
    assert isinstance(page, NoPage)
    assert (page.failure, page.capture) == (Failure.NOT_ARCHIVED, "")


@pytest.mark.asyncio
async def test_those_who_ask_at_the_same_time_share_one_reading(run):
    reader = FakeReader()
    snapshots = Snapshots(run.captures, None, reader)
    pages = await asyncio.gather(*(snapshots.get(URL) for _ in range(20)))
    assert len(set(pages)) == 1
    assert reader.asked == [URL]


@pytest.mark.asyncio
@pytest.mark.parametrize("stopped", [0, 1, 4])
async def test_an_asker_that_is_cancelled_takes_no_other_with_it(run, stopped):
    reader = FakeReader()
    reader.gate.clear()
    snapshots = Snapshots(run.captures, None, reader)
    asking = [asyncio.create_task(snapshots.get(URL)) for _ in range(5)]
    await asyncio.sleep(0)
    asking.pop(stopped).cancel()
    await asyncio.sleep(0)
    reader.gate.set()
    assert {page.text for page in await asyncio.gather(*asking)} == {"What it says."}


@pytest.mark.asyncio
async def test_an_error_of_the_reader_is_raised_to_everyone_who_asks(run):
    class Broken:
        async def read(self, url):
            await asyncio.sleep(0)
            raise RuntimeError(url)

    snapshots = Snapshots(run.captures, None, Broken())
    ends = await asyncio.gather(*(snapshots.get(URL) for _ in range(3)), return_exceptions=True)
    assert [type(end) for end in ends] == [RuntimeError] * 3


@pytest.mark.asyncio
async def test_nobody_gets_a_page_that_could_not_be_kept(run, monkeypatch):
    async def full(capture, *, body=True):
        await asyncio.sleep(0)
        raise BadRunFile("The disk is full.")

    monkeypatch.setattr(run.captures, "keep", full)
    snapshots = Snapshots(run.captures, None, FakeReader())
    ends = await asyncio.gather(*(snapshots.get(URL) for _ in range(3)), return_exceptions=True)
    assert [type(end) for end in ends] == [BadRunFile] * 3


@pytest.mark.asyncio
async def test_a_shared_file_serves_many_runs_and_each_can_do_without_it(run, shared):
    reader = FakeReader()
    page = await Snapshots(run.captures, shared.captures, reader).get(URL)
    assert shared.captures.best(URL).body == b"raw"
    assert run.captures.best(URL).body is None
    with RunFile.in_memory() as another:
        assert await Snapshots(another.captures, shared.captures, reader).get(URL) == page
        assert await Snapshots(another.captures).get(URL) == page
    assert reader.asked == [URL]


@pytest.mark.asyncio
@pytest.mark.parametrize("failure", list(Failure))
async def test_a_failure_is_final_unless_it_is_to_be_tried_again(run, failure):
    await run.captures.keep(failed(failure, detail="why", status=403))
    reader = FakeReader()
    page = await Snapshots(run.captures, None, reader).get(URL)
    assert (page.failure, page.detail, page.status) == (failure, "why", 403)
    assert reader.asked == []
    again = await Snapshots(run.captures, None, reader, retry=True).get(URL)
    may_change = failure not in {"not_text", "too_large"}
    assert isinstance(again, Page) == may_change
    assert reader.asked == [URL] * may_change


@pytest.mark.asyncio
async def test_what_fails_is_tried_once_by_one_process(run):
    await run.captures.keep(failed("timeout"))
    newer = replace(failed("gone"), fetched="2026-11-21T10:00:00Z")
    reader = FakeReader(**{URL: newer, "https://b.example/": replace(newer, url="b")})
    snapshots = Snapshots(run.captures, None, reader, retry=True)
    for _ in range(3):
        pages = await asyncio.gather(snapshots.get(URL), snapshots.get(URL))
        assert {page.failure for page in pages} == {Failure.GONE}
    assert reader.asked == [URL]


@pytest.mark.asyncio
async def test_a_repaired_page_beats_the_failure_of_the_run_itself(run, shared):
    await run.captures.keep(failed("blocked"))
    repaired = replace(PAGE, fetched="2020-01-01T00:00:00Z", reader="import")
    await shared.captures.keep(repaired)
    page = await Snapshots(run.captures, shared.captures).get(URL)
    assert page.reader == "import"
    assert (await Snapshots(run.captures).get(URL)).capture == repaired.id


@pytest.mark.asyncio
async def test_what_was_seen_then_is_seen_again(run):
    dead = failed("gone")
    await run.captures.keep(dead)
    await run.captures.keep(PAGE)
    then = Snapshots(run.captures, pinned={URL: dead.id, "https://b.example/": ""})
    assert (await then.get(URL)).failure is Failure.GONE
    await run.captures.keep(replace(PAGE, url="https://b.example/"))
    assert (await then.get("https://b.example/")).failure is Failure.NOT_ARCHIVED
    assert (await Snapshots(run.captures, pinned={URL: PAGE.id}).get(URL)).text == PAGE.text


@pytest.mark.asyncio
async def test_after_a_stop_pages_are_read_only_for_what_has_begun(run):
    stopped = asyncio.Event()
    reader = FakeReader()
    snapshots = Snapshots(run.captures, None, reader)

    async def case(*urls):
        with piece_of_work(lambda: not stopped.is_set()):
            for url in urls:
                await snapshots.get(url)

    reader.gate.clear()
    begun = asyncio.create_task(case(URL, f"{URL}/2"))
    alike = asyncio.create_task(case(URL))  # waits for what the other reads
    await asyncio.sleep(0.01)
    stopped.set()
    late = asyncio.create_task(case(f"{URL}/3"))
    reader.gate.set()
    ends = await asyncio.gather(begun, alike, late, return_exceptions=True)
    assert ends[:2] == [None, None]
    assert isinstance(ends[2], asyncio.CancelledError)
    assert reader.asked == [URL, f"{URL}/2"]


DOUBTFUL = replace(PAGE, text="Hold tight.", detail="It says little: 9 letters and digits.")


@pytest.mark.asyncio
async def test_a_text_in_doubt_is_a_page_that_says_so_also_when_it_is_replayed(run):
    found = await Snapshots(run.captures, reader=FakeReader(**{URL: DOUBTFUL})).get(URL)
    assert isinstance(found, Page) and (found.text, found.doubt) == (
        "Hold tight.",
        DOUBTFUL.detail,
    )
    assert state_of(found) == "doubtful"
    assert await Snapshots(run.captures).get(URL) == found
    assert await Snapshots(run.captures, pinned={URL: found.capture}).get(URL) == found


@pytest.mark.asyncio
@pytest.mark.parametrize("later", [True, False])
async def test_a_page_counts_more_than_a_doubt_and_a_doubt_more_than_a_failure(run, shared, later):
    sure = replace(PAGE, fetched="2026-01-01T10:00:00Z")
    doubtful = replace(DOUBTFUL, fetched="2026-02-01T10:00:00Z")
    blocked = failed("blocked")
    order = [sure, doubtful, blocked] if later else [blocked, doubtful, sure]
    await run.captures.keep(order[0])
    await run.captures.keep(order[1])
    await shared.captures.keep(order[2])
    assert await Snapshots(run.captures, shared.captures).get(URL) == await Snapshots(
        run.captures
    ).get(URL)
    assert state_of(await Snapshots(run.captures).get(URL)) == "ok"
    with RunFile.in_memory() as bare:
        await bare.captures.keep(doubtful)
        await bare.captures.keep(blocked)
        assert state_of(await Snapshots(bare.captures).get(URL)) == "doubtful"


@pytest.mark.asyncio
@pytest.mark.parametrize("own", [DOUBTFUL, failed("blocked")])
async def test_what_is_no_sure_page_here_is_taken_from_the_shared_file(run, shared, own):
    await run.captures.keep(own)
    await shared.captures.keep(replace(PAGE, fetched="2025-01-01T10:00:00Z"))
    assert state_of(await Snapshots(run.captures, shared.captures).get(URL)) == "ok"
    assert state_of(await Snapshots(run.captures).get(URL)) == "ok"


@pytest.mark.asyncio
async def test_a_doubt_is_tried_again_where_failures_are(run):
    await run.captures.keep(DOUBTFUL)
    reader = FakeReader(**{URL: replace(PAGE, fetched="2026-12-01T10:00:00Z")})
    assert state_of(await Snapshots(run.captures, reader=reader).get(URL)) == "doubtful"
    assert state_of(await Snapshots(run.captures, reader=reader, retry=True).get(URL)) == "ok"
    assert reader.asked == [URL]


@pytest.mark.asyncio
@pytest.mark.parametrize("failure", [None, *Failure])
async def test_what_earlier_versions_told_stays_as_it_was(run, failure):
    """Their texts had no detail, and a short one was a page."""
    old = replace(PAGE, reading="text-4") if failure is None else failed(failure, reading="text-4")
    await run.captures.keep(old)
    assert state_of(await Snapshots(run.captures).get(URL)) == (failure or "ok")
