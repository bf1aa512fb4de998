"""ACE checklists as a maker makes them: what is refused, and what the rule makes."""

import asyncio
import json

import pytest

from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.ace.checklists import (
    MAKE_CHECKLIST,
    QueryAndKind,
    emphases_of,
    make_checklist,
)
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import checklist_flaw
from deepassay.wings.build.arena.construction import PHASE_OF
from tests.protocols.fact.web import Model

INPUTS = QueryAndKind(
    language="en", query="Why?", family="", phase="", difficulty="unknown", emphases=""
)


def answer(*weights, title="Side {}"):
    return {
        "items": [
            {"title": title.format(n), "description": "What to look for.", "weight": weight}
            for n, weight in enumerate(weights, start=1)
        ]
    }


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (answer(0.45, 0.30, 0.15), "sum to 0.9;"),
        (answer(*[1 / 7] * 7), "7 items; 3 to 6"),
        (answer(0.5, 0.5), "2 items; 3 to 6"),
        (answer(), "0 items; 3 to 6"),
        (answer(0.5, 0.5, 0), "greater than 0"),
        (answer(0.5, 0.25, 0.25, title="Same"), "'same' twice"),
        ({"items": [{"title": " ", "description": "x", "weight": 1.0}]}, "is empty"),
    ],
)
def test_a_checklist_off_the_rules_is_asked_again(said, problem):
    with pytest.raises(Unreadable, match=problem):
        read_reply(MAKE_CHECKLIST, INPUTS, json.dumps(said))


@pytest.mark.parametrize("weights", [(0.5, 0.3, 0.18), (0.5, 0.3, 0.22), (0.45, 0.3, 0.15, 0.1)])
def test_weights_within_two_hundredths_of_1_are_accepted_and_normalised(weights):
    made = asyncio.run(
        make_checklist(Task(id="t", prompt="Why?"), Model(lambda *_: answer(*weights)))
    )
    assert sum(each.weight for each in made) == pytest.approx(1)
    assert made[0].weight == pytest.approx(weights[0] / sum(weights))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("family", "phase"), PHASE_OF.items())
def test_every_family_has_its_emphasis_and_a_checklist_by_rule(family, phase, language):
    task = Task(
        id="t", prompt="Compare {both} of them; say why.", language=language,
        labels={"family": family, "difficulty": "advanced"},
    )  # fmt: skip
    kind = emphases_of(task)
    assert (kind.phase, len(kind.families)) == (phase, 1)
    model = Model()
    made = asyncio.run(make_checklist(task, model))
    assert not checklist_flaw(made)
    assert sum(each.weight for each in made) == pytest.approx(1)
    assert "{both}" in made[0].title
    (asked,) = model.questions("ace/make_checklist")
    assert asked.difficulty == "Advanced" and asked.emphases.count("\n") == 0


@pytest.mark.parametrize(("phase", "families"), [("Synthesize", 3), ("evaluation", 3), ("", 10)])
def test_where_the_family_is_not_known_the_maker_is_told_those_of_the_phase(phase, families):
    task = Task(id="t", prompt="Why?", labels={"phase": phase})
    assert len(emphases_of(task).families) == families


def test_the_question_has_fitting_prompts():
    MAKE_CHECKLIST.verify()
