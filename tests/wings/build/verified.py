"""Drafts on which people have had their say."""

from __future__ import annotations

from collections.abc import Mapping

from deepassay.wings.build.experts.query_drafts import QueryDraft
from deepassay.wings.build.experts.verification import (
    AGREE,
    APPEND,
    RATE,
    RESOLVE,
    SAMPLE,
    PersonAnswer,
    with_ratings,
)

WHEN = "2026-01-05T09:00:00+00:00"
ITEMS = {"c1": "Is a price given?", "c2": "Is a wage given?"}


def unrated(name: str = "d1", items: Mapping[str, str] = ITEMS) -> QueryDraft:
    draft = QueryDraft(id=name, language="en", domain="Law", category="review")
    draft = draft.changed("eva", "draft", {"query": f"What of {name} as of {{{{date}}}}?"})
    return draft.changed("openai:m", "checklist", items)


def said(draft: QueryDraft, *what: tuple[str, ...]) -> QueryDraft:
    """After (step, who, part, value, version, comment)."""
    for step, who, of, value, *more in what:
        version, comment = (*more, "", "")[:2]
        texts = (value,) if step == APPEND else tuple(filter(None, (version,)))
        draft = with_ratings(
            draft, PersonAnswer(draft.id, step, of, who, WHEN, value, texts, comment)
        )
    return draft


def rated(name: str = "d1", **values: tuple[str, ...]) -> QueryDraft:
    """By ana, all appropriate but what is said otherwise: rating, version, comment by part."""
    draft = unrated(name)
    return said(
        draft,
        *(
            (RATE, "ana", part, *values.get(part, ("appropriate",)))
            for part in ("query", *draft.checklist)
        ),
    )


def agreed(draft: QueryDraft, **otherwise: str) -> QueryDraft:
    """By bo, who disagrees on these parts and says why."""
    parts = dict.fromkeys(each.of for each in draft.history if each.step == RATE)
    return said(
        draft,
        *(
            (
                AGREE,
                "bo",
                part,
                *(("disagree", "", otherwise[part]) if part in otherwise else ("agree",)),
            )
            for part in parts
        ),
    )


__all__ = [
    "AGREE",
    "APPEND",
    "ITEMS",
    "RATE",
    "RESOLVE",
    "SAMPLE",
    "WHEN",
    "agreed",
    "rated",
    "said",
    "unrated",
]
