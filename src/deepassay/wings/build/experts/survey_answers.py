"""What people said since a file of drafts was written, taken in from studies and sheets."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting, BadTasks, Notice
from deepassay.runfile import RunFile
from deepassay.runfile.people_said import answered
from deepassay.runfile.schema import is_database
from deepassay.tasks.fields import brief_text
from deepassay.wings.build.experts.asking import (
    APPROVE,
    CLARIFY,
    EXPERTS,
    answers_about_drafts,
    told_otherwise,
    with_expert,
)
from deepassay.wings.build.experts.quality_sheet import read_quality_sheet
from deepassay.wings.build.experts.query_drafts import DRAFTED, QUERY, QueryDraft, read_drafts
from deepassay.wings.build.experts.table11 import read_ratings
from deepassay.wings.build.experts.verification import (
    AGREE,
    APPEND,
    RATE,
    RESOLVE,
    SAMPLE,
    PersonAnswer,
    rated_anew,
    rated_parts_of,
    settled_otherwise,
    with_ratings,
)

TAKEN_BY: Final[Mapping[str, str]] = {
    DRAFTED: "clarify",
    CLARIFY: "refine",
    APPROVE: "checklist-from",
    RATE: "verify",
    APPEND: "verify",
    AGREE: "verify",
    SAMPLE: "quality",
    RESOLVE: "quality",
}
"""The command that takes in the answers of a step; in the order in which they are taken in."""


@dataclass(frozen=True)
class SurveyPeople:
    """What a step has to do with people.

    answers: studies of `annotate`, and sheets. ask: where the questions of the next step to people
    are written. by: who edited the file that the step reads.
    """

    answers: Sequence[Path] = ()
    ask: Path | None = None
    by: str = ""


def taken_in(path: Path, people: SurveyPeople, steps: Sequence[str]) -> list[QueryDraft]:
    """The drafts of a file after what people said of them at these steps.

    Whichever files it comes from, and in whichever order they are named, the steps follow one
    another. Raises BadInput.
    """
    drafts = {each.id: each for each in read_drafts(path, people.by)}
    said = [each for file in people.answers for each in _said_in(file, drafts, steps)]
    if (pair := told_otherwise(said)) is not None:
        one, other = pair
        raise BadTasks(
            f"{one.task}, {one.of}: {one.who} and {other.who} give it different texts.",
            "One of them has the last word: have the other take his answer back.",
        )
    order = [*TAKEN_BY]
    for each in sorted(dict.fromkeys(said), key=lambda one: order.index(one.step)):
        draft = drafts[each.task]
        _refuse_other_text(draft, each)
        take = with_expert if each.step in EXPERTS else with_ratings
        drafts[each.task] = take(draft, each)
    return [*drafts.values()]


def _said_in(
    path: Path, drafts: Mapping[str, QueryDraft], steps: Sequence[str]
) -> list[PersonAnswer]:
    if is_database(path):
        with RunFile.read(path) as run:
            if not run.annotating.study:
                raise BadSetting(
                    f"{path} is no study.", "Give the file that `annotate serve --study` keeps."
                )
            found = answers_about_drafts(answered(run, history=True))
    elif path.suffix.lower() == ".csv" and RATE in steps:
        found = read_ratings(path, [*drafts.values()])
    elif path.suffix.lower() == ".csv" and SAMPLE in steps:
        found = read_quality_sheet(path, drafts)
    else:
        raise BadSetting(
            f"{path} holds no answers of people.",
            "Give a study of `annotate`"
            + (", or a sheet as CSV." if {RATE, SAMPLE} & {*steps} else "."),
        )
    if other := next((each for each in found if each.step not in steps), None):
        raise BadSetting(
            f"{path} holds answers of the step {other.step!r}.",
            f"`deepassay tasks {TAKEN_BY[other.step]}` takes them.",
        )
    known = [each for each in found if each.task in drafts]
    if unknown := sorted({each.task for each in found} - drafts.keys()):
        told = f"{path} has answers about drafts that are not there: {', '.join(unknown[:3])}."
        if not known:
            raise BadTasks(told, "Give the study that was made of these drafts.")
        warnings.warn(Notice(told), stacklevel=2)
    return known


def _refuse_other_text(draft: QueryDraft, said: PersonAnswer) -> None:
    """Refuse an answer about a text that the draft does not have any more, or a part."""
    if said.step in (APPEND, DRAFTED, CLARIFY):
        return
    part = rated_parts_of(draft).get(said.of)
    if part is None:
        raise BadTasks(
            f"{said.place or said.who}: {draft.id} has no part {said.of}.",
            "Give the study or sheet that was made of these drafts.",
        )
    if (settled := settled_otherwise(part, said)) is not None:
        raise BadTasks(
            f"{draft.id}, {said.of}: {settled.who} settled it with {settled.said!r}, and "
            f"{said.who} with {said.value!r}.",
            "One of them has the last word: have the other take his answer back.",
        )
    now = part.text
    if said.step == AGREE and part.rating is not None:
        if rated_anew(part, said.when, draft.history):
            return  # it does not count, and is asked anew
        now = part.rating.proposed or now
    checked = said.counts and said.original and said.step in (APPROVE, RATE, AGREE)
    if checked and said.original.split() != now.split():
        raise BadTasks(
            f"{draft.id}, {'query' if said.of == QUERY else said.of}: {said.who} decided on "
            f"another text:\n  {brief_text(said.original)!r}\n  {brief_text(now)!r}",
            "Have people decide anew on what was changed (--ask), or take the change back.",
        )
