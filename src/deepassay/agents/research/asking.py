"""What the operations of the research agent share: the prompt folder and how identifiers look."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.resources import files
from typing import Any, Final

from deepassay.models.operation import OffMenu, Operation
from deepassay.reports.sentences import split

PROMPTS: Final = files("deepassay.agents") / "prompts"

research_operation = partial(Operation, prompts=PROMPTS, house="research")

CITED: Final = re.compile(r"\[\s*(e\d+(?:\s*[,，;]\s*e\d+)*)\s*\]")
"""How drafts cite: `[e3]`, or several at once."""

_ID: Final = re.compile(r"\A\[(e\d+)\]")


def id_of(line: str) -> str:
    """The identifier that a line of evidence begins with."""
    found = _ID.match(line)
    return found[1] if found else ""


def ids_in(text: str) -> list[str]:
    """The identifiers that a draft cites, in their order, each time."""
    return [each for found in CITED.finditer(text) for each in re.split(r"\s*[,，;]\s*", found[1])]


def on_menu(numbers: Iterable[int], menu: Sequence[object], what: str) -> None:
    """Raises OffMenu for a number that is not on a menu, from 1."""
    for number in numbers:
        if not 1 <= number <= len(menu):
            raise OffMenu(f"{what} {number} is not on the list, which has {len(menu)}")


def cites_only(text: str, menu: Iterable[str]) -> None:
    """Raises OffMenu where a draft cites what it was not given."""
    known = set(menu)
    if unknown := [each for each in dict.fromkeys(ids_in(text)) if each not in known]:
        raise OffMenu(f"[{unknown[0]}] is not among the evidence given; cite only what is")


def once(check: Callable[[Any, Any], None]) -> Callable[[Any, Any], str]:
    """A check of prose as a doubt: told to the model once, and then the text stands as it is.

    What a text may not cite is taken out by citation control, which tells of it.
    """

    def doubt(inputs: object, answer: object) -> str:
        try:
            check(inputs, answer)
        except OffMenu as problem:
            return str(problem)
        return ""

    return doubt


def with_ids(sentence: str, ids: Sequence[str]) -> str:
    """A sentence that cites: before the mark that ends it."""
    bare = sentence.rstrip()
    mark = bare[-1:] if bare[-1:] in ".!?。！？" else ""
    body = bare[: len(bare) - len(mark)].rstrip()
    blank = "" if body[-1:] >= "\u2e80" else " "
    stop = mark or ("。" if body[-1:] >= "\u2e80" else ".")
    return f"{body}{blank}[{', '.join(ids)}]{stop}"


def at_length(text: str) -> str:
    """A span of a task as a question or a step: 3 to 500 characters."""
    return text[:500].ljust(3, "…")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line; none goes beyond its paragraph."""
    return [
        " ".join(span.of(paragraph).split())
        for paragraph in re.split(r"\n[ \t]*\n", text)
        for span in split(paragraph)
    ]
