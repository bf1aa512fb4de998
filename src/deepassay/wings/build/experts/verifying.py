"""The end of the line of LiveResearchBench: verification by people, its quality, and the set."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deepassay.errors import BadTasks
from deepassay.runfile.questions import Item
from deepassay.tasks.entries import write_file
from deepassay.tasks.task import Language
from deepassay.wings.build.arena.steps import refuse_other_than_lines, tasks_as_lines
from deepassay.wings.build.experts import asking
from deepassay.wings.build.experts.quality import (
    MOST_WRONG,
    Drawn,
    Quality,
    finished_tasks,
    quality_of,
)
from deepassay.wings.build.experts.quality_sheet import quality_sheet
from deepassay.wings.build.experts.query_drafts import (
    QUERY,
    QueryDraft,
    add_drafts,
    drafts_text,
    drafts_to_do,
    read_drafts,
    refuse_other_than_drafts,
    same_drafts,
)
from deepassay.wings.build.experts.sheets import write_sheet
from deepassay.wings.build.experts.steps import Stepped, ask, count_open, undrafted, waiting
from deepassay.wings.build.experts.survey import Planned, read_plan, seats
from deepassay.wings.build.experts.survey_answers import SurveyPeople, taken_in
from deepassay.wings.build.experts.table11 import sheet_of
from deepassay.wings.build.experts.verification import (
    AGREE,
    APPEND,
    RATE,
    RESOLVE,
    SAMPLE,
    VerifiedPart,
    disputes,
    lacking,
    rated_parts_of,
    settled_draft,
)

ASKED_TWO: Final = (RATE, APPEND, AGREE)


def verify(
    drafts: Path, output: Path, people: SurveyPeople, *, table: Path | None = None
) -> Stepped:
    """Take in what two groups said of every query and item, and pass on what both have seen.

    table: the sheet with all that was said. Raises BadInput.
    """
    refuse_other_than_drafts(output)
    given = [settled_draft(each) for each in taken_in(drafts, people, ASKED_TWO)]
    made = Stepped(len(given))
    count_open(made, given, _unverified)
    wanted = drafts_to_do([each for each in given if each.id not in made.open], output)
    made.kept = len(given) - len(made.open) - len(wanted)
    if wanted:
        add_drafts(output, wanted)
    made.made = [each.id for each in wanted]
    ask(made, people.ask, filter(None, map(asking.agreeing, waiting(made, given))))
    if table is not None:
        write_sheet(table, sheet_of(given))
    return made


def _unverified(draft: QueryDraft) -> str:
    """What the groups still have to say; nothing of a draft that its expert gave up."""
    if draft.dropped and not rated_parts_of(draft)[QUERY].ratings:
        return ""
    return undrafted(draft) or lacking(draft)


@dataclass
class SecondRound(Stepped):
    """What came of the second round. quality: see there. disputed: parts that the third group has
    to settle. tasks: of the set; None if it was not written. empty: drafts without a checklist.
    plan: lines on what of it is in the set.
    """

    quality: Quality = field(default_factory=lambda: Quality(()))
    disputed: int = 0
    tasks: int | None = None
    empty: Sequence[str] = ()
    plan: Sequence[str] = ()


def control(
    drafts: Path,
    output: Path,
    people: SurveyPeople,
    *,
    seed: int = 1,
    most: float = MOST_WRONG,
    table: Path | None = None,
    sheet: Path | None = None,
    plan: Path | None = None,
) -> SecondRound:
    """Sample what two groups agreed on, and write the set once nothing is open.

    output: tasks in JSON Lines; beside it, in `NAME.history.yaml`, the drafts with all that was
    done to them. most: the share of outcomes that may be wrong. table, sheet: see `sheet_of`,
    `quality_sheet`. plan: what the set is to be counted by; drafts that wait for people at an
    earlier step are in no later file. Raises BadInput.
    """
    refuse_other_than_lines(output)
    planned = None if plan is None else [*seats(read_plan(plan))]
    # A query that the third group takes up again brings its items with it.
    given = [settled_draft(each) for each in taken_in(drafts, people, (SAMPLE, RESOLVE))]
    made = SecondRound(len(given), quality=quality_of(given, seed, most))
    made.dropped = [each.id for each in given if each.dropped]
    open_ = [*disputes(given)]
    made.disputed = len(open_)
    count_open(made, given, _unverified)
    sampling = made.quality.to_see
    ask(
        made,
        people.ask,
        _items(sampling, asking.sampling) if sampling else _items(open_, asking.resolving),
    )
    if sheet is not None and (sampling or open_):
        text = quality_sheet(SAMPLE if sampling else RESOLVE, sampling or open_)
        write_sheet(sheet, text)
    if made.quality.done and not open_ and not made.open:
        _write_set(made, given, output)
    if made.tasks is not None:
        made.plan = [*_beside_plan(given, {*made.made}, planned)]
    if table is not None:
        write_sheet(table, sheet_of(given))
    return made


def _items(
    drawn: Iterable[Drawn], item: Callable[[QueryDraft, Sequence[VerifiedPart]], Item]
) -> Iterator[Item]:
    """One item a draft, with all parts of it that are asked about."""
    parts: defaultdict[str, list[VerifiedPart]] = defaultdict(list)
    drafts: dict[str, QueryDraft] = {}
    for draft, part in drawn:
        drafts[draft.id] = draft
        parts[draft.id].append(part)
    return (item(draft, parts[name]) for name, draft in drafts.items())


def history_file(tasks: Path) -> Path:
    """The file of drafts that belongs to a file of tasks."""
    return tasks.with_name(f"{tasks.stem}.history.yaml")


def _write_set(made: SecondRound, drafts: Sequence[QueryDraft], output: Path) -> None:
    """Write the set and where it comes from. Raises BadTasks over others."""
    tasks = [*finished_tasks(drafts)]
    made.empty = [each.id for each in drafts if not each.dropped and not each.checklist]
    if not tasks:
        return
    beside, text = history_file(output), tasks_as_lines(tasks)
    others = {
        output: output.exists() and output.read_text("utf-8") != text,
        beside: beside.exists() and not same_drafts(read_drafts(beside), drafts),
    }
    for path, other in others.items():
        if other:
            raise BadTasks(
                f"{path} is there and holds something else.",
                "Give another --output, or move that file away.",
            )
    if not beside.exists():
        write_file(beside, drafts_text(drafts))
    write_file(output, text)
    made.tasks = len(tasks)
    made.made = [each.id for each in tasks]


def _beside_plan(
    drafts: Sequence[QueryDraft], there: Set[str], planned: Sequence[QueryDraft] | None
) -> Iterator[str]:
    """How many of the planned tasks are in the set, by domain, category and language.

    Each draft fills a cell of the plan, also one that was given up: its place is drafted anew
    where the plan has a task more in that cell. planned: the seats of the plan; None where it is
    not known, and the drafts that came this far are counted in its place.
    """
    kept = [each for each in drafts if each.id in there]
    if planned is None:
        told = f"Of the drafts that came this far: {len(kept)} of {len(drafts)} tasks."
        yield f"{told} --plan PLAN counts what the plan has."
        planned = drafts
    else:
        yield f"Of the plan: {len(kept)} of {len(planned)} tasks."
    for name in ("domain", "category", "language"):
        wanted, filled = (Counter(str(getattr(x, name)) for x in e) for e in (planned, kept))
        cells = ", ".join(f"{cell} {filled[cell]} of {wanted[cell]}" for cell in wanted | filled)
        yield f"  by {name}: {cells}"
    cells_planned, cells_here, cells_kept = map(_cells, (planned, drafts, kept))
    behind = cells_planned - cells_here
    if behind:
        yield (
            f"Left behind, of the plan: {behind.total()}. They wait for people at an earlier step, "
            "which names them when it is run again."
        )
        yield from (f"  {_told(cell)}: {count}" for cell, count in behind.items())
    lost = cells_planned - cells_kept - behind
    if not lost:
        return
    yield (
        f"To fill the plan, draft {lost.total()} anew, unless that is under way: raise `tasks` of "
        "these cells in a copy of it, and the command below adds just these to DRAFTS, the first "
        "file of drafts."
    )
    names, most = {each.id for each in drafts}, len(planned) + len(drafts)
    for cell, count in lost.items():
        language, domain, category = cell
        full = Planned(language=language, domain=domain, category=category, tasks=most)
        before = len({each.id for each in seats([full])} & names) + behind[cell]
        yield f"  {_told(cell)}: {before + count} in place of {before}"
    yield "  deepassay tasks draft COPY -o DRAFTS"


def _cells(drafts: Iterable[QueryDraft]) -> Counter[tuple[Language, str, str]]:
    """How many drafts there are by language, domain and category."""
    return Counter((each.language, each.domain, each.category) for each in drafts)


def _told(cell: tuple[Language, str, str]) -> str:
    language, domain, category = cell
    return f"{domain}, {category} ({language})"
