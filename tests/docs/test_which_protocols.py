"""The page on protocols has all of them, their groups and their options."""

import dataclasses
import re

import pytest

from deepassay.protocols.registry import GROUPS, PROTOCOLS

from .markdown import REPOSITORY

PAGE = (REPOSITORY / "docs" / "which-protocols.md").read_text("utf-8")
BY_SETTING = {"edition", "baseline"}
"""Options that have a setting of their own."""


def rows_of(heading: str) -> str:
    """A table of the page, from its heading to its end."""
    return PAGE[PAGE.index(heading) :].partition("\n\n")[0]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_has_a_row_and_all_its_options(name: str) -> None:
    assert f"\n| `{name}` | " in rows_of("| name | what it needs")
    fields = dataclasses.fields(PROTOCOLS[name])
    options = {each.name for each in fields} - BY_SETTING
    own = [row for row in rows_of("| written | options |").splitlines() if f"`{name}(…)`" in row]
    assert options == set(
        re.findall(r"`(?:\w+\()?(\w+)=", own[0].partition(" | ")[2] if own else "")
    )


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_is_named(name: str) -> None:
    groups = " ".join(PAGE[PAGE.index("Groups stand for") :].partition("\n\n")[0].split())
    assert f"`{name}` (" in groups
