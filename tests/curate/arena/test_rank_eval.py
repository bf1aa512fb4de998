"""The question which of two tasks is better: what may be answered, and the rule."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.curate.arena.rank_eval import COMPARE_TASKS, TIE, Shown, TwoTasks, marks_by_rule
from deepassay.models.reading import Unreadable, read
from tests.curate.arena.duels import POOR, SOUND, answer
from tests.growth import assert_linear, repeated


def inputs(a, b, language="en"):
    return TwoTasks(language=language, task_a=Shown(task=a), task_b=Shown(task=b))


def said(raw):
    return read(COMPARE_TASKS, inputs(SOUND, POOR), raw).value


def test_overall_is_the_mean_of_five():
    fields = json.loads(answer())
    fields["a"] |= {"clarity": 5, "novelty": 1}
    found = said(json.dumps(fields))
    assert found.a.overall == pytest.approx((5 + 4 + 1 + 4 + 4) / 5)
    assert found.b.overall == 2
    assert found.settled == 0.8


def test_confidence_in_a_tie_is_fixed_whatever_the_judge_says():
    tie = said(answer(a=3, b=3, better="B", confidence=0.9))
    assert (tie.better, tie.settled) == ("B", TIE)


@pytest.mark.parametrize(
    "raw",
    [
        answer(confidence=0.49),
        answer(confidence=1.01),
        answer(confidence=float("nan")),
        answer(better="C"),
        answer().replace('"clarity": 4', '"clarity": 6'),
        answer().replace('"clarity": 4', '"clarity": 0'),
        answer().replace('"clarity": 4', '"clarity": 3.5'),
        answer().replace('"clarity": 4, ', ""),
    ],
)
def test_what_is_off_the_menu_is_not_read(raw):
    with pytest.raises(Unreadable):
        said(raw)


def test_the_better_one_is_the_one_with_the_higher_mean():
    with pytest.raises(Unreadable, match="means 4 for A and 2 for B, but B is named"):
        said(answer(better="B"))


def test_rule_prefers_the_sound_task_wherever_it_stands():
    first, second = (
        COMPARE_TASKS.offline(inputs(*pair)) for pair in ((SOUND, POOR), (POOR, SOUND))
    )
    assert (first.better, second.better) == ("A", "B")
    assert first.a == second.b
    assert first.settled == second.settled > 0.6


@settings(deadline=None, max_examples=60)
@given(st.text(min_size=1), st.text(min_size=1), st.sampled_from(["en", "zh"]))
def test_rule_does_not_look_at_the_order_and_keeps_to_its_own_menu(one, two, language):
    here, there = inputs(one, two, language), inputs(two, one, language)
    found, turned = COMPARE_TASKS.offline(here), COMPARE_TASKS.offline(there)
    assert read(COMPARE_TASKS, here, found.model_dump_json()).value == found
    assert one == two or {found.better, turned.better} == {"A", "B"}
    assert found.settled == turned.settled >= 0.5


def test_labels_of_the_tasks_stand_in_the_prompt():
    pair = TwoTasks(
        language="zh", task_a=Shown(task=SOUND, difficulty="Basic"), task_b=Shown(task=POOR)
    )
    prompt = COMPARE_TASKS.render(pair, "salt").text
    assert '"difficulty":"Basic"' in prompt
    assert prompt.index(SOUND) < prompt.index(POOR)


LONG = f"{SOUND} {'Mind the tide. ' * 30}"
NOTHING_NAMED = SOUND.replace("deliver a table with", "look at")


@pytest.mark.parametrize(
    ("side", "better", "worse"),
    [
        ("clarity", SOUND, POOR),
        ("actionability", SOUND, NOTHING_NAMED),
        ("novelty", SOUND, "Deliver a table of oyster prices."),
        ("consistency", SOUND, LONG),
        ("consistency", SOUND, NOTHING_NAMED),
        ("consistency", SOUND, f"{SOUND} The speaker said so."),
    ],
)
def test_what_can_be_told_of_a_text_moves_its_mark(side, better, worse):
    assert getattr(marks_by_rule(better, "en"), side) > getattr(marks_by_rule(worse, "en"), side)


@pytest.mark.parametrize("unit", ["list ", "give ", "a", "?", "表", "提交", "the talk ", "1. "])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_long_task_is_marked_in_linear_time(unit, language):
    assert_linear(lambda text: marks_by_rule(text, language), repeated(unit))
