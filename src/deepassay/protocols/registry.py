"""Protocols by name: `coverage`, `presentation(mechanical=True)`, `module:Class`, and groups.

Names are those that packages register in the group `deepassay.protocols` (see `plugins`), this
one among them. A class is imported when its name is used.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.errors import BadSetting, meant
from deepassay.plugins import is_reference, load_reference, one, plugins
from deepassay.protocols.protocol import Protocol
from deepassay.score import Json

DEEPEVAL: Final = (
    "presentation",
    "consistency",
    "coverage",
    "depth",
    "citation_association",
    "citation_accuracy",
)

ABLATIONS: Final = (
    "race",
    "race(criteria_weights=False)",
    "race(dimension_weights=False)",
    "race(criteria_weights=False, dimension_weights=False)",
    "race(reference=False)",
    "race(position='second')",
    "race(position='both')",
    "race(criteria='static')",
    "race(vanilla=True)",
)
"""The rows of Table 2, and both positions, which is ours."""

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "arena": ("kae", "ace"),
    "bench": ("race", "fact"),
    "race-ablations": ABLATIONS,
    "rubrics": ("rubrics",),
    "deepeval": DEEPEVAL,
    "all": (*DEEPEVAL, "error_patterns", "race", "fact", "rubrics", "kae", "ace", "surface"),
}
"""A group holds what exists of its paper's protocols, each as one writes it.

`all` are those of this package: which ones a run is scored by must not depend on what else is
installed.
"""


class _Registered(Mapping[str, type[Protocol]]):
    """The class that each registered name stands for."""

    def __getitem__(self, name: str) -> type[Protocol]:
        plugin = one("protocols", name)
        if plugin is None:
            raise KeyError(name)
        found = plugin.load()
        if isinstance(found, Protocol):
            found = type(found)
        if not (isinstance(found, type) and issubclass(found, Protocol)) or found.name != name:
            raise BadSetting(
                f"Package {plugin.package} registers {plugin.reference} as the protocol {name!r}, "
                "and that is no protocol of this name.",
                "A protocol is a subclass of deepassay.Protocol whose `name` is its entry point's.",
            )
        return found

    def __contains__(self, name: object) -> bool:
        return name in plugins("protocols")  # without importing it

    def __iter__(self) -> Iterator[str]:
        ours = GROUPS["all"]
        return iter((*ours, *(name for name in plugins("protocols") if name not in ours)))

    def __len__(self) -> int:
        return len([*iter(self)])


PROTOCOLS: Final[Mapping[str, type[Protocol]]] = _Registered()
"""Ours first; nothing is imported until a name is looked up."""


def parse_protocols(
    names: Sequence[str | Protocol | type[Protocol]], edition: str = "paper"
) -> tuple[Protocol, ...]:
    """Everything that several names mean, each protocol once. Raises BadSetting.

    Where a protocol stands in place of a name it is taken as it is; a class, with its defaults.
    """
    found = tuple(dict.fromkeys(each for name in names for each in _meant(name, edition)))
    for name, times in Counter(map(str, found)).items():
        if times > 1:  # run files and tables know them by nothing else
            raise BadSetting(f"{times} protocols have the name {name}.", "Rename one of them.")
    return found


def _meant(name: str | Protocol | type[Protocol], edition: str) -> tuple[Protocol, ...]:
    if isinstance(name, Protocol):
        return (name,)
    if isinstance(name, type) and issubclass(name, Protocol):
        return (_with_options(name, {}, edition),)
    if isinstance(name, str):
        return parse(name, edition)
    raise BadSetting(
        f"{name!r} is no protocol.", "Give a name, a value such as Race(), or a class."
    )


def parse(text: str, edition: str = "paper") -> tuple[Protocol, ...]:
    """What a name means: one protocol, with its options in brackets, or a group of protocols.

    The text is read as Python writes a call, with values that are literals, and never run.
    An edition inside the brackets wins over the other. Of a group, those stay out that do not
    exist in the edition. `module:Class` and `module:value` are imported, `metric.yaml` is read.
    Raises BadSetting.
    """
    if text.strip() in GROUPS:
        members = [
            member
            for member in map(_read, GROUPS[text.strip()])
            if edition in PROTOCOLS[member.name].editions
        ]
        if not members:
            raise BadSetting(
                f"The group {text.strip()!r} has no protocol of edition {edition!r}.", _available()
            )
        return tuple(_make(member, edition) for member in members)
    if is_file(text):
        from deepassay.protocols.from_yaml import protocol_in

        protocol = protocol_in(Path(text.strip()))
        if protocol.name in PROTOCOLS or protocol.name in GROUPS:
            raise BadSetting(
                f"There is a protocol {protocol.name!r} already.", "Give the metric another `name`."
            )
        return (protocol,)
    return (_make(_read(text), edition),)


def is_file(name: str) -> bool:
    """Whether a protocol is named by its file, one that `from_yaml` reads."""
    return name.strip().lower().endswith((".yaml", ".yml"))


def installed(name: str) -> Protocol | None:
    """The protocol that a run file names, or None where it cannot be had here."""
    try:
        written = _read(name)
        if is_reference(written.name):
            return None  # what a file says imports nothing
        return _make(written, None)  # a name says every option that is not the default
    except (BadSetting, ValueError):
        return None


def defined(definition: str, name: str) -> Protocol | None:
    """The protocol of a file whose text a run file kept, or None where it cannot be read.

    A protocol of ours that has a text is one by a set of somebody's own, whose table that is.
    """
    from deepassay.protocols.from_yaml import protocol_of

    try:
        if name.partition("(")[0] not in PROTOCOLS:
            return protocol_of(definition, name)
        written = _read(name)
        kind = PROTOCOLS[written.name]
        kept = {"table": definition, "__module__": kind.__module__}
        return _with_options(type(kind.__name__, (kind,), kept), written.options, None)
    except BadSetting:
        return None


class _WrittenProtocol(NamedTuple):
    """How one writes a protocol. name: of one that is registered, or `module:Name`."""

    name: str
    options: dict[str, Json]


def _read(text: str) -> _WrittenProtocol:
    """Name and options of `name`, `name(option=value, …)` or the same of `module:Name`."""
    written = text.strip()
    head, bracket, rest = written.partition("(")
    # A colon is no part of a name in Python: a word stands in for `module:Name`.
    refers = is_reference(head.strip())
    try:
        tree = ast.parse(f"_{bracket}{rest}" if refers else written, mode="eval").body
        if isinstance(tree, ast.Name):
            return _WrittenProtocol(head.strip(), {})
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.args:
            options = {str(each.arg): ast.literal_eval(each.value) for each in tree.keywords}
            if "None" not in options:  # `**options` has no name
                return _WrittenProtocol(head.strip(), options)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    raise BadSetting(
        f"{text[:80]!r} is not how a protocol is written.",
        "Write a name, a name with options: presentation(mechanical=True), or module:Class.",
    )


def _make(written: _WrittenProtocol, edition: str | None) -> Protocol:
    name, options = written
    if not is_reference(name):
        if name not in PROTOCOLS:
            raise BadSetting(
                f"There is no protocol {name!r}.", meant(name, PROTOCOLS) + _available()
            )
        return _with_options(PROTOCOLS[name], options, edition)
    found = load_reference(name, "protocol")
    if isinstance(found, Protocol):
        return replace(found, **options)
    if not (isinstance(found, type) and issubclass(found, Protocol)):
        raise BadSetting(
            f"{name} is no protocol.", "Name a subclass of deepassay.Protocol, or a value."
        )
    return _with_options(found, options, edition)


def _with_options(kind: type[Protocol], options: dict[str, Json], edition: str | None) -> Protocol:
    values: dict[str, Json] = ({"edition": edition} if edition else {}) | options
    known = {field.name: field.default for field in fields(kind)}
    for option, value in values.items():
        if option not in known:
            raise BadSetting(
                f"{getattr(kind, 'name', kind.__name__)} has no option {option!r}.",
                f"Its options: {', '.join(known)}.",
            )
        default = known[option]
        if default is not MISSING and type(value) is not type(default):
            raise BadSetting(
                f"{kind.name}({option}={value!r}): that is not a {type(default).__name__}.",
                f"Write it as in {kind.name}({option}={default!r}).",
            )
    try:
        return kind(**values)
    except TypeError as error:  # an option without a default is missing, or the class is abstract
        name = getattr(kind, "name", kind.__name__)
        raise BadSetting(f"{name} cannot be made: {error}.", "Give its options.") from error


def _available() -> str:
    groups = [name for name, members in GROUPS.items() if members]
    return f"Protocols: {', '.join(PROTOCOLS)}. Groups: {', '.join(groups)}."
