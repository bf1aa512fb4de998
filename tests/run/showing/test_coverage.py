"""The lowest coverage of a run, as its records have it, found without reading them."""

import asyncio
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadInput
from deepassay.models.panel import combine
from deepassay.results.aggregate import verdicts_of
from deepassay.results.records import grouped
from deepassay.run.showing.contents import Covered, coverage_of
from deepassay.run.showing.records import judged
from deepassay.runfile import RunFile, StoredReport, StoredScore
from deepassay.score import Cause, Score, Unscored, to_json

JUDGES = {"coverage": ["x"], "presentation": ["x", "y"], "depth(baseline='heron')": ["x", "y"]}
PROTOCOLS = {
    name: {
        "protocol": name,
        "edition": "paper",
        "judges": [{"model": judge} for judge in judges],
        "repeats": 2,
    }
    for name, judges in JUDGES.items()
}
TASKS = ("a", "b")
REPORTS = (("heron", "a"), ("heron", "b"), ("cuckoo", "a"), ("wren", "b"))
PLACES = [
    (protocol, *place, 1, repeat)
    for protocol, place, repeat in product(PROTOCOLS, REPORTS, range(2))
    if (place[0], protocol) != ("heron", "depth(baseline='heron')")
]

scored, failed, empty = Score(1.0), Unscored(Cause.TIMEOUT), Unscored(Cause.MISSING_INPUT)
OUTCOMES = {
    1: st.sampled_from([None, scored, failed, empty]),
    2: st.one_of(
        st.sampled_from([None, empty]),
        st.tuples(*[st.sampled_from([scored, failed])] * 2).map(
            lambda both: combine(dict(zip("xy", both, strict=True)))
        ),
    ),
}
RUNS = st.fixed_dictionaries({place: OUTCOMES[len(JUDGES[place[0]])] for place in PLACES})


def keep(run, outcomes):
    async def all_of_them():
        for place, outcome in outcomes.items():
            if outcome is not None:
                identity = PROTOCOLS[place[0]]
                row = (str(place), *place, to_json(outcome), identity, {})
                await run.keep_score(StoredScore(*row))

    tasks = {task: {"id": task, "prompt": "Why?"} for task in TASKS}
    reports = [StoredReport(agent, task, 1, "# R") for agent, task in REPORTS]
    run.register({}, PROTOCOLS, tasks, reports).result()
    asyncio.run(all_of_them())


@settings(deadline=None, max_examples=40)
@given(RUNS)
def test_it_is_that_of_the_records(outcomes):
    with RunFile.in_memory() as run:
        keep(run, outcomes)
        found = coverage_of(run)
        groups = grouped(judged(run), lambda each: (each.protocol, each.agent))
    said = {
        whose: [verdict for each in records for verdict in verdicts_of(each)]
        for whose, records in groups.items()
    }
    assert found == sorted(
        Covered(sum(not isinstance(each, Cause) for each in verdicts) / len(verdicts), *whose)
        for whose, verdicts in said.items()
    )


def test_the_lowest_coverage_names_protocol_and_agent():
    with RunFile.in_memory() as run:
        keep(run, {place: scored for place in PLACES if place[0] == "coverage"})
        assert coverage_of(run)[0] == Covered(0.0, "depth(baseline='heron')", "cuckoo")


def test_of_a_run_that_expects_nothing_there_is_none():
    with RunFile.in_memory() as run, pytest.raises(BadInput, match="Nothing was judged"):
        coverage_of(run)
