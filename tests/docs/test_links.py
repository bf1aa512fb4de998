"""Links inside the documents lead somewhere, and files that they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .markdown import REPOSITORY, documents, links, prose

NAMED_FILE = re.compile(
    r"`((?:src|tests|docs|examples|benchmarks)/[\w./-]+|[\w.-]+\.(?:toml|txt|md))`"
)
ONLY_EXAMPLES = {"assay.toml", "prices.toml", "answer_2.md"}


def anchors(path: Path) -> set[str]:
    """Names under which the headings of a document can be reached, as GitHub makes them."""
    headings = re.findall(r"^#{1,6} (.+)$", prose(path), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


def name(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.mark.parametrize("path", documents(), ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in links(path):
        file, _, anchor = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        assert linked.is_relative_to(REPOSITORY), f"{target} leaves the repository"
        assert linked.exists(), f"{target} does not exist"
        if anchor:
            assert anchor in anchors(linked), f"{name(linked)} has no heading {anchor}"


@pytest.mark.parametrize("path", documents(), ids=name)
def test_files_named_in_code_type_exist(path: Path) -> None:
    named = set(NAMED_FILE.findall(prose(path))) - ONLY_EXAMPLES
    missing = {
        each
        for each in named
        if not (REPOSITORY / each).exists() and not (path.parent / each).exists()
    }
    assert not missing


def test_every_document_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [REPOSITORY / "README.md"]
    while waiting:
        path = waiting.pop()
        if path in reached or path.suffix != ".md" or not path.exists():
            continue
        reached.add(path)
        waiting += [(path.parent / link.partition("#")[0]).resolve() for link in links(path)]
    assert set(documents()) <= reached
