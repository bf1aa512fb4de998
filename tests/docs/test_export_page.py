"""The page on tidy tables lists every table and every column with its type, in their order."""

from __future__ import annotations

import re

from deepassay.run.showing.export import TABLES, columns

from .markdown import REPOSITORY

PAGE = (REPOSITORY / "docs" / "export.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| (text|integer|number|boolean|time) \| .+ \|$", re.MULTILINE)


def test_every_table_has_a_section_with_its_columns() -> None:
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    told = {name: ROW.findall(text) for name, text in sections.items() if ROW.search(text)}
    assert told == {
        name: [(column, str(kind)) for column, kind in columns(name, texts=True)] for name in TABLES
    }
