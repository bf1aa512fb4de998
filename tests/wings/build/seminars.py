"""Two short seminars of our own, and an asker that answers as it is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deepassay.models.ask import Answer
from deepassay.models.reading import Unreadable, read_reply
from deepassay.score import Cause, Unscored
from deepassay.wings.build.arena.transcript import Segment, Transcript

MUSSELS = """\
Good afternoon everybody, can you hear me at the back? Thank you for coming.
We surveyed the mussel beds of forty shores over nine summers.
Now, we still do not know what heat sets the threshold of recovery, and that is the main problem.
The loggers only measure air, so the temperature inside the animals is missing from the record.
I would expect shores with more whelks to recover slowly, because whelks eat the young settlers.
So we built a silicone mussel with a thermistor, a new method for mapping heat stress in summer.
Let me go to the next slide.
There is an idea here that we borrowed from percolation theory in physics: the bed is a network.
A question. What if you measured the threads of the mussels with a time-lapse camera at night?
That would be fun. I have a camera at home.
Okay, the problem is the microphone, sorry, it fails to work when I walk with the microphone."""

WEIRS = """\
大家好，听得到吗？谢谢各位来参加今天的报告。
我今天讲的是古代水利工程与河道变迁的关系。
但是我们还不知道为什么有的堰坝两百年不修也没有垮，现有的水文模型无法解释。
我猜测这可能是因为上游森林的砍伐使泥沙增加，泥沙反而保护了坝基。
我们提出了一种新的方法，用树木年轮和碑刻文字结合起来重建洪水的年份。
这里其实借鉴了生态学里的食物网模型，把渠道看作网络来衡量水利系统的韧性。
时间到了，谢谢大家，下一位。"""


def seminar(text: str = MUSSELS, name: str = "mussels", **fields: Any) -> Transcript:
    """A transcript with a segment a line, ten seconds each."""
    lines = text.split("\n")
    segments = [
        Segment(text=line, start=10.0 * number, end=10.0 * number + 10)
        for number, line in enumerate(lines)
    ]
    return Transcript(name=name, segments=tuple(segments), **fields)


class Scripted:
    """An asker with an answer for each operation, as JSON text.

    What cannot be read is Unscored, as after the last attempt.
    """

    def __init__(self, **answers: Callable[[Any], str]) -> None:
        self._answers = answers
        self.identity = {"model": "scripted"}
        self.asked: list[Any] = []

    async def __call__(self, operation: Any, inputs: Any, *, repeat: int = 0) -> Any:
        self.asked.append(inputs)
        raw = self._answers[operation.name.partition("/")[2]](inputs)
        try:
            return Answer(read_reply(operation, inputs, raw).value, "key", "scripted")
        except Unreadable as problem:
            return Unscored(Cause.ANSWER_UNREADABLE, str(problem))
