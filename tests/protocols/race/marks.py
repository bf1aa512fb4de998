"""Criteria and answers for the tests of RACE."""

import json

from deepassay.protocols.race.questions import CriteriaList
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria

WEIGHTS = {
    "comprehensiveness": 0.4,
    "insight": 0.3,
    "instruction_following": 0.2,
    "readability": 0.1,
}


def criteria_of(weights=WEIGHTS, **own):
    """Criteria with these weights in each dimension; by default two, of .75 and .25."""
    listed = {
        name: [
            {"criterion": f"{name} {n}", "explanation": f"What {name} {n} means.", "weight": weight}
            for n, weight in enumerate(own.get(name, [0.75, 0.25]), start=1)
        ]
        for name in DIMENSIONS
    }
    return Criteria.model_validate({"dimension_weight": weights, "criterions": listed})


def sheet(criteria, **columns):
    """A complete answer: columns are the names of score fields with marks in order, or one mark."""
    listed = CriteriaList.of(criteria.criterions)
    answer, at = {}, 0
    for name in DIMENSIONS:
        answer[name] = []
        for each in listed.of_dimension(name):
            marks = {
                key: marks[at] if isinstance(marks, list) else marks
                for key, marks in columns.items()
            }
            entry = {"id": each.id, "criterion": each.criterion, "analysis": f"on {each.id}"}
            answer[name].append(entry | marks)
            at += 1
    return answer


class Judge:
    """Says `marks` of each article that holds a word, whichever place it stands in.

    marks: word -> a mark, or one for each criterion.
    """

    def __init__(self, marks):
        self.marks = marks
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        from deepassay.models.ask import Answer
        from deepassay.models.reading import read_reply

        self.asked.append((operation, inputs, repeat))
        raw = json.dumps(self._answer(inputs))
        return Answer(read_reply(operation, inputs, raw).value, "key", "judge")

    def _answer(self, inputs):
        fields = {
            "article_1": "article_1_score",
            "article_2": "article_2_score",
            "article": "score",
        }
        if not hasattr(inputs, "criteria"):
            return {"overall_score": self._mark(inputs.article), "justification": "because"}
        columns = {
            score: self._mark(getattr(inputs, article))
            for article, score in fields.items()
            if hasattr(inputs, article)
        }
        criterions = {name: inputs.criteria.of_dimension(name) for name in DIMENSIONS}
        return sheet(_Listed(criterions), **columns)

    def _mark(self, article):
        return next(mark for word, mark in self.marks.items() if word in article)


class _Listed:
    """Criteria as they were asked, in the place of criteria of a task."""

    def __init__(self, criterions):
        self.criterions = criterions
