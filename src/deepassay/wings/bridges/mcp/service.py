"""What the tools do: reports that an agent hands over, looked at and scored within one budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from deepassay.errors import BadInput, BadSetting
from deepassay.plugins import plugins
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.reports.rules import rules_chosen
from deepassay.results.evidence import EvidenceItem, evidence_of
from deepassay.results.explain import summary_of
from deepassay.results.records import Judged, has_offline
from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.settings import Settings
from deepassay.run.showing.records import records_of
from deepassay.runfile import RunFile
from deepassay.score import Json, Score, Unscored, digest
from deepassay.text import one_line

MOST_CHARACTERS: Final = 1_000_000
"""Of a report, and of all pages of a call."""
ROWS: Final = 40
"""Rows of one answer: some clients refuse answers of more than 25,000 tokens."""
LONGEST: Final = 300
"""Characters of a text in an answer."""
WAITS: Final = 45.0
"""Seconds until an answer is that the work goes on: some clients stop listening after 60."""

GOES_ON: Final = "The judge is still at work. Call the tool with the same arguments again."


@dataclass
class ReportTools:
    """What an agent may have done to its reports.

    protocols: those that it may name. settings: judge, prices and pages, as whoever starts the
    server says. folder: where files may be read, None for nowhere. budget: USD for as long as the
    server runs, None for no limit. waits: seconds until a call that goes on is answered.
    """

    protocols: Sequence[str]
    settings: Settings
    folder: Path | None = None
    budget: float | None = None
    waits: float = WAITS
    spent: float = 0.0
    _works: dict[str, asyncio.Task[dict[str, Json]]] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def report(self, text: str | None, file: str | None) -> str:
        """The text that is meant: given as it is, or a file of the folder.

        Raises BadInput for both or neither, for what is too large, and for a file elsewhere.
        """
        if (text is None) == (file is None):
            raise BadInput("A report is given as `report` or as `file`.", "Give one of the two.")
        if file is not None:
            text = self._read(file)
        if text is None or len(text) > MOST_CHARACTERS:
            raise BadInput(
                f"The report has more than {MOST_CHARACTERS:,} characters.", "Give a part of it."
            )
        return text

    def _read(self, name: str) -> str:
        if self.folder is None:
            raise BadInput("This server reads no files.", "Hand over the text of the report.")
        root = self.folder.resolve()
        try:
            path = (root / name).resolve(strict=True)
            if not path.is_relative_to(root) or not path.is_file():
                raise BadInput(f"{name[:200]!r} is no file of the folder.", "Name one within it.")
            with path.open("rb") as stream:
                content = stream.read(4 * MOST_CHARACTERS + 1)
            return content.decode("utf-8")
        except (OSError, ValueError, RuntimeError) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(
                f"{name[:200]!r} cannot be read in the folder.", "Name a text file within it."
            ) from None

    def lint(self, text: str, start: int) -> dict[str, Json]:
        """What the mechanical rules find, from the row `start` on."""
        report = Report(text)
        found = lint(report, rules_chosen("ALL", (), None))
        rows = [
            {
                "line": each.line,
                "column": each.column,
                "code": each.code,
                "level": each.rule.level,
                "message": short_line(each.message),
                "reason": each.rule.reason,
            }
            for each in found
        ]
        return paged("findings", rows, start)

    def statements(self, text: str, start: int) -> dict[str, Json]:
        """What the report states and which addresses each statement cites, from `start` on."""
        rows = [
            {
                "statement": short_line(each.text),
                "cites": [short_line(url) for url in each.urls[:10]],
                "has_citation": bool(each.citations),
                "inherited": each.inherited,
            }
            for each in Report(text).statements
        ]
        return paged("statements", rows, start)

    async def check(
        self, text: str, pages: Sequence[Mapping[str, str]] | None, start: int
    ) -> dict[str, Json]:
        """Which cited pages support what is cited to them, by FACT; pages: in place of ours."""
        whole = await self._once(
            ["check", text, pages],
            lambda: self._evaluated("fact", {"prompt": "Write a report."}, text, pages),
        )
        return self._answer(whole, start)

    async def score(
        self, protocol: str, text: str, about: Mapping[str, Json], start: int = 0
    ) -> dict[str, Json]:
        """The score of a report for a task. about: prompt, and what it is held against."""
        if protocol not in self.protocols:
            raise BadSetting(
                f"{protocol[:80]!r} is not among the protocols of this server.",
                f"Protocols: {', '.join(self.protocols)}.",
            )
        if len(json.dumps(about)) > MOST_CHARACTERS:
            raise BadInput(
                f"Prompt and criteria have more than {MOST_CHARACTERS:,} characters.",
                "Give shorter ones.",
            )
        whole = await self._once(
            ["score", protocol, text, about], lambda: self._evaluated(protocol, about, text, None)
        )
        return self._answer(whole, start)

    def _answer(self, whole: Mapping[str, Json], start: int) -> dict[str, Json]:
        """What came of a judgement, with some of its items and what is left of the budget."""
        if "items" not in whole:
            return dict(whole)
        left = None if self.budget is None else max(self.budget - self.spent, 0.0)
        items = paged("items", whole["items"], start)
        return {**whole, **items, "spent_usd": self.spent, "left_usd": left}

    async def _once(
        self, key: Json, work: Callable[[], Awaitable[dict[str, Json]]]
    ) -> dict[str, Json]:
        """The answer to a call, or that it goes on; asked again, the work is not begun anew."""
        name = digest(key)
        if name not in self._works:
            self._works[name] = asyncio.ensure_future(work())
        task = self._works[name]
        done, _ = await asyncio.wait([task], timeout=self.waits)
        if not done:
            return {"state": "running", "next": GOES_ON}
        if task.exception() is not None or task.result()["value"] is None:
            self._works.pop(name, None)  # what failed may be tried again
        return dict(task.result())

    async def _evaluated(
        self,
        protocol: str,
        about: Mapping[str, Json],
        text: str,
        pages: Sequence[Mapping[str, str]] | None,
    ) -> dict[str, Json]:
        async with self._turn:  # one after the other, so that none passes the budget
            with TemporaryDirectory(prefix="deepassay-") as scratch:
                left = None if self.budget is None else max(self.budget - self.spent, 0.0)
                run = Path(scratch) / "run.assay"
                settings = self.settings.model_copy(
                    update={"protocols": (protocol,), "run": run, "budget": left,
                            "offline_sources": True}
                )  # fmt: skip
                if pages is not None:
                    kept = await asyncio.to_thread(_kept, pages, Path(scratch))
                    settings = settings.model_copy(update={"snapshots": kept})
                task = {"id": "t", **{key: each for key, each in about.items() if each}}
                try:
                    summary = await asyncio.to_thread(
                        evaluate, [task], [Report(text, "report", "t")], settings
                    )
                finally:
                    if run.exists():
                        with RunFile.read(run) as file:
                            self.spent += file.spent()
                (record,) = records_of([run])
                return self._told(record, summary.tally.stopped)

    def _told(self, record: Judged, stopped: str) -> dict[str, Json]:
        outcome, evidence = record.outcome, evidence_of(record)
        found: dict[str, Json] = {
            "protocol": record.protocol,
            "value": outcome.value if isinstance(outcome, Score) else None,
            "lowest": None,
            "highest": None,
            "summary": short_line(summary_of(evidence)),
            "recipe": str(record.signature),
            "offline": has_offline(record.signature),
            "tells_good_from_bad": record.reads,
            "items": [_item(each) for each in evidence.items],
        }
        if isinstance(outcome, Score) and outcome.bounds is not None:
            found |= {"lowest": outcome.bounds[0], "highest": outcome.bounds[1]}
        if isinstance(outcome, Unscored):
            why = f"stopped by {stopped}" if stopped else outcome.detail
            found |= {"unscored": str(outcome.cause), "why": short_line(why)}
        return found


def _kept(pages: Sequence[Mapping[str, str]], scratch: Path) -> Path:
    """Pages that came in a call, as snapshots that last as long as the call."""
    if sum(len(str(each.get("text", ""))) for each in pages) > MOST_CHARACTERS:
        raise BadInput(
            f"The pages have more than {MOST_CHARACTERS:,} characters.", "Give fewer of them."
        )
    lines = scratch / "pages.jsonl"
    rows = ({"url": each.get("url", ""), "text": each.get("text", "")} for each in pages)
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    snapshots = scratch / "pages.assay"
    imported = import_pages([lines], snapshots, None)
    if imported.states.total() < len(pages):
        raise BadInput(
            f"{len(pages) - imported.states.total()} of {len(pages)} pages are none.",
            "Give each as {url, text}, with the address that the report cites.",
        )
    return snapshots


def _item(item: EvidenceItem) -> dict[str, Any]:
    told = {
        "item": short_line(item.item),
        "verdict": item.verdict,
        "score": item.score,
        "why": short_line(item.reason),
        "url": short_line(item.url or ""),
        "unscored": item.cause,
    }
    return {key: each for key, each in told.items() if each not in (None, "")}


def short_line(text: str) -> str:
    """A text on one line, cut if long: answers are read by programs that have a limit."""
    return one_line(text, LONGEST)


def paged(name: str, rows: Sequence[Json], start: int) -> dict[str, Json]:
    """Some of the rows, how many there are, and where the next ones begin."""
    start = max(start, 0)
    end = start + ROWS
    return {
        name: list(rows[start:end]),
        "of": len(rows),
        "next": end if end < len(rows) else None,
    }


PLAIN: Final = ("presentation", "surface", "coverage", "rubrics", "fact")
"""What a prompt, a checklist, a rubric and pages are enough for."""


def protocols_offered(named: Sequence[str]) -> tuple[str, ...]:
    """The protocols that may be asked for, PLAIN if none is named.

    Raises BadSetting for what no package registers: a name that imports a module or reads a file
    is not for whoever calls a tool.
    """
    known = plugins("protocols")
    for name in named:
        if name not in known:
            raise BadSetting(
                f"--protocol {name}: agents may ask for registered protocols alone.",
                f"Protocols: {', '.join(sorted(known))}.",
            )
    return tuple(dict.fromkeys(named)) or PLAIN
