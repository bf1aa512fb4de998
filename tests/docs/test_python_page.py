"""docs/python.md names every public name of the package, and no other."""

from __future__ import annotations

import re

import deepassay

from .markdown import REPOSITORY


def test_the_page_lists_what_the_package_offers() -> None:
    text = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", text.partition("## All names")[2], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", " ".join(row))}
    assert named - {"problem", "remedy"} == set(deepassay.__all__)
