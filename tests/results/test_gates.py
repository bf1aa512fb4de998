"""Floors, worse agents and JUnit: what passes a gate, and what does not."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.results.aggregate import means_of_tasks
from deepassay.results.comparing import compare
from deepassay.results.differences import ComparisonTerms
from deepassay.results.gates import Floor, PairAtGate, as_junit, too_low, worse
from deepassay.results.records import by_agent
from deepassay.score import Cause, Metric

from .judgements import make

BLIND = Metric("coverage", "", "", (0.0, 100.0), offline_reads=False)


def sentences(result):
    """What failed, without the tasks that are listed below."""
    return [line for line in result.failed if not line.startswith("  ")]


def pairs(records, one, other, **terms):
    means = {agent: means_of_tasks(own) for agent, own in by_agent(records).items()}
    scores = {
        task: (means[one][task], means[other][task]) for task in means[one] if task in means[other]
    }
    contests = compare(records, (one, other), ComparisonTerms(**terms))
    return [PairAtGate(contest, one, other, scores) for contest in contests]


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
    found = too_low(records, [Floor("coverage", 70.0)])
    assert sentences(found) == told
    assert found.passed.startswith("Passed: " if not told else "") and bool(found.passed) != bool(
        told
    )


def test_below_an_agent_that_failed_its_tasks_are_listed_worst_first():
    records = scored("heron", 90, 20, 65, Cause.TIMEOUT, 60, 80) + scored("owl", 90)
    found = too_low(records, [Floor("coverage", 70.0)])
    assert found.failed == (
        "heron has 63 under coverage; 70 is asked for.",
        "  heron by coverage: unscored (timeout) on t03",
        "  heron by coverage: 20.0 on t01, below 70",
        "  heron by coverage: 60.0 on t04, below 70",
        "  heron by coverage: 65.0 on t02, below 70",
    )
    many = too_low(scored("heron", *range(30)), [Floor("coverage", 70.0)]).failed
    assert len(many) == 12 and many[-1] == "  and 20 more tasks"


def test_who_passed_a_floor_is_said_with_the_lowest():
    found = too_low(scored("heron", 90) + scored("owl", 75), [Floor("coverage", 70.0)])
    assert found.passed == "Passed: 2 agents reach 70 under coverage, the lowest owl with 75."


def test_a_protocol_that_nobody_was_judged_by_is_refused():
    with pytest.raises(BadSetting, match="Nobody was judged by 'race'"):
        too_low(scored("heron", 1), [Floor("race", 0.5)])
    with pytest.raises(BadSetting, match="Nobody was judged yet"):
        too_low([], [Floor("race", 0.5)])


def told(new, old, **terms):
    records = scored("new", *new) + scored("old", *old)
    return sentences(worse(pairs(records, "new", "old", **terms)))


EIGHT = (60, 61, 62, 63, 64, 65, 66, 67)
FEW = "can show nothing at .05; --difference D looks at the mean"
COULD = "without a score of both could make it so"
OPEN = "Whether new is worse than old under coverage cannot be told: "


def test_an_agent_that_is_surely_worse_is_said_to_be():
    assert told([50] * 8, EIGHT) == [
        "new is worse than old under coverage: by 13.5 over 8 tasks, p = 0.008."
    ]
    assert told(EIGHT, [50] * 8) == []
    assert told(EIGHT, EIGHT) == []


def test_the_tasks_that_lost_are_listed_and_what_passed_is_said():
    records = scored("new", *[50] * 8) + scored("old", *EIGHT)
    found = worse(pairs(records, "new", "old"))
    assert len(found.failed) == 9 and not found.passed
    assert found.failed[1] == "  new by coverage: 50.0 on t07, old has 67.0"
    passed = worse(pairs(records, "old", "new"))
    assert (passed.failed, passed.passed) == (
        (),
        "Passed: not shown to be worse: old than new (by coverage).",
    )
    assert worse(pairs(records, "old", "new"), ["owl is gone."]).failed == ("owl is gone.",)


@pytest.mark.parametrize(
    ("new", "old", "why"),
    [
        ([50, None], [None, 50], "no task has a score of both"),
        ([50], [90], "1 task " + FEW),
        ([90], [50], "1 task " + FEW),
        ([51, 52, 53], [60, 61, 62], "3 tasks " + FEW),
        ((*EIGHT, *EIGHT, None), (*[20] * 16, 90), None),
        ((*EIGHT, None, None), (*EIGHT, 90, 95), None),
        ((*EIGHT, *[None] * 5), (*EIGHT, *[90] * 5), None),
        ((*EIGHT, *[None] * 6), (*EIGHT, *[90] * 6), "6 tasks " + COULD),
        ((*[50] * 8, None), (*EIGHT, 0), "1 task " + COULD),
    ],
    ids=[
        "no common task", "one", "one that is better", "three", "better whatever they scored",
        "two of ten change nothing", "five do not", "six could", "worse unless the ninth undoes it",
    ],
)  # fmt: skip
def test_one_rule_holds_for_all_that_cannot_be_told(new, old, why):
    new, old = ([Cause.TIMEOUT if each is None else each for each in own] for own in (new, old))
    assert told(new, old) == ([] if why is None else [f"{OPEN}{why}."])


def test_a_difference_that_is_named_decides_also_for_few_tasks():
    (said,) = told([50, 51, 52], [60, 62, 64], difference=5.0)
    assert said.startswith("new is worse than old under coverage: by 11 over 3 tasks")
    assert told([59, 61, 63], [60, 62, 64], difference=5.0) == []
    (said,) = told([50], [60], difference=5.0)
    assert "by 10 over 1 task," in said
    assert told([60, 60, Cause.TIMEOUT], [60, 60, 60], difference=5.0) == [
        f"{OPEN}1 task without a score of both could make it so."
    ]


def test_where_the_offline_judge_sees_nothing_nobody_can_tell():
    records = [replace(each, metric=BLIND) for each in scored("a", *EIGHT) + scored("b", *EIGHT)]
    (said,) = sentences(worse(pairs(records, "a", "b")))
    assert said.endswith("cannot be told: the offline judge cannot tell better from worse.")


def test_scores_against_a_reference_are_not_tested():
    records = scored("a", *EIGHT) + [
        replace(each, is_reference=True) for each in scored("b", *EIGHT)
    ]
    (said,) = sentences(worse(pairs(records, "a", "b")))
    assert "scores against a reference are not tested" in said


def test_a_test_of_several_protocols_is_adjusted():
    values = [50] * 6, [60, 61, 62, 63, 64, 65]
    assert "is worse" in told(*values)[0]  # p = .031

    def several(new, old):
        records = scored("new", *new) + scored("old", *old)
        both = [replace(each, protocol=name) for each in records for name in ("coverage", "depth")]
        return sentences(worse(pairs(both, "new", "old")))

    assert [each.partition(": ")[2] for each in several(*values)] == [
        "6 tasks can show nothing at .05; --difference D looks at the mean."
    ] * 2
    assert several([50] * 8, [50] * 8) == []


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


@settings(deadline=None, max_examples=40)
@given(st.text(st.characters(codec=None), max_size=30))
def test_any_name_is_xml(name):
    (suite,) = ElementTree.fromstring(as_junit([make(name, name, 1)]).encode())
    assert len(suite) == 1
