"""What weighs most in a report, by the phase and the family of its task (DeepResearch Arena).

From the appendix "Checklist template prompt", in our own words: `emphases.en.yaml` and its Chinese
neighbour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from deepassay.curate.traits import in_hundredths, traits_of
from deepassay.files import read_yaml
from deepassay.score import Json
from deepassay.tasks.ace import AceItem
from deepassay.tasks.dates import Language
from deepassay.tasks.task import Task

WEIGHTS: Final[Mapping[str, Sequence[float]]] = {
    "Synthesize": (36, 28, 24, 12),
    "Design": (40, 27, 21, 12),
    "Evaluate": (38, 32, 18, 12),
    "": (34, 30, 24, 12),
}
"""Of the four items of the offline rule, in hundredths, by phase. Chosen, not fitted."""

ADVANCED: Final = 4
"""Hundredths that the first item of an advanced task takes from the last one."""


class Family(NamedTuple):
    """A kind of task. words: that tell it in a label. items: two, as title and description."""

    name: str
    phase: str
    words: Sequence[str]
    emphasis: str
    items: Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Emphases:
    """What is known of what weighs most in the reports for one task.

    phase: "" where the labels tell none. families: those that the task may belong to.
    """

    phase: str
    families: Sequence[Family]

    @property
    def lines(self) -> str:
        """For the maker of a checklist: one line a family."""
        return "\n".join(f"- {each.name}: {each.emphasis}" for each in self.families)


def emphases_of(task: Task) -> Emphases:
    """By the labels `family` and `phase` of a task; all families where neither says anything."""
    every = _families(task.language)
    label = task.labels.get("family", "").casefold()
    own = next((each for each in every if any(word in label for word in each.words)), None)
    if own is not None:
        return Emphases(own.phase, (own,))
    wanted = task.labels.get("phase", "").strip().casefold()[:5]  # Evaluate, evaluation
    phase = next((name for name in WEIGHTS if wanted and name.casefold()[:5] == wanted), "")
    return Emphases(phase, [each for each in every if phase in ("", each.phase)])


def drafted(
    query: str, language: Language, family: str, phase: str, advanced: bool
) -> list[AceItem]:
    """Four items for a task, made without a model.

    family: its name in `emphases.LANGUAGE.yaml`, or "". A baseline: it knows no more of the
    subject than the prompt says.
    """
    wordings = _wordings(language)
    own = next((each.items for each in _families(language) if each.name == family), None)
    traits = traits_of(query, language)
    words = {
        "subject": traits.subject,
        "parts": ("；" if language == "zh" else "; ").join(traits.parts),
    }
    first, *others, last = WEIGHTS[phase]
    step = ADVANCED if advanced else 0
    weights = in_hundredths([first + step, *others, last - step])
    return [
        AceItem(
            title=item["title"].format(**words),
            description=item["description"].format(**words),
            weight=weight,
        )
        for item, weight in zip(
            [*(own or wordings["otherwise"]), *wordings["always"]], weights, strict=True
        )
    ]


def _families(language: Language) -> list[Family]:
    return [
        Family(
            name,
            entry["phase"],
            [word.strip() for word in entry["words"].split(",")],
            entry["emphasis"],
            entry["items"],
        )
        for name, entry in _wordings(language)["families"].items()
    ]


@cache
def _wordings(language: Language) -> Mapping[str, Json]:
    text = (files(__package__) / f"emphases.{language}.yaml").read_text("utf-8")
    return dict(read_yaml(text))
