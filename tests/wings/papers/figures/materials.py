"""Scores and lengths to draw: any number of agents, under any names."""

from deepassay.results.families import Profile
from deepassay.results.figures.figure import Material
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.results.ranking import rank
from deepassay.score import Cause, Signature
from tests.results.judgements import make

MODEL = Signature({"protocol": "coverage", "judges": [{"model": "openai:good"}]})
HOSTILE = (
    "$\\frac{1}{2}$",
    "<script>alert(1)</script>",
    '"><a href="javascript:alert(1)">&amp;',
    "evil\x1b[31m\x00\u202eeman\ufffe",
    "x" * 300,
    "通义深度研究智能体" * 9,
    "_",
    "",
)


def material(
    agents, *, tasks=6, repeats=2, topics=3, by="topic", recipe=MODEL, missing=False, families=2
):
    """Every agent a little better than the one before; with `missing`, the second lacks a task."""
    records, reports = [], []
    for place, agent in enumerate(agents):
        for task in range(tasks):
            labels = {"topic": f"topic {task % topics}"}
            words = 200 + 137 * ((place * 7 + task * 5) % 11)
            reports.append(
                MeasuredReport(
                    agent, f"t{task}", 1, labels,
                    Length(words * 6, words, words * 2), Length(words * 5, words, words), 3, 3,
                )
            )  # fmt: skip
            for repeat in range(repeats):
                value = 30 + 40 * place / len(agents) + (task * 13 + place * 5) % 9 + repeat
                gone = missing and place == 1 and task == 0
                records.append(
                    make(
                        agent, f"t{task}", Cause.TIMEOUT if gone else value, repeat=repeat,
                        recipe=recipe, labels=labels,
                    )
                )  # fmt: skip
    profiles = {
        agent: Profile(agent, f"family {place % families}") for place, agent in enumerate(agents)
    }
    return Material(records, rank(records, by=by), by, profiles, reports)
