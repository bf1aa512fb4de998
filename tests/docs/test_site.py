"""The documentation site: built strictly, whole, and without anything from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import deepassay
from deepassay.cli.help import GROUPS

from .markdown import REPOSITORY, prose

LEDGERS = {"papers", "glossary"}
"""Pages that are looked up and not read."""


def pages_of_navigation() -> dict[str, list[str]]:
    """The pages below each heading of the navigation."""
    nav = yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    return {
        heading: pages
        for each in nav
        for heading, pages in (each.items() if isinstance(each, dict) else [(each, [each])])
    }


def test_every_guide_is_in_the_navigation_and_no_study(site: Path) -> None:
    listed = (site / "index.html").read_text(encoding="utf-8")
    guides = {path.stem for path in REPOSITORY.glob("docs/*.md")} - {"papers"}
    assert {name for name in guides if f'href="{name}/"' not in listed} == set()
    studies = {path.stem for path in REPOSITORY.glob("docs/studies/*.md")}
    assert studies
    assert {name for name in studies if f"{name}/" in listed and f"studies/{name}/" in listed} == (
        {"offline-floor"}  # that one page of the README names
    )
    told = (site / "studies" / "index.html").read_text(encoding="utf-8")
    assert {name for name in {*studies, "papers"} if f"{name}/" not in told} == set()


def test_the_navigation_has_the_groups_of_the_commands() -> None:
    pages = pages_of_navigation()
    assert [each for each in pages if each.lower() in GROUPS] == [
        group[0].upper() + group[1:] for group in GROUPS
    ]
    commands = (REPOSITORY / "docs" / "command-line.md").read_text(encoding="utf-8")
    for part in re.split(r"^\| \*\*", commands, flags=re.MULTILINE)[1:]:
        heading = part.partition("*")[0]
        for page in re.findall(r"\]\(([\w-]+\.md)#", part.partition("\n\n")[0]):
            assert page in pages[heading], f"{page} is not below {heading}"


@pytest.mark.parametrize("path", sorted((REPOSITORY / "docs").glob("*.md")), ids=lambda p: p.stem)
def test_a_page_is_read_in_five_minutes(path: Path) -> None:
    """Some 1,200 words of text; tables and code are looked up."""
    if path.stem not in LEDGERS:
        text = re.sub(r"^\|.*$", "", prose(path), flags=re.MULTILINE)
        assert len(text.split()) <= 1_250


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    page = (site / "reference" / "index.html").read_text(encoding="utf-8")
    names = set(deepassay.__all__) - {"__version__"}
    rooms = {"reports": "reports_of", "tasks": "tasks_of"}  # they can be called
    assert [name for name in sorted(names) if f'.{rooms.get(name, name)}"' not in page] == []


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"(?:https?:)?//[^\"]+")
    assert [
        (page.name, found.group())
        for page in site.rglob("*.html")
        for found in loads.finditer(page.read_text(encoding="utf-8"))
    ] == []
