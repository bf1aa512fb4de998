"""Judges for tests: one that says what it is told to, and one that applies the offline rule."""

import json

from deepassay.models.ask import Answer
from deepassay.models.reading import read_reply
from deepassay.protocols.protocol import Sources

NO_SOURCES = Sources(pages=None, verdicts=None)
"""For protocols that read no page."""


class Scripted:
    """Answers every question with the same text, and keeps what it was asked."""

    def __init__(self, raw):
        self.raw = raw if isinstance(raw, str) else json.dumps(raw)
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation, inputs, repeat))
        return Answer(read_reply(operation, inputs, self.raw).value, "key", "scripted")


class ByRule:
    """Applies the rule of the operation."""

    async def __call__(self, operation, inputs, *, repeat=0):
        value = operation.offline(inputs)
        operation.check(inputs, value)
        return Answer(value, "key", "offline")


class Silent:
    """Gives no answer, for the cause it is made with."""

    def __init__(self, unscored):
        self.unscored = unscored

    async def __call__(self, operation, inputs, *, repeat=0):
        return self.unscored


def verdicts(**scores):
    """An answer with these verdicts."""
    return {"evaluations": {k: {"score": v, "justification": f"{k}!"} for k, v in scores.items()}}
