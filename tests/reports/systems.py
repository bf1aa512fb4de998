"""Samples in the style of systems that write reports, ours, with what each statement cites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deepassay.reports.report import Report

FOLDER = Path(__file__).parent / "fixtures" / "systems"
CASE = re.compile(
    r"^## (?P<title>[^\n]+)\n\n~~~~ report\n(?P<report>.*?)~~~~\n\n~~~~ pairs\n(?P<pairs>.*?)~~~~$",
    re.DOTALL | re.MULTILINE,
)
Pairs = Counter[tuple[str, str]]
"""How often a statement is cited to an address."""


@dataclass(frozen=True)
class Sample:
    """A report of a system. expected: statements, each with its addresses, in order."""

    system: str
    title: str
    text: str
    expected: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def pairs(self) -> Pairs:
        """What is to be found."""
        return Counter((said, url) for said, urls in self.expected for url in urls)


def samples() -> Iterator[Sample]:
    """Every sample, by system; every case of a file must be readable."""
    for path in sorted(FOLDER.glob("*.md")):
        document = path.read_text(encoding="utf-8")
        cases = list(CASE.finditer(document))
        assert cases
        assert len(cases) == document.count("~~~~ report\n"), path.name
        for case in cases:
            lines = [line.rpartition(" |") for line in case["pairs"].splitlines()]
            expected = tuple((said, tuple(urls.split())) for said, _, urls in lines)
            yield Sample(path.stem, case["title"], case["report"], expected)


def found(text: str) -> Pairs:
    """The statements of a report with the addresses that they are cited to."""
    return Counter((each.text, url) for each in Report(text).statements for url in each.urls)
