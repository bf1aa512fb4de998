"""The line by which LiveResearchBench was built, from a survey to a set of tasks.

Each step reads the file of the step before it, takes in what people said since, and adds to its
own file the drafts that are ready. Those that wait for people stay behind and are named; what a
file has is neither asked for again nor changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deepassay.errors import BadInput, BadSetting, BadTasks
from deepassay.models.ask import Asker
from deepassay.run.asking.making import NOBODY, Listener, Made, MakingJob, make_all
from deepassay.run.settings import Settings
from deepassay.runfile.questions import Item, read_asked_items, write_items
from deepassay.score import Unscored
from deepassay.wings.build.experts import asking, table11
from deepassay.wings.build.experts.asking import APPROVE, CLARIFY
from deepassay.wings.build.experts.clarifying import (
    ask_back,
    refined,
    with_checklist,
    with_questions,
)
from deepassay.wings.build.experts.query_drafts import (
    DRAFTED,
    QUERY,
    QueryDraft,
    add_drafts,
    drafts_to_do,
    lost_dates,
    read_drafts,
    refuse_other_than_drafts,
)
from deepassay.wings.build.experts.sheets import write_sheet
from deepassay.wings.build.experts.survey import read_plan, seats
from deepassay.wings.build.experts.survey_answers import SurveyPeople, taken_in


@dataclass
class Stepped(Made):
    """What came of a step. open: drafts that wait for people, and for what. dropped: given up.

    remarks: what else should be known. asked: items that were written for people.
    """

    open: dict[str, str] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    asked: int = 0


def draft_cells(plan: Path, output: Path, people: SurveyPeople) -> Stepped:
    """Add an empty draft for every task of a plan that the file lacks. Raises BadInput.

    Drafts that people added stay.
    """
    refuse_other_than_drafts(output)
    wanted = {each.id: each for each in seats(read_plan(plan))}
    known = {each.id for each in read_drafts(output)} if output.exists() else set[str]()
    fresh = [each for name, each in wanted.items() if name not in known]
    made = Stepped(len(wanted), kept=len(wanted) - len(fresh), made=[each.id for each in fresh])
    add_drafts(output, fresh)
    count_open(made, read_drafts(output), undrafted)
    ask(made, people.ask, map(asking.drafting, waiting(made, read_drafts(output))))
    return made


def undrafted(draft: QueryDraft) -> str:
    """What a draft waits for before anything can be done with it, if it does."""
    return "" if draft.query.strip() or draft.dropped else "no query yet"


def clarify(
    drafts: Path,
    output: Path,
    settings: Settings,
    people: SurveyPeople,
    *,
    models: Sequence[str] = ("offline",),
    listener: Listener = NOBODY,
) -> Stepped:
    """Have every model ask back on every draft that has a query. Raises BadInput."""
    if len(set(models)) < len(models):
        raise BadSetting("A model is named twice.", "Name every --model once.")
    made, wanted = _begun(taken_in(drafts, people, (DRAFTED,)), output, settings, undrafted)
    asked: dict[str, list[tuple[str, Sequence[str]]]] = {each.id: [] for each in wanted}
    for model in models:
        if made.signal or made.out_of_budget:
            break
        there = [each for each in wanted if not each.dropped]
        _ask_one(model, there, settings, made, asked, listener)
    complete = [each for each in wanted if each.dropped or len(asked[each.id]) == len(models)]
    if complete:
        add_drafts(output, [with_questions(each, asked[each.id]) for each in complete])
    made.made = [each.id for each in complete]
    _finish(made, output, people, asking.question_for_expert, _has_open_questions)
    return made


def _has_open_questions(draft: QueryDraft) -> bool:
    return any(not each.answer.strip() for each in draft.questions.values())


def _ask_one(
    model: str,
    drafts: Sequence[QueryDraft],
    settings: Settings,
    made: Stepped,
    asked: dict[str, list[tuple[str, Sequence[str]]]],
    listener: Listener,
) -> None:
    """Have one model ask back, and note what came of it; its answers are in the run file."""

    def keep(found: Sequence[tuple[QueryDraft, list[str]]]) -> None:
        for draft, questions in found:
            asked[draft.id].append((model, questions))

    own = Made(len(drafts))
    job = MakingJob(ask_back, keep, calls=1)
    make_all(job, drafts, settings.model_copy(update={"maker": model}), own, listener)
    made.failures |= own.failures
    made.spent, made.signal, made.waiting = own.spent, own.signal, own.waiting


def refine(
    drafts: Path,
    output: Path,
    settings: Settings,
    people: SurveyPeople,
    *,
    listener: Listener = NOBODY,
) -> Stepped:
    """Have the maker refine every query by what its expert answered. Raises BadInput."""
    made, wanted = _begun(taken_in(drafts, people, (CLARIFY,)), output, settings, _unanswered)
    for draft in wanted:
        passed = sum(not each.answer.strip() for each in draft.questions.values())
        if passed:
            made.remarks.append(f"{draft.id}: questions without an answer, passed over: {passed}.")
    _make(refined, wanted, output, settings, made, listener)
    _finish(made, output, people, asking.approving)
    return made


def _unanswered(draft: QueryDraft) -> str:
    if why := undrafted(draft):
        return why
    questions = draft.questions.values()
    if draft.dropped or not questions or any(each.answer.strip() for each in questions):
        return ""
    return "no question is answered"


def checklists_from(
    drafts: Path,
    output: Path,
    settings: Settings,
    people: SurveyPeople,
    *,
    table: Path | None = None,
    listener: Listener = NOBODY,
) -> Stepped:
    """Have the maker divide every query into a checklist. Raises BadInput.

    A checklist that somebody wrote stays. table: the sheet for raters, see `table11`.
    """
    made, wanted = _begun(taken_in(drafts, people, (APPROVE,)), output, settings, undrafted)
    _make(with_checklist, wanted, output, settings, made, listener)
    _finish(made, output, people, asking.rating)
    if table is not None:
        kept = [each for each in read_drafts(output) if not each.dropped]
        write_sheet(table, table11.sheet_of(kept))
    return made


def _begun(
    given: Sequence[QueryDraft],
    output: Path,
    settings: Settings,
    open_for: Callable[[QueryDraft], str],
) -> tuple[Stepped, list[QueryDraft]]:
    """How far a step has come, and the drafts that it is to do now."""
    made = Stepped(0)
    count_open(made, given, open_for)
    ready = [each for each in given if each.id not in made.open][: settings.limit]
    wanted = drafts_to_do(ready, output)
    made.total, made.kept = len(ready), len(ready) - len(wanted)
    if wanted:
        add_drafts(output, [])  # refuses before anything is paid for
    return made, wanted


def count_open(
    made: Stepped, drafts: Sequence[QueryDraft], open_for: Callable[[QueryDraft], str]
) -> None:
    """Note which drafts wait for people, and for what, and which were given up."""
    made.open = {each.id: why for each in drafts if (why := open_for(each))}
    made.dropped = [each.id for each in drafts if each.dropped]


def waiting(made: Stepped, drafts: Sequence[QueryDraft]) -> list[QueryDraft]:
    """Those that wait for people."""
    return [each for each in drafts if each.id in made.open]


def _make(
    change: Callable[[QueryDraft, Asker], Awaitable[QueryDraft | Unscored]],
    drafts: Sequence[QueryDraft],
    output: Path,
    settings: Settings,
    made: Stepped,
    listener: Listener,
) -> None:
    """Have the maker change every draft, and add what came of it to the file.

    Once, at the end: to add to YAML takes reading all of it, and answers are in the run file.
    """
    done: list[QueryDraft] = []

    async def make(draft: QueryDraft, maker: Asker) -> QueryDraft | Unscored:
        has_all = change is with_checklist and draft.checklist
        return draft if draft.dropped or has_all else await change(draft, maker)

    def keep(found: Sequence[tuple[QueryDraft, QueryDraft]]) -> None:
        done.extend(each for _, each in found)

    make_all(MakingJob(make, keep, calls=1), drafts, settings, made, listener)
    if done:
        add_drafts(output, done)


def _finish(
    made: Stepped,
    output: Path,
    people: SurveyPeople,
    item: Callable[[QueryDraft], Item],
    asks: Callable[[QueryDraft], bool] = lambda draft: True,
) -> None:
    """Write what people are asked next, and tell of dates that are no longer open."""
    drafts = read_drafts(output) if output.exists() else []
    for draft in drafts:
        texts = [each.after for each in draft.history if each.of == QUERY and each.after]
        if texts and not draft.dropped and (lost := lost_dates(texts[0], draft.query)):
            made.remarks.append(f"{draft.id}: {', '.join(lost)} of the draft is no longer there.")
    ask(made, people.ask, (item(each) for each in drafts if not each.dropped and asks(each)))


def ask(made: Stepped, path: Path | None, items: Iterable[Item]) -> None:
    """Write items for people over earlier ones. Raises BadTasks where something else is."""
    if path is None:
        return
    found = [*items]
    made.asked = len(found)
    if path.exists():
        try:
            read_asked_items(path)
        except BadInput as error:
            raise BadTasks(
                f"{path} holds something else than questions for people.", "Give another --ask."
            ) from error
    if found:
        write_items(path, found)
