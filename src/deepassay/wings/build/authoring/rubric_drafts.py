"""Rubrics while three people write them: a file that holds how far each is, to be read and edited.

ResearchRubrics, section 3.1. One person proposes, a second reviews, and both go on until they
agree; a third reviews on his own and makes the last changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, Field, model_validator

from deepassay.errors import BadTasks
from deepassay.files import add_yaml_entries, as_json_lines
from deepassay.runfile.questions import MOST_LINES
from deepassay.score import Json
from deepassay.tasks.entries import EntryFile, write_file
from deepassay.tasks.fields import Misplaced, Record, Text, Writable
from deepassay.tasks.history import History, HistoryEntry, by_hand, moment
from deepassay.tasks.rows import is_yaml
from deepassay.tasks.task import Language, Task
from deepassay.tasks.yardsticks import HEAVIEST, Criterion, Rubric

Stage = Literal["propose", "review", "revise", "final", "done"]
ROLES: Final = ("proposer", "reviewer", "final")
PROMPT: Final = "prompt"

MISSING: Final = "missing"
CRITERIA: Final = "criteria"
"""Questions about criteria that nobody has written yet, and about all of them."""

RESERVED: Final = frozenset({PROMPT, MISSING, CRITERIA, "stage", *ROLES})

ASKED: Final[Mapping[Stage, str]] = {
    "propose": "proposer",
    "review": "reviewer",
    "revise": "proposer",
    "final": "final",
}
"""Whose turn it is at each stage; nobody's when a rubric is done."""


def _on_scale(weight: float) -> float:
    if not weight:
        raise ValueError("is 0: a criterion that weighs nothing decides nothing")
    if not -HEAVIEST <= weight <= HEAVIEST:
        raise ValueError("is outside [-5, 5]")
    return weight


def _all_on_scale(rubric: Rubric) -> Rubric:
    for place, each in enumerate(rubric):
        try:
            _on_scale(each.weight)
        except ValueError as error:
            raise Misplaced(place, f"the weight {error}") from None
    return rubric


class Open(Record):
    """What the two do not agree on yet.

    of: the criterion, or `prompt`. said: that it be changed, dropped or added. criterion, weight,
    axis: as whoever said so would have it; of a prompt the words only. comment: why. reply: of the
    proposer: `keep` if he keeps his own, `other` if he has written something else, nothing before
    he was asked; answer: why.
    """

    of: Text
    said: Literal["change", "drop", "add"]
    criterion: Writable = ""
    weight: Annotated[float, AfterValidator(_on_scale)] | None = None
    axis: Writable = ""
    comment: Writable = ""
    reply: Literal["", "keep", "other"] = ""
    answer: Writable = ""

    @model_validator(mode="after")
    def _says_what(self) -> Open:
        if self.said != "drop" and not self.criterion.strip():
            raise ValueError("says no words for what is changed or added")
        if self.said != "drop" and self.of != PROMPT and self.weight is None:
            raise ValueError("says no weight for what is changed or added")
        return self

    @property
    def version(self) -> Criterion:
        """The criterion as it is suggested."""
        assert self.weight is not None
        return Criterion(id=self.of, criterion=self.criterion, weight=self.weight, axis=self.axis)


class RubricDraft(Record):
    """The rubric of one task on its way. stage: what comes next."""

    prompt: Text
    language: Language
    proposer: Text
    reviewer: Text
    final: Text
    stage: Stage
    rubric: Annotated[Rubric, AfterValidator(_all_on_scale)] = ()
    open: Annotated[tuple[Open, ...], Field(strict=False)] = ()
    history: History = ()

    @model_validator(mode="after")
    def _can_go_on(self) -> RubricDraft:
        people = {self.proposer, self.reviewer, self.final}
        if len(people) < len(ROLES) or "," in "".join(people):
            raise ValueError("proposer, reviewer and final are three people, without commas")
        if self.stage not in ("propose", "done") and not self.rubric:
            raise ValueError(f"there is nothing to {self.stage}: the rubric has no criterion")
        if self.stage == "propose" and len(self.rubric) > MOST_LINES:
            raise ValueError(
                f"a page to propose on takes {MOST_LINES} criteria, these are {len(self.rubric)}"
            )
        for each in self.rubric:
            if each.id in RESERVED or each.id.startswith(open_part("")):
                raise ValueError(f"a criterion cannot have the identifier {each.id!r}")
        for name, count in Counter(each.of for each in self.open).items():
            if count > 1:
                raise ValueError(f"{name} is open twice")
        for one in self.open:
            if one.said != "add" and one.of != PROMPT and self.criterion(one.of) is None:
                raise ValueError(f"there is no criterion {one.of!r} to {one.said}")
        return self

    @property
    def whose(self) -> str:
        """The name of the person whose turn it is; empty if nobody is waited for."""
        return str(getattr(self, ASKED[self.stage])) if self.stage in ASKED else ""

    def criterion(self, name: str) -> Criterion | None:
        """The criterion with this identifier, None if there is none."""
        return next((each for each in self.rubric if each.id == name), None)


_WRITTEN: Final = re.compile(
    r"\[(?P<weight>[-\d.]+)(?:, (?P<axis>[^\]]*))?\] (?P<words>.*)", re.DOTALL
)


class CriterionWording(NamedTuple):
    """Weight, axis and words of a criterion as histories have them."""

    weight: float
    axis: str
    words: str


def criterion_in_words(criterion: Criterion) -> str:
    """A criterion as histories have it, such as `[5, Explicit Criteria] Names two grants`."""
    axis = f", {criterion.axis}" if criterion.axis else ""
    return f"[{criterion.weight:g}{axis}] {criterion.criterion}"


def read_words(text: str) -> CriterionWording | None:
    """The criterion that a line of a history words; None for a line that words none."""
    found = _WRITTEN.fullmatch(text)
    return (
        CriterionWording(float(found["weight"]), found["axis"] or "", found["words"])
        if found
        else None
    )


def open_part(name: str) -> str:
    """Under which name histories tell of what is open about a criterion or the prompt."""
    return f"open/{name}"


def parts_of_draft(draft: RubricDraft) -> dict[str, str]:
    """All that a history tells of, as it stands."""
    own = {name: str(getattr(draft, name)) for name in (PROMPT, *ROLES, "stage")}
    return {
        **own,
        **{each.id: criterion_in_words(each) for each in draft.rubric},
        **{open_part(each.of): _open_in_words(each) for each in draft.open},
    }


def _open_in_words(each: Open) -> str:
    words = each.criterion if each.weight is None else criterion_in_words(each.version)
    return " | ".join(filter(None, (words or each.said, each.reply)))


class PartDecision(NamedTuple):
    """What somebody said of a part, and why."""

    said: str
    note: str = ""


def stepped(
    draft: RubricDraft,
    new: RubricDraft,
    who: str,
    when: str,
    step: str,
    said: Mapping[str, PartDecision],
) -> RubricDraft:
    """The new state with a history that tells how the old one became it.

    said: by part; what was only said, and changed nothing, is told too.
    """
    before, after = parts_of_draft(draft), parts_of_draft(new)
    entries = []
    for part in dict.fromkeys([*said, *before, *after]):
        was, now = before.get(part), after.get(part)
        if part not in said and was == now:
            continue
        own = said.get(part, PartDecision(""))
        was, now = (None, None) if was == now else (was, now)
        entries.append(
            HistoryEntry(
                who=who,
                when=when,
                step=step,
                of=part,
                said=own.said,
                before=was,
                after=now,
                note=own.note,
            )
        )
    return new.model_copy(update={"history": (*draft.history, *entries)})


def begun(task: Task, people: tuple[str, str, str], who: str) -> RubricDraft:
    """The draft of a task, with the criteria that it may bring, for its proposer."""
    proposer, reviewer, final = people
    try:
        _all_on_scale(task.rubric)
    except Misplaced as error:
        raise BadTasks(
            f"task {task.id}: rubric[{error.place + 1}]: {error}.",
            "What people go on from is on the scale that they weigh by: correct the weight, or "
            "give the task without its rubric.",
        ) from error
    draft = RubricDraft(
        prompt=task.prompt,
        language=task.language,
        proposer=proposer,
        reviewer=reviewer,
        final=final,
        stage="propose",
        rubric=task.rubric,
    )
    entries = [
        HistoryEntry(who=who, when=moment(), step="begin", of=part, after=text)
        for part, text in parts_of_draft(draft).items()
    ]
    return draft.model_copy(update={"history": tuple(entries)})


def with_edits(draft: RubricDraft, who: str) -> RubricDraft:
    """The draft with a history that tells what somebody did in the file itself."""
    entries = by_hand(draft.history, parts_of_draft(draft), who)
    return draft.model_copy(update={"history": (*draft.history, *entries)}) if entries else draft


def next_step_name(draft: RubricDraft) -> str:
    """The step that comes next, with its number where it can come again: `review 2`."""
    rounds = sum(each.of == "stage" and each.after == "review" for each in draft.history)
    return f"{draft.stage} {rounds}" if draft.stage in ("review", "revise") else draft.stage


HEADER: Final = """\
# Rubrics that are being written (deepassay tasks author). Edit what you like: people, stage
# (propose, review, revise, final, done), prompt, criteria, what is open. The next run of the
# command sees what you changed, puts it into the history, and asks anew whoever was being asked
# about it. `history` is written by the command; remarks with # are not kept.

"""


def _write(draft: RubricDraft) -> dict[str, Json]:
    fields = draft.model_dump(mode="json", exclude_defaults=True)
    for each in (*fields.get("rubric", ()), *fields.get("open", ())):
        if each.get("weight") is not None and float(each["weight"]).is_integer():
            each["weight"] = int(each["weight"])
    return fields


def _remedy(way: tuple[str | int, ...], mistake: str) -> str:
    if way[:1] == ("history",):
        return "Leave the history as the command wrote it: it notices by itself what you edit."
    if mistake == "extra_forbidden":
        part = way[0] if len(way) > 1 else ""
        kind: type[BaseModel] = (
            Criterion if part == "rubric" else Open if part == "open" else RubricDraft
        )
        return f"There are: id, {', '.join(kind.model_fields)}."
    return (
        "A criterion has a text and a weight from -5 to 5 that is not 0; stages are propose, "
        "review, revise, final, done."
    )


DRAFT_FILE: Final = EntryFile(
    field="rubric",
    one="a draft",
    many="drafts",
    header=HEADER,
    read=RubricDraft.model_validate,
    write=_write,
    value=lambda draft: draft.rubric,
    remedy=_remedy,
)


def write_drafts(path: Path, drafts: Mapping[str, RubricDraft]) -> None:
    """Write all drafts, in place of what the file had. Raises BadTasks."""
    rows = [{"id": name, **_write(draft)} for name, draft in drafts.items()]
    write_file(path, add_yaml_entries(HEADER, rows) if is_yaml(path) else as_json_lines(rows))
