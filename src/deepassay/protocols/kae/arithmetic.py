"""From key points and their relations to the rates of a report. Nothing here asks anyone.

DeepResearch Arena, equations 6 to 8 (the last prints KCR where KOR is meant): the shares of all
unified key points that the report supports, contradicts and omits. They sum to 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from deepassay.protocols.entries import JudgedEntry, absent_quotes_note, commonest
from deepassay.protocols.kae.questions import KeyPoint, Relation
from deepassay.results.cited_pages import classes_of
from deepassay.results.evidence import EvidenceItem, PageVisit
from deepassay.score import Cause, Json, Score, Unscored
from deepassay.sources.page import DOUBTFUL, OK

BOUNDS: Final = (0.0, 1.0)

RATES: Final = {"KSR": "SUPPORTS", "KCR": "CONTRADICTS", "KOR": "OMITS"}

READ: Final = "read"
GONE: Final = ("gone", "redirected_home", "refused")
"""States of a page that holds nothing; in any other but READ it may hold what nobody saw."""


class Visit(NamedTuple):
    """What came of one cited address. state: READ, a `page.Failure`, or `failed`.

    points: key points that it gave. dropped: those without a span on the page. cause: why it is
    open or gone; None where it was read. detail: why, in a sentence; of one that was read, why it
    may not be the page.
    """

    url: str
    state: str
    points: Sequence[KeyPoint] = ()
    dropped: int = 0
    cause: Cause | None = None
    detail: str = ""

    @property
    def page_class(self) -> str:
        """What came back; a page is one also where no key points were had of it."""
        if self.state == READ and self.detail:
            return DOUBTFUL
        return OK if self.state in (READ, "failed") else self.state

    @property
    def is_open(self) -> bool:
        """Whether key points may stand there that nobody could read."""
        return self.state != READ and self.state not in GONE


def rates_of(relations: Sequence[str | None]) -> dict[str, float | None]:
    """KSR, KCR and KOR over the key points that were judged; None if none was."""
    counts = Counter(each for each in relations if each is not None)
    total = sum(counts.values())
    return {rate: counts[name] / total if total else None for rate, name in RATES.items()}


def limits(relations: Sequence[str | None], visits: Sequence[Visit]) -> tuple[float, float]:
    """KSR if nothing of what is open were supported, and if all of it were.

    An open page is taken to hold as many key points as the pages that were read do on average.
    """
    read = sum(each.state == READ for each in visits)
    unseen = len(relations) / read * sum(each.is_open for each in visits) if read else 0.0
    total = len(relations) + unseen
    supported = relations.count("SUPPORTS")
    pending = relations.count(None) + unseen
    return (supported / total, (supported + pending) / total) if total else BOUNDS


def kae_score(
    lines: Sequence[JudgedEntry[KeyPoint, Relation]],
    visits: Sequence[Visit],
    merged: Mapping[str, int],
) -> Score | Unscored:
    """The score of a report: KSR, with KCR and KOR as parts.

    merged: key points that each step of the unification took away. Unscored, with the commonest
    cause, if there is no key point or none was judged.
    """
    relations = [line.judgement.verdict for line in lines]
    rates = rates_of(relations)
    low, high = limits(relations, visits)
    states = Counter(each.state for each in visits)
    open_pages = sum(each.is_open for each in visits)
    details: dict[str, Json] = {
        "summary": _summary(lines, visits, open_pages),
        "page_classes": classes_of(each.page_class for each in visits),
        "key_points": {
            "pages": len(visits),
            **dict(sorted(states.items())),
            "extracted": sum(len(each.points) for each in visits),
            "dropped": sum(each.dropped for each in visits),
            **merged,
            "unified": len(lines),
            "unjudged": relations.count(None),
        },
        "low": low,
        "high": high,
        "open": open_pages > 0 or None in relations,
        "again": any(each.state in GONE for each in visits),
        "items": [_item_of(f"k{number}", line) for number, line in enumerate(lines, start=1)],
        "pages": [_page_of(each) for each in visits],
    }
    if absent := sum(line.judgement.absent for line in lines):
        details["quotes_not_found"] = absent
        details["summary"] += absent_quotes_note(absent)
    value = rates["KSR"]
    if value is None:
        return Unscored(*_why(lines, visits), details)
    return Score(
        value,
        BOUNDS,
        parts={**rates, "key points": float(len(lines))},
        tally=(float(relations.count("SUPPORTS")), float(len(relations) - relations.count(None))),
        details=details,
    )


def _why(
    lines: Sequence[JudgedEntry[KeyPoint, Relation]], visits: Sequence[Visit]
) -> tuple[Cause, str]:
    """Why no key point of a report was judged: the commonest cause of what is open, or gone."""
    failed = [line.judgement.cause for line in lines if line.judgement.cause is not None]
    if failed:
        return commonest(failed), f"Not one of {len(lines)} key points could be judged."
    if not visits:
        return Cause.MISSING_INPUT, "The report cites no address."
    closed = [each.cause for each in visits if each.is_open and each.cause is not None]
    if closed:
        unread = f"{len(closed)} of {len(visits)} cited pages could not be read."
        return commonest(closed), f"No key point: {unread}"
    if any(each.state == READ for each in visits):
        return Cause.MISSING_INPUT, "No cited page that was read has a key point for the task."
    return Cause.PAGE_DEAD, f"No key point: all cited pages ({len(visits)}) are gone."


def _summary(
    lines: Sequence[JudgedEntry[KeyPoint, Relation]], visits: Sequence[Visit], open_pages: int
) -> str:
    dropped = sum(each.dropped for each in visits)
    said = f"{len(lines)} key points of {sum(each.state == READ for each in visits)} pages"
    if dropped:
        said += f"; {dropped} more were dropped, since their spans are not on the page"
    if open_pages:
        said += f"; {open_pages} cited pages could not be read"
    return said + "."


def _item_of(key: str, line: JudgedEntry[KeyPoint, Relation]) -> dict[str, Json]:
    """One key point as `explain` reads it."""
    point, judgement = line
    sources = f"{', '.join(point.urls)}: “{point.spans[0]}”"
    item = EvidenceItem(
        key=key,
        item=point.text,
        verdict=judgement.verdict or "open",
        score=None if judgement.verdict is None else int(judgement.verdict == "SUPPORTS"),
        justification=f"{judgement.reason} · {sources}",
        spans=point.spans,
        urls=point.urls,
        places=judgement.places,
    ).to_json()
    return item if judgement.cause is None else item | {"cause": str(judgement.cause)}


def _page_of(visit: Visit) -> dict[str, Json]:
    page = PageVisit(url=visit.url, state=visit.state, detail=visit.detail)
    return page.to_json() | {"key points": len(visit.points), "dropped": visit.dropped}
