"""Protocols by name: `coverage`, `presentation(mechanical=True)`, and groups of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import fields
from typing import Final

from deepassay.errors import BadSetting
from deepassay.protocols.ace.ace import Ace
from deepassay.protocols.citation_accuracy.citation_accuracy import CitationAccuracy
from deepassay.protocols.citation_association import CitationAssociation
from deepassay.protocols.consistency import Consistency
from deepassay.protocols.coverage import Coverage
from deepassay.protocols.depth.depth import Depth
from deepassay.protocols.error_patterns.error_patterns import ErrorPatterns
from deepassay.protocols.fact.fact import Fact
from deepassay.protocols.kae.kae import Kae
from deepassay.protocols.presentation import Presentation
from deepassay.protocols.protocol import Protocol
from deepassay.protocols.race.race import ABLATIONS, Race
from deepassay.protocols.rubrics.rubrics import Rubrics
from deepassay.score import Json

PROTOCOLS: Final[dict[str, type[Protocol]]] = {
    protocol.name: protocol
    for protocol in (
        Presentation,
        Consistency,
        Coverage,
        Depth,
        CitationAssociation,
        CitationAccuracy,
        ErrorPatterns,
        Race,
        Fact,
        Rubrics,
        Kae,
        Ace,
    )
}

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "arena": ("kae", "ace"),
    "bench": ("race", "fact"),
    "race-ablations": ABLATIONS,
    "rubrics": ("rubrics",),
    "deepeval": (
        "presentation",
        "consistency",
        "coverage",
        "depth",
        "citation_association",
        "citation_accuracy",
    ),
    "all": tuple(PROTOCOLS),
}
"""A group holds what exists of its paper's protocols, each as one writes it."""


def parse_protocols(names: Sequence[str], edition: str = "paper") -> tuple[Protocol, ...]:
    """Everything that several names mean, each protocol once. Raises BadSetting."""
    return tuple(dict.fromkeys(each for name in names for each in parse(name, edition)))


def parse(text: str, edition: str = "paper") -> tuple[Protocol, ...]:
    """What a name means: one protocol, with its options in brackets, or a group of protocols.

    The text is read as Python writes a call, with values that are literals, and never run.
    An edition inside the brackets wins over the other. Of a group, those stay out that do not
    exist in the edition. Raises BadSetting.
    """
    if text.strip() in GROUPS:
        members = [
            member
            for member in GROUPS[text.strip()]
            if edition in PROTOCOLS[_read(member)[0]].editions
        ]
        if not members:
            raise BadSetting(
                f"The group {text.strip()!r} has no protocol of edition {edition!r}.", _available()
            )
        return tuple(_make(*_read(member), edition) for member in members)
    return (_make(*_read(text), edition),)


def installed(name: str) -> Protocol | None:
    """The protocol that a run file names, or None where it cannot be had here."""
    try:
        (protocol,) = parse(name)
    except (BadSetting, ValueError):
        return None
    return protocol


def _read(text: str) -> tuple[str, dict[str, Json]]:
    """Name and options of `name` or `name(option=value, …)`."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        if isinstance(tree, ast.Name):
            return tree.id, {}
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.args:
            options = {str(each.arg): ast.literal_eval(each.value) for each in tree.keywords}
            if "None" not in options:  # `**options` has no name
                return tree.func.id, options
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    raise BadSetting(
        f"{text[:80]!r} is not how a protocol is written.",
        "Write a name, or a name with options: presentation(mechanical=True).",
    )


def _make(name: str, options: dict[str, Json], edition: str) -> Protocol:
    if name not in PROTOCOLS:
        raise BadSetting(f"There is no protocol {name!r}.", _available())
    kind = PROTOCOLS[name]
    values: dict[str, Json] = {"edition": edition} | options
    known = {field.name: field.default for field in fields(kind)}
    for option, value in values.items():
        if option not in known:
            raise BadSetting(
                f"{name} has no option {option!r}.", f"Its options: {', '.join(known)}."
            )
        if type(value) is not type(known[option]):
            raise BadSetting(
                f"{name}({option}={value!r}): that is not a {type(known[option]).__name__}.",
                f"Write it as in {name}({option}={known[option]!r}).",
            )
    return kind(**values)


def _available() -> str:
    groups = [name for name, members in GROUPS.items() if members]
    return f"Protocols: {', '.join(PROTOCOLS)}. Groups: {', '.join(groups)}."
