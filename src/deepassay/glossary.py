"""The words that tables and commands explain, from one file: `glossary.toml`.

Whoever explains a word on screen takes its sentence from here; docs/glossary.md is made of the
same file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def _entries() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("deepassay").joinpath("glossary.toml").read_text(encoding="utf-8"))


def meaning(term: str) -> str:
    """What a term means, to go on from: no capital at the beginning, no full stop at the end.

    Raises KeyError for a term that the glossary lacks.
    """
    return _entries()[term]["says"]


def hint(word: str) -> str:
    """The sentence of a word, as it is shown over it; nothing for one that the glossary lacks."""
    if word not in _entries():
        return ""
    says = meaning(word)
    return f"{says[0].upper()}{says[1:]}."


def legend(*terms: str) -> str:
    """Terms explained beneath a table, each with a full stop: `ok: a text came, ...`."""
    return " ".join(f"{term}: {meaning(term)}." for term in terms)


def page() -> str:
    """The glossary as docs/glossary.md has it: every term by name, its sentence, its places."""
    lines = [
        "# Glossary",
        "",
        "The words of tables and commands, each in one sentence. Notes beneath tables are made of",
        "the same sentences: both come from [glossary.toml](../src/deepassay/glossary.toml).",
        "",
        "| term | what it means | where it appears |",
        "|---|---|---|",
    ]
    for term in sorted(_entries(), key=str.lower):
        lines.append(f"| **{term}** | {hint(term)} | {_entries()[term]['where']} |")
    return "\n".join(lines) + "\n"
