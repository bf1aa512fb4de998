"""What becomes of a rubric on its way when somebody has answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deepassay.intake.rows import same_words
from deepassay.runfile.people_said import Answered
from deepassay.score import Json
from deepassay.tasks.yardsticks import Criterion
from deepassay.wings.build.authoring.rubric_drafts import (
    CRITERIA,
    MISSING,
    PROMPT,
    Open,
    PartDecision,
    RubricDraft,
    next_step_name,
    open_part,
    stepped,
)


def draft_after_answers(draft: RubricDraft, answers: Sequence[Answered]) -> RubricDraft:
    """The draft after what one person said of all of its item."""
    way = {"propose": _proposed, "review": _reviewed, "revise": _revised, "final": _finished}
    new, said = way[draft.stage](draft, answers)
    first = answers[0]
    if first.note:
        said = {**said, "stage": PartDecision("", first.note)}
    return stepped(draft, new, first.rater, first.at, next_step_name(draft), said)


_Said = tuple[RubricDraft, Mapping[str, PartDecision]]


def _proposed(draft: RubricDraft, answers: Sequence[Answered]) -> _Said:
    by = {each.question.item: each for each in answers}
    known = {same_words(each.criterion): each.id for each in draft.rubric}
    there = {each.of for each in draft.history} | {each.id for each in draft.rubric}
    rubric: list[Criterion] = []
    for line in by[CRITERIA].lines:
        name = known.pop(same_words(line["text"]), "") or _free(there)
        there.add(name)
        rubric.append(_criterion(name, line))
    new = {"prompt": by[PROMPT].text, "rubric": tuple(rubric), "stage": "review"}
    return draft.model_copy(update=new), {}


def _reviewed(draft: RubricDraft, answers: Sequence[Answered]) -> _Said:
    before = {each.of: each for each in draft.open}
    open_: list[Open] = []
    said: dict[str, PartDecision] = {}
    for each in answers:
        of = each.question.item
        if of == MISSING:
            continue
        if each.value == "keep":
            said[of] = PartDecision("keep", each.comment)
            continue
        if each.value == "insist":
            new = before[of].model_copy(update={"reply": "", "answer": "", "comment": each.comment})
        else:
            kind = "add" if of in before and draft.criterion(of) is None else each.value
            kind = "change" if of == PROMPT else kind
            new = _suggested(of, kind, each)
        said[open_part(of)] = PartDecision(each.value, each.comment)
        open_.append(new)
    for new in _missing(draft, answers, open_):
        said[open_part(new.of)] = PartDecision("add")
        open_.append(new)
    stage = "revise" if open_ else "final"
    return draft.model_copy(update={"open": tuple(open_), "stage": stage}), said


def _revised(draft: RubricDraft, answers: Sequence[Answered]) -> _Said:
    before = {each.of: each for each in draft.open}
    left: list[Open] = []
    said: dict[str, PartDecision] = {}
    new = draft
    for each in answers:
        of = each.question.item
        if of == MISSING:
            continue
        said[of] = PartDecision(each.value, each.comment)
        suggestion = before[of]
        if each.value == "adopt":
            new = _without(new, of) if suggestion.said == "drop" else _with(new, suggestion)
            continue
        if each.value == "other":
            new = _with(new, _suggested(of, "change", each))
        left.append(suggestion.model_copy(update={"reply": each.value, "answer": each.comment}))
    for more in _missing(new, answers, [*before.values()]):
        said[more.of] = PartDecision("add")
        new = _with(new, more)
        left.append(more.model_copy(update={"reply": "other"}))
    if not new.rubric:  # all of it went: there is nothing to go on with
        return new.model_copy(update={"open": (), "stage": "propose"}), said
    stage = "review" if left else "final"
    return new.model_copy(update={"open": tuple(left), "stage": stage}), said


def _finished(draft: RubricDraft, answers: Sequence[Answered]) -> _Said:
    said: dict[str, PartDecision] = {}
    new = draft.model_copy(update={"open": (), "stage": "done"})
    for each in answers:
        of = each.question.item
        if of == MISSING:
            continue
        said[of] = PartDecision(each.value, each.comment)
        if each.value == "drop":
            new = _without(new, of)
        elif each.value == "change":
            new = _with(new, _suggested(of, "change", each))
    for more in _missing(new, answers, []):
        said[more.of] = PartDecision("add")
        new = _with(new, more)
    return new, said


def _suggested(of: str, said: str, answer: Answered) -> Open:
    line = answer.lines[0] if answer.lines and said != "drop" else {}
    fields: dict[str, Json] = {
        "of": of,
        "said": said,
        "criterion": line.get("text", ""),
        "comment": answer.comment,
    }
    if "weight" in line:
        fields |= {"weight": float(line["weight"]), "axis": line.get("axis", "")}
    return Open.model_validate(fields)


def _missing(
    draft: RubricDraft, answers: Sequence[Answered], open_: Sequence[Open]
) -> Iterator[Open]:
    """What somebody adds, under identifiers that nothing had before."""
    there = {each.of for each in open_} | {each.of for each in draft.history}
    there |= {each.id for each in draft.rubric}
    for answer in answers:
        if answer.question.item != MISSING:
            continue
        for line in answer.lines:
            name = _free(there)
            there.add(name)
            yield Open(
                of=name,
                said="add",
                criterion=line["text"],
                weight=float(line["weight"]),
                axis=line.get("axis", ""),
            )


def _with(draft: RubricDraft, suggestion: Open) -> RubricDraft:
    """The draft with a suggestion taken."""
    if suggestion.of == PROMPT:
        return draft.model_copy(update={"prompt": suggestion.criterion})
    if draft.criterion(suggestion.of) is None:
        return draft.model_copy(update={"rubric": (*draft.rubric, suggestion.version)})
    rubric = (suggestion.version if each.id == suggestion.of else each for each in draft.rubric)
    return draft.model_copy(update={"rubric": tuple(rubric)})


def _without(draft: RubricDraft, name: str) -> RubricDraft:
    return draft.model_copy(
        update={"rubric": tuple(each for each in draft.rubric if each.id != name)}
    )


def _criterion(name: str, line: Mapping[str, str]) -> Criterion:
    return Criterion(
        id=name,
        criterion=line["text"],
        weight=float(line["weight"]),
        axis=line.get("axis", ""),
    )


def _free(there: set[str]) -> str:
    number = 1
    while f"c{number}" in there:
        number += 1
    return f"c{number}"
