"""The forty live reports as a set to evaluate: changed copies, and a made page for each address.

The addresses of a report are moved to this machine, each to a host of its own, so that a polite
visitor need not wait. Pages are ours: a title, some filler, and on four of five of them the
statements that cite them.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.material import REAL, ROOT
from deepassay.protocols.fact.pairs import mechanical_pairs
from deepassay.reports.report import Report
from deepassay.text import canonical, match_url
from deepassay.wings.trials.perturb import perturb, random_for

TASKS = ROOT / "tests" / "live" / "tasks.jsonl"
SEED = 20261120
SILENT = 5
"""Of so many pages one does not say what it is cited for."""

_BEGIN = re.compile(r"https?://|(?<![A-Za-z0-9/.])www\.(?=[A-Za-z0-9])", re.IGNORECASE)
_ORIGIN = re.compile(r"(?:https?://)?[^/?#]+", re.IGNORECASE)
_NAMED = re.compile(r"\b(doi|arxiv|pmid|pmcid)(?=\s*:)|(?<![\w/])10(?=\.\d{4,9}/)", re.IGNORECASE)
_FILLER = (
    "This page was made for a measurement and belongs to nobody.",
    "What it says besides is taken from a report, and whether that is true is not its concern.",
    "A reader who came here by a link will find the passage further down.",
)


class Web:
    """The site: a host for each address. pages: host -> the statements that cite it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._hosts: dict[str, str] = {}
        self.said: defaultdict[str, dict[str, None]] = defaultdict(dict)

    @property
    def doors(self) -> list[str]:
        """What `--allow-host` takes."""
        return [f"{host}:{self._port}" for host in self._hosts.values()]

    def moved(self, text: str) -> str:
        """A report with its addresses on this machine; identifiers of papers are no addresses."""
        pieces, at = [], 0
        for begin in _BEGIN.finditer(text):
            start = begin.start()
            end = match_url(text, start, len(text))
            if start < at or end is None:
                continue
            origin = _ORIGIN.match(text, start, end)
            assert origin is not None
            host = self._host(canonical(text[start:end]))
            pieces += [text[at:start], f"http://{host}:{self._port}"]
            at = origin.end()
        return _NAMED.sub("No.", "".join([*pieces, text[at:]]))

    def cite(self, report: Report) -> None:
        """Take note of what a report says of each address."""
        for pair in mechanical_pairs(report):
            host = pair.url.removeprefix("http://").partition(":")[0]
            self.said[host][" ".join(pair.statement.split())] = None

    def write(self, file: Path) -> None:
        """The pages, host -> HTML."""
        pages = {
            host: _page(number, list(self.said[host]))
            for number, host in enumerate(self._hosts.values())
        }
        file.write_text(json.dumps(pages), encoding="utf-8")

    def _host(self, url: str) -> str:
        number = len(self._hosts)
        made = f"127.{number // 62_500 + 1}.{number // 250 % 250}.{number % 250 + 1}"
        return self._hosts.setdefault(url, made)


def _page(number: int, said: Sequence[str]) -> str:
    shown = [] if number % SILENT == 0 else said
    title = html.escape(said[0][:60] if said else "A page")
    body = "".join(f"<p>{html.escape(each)}</p>\n" for each in (*_FILLER * 4, *shown, *_FILLER))
    return (
        f"<html><head><title>{title}</title></head><body><nav><a href='/'>Home</a></nav>"
        f"<article><h1>{title}</h1>\n{body}</article><footer>Nobody</footer></body></html>"
    )


def write_reports(folder: Path, web: Web, changes: Mapping[str, str]) -> None:
    """The reports of the agent `whole`, and of an agent for each change: name -> perturbation.

    A report that has nothing of the kind to change is left out.
    """
    for path in sorted(REAL.glob("*.md")):
        report = Report(web.moved(path.read_text(encoding="utf-8")), "whole", path.stem)
        web.cite(report)
        texts = {"whole": report.text}
        for agent, change in changes.items():
            if done := perturb(report, change, random_for(SEED, report, change)):
                texts[agent] = done.report.text
        for agent, text in texts.items():
            file = folder / agent / path.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
