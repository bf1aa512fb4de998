"""TaskWeaver: five to eight research tasks from a group of inspirations.

DeepResearch Arena, section "Task Generation and Filtering" and the appendix "Task generator
prompt". The inspirations of a task, its hours and its need of data are asked for besides what the
paper has, since only so its provenance and its difficulty can be checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from deepassay.curate.construction import (
    FEWEST,
    FEWEST_SHARED,
    LEANING,
    MOST,
    MOST_OF_A_FAMILY,
    PHASE_OF,
    PHASES,
    FamilyName,
    Lead,
    Phase,
    Proposed,
    broken_rules,
)
from deepassay.curate.criteria import PROMPTS
from deepassay.curate.inspiration import Kind
from deepassay.curate.key_words import key_words
from deepassay.files import read_yaml
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.reports.sentences import split
from deepassay.score import Json
from deepassay.tasks.dates import Language

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


# ------------------------------------------------------------------ templates


PREFERRED: Final[Mapping[Kind, tuple[FamilyName, ...]]] = {
    "Limitation": (
        "Literature Survey",
        "Requirements Gathering / Needs Analysis",
        "Evaluation Metric Design",
        "Replicability & Bias Review",
    ),
    "Methodology": (
        "Trend / Market Scan",
        "Method / Experiment Blueprint",
        "Prototype / System Specification",
        "Comparative Analysis",
    ),
    "Transdisciplinarity": (
        "Requirements Gathering / Needs Analysis",
        "Prototype / System Specification",
        "Comparative Analysis",
    ),
    "Hypothesis": ("Literature Survey", "Hypothesis Generation", "Empirical / Simulation Test"),
}
"""The families that suit a type best, the best of each phase first."""

LONGEST: Final[Mapping[Language, int]] = {"en": 28, "zh": 45}
"""Words, or Chinese characters, of what is quoted of an inspiration."""

_LONGEST_WORD: Final = 40
_QUOTES: Final = str.maketrans('“”"„«»「」『』', "'" * 10)
_FRINGE: Final = " \t\r\n.,;:?!…-–—。，；：？！、"

ADVANCED: Final[Mapping[FamilyName, tuple[float, bool]]] = {
    "Method / Experiment Blueprint": (8.0, True),
    "Prototype / System Specification": (8.0, True),
    "Empirical / Simulation Test": (24.0, False),
    "Replicability & Bias Review": (16.0, True),
}
"""Hours, and whether public data suffice. The other families are Basic."""


def from_templates(leads: Sequence[Lead], language: Language) -> list[Proposed]:
    """Tasks for a group: every inspiration in every phase, as far as the number allows."""
    used = Counter[FamilyName]()
    claims = {lead.number: _claim(lead, language) for lead in leads}
    proposed = []
    for phase, lead in _slots(leads):
        family = _family(phase, lead.type, used)
        used[family] += 1
        hours, public = ADVANCED.get(family, (3.0, True))
        wordings = _wordings(language)
        emphasis = wordings["emphasis"][lead.type]
        task = wordings["families"][family].format(claim=claims[lead.number], emphasis=emphasis)
        proposed.append(
            Proposed(
                phase=phase,
                family=family,
                difficulty="Advanced" if family in ADVANCED else "Basic",
                hours=hours,
                public_data=public,
                inspirations=[lead.number],
                task=task,
            )
        )
    return sorted(proposed, key=lambda each: PHASES.index(each.phase))


def _slots(leads: Sequence[Lead]) -> Iterator[tuple[Phase, Lead]]:
    """Phases and inspirations in turn, so that neither is left out."""
    count = len(leads)
    for slot in range(min(MOST, max(FEWEST, len(PHASES) * count))):
        yield PHASES[(slot // count + slot % count) % len(PHASES)], leads[slot % count]


def _family(phase: Phase, kind: Kind, used: Counter[FamilyName]) -> FamilyName:
    """The least used family of the phase, those that suit the type first."""
    suiting = [family for family in PREFERRED[kind] if PHASE_OF[family] == phase]
    others = [family for family, own in PHASE_OF.items() if own == phase]
    menu = [family for family in (*suiting, *others) if used[family] < MOST_OF_A_FAMILY]
    return min(menu, key=used.__getitem__)


def _claim(lead: Lead, language: Language) -> str:
    """What is quoted of an inspiration, with further key words where it has too few."""
    claim = claim_of(lead.text, language)
    wording = key_words(lead.text, language)
    missing = [form for key, form in wording.items() if key not in key_words(claim, language)]
    lacking = FEWEST_SHARED[language] - (len(wording) - len(missing))
    if lacking <= 0 or not missing:
        return claim
    mark = "、" if language == "zh" else ", "
    filled: str = _wordings(language)["terms"].format(
        claim=claim, terms=mark.join(missing[:lacking])
    )
    return filled


def claim_of(text: str, language: Language) -> str:
    """The sentence with most key words, cut, without words that lean on the talk."""
    plain = text.translate(_QUOTES)
    sentences = (plain[start:end] for start, end in split(plain))
    best = max(sentences, key=lambda each: len(key_words(each, language)), default="")
    upright = LEANING[language].sub(" ", best[: _LONGEST_WORD * LONGEST[language]]).split()
    if language == "zh":
        return " ".join(upright)[: LONGEST["zh"]].strip(_FRINGE)
    return " ".join(upright[: LONGEST["en"]]).strip(_FRINGE)


@cache
def _wordings(language: Language) -> dict[str, Json]:
    text = (files(__package__) / f"templates.{language}.yaml").read_text("utf-8")
    wordings: dict[str, Json] = read_yaml(text)
    return wordings
