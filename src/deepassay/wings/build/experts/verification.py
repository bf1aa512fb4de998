"""Verification by people (LiveResearchBench, section 3.4 and appendix J): what they said, and what
follows from it.

A first group rates query and checklist items (Tables 12 and 13), a second one agrees or disagrees,
a third one settles what is in dispute. All of it is in the histories of drafts; nothing else is
kept. What a rating does to an item, the paper leaves open: see `rated_text`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from deepassay.tasks.history import HistoryEntry
from deepassay.wings.build.experts.query_drafts import QUERY, QueryDraft

RATE: Final = "rate"
AGREE: Final = "agree"
VERIFIED: Final = "verified"
SAMPLE: Final = "sample"
RESOLVE: Final = "resolve"
APPEND: Final = "append"
TAKEN_BACK: Final = "taken back"

Takes = Literal["no", "may", "must"]


@dataclass(frozen=True)
class MenuAnswer:
    """An answer of a menu. version, comment: whether it takes, or requires, one."""

    value: str
    version: Takes = "no"
    comment: Takes = "no"


TABLE_12: Final = (
    MenuAnswer("appropriate"),
    MenuAnswer("appropriate with modification", version="must"),
    MenuAnswer("not appropriate", comment="may"),
)
"""Ratings of a query."""

TABLE_13: Final = (
    MenuAnswer("appropriate"),
    MenuAnswer("valid but not necessary", version="may", comment="must"),
    MenuAnswer("needs modification", version="must"),
    MenuAnswer("not appropriate", version="may", comment="must"),
)
"""Ratings of a checklist item."""

AGREEMENT: Final = (MenuAnswer("agree"), MenuAnswer("disagree", version="may", comment="must"))
OUTCOMES: Final = (MenuAnswer("right"), MenuAnswer("wrong", comment="must"))
RESOLUTION: Final = (MenuAnswer("take", version="may"), MenuAnswer("drop", comment="may"))
APPROVAL: Final = (
    MenuAnswer("keep"),
    MenuAnswer("change", version="must"),
    MenuAnswer("drop", comment="must"),
)


def ratings_of(part: str) -> tuple[MenuAnswer, ...]:
    """The menu by which a part is rated."""
    return TABLE_12 if part == QUERY else TABLE_13


def answer_flaw(menu: Sequence[MenuAnswer], value: str, version: str, comment: str) -> str:
    """What an answer lacks or has too much, in words, or nothing."""
    chosen = next((each for each in menu if each.value == value), None)
    if chosen is None:
        return f"{value!r} is no answer here; there are {', '.join(each.value for each in menu)}"
    if chosen.version == "must" and not version:
        return f"{value!r} needs a modified version"
    if chosen.version == "no" and version:
        return f"{value!r} takes no modified version"
    if chosen.comment == "must" and not comment:
        return f"{value!r} needs a comment that says why"
    return ""


@dataclass
class VerifiedPart:
    """What was said of a part. text: as it stands, empty if it does not.

    ratings, agreements, samples: the last entry by whoever made it. resolved: the last resolution.
    """

    of: str
    text: str = ""
    ratings: dict[str, HistoryEntry] = field(default_factory=dict)
    agreements: dict[str, HistoryEntry] = field(default_factory=dict)
    samples: dict[str, HistoryEntry] = field(default_factory=dict)
    resolved: HistoryEntry | None = None

    @property
    def rating(self) -> HistoryEntry | None:
        """That of the first group, where all of it said the same; else None."""
        found = [*self.ratings.values()]
        said = {(each.said, each.proposed) for each in found}
        return found[0] if len(said) == 1 else None

    @property
    def state(self) -> Literal["unrated", "unseen", "disputed", "agreed"]:
        """How far the first two groups have come with it."""
        if not self.ratings:
            return "unrated"
        if self.rating is None:
            return "disputed"
        if not self.agreements:
            return "unseen"
        unanimous = all(each.said == "agree" for each in self.agreements.values())
        return "agreed" if unanimous else "disputed"

    @property
    def wrong(self) -> bool | None:
        """What the sample says of the outcome; None where it was not drawn or not looked at."""
        if not self.samples:
            return None
        return any(each.said == "wrong" for each in self.samples.values())

    @property
    def to_resolve(self) -> bool:
        """Whether the third group has to settle it."""
        return self.resolved is None and (self.state == "disputed" or self.wrong is True)


def rated_parts_of(draft: QueryDraft) -> dict[str, VerifiedPart]:
    """Query and checklist items, those included that are proposed or were taken out."""
    found = {QUERY: VerifiedPart(QUERY, draft.query)}
    found |= {key: VerifiedPart(key, text) for key, text in draft.checklist.items()}
    for entry in draft.history:
        if entry.step in (RATE, AGREE, SAMPLE, RESOLVE):
            part = found.setdefault(entry.of, VerifiedPart(entry.of))
            if entry.step != AGREE or not rated_anew(part, entry.when, draft.history):
                _note(part, entry)
    return found


def rated_anew(part: VerifiedPart, when: str, history: Sequence[HistoryEntry]) -> bool:
    """Whether a rating was another one at this time: who agreed then has not seen what counts."""
    for now in part.ratings.values():
        then = [
            (each.said, each.proposed)
            for each in history
            if (each.step, each.of, each.who) == (RATE, part.of, now.who)
            and each.said != TAKEN_BACK
            and each.when <= when
        ]
        if then and then[-1] != (now.said, now.proposed):
            return True
    return False


def _note(part: VerifiedPart, entry: HistoryEntry) -> None:
    if entry.step == RESOLVE:
        part.resolved = entry
        return
    by_step = {RATE: part.ratings, AGREE: part.agreements, SAMPLE: part.samples}
    own = by_step[entry.step]
    own.pop(entry.who, None)
    if entry.said != TAKEN_BACK:
        own[entry.who] = entry


def in_question(draft: QueryDraft) -> dict[str, VerifiedPart]:
    """The parts that count: of a draft that was dropped, the query alone."""
    parts = rated_parts_of(draft)
    if draft.dropped:
        return {QUERY: parts[QUERY]}
    return {of: part for of, part in parts.items() if part.text or part.ratings or part.resolved}


def rated_text(rating: HistoryEntry, text: str) -> str | None:
    """What becomes of a part that is rated so and agreed on: its text, or None if it goes.

    A modified version stands in its place. Without one, what is appropriate stays; what is not
    appropriate or not necessary goes.
    """
    if rating.proposed:
        return rating.proposed
    return text if rating.said == "appropriate" else None


def settled_draft(draft: QueryDraft) -> QueryDraft:
    """The draft with the texts that follow from what both groups agree on; not from disputes.

    What the third group settled stays as it left it.
    """
    for part in rated_parts_of(draft).values():
        rating = part.rating
        known = any(each.of == part.of and each.step == VERIFIED for each in draft.history)
        if part.state != "agreed" or rating is None or known or draft.dropped or part.resolved:
            continue
        after = rated_text(rating, part.text) or None
        if after != (part.text or None):
            draft = draft.after(
                HistoryEntry(
                    who=rating.who,
                    when=max(each.when for each in part.agreements.values()),
                    step=VERIFIED,
                    of=part.of,
                    said=rating.said,
                    before=part.text or None,
                    after=after,
                    note=f"agreed: {', '.join(sorted(part.agreements))}",
                )
            )
    return draft


def lacking(draft: QueryDraft) -> str:
    """What the first two groups still have to say of a draft, in words, or nothing."""
    states = [part.state for part in in_question(draft).values()]
    unrated, unseen = states.count("unrated"), states.count("unseen")
    counts = ((unrated, "to rate"), (unseen, "to agree on"))
    told = [f"{count} {what}" for count, what in counts if count]
    return ", ".join(told)


@dataclass(frozen=True)
class PersonAnswer:
    """One answer of a person, from a study or a sheet.

    task: the draft. step: of the building. of: the part. texts: a modified version, an answer,
    or lines. original: what was shown of the part, "" if that is not known. counts: whether it
    stands; taken_back_at: when it was taken back, or "". place: as messages name it.
    """

    task: str
    step: str
    of: str
    who: str
    when: str
    value: str = ""
    texts: tuple[str, ...] = ()
    comment: str = ""
    original: str = ""
    counts: bool = True
    taken_back_at: str = ""
    place: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """The one text, or nothing."""
        return self.texts[0] if self.texts else ""


def with_ratings(draft: QueryDraft, said: PersonAnswer) -> QueryDraft:
    """The draft after something that one of the verifying groups said."""
    if said.step == APPEND:
        # What was then appended otherwise, or taken back, is no item; the study has it.
        for text in said.texts if said.counts else ():
            entry = HistoryEntry(
                who=said.who,
                when=said.when,
                step=RATE,
                of=draft.next_key("c"),
                said=APPEND,
                proposed=text,
                note=said.comment,
            )
            draft = draft.after(entry)
        return draft
    if said.step == RESOLVE and said.taken_back_at:
        return draft
    entry = HistoryEntry(
        who=said.who,
        when=said.when,
        step=said.step,
        of=said.of,
        said=said.value,
        proposed="" if said.step == RESOLVE else said.text,
        note=said.comment,
    )
    if said.step == RESOLVE:
        entry = _resolving(draft, entry, said)
    draft = draft.after(entry)
    if said.taken_back_at:
        back = entry.model_copy(
            update={"when": said.taken_back_at, "said": TAKEN_BACK, "proposed": "", "note": ""}
        )
        draft = draft.after(back)
    return draft


def settled_otherwise(part: VerifiedPart, said: PersonAnswer) -> HistoryEntry | None:
    """The resolution of somebody else that this one would silently overrule."""
    settled = part.resolved
    if said.step != RESOLVE or not said.counts or settled is None or settled.who == said.who:
        return None
    same = said.value == settled.said and said.text in ("", settled.after)
    return None if same else settled


def _resolving(draft: QueryDraft, entry: HistoryEntry, said: PersonAnswer) -> HistoryEntry:
    """An entry of a history, completed by what an answer makes of the text of the part."""
    before = draft.parts.get(said.of)
    after = (said.text or said.original or before) if said.value == "take" else None
    return entry.model_copy(update={"before": before, "after": after})


def raters_of(draft: QueryDraft, steps: Sequence[str]) -> tuple[str, ...]:
    """Who had a say at these steps."""
    return tuple(sorted({each.who for each in draft.history if each.step in steps}))


def disputes(drafts: Sequence[QueryDraft]) -> Iterator[tuple[QueryDraft, VerifiedPart]]:
    """What the third group has to settle."""
    for draft in drafts:
        for part in in_question(draft).values():
            if part.to_resolve:
                yield draft, part
