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
def texts() -> dict[Path, str]:
    """The code of the package."""
    return {path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything in a file of it. To take all files apart takes longer than all else here."""
    return tuple(ast.walk(ast.parse(texts()[path])))


@cache
def said(path: Path) -> str:
    """Every text in a file, one after the other."""
    return "\n".join(
        node.value
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def asked() -> Iterator[str]:
    """Every term whose sentence some note or message is made of."""
    for path, text in texts().items():
        if not re.search(r"\b(?:legend|meaning)\(", text):
            continue
        for node in nodes(path):
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
    word = re.compile(rf"\b{re.escape(term)}\b")
    likely_first = sorted(texts(), key=lambda path: term not in texts()[path])
    assert any(word.search(said(path)) for path in likely_first)


@pytest.mark.parametrize("term", sorted(ENTRIES))
def test_a_word_has_one_plain_sentence_and_a_place(term: str) -> None:
    assert set(ENTRIES[term]) == {"says", "where"}
    assert not meaning(term).endswith(".")
    assert legend(term) == f"{term}: {meaning(term)}."
    assert ". " not in meaning(term)
