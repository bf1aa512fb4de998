"""docs/python.md names every public name of the package, and no other."""

from __future__ import annotations

import inspect
import re

import deepassay

from .markdown import REPOSITORY


def test_the_page_lists_what_the_package_offers() -> None:
    text = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", text.partition("## All names")[2], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", " ".join(row))}
    assert named - {"problem", "remedy"} == set(deepassay.__all__)


def test_the_page_on_own_packages_lists_every_cause() -> None:
    text = (REPOSITORY / "docs" / "own-package.md").read_text(encoding="utf-8")
    table = text.partition("| `Cause` |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`([A-Z_]+)`", table)) == sorted(
        each.name for each in deepassay.Cause
    )


def test_every_public_name_says_what_it_is() -> None:
    for name in deepassay.__all__:
        thing = getattr(deepassay, name)
        assert name in {"__version__", "Judge"} or inspect.getdoc(thing)
