"""Rubrics and judges for tests."""

import json

from deepassay.models.ask import Answer
from deepassay.models.reading import read_reply
from deepassay.protocols.rubrics.criteria import keys_of
from deepassay.score import Unscored
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion


def criterion(text, weight, axis="", identifier=""):
    return Criterion(id=identifier, criterion=text, weight=weight, axis=axis)


def task(*criteria, prompt="How loud are ferries?"):
    return Task(id="t", prompt=prompt, rubric=criteria)


class Grader:
    """Answers by the words of a criterion: a verdict, or the failure that comes instead."""

    def __init__(self, by_text, quotes=()):
        self.by_text = by_text
        self.quotes = list(quotes)
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation, inputs, repeat))
        said = [self.by_text[text] for text in inputs.criteria]
        for each in said:
            if isinstance(each, Unscored):
                return each
        verdicts = {
            key: {"reason": "so it is", "verdict": verdict, "quotes": self.quotes}
            for key, verdict in zip(keys_of(inputs.criteria), said, strict=True)
        }
        raw = json.dumps({"verdicts": verdicts})
        return Answer(read_reply(operation, inputs, raw).value, "key", "grader")


class GraderAsReleased:
    """The same for the released form: the raw text of an answer by the title of a criterion."""

    def __init__(self, by_title):
        self.by_title = by_title
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation, inputs, repeat))
        raw = self.by_title[inputs.title]
        if isinstance(raw, Unscored):
            return raw
        return Answer(read_reply(operation, inputs, raw).value, "key", "grader")


def graded(verdict, score, reasoning="so it is", **more):
    """An answer in the released form."""
    answer = {"verdict": verdict, "score": score, "confidence": 0.9, "reasoning": reasoning}
    return json.dumps(answer | more)
