"""Process: whether a report rests on what its agent was seen to read (ours).

A trace, of ours or of others, says what was searched, opened and read. Held against it, a report
shows citations of pages that were never opened, figures that stand in nothing that was read, and
more, see `findings`. All of that is decided by code. With `judged=True` a judge also says which
statements what was read contradicts, and which nothing of it supports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from deepassay.models.operation import Operation
from deepassay.protocols.process.findings import DROPPED, FAULTS, findings_of
from deepassay.protocols.process.judged import (
    CONTRADICTED,
    DISPUTED,
    UNSUPPORTED,
    judged_statements,
)
from deepassay.protocols.process.seen import Seen, each_page
from deepassay.protocols.protocol import (
    Case,
    Edition,
    Protocol,
    Role,
    RoleAskers,
    ScoreDetails,
    Sources,
)
from deepassay.protocols.support import JUDGE_SUPPORT
from deepassay.reports.report import Report
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Cause, Score, Unscored, digest

BOUNDS: Final = (0.0, 100.0)

NOT_SEEN: Final = (
    "nobody saw what the agent searched and opened{}. Give its trace with --traces, or have it "
    "answer with `deepassay research`."
)
LOST: Final = (
    "the trace does not have all that was asked for, and whether {} was opened cannot be told. "
    "Record it with its contents, and without limits on the number and length of attributes."
)
JUDGED: Final = {
    "contradicted": CONTRADICTED,
    "disputed": DISPUTED,
    "unsupported": UNSUPPORTED,
}
"""Parts that count what a judge found."""
CUT: Final = "the trace holds only the beginning of the report. Give the report beside it."
NO_ADDRESS: Final = "the report cites no address."


@dataclass(frozen=True, repr=False)
class Process(Protocol):
    """Share of the cited addresses that the agent opened, 0 to 100, with every finding beside it.

    Citations that share a page count once. Where it is not known whether a cited page was opened
    there is no score, and what is known of the others stands beside that. judged: whether a judge
    holds the statements against what was read; that adds findings and changes no score.
    """

    judged: bool = False

    name: ClassVar[str] = "process"
    title: ClassVar[str] = "Report against trace"
    source: ClassVar[str] = "ours"
    needs: ClassVar[str] = "the run of the agent: its trace, or `deepassay research`"
    calls: ClassVar[str] = "none; with judged=True one for each page that was read"
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)

    @property
    def rules(self) -> dict[str, int]:
        """That by which findings are made."""
        return {"process": 1}

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Hold the report against what was seen; a judge is asked where that is wanted."""
        report = case.report
        seen = Seen.of(report)
        if seen is None:
            return Unscored(Cause.MISSING_INPUT, NOT_SEEN.format(_why_unseen(report)))
        items = (*findings_of(report, case.task, seen),)
        if self.judged:
            said = await judged_statements(case, seen, ask, sources)
            if said.failed is not None:
                return said.failed
            items += said.items
        details = ScoreDetails(items=items, summary=_summary(seen, items)).to_json()
        fates = {url: seen.fate(url) for url in each_page(seen.cited)}
        opened = sum(fate == "opened" for fate in fates.values())
        unknown = next((url for url, fate in fates.items() if fate == "unknown"), None)
        if seen.run.stop == "truncated" and "trace" in seen.run.record:
            return Unscored(Cause.MISSING_INPUT, CUT, details)
        if not fates:
            return Unscored(Cause.MISSING_INPUT, NO_ADDRESS, details)
        if unknown is not None:
            return Unscored(Cause.MISSING_INPUT, LOST.format(unknown), details)
        share = 100.0 * opened / len(fates)
        return Score(share, BOUNDS, _parts(seen, items, self.judged), (opened, len(fates)), details)

    @property
    def roles(self) -> tuple[Role, ...]:
        """Whoever says what pages support, where that is asked."""
        return ("judge", "verifier") if self.judged else ("judge",)

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """What pages support, where that is asked; else nothing."""
        return (JUDGE_SUPPORT,) if self.judged else ()

    def basis(self, case: Case) -> dict[str, str]:
        """What may not be read, what is known to answer, and what the agent was seen to do."""
        found = {}
        blocked = case.task.blocked.urls if case.task.blocked else ()
        for name, given in (("blocked", blocked), ("relevant", case.task.relevant)):
            if given:
                found[name] = digest(list(given))[:12]
        if (run := case.report.run) and (seen := Seen.of(case.report)):
            events = [[e.kind, e.query, e.urls, e.status, e.text, e.whole] for e in seen.events]
            both = [None if urls is None else list(urls) for urls in (run.found, run.opened)]
            found["run"] = digest([*both, events])[:12]
        return found


def _why_unseen(report: Report) -> str:
    why = report.run.record.get("unseen") if report.run else None
    return f": {why}" if why else ""


def _parts(seen: Seen, items: Sequence[EvidenceItem], judged: bool) -> dict[str, float | None]:
    """Counts beside the score: faults, then what the run took. None is what is not known."""
    counted = Counter(str(each.verdict) for each in items)
    pages = [each for each in seen.events if each.kind == "page"]
    opened = len(seen.opened)
    usage, calls = seen.run.usage or {}, seen.run.record.get("calls")
    known = bool(seen.events)
    return {
        "faults": sum(counted[each] for each in FAULTS),
        **({name: counted[kind] for name, kind in JUDGED.items()} if judged else {}),
        "dropped": 100.0 * counted[DROPPED] / opened if opened else None,
        "searches": len(seen.searches) if known else None,
        "repeated": len(seen.repeated) if known else None,
        "nearly repeated": seen.nearly_repeated if known else None,
        "opened": opened,
        "failed": sum(e.status is not None and not e.came for e in pages) if known else None,
        "steps": calls if isinstance(calls, int) else None,
        "input tokens": usage.get("input"),
        "output tokens": usage.get("output"),
        "seconds": seen.run.seconds or None,
        "cost": seen.run.cost,
    }


def _summary(seen: Seen, items: Sequence[EvidenceItem]) -> str:
    """The counts of findings in a sentence, and what of the trace is not known."""
    counted = Counter(str(each.verdict) for each in items)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counted.items()) or "nothing"
    text = f"Found: {told}."
    unknown = [
        what
        for what, known in (
            ("all that searches found", seen.all_found),
            ("all that was opened", seen.all_opened),
            ("all that was read", seen.texts is not None),
        )
        if not known
    ]
    return f"{text} Not known: {', '.join(unknown)}." if unknown else text
