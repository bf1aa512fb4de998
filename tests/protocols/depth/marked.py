"""Answers about analysis depth, made of a few numbers."""

import json

from deepassay.models.ask import Answer
from deepassay.protocols.depth.comparison import DIMENSIONS


def sheet(*marks):
    """Five marks, or one for all dimensions."""
    return dict(zip(DIMENSIONS, marks * 5 if len(marks) == 1 else marks, strict=True))


def answer(a, b, **more):
    """A judge's answer: marks of A and of B."""
    return {
        "scores": {"A": sheet(*a), "B": sheet(*b)},
        "justification": "because",
        "major_flaws": {"A": [], "B": []},
        **more,
    }


class ByText:
    """Marks every report by what is said of its text, wherever it stands; keeps the questions.

    marks: five for a text. shift: added to all marks of the report that stands first.
    """

    def __init__(self, marks, shift=0):
        self.marks = marks
        self.shift = shift
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation, inputs, repeat))
        first = [mark + self.shift for mark in self.marks[inputs.report_a]]
        said = answer(first, self.marks[inputs.report_b])
        value = operation.gives.model_validate_json(json.dumps(said))
        return Answer(value, "key", "scripted")
