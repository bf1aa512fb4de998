"""What a judge says of a report beside what was read: contradicted, or supported by nothing of it.

Each page that was read is held against all statements that cite or count something, by the verdicts
that FACT shares (see `protocols.support`). A page contradicts a statement where the judge does not
find it there and quotes what says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from deepassay.protocols.process.figures import figures_in
from deepassay.protocols.process.findings import asked_for, item, statement_place
from deepassay.protocols.process.seen import Seen, each_page
from deepassay.protocols.protocol import Case, RoleAskers, Sources, gather_limited
from deepassay.protocols.support import verdicts_on
from deepassay.reports.report import Report
from deepassay.reports.statements import Statement
from deepassay.results.evidence import EvidenceItem
from deepassay.runfile import StoredVerdict
from deepassay.score import Unscored
from deepassay.sources.page import Page

CONTRADICTED: Final = "contradicted by what was read"
DISPUTED: Final = "supported by one page that was read, contradicted by another"
UNSUPPORTED: Final = "supported by nothing that was read"

HITS: Final = "the results of its searches"
"""In place of an address: what searches showed, as one text."""
_QUOTED: Final = 300

Said = Mapping[str, StoredVerdict | Unscored]


class JudgedReport(NamedTuple):
    """Findings, and the first judgement that failed, if one did."""

    items: tuple[EvidenceItem, ...]
    failed: Unscored | None


async def judged_statements(
    case: Case, seen: Seen, ask: RoleAskers, sources: Sources
) -> JudgedReport:
    """What a judge says of the statements beside every page that was read."""
    report = case.report
    statements = [each for each in report.statements if each.urls or any(figures_in(each.text))]
    texts = list(dict.fromkeys(each.text for each in statements))
    pages = [*pages_read(seen)] if texts else []
    found = await gather_limited(
        verdicts_on(
            page,
            texts,
            ask.verifier,
            sources.verdicts,
            language=case.task.language,
            repeat=case.repeat,
        )
        for page in pages
    )
    failures = (one for said in found for one in said.values() if isinstance(one, Unscored))
    by_page = {page.url: said for page, said in zip(pages, found, strict=True)}
    items = (*_findings(report, seen, statements, by_page),)
    return JudgedReport(items, next(failures, None))


def pages_read(seen: Seen) -> Iterator[Page]:
    """What was read, a page at a time; all that searches showed is one."""
    opened = [e.urls[0] for e in seen.events if e.kind == "page" and e.came and e.urls]
    for url in each_page(opened):
        if text := "\n".join(e.text or "" for e in seen.asked_of(url) if e.came).strip():
            yield Page(url, text, reader="trace")
    shown = [e.text or "" for e in seen.events if e.kind != "page" and e.came]
    if text := "\n\n".join(filter(None, shown)).strip():
        yield Page(HITS, text, reader="trace")


def _findings(
    report: Report, seen: Seen, statements: Sequence[Statement], by_page: Mapping[str, Said]
) -> Iterator[EvidenceItem]:
    for number, statement in enumerate(statements, start=1):
        said = {url: each[statement.text] for url, each in by_page.items()}
        known = {url: one for url, one in said.items() if isinstance(one, StoredVerdict)}
        against = {u: one for u, one in known.items() if one.verdict == "unsupported" and one.quote}
        support = [url for url, one in known.items() if one.verdict == "supported"]
        where = {"places": (statement_place(report, statement),)}
        if against:
            quotes = tuple(one.quote[:_QUOTED] for one in against.values())
            urls = tuple(url for url in (*support, *against) if url != HITS)
            verdict = DISPUTED if support else CONTRADICTED
            told = "; ".join(asked_for(seen, url) for url in against)
            more = {**where, "quotes": quotes, "urls": urls}
            yield item(f"g{number}", verdict, statement.text, told, more)
            continue
        denied = all(one.verdict == "unsupported" for one in known.values())
        if denied and known and len(known) == len(said) and seen.texts is not None:
            told = f"none of {len(said)} texts that were read says so"
            yield item(f"h{number}", UNSUPPORTED, statement.text, told, where)
