"""What served pages are taken for: 412 of our own making in eight languages, on loopback.

`built_with.yaml` was at hand while rules were built; the others were written when these were
finished, the last two parts by somebody who had seen neither rules nor pages. Each page goes the
whole way: redirects, fetcher, worker process, certain rules; then a judge is asked about what is in
doubt, by the question that protocols ask.

    python -m benchmarks.page_classes
    python -m benchmarks.page_classes --judge openai:NAME --base-url URL --answers FILE [PART...]

The scripted judge knows what each page is: one that errs never shows what is asked at all, and that
an answer ends in the right class; one that errs in one of ten, what errors cost. Neither shows that
a model can read. The named judge does, for itself. Its answers are kept in FILE.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zlib import crc32

from tests.sources.served import Served, outcomes, pages_of

from deepassay.models.ask import Answer, Asker
from deepassay.models.operation import In, Operation, Out
from deepassay.protocols.page_check import FAILURES, settled
from deepassay.run.asking.connecting import one_model
from deepassay.run.settings import Settings
from deepassay.runfile import Capture, RunFile
from deepassay.score import Json, Unscored
from deepassay.sources.faults import failure_of
from deepassay.sources.page import DOUBTFUL, OK, Failure, NoPage, Page, state_of
from deepassay.stats.intervals import wilson_interval

PARTS: Final = {
    "built_with.yaml": "built with",
    "held_out.yaml": "held out",
    "last.yaml": "written last",
    "third_held_out.yaml": "third held-out",
    "fourth_held_out.yaml": "fourth held-out",
}
CAME: Final = {failure.value: came for came, failure in reversed(FAILURES.items())} | {OK: "page"}
"""What a judge that reads says of each class."""


@dataclass(frozen=True)
class Seen:
    """A page, and what came of it by rules."""

    page: Served
    capture: Capture
    by_rules: str


class Scripted:
    """Says of each page what it is, and of one in `errs` something else; 0 for none."""

    def __init__(self, errs: int) -> None:
        self._errs = errs
        self.wanted = ""

    @property
    def identity(self) -> Mapping[str, Json]:
        """Nobody's."""
        return {"model": "scripted"}

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0, most: int | None = None
    ) -> Answer[Out] | Unscored:
        """The answer about the page that is `wanted`."""
        came = CAME.get(self.wanted, "unclear")
        if self._errs and crc32(inputs.spelled["text"].encode()) % self._errs == 0:
            came = "not_found" if came == "page" else "page"
        value = operation.gives.model_validate({"came": came, "reason": "scripted"})
        return Answer(value, "", "scripted")


def by_status(each: Seen) -> str:
    """What the status says, and nothing else."""
    status = each.page.status
    return OK if 200 <= status < 300 else failure_of(status).page_class


async def judged(seen: Sequence[Seen], asker: Asker) -> list[str]:
    """The class of each, with an asker about what is in doubt."""
    found = []
    for each in seen:
        capture = each.capture
        if each.by_rules != DOUBTFUL:
            found.append(each.by_rules)
            continue
        page: Page | NoPage = Page(
            capture.url, capture.text or "", capture.title, doubt=capture.detail
        )
        if isinstance(asker, Scripted):
            asker.wanted = each.page.wanted
        end = await settled(page, asker, "zh" if each.page.language == "zh" else "en")
        found.append("failed" if isinstance(end, Unscored) else _class(state_of(end)))
    return found


def _class(state: str) -> str:
    return state if state in (OK, DOUBTFUL) else Failure(state).page_class


def told(way: str, seen: Sequence[Seen], found: Sequence[str]) -> str:
    """One line: how many are right, with the interval, and what the errors are."""
    pairs = [(each.page.wanted, got) for each, got in zip(seen, found, strict=True)]
    right = sum(wanted == got for wanted, got in pairs)
    share = wilson_interval(right / len(pairs), len(pairs))
    lost = sum(wanted == OK and got not in (OK, DOUBTFUL) for wanted, got in pairs)
    pages = sum(wanted == OK for wanted, _ in pairs)
    false = sum(wanted != OK and got == OK for wanted, got in pairs)
    doubt = sum(got == DOUBTFUL for _, got in pairs)
    return (
        f"  {way:<28} {right:>3} of {len(pairs)} right, {right / len(pairs):.2f} "
        f"[{share.low:.2f}, {share.high:.2f}]; in doubt {doubt}; pages lost {lost} of {pages}; "
        f"taken for a page {false} of {len(pairs) - pages}"
    )


def wrong(seen: Sequence[Seen], found: Sequence[str]) -> str:
    """A line for each that was taken for something else."""
    return "\n".join(
        f"    {each.page.name} ({each.page.language}): {each.page.wanted}, taken for {got}"
        for each, got in zip(seen, found, strict=True)
        if got != each.page.wanted
    )


def main() -> None:
    """Print for each part what status, rules and judges take its pages for."""
    given = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    given.add_argument("parts", nargs="*", default=[*PARTS], metavar="PART")
    given.add_argument("--judge")
    given.add_argument("--base-url")
    given.add_argument("--answers", type=Path)
    options = given.parse_args()
    for part in options.parts:
        seen = [Seen(*each) for each in outcomes(pages_of(part))]
        asked = sum(each.by_rules == DOUBTFUL for each in seen)
        print(f"{PARTS[part]}: {len(seen)} pages, {asked} asked about")
        print(told("status alone", seen, [by_status(each) for each in seen]))
        print(told("certain rules alone", seen, [each.by_rules for each in seen]))
        for way, errs in (("scripted judge", 0), ("scripted, 1 in 10 wrong", 10)):
            print(told(f"rules and {way}", seen, asyncio.run(judged(seen, Scripted(errs)))))
        if options.judge:
            found = asyncio.run(by_model(seen, options.judge, options.base_url, options.answers))
            print(told(f"rules and {options.judge}", seen, found))
            print(wrong(seen, found), flush=True)


async def by_model(seen: Sequence[Seen], name: str, base_url: str | None, file: Path) -> list[str]:
    """The classes with a model as judge; what it answered before is not asked again."""
    settings = Settings(
        judge=(name,), base_url=base_url, structured=True, allow_unpriced=True, temperature=0.0
    )
    with RunFile.create(file) as run:
        async with one_model(name, settings, run) as (asker, _):
            return await judged(seen, asker)


if __name__ == "__main__":
    main()
