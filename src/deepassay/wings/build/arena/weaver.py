"""TaskWeaver: five to eight research tasks from a group of inspirations.

DeepResearch Arena, section "Task Generation and Filtering" and the appendix "Task generator
prompt". The inspirations of a task, its hours and its need of data are asked for besides what the
paper has, since only so its provenance and its difficulty can be checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.reports.sentences import split_sentences
from deepassay.score import Unscored, digest
from deepassay.tasks.task import Language, Task
from deepassay.tasks.yardsticks import PHASES, Phase
from deepassay.wings.build.arena.construction import (
    FEWEST,
    FEWEST_SHARED,
    LEANING,
    MOST,
    MOST_OF_A_FAMILY,
    PHASE_OF,
    FamilyName,
    Lead,
    Proposed,
    broken_rules,
    key_words,
)
from deepassay.wings.build.arena.inspiration import KINDS, Inspiration, Kind
from deepassay.wings.build.arena.provenance import Provenance, WovenTask
from deepassay.wings.build.wording import PROMPTS, wordings

MOST_SAID: Final = 12
"""Broken rules that are named when asking again."""


class Leads(Inputs):
    """The inspirations of a group."""

    inspirations: tuple[Lead, ...]


class Woven(Reply):
    """The tasks that a model proposes for a group of inspirations."""

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
    rule=2,
)


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
    told: set[tuple[str, FamilyName]] = set()  # of a claim, so that no two tasks are the same
    proposed = []
    for phase, lead in _slots(leads):
        claim = claims[lead.number]
        done = {family for known, family in told if known == claim}
        family = _family(phase, lead.type, used, done)
        used[family] += 1
        told.add((claim, family))
        hours, public = ADVANCED.get(family, (3.0, True))
        words = wordings("templates", language)
        emphasis = words["emphasis"][lead.type]
        task = words["families"][family].format(claim=claim, emphasis=emphasis)
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


def _family(
    phase: Phase, kind: Kind, used: Counter[FamilyName], done: Collection[FamilyName]
) -> FamilyName:
    """The least used family of the phase that is not done yet, those that suit the type first."""
    suiting = [family for family in PREFERRED[kind] if PHASE_OF[family] == phase]
    others = [family for family, own in PHASE_OF.items() if own == phase]
    menu = [
        family
        for family in (*suiting, *others)
        if used[family] < MOST_OF_A_FAMILY and family not in done
    ]
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
    filled: str = wordings("templates", language)["terms"].format(
        claim=claim, terms=mark.join(missing[:lacking])
    )
    return filled


def claim_of(text: str, language: Language) -> str:
    """The sentence with most key words, cut, without words that lean on the talk."""
    plain = text.translate(_QUOTES)
    sentences = (plain[start:end] for start, end in split_sentences(plain))
    best = max(sentences, key=lambda each: len(key_words(each, language)), default="")
    upright = LEANING[language].sub(" ", best[: _LONGEST_WORD * LONGEST[language]]).split()
    if language == "zh":
        return " ".join(upright)[: LONGEST["zh"]].strip(_FRINGE)
    return " ".join(upright[: LONGEST["en"]]).strip(_FRINGE)


SET: Final = "DeepResearch Arena"
"""The label `set` of tasks that are made in the way of this paper."""


@dataclass(frozen=True)
class InspirationGroup:
    """Inspirations that follow each other in a talk. id: transcript and number, from 1."""

    id: str
    inspirations: tuple[Inspiration, ...]

    @property
    def leads(self) -> Leads:
        """What the weaver is given of them."""
        return Leads(
            language=self.inspirations[0].language,
            inspirations=tuple(
                Lead(number=number, type=each.type, text=each.text)
                for number, each in enumerate(self.inspirations, start=1)
            ),
        )

    @property
    def digest(self) -> str:
        """Changes with whatever the weaver is given."""
        return digest(self.leads.model_dump(mode="json"))


def groups_of(inspirations: Sequence[Inspiration], size: int) -> list[InspirationGroup]:
    """The inspirations that the filter kept, so many at a time, in the order of each talk.

    The last group of a talk may have fewer. Talks stand in the order of their first inspiration.
    """
    kept = [each for each in inspirations if each.dropped is None]
    order = {name: place for place, name in enumerate(dict.fromkeys(e.transcript for e in kept))}
    ordered = sorted(kept, key=lambda each: (order[each.transcript], each.start, each.end))
    return [
        InspirationGroup(f"{name}-g{number}", members)
        for name, talk in groupby(ordered, key=lambda each: each.transcript)
        for number, members in enumerate(_batches(tuple(talk), size), start=1)
    ]


def _batches(talk: tuple[Inspiration, ...], size: int) -> Iterator[tuple[Inspiration, ...]]:
    for start in range(0, len(talk), size):
        yield talk[start : start + size]


async def woven_from(
    group: InspirationGroup, maker: Asker, discipline: str | None = None
) -> list[WovenTask] | Unscored:
    """The tasks of a group; Unscored if the maker gives none that keep to the rules."""
    answer = await maker(WEAVE, group.leads)
    if isinstance(answer, Unscored):
        return answer
    return [
        _as_task(group, number, proposed, discipline)
        for number, proposed in enumerate(answer.value.tasks, start=1)
    ]


def _as_task(
    group: InspirationGroup, number: int, proposed: Proposed, discipline: str | None
) -> WovenTask:
    grounds = [group.inspirations[place - 1] for place in sorted(proposed.inspirations)]
    types = {each.type for each in grounds}
    labels = {
        "set": SET,
        **({"discipline": discipline} if discipline else {}),
        "phase": proposed.phase,
        "family": proposed.family,
        "difficulty": proposed.difficulty,
        "type": " + ".join(kind for kind in KINDS if kind in types),
    }
    task = Task(
        id=f"{group.id}-{number}",
        prompt=" ".join(proposed.task.split()),
        language=grounds[0].language,
        labels=labels,
    )
    provenance = Provenance(
        id=task.id,
        prompt=task.prompt,
        hours=proposed.hours,
        public_data=proposed.public_data,
        inspirations=tuple(grounds),
        group=group.digest,
    )
    return WovenTask(task, provenance)
