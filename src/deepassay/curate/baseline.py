"""Criteria without a model: what any good report needs, said of the parts of this prompt.

A baseline: valid and specific to the task, but it knows no more of the subject than the prompt
says. It stands for no published figure. The wordings are in `baseline.en.yaml` and its Chinese
neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from deepassay.curate.traits import Traits
from deepassay.files import read_yaml
from deepassay.score import Json
from deepassay.tasks.criteria import Dimension
from deepassay.tasks.dates import Language

MOST_CONDITIONS: Final = 4
PARTICULAR: Final = 1.5
"""Weight of what a prompt asks for itself, against 1 for what every report needs."""


class Draft(NamedTuple):
    """One criterion. weight: in proportion to those of the others."""

    criterion: str
    explanation: str
    weight: float = 1.0


def baseline(traits: Traits, dimension: Dimension) -> list[Draft]:
    """Four to ten criteria of one dimension for a prompt, what it asks for itself first."""
    always = _wordings(traits.language)["always"][dimension]
    return [
        *(draft._replace(weight=PARTICULAR) for draft in _particular(traits, dimension)),
        *(_draft(wording, subject=traits.subject) for wording in always),
    ]


def _particular(traits: Traits, dimension: Dimension) -> Iterator[Draft]:
    """What this prompt asks for and others do not."""
    wordings = _wordings(traits.language)
    if dimension == "comprehensiveness":
        yield from (_draft(wordings["part"], part=part) for part in traits.parts)
    elif dimension == "instruction_following":
        conditions = traits.conditions[:MOST_CONDITIONS]
        yield from (_draft(wordings["condition"], part=part) for part in conditions)
    else:
        for kind in traits.wishes(dimension):
            yield _draft(wordings["wished"][kind], subject=traits.subject)


def _draft(wording: Mapping[str, str], **words: str) -> Draft:
    return Draft(wording["criterion"].format(**words), wording["explanation"].format(**words))


@cache
def _wordings(language: Language) -> Mapping[str, Json]:
    text = (files(__package__) / f"baseline.{language}.yaml").read_text("utf-8")
    return dict(read_yaml(text))
