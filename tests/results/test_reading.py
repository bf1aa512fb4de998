"""What is read a protocol at a time is let go of before the next is read."""

import weakref
from dataclasses import replace

import pytest

from deepassay.errors import BadSetting
from deepassay.results.comparing import compare
from deepassay.results.differences import ComparisonTerms
from deepassay.results.first_screen import first_screen
from deepassay.results.ranking import rank
from deepassay.results.reading import InMemoryRecords, chosen

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


@pytest.mark.parametrize("asked", [["coverage"], ["coverage", "race"]])
def test_where_nobody_was_judged_no_empty_list_of_protocols_is_shown(asked):
    with pytest.raises(BadSetting, match="Nobody was judged yet") as error:
        chosen([], asked)
    assert error.value.remedy == "Run `deepassay evaluate`."
    with pytest.raises(BadSetting, match="Nobody was judged by 'coverage'") as error:
        chosen(["race", "fact"], ["coverage"])
    assert error.value.remedy == "Protocols: fact, race."
