"""What became of a report after feedback: remarks, criteria that broke, sources that were lost."""

from __future__ import annotations

import asyncio
import json

import pytest

from deepassay.errors import BadSetting, BadTasks, Notice
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.registry import parse
from deepassay.protocols.revision import FEEDBACK, FollowedFeedback, changes_wanted
from deepassay.protocols.rubrics.menus import questions_of
from deepassay.reports.report import Report
from deepassay.results.evidence import reading_of
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.feedback import FEEDBACK_FILE, remarks_joined
from deepassay.tasks.task import Task
from tests.protocols.judges import NO_SOURCES, Scripted

BEFORE = """# Tides

The tide is high [1], and low [2]. See [gauges](https://gauges.example/).

## References

[1] Tables. https://tables.example/
[2] Heron. Small harbours. doi:10.1234/abcd
"""
AFTER = """# Tides

The tide is high [1]. It is [low](https://doi.org/10.1234/abcd), see [more](https://more.example/).

## References

[1] The same tables, in print. https://tables.example/
"""
RUBRIC = [
    {"criterion": "Names the height", "weight": 3},
    {"criterion": "Invents a harbour", "weight": -2},
    {"criterion": "Says who measures", "weight": 1},
    {"criterion": "Is long", "weight": 0},
]


def task(**fields):
    given = {
        "feedback": ["Be brief.", "Add a table."],
        "drafts": [{"agent": "heron", "sample": 1, "text": BEFORE}],
        "rubric": RUBRIC,
    }
    return Task(id="t", prompt="How high?", **{**given, **fields})


class ByText:
    """Answers each question by what is asked about and which version is shown."""

    def __init__(self, **said):
        self.said = said
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append(inputs)
        version = "before" if inputs.report == BEFORE else "after"
        answers = {}
        for key, text in enumerate(inputs.criteria, start=1):
            words = self.said.get(text) or self.said[f"{version} {text}"]
            answers[f"r{key}"] = {"reason": "so", "verdict": words, "quotes": []}
        return await Scripted(json.dumps({"verdicts": answers}))(operation, inputs, repeat=repeat)


def scored(asker, of=None, **options):
    case = Case(of or task(), Report(AFTER, "heron", "t"))
    protocol = FollowedFeedback(**options)
    return asyncio.run(protocol.score(case, RoleAskers.alone(asker), NO_SOURCES))


SAID = {
    "Be brief.": "followed",
    "Add a table.": "partly",
    "before Names the height": "Satisfied",
    "after Names the height": "Partially Satisfied",
    "before Invents a harbour": "Not Satisfied",
    "after Invents a harbour": "Satisfied",
    "before Says who measures": "Not Satisfied",
    "after Says who measures": "Satisfied",
    "before Is long": "Satisfied",
    "after Is long": "Not Satisfied",
}


def test_remarks_criteria_and_sources_are_counted():
    outcome = scored(ByText(**SAID))
    assert isinstance(outcome, Score) and outcome.value == 0.75
    assert outcome.parts == {
        "followed": 0.75, "broken": 2, "criteria kept": 0.0,
        "sources lost": 1, "sources kept": pytest.approx(2 / 3), "sources new": 1,
    }  # fmt: skip
    kept = reading_of(outcome).evidence
    said = {each.key: (each.item, each.verdict) for each in kept.items}
    assert said["f2"] == ("Add a table.", "partly")
    assert said["broken c1"] == ("Names the height", "Satisfied, now Partially Satisfied")
    assert said["broken c2"] == ("Invents a harbour", "Not Satisfied, now Satisfied")
    assert said["lost 1"][0] == "gauges"
    assert "2 remarks: 1 followed, 1 partly." in kept.summary
    assert "Of 2 criteria that were met 2 are not any more." in kept.summary
    assert "Of 3 sources 1 are not cited any more." in kept.summary


def test_the_judge_of_remarks_sees_both_versions_and_that_of_criteria_one():
    judge = ByText(**SAID)
    scored(judge)
    remarks, *criteria = judge.asked
    assert remarks.report == AFTER
    assert remarks.query.startswith("How high?") and BEFORE in remarks.query
    assert {each.report for each in criteria} == {AFTER, BEFORE}
    assert {each.query for each in criteria} == {"How high?"}


def test_without_a_rubric_nothing_is_said_to_have_broken():
    outcome = scored(ByText(**SAID), task(rubric=[]))
    assert outcome.parts["broken"] is outcome.parts["criteria kept"] is None
    assert outcome.parts["sources lost"] == 1


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"feedback": {}}, "--feedback FILE"),
        ({"feedback": {"magpie": ["Be brief."]}}, "--feedback FILE"),
        ({"drafts": []}, "--previous REPORTS"),
        ({"drafts": [{"agent": "magpie", "sample": 1, "text": BEFORE}]}, "--previous REPORTS"),
        ({"drafts": [{"agent": "heron", "sample": 2, "text": BEFORE}]}, "--previous REPORTS"),
    ],
)
def test_what_is_missing_is_told(fields, said):
    outcome = scored(ByText(**SAID), task(**fields))
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.MISSING_INPUT
    assert said in outcome.detail


def test_remarks_are_for_all_agents_or_for_one():
    of = task(feedback={"": ["Be brief."], "heron": ["Add a table."], "magpie": ["No."]})
    assert changes_wanted(Case(of, Report(AFTER, "heron", "t"))) == ("Be brief.", "Add a table.")


def test_what_decides_a_score_is_in_its_basis():
    case = Case(task(), Report(AFTER, "heron", "t"))
    whole = FollowedFeedback().basis(case)
    for fields in ({"feedback": ["Other."]}, {"drafts": []}, {"rubric": RUBRIC[:1]}):
        other = FollowedFeedback().basis(Case(task(**fields), case.report))
        assert other != whole
    assert set(FollowedFeedback(set="mr-dre").basis(case)) == {*whole, "setting"}


def test_the_set_has_to_exist():
    assert str(parse("revision(set='mr-dre')")[0]) == "revision(set='mr-dre')"
    with pytest.raises(BadSetting, match="There is no set"):
        FollowedFeedback(set="mr-dro")


def test_its_questions_have_prompts_in_both_languages():
    for operation in FollowedFeedback().operations():
        operation.verify()
    for language in ("en", "zh"):
        assert "followed" in FEEDBACK.menu_in(language)
    assert questions_of(FEEDBACK).whole in FollowedFeedback().operations()


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([{"id": "t", "feedback": ["a", "b"]}], {"": ("a", "b")}),
        ([{"id": "t", "feedback": {"heron": ["a"]}}], {"heron": ("a",)}),
        (
            [
                {"id": "t", "agent": "heron", "feedback": "a"},
                {"id": "t", "agent": "magpie", "feedback": ["b"]},
                {"id": "t", "agent": "heron", "feedback": "c"},
            ],
            {"heron": ("a", "c"), "magpie": ("b",)},
        ),
    ],
)
def test_feedback_is_read_by_task_or_by_row(tmp_path, rows, found):
    path = tmp_path / "f.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert FEEDBACK_FILE.load(path)["t"].feedback == found


def test_remarks_are_counted_and_not_the_tasks_that_they_are_on(tmp_path):
    rows = [("a", "heron"), ("a", "heron"), ("a", "magpie"), ("b", "wren"), ("b", "heron")]
    rows += [("zz", "heron")] * 2 + [("yy", "wren")] * 3
    path = tmp_path / "f.jsonl"
    said = [
        {"id": id, "agent": agent, "feedback": f"Say {at}."} for at, (id, agent) in enumerate(rows)
    ]
    path.write_text("\n".join(map(json.dumps, said)))
    tasks = [Task(id=name, prompt="Why?") for name in "ab"]
    with pytest.warns(Notice) as told:
        tasks = FEEDBACK_FILE.join(tasks, path)
    assert str(told[0].message) == (
        f"{path}: remarks: 10 came in, 5 found their tasks, 5 used. "
        "left out: zz, heron, 'Say 5.': no such task. left out: zz, heron, 'Say 6.': no such task. "
        "left out: yy, wren, 'Say 7.': no such task. left out: 2 more remarks of this kind"
    )
    path.write_text("\n".join(map(json.dumps, [*said[:3], said[0], *said[5:]])))
    with pytest.raises(BadTasks) as refused:
        FEEDBACK_FILE.join(tasks, path)
    assert "5 of 9 remarks found no tasks: zz, heron, 'Say 5.': no such" in str(refused.value)


def test_remarks_for_agents_without_a_report_are_named_and_counted():
    feedback = {
        "a": {"": ("Be brief.", "Cite."), "heron": ("Cite.",), "swan": ("One.", "Two.", "Two.")},
        "b": {"swan": ("Three.",), "magpie": ("Four.", "Five."), "": ("Six.",)},
        "c": {"": ("Seven.",)},
    }
    there = {("heron", "a"), ("magpie", "a"), ("heron", "b")}
    joined = remarks_joined(feedback, there)
    assert [*joined.lines()] == [
        "remarks on these tasks: 11 came in, 4 found their reports, 4 used.",
        "left out: a, swan, 'One.': no report is of this agent.",
        "left out: a, swan, 'Two.': no report is of this agent.",
        "left out: a, swan, 'Two.': no report is of this agent.",
        "left out: 1 more remarks on these tasks of this kind",
        "left out: b, magpie, 'Four.': no such report.",
        "left out: b, magpie, 'Five.': no such report.",
        "left out: c, 'Seven.': no such report.",
    ]
    whole = {"a": {"": ("Be brief.",), "magpie": ("Cite.",)}, "b": {}}
    assert remarks_joined(whole, there).whole


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "t", "feedback": []}, "is empty"),
        ({"id": "t", "feedback": ["a", ""]}, "is empty"),
        ({"id": "t", "feedback": "a"}, "feedback"),
        ({"id": "t", "agent": 7, "feedback": "a"}, "does not say of which task and agent"),
        ({"id": "t", "agent": "heron", "feedback": None}, "is empty"),
    ],
)
def test_feedback_that_is_none_is_refused_with_its_place(tmp_path, row, said):
    path = tmp_path / "f.jsonl"
    path.write_text(json.dumps(row))
    with pytest.raises(BadTasks, match=r"f\.jsonl, line 1") as refused:
        FEEDBACK_FILE.load(path)
    assert said in str(refused.value)
