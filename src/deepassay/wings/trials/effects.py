"""Which scores a change of a report should move, and which it must leave alone.

One table for the protocols of this package, by metric: `score` is the value of a protocol, any
other name a part of it. A protocol of another package declares its own in `Protocol.effects`, a
metric in YAML its own in `effects`. `pad` stands for padding by any share. Where a metric says
nothing of a perturbation, nothing is expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from deepassay.errors import BadSetting
from deepassay.protocols.protocol import Protocol
from deepassay.score import WHOLE, Direction
from deepassay.wings.trials.perturb import PERTURBATIONS
from deepassay.wings.trials.perturb.marks import SIGNED, SWAP_PAGES

Effects = Mapping[str, Mapping[str, Direction]]
"""By metric and perturbation."""

LOWER, HIGHER, SAME, NOT_HIGHER = Direction

OF_ALL: Final[Mapping[str, Direction]] = {"address-judge": NOT_HIGHER, "signed": SAME}
"""No score of any protocol may rise for a plea, or move with the name of an author."""


def _all(direction: Direction, *names: str) -> dict[str, Direction]:
    return dict.fromkeys(names, direction)


_ADDRESSES: Final = ("dead-url", "swap-pages")
OF_CITATIONS: Final = ("delete-citations", "swap-citations", "break-number", *_ADDRESSES)
"""Changes of citations alone. An address that stands as words of a sentence is more than that."""
_FORM: Final = ("shuffle-sections", "duplicate-paragraph", "pad", "strip-style")
_FALSE: Final = ("change-number", "negate-sentence", "swap-citations", *_ADDRESSES)
_NO_GAIN: Final = ("shuffle-sections", "duplicate-paragraph", "pad", "plant-contradiction")

_RACE: Final[Effects] = {
    # Articles are cleaned of citations: what changes nothing but these changes nothing.
    WHOLE: _all(LOWER, "drop-section")
    | _all(SAME, *OF_CITATIONS)
    | _all(NOT_HIGHER, *_NO_GAIN, "strip-style"),
    "comprehensiveness": _all(LOWER, "drop-section") | _all(NOT_HIGHER, "pad"),
    "readability": _all(LOWER, "shuffle-sections", "strip-style")
    | _all(NOT_HIGHER, "pad", "duplicate-paragraph")
    | _all(SAME, "change-number"),
}
_COVERAGE: Final[Effects] = {
    WHOLE: _all(LOWER, "drop-section")
    | _all(SAME, *OF_CITATIONS, *_FORM, "change-number", "negate-sentence", "plant-contradiction")
}
_CHECKLISTS: Final[Effects] = {
    WHOLE: _all(LOWER, "drop-section")
    | _all(NOT_HIGHER, *_NO_GAIN, "strip-style", "change-number", "negate-sentence")
}
_SUPPORT: Final = _all(LOWER, *_FALSE) | _all(SAME, *_FORM)

EFFECTS: Final[Mapping[str, Effects]] = {
    "race": _RACE,
    "coverage": _COVERAGE,
    "rubrics": _CHECKLISTS,
    "ace": _CHECKLISTS,
    "depth": {
        WHOLE: _all(LOWER, "drop-section")
        | _all(NOT_HIGHER, "delete-citations", "plant-contradiction", "duplicate-paragraph", "pad")
    },
    "presentation": {
        WHOLE: _all(LOWER, "shuffle-sections", "duplicate-paragraph", "strip-style", "break-number")
        | _all(SAME, "change-number", "negate-sentence", "swap-citations", *_ADDRESSES)
        | _all(NOT_HIGHER, "pad")
    },
    "consistency": {
        WHOLE: _all(LOWER, "plant-contradiction")
        | _all(NOT_HIGHER, "change-number", "negate-sentence")
        | _all(SAME, *OF_CITATIONS, *_FORM)
    },
    "citation_association": {
        WHOLE: _all(LOWER, "delete-citations", "break-number")
        | _all(NOT_HIGHER, "swap-citations")
        | _all(SAME, *_FORM, "change-number", "negate-sentence", "plant-contradiction")
    },
    "citation_accuracy": {WHOLE: _SUPPORT, "E1 rate": _all(HIGHER, "dead-url")},
    "fact": {
        WHOLE: _SUPPORT,
        "E.Cit": _all(LOWER, "delete-citations", "swap-citations", *_ADDRESSES)
        | _all(SAME, *_FORM),
        "citation recall": _all(LOWER, "delete-citations"),
        "uncited": _all(HIGHER, "delete-citations"),
    },
    "kae": {
        WHOLE: _all(LOWER, "drop-section")
        | _all(SAME, "shuffle-sections", "pad", "strip-style", "delete-citations")
        | _all(NOT_HIGHER, "negate-sentence", "change-number")
    },
    "direct_rating": {WHOLE: _all(NOT_HIGHER, "pad", "plant-contradiction", "drop-section")},
}


KNOWN: Final = (*PERTURBATIONS, SWAP_PAGES, SIGNED)
"""The changes of which something can be expected."""


def effects_of(protocol: Protocol) -> Effects:
    """What is expected of the metrics of a protocol; its score never gains by a plea or a name.

    Raises BadSetting for a change or a direction that it declares and that is none.
    """
    own = dict(EFFECTS.get(protocol.name, {}))
    if protocol.effects is not None:
        own = {metric: _checked(protocol, each) for metric, each in protocol.effects.items()}
    score = dict(own.get(WHOLE, {}))
    if (protocol.name, protocol.edition) == ("fact", "code"):
        score["dead-url"] = SAME  # the released program leaves out what it could not read
    if protocol.name == "race" and not protocol.cleans:
        score = {name: way for name, way in score.items() if name not in OF_CITATIONS}
    return {**own, WHOLE: score | dict(OF_ALL)}


def _checked(protocol: Protocol, effects: Mapping[str, str]) -> dict[str, Direction]:
    """Effects as they are declared, whose names are known."""
    for name, direction in effects.items():
        menu = KNOWN if name not in KNOWN else [*Direction]
        if (wrong := name if name not in KNOWN else direction) not in menu:
            raise BadSetting(
                f"The effects of {protocol} name {wrong!r}, which does not exist.",
                f"Write one of {', '.join(menu)}.",
            )
    return {name: Direction(direction) for name, direction in effects.items()}


def by_perturbation() -> dict[str, dict[str, Direction]]:
    """The directions of the scores of our protocols, by perturbation."""
    found: dict[str, dict[str, Direction]] = {}
    for protocol, metrics in sorted(EFFECTS.items()):
        for name, direction in {**metrics.get(WHOLE, {}), **OF_ALL}.items():
            found.setdefault(name, {})[protocol] = direction
    return found
