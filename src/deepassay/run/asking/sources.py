"""Pages that reports cite: fetched before anything is scored, and listed."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product, zip_longest
from pathlib import Path
from typing import Final

from deepassay.models.prompt import LANGUAGES
from deepassay.protocols.retrieval import Retrieval
from deepassay.reports.attribution import attributions
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.results.joined import Joined
from deepassay.run.asking.plan import Plan
from deepassay.run.settings import Settings
from deepassay.run.showing.contents import metrics_of
from deepassay.run.showing.yardsticks import protocol_for
from deepassay.runfile import Capture, RunFile
from deepassay.score import Json, Unscored
from deepassay.sources.page import DOUBTFUL, NO_HOST, NO_NAMES, OK, Failure, NoPage, state_of
from deepassay.sources.snapshots import WORTH_ANOTHER_TRY, Snapshots, state_of_capture
from deepassay.stopping import ConcurrentQueue, signals
from deepassay.text import canonical

UNKEPT: Final = "nothing of it is kept"

_NO_HOST: Final = frozenset({NO_HOST, NO_NAMES})


@dataclass
class Harvest:
    """How far the fetching has come.

    total: addresses; kept: those that were there already; done: those read now. states: of all
    of these, how many came to which. signal: the number of the signal that ended it, or 0.
    """

    total: int
    kept: int = 0
    done: int = 0
    states: Counter[str] = field(default_factory=Counter)
    signal: int = 0

    def lines(self) -> Iterator[str]:
        """The summary for a person."""
        yield f"{self.total} addresses: {self.done} read now, {self.kept} there already"
        for state, count in sorted(self.states.items(), key=lambda each: each[0] != OK):
            yield f"  {state}: {count}"
        if self.signal:
            yield "Stopped. What was read is kept: the same command goes on from here."


def addresses_of(reports: Iterable[Report]) -> list[str]:
    """The canonical addresses that citations lead to or that reference lists name, each once.

    Hosts take turns, so that a slow one does not keep the others waiting.
    """
    by_host: dict[str, list[str]] = {}
    for url in dict.fromkeys(chain.from_iterable(map(_cited, reports))):
        by_host.setdefault(url.partition("://")[2].partition("/")[0], []).append(url)
    rounds = zip_longest(*by_host.values())
    return [url for each in rounds for url in each if url is not None]


def addresses_to_read(plan: Plan) -> Iterator[str]:
    """The addresses that a plan may read: cited by its reports, then relevant to its tasks."""
    for report in plan.reports:
        yield from _cited(report.anew())
    for task in plan.tasks.values():
        yield from task.relevant


def _cited(report: Report) -> Iterator[str]:
    for cited in report.resolved:
        yield from cited.urls
    for entry in report.references:
        yield from map(canonical, entry.urls)
    for attributed in attributions(report):
        yield from attributed.urls


def fetch(
    reports: Sequence[Path],
    snapshots: Path,
    settings: Settings,
    *,
    retry: bool = False,
    on_progress: Callable[[Harvest], None] = lambda harvest: None,
) -> Harvest:
    """Read every address that reports cite, but for those whose page or failure is kept.

    snapshots: the file where pages are kept. Of the settings those on pages count, and
    `max_connections` and `deadline` for one page. retry: also what failed before. Each page is on
    the disk before the next is begun in its place. SIGINT and SIGTERM break off what is under way.
    Raises BadReports, BadRunFile, BadSetting.
    """
    urls = addresses_of(load_reports(reports))
    with RunFile.share(snapshots) as run:
        return asyncio.run(_fetch(urls, settings, retry, run, on_progress))


async def _fetch(
    urls: Sequence[str],
    settings: Settings,
    retry: bool,
    run: RunFile,
    on_progress: Callable[[Harvest], None],
) -> Harvest:
    kept = {page.url: state_of_capture(page) for page in latest_captures(run)}
    again = WORTH_ANOTHER_TRY if retry else frozenset()
    missing = [url for url in urls if url not in kept or kept[url] in again]
    there = [kept[url] for url in urls if url in kept and kept[url] not in again]
    harvest = Harvest(len(urls), len(there), states=Counter(there))

    async def read(url: str) -> None:
        page = await snapshots.get(url)
        harvest.done += 1
        harvest.states[state_of(page)] += 1
        on_progress(harvest)

    engine = ConcurrentQueue(read)
    from deepassay.run.asking.page_readers import open_reader  # loads what the network needs

    async with open_reader(
        settings.reader,
        allow_hosts=settings.allow_host,
        proxy=settings.page_proxy,
        deadline=settings.deadline,
        connections=settings.max_connections,
        to_read=lambda: urls,
    ) as reader:
        snapshots = Snapshots(run.captures, None, reader, retry=retry)
        with signals(engine.stop_at_once, engine.stop_at_once) as received:
            await engine.finish(missing, settings.max_connections)
    harvest.signal = received[0] if received else 0
    return harvest


def latest_captures(run: RunFile) -> Iterator[Capture]:
    """Of each address the capture that counts, without text and body, ordered by address."""
    best: Capture | None = None
    for page in run.captures.rows():  # of one address: the oldest first
        if best is not None and best.url != page.url:
            yield best
            best = None
        if best is None or _rank(page) >= _rank(best):
            best = page
    if best is not None:
        yield best


def _rank(page: Capture) -> int:
    """A page counts more than a text in doubt, and this more than a failure."""
    return 0 if page.failure is not None else 1 if page.is_doubtful else 2


@dataclass(frozen=True)
class CitedAddresses(Joined):
    """What became of cited addresses. A partner is an outcome; used are pages that hold text.

    doubtful: how many of these may be no page. fates: of each of the others what it means for the
    reports.
    """

    doubtful: int = 0
    fates: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        read = f"{self.used - self.doubtful} can be read"
        if self.doubtful:
            read += f", {self.doubtful} may be no page"
        return f"{self.what}: {self.came} came in, {self.matched} have an outcome, {read}."

    def fate(self, name: str) -> str:
        """Whether it counts against reports, and by which protocol, or is left out."""
        return self.fates[name]


async def pages_joined(run: RunFile) -> CitedAddresses:
    """What became of the addresses that outcomes of a run asked for.

    An address of which nothing is kept has no outcome, nor has one that was not reached in time.
    A text in doubt is what the judges of the run said that it is; nobody is asked here.
    """
    names: dict[str, str] = {}
    asked: defaultdict[str, set[str]] = defaultdict(set)
    for score in run.scores():
        for url, name in (score.record.get("pages") or {}).items():
            names[url] = name or names.get(url, "")
            asked[url].add(score.protocol)
    captures = {page.id: page for page in run.captures.rows()}
    kept = {url: captures.get(name) for url, name in names.items()}
    states = {url: state_of_capture(page) if page else UNKEPT for url, page in kept.items()}
    doubtful = {url: names[url] for url, state in states.items() if state == DOUBTFUL}
    states |= await _settled(run, doubtful)
    against = {
        name: protocol.held_against
        for name, metric in metrics_of(run).items()
        if (protocol := protocol_for(metric)) is not None
    }
    by_their_own = {name for name, states in against.items() if states is None}
    told, fates = {}, {}
    for url, state in states.items():
        unasked = (page := kept[url]) is not None and page.detail == NO_NAMES
        said = asked[url] - by_their_own
        counts = {each for each in said if state in (against.get(each) or ()) and not unasked}
        told[url] = f"{url}: {state}."
        fates[told[url]] = _fate(counts, said - counts)
    relevant = any(Retrieval.name in protocols for protocols in asked.values())
    what = "cited and relevant addresses" if relevant else "cited addresses"
    lost = (UNKEPT, Failure.TIMEOUT)
    return CitedAddresses(
        what,
        "pages",
        len(names),
        [told[url] for url, state in states.items() if state in lost],
        [told[url] for url, state in states.items() if state not in (OK, DOUBTFUL, *lost)],
        kinds={each: f"{states[url]} {fates[each]}" for url, each in told.items()},
        doubtful=sum(state == DOUBTFUL for state in states.values()),
        fates=fates,
    )


async def _settled(run: RunFile, doubtful: Mapping[str, str]) -> dict[str, str]:
    """The states of pages in doubt that were asked about; still in doubt where answers differ.

    doubtful: the names of their captures, by address.
    """
    from deepassay.models.ask import kept_answer, key_of
    from deepassay.protocols.page_check import JUDGE_PAGE, about, seen_as

    askers: list[Mapping[str, Json]] = []
    for each in run.protocols().values():
        for one in (*each["judges"], each.get("extractor")):
            if one and one not in askers:
                askers.append(one)
    pages = Snapshots(run.captures, pinned=doubtful)
    states: dict[str, str] = {}
    for url in doubtful:
        page = await pages.get(url)
        if isinstance(page, NoPage):  # its text is damaged
            continue
        seen = set[str]()
        for asker, language in product(askers, LANGUAGES):
            inputs = about(page, language)
            if stored := run.answer(key_of(JUDGE_PAGE, inputs, asker, 0)):
                said = kept_answer(JUDGE_PAGE, inputs, stored)
                seen.add(
                    DOUBTFUL if isinstance(said, Unscored) else state_of(seen_as(page, said.value))
                )
        if len(seen) == 1:
            states |= {url: seen.pop()}
    return states


def _fate(counts: Collection[str], leaves: Collection[str]) -> str:
    """What is said of a page that was not read. counts, leaves: protocols in which it does what."""
    if not counts:
        return "left out" if leaves else "not read"
    told = f"counts against reports in {', '.join(sorted(counts))}"
    return f"{told}, left out in {', '.join(sorted(leaves))}" if leaves else told


def pages_of_no_host(run: RunFile) -> int:
    """How many pages have no host, if none has one: a network without names looks like that."""
    found = {(capture.url, capture.detail) for capture in run.captures.rows()}
    return len({url for url, _ in found}) if {detail for _, detail in found} <= _NO_HOST else 0


def captures_by_address(
    snapshots: Path, states: Collection[str] = ()
) -> Iterator[tuple[str, Capture]]:
    """State and capture of each address of a file, of the given states only if there are any."""
    with RunFile.read(snapshots) as run:
        for page in latest_captures(run):
            state = state_of_capture(page)
            if not states or state in states:
                yield state, page


def cascades_told(run: RunFile) -> tuple[str, ...]:
    """How far statements on pages went in each cascade, those of earlier parts of a run too."""
    verifiers = (each.get("verifier") or {} for each in run.protocols().values())
    cascades = {each["model"]: each for each in verifiers if "stages" in each}
    if not cascades:
        return ()
    from deepassay.models.cascade import how_far
    from deepassay.protocols.support import JUDGE_SUPPORT

    told = (
        how_far(each, run.exchanges((JUDGE_SUPPORT.name, name))) for name, each in cascades.items()
    )
    return tuple(filter(None, told))
