"""The first sentences of the page."""

from deepassay.results.page.content import leads
from deepassay.results.ranking import rank
from tests.results.judgements import make


def test_all_who_share_the_first_place_are_named():
    records = [make(agent, "t1", 100) for agent in ("heron", "magpie", "cuckoo")]
    records.append(make("ostrich", "t1", 10))
    ((_, _, sentence),) = leads(rank(records), records)
    assert sentence.startswith("3 agents share the first place: cuckoo has 100.0")
    assert sentence.endswith("heron, magpie likewise.")
