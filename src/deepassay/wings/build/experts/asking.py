"""What people are asked at each step, as items for `annotate`, and their answers taken in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from deepassay.runfile.people_said import Answered
from deepassay.runfile.questions import TEXT, Box, Choice, Item, Question, Shown
from deepassay.tasks.history import HistoryEntry
from deepassay.wings.build.experts.clarifying import PASSED_OVER
from deepassay.wings.build.experts.query_drafts import DRAFTED, QUERY, QueryDraft
from deepassay.wings.build.experts.verification import (
    AGREE,
    AGREEMENT,
    APPEND,
    APPROVAL,
    OUTCOMES,
    RATE,
    RESOLUTION,
    RESOLVE,
    SAMPLE,
    MenuAnswer,
    PersonAnswer,
    VerifiedPart,
    rated_parts_of,
    raters_of,
    ratings_of,
)
from deepassay.wings.build.wording import wordings

CLARIFY: Final = "clarify"
APPROVE: Final = "approve"
CHECKLIST: Final = "checklist"

STEPS: Final[Mapping[str, str]] = {
    DRAFTED: DRAFTED,
    CLARIFY: CLARIFY,
    APPROVE: APPROVE,
    QUERY: RATE,
    CHECKLIST: RATE,
    APPEND: APPEND,
    f"{QUERY}/agreed": AGREE,
    f"{CHECKLIST}/agreed": AGREE,
    SAMPLE: SAMPLE,
    RESOLVE: RESOLVE,
}
"""The step of the building that a question of a study belongs to, by its protocol."""

_TALL: Final = TEXT.model_copy(update={"rows": 8})
MOST_APPENDED: Final = 20


def step_words(draft: QueryDraft) -> Mapping[str, str]:
    """The words of the steps in the language of a draft."""
    return wordings("people", draft.language)


def _menu(name: str, ratings: Sequence[MenuAnswer]) -> tuple[Choice, ...]:
    shown = {language: wordings("people", language)["menus"][name] for language in ("en", "zh")}
    return tuple(
        Choice(
            value=each.value,
            en=shown["en"][each.value],
            zh=shown["zh"][each.value],
            version=each.version,
            comment=each.comment,
        )
        for each in ratings
    )


def _item(
    draft: QueryDraft, questions: Sequence[Question], subject: str = "", barred: Sequence[str] = ()
) -> Item:
    return Item(
        task=draft.id,
        language=draft.language,
        prompt=draft.query,
        subject=subject,
        questions=tuple(questions),
        barred=tuple(barred),
    )


def _cell(draft: QueryDraft) -> str:
    return step_words(draft)["cell"].format(domain=draft.domain, category=draft.category)


def drafting(draft: QueryDraft) -> Item:
    """For an expert, who drafts the query of an empty cell."""
    words = step_words(draft)
    question = Question(protocol=DRAFTED, text=words["draft"], boxes=(_TALL,), least=1)
    return _item(draft, [question], _cell(draft))


def question_for_expert(draft: QueryDraft) -> Item:
    """For the expert, who answers what models ask."""
    words = step_words(draft)
    return _item(
        draft,
        [
            Question(
                protocol=CLARIFY,
                item=key,
                text=words["clarify"].format(question=each.question),
                boxes=(TEXT,),
            )
            for key, each in draft.questions.items()
            if not each.answer.strip()
        ],
        _cell(draft),
    )


def approving(draft: QueryDraft) -> Item:
    """For the expert, who approves of the refined query, or edits it."""
    words = step_words(draft)
    begun = next(each.after or "" for each in draft.history if each.of == QUERY and each.after)
    shown = [Shown(label=words["drafted"], text=begun)] if begun != draft.query else []
    if draft.questions:
        lines = [f"{each.question}\n{each.answer}" for each in draft.questions.values()]
        shown.append(Shown(label=words["answers"], text="\n\n".join(lines)))
    question = Question(
        protocol=APPROVE,
        text=words["approve"],
        shown=tuple(shown),
        menu=_menu(APPROVE, APPROVAL),
        boxes=(_TALL,),
        given=({"text": draft.query},),
    )
    return _item(draft, [question], _cell(draft))


def rating(draft: QueryDraft) -> Item:
    """For the first group: the query once, every checklist item, and what is lacking."""
    words = step_words(draft)
    return _item(
        draft,
        [
            *(
                _rated(draft, part, text)
                for part, text in {QUERY: draft.query, **draft.checklist}.items()
            ),
            Question(protocol=APPEND, text=words[APPEND], boxes=(TEXT,), most=MOST_APPENDED),
        ],
        words["guidelines"],
    )


def _rated(draft: QueryDraft, part: str, text: str) -> Question:
    kind = QUERY if part == QUERY else CHECKLIST
    return Question(
        protocol=kind,
        item="" if part == QUERY else part,
        text=step_words(draft)[kind].format(text=text),
        menu=_menu(kind, ratings_of(part)),
        boxes=(_box(part),),
        given=({"text": text},),
    )


def _box(part: str) -> Box:
    return _TALL if part == QUERY else TEXT


def agreeing(draft: QueryDraft) -> Item | None:
    """For the second group, which sees what the first one said; None where nothing is open."""
    found = [
        _agreed(draft, part, part.rating)
        for part in rated_parts_of(draft).values()
        if part.state == "unseen" and part.rating is not None
    ]
    if not found:
        return None
    return _item(draft, found, step_words(draft)["guidelines"], raters_of(draft, (RATE,)))


def _agreed(draft: QueryDraft, part: VerifiedPart, by: HistoryEntry) -> Question:
    kind = QUERY if part.of == QUERY else CHECKLIST
    text = by.proposed or part.text
    return Question(
        protocol=f"{kind}/agreed",
        item="" if part.of == QUERY else part.of,
        text=f"{_asked(draft, part)}\n{step_words(draft)['agreed']}",
        shown=tuple(_told(draft, part, [by])),
        menu=_menu("agreed", AGREEMENT),
        boxes=(_box(part.of),),
        given=({"text": text},),
    )


def _asked(draft: QueryDraft, part: VerifiedPart) -> str:
    """The part as a question names it."""
    if part.of == QUERY:
        return draft.query or step_words(draft)["taken_out"]
    return step_words(draft)[CHECKLIST].format(text=part.text or part_text(draft, part))


def part_text(draft: QueryDraft, part: VerifiedPart) -> str:
    """The text of a part, or the one that was proposed or taken out last."""
    if part.text:
        return part.text
    own = [each for each in draft.history if each.of == part.of]
    texts = [each.proposed or each.before or each.after or "" for each in reversed(own)]
    return next(filter(None, texts), "")


def _told(
    draft: QueryDraft, part: VerifiedPart, entries: Sequence[HistoryEntry]
) -> Iterator[Shown]:
    """What was said of a part, a version and a comment each with its label. Names stay out."""
    words = step_words(draft)
    menus: Mapping[str, Mapping[str, str]] = words["menus"]  # type: ignore[assignment]
    for each in entries:
        if each.step == RATE:
            kind = APPEND if each.said == APPEND else QUERY if part.of == QUERY else CHECKLIST
        else:
            kind = "agreed" if each.step == AGREE else SAMPLE
        yield Shown(label=words[each.step], text=menus[kind].get(each.said, each.said))
        if each.proposed:
            yield Shown(label=words["version"], text=each.proposed)
        if each.note:
            yield Shown(label=words["comment"], text=each.note)


def sampling(draft: QueryDraft, parts: Sequence[VerifiedPart]) -> Item:
    """For the second round: whether what became of these parts is right."""
    return _deciding(draft, parts, SAMPLE, raters_of(draft, (RATE, AGREE)))


def resolving(draft: QueryDraft, parts: Sequence[VerifiedPart]) -> Item:
    """For the third group: which text is to stand."""
    return _deciding(draft, parts, RESOLVE, raters_of(draft, (RATE, AGREE, SAMPLE)))


def _deciding(
    draft: QueryDraft, parts: Sequence[VerifiedPart], step: str, barred: Sequence[str]
) -> Item:
    words = step_words(draft)
    asked = words["is_it_right" if step == SAMPLE else RESOLVE]
    menu = _menu(step, OUTCOMES if step == SAMPLE else RESOLUTION)
    questions = []
    for part in parts:
        entries = [*part.ratings.values(), *part.agreements.values(), *part.samples.values()]
        now = Shown(label=words["now"], text=part.text or words["taken_out"])
        takes_text = step == RESOLVE
        questions.append(
            Question(
                protocol=step,
                item=part.of,
                text=f"{_asked(draft, part)}\n{asked}",
                shown=(*_told(draft, part, entries), now),
                menu=menu,
                boxes=(_box(part.of),) if takes_text else (),
                given=({"text": part_text(draft, part)},) if takes_text else (),
            )
        )
    return _item(draft, questions, words["guidelines"], barred)


def answers_about_drafts(answers: Sequence[Answered]) -> list[PersonAnswer]:
    """What the answers of a study say of drafts, in their order. Other questions are passed over.

    A remark on a whole item goes with what was said first on it.
    """
    found: list[PersonAnswer] = []
    noted: set[tuple[int, str, str]] = set()
    for each in answers:
        protocol = each.question.protocol
        if protocol not in STEPS or (protocol == APPEND and not each.lines):
            continue
        place = (each.number, each.rater, each.at)
        note = "" if place in noted else each.note
        noted.add(place)
        of = each.question.item or QUERY
        found.append(
            PersonAnswer(
                task=each.task,
                step=STEPS[protocol],
                of=f"{of}/answer" if protocol == CLARIFY else of,
                who=each.rater,
                when=each.at,
                value=each.value,
                texts=tuple(line.get("text", "") for line in each.lines),
                comment="\n".join(filter(None, (each.comment, note))),
                original=each.question.original.get("text", ""),
                counts=each.counts,
                taken_back_at=each.taken_back_at,
            )
        )
    return found


EXPERTS: Final[Mapping[str, Callable[[PersonAnswer], str | None]]] = {
    DRAFTED: lambda said: said.text,
    CLARIFY: lambda said: said.text.strip() or PASSED_OVER,
    APPROVE: lambda said: None if said.value == "drop" else said.text or said.original,
}
"""The text that an expert gives a part, by the step; None where it goes."""


def with_expert(draft: QueryDraft, said: PersonAnswer) -> QueryDraft:
    """The draft after what its expert said; as it is after what was taken back."""
    if said.taken_back_at:
        return draft
    return draft.after(
        HistoryEntry(
            who=said.who,
            when=said.when,
            step="answer" if said.step == CLARIFY else said.step,
            of=said.of,
            said=said.value,
            before=draft.parts.get(said.of),
            after=EXPERTS[said.step](said),
            note=said.comment,
        )
    )


def told_otherwise(said: Iterable[PersonAnswer]) -> tuple[PersonAnswer, PersonAnswer] | None:
    """Two answers of experts who give one part different texts, if there are such."""
    last = {
        (each.task, each.of, each.who): each
        for each in said
        if each.step in EXPERTS and each.counts and not each.taken_back_at
    }
    first: dict[tuple[str, str], PersonAnswer] = {}
    for each in last.values():
        other = first.setdefault((each.task, each.of), each)
        if EXPERTS[other.step](other) != EXPERTS[each.step](each):
            return other, each
    return None
