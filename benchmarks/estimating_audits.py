"""What `audit --quick` and `evaluate` were said to ask, beside what they asked, by protocol.

The judge is a Python object that answers in the right form. What decides how many questions follow
is drawn from its own habits: how many pages it takes for on topic, how many statements for
supported, how many key points it finds. Nothing of that stands in the table of estimates. Pages are
made, long and short ones as the web has them, some of them gone.

    python -m benchmarks.estimating_audits [NAME...]

NAME: `demo`, or with the data beside the checkout `bench`, `live`, `researcherbench`.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

from tests.judging import verdicts

from benchmarks.agents import equipped
from benchmarks.estimating import AGENTS, DATA, groups_of, points_of, tasks
from benchmarks.material import DEMO, REAL
from deepassay.models.functions import FunctionClient
from deepassay.protocols.kae.protocol import cited_addresses
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.run.archives import import_pages
from deepassay.run.asking.estimate import estimate
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.asking.plan import AskedModel
from deepassay.run.settings import Settings
from deepassay.runfile import Capture, RunFile
from deepassay.sources.page import Failure
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.wings.trials.auditing.audit_plan import AuditOrder, Prepared, prepare
from deepassay.wings.trials.auditing.steps import audit

PROTOCOLS = ("presentation", "consistency", "coverage", "citation_association", "rubrics", "ace",
             "race", "depth", "fact", "citation_accuracy", "kae")  # fmt: skip
BRANCHING = ("fact", "citation_accuracy", "kae")
DAY = "2026-05-04"
REPORTS = 20
FEW = 4

_SALT = re.compile(r"<<<(BEGIN|END) (\w+) \w+")
_ITEM = re.compile(r"^\d+\. ", re.MULTILINE)
_PAGE = re.compile(r"<<<BEGIN page .*?\n(.*)\n<<<END page", re.DOTALL)
_STATEMENTS = re.compile(r"<<<BEGIN statements .*?\n(.*)\n<<<END statements", re.DOTALL)

# ------------------------------------------------------------------ the judge


@dataclass
class Habits:
    """A judge. on_topic, supported: shares. points: fewest and most key points of a part of a page.

    Each is drawn anew for every question, from what is asked.
    """

    name: str
    on_topic: float
    supported: float
    points: tuple[int, int]

    async def __call__(self, prompt: str) -> str:
        """The answer to a question."""
        draw = random.Random(_SALT.sub(r"\1 \2", prompt))
        if '"on_topic"' in prompt:
            return json.dumps({"on_topic": draw.random() < self.on_topic, "reason": "so it seems"})
        page = _PAGE.search(prompt)
        if '{"points":' in prompt:
            return points_of(page[1] if page else "", draw, self.points)
        if '{"groups":' in prompt:
            return groups_of(len(_ITEM.findall(prompt)), draw)
        if page and '"verdicts"' in prompt:
            return self._support(page[1], prompt, draw)
        return verdicts({"messages": [{"role": "user", "content": prompt}]})

    def _support(self, page: str, prompt: str, draw: random.Random) -> str:
        listed = _STATEMENTS.search(prompt)
        quote = page.strip().split("\n")[0][:200]
        said = [draw.random() < self.supported for _ in _ITEM.findall(listed[1] if listed else "")]
        return json.dumps(
            {
                "verdicts": [
                    {
                        "statement": number,
                        "verdict": "supported" if each else "unsupported",
                        "quote": quote if each else "",
                    }
                    for number, each in enumerate(said, start=1)
                ]
            }
        )


JUDGES = (
    Habits("strict", on_topic=0.65, supported=0.4, points=(1, 6)),
    Habits("common", on_topic=0.85, supported=0.7, points=(3, 15)),
    Habits("lenient", on_topic=0.97, supported=0.9, points=(10, 20)),
)

# ------------------------------------------------------------------ what is judged


class Material(NamedTuple):
    """Tasks with all that protocols need, reports of two agents, and the pages that these cite."""

    tasks: Sequence[Task]
    reports: Sequence[Report]
    pages: Path


def material(name: str, folder: Path) -> Material:
    """What stands under this name."""
    pages = folder / f"{name}.assay"
    if name == "demo":
        known = load_tasks(DEMO.parent / "tasks.jsonl")
        criteria = {each.id: each.criteria for each in tasks(6)}
        whole = [
            equipped(each.model_copy(update={"criteria": own}))
            for each, own in zip(known, criteria.values(), strict=True)
        ]
        import_pages([DEMO.parent / "pages.jsonl"], pages, None)
        agents = {"heron": AGENTS[0], "magpie": AGENTS[1]}
        found = [
            Report(each.text, agents[each.agent], each.task)
            for each in load_reports([DEMO])
            if each.agent in agents
        ]
        return Material(whole, found, pages)
    texts = [*islice(_texts(name), 2 * REPORTS)]
    asked = tasks(len(texts) // 2)
    found = [
        Report(text, AGENTS[place % 2], asked[place // 2].id)
        for place, text in enumerate(texts[: 2 * len(asked)])
    ]
    write_pages(pages, found)
    return Material(asked, found, pages)


def _texts(name: str) -> Iterator[str]:
    """Reports of one origin, with their citations."""
    if name == "live":
        yield from (path.read_text(encoding="utf-8") for path in sorted(REAL.glob("*.md")))
        return
    file = {
        "bench": DATA / "bench" / "reports" / "claude-3-7-sonnet.raw.jsonl",
        "researcherbench": DATA / "sets" / "researcherbench" / "reports" / "OpenAI.jsonl",
    }[name]
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield row.get("article") or row.get("response") or ""


def write_pages(path: Path, reports: Sequence[Report]) -> None:
    """A page for every address; one in ten is gone. Half have less than 15,000 characters."""

    async def keep_all(run: RunFile) -> None:
        for url in dict.fromkeys(url for each in reports for url in cited_addresses(each)):
            draw = random.Random(url)
            about = (url, f"{DAY}T00:00:00Z", "direct")
            if draw.random() < 0.1:
                await run.captures.keep(Capture(*about, failure=str(Failure.GONE)))
                continue
            length = min(400_000, max(800, round(draw.lognormvariate(9.6, 1.3))))
            await run.captures.keep(Capture(*about, text=_page(length, draw), title=url))

    with RunFile.create(path) as run:
        asyncio.run(keep_all(run))


def _page(length: int, draw: random.Random) -> str:
    sentences: list[str] = []
    size = 0
    while size < length:
        words = draw.choices(_WORDS, k=draw.randrange(6, 22))
        sentences.append(f"The {' '.join(words)} of {draw.randrange(10**6)}.")
        size += len(sentences[-1]) + 1
    return "\n".join(sentences)


_WORDS = ("river", "report", "city", "figure", "study", "year", "share", "cost", "people")

# ------------------------------------------------------------------ the comparison


class Compared(NamedTuple):
    """Questions that were expected before anything was asked, and those that were asked.

    left: questions after the first few reports. likely_left: what was then said of them.
    """

    likely: int
    least: int
    most: int
    asked: int
    likely_left: int
    left: int

    def __str__(self) -> str:
        span = f"{self.likely:,} ({self.least:,} to {self.most:,})"
        inside = "" if self.least <= self.asked <= self.most else " OUTSIDE"
        return (
            f"{span:>26} {self.asked:>7,} {_off(self.likely, self.asked):>7}{inside}"
            f"   after a few {_off(self.likely_left, self.left):>7} of {self.left:,}"
        )


def _off(expected: int, asked: int) -> str:
    return f"{expected / asked - 1:+.1%}" if asked else "-"


def asked_in(run: Path) -> int:
    """The questions that were asked in a run."""
    with RunFile.read(run) as file:
        return len(file.answers())


def compared(given: Material, judge: Habits, protocol: str, run: Path, way: str) -> Compared:
    """Estimates beside what is asked: of the whole, and of what a few reports leave."""
    judges = [AskedModel(judge.name, client=FunctionClient(judge, 50))]
    settings = Settings(
        protocols=[protocol], run=run, snapshots=given.pages, date=DAY, offline_sources=True,
        reference=AGENTS[1], baseline=AGENTS[1], max_connections=50,
    )  # fmt: skip

    def prepared(few: bool) -> Prepared:
        order = AuditOrder(quick=True, reports=FEW if few else None)
        return prepare(given.tasks, given.reports, settings, order, judges=judges)

    def told() -> tuple[int, int, int]:
        if way == "audit":
            found = prepared(few=False).estimate(lambda done, total: None)
        else:
            found = estimate(given.tasks, given.reports, settings, judges=judges)
        (reckoned,) = found.models.values()
        likely, least, most = reckoned.of(lambda each: each.calls)
        return round(likely), round(least), round(most)

    def ask(few: bool) -> int:
        if way == "audit":
            audit(prepared(few))
        else:
            limited = settings.model_copy(update={"limit": FEW if few else None})
            evaluate(given.tasks, given.reports, limited, judges=judges)
        return asked_in(run)

    cold = told()
    first = ask(few=True)
    warm, _, _ = told()
    whole = ask(few=False)
    return Compared(*cold, whole, warm, whole - first)


def main(*names: str) -> None:
    """Print a line for each protocol: whose answers decide nothing, with one judge alone."""
    warnings.simplefilter("ignore")
    for name in names or ("demo", "bench", "live", "researcherbench"):
        with tempfile.TemporaryDirectory() as folder:
            given = material(name, Path(folder))
            for way, protocol in product(("evaluate", "audit"), PROTOCOLS):
                for judge in JUDGES if protocol in BRANCHING else JUDGES[1:2]:
                    run = Path(folder) / f"{way}-{protocol}-{judge.name}.assay"
                    found = compared(given, judge, protocol, run, way)
                    print(f"{name} {way} {protocol:<20} {judge.name:<8} {found}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
