"""Rankings by the parts of scores: which parts, whose tasks, and what is missing."""

import pytest

from deepassay.errors import BadSetting
from deepassay.models.panel import combine
from deepassay.results.ranking import of_part, rank, shared_parts
from deepassay.score import Cause, Score, Unscored

from .judgements import make


def board(records, name, **options):
    (found,) = [
        each for each in rank(records, by="axis", **options) if each.label == ("axis", name)
    ]
    return found


def test_each_part_is_ranked_by_itself():
    records = [
        make("heron", "a", 50, parts={"depth": 0.2, "breadth": 0.9}),
        make("heron", "b", 50, parts={"depth": 0.4, "breadth": 0.7}),
        make("cuckoo", "a", 60, parts={"depth": 0.8, "breadth": 0.1}),
        make("cuckoo", "b", 60, parts={"depth": 0.6, "breadth": 0.3}),
    ]
    boards = rank(records, by="axis")
    assert [each.label for each in boards] == [None, ("axis", "depth"), ("axis", "breadth")]
    depth, breadth = boards[1].standings, boards[2].standings
    assert [(each.agent, each.rank) for each in depth] == [("cuckoo", 1), ("heron", 2)]
    assert [each.summary.mean for each in breadth] == pytest.approx([0.8, 0.2])
    assert boards[1].limits == boards[0].limits


def test_parts_of_one_task_alone_are_not_shared():
    records = [
        make("x", "a", 50, parts={"a:Q1": 100.0, "both": 1.0}),
        make("x", "b", 50, parts={"b:Q1": 0.0, "both": 1.0}),
    ]
    assert shared_parts(records) == ["both"]
    assert shared_parts(records[:1]) == ["a:Q1", "both"]


def test_checks_stand_in_the_order_of_their_numbers():
    parts = {f"P{number}": 100.0 for number in range(1, 11)}
    assert shared_parts([make("x", "a", 100, parts=parts)])[-1] == "P10"


def test_a_task_without_the_part_is_not_expected_of_anybody():
    records = [
        make("x", "a", 1, parts={"axis one": 0.5}),
        make("x", "b", 1, parts={"axis one": 0.7}),
        make("x", "c", 1, parts={"other": 0.1}),
        make("y", "c", Cause.TIMEOUT),
    ]
    assert {each.task for each in of_part(records, "axis one")} == {"a", "b"}


def test_a_report_without_a_score_is_missing_in_every_part():
    records = [
        make("x", "a", 1, parts={"p": 0.5}),
        make("x", "b", 1, parts={"p": 0.7}),
        make("y", "a", Cause.TIMEOUT),
        make("y", "b", 1, parts={"p": 0.1}),
    ]
    (y,) = [each for each in board(records, "p").standings if each.agent == "y"]
    assert y.summary.tasks == (1, 2)
    assert y.summary.causes == {"timeout": 1}


def test_a_part_without_a_value_is_missing_with_the_cause_of_its_item():
    item = {"key": "c1", "item": "?", "axis": "p", "verdict": None, "cause": "judge_refused"}
    open_one = make("x", "a", 1, parts={"p": None}, details={"items": [item]})
    bare = make("x", "b", 1, parts={"p": None})
    found = [each.outcome for each in of_part([open_one, bare], "p")]
    assert [type(each) for each in found] == [Unscored, Unscored]
    assert [each.cause for each in found] == [Cause.JUDGE_REFUSED, Cause.MISSING_INPUT]


def test_only_parts_that_are_verdicts_have_the_range_of_the_score():
    records = [
        make("x", "a", 1, parts={"check": 100.0, "share": 40.0}),
        make("x", "b", 1, parts={"check": 0.0, "share": 100.0}),
    ]
    check, share = (board(records, name).standings[0].summary for name in ("check", "share"))
    assert check.bounds == (50.0, 50.0)
    assert check.interval == (0.0, 100.0)
    assert share.bounds is None
    assert share.interval.high > 100


def test_judges_of_a_panel_keep_their_own_values():
    judges = {
        "one": {"value": 1.0, "parts": {"p": 10.0}, "details": {}},
        "two": {"value": 1.0, "parts": {"p": 30.0}, "details": {}},
        "three": {"cause": "timeout", "detail": "", "details": {}},
    }
    records = [
        make("x", task, Score(1.0, parts={"p": 20.0}, details={"judges": judges}))
        for task in ("a", "b")
    ]
    summary = board(records, "p").standings[0].summary
    assert summary.judgements == (4, 6)
    assert summary.judge_spread == 20.0
    assert {name: each.mean for name, each in summary.judges.items()} == {"one": 10.0, "two": 30.0}


def test_a_label_of_that_name_comes_first():
    records = [make("x", "a", 1, parts={"p": 1.0}, labels={"axis": "north"})]
    assert [each.label for each in rank(records, by="axis")] == [None, ("axis", "north")]


def test_scores_without_parts_cannot_be_cut_by_them():
    with pytest.raises(BadSetting, match="no parts that several tasks share"):
        rank([make("x", "a", 1)], by="axis")


@pytest.mark.parametrize(
    ("by", "says"), [("agent", "rows"), ("protocol", "table of its own"), ("family", "--agents")]
)
def test_what_is_no_label_is_refused_with_the_way_to_it(by, says):
    with pytest.raises(BadSetting) as refused:
        rank([make("x", "a", 1)], by=by)
    assert says in refused.value.remedy
    assert rank([make("x", "a", 1, labels={by: "blue"})], by=by)[1].label == (by, "blue")


def test_checks_of_a_panel_have_their_range_also_where_its_judges_differ():
    def judged(agent, task, one, two):
        said = {
            name: Score(50.0, (0.0, 100.0), parts={"check": check, "share": check * 0.4})
            for name, check in {"one": one, "two": two}.items()
        }
        return make(agent, task, combine(said))

    tasks = [str(number) for number in range(10)]
    records = [judged("heron", task, 100.0, 0.0) for task in tasks]
    records += [judged("cuckoo", task, 100.0, 100.0) for task in tasks[1:]]
    records.append(make("cuckoo", tasks[0], Cause.MISSING_INPUT))
    rows = board(records, "check").standings
    # With the task that it lacks, cuckoo has 90 at least: ahead of 50 whatever comes.
    assert [(row.agent, row.rank, row.summary.mean) for row in rows] == [
        ("cuckoo", 1, 100.0),
        ("heron", 2, 50.0),
    ]
    assert [row.summary.bounds for row in rows] == [(90.0, 100.0), (50.0, 50.0)]
    # A part that is less than the score can be is a share, by whomever.
    assert [row.summary.bounds for row in board(records, "share").standings] == [None, None]
