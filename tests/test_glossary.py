"""The glossary is what its file says, and its words are those that people meet."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from deepassay.glossary import legend, meaning, page

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCE = REPOSITORY / "src" / "deepassay"
ENTRIES = tomllib.loads((SOURCE / "glossary.toml").read_text(encoding="utf-8"))


@cache
def nodes() -> tuple[ast.AST, ...]:
    """Everything in the code of the package."""
    texts = (path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    return tuple(node for text in texts for node in ast.walk(ast.parse(text)))


@cache
def said() -> str:
    """Every text in the code of the package, one after the other."""
    return "\n".join(
        node.value
        for node in nodes()
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def asked() -> Iterator[str]:
    """Every term whose sentence some note or message is made of."""
    for node in nodes():
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"legend", "meaning"}
        ):
            yield from (str(each.value) for each in node.args if isinstance(each, ast.Constant))


def test_the_page_is_made_of_the_file() -> None:
    told = "write it anew: python -c \"from deepassay.glossary import page; print(page(), end='')\""
    assert (REPOSITORY / "docs" / "glossary.md").read_text(encoding="utf-8") == page(), told


def test_notes_ask_for_words_that_are_there() -> None:
    found = set(asked())
    assert len(found) > 15
    assert found <= set(ENTRIES)


@pytest.mark.parametrize("term", sorted(ENTRIES))
def test_a_word_is_one_that_the_program_says(term: str) -> None:
    assert re.search(rf"\b{re.escape(term)}\b", said())


@pytest.mark.parametrize("term", sorted(ENTRIES))
def test_a_word_has_one_plain_sentence_and_a_place(term: str) -> None:
    assert set(ENTRIES[term]) == {"says", "where"}
    assert not meaning(term).endswith(".")
    assert legend(term) == f"{term}: {meaning(term)}."
    assert ". " not in meaning(term)
