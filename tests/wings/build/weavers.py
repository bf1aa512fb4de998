"""Inspirations to weave from, and scripted weavers that keep or break the construction rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from deepassay.wings.build.arena.construction import Lead
from deepassay.wings.build.arena.inspiration import REQUIRED, Inspiration

LIMITATION = (
    "Nobody has measured the night temperature of bedrooms in retrofitted flats; weather stations "
    "stand outdoors, and hospital admissions are recorded indoors."
)
HYPOTHESIS = (
    "Windows stay closed on loud streets, and this leads to warmer bedrooms than the insulation "
    "itself. Courtyard flats should cool almost twice as fast."
)

LEADS = (
    Lead(number=1, type="Limitation", text=LIMITATION),
    Lead(number=2, type="Hypothesis", text=HYPOTHESIS),
)

Proposals = list[dict[str, Any]]


def proposals() -> Proposals:
    """Six tasks that keep to every rule."""
    return [
        proposal(
            "Synthesize",
            "Literature Survey",
            "Survey what is missing in measurements of night temperature in bedrooms of "
            "retrofitted flats. Deliver a table of at least fifteen sources with their gaps.",
            [1],
        ),
        proposal(
            "Synthesize",
            "Trend / Market Scan",
            "Scan how the cooling of insulated courtyard flats and loud streets was debated since "
            "2015. Provide a timeline as a report of two pages.",
            [2],
        ),
        proposal(
            "Design",
            "Hypothesis Generation",
            "State two hypotheses on windows that stay closed on loud streets and how warm "
            "bedrooms get. Deliver a list of predictions that would refute each.",
            [2],
        ),
        proposal(
            "Design",
            "Method / Experiment Blueprint",
            "Plan how the night temperature of bedrooms in retrofitted flats could be measured in "
            "two hundred homes. Write a protocol with sample, sensors and analysis.",
            [1],
            difficulty="Advanced",
            hours=12,
        ),
        proposal(
            "Evaluate",
            "Empirical / Simulation Test",
            "Simulate whether courtyard flats cool faster than flats on loud streets whose windows "
            "stay closed. Deliver the code and a table of results.",
            [2],
            difficulty="Advanced",
            hours=30,
            public_data=False,
        ),
        proposal(
            "Evaluate",
            "Comparative Analysis",
            "Compare weather stations outdoors with loggers in bedrooms as sources on night "
            "temperature and hospital admissions. Deliver a matrix of strengths and weaknesses.",
            [1],
        ),
    ]


def proposal(
    phase: str,
    family: str,
    task: str,
    inspirations: list[int],
    difficulty: str = "Basic",
    hours: float = 3,
    public_data: bool = True,
) -> dict[str, Any]:
    return {
        "phase": phase,
        "family": family,
        "difficulty": difficulty,
        "hours": hours,
        "public_data": public_data,
        "inspirations": inspirations,
        "task": task,
    }


def answer(tasks: Proposals) -> str:
    return json.dumps({"tasks": tasks})


def _changed(number: int, **fields: Any) -> Proposals:
    tasks = proposals()
    tasks[number].update(fields)
    return tasks


def _without(phase: str) -> Proposals:
    """As many tasks, but none of this phase."""
    kept = [each for each in proposals() if each["phase"] != phase]
    return [*kept, *(dict(each, task=f"{each['task']} Add a summary.") for each in kept[:2])]


def _of_one_family() -> Proposals:
    tasks = proposals()
    survey = dict(tasks[0], task=f"{tasks[0]['task']} Add a summary.")
    return [*tasks, survey, dict(survey)]


def _plain(number: int) -> Proposals:
    """Tasks on the first inspiration that do not look for gaps."""
    tasks = proposals()
    tasks[number]["task"] = (
        tasks[number]["task"]
        .replace("what is missing in ", "")
        .replace("their gaps", "their findings")
    )
    tasks[5]["task"] = tasks[5]["task"].replace(" of strengths and weaknesses", "")
    return tasks


LONG = proposals()[0]["task"] + " Consider every single season of every single year." * 12

BREACHES: Mapping[str, tuple[Callable[[], Proposals], str]] = {
    "too few tasks": (lambda: [proposals()[n] for n in (0, 2, 4, 5)], "there are 4 tasks"),
    "too many tasks": (lambda: [*proposals(), *proposals()[2:5]], "there are 9 tasks"),
    "no synthesis": (lambda: _without("Synthesize"), "no task belongs to the phase Synthesize"),
    "no design": (lambda: _without("Design"), "no task belongs to the phase Design"),
    "no evaluation": (lambda: _without("Evaluate"), "no task belongs to the phase Evaluate"),
    "invented family": (lambda: _changed(0, family="Opinion Poll"), "tasks.0.family"),
    "invented phase": (lambda: _changed(0, phase="Publish"), "tasks.0.phase"),
    "invented difficulty": (lambda: _changed(0, difficulty="Medium"), "tasks.0.difficulty"),
    "family of another phase": (
        lambda: _changed(1, family="Comparative Analysis"),
        "'Comparative Analysis' belongs to the phase Evaluate",
    ),
    "family three times": (_of_one_family, "'Literature Survey' occurs 3 times"),
    "one text six times": (
        lambda: [dict(each, task=proposals()[0]["task"].upper()) for each in proposals()],
        "task 6 has the text of task 1",
    ),
    "two of one text": (
        lambda: _changed(1, task=proposals()[0]["task"]),
        "task 2 has the text of task 1",
    ),
    "no inspiration": (lambda: _changed(0, inspirations=[]), "rests on no inspiration"),
    "unknown inspiration": (lambda: _changed(0, inspirations=[3]), "there is no inspiration 3"),
    "inspiration twice": (lambda: _changed(0, inspirations=[1, 1]), "names an inspiration twice"),
    "wording not taken up": (
        lambda: _changed(0, task="Find what is missing on heat. Deliver a table of gaps."),
        "shares 0 key words",
    ),
    "type without emphasis": (lambda: _plain(0), "rests on a Limitation looks for the gaps"),
    "Basic but long": (lambda: _changed(0, hours=3.5), "at most 3 hours, not 3.5"),
    "Basic but of new data": (lambda: _changed(0, public_data=False), "nothing but public data"),
    "too many words": (lambda: _changed(0, task=LONG), "words; the limit is 100"),
    "no deliverable": (
        lambda: _changed(
            0,
            task="Think about what is missing in night temperature of bedrooms in retrofitted "
            "flats.",
        ),
        "names no deliverable",
    ),
    "mentions the seminar": (
        lambda: _changed(0, task=proposals()[0]["task"] + " Start from the seminar."),
        "'seminar' refers to something outside",
    ),
    "mentions the speaker": (
        lambda: _changed(0, task=proposals()[0]["task"] + " Say if the speaker is right."),
        "'the speaker' refers to something outside",
    ),
    "mentions another task": (
        lambda: _changed(0, task=proposals()[0]["task"] + " Use the previous task."),
        "'the previous task' refers to something outside",
    ),
    "empty task": (lambda: _changed(0, task=" "), "tasks.0.task"),
    "no hours": (lambda: _changed(0, hours=0), "tasks.0.hours"),
}
"""Answers that break one rule each, and what the weaver is told of it."""


def inspirations(count: int = 2, transcript: str = "heat") -> list[Inspiration]:
    """So many of one talk: a limitation and a hypothesis in turn."""
    texts = {"Limitation": LIMITATION, "Hypothesis": HYPOTHESIS}
    found = []
    for number in range(1, count + 1):
        kind = LEADS[(number - 1) % 2].type
        found.append(
            Inspiration(
                id=f"{transcript}-{number}",
                type=kind,
                text=texts[kind],
                qualities=REQUIRED[kind],
                quote=texts[kind],
                start=500 * number,
                end=500 * number + len(texts[kind]),
                time=60.0 * number,
                transcript=transcript,
            )
        )
    return found
