"""What the documentation site needs besides the files: README as first page, public names."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType, UnionType

from griffe import Module, ModuleFinder
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import deepassay

ROOT = Path(__file__).resolve().parent.parent
INTO_DOCS = re.compile(r"(?<=\]\()docs/")
OUTSIDE = re.compile(r"!?\[([^\]]+)\]\((?!https?:|#|mailto:)(?:\.\./)?[^)]*\)")

SHOWN: set[str] = set()
"""The modules that define public names, and the packages that these are in."""

_every = ModuleFinder.submodules


def _shown(finder: ModuleFinder, module: Module) -> list[tuple[tuple[str, ...], Path]]:
    """Of hundreds of modules those that are shown: to read all takes a third of the time."""
    found = _every(finder, module)
    return [each for each in found if ".".join([module.name, *each[0]]) in SHOWN]


ModuleFinder.submodules = _shown  # type: ignore[method-assign]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made for the site alone."""
    readme = INTO_DOCS.sub("", (ROOT / "README.md").read_text(encoding="utf-8"))
    made = {"index.md": readme, "reference.md": reference()}
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def reference() -> str:
    """A page with the docstring of every public name, from where it is defined."""
    names = sorted(set(deepassay.__all__) - {"__version__"})
    parts = ["# Public names", "", "What `import deepassay` offers; how to use it is in"]
    parts += ["[From Python](python.md).", ""]
    for name in names:
        value = getattr(deepassay, name)
        if isinstance(value, ModuleType):  # a room that can be called: `deepassay.tasks(...)`
            place = f"{value.__name__}.loaders.{name}_of"
        elif isinstance(value, UnionType):
            place = f"deepassay.{deepassay._HOME[name]}.{name}"
        else:
            place = f"{value.__module__}.{name}"
        rooms = place.split(".")[:-1]
        SHOWN.update(".".join(rooms[:end]) for end in range(1, len(rooms) + 1))
        parts += [f"::: {place}", "    options:", f"      heading: {name}", ""]
    return "\n".join(parts)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to files that are not on the site become plain words; README is its first page."""

    def kept(match: re.Match[str]) -> str:
        target = match.group(0).rpartition("](")[2].rstrip(")").partition("#")[0]
        return match.group(0) if files.get_file_from_path(target) else match.group(1)

    return OUTSIDE.sub(kept, markdown.replace("](../README.md)", "](index.md)"))
