"""Texts that the search of files looks through: scripts that hand them over, for want of a server.

A page that was opened as a file may load a script from beside it, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

from deepassay.files import without_surrogates
from deepassay.wings.view.reading import ReadReport

TOGETHER: Final = 2_000_000
"""Characters of texts up to which they share a script."""


class SearchedText(NamedTuple):
    """A text. kind: report, finding or page. told: what of it is found. href: where it is read."""

    kind: str
    title: str
    told: str
    href: str
    text: str


def texts_of(report: ReadReport, href: str) -> Iterator[SearchedText]:
    """A report and the findings on it. href: its file."""
    title = f"{report.at.agent} on {report.at.task}"
    yield SearchedText("report", title, "", href, report.text.text)
    for each in report.findings:
        said = " ".join([each.said, *(voice.reason for voice in each.voices)])
        told = " ".join(filter(None, [each.title, each.key, each.verdict, each.cost]))
        yield SearchedText("finding", title, told, f"{href}#{each.name}", said)


class TextScripts:
    """Gathers texts into scripts, each of about the same length."""

    def __init__(self) -> None:
        self.count = 0
        self._held: list[SearchedText] = []
        self._size = 0

    def add(self, text: SearchedText) -> Iterator[tuple[str, str]]:
        """A script that is full, with its name, if this text fills one."""
        self._held.append(text)
        self._size += len(text.text)
        if self._size >= TOGETHER:
            yield self._script()

    def rest(self) -> Iterator[tuple[str, str]]:
        """The last script, and the one that says how many there are."""
        if self._held:
            yield self._script()
        yield "texts.js", f"textFiles({self.count});\n"

    def _script(self) -> tuple[str, str]:
        self.count += 1
        told = json.dumps(self._held, ensure_ascii=False, separators=(",", ":"))
        self._held, self._size = [], 0
        # As JSON may, but a script of old may not, these end a line.
        told = without_surrogates(told).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        return f"texts-{self.count:04}.js", f"texts({told});\n"
