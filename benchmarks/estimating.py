"""Whether `estimate` tells what `evaluate` then asks: 100 tasks, two agents, all twelve protocols.

A judge on loopback answers every question in the right form, with reasons, issues and key points of
the length and number that judges give: reasons are drawn from published ones (the data beside the
checkout, else their distribution). Pages are served on loopback. Estimated is with offline sources
of which nothing is kept, with pages that are to be fetched, and with the pages that were fetched.

    python -m benchmarks.estimating [TOKENIZER]

TOKENIZER: a `tokenizer.json`, by which the judge counts; without one, 4.4 bytes are a token.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.agents import equipped
from benchmarks.loopback import Connection, serve
from benchmarks.material import DEMO, REAL, ROOT
from deepassay.reports.report import Report
from deepassay.run.asking.estimate import Reckoned, estimate
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.settings import Settings
from deepassay.score import Json
from deepassay.tasks.criteria import CRITERIA_FILE
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task

DATA = ROOT.parent / "shared" / "data"
TASKS = 100
AGENTS = ("heron", "magpie")
PROTOCOLS = ("race", "fact", "rubrics", "presentation", "consistency", "citation_association",
             "coverage", "depth", "citation_accuracy", "error_patterns", "kae", "ace")  # fmt: skip
POOL = 1_200
"""Pages of the site, so that reading them does not outlast everything else."""

BYTES_A_TOKEN = 4.4
REASONS = frozenset({"reason", "justification", "analysis", "problem", "reasoning", "notes"})
_URL = re.compile(r"https?://[^\s<>\"()\[\]]+")


@cache
def reasons() -> Sequence[str]:
    """Reasons of a judge for single verdicts."""
    file = DATA / "kpr" / "gpt-researcher.json"
    if not file.exists():
        lengths = random.Random(1)
        return ["because " * round(lengths.lognormvariate(3.9, 0.3)) for _ in range(500)]
    answers = json.loads(file.read_text(encoding="utf-8")).values()
    return [said[1] for each in answers for said in each["labels"].values()]


def lengthened(answer: Json, draw: random.Random, name: str = "") -> Json:
    """An answer with reasons in full, and with as many issues and key points as a judge gives."""
    if isinstance(answer, dict):
        return {key: lengthened(value, draw, key) for key, value in answer.items()}
    if isinstance(answer, list):
        most = {"issues": draw.randrange(0, 9), "places": draw.randrange(0, 9)}.get(name)
        return [lengthened(each, draw) for each in answer[:most]]
    if isinstance(answer, str) and name in REASONS:
        text = draw.choice(reasons())
        return text.partition(". ")[0] if name == "problem" else text
    return answer


def points_of(page: str, draw: random.Random, number: tuple[int, int] = (3, 15)) -> str:
    """From three to fifteen sentences of a page as key points. number: fewest and most."""
    found = re.findall(r"[A-Z][^.\n]{20,200}\.", page)
    chosen = draw.sample(found, min(len(found), draw.randint(*number)))
    return json.dumps({"points": [{"point": each, "spans": [each]} for each in chosen]})


def groups_of(points: int, draw: random.Random) -> str:
    """Nine key points in ten are alone."""
    numbers = list(range(1, points + 1))
    groups: list[list[int]] = []
    for number in numbers:
        if groups and draw.random() < 0.1:
            draw.choice(groups).append(number)
        else:
            groups.append([number])
    return json.dumps({"groups": groups})


def judged(count: Callable[[str], int]) -> Callable[[bytes, bytes], bytes]:
    """The judge. count: the tokens of a text."""
    from tests.judging import verdicts

    def reply(head: bytes, body: bytes) -> bytes:
        request = json.loads(body)
        said = "\n".join(each["content"] for each in request["messages"])
        draw = random.Random(hashlib.sha256(re.sub(r"\w{16,}", "", said).encode()).digest())
        if '{"points":' in said:
            page = re.search(r"<<<BEGIN page .*?\n(.*)\n<<<END page", said, re.DOTALL)
            text = points_of(page[1] if page else "", draw)
        elif '{"groups":' in said:
            text = groups_of(len(re.findall(r"^\d+\. ", said, re.MULTILINE)), draw)
        else:
            text = json.dumps(lengthened(json.loads(verdicts(request)), draw), ensure_ascii=False)
        asked, answered = count(said), count(text)
        usage = {"prompt_tokens": asked, "completion_tokens": answered}
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return json.dumps({"model": "measured", "choices": [choice], "usage": usage}).encode()

    return reply


def counter(tokenizer: str) -> Callable[[str], int]:
    """How the judge counts tokens."""
    if not tokenizer:
        return lambda text: round(len(text.encode()) / BYTES_A_TOKEN)
    from tokenizers import Tokenizer

    counted = Tokenizer.from_file(tokenizer)
    return lambda text: len(counted.encode(text).ids)


def page(head: bytes, body: bytes) -> bytes:
    """A page of 2,000 to 70,000 characters, half of them below 12,000."""
    path = re.match(rb"GET (\S+)", head)
    draw = random.Random(path[1] if path else b"")
    words = ("river", "report", "city", "figure", "study", "year", "share", "cost", "people")
    length = min(70_000, max(2_000, round(draw.lognormvariate(9.4, 0.9))))
    paragraphs, size = [], 0
    while size < length:
        sentences = [
            f"The {' '.join(draw.choices(words, k=draw.randrange(6, 16)))} of {number}."
            for number in draw.sample(range(10_000), 6)
        ]
        paragraphs.append(f"<p>{' '.join(sentences)}</p>")
        size += len(paragraphs[-1])
    title = f"A page on {draw.choice(words)} {draw.randrange(10**6)}"
    return f"<html><title>{title}</title><article>{''.join(paragraphs)}</article></html>".encode()


@contextmanager
def running(*arguments: str) -> Iterator[int]:
    """The port of the judge or of the site, a process of its own."""
    from tests.preloaded import python

    command = python(
        "import sys; from benchmarks.estimating import main; main(*sys.argv[1:])", *arguments
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.kill()


def tasks(number: int) -> list[Task]:
    """Tasks with criteria, checklist, rubric and items of ACE."""
    if not (DATA / "bench").exists():
        known = list(load_tasks(ROOT / "examples" / "demo" / "tasks.jsonl"))
        criteria = ROOT / "examples" / "demo" / "criteria.yaml"
    else:
        known = list(load_tasks(DATA / "bench" / "query.jsonl"))
        criteria = DATA / "bench" / "criteria.jsonl"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # criteria of a task that is not there
        joined = CRITERIA_FILE.join(tuple(known), criteria)
    whole = [equipped(each) for each in islice(joined, number)]
    return [
        each.model_copy(update={"id": f"t{place:03}", "prompt": f"{each.prompt} ({place})"})
        for place, each in enumerate(islice(cycle(whole), number))
    ]


def texts() -> Iterator[str]:
    """Published reports with their citations, over and over."""
    found = [path.read_text(encoding="utf-8") for path in sorted(REAL.glob("*.md"))]
    for file in (
        *sorted((DATA / "sets" / "researcherbench" / "reports").glob("*.jsonl")),
        DATA / "bench" / "reports" / "claude-3-7-sonnet.raw.jsonl",
    ):
        if file.exists():
            lines = file.read_text(encoding="utf-8").split("\n")
            rows = [json.loads(line) for line in lines if line.strip()]
            found += [row.get("article") or row.get("response") or "" for row in rows]
    found = [text for text in found if text.strip()]
    found = found or [path.read_text(encoding="utf-8") for path in sorted(DEMO.rglob("*.md"))]
    for number, text in enumerate(cycle(found)):
        yield f"{text}\n\nReport {number}.\n"


def reports(number: int, port: int) -> list[Report]:
    """As many reports of each agent, every address of them one of the site."""

    def ours(url: re.Match[str]) -> str:
        page = int.from_bytes(hashlib.sha256(url[0].encode()).digest()[:4]) % POOL
        return f"http://127.0.0.1:{port}/page/{page}"

    mixed = list(islice(texts(), number * len(AGENTS)))
    random.Random(7).shuffle(mixed)
    return [
        Report(_URL.sub(ours, text), agent=AGENTS[place % len(AGENTS)], task=f"t{place // 2:03}")
        for place, text in enumerate(mixed)
    ]


@dataclass(frozen=True)
class Compared:
    """An estimate beside what was asked.

    seconds, processor: that the estimate took, of the clock and of the processor. calls: requests.
    """

    name: str
    seconds: float
    processor: float
    reckoned: Reckoned
    calls: int
    tokens: Mapping[str, int]

    @property
    def off(self) -> float:
        """How far the estimated calls lie from those that were made, as a share of these."""
        return self.reckoned.typical.calls / self.calls - 1

    def span(self, kind: str) -> tuple[float, float, float]:
        """Tokens as estimated: most likely, the least, the most."""
        return self.reckoned.of(lambda each: getattr(each.usage, kind))

    def lines(self) -> Iterator[str]:
        """The comparison for a person."""
        typical, low, high = self.reckoned.of(lambda each: each.calls)
        outside = "" if low <= self.calls <= high else " OUTSIDE"
        yield (
            f"{self.name}: estimated in {self.seconds:.1f} s (processor {self.processor:.1f} s); "
            f"{self.calls:,} calls, estimated {typical:,} ({low:,} to {high:,}), {self.off:+.2%}"
            f"{outside}"
        )
        for kind in ("input", "output"):
            likely, least, most = self.span(kind)
            where = "within" if least <= self.tokens[kind] <= most else "OUTSIDE"
            yield f"  {kind} {self.tokens[kind]:,} {where} {likely:,} ({least:,} to {most:,})"


def compared(number: int = TASKS, tokenizer: str = "") -> Iterator[Compared]:
    """Estimates beside runs: offline sources, pages to be fetched, and the same when they are."""
    with (
        running("judge", tokenizer) as judge,
        running("site") as site,
        tempfile.TemporaryDirectory() as folder,
    ):
        asked, given = tasks(number), reports(number, site)
        common: dict[str, Any] = {
            "protocols": PROTOCOLS,
            "judge": ("openai:measured",),
            "base_url": f"http://127.0.0.1:{judge}/v1",
            "reference": AGENTS[1],
            "baseline": AGENTS[1],
            "allow_host": (f"127.0.0.1:{site}",),
            "max_connections": 24,
            "date": "2026-05-04",
        }
        kept = Path(folder) / "pages.assay"

        def reckon(wanted: Settings) -> tuple[float, float, Reckoned]:
            began, before = time.perf_counter(), time.process_time()
            (reckoned,) = estimate(asked, given, wanted).models.values()
            return time.perf_counter() - began, time.process_time() - before, reckoned

        kinds = {
            "offline sources, nothing kept": {"offline_sources": True},
            "pages to be fetched": {"snapshots": kept},
        }
        for place, (name, more) in enumerate(kinds.items()):
            wanted = Settings(**common, **more, run=Path(folder) / f"{place}.assay")
            reckoned = reckon(wanted)
            summary = evaluate(asked, given, wanted)
            made = sum(summary.calls.values()), summary.tokens
            yield Compared(name, *reckoned, *made)
        again = Settings(**common, snapshots=kept, run=Path(folder) / "again.assay")
        yield Compared("the same, pages fetched", *reckon(again), *made)


def main(role: str = "", option: str = "") -> None:
    """Print the comparisons, or be the judge or the site."""
    if role == "judge":
        reply = judged(counter(option))
        asyncio.run(serve(lambda: Connection("application/json", 0.0, reply)))
    elif role == "site":
        asyncio.run(serve(lambda: Connection("text/html; charset=utf-8", 0.0, page)))
    else:
        for each in compared(tokenizer=role):
            print("\n".join(each.lines()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
