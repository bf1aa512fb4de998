"""Work that is prepared ahead is left alone after a stop, and work that has begun goes on."""

import asyncio
import signal

import pytest

from deepassay.stopping import begin, piece_of_work, signals


async def asking(times, answered):
    for _ in range(times):
        await asyncio.sleep(0)
        begin()
        answered.append(1)


def test_after_work_that_ends_in_good_order_signals_are_answered_as_before():
    numbers = (signal.SIGINT, signal.SIGTERM)

    def own(number, frame):
        raise AssertionError

    before = [signal.signal(number, own) for number in numbers]

    async def work():
        with signals(lambda: None, lambda: None):
            assert signal.getsignal(signal.SIGTERM) is not own

    try:
        asyncio.run(work())
        assert [signal.getsignal(number) for number in numbers] == [own, own]
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def test_outside_of_a_piece_of_work_everything_is_sent():
    answered = []
    asyncio.run(asking(2, answered))
    assert len(answered) == 2


@pytest.mark.parametrize(("may_begin", "asked"), [(True, 2), (False, 0)])
def test_a_piece_of_work_begins_only_while_it_may(may_begin, asked):
    answered = []

    async def piece():
        with piece_of_work(lambda: may_begin):
            await asyncio.gather(*(asking(1, answered) for _ in range(2)))

    ends = asyncio.run(_ends(piece()))
    assert len(answered) == asked
    assert isinstance(ends[0], asyncio.CancelledError) is not may_begin


def test_a_piece_that_has_begun_goes_on_to_its_end_in_all_of_its_tasks():
    answered, stopped = [], []

    async def piece():
        with piece_of_work(lambda: not stopped):
            await asking(1, answered)
            stopped.append(1)
            await asyncio.gather(asking(2, answered), asking(2, answered))

    assert asyncio.run(_ends(piece())) == [None]
    assert len(answered) == 5


def test_pieces_of_work_are_apart():
    answered = []

    async def piece(*, may_begin):
        with piece_of_work(lambda: may_begin):
            await asking(2, answered)
        begin()  # nothing holds it back outside

    ends = asyncio.run(_ends(piece(may_begin=True), piece(may_begin=False)))
    assert len(answered) == 2
    assert ends[0] is None and isinstance(ends[1], asyncio.CancelledError)


async def _ends(*pieces):
    return await asyncio.gather(*pieces, return_exceptions=True)
