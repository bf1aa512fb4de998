"""Floors, worse agents and JUnit: what passes a gate, and what does not."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.results.comparing import ComparisonTerms, compare
from deepassay.results.gates import Floor, as_junit, too_low, worse
from deepassay.score import Cause, Metric

from .judgements import make

BLIND = Metric("coverage", "", "", (0.0, 100.0), offline_reads=False)


def scored(agent, *values):
    return [make(agent, f"t{number:02}", value) for number, value in enumerate(values)]


@pytest.mark.parametrize(
    ("text", "floor"),
    [
        ("presentation=70", Floor("presentation", 70.0)),
        ("race(reference=False)=0.5", Floor("race(reference=False)", 0.5)),
        ("kae = .5", Floor("kae", 0.5)),
    ],
)
def test_a_floor_is_a_protocol_and_a_number(text, floor):
    assert Floor.read(text) == floor


@pytest.mark.parametrize(
    "text", ["presentation", "=70", "presentation=", "presentation=high", "race=nan", "race=-inf"]
)
def test_what_is_no_floor_is_refused(text):
    with pytest.raises(BadSetting, match="does not say what to reach"):
        Floor.read(text)


@pytest.mark.parametrize(
    ("records", "told"),
    [
        (scored("heron", 80, 90), []),
        (scored("heron", 70), []),
        (scored("heron", 69.9), ["heron has 69.9 under coverage; 70 is asked for."]),
        (
            scored("heron", Cause.TIMEOUT, Cause.TIMEOUT),
            ["heron has no score (timeout) under coverage; 70 is asked for."],
        ),
        (
            scored("heron", 100, Cause.TIMEOUT),
            ["heron is scored on 1 of 2 tasks only under coverage; 70 is asked for."],
        ),
        (scored("heron", 80, 90, 95, 99, Cause.TIMEOUT), []),
        (
            scored("magpie", 10) + scored("cuckoo", 20),
            [
                "cuckoo has 20 under coverage; 70 is asked for.",
                "magpie has 10 under coverage; 70 is asked for.",
            ],
        ),
        ([replace(each, is_reference=True) for each in scored("ours", 50)] + scored("a", 80), []),
        (
            [replace(each, metric=BLIND) for each in scored("heron", 80)],
            [
                "heron has only a score of the offline judge, which cannot tell good from bad, "
                "under coverage; 70 is asked for."
            ],
        ),
    ],
    ids=[
        "reached", "just", "below", "no score", "too few scores", "four of five", "two agents",
        "the reference", "no reading",
    ],
)  # fmt: skip
def test_every_agent_is_held_to_the_floor(records, told):
    assert list(too_low(records, [Floor("coverage", 70.0)])) == told


def test_a_protocol_that_nobody_was_judged_by_is_refused():
    with pytest.raises(BadSetting, match="Nobody was judged by 'race'"):
        list(too_low(scored("heron", 1), [Floor("race", 0.5)]))


def verdict(new, old, **terms):
    records = scored("new", *new) + scored("old", *old)
    return worse(compare(records, ("new", "old"), ComparisonTerms(**terms)), "new", "old")


def test_an_agent_that_is_surely_worse_is_said_to_be():
    found = verdict([50] * 8, [60, 61, 62, 63, 64, 65, 66, 67])
    assert found.worse == (
        "new is worse than old under coverage: by 13.5 over 8 tasks, p = 0.008.",
    )
    assert verdict([60, 61, 62, 63, 64, 65, 66, 67], [50] * 8).worse == ()


def test_few_tasks_show_nothing_unless_a_difference_is_named():
    found = verdict([50, 51, 52], [60, 62, 64])
    assert found.worse == ()
    assert found.open == ("coverage: 3 tasks are too few to show that new is worse.",)
    (told,) = verdict([50, 51, 52], [60, 62, 64], difference=5.0).worse
    assert told.startswith("new is worse than old under coverage: by 11 over 3 tasks")
    assert verdict([59, 61, 63], [60, 62, 64], difference=5.0).worse == ()


def test_agents_without_a_common_task_do_not_pass():
    found = verdict([50, Cause.TIMEOUT], [Cause.TIMEOUT, 50])
    assert found.worse == ("new and old have no task with a score of both under coverage.",)


def test_a_test_of_several_protocols_is_adjusted():
    values = [50] * 6, [60, 61, 62, 63, 64, 65]
    assert verdict(*values).worse  # p = .031
    several = [
        replace(each, protocol=protocol)
        for each in scored("new", *values[0]) + scored("old", *values[1])
        for protocol in ("coverage", "depth")
    ]
    contests = compare(several, ("new", "old"), ComparisonTerms())
    assert worse(contests, "new", "old").worse == ()


def test_junit_has_a_case_for_every_judgement():
    records = [
        *scored("heron", 80, 20, Cause.TIMEOUT),
        make("heron", "t00", 90, sample=2),
        make("heron", "t00", 90, repeat=1),
    ]
    (suite,) = ElementTree.fromstring(as_junit(records, [Floor("coverage", 70)]))
    assert suite.attrib == {"name": "coverage", "tests": "5", "failures": "1", "errors": "1"}
    assert [case.get("name") for case in suite] == [
        "t00", "t01", "t02", "t00, answer 2", "t00, repeat 2",
    ]  # fmt: skip
    (failure,) = suite.iter("failure")
    assert failure.get("message") == "20 is less than 70"
    (error,) = suite.iter("error")
    assert (error.get("type"), error.get("message")) == ("timeout", "why")


def test_junit_takes_no_floor_under_a_protocol_that_is_not_there():
    with pytest.raises(BadSetting, match="Nobody was judged by 'depth'"):
        as_junit(scored("heron", 80), [Floor("depth", 70)])


@settings(deadline=None, max_examples=100)
@given(st.text(st.characters(codec=None), max_size=30))
def test_any_name_is_xml(name):
    (suite,) = ElementTree.fromstring(as_junit([make(name, name, 1)]).encode())
    assert len(suite) == 1
