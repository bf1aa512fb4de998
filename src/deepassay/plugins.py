"""What packages bring to DeepAssay: found by their entry points, or named as `module:Name`.

A package registers what it has in the group of its kind, as ours does in `pyproject.toml`:

    [project.entry-points."deepassay.protocols"]
    politeness = "deepassay_politeness:Politeness"

Names are read from the installed packages without importing any of them; what a name stands for
is imported when it is asked for.
"""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args

from deepassay.errors import BadSetting, Notice

Kind = Literal[
    "protocols",
    "rules",
    "models",
    "reports",
    "tasks",
    "documents",
    "agents",
    "commands",
    "columns",
    "pictures",
    "layouts",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
OURS: Final = "deepassay"
OF_WINGS: Final[frozenset[Kind]] = frozenset({"agents", "columns", "pictures", "layouts"})
"""Kinds of which the core itself has none."""

_REFERENCE = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*):([A-Za-z_]\w*(?:\.\w+)*)")


@dataclass(frozen=True)
class Plugin:
    """Something that a package registers. reference: `module:Name`. package: with its version."""

    kind: Kind
    name: str
    reference: str
    package: str
    version: str

    @property
    def ours(self) -> bool:
        """Whether it comes with DeepAssay itself."""
        return self.package == OURS

    def load(self) -> object:
        """Import it. Raises BadSetting, naming the package, where that fails."""
        try:
            return _imported(self.reference)
        except BadSetting:
            raise
        except (Exception, SystemExit) as error:  # whatever a module of others does
            raise BadSetting(
                f"{self.name}, of the {self.kind} in package {self.package} {self.version}, cannot "
                f"be loaded: {error_in_one_line(error)}",
                f"Update the package, or remove it: pip uninstall {self.package}.",
            ) from error


@cache
def _registered() -> metadata.SelectableGroups:
    """What all packages register, read once: to look through them takes as long for one kind."""
    return metadata.entry_points()


@cache
def plugins(kind: Kind) -> dict[str, tuple[Plugin, ...]]:
    """What is registered under each name: ours first, then by name; nothing is imported.

    Several under one name are a clash, which `one` refuses.
    """
    found: dict[str, dict[str, Plugin]] = {}
    for each in _registered().select(group=f"deepassay.{kind}"):
        package = each.dist.name if each.dist else "an unnamed package"
        version = each.dist.version if each.dist else ""
        plugin = Plugin(kind, each.name, each.value, package, version)
        found.setdefault(each.name, {})[package] = plugin
    names = {name: tuple(those.values()) for name, those in found.items()}
    ours = any(plugin.ours for those in names.values() for plugin in those)
    if not ours and kind not in OF_WINGS:
        raise BadSetting(
            "DeepAssay is installed by an older version than the one that runs.",
            "Install it again: pip install -e . in a checkout.",
        )
    return dict(sorted(names.items(), key=lambda each: (not each[1][0].ours, each[0])))


def one(kind: Kind, name: str) -> Plugin | None:
    """What this name stands for, if anything. Raises BadSetting if two packages bring it."""
    those = plugins(kind).get(name, ())
    if len(those) > 1:
        packages = " and ".join(sorted(plugin.package for plugin in those))
        raise BadSetting(
            f"{name!r}, of the {kind}, is brought by several packages: {packages}.",
            "Uninstall all but one of them, or name the one you mean as module:Name.",
        )
    return those[0] if those else None


def loaded(kind: Kind) -> Iterator[tuple[Plugin, object]]:
    """Everything of a kind that can be loaded; of the rest a Notice tells in a sentence."""
    for name in plugins(kind):
        try:
            plugin = one(kind, name)
            found = plugin.load() if plugin else None
        except BadSetting as error:
            warnings.warn(Notice(f"{error.problem} It is left out."), stacklevel=2)
            continue
        if plugin:
            yield plugin, found


T = TypeVar("T")


def every(kind: Kind, of: type[T]) -> list[tuple[Plugin, T]]:
    """Everything of a kind, also where a package registers several values as one tuple.

    Of what is no `of`, a Notice tells.
    """
    found: list[tuple[Plugin, T]] = []
    for plugin, value in loaded(kind):
        for each in [value] if isinstance(value, of) else value if type(value) is tuple else [None]:
            if isinstance(each, of):
                found.append((plugin, each))
            else:
                warnings.warn(
                    Notice(
                        f"{plugin.name}, of the {kind} in package {plugin.package}, is no "
                        f"{of.__name__}. It is left out."
                    ),
                    stacklevel=2,
                )
    return found


def by_key(found: Iterable[tuple[Plugin, T]], keys: Callable[[T], Iterable[str]]) -> dict[str, T]:
    """The values under their keys. Raises BadSetting for a key that two packages claim."""
    known: dict[str, tuple[Plugin, T]] = {}
    for plugin, value in found:
        for key in keys(value):
            other, _ = known.setdefault(key, (plugin, value))
            if other.package != plugin.package:
                raise BadSetting(
                    f"{key} is claimed by two packages, {other.package} and {plugin.package} "
                    f"(as {plugin.kind}).",
                    "Uninstall one of them.",
                )
    return {key: value for key, (_, value) in known.items()}


def of_wing(module: str, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
    """What the core takes from a module below `deepassay.wings`, by name and late.

    Raises BadSetting where that wing is not there.
    """
    wing = module.partition(".")[0]
    try:
        return getattr(import_module(f"deepassay.wings.{module}"), name)
    except ModuleNotFoundError as error:
        if error.name not in {"deepassay.wings", f"deepassay.wings.{wing}"}:
            raise
        raise BadSetting(
            f"This needs the wing {wing} of DeepAssay, which is not there.",
            "Install the whole of DeepAssay: pip install --force-reinstall deepassay.",
        ) from None


def is_reference(text: str) -> bool:
    """Whether a text is written as `module:Name`."""
    return _REFERENCE.fullmatch(text) is not None


def load_reference(text: str, what: str) -> object:
    """What `module:Name` stands for, modules of the present folder included. Raises BadSetting.

    what: it should be, for the message.
    """
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.append(here)
    try:
        return _imported(text)
    except (Exception, SystemExit) as error:  # whatever a module of others does
        raise BadSetting(
            f"{text} cannot be loaded as a {what}: {error_in_one_line(error)}",
            "Write module:Name, of a module that `python -c 'import module'` finds.",
        ) from error
    finally:
        if added:
            sys.path.remove(here)


def _imported(reference: str) -> object:
    module, _, path = reference.partition(":")
    found: object = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found


def error_in_one_line(error: BaseException) -> str:
    """An error of somebody else's code, in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}."


def module_and_name(thing: object) -> str:
    """How a function, a class or the class of a value is written: `module:Name`."""
    kind = thing if inspect.isroutine(thing) or inspect.isclass(thing) else type(thing)
    return f"{kind.__module__}:{kind.__qualname__}"


def code_of(thing: object) -> str:
    """Which code a function, a class or a value is of: the package and version that it came with.

    Of what no package holds, such as a notebook, a digest of its text; nothing where that is not
    known either.
    """
    kind = thing if inspect.isroutine(thing) or inspect.isclass(thing) else type(thing)
    top = kind.__module__.partition(".")[0]
    if packages := _packages(top):
        return ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    try:
        return sha256(inspect.getsource(kind).encode()).hexdigest()[:12]
    except (OSError, TypeError):
        return ""


@cache
def _packages(top: str) -> list[str]:
    """The installed packages that hold a module of this name, as `packages_distributions` says.

    That takes the lists of all files of all packages apart: half a second, for one name of many.
    """
    return sorted({each.metadata["Name"] for each in metadata.distributions() if _holds(each, top)})


def _holds(package: metadata.Distribution, top: str) -> bool:
    if declared := (package.read_text("top_level.txt") or "").split():
        return top in declared
    listed = package.read_text("RECORD")
    if listed is not None and top not in listed:
        return False
    return any(
        top == (file.parts[0] if len(file.parts) > 1 else inspect.getmodulename(file.name))
        for file in package.files or ()
        if file.suffix == ".py" or sys.version_info >= (3, 12)
    )
