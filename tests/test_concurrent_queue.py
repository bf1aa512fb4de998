"""The engine: every item once, several at a time; stopped in good order or at once."""

import asyncio

import pytest

from deepassay.stopping import ConcurrentQueue


def test_every_item_is_done_once_and_no_more_at_a_time_than_asked():
    done, under_way, most = [], set(), 0

    async def do(item):
        nonlocal most
        under_way.add(item)
        most = max(most, len(under_way))
        await asyncio.sleep(0)
        under_way.discard(item)
        done.append(item)

    asyncio.run(ConcurrentQueue(do).finish(iter(range(50)), 4))
    assert (sorted(done), most) == ([*range(50)], 4)


def test_items_begin_in_order_also_where_some_need_no_wait():
    begun = []

    async def do(item):
        begun.append(item)
        if item % 3:
            await asyncio.sleep(0)

    asyncio.run(ConcurrentQueue(do).finish(iter(range(20)), 4))
    assert begun == [*range(20)]


@pytest.mark.parametrize("number", [0, 3])
def test_for_few_items_there_are_few_tasks_however_many_are_allowed(number):
    """With questions in batches ten thousand are, for each file of a few reports."""
    tasks = []

    async def do(item):
        tasks.append(len(asyncio.all_tasks()))

    async def look():
        before = len(asyncio.all_tasks())
        await ConcurrentQueue(do).finish(iter(range(number)), 10_000)
        return before

    before = asyncio.run(look())
    assert len(tasks) == number and all(each <= before + number + 1 for each in tasks)


def test_after_a_stop_what_was_begun_ends_and_nothing_else_begins():
    begun, ended = [], []

    async def do(item):
        begun.append(item)
        if item == 2:
            engine.stop()
        await asyncio.sleep(0.01)
        ended.append(item)

    engine = ConcurrentQueue(do)
    asyncio.run(engine.finish(range(9), 3))
    assert begun == ended == [0, 1, 2]


def test_what_is_stopped_at_once_is_broken_off():
    ended = []

    async def do(item):
        if item == 2:
            engine.stop_at_once()
        await asyncio.sleep(60)
        ended.append(item)

    engine = ConcurrentQueue(do)
    asyncio.run(asyncio.wait_for(engine.finish(range(9), 3), 50))
    assert ended == []


@pytest.mark.parametrize("number", [1, 2, 5])
def test_an_error_among_the_items_is_raised_and_nothing_is_under_way_after_it(number):
    begun, ended = [], []

    def items():
        yield from range(2)
        raise ValueError("no third")

    async def do(item):
        begun.append(item)
        await asyncio.sleep(0.01)
        ended.append(item)

    async def look():
        with pytest.raises(ValueError, match="no third"):
            await ConcurrentQueue(do).finish(items(), number)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert begun == ended

    asyncio.run(look())


def test_an_error_stops_the_others_and_is_raised_when_they_have_ended():
    ended = []

    async def do(item):
        if item == 1:
            raise ValueError("one")
        await asyncio.sleep(0.01)
        ended.append(item)

    with pytest.raises(ValueError, match="one"):
        asyncio.run(ConcurrentQueue(do).finish(range(9), 2))
    assert ended == [0]
