"""The traits that the offline rule of RankEval measures, one by one."""

import pytest

from deepassay.curate.arena.measuring import MARKED, measured
from tests.curate.arena.duels import POOR, SOUND
from tests.growth import assert_linear, repeated


def mark(side, text, difficulty="", language="en"):
    return measured(text, difficulty, language).marks[MARKED.index(side)]


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
def test_trait_moves_its_mark(side, better, worse):
    assert mark(side, better) > mark(side, worse)


def test_depth_fits_where_demands_match_the_difficulty():
    demanding = f"{SOUND} Simulate the flow, run an experiment and collect new data."
    assert mark("depth_fit", demanding, "Advanced") > mark("depth_fit", demanding, "Basic")
    assert mark("depth_fit", SOUND, "Basic") > mark("depth_fit", SOUND, "Advanced")
    assert mark("depth_fit", demanding) == mark("depth_fit", SOUND) == 3


def test_chinese_tasks_are_measured_alike():
    sound = (
        "网箱孔径如何影响潮汐汊道中牡蛎苗的生长，这一关系在不同盐度下是否成立？"
        "比较2005年以来的12项试验，提交一份对照表。"
    )
    poor = "请就讲者在研讨会上提到的各种牡蛎相关问题等等做些了解。"
    for side in ("clarity", "actionability", "novelty", "consistency"):
        assert mark(side, sound, language="zh") > mark(side, poor, language="zh")


@pytest.mark.parametrize("unit", ["list ", "give ", "a", "?", "表", "提交", "the talk ", "1. "])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_long_task_is_measured_in_linear_time(unit, language):
    def measure(text):
        assert all(1 <= each <= 5 for each in measured(text, "Basic", language).marks)

    assert_linear(measure, repeated(unit))
