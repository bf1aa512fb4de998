"""What is read a protocol at a time is let go of before the next is read."""

import weakref
from dataclasses import replace

import pytest

from deepassay.results.comparing import compare
from deepassay.results.differences import ComparisonTerms
from deepassay.results.first_screen import first_screen
from deepassay.results.ranking import rank
from deepassay.results.reading import InMemoryRecords

from .judgements import make


class Some(list):
    """A list that can be watched."""


class Watched(InMemoryRecords):
    """Judgements that refuse to be read while those of another protocol are still in memory."""

    def __init__(self, records):
        super().__init__(records)
        self.given = []

    def for_ranks(self, protocol, agents=()):
        assert [each() for each in self.given] == [None] * len(self.given)
        found = Some(super().for_ranks(protocol, agents))
        self.given.append(weakref.ref(found))
        return found


RECORDS = [
    replace(make(agent, task, 50.0 + 3 * len(agent) * int(task)), protocol=protocol)
    for protocol in ("coverage", "presentation", "rubrics")
    for agent in ("heron", "onyx", "magpie")
    for task in "123"
]


@pytest.mark.parametrize(
    "use",
    [
        lambda read: first_screen(rank(read)),
        lambda read: compare(read, None, ComparisonTerms()),
        lambda read: compare(read, ("heron", "onyx"), ComparisonTerms()),
    ],
    ids=["leaderboard", "compare", "compare two"],
)
def test_only_the_judgements_of_one_protocol_are_in_memory(use):
    read = Watched(RECORDS)
    assert use(read)
    assert len(read.given) >= 3
    assert {each() for each in read.given} == {None}
