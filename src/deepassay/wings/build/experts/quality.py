"""The second round of quality control: a sample of what two groups agreed on, and its 5 % bound.

LiveResearchBench, section 3.4, wants quality to deviate by 5 % at most, and leaves open what that
means. We read it as: with 95 % confidence at most 5 % of outcomes are wrong, by the exact binomial
limit. 59 without a wrong one show it, 93 with one; otherwise the sample grows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.files import as_json
from deepassay.results.tables import Table, as_csv, percent, tables_as_text
from deepassay.score import Json, digest
from deepassay.stats.intervals import trials_for, upper_limit
from deepassay.tasks.task import Task
from deepassay.wings.build.experts.query_drafts import QUERY, QueryDraft
from deepassay.wings.build.experts.verification import VerifiedPart, in_question

MOST_WRONG: Final = 0.05
"""Share of outcomes that may be wrong."""

Drawn = tuple[QueryDraft, VerifiedPart]


@dataclass(frozen=True)
class Quality:
    """How far the second round has come.

    order: all outcomes, as they are drawn. most: share that may be wrong.
    """

    order: tuple[Drawn, ...]
    most: float = MOST_WRONG

    @property
    def seen(self) -> list[Drawn]:
        """Those that were looked at."""
        return [each for each in self.order if each[1].wrong is not None]

    @property
    def wrong(self) -> int:
        """How many of them are wrong."""
        return sum(part.wrong is True for _, part in self.seen)

    @property
    def needed(self) -> int:
        """How many have to be looked at, by what was found so far; at most all."""
        return min(trials_for(self.wrong, self.most), len(self.order))

    @property
    def to_see(self) -> list[Drawn]:
        """Those of them that were not looked at yet."""
        return [each for each in self.order[: self.needed] if each[1].wrong is None]

    @property
    def limit(self) -> float | None:
        """What the share of wrong outcomes does not pass with 95 % confidence."""
        if len(self.seen) == len(self.order):
            return self.wrong / len(self.order) if self.order else None
        return upper_limit(self.wrong, len(self.seen)) if self.seen else None

    @property
    def done(self) -> bool:
        """Whether the bound holds, or every outcome was looked at."""
        return not self.to_see


def quality_of(drafts: Sequence[QueryDraft], seed: int, most: float = MOST_WRONG) -> Quality:
    """The outcomes that both groups agree on, in an order that seed and names decide."""
    found = [
        (draft, part)
        for draft in drafts
        for part in in_question(draft).values()
        if part.state == "agreed"
    ]
    found.sort(key=lambda pair: digest([seed, pair[0].id, pair[1].of]))
    return Quality(tuple(found), most)


def quality_rows(quality: Quality) -> list[dict[str, Json]]:
    """How many were wrong: a record for all, each rating, each annotator and each second one.

    Where errors gather, they have a cause.
    """
    whole = len(quality.seen) == len(quality.order)
    rows = [_row("all", "", quality.seen, whole)]
    for kind, names in (("rating", _rating), ("annotator", _raters), ("second", _seconds)):
        for name in sorted({name for each in quality.seen for name in names(each[1])}):
            own = [each for each in quality.seen if name in names(each[1])]
            rows.append(_row(kind, name, own, whole))
    return rows


def write_quality(quality: Quality, format: str) -> str:
    """The figures of quality as a table, or as CSV or JSON."""
    rows = quality_rows(quality)
    if format == "json":
        return as_json(rows)
    if format == "csv":
        return as_csv(rows)
    bound = "unknown as yet" if quality.limit is None else f"at most {percent(quality.limit)}"
    table = Table.listed(
        "Second round",
        ("by", "name", "looked at", "wrong", "share", "at most (95 %)"),
        [
            (
                *(str(row[name]) for name in ("by", "name", "looked_at", "wrong")),
                percent(row["share"]),
                percent(row["limit"]),
            )
            for row in rows
        ],
        [
            f"Outcomes: {len(quality.order)}. Wrong of them: {bound}, where "
            f"{percent(quality.most)} is allowed.",
            "Limits of parts are no tests: of many parts, some stand out by chance.",
        ],
        words=2,
    )
    return tables_as_text([table], format)


def _row(kind: str, name: str, seen: Sequence[Drawn], whole: bool) -> dict[str, Json]:
    """whole: whether these are all that there are, and no sample."""
    wrong = sum(part.wrong is True for _, part in seen)
    share = wrong / len(seen) if seen else None
    return {
        "by": kind,
        "name": name,
        "looked_at": len(seen),
        "wrong": wrong,
        "share": share,
        "limit": share if whole or not seen else upper_limit(wrong, len(seen)),
    }


def _rating(part: VerifiedPart) -> list[str]:
    kind = "query" if part.of == QUERY else "item"
    return sorted({f"{kind}: {each.said}" for each in part.ratings.values()})


def _raters(part: VerifiedPart) -> list[str]:
    return sorted(part.ratings)


def _seconds(part: VerifiedPart) -> list[str]:
    return sorted(part.agreements)


def finished_tasks(drafts: Sequence[QueryDraft]) -> Iterator[Task]:
    """The finished tasks, dates still open; none that was dropped or has no checklist."""
    for draft in drafts:
        if not draft.dropped and draft.checklist:
            yield Task(
                id=draft.id,
                prompt=draft.query,
                language=draft.language,
                labels={"domain": draft.domain, "category": draft.category},
                checklist=tuple(draft.checklist.values()),
            )
