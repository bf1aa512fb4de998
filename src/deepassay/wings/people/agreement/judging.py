"""A judge held against people: the pairs that they labelled are judged, and counted by class."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from deepassay.errors import BadTasks
from deepassay.intake.rows import InputRow
from deepassay.models.ask import Asker
from deepassay.protocols.protocol import Sources
from deepassay.protocols.support import verdicts_on
from deepassay.results.joined import Joined
from deepassay.run.asking.connecting import one_model
from deepassay.run.asking.estimate import Estimate, estimate_work
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile, StoredVerdict
from deepassay.score import Cause, Json, Unscored
from deepassay.sources.page import NoPage, Page
from deepassay.sources.snapshots import Snapshots
from deepassay.stats.classes import Agreement, ClassAgreement, agreement_by_class
from deepassay.stopping import ConcurrentQueue
from deepassay.tasks.labelled import LabelledPair, Support
from deepassay.tasks.rows import read_rows
from deepassay.tasks.task import detect_language

Label = Literal["supported", "not supported"]

LABELS: Final[Mapping[str, Support]] = {
    **dict.fromkeys(("supported", "support", "yes", "true", "1", "支持"), "supported"),
    **dict.fromkeys(
        ("not supported", "unsupported", "not support", "no", "false", "0", "不支持"),
        "unsupported",
    ),
    **dict.fromkeys(
        ("partial", "partially supported", "partial support", "partly", "部分支持"), "partial"
    ),
}
"""How people write the two classes of the paper, and what lies between them."""

CLASSES: Final[Mapping[Support, Label]] = {
    "supported": "supported",
    "unsupported": "not supported",
    "partial": "not supported",  # the judge too says supported only where the page has all of it
}

VERDICTS: Final[Mapping[str, Label]] = {
    "supported": "supported",
    "unsupported": "not supported",
    "unknown": "not supported",  # of two classes, what is not known to be supported is not
}


@dataclass(frozen=True)
class JudgedPairs:
    """What came of it. joined: what became of the pairs. unjudged: those without a verdict, by why.

    unknown: verdicts so called. partly: labels between the classes, which count as not supported.
    """

    agreement: Agreement | None
    joined: Joined
    unjudged: Counter[str]
    unknown: int
    partly: int = 0

    @property
    def out_of_budget(self) -> bool:
        """Whether pairs were not asked because of the budget."""
        return Cause.BUDGET in self.unjudged

    def lines(self) -> Iterator[str]:
        """The agreement for a person."""
        yield str(self.joined)
        if self.agreement is not None:
            for row in (*self.agreement.classes, self.agreement.overall):
                yield _line(row)
            kappa = self.agreement.kappa
            yield f"Cohen's kappa: {'not defined' if kappa is None else f'{kappa:.3f}'}"
        if self.unknown:
            yield f"verdicts 'unknown', counted as not supported: {self.unknown}"
        if self.partly:
            yield f"labels 'partial', counted as not supported: {self.partly}"
        for why, count in sorted(self.unjudged.items(), key=lambda each: (-each[1], each[0])):
            yield f"without a verdict: {count} ({why})"


def _line(row: ClassAgreement) -> str:
    low, high = row.interval
    return (
        f"{row.label + ':':<15}{row.agreed} of {row.n} agree, {100 * row.rate:.1f} % "
        f"(95 % interval {100 * low:.1f} to {100 * high:.1f})"
    )


def own_pairs(path: Path) -> list[LabelledPair]:
    """Pairs of a CSV file with columns statement, label, and page (its text) or url.

    Raises BadTasks for a file that cannot be read, naming the line.
    """
    read = [_pair(row) for row in read_rows(path)]
    if not read:
        raise BadTasks(f"{path} holds no pairs.", "Check that it is the right file.")
    return read


def agree(pairs: Sequence[LabelledPair], settings: Settings) -> JudgedPairs:
    """Have the verifier, or the first judge, decide every pair that people labelled.

    Pages of addresses are taken from `settings.snapshots` or the run file; nothing is fetched.
    Verdicts that the run file has are not asked again.
    """
    with RunFile.create(settings.run) as run:
        name = settings.verifier or settings.judge[0]
        judged, _ = asyncio.run(judged_support(pairs, name, settings, run))
    return _counted(pairs, judged)


def estimate_support(
    pairs: Sequence[LabelledPair], names: Sequence[str], settings: Settings
) -> Estimate:
    """What deciding these pairs would ask of each of these models. Nothing is asked."""
    there = [pair for pair in pairs if pair.page or pair.url]
    return estimate_work(
        f"{len(there):,} pairs of statement and page",
        names,
        settings,
        lambda asker, sources: _judged(there, asker, sources, 1),
    )


def _pair(row: InputRow) -> LabelledPair:
    fields = {name.strip().casefold(): cell for name, cell in row.cells.items()}
    columns = (
        "Columns: statement, label (supported, partial or not supported), and page or url. "
        f"There are: {', '.join(row.fields)}."
    )
    if not fields.get("statement") or not (fields.get("page") or fields.get("url")):
        raise BadTasks(f"{row.place}: statement, or both page and url, are missing.", columns)
    label = LABELS.get(fields.get("label", "").lower())
    if label is None:
        raise BadTasks(f"{row.place}: {fields.get('label')!r} is no label.", columns)
    page, url = fields.get("page", ""), fields.get("url", "")
    return LabelledPair(row.place, fields["statement"], (label,), page, url)


async def judged_support(
    pairs: Sequence[LabelledPair], name: str, settings: Settings, run: RunFile
) -> tuple[dict[LabelledPair, StoredVerdict | str], Mapping[str, Json]]:
    """What a model says of each pair, or why it says nothing; and who it is, with its settings.

    Nothing is fetched, and what the run has is not asked.
    """
    async with AsyncExitStack() as stack:
        shared, path = None, settings.snapshots
        if path is not None and path.resolve() != settings.run.resolve():
            shared = stack.enter_context(RunFile.read(path)).captures
        asker, _ = await stack.enter_async_context(one_model(name, settings, run))
        sources = Sources(Snapshots(run.captures, shared), run.verdicts)
        judged = await _judged(pairs, asker, sources, 2 * settings.max_connections)
        return judged, asker.identity


async def _judged(
    pairs: Sequence[LabelledPair], asker: Asker, sources: Sources, number: int
) -> dict[LabelledPair, StoredVerdict | str]:
    """Each pair with its verdict, or why it has none. Pairs of one page are asked together."""
    judged: dict[LabelledPair, StoredVerdict | str] = {}

    async def judge(own: Sequence[LabelledPair]) -> None:
        text, url = own[0].page, own[0].url
        page = Page(url, text) if text else await sources.pages.get(url)
        if isinstance(page, NoPage):
            judged.update((pair, f"page {page.failure}") for pair in own)
            return
        statements = list(dict.fromkeys(pair.statement for pair in own))
        language = detect_language(statements[0])
        said = await verdicts_on(page, statements, asker, sources.verdicts, language=language)
        for pair in own:
            found = said[pair.statement]
            judged[pair] = str(found.cause) if isinstance(found, Unscored) else found

    await ConcurrentQueue(judge).finish_or_stop(_by_page(pairs).values(), number)
    return judged


def _counted(
    pairs: Sequence[LabelledPair], judged: Mapping[LabelledPair, StoredVerdict | str]
) -> JudgedPairs:
    said = {pair: each.verdict for pair, each in judged.items() if isinstance(each, StoredVerdict)}
    labels = [(CLASSES[pair.people[0]], VERDICTS[word]) for pair, word in said.items()]
    unjudged = Counter(each for each in judged.values() if isinstance(each, str))
    unknown = sum(word == "unknown" for word in said.values())
    partly = sum(pair.people[0] == "partial" for pair in said)
    strays = {
        f"{pair.place}: {why}.": why
        for pair in pairs
        if isinstance(why := judged.get(pair, "not asked"), str)
    }
    joined = Joined("pairs", "verdicts", len(pairs), [*strays], kinds=strays)
    return JudgedPairs(
        agreement_by_class(labels) if labels else None, joined, unjudged, unknown, partly
    )


def _by_page(pairs: Sequence[LabelledPair]) -> Mapping[tuple[str, str], list[LabelledPair]]:
    """Pairs with the same page together: one question each."""
    pages: defaultdict[tuple[str, str], list[LabelledPair]] = defaultdict(list)
    for pair in pairs:
        pages[pair.page, pair.url].append(pair)
    return pages
