"""The question which of two tasks is better: what may be answered, and the rule."""

import json
from asyncio import run

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadTasks
from deepassay.models.ask import Answer
from deepassay.models.reading import Unreadable, read_reply
from deepassay.tasks.task import Task
from deepassay.wings.build.arena.rank_eval import (
    COMPARE_TASKS,
    TIE,
    ShownTask,
    TaskPair,
    TaskPairVerdict,
    TwoTasks,
    compare_tasks,
    drawn_comparisons,
    marks_by_rule,
    played,
    read_comparisons,
    refuse_changed,
    repeats,
    write_comparisons,
)
from tests.growth import assert_linear, repeated
from tests.wings.build.duels import POOR, SOUND, answer, comparison, task

SOUND_ZH = (
    "潮沟中牡蛎网笼的网目大小怎样影响稚贝生长，这一关系在不同盐度下是否成立？请比较二〇〇五年以来至少十二项"
    "已发表的试验，并提交一张表，列出每项试验的网目、盐度、生长速度与方法。"
)


def inputs(a, b, language="en"):
    return TwoTasks(language=language, task_a=ShownTask(task=a), task_b=ShownTask(task=b))


def said(raw):
    return read_reply(COMPARE_TASKS, inputs(SOUND, POOR), raw).value


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


@pytest.fixture
def offline():
    """A judge that answers by rule, and notes what it was asked."""

    async def judge(operation, given, repeat=0):
        judge.asked.append(given)
        return Answer(operation.offline(given), "key", "offline")

    judge.asked, judge.identity = [], {"model": "offline"}
    return judge


@pytest.mark.parametrize("turned", [False, True])
def test_rule_reads_each_task_in_its_own_language(offline, turned):
    tasks = [
        Task(id="en", prompt=SOUND, language="en"),
        Task(id="zh", prompt=SOUND_ZH, language="zh"),
    ]
    said = run(compare_tasks(*tasks[:: -1 if turned else 1], offline))
    found = dict(zip(("zh", "en") if turned else ("en", "zh"), (said.a, said.b), strict=True))
    assert found == {each.id: marks_by_rule(each.prompt, each.language) for each in tasks}
    assert found["zh"].actionability == 5, "read as English it names nothing to hand in"
    (asked,) = offline.asked
    assert asked.language == "en"
    assert json.loads(asked.spelled["task_a"])["language"] == ("zh" if turned else "en")


def test_no_model_is_shown_in_which_language_a_rule_reads(offline):
    offline.identity = {"model": "openai:m"}
    run(compare_tasks(Task(id="a", prompt=SOUND), Task(id="b", prompt=POOR), offline))
    assert "language" not in json.loads(offline.asked[0].spelled["task_a"])


def test_between_two_languages_the_number_of_key_words_decides_nothing(offline):
    winners = []
    for at in range(40):
        first = Task(id="en", prompt=f"Deliver a table of oyster prices {at}.", language="en")
        second = Task(id="zh", prompt=f"提交一张牡蛎价格表（其{at}）", language="zh")
        said = run(compare_tasks(first, second, offline))
        turned = run(compare_tasks(second, first, offline))
        assert said.a.total == said.b.total
        assert {said.better, turned.better} == {"A", "B"}
        winners.append(said.better)
    assert 10 < winners.count("A") < 30


@settings(deadline=None, max_examples=30)
@given(st.text(min_size=1), st.text(min_size=1), st.sampled_from(["en", "zh"]))
def test_rule_does_not_look_at_the_order_and_keeps_to_its_own_menu(one, two, language):
    here, there = inputs(one, two, language), inputs(two, one, language)
    found, turned = COMPARE_TASKS.offline(here), COMPARE_TASKS.offline(there)
    assert read_reply(COMPARE_TASKS, here, found.model_dump_json()).value == found
    assert one == two or {found.better, turned.better} == {"A", "B"}
    assert found.settled == turned.settled >= 0.5


def test_labels_of_the_tasks_stand_in_the_prompt():
    pair = TwoTasks(
        language="zh", task_a=ShownTask(task=SOUND, difficulty="Basic"), task_b=ShownTask(task=POOR)
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
    assert_linear(lambda text: marks_by_rule(text, language), repeated(unit), 60_000)


# ------------------------------------------------------------------ comparisons


TASKS = {name: task(name) for name in "abcde"}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "r.comparisons.jsonl"


def test_file_gives_back_what_was_written(file):
    waiting = drawn_comparisons(2, [TaskPair("c", "a"), TaskPair("b", None)], TASKS)
    write_comparisons(file, [comparison(1, "a", "b"), *waiting])
    found = read_comparisons(file)
    assert found == [comparison(1, "a", "b"), *waiting]
    assert [each.pending for each in found] == [False, True, False]


@pytest.mark.parametrize(("better", "winner"), [("A", "c"), ("B", "a")])
def test_a_is_the_one_shown_first(better, winner):
    (pair,) = drawn_comparisons(1, [TaskPair("c", "a")], TASKS)
    marks = {"a": 4, "b": 2} if better == "A" else {"a": 2, "b": 4}
    said = TaskPairVerdict.model_validate_json(answer(**marks, better=better, confidence=0.9))
    decided = pair.decided(said, "some-model")
    assert decided.verdict.winner == winner
    assert (decided.verdict.first, decided.verdict.confidence) == (said.a, 0.9)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"second": "a"}, "compared with itself"),
        ({"verdict": {"winner": "z"}}, "the winner 'z' is none of the two"),
        ({"verdict": {"confidence": 0.4}}, "verdict.confidence"),
        ({"second": None}, "is none of the two|rests has no verdict"),
        ({"round": 0}, "round"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_damaged_line_is_named(file, change, problem):
    fields = comparison(1, "a", "b").model_dump()
    fields |= {**change, "verdict": {**fields["verdict"], **change.get("verdict", {})}}
    file.write_text(json.dumps(fields))
    with pytest.raises(BadTasks, match=rf"line 1: .*(?:{problem})"):
        read_comparisons(file)


def test_task_twice_in_a_round_is_refused(file):
    write_comparisons(file, [comparison(1, "a", "b"), comparison(1, "c", "a")])
    with pytest.raises(BadTasks, match="line 2: task 'a' occurs twice in round 1"):
        read_comparisons(file)


def test_task_with_another_prompt_than_when_it_was_compared_is_refused(file):
    refuse_changed([comparison(1, "a", "b")], [TASKS["a"], TASKS["c"]], file)
    with pytest.raises(BadTasks, match="task 'b' was compared with another prompt"):
        refuse_changed([comparison(1, "a", "b")], [task("b", "Something else.")], file)


def test_rests_count_as_rounds():
    known = [
        *drawn_comparisons(1, [TaskPair("a", "b"), TaskPair("c", None)], TASKS),
        comparison(2, "a", "c"),
    ]
    assert played(known, [TASKS[name] for name in "abcd"]) == {"a": 2, "b": 1, "c": 2, "d": 0}


def test_the_same_pair_in_the_same_order_is_asked_anew():
    known = [comparison(3, "a", "b"), comparison(1, "a", "b"), comparison(2, "b", "a")]
    assert repeats(known) == {(1, "a"): 0, (2, "b"): 0, (3, "a"): 1}
