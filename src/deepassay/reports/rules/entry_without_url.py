"""An entry with no address and no other identifier by which its source could be found."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report

IDENTIFIER = re.compile(
    r"\b10\.\d{4,9}/\S|\barxiv:? ?\d{4}\.\d|\bpmid:? ?\d|\bpmc\d{4}|\bisbn[: ]|\bissn[: ]|\bdoi\b",
    re.IGNORECASE,
)


def check(report: Report) -> Iterator[Hit]:
    """One hit for each entry; a DOI, arXiv, PubMed or book number identifies a source."""
    for entry in report.references:
        if entry.urls or entry.omitted or IDENTIFIER.search(entry.span.of(report.text)):
            continue
        name = f"entry {entry.key}" if entry.key else "the entry"
        yield Hit(entry.span, f"{name} has no address")


RULE = Rule(
    code="DA212",
    name="entry-without-url",
    reason="A source without an address cannot be opened and checked.",
    sources=("G15",),
    check=check,
    version=2,
)
