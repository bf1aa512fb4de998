"""Making something for all items of a set: written in their order, and not once for each."""

import asyncio
from dataclasses import dataclass

from deepassay.run.asking.making import Listener, Made, MakingJob, make_all
from deepassay.run.settings import Settings
from deepassay.score import Cause, Unscored


@dataclass(frozen=True)
class Item:
    id: str


def test_the_larger_a_file_is_the_more_is_written_at_a_time(tmp_path):
    items = [Item(str(number)) for number in range(400)]
    written, told = [], []

    async def make(item, maker):
        await asyncio.sleep(0)
        if item.id == "7":
            return Unscored(Cause.TIMEOUT, "too late")
        return item.id

    def write(found):
        if found:  # the first call has nothing to write, and is to refuse
            written.append([made for _, made in found])

    def tell(item, outcome):
        told.append(item.id)
        assert item.id == "7" or any(outcome in batch for batch in written)

    made = Made(len(items))
    settings = Settings(run=tmp_path / "r")
    make_all(MakingJob(make, write, calls=1), items, settings, made, Listener(tell))
    every = [item.id for item in items]
    assert told == every
    assert [each for batch in written for each in batch] == [name for name in every if name != "7"]
    assert made.made == [name for name in every if name != "7"] and {*made.failures} == {"7"}
    assert len(written) < 100


def test_what_is_made_does_not_wait_for_a_slow_neighbour(tmp_path):
    first, second, third = items = [Item("1"), Item("2"), Item("3")]
    in_the_file = []

    async def make(item, maker):
        while item is third and second not in in_the_file:
            await asyncio.sleep(0.001)
        return item.id

    def write(found):
        in_the_file.extend(item for item, _ in found)

    made = Made(3)
    make_all(MakingJob(make, write, calls=1), items, Settings(run=tmp_path / "r"), made)
    assert in_the_file == [first, second, third]
