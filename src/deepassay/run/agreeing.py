"""A judge held against people: the pairs that they labelled are judged, and counted by class."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple

from deepassay.errors import BadTasks
from deepassay.protocols.support import verdicts_on
from deepassay.run.connecting import one_model
from deepassay.run.engine import Engine
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile, StoredVerdict
from deepassay.score import Unscored
from deepassay.sources.page import NoPage, Page
from deepassay.sources.snapshots import Snapshots
from deepassay.stats.classes import Agreement, ClassAgreement, agreement_by_class
from deepassay.tasks.rows import Row, read_rows
from deepassay.tasks.task import detect_language

Label = Literal["supported", "not supported"]

LABELS: Final[Mapping[str, Label]] = {
    **dict.fromkeys(("supported", "support", "yes", "true", "1", "支持"), "supported"),
    **dict.fromkeys(
        ("not supported", "unsupported", "not support", "no", "false", "0", "不支持"),
        "not supported",
    ),
    **dict.fromkeys(
        ("partial", "partially supported", "partial support", "partly", "部分支持"),
        "not supported",  # the judge too is to say supported only where the page has all of it
    ),
}
"""How people write the two classes of the paper, and what lies between them."""

PARTLY: Final = frozenset(label for label in LABELS if "part" in label or "部分" in label)

VERDICTS: Final[Mapping[str, Label]] = {
    "supported": "supported",
    "unsupported": "not supported",
    "unknown": "not supported",  # of two classes, what is not known to be supported is not
}


@dataclass(frozen=True)
class Agreed:
    """What came of it. unjudged: pairs without a verdict, by why. unknown: verdicts so called.

    partly: labels between the classes, which count as not supported.
    """

    agreement: Agreement | None
    unjudged: Counter[str]
    unknown: int
    partly: int = 0

    def lines(self) -> Iterator[str]:
        """The agreement for a person."""
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


class _Pair(NamedTuple):
    statement: str
    label: Label
    partly: bool
    page: str
    url: str


def agree(pairs: Path, settings: Settings) -> Agreed:
    """Have the first judge decide every pair that people labelled.

    pairs: CSV with columns statement, label, and page (its text) or url. Pages of addresses are
    taken from `settings.snapshots` or the run file; nothing is fetched. Verdicts that the run
    file has are not asked again. Raises BadTasks for a file that cannot be read, naming the line.
    """
    read = [_pair(row) for row in read_rows(pairs)]
    if not read:
        raise BadTasks(f"{pairs} holds no pairs.", "Check that it is the right file.")
    with RunFile.create(settings.run) as run:
        return asyncio.run(_agree(read, settings, run))


def _pair(row: Row) -> _Pair:
    fields = {name.strip().casefold(): cell for name, cell in row.cells.items()}
    columns = (
        "Columns: statement, label (supported, partial or not supported), and page or url. "
        f"There are: {', '.join(row.fields)}."
    )
    if not fields.get("statement") or not (fields.get("page") or fields.get("url")):
        raise BadTasks(f"{row.place}: statement, or both page and url, are missing.", columns)
    written = fields.get("label", "").lower()
    label = LABELS.get(written)
    if label is None:
        raise BadTasks(f"{row.place}: {fields.get('label')!r} is no label.", columns)
    page, url = fields.get("page", ""), fields.get("url", "")
    return _Pair(fields["statement"], label, written in PARTLY, page, url)


async def _agree(pairs: Sequence[_Pair], settings: Settings, run: RunFile) -> Agreed:
    async with AsyncExitStack() as stack:
        shared, path = None, settings.snapshots
        if path is not None and path.resolve() != settings.run.resolve():
            shared = stack.enter_context(RunFile.read(path)).captures
        asker, _ = await stack.enter_async_context(
            one_model(settings.verifier or settings.judge[0], settings, run)
        )
        pages = Snapshots(run.captures, shared)

        judged: list[tuple[_Pair, str]] = []

        async def judge(own: Sequence[_Pair]) -> None:
            """Note each pair of one page with its verdict, or why it has none."""
            text, url = own[0].page, own[0].url
            page = Page(url, text) if text else await pages.get(url)
            if isinstance(page, NoPage):
                judged.extend((pair, f"page {page.failure}") for pair in own)
                return
            statements = list(dict.fromkeys(pair.statement for pair in own))
            language = detect_language(statements[0])
            said = await verdicts_on(page, statements, asker, run.verdicts, language=language)
            judged.extend((pair, _word(said[pair.statement])) for pair in own)

        await Engine(judge).finish(_by_page(pairs).values(), 2 * settings.max_connections)
    return _counted(judged)


def _word(said: StoredVerdict | Unscored) -> str:
    return said.verdict if isinstance(said, StoredVerdict) else str(said.cause)


def _counted(judged: Sequence[tuple[_Pair, str]]) -> Agreed:
    labels = [(pair.label, VERDICTS[word]) for pair, word in judged if word in VERDICTS]
    unjudged = Counter(word for _, word in judged if word not in VERDICTS)
    unknown = sum(word == "unknown" for _, word in judged)
    partly = sum(pair.partly and word in VERDICTS for pair, word in judged)
    return Agreed(agreement_by_class(labels) if labels else None, unjudged, unknown, partly)


def _by_page(pairs: Sequence[_Pair]) -> Mapping[tuple[str, str], list[_Pair]]:
    """Pairs with the same page together: one question each."""
    pages: defaultdict[tuple[str, str], list[_Pair]] = defaultdict(list)
    for pair in pairs:
        pages[pair.page, pair.url].append(pair)
    return pages
