from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.client import AdaptivePace


@pytest_asyncio.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the loop takes for the time, in seconds; it stands still unless a test moves it."""
    now = [100.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
    return now


async def hold(
    pace: AdaptivePace, log: list[str], name: str, until: asyncio.Event, retry: bool = False
) -> None:
    async with pace.slot(retry):
        log.append(name)
        await until.wait()


@pytest.mark.asyncio
async def test_a_rate_limit_shrinks_by_a_fifth_once_an_episode(clock: list[float]) -> None:
    pace = AdaptivePace(50, cooldown=5.0)
    for _ in range(10):
        pace.slow_down()
    assert pace.limit == 40
    clock[0] += 4.9
    pace.slow_down()
    assert pace.limit == 40
    clock[0] += 0.2
    pace.slow_down()
    assert pace.limit == 32


@pytest.mark.asyncio
async def test_it_recovers_by_one_a_round_after_the_episode_and_never_beyond_most(
    clock: list[float],
) -> None:
    pace = AdaptivePace(50, cooldown=5.0)
    pace.slow_down()
    pace.went_well()
    assert pace.limit == 40
    clock[0] += 5.1
    for _ in range(41):
        pace.went_well()
    assert 40.9 < pace.limit < 41.1
    for _ in range(2000):
        pace.went_well()
    assert pace.limit == 50


@pytest.mark.asyncio
async def test_it_never_falls_below_one() -> None:
    pace = AdaptivePace(3, cooldown=0.0)
    for _ in range(100):
        pace.slow_down()
    assert pace.limit == 1
    async with pace.slot():
        assert pace.busy == 1


@pytest.mark.asyncio
async def test_what_was_begun_goes_on_before_what_waits() -> None:
    pace = AdaptivePace(1)
    log: list[str] = []
    until = asyncio.Event()
    tasks = [asyncio.create_task(hold(pace, log, name, until)) for name in ("a", "b", "c")]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(hold(pace, log, "retry", until, retry=True)))
    await asyncio.sleep(0)
    until.set()
    await asyncio.gather(*tasks)
    assert log == ["a", "retry", "b", "c"]


@settings(deadline=None, max_examples=30)
@given(
    st.integers(1, 6),
    st.lists(st.sampled_from(["call", "cancel", "limited", "fail"]), min_size=1, max_size=40),
)
def test_slots_are_never_lost_and_never_too_many(most: int, events: list[str]) -> None:
    async def play() -> None:
        pace = AdaptivePace(most, cooldown=0.0)
        busy = peak = 0

        async def call(kind: str) -> None:
            nonlocal busy, peak
            async with pace.slot():
                busy += 1
                peak = max(peak, busy)
                try:
                    await asyncio.sleep(0)
                    if kind == "limited":
                        pace.slow_down()
                    if kind == "fail":
                        raise ValueError
                    pace.went_well()
                finally:
                    busy -= 1

        tasks = [asyncio.create_task(call(kind)) for kind in events]
        for kind, task in zip(events, tasks, strict=True):
            await asyncio.sleep(0)
            if kind == "cancel":
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert peak <= most
        assert pace.busy == 0
        await asyncio.wait_for(call("call"), 60.0)

    asyncio.run(play())
