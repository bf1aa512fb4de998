"""Answers with criteria that people decided on, and where runs have the same criteria."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, NamedTuple

from deepassay.errors import BadInput
from deepassay.intake.rows import same_words
from deepassay.reports.report import Report
from deepassay.results.joined import Joined
from deepassay.results.records import Judged
from deepassay.results.rubric_items import outcomes_by_judge
from deepassay.results.weighing import MERITS
from deepassay.tasks.task import Task
from deepassay.wings.people.agreement.rubrics import CriterionPlace

YES_NO: Final = "rubrics(set='ruverbench')"
"""The protocol by which a judge is asked where people said whether a criterion is met or not."""

ANSWER: Final = "answer"
"""The agent of answers of which nobody says who gave them."""


class OnCriterion(NamedTuple):
    """What people said of one criterion, in ResearchRubrics' words.

    kind: of the criterion. source: the set that it comes from, of a set that is made of several.
    """

    text: str
    people: tuple[str, ...]
    kind: str = ""
    source: str = ""

    @property
    def together(self) -> str | None:
        """What they say together: the median, where one of them said it; else they are divided."""
        middle = median(MERITS[word] for word in self.people)
        return next((word for word in self.people if MERITS[word] == middle), None)


@dataclass(frozen=True)
class GradedSet:
    """Answers whose criteria people decided on.

    tasks, reports: what a judge is asked about; no reports where they are not there. labels: by
    place. joined: what became of people's verdicts before anybody was asked. protocol: that a judge
    is asked by. kinds: of criteria, over which the set's own figure is a mean.
    """

    title: str
    tasks: tuple[Task, ...]
    reports: tuple[Report, ...]
    labels: Mapping[CriterionPlace, OnCriterion]
    joined: Joined
    protocol: str = "rubrics"
    kinds: tuple[str, ...] = ()

    def in_records(self, records: Sequence[Judged]) -> GradedSet:
        """The set with its labels at the places at which these records have its criteria.

        Criteria are found by task and wording, since runs name agents and criteria in their own
        way; labels without a wording stand where they say. Raises BadInput where two agents
        answered one of its tasks: people saw one answer.
        """
        answers: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
        keys: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for record in records:
            for own in outcomes_by_judge(record).values():
                for item in own.evidence.items:
                    answers[record.task].add((record.agent, record.sample))
                    keys[record.task, same_words(item.item)][item.key] = None
        found: dict[CriterionPlace, OnCriterion] = {}
        for place, label in self.labels.items():
            if not label.text:
                found[place] = label
                continue
            agent, sample = self._answer(place, answers[place.task])
            own_keys = keys[place.task, same_words(label.text)]
            free = [k for k in own_keys if place._replace(criterion=k) not in found]
            key = place.criterion if place.criterion in own_keys else next(iter(free), "")
            found[CriterionPlace(agent, place.task, sample, key or place.criterion)] = label
        return replace(self, labels=found)

    def _answer(self, place: CriterionPlace, there: set[tuple[str, int]]) -> tuple[str, int]:
        if (place.agent, place.sample) in there or not there:
            return place.agent, place.sample
        if len(there) > 1:
            raise BadInput(
                f"{self.title} has labels on one answer to {place.task}, and the runs hold "
                f"several: of {', '.join(sorted(agent for agent, _ in there))}.",
                "Name a run of the answers that people saw.",
            )
        return next(iter(there))

    def words(self) -> dict[CriterionPlace, str]:
        """What people say together, of all on which they do."""
        said = {place: each.together for place, each in self.labels.items()}
        return {place: word for place, word in said.items() if word is not None}
