"""Rubrics made from rubrics: examples taken out by rule or by a model, criteria expanded."""

import asyncio
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.ask import Answer, OfflineAsker
from deepassay.models.operation import OffMenu
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from deepassay.tasks.rubric import TaskRubric
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import yardstick_digest
from deepassay.wings.build.yardsticks.rubrics import (
    AUGMENT,
    REMOVE_EXAMPLES,
    CriterionOfTask,
    Reworded,
    changed_rubric,
    without_examples,
)
from tests.growth import assert_linear, repeated

DAY = date(2026, 5, 4)
TASK = Task(id="a", prompt="How do towns plant hedges?")
SOURCE = TaskRubric(
    rubric=[
        {"id": "who", "criterion": "Names a grant (e.g., from a county)", "weight": 4, "axis": "x"},
        {"id": "not", "criterion": "Blames the weather", "weight": -2},
    ]
)


@pytest.mark.parametrize(
    ("criterion", "bare"),
    [
        ("Names grants (e.g., a, b) and dates", "Names grants and dates"),
        ("Names grants (E.G. a), and dates", "Names grants, and dates"),
        ("Names grants (such as a (and b) or c).", "Names grants."),
        ("Names grants [for example: a]", "Names grants"),
        ("Names a (e.g. x) (for instance y) b", "Names a b"),
        ("word(e.g. x)word", "word word"),
        ("(including VAT) and (not e.g. this)", "(including VAT) and (not e.g. this)"),
        ("Keeps (as a whole (e.g., x) here) brackets", "Keeps (as a whole here) brackets"),
        ("Ends (e.g., without a bracket", "Ends (e.g., without a bracket"),
        ("(e.g., nothing else)", "(e.g., nothing else)"),
        ("egg (eggs) (Egypt)", "egg (eggs) (Egypt)"),
        ("写出补助（例如县里的、河流基金会的）和截止日期。", "写出补助和截止日期。"),
        ("写出补助（如县里的）", "写出补助"),
        ("写出补助（如果有）和（如下）", "写出补助（如果有）和（如下）"),
        ("写出补助(比如A(甲))", "写出补助"),
    ],
)
def test_brackets_with_examples_are_taken_out(criterion, bare):
    assert without_examples(criterion) == bare


@settings(deadline=None)
@given(st.text("ab （(e.g.)）如例[],\n"))
def test_nothing_is_added_and_no_order_changed(criterion):
    bare = without_examples(criterion)
    inputs = CriterionOfTask(language="en", query="q", criterion=criterion)
    if bare.strip():
        REMOVE_EXAMPLES.check(inputs, Reworded(criterion=bare))


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Names", "a grant", "写出补助", "(or two)", "（如果有）", "[a]"]),
            st.sampled_from(["", " (e.g. a county's)", " (such as (a) and [b])", " [e.g., one]"]),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_what_begins_as_an_example_goes_and_all_else_stays(pieces):
    criterion = " ".join(text + example for text, example in pieces)
    assert without_examples(criterion) == " ".join(text for text, _ in pieces)


@pytest.mark.parametrize("piece", ["(", "(e.g. ", "(e.g.)", "(e.g.) ", "a (e.g. b) ", ") (", " "])
def test_examples_are_taken_out_in_linear_time(piece):
    assert_linear(without_examples, lambda size: "a" + repeated(piece)(size), 60_000)


@pytest.mark.parametrize(
    ("answer", "fits"),
    [
        ("Names a grant", True),
        ("names a grant (e.g., from a county)", True),
        ("Names the grant", False),
        ("grant a Names", False),
    ],
)
def test_who_takes_examples_out_may_only_leave_words_out(answer, fits):
    inputs = CriterionOfTask(
        language="en", query="q", criterion="Names a grant (e.g., from a county)"
    )
    if fits:
        REMOVE_EXAMPLES.check(inputs, Reworded(criterion=answer))
    else:
        with pytest.raises(OffMenu):
            REMOVE_EXAMPLES.check(inputs, Reworded(criterion=answer))


def test_who_expands_a_criterion_must_say_more():
    inputs = CriterionOfTask(language="zh", query="q", criterion="写出补助")
    AUGMENT.check(inputs, Reworded(criterion="写出补助（例如县里的）"))
    with pytest.raises(OffMenu):
        AUGMENT.check(inputs, Reworded(criterion="写出补助。"))


@pytest.mark.parametrize("operation", [REMOVE_EXAMPLES, AUGMENT])
def test_prompts_show_what_they_are_given(operation):
    operation.verify()


class Writer:
    """A model that puts `pretty` before every criterion."""

    def __init__(self):
        self.identity = {"model": "openai:x"}

    async def __call__(self, operation, inputs, *, repeat=0):
        if inputs.criterion == "Blames the weather" and operation is REMOVE_EXAMPLES:
            return Unscored(Cause.JUDGE_REFUSED, "no")
        return Answer(Reworded(criterion=f"pretty {inputs.criterion}"), "key", "x")


def test_only_words_change_and_the_history_says_how():
    made = asyncio.run(changed_rubric(TASK, SOURCE, [AUGMENT], Writer(), DAY))
    assert [(c.id, c.weight, c.axis) for c in made.rubric] == [("who", 4, "x"), ("not", -2, "")]
    assert made.rubric[1].criterion == "pretty Blames the weather"
    (step,) = made.history
    assert (step.step, step.by, step.made_on) == ("augment", "openai:x", DAY)
    assert step.made_from == yardstick_digest(SOURCE.rubric)[:12]
    again = asyncio.run(changed_rubric(TASK, made, [AUGMENT], Writer(), DAY))
    assert [each.made_from for each in again.history] == [
        step.made_from,
        yardstick_digest(made.rubric)[:12],
    ]


def test_a_rubric_is_changed_as_a_whole_or_not_at_all():
    outcome = asyncio.run(changed_rubric(TASK, SOURCE, [REMOVE_EXAMPLES, AUGMENT], Writer(), DAY))
    assert outcome == Unscored(Cause.JUDGE_REFUSED, "criterion not: no")


def test_by_rule_examples_go_and_nothing_is_augmented(tmp_path):
    with RunFile.create(tmp_path / "r") as run:
        made = asyncio.run(changed_rubric(TASK, SOURCE, [REMOVE_EXAMPLES], OfflineAsker(run), DAY))
        assert [each.criterion for each in made.rubric] == ["Names a grant", "Blames the weather"]
        outcome = asyncio.run(changed_rubric(TASK, SOURCE, [AUGMENT], OfflineAsker(run), DAY))
        assert outcome.cause is Cause.ANSWER_UNREADABLE
