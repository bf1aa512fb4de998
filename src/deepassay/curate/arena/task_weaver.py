"""TaskWeaver: five to eight research tasks from a group of inspirations.

DeepResearch Arena, section "Task Generation and Filtering" and the appendix "Task generator
prompt". The inspirations of a task, its hours and its need of data are asked for besides what the
paper has, since only so its provenance and its difficulty can be checked.
"""

from __future__ import annotations

from typing import Final

from deepassay.curate.arena.construction import Lead, Proposed, broken_rules
from deepassay.curate.arena.templates import from_templates
from deepassay.curate.weights import PROMPTS
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply

MOST_SAID: Final = 12
"""Broken rules that are named when asking again."""


class Leads(Inputs):
    """The inspirations of a group."""

    inspirations: tuple[Lead, ...]


class Woven(Reply):
    """The tasks of a group."""

    tasks: list[Proposed]


def _check(inputs: Leads, answer: Woven) -> None:
    if problems := broken_rules(answer.tasks, inputs.inspirations, inputs.language):
        raise OffMenu("\n".join(problems[:MOST_SAID]))


def _by_rule(inputs: Leads) -> Woven:
    return Woven(tasks=from_templates(inputs.inspirations, inputs.language))


WEAVE: Final = Operation(
    "arena/weave",
    prompts=PROMPTS,
    takes=Leads,
    gives=Woven,
    offline=_by_rule,
    check=_check,
    version=2,
)
