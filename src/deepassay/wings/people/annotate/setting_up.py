"""From a run file or a folder of reports to a study that can be served."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from rapidfuzz import fuzz

from deepassay.errors import BadInput, BadSetting, Notice
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.reports.loaders import load_reports
from deepassay.results.records import Judged
from deepassay.results.tables import several
from deepassay.run.asking.joining import reports_answering
from deepassay.run.showing.records import judged
from deepassay.run.showing.yardsticks import about
from deepassay.runfile import Duty, RunFile
from deepassay.runfile.questions import Item, Passage, read_asked_items, to_json
from deepassay.runfile.schema import is_database
from deepassay.score import Json, digest, report_key
from deepassay.tasks.loaders import load_tasks
from deepassay.text import canonical
from deepassay.wings.people.annotate.assignment import assigned
from deepassay.wings.people.annotate.drawing import DrawFile
from deepassay.wings.people.annotate.question_file import (
    AskedReport,
    FileQuestion,
    items_of_file,
    read_questions,
)
from deepassay.wings.people.annotate.questions import AskableRun, items_of_run
from deepassay.wings.people.calibration.labelled import ItemPlace

PASSAGE: Final = 4000
"""Characters of a page that are shown beside a statement."""

SALTED: Final = "salted"
"""Says of a study that its pairs are turned by its salt."""

WORDED: Final = "worded"
"""Says of a study that it keeps what judges said in the words of its menus."""

ROUNDS: Final = "rounds"
"""Which rounds of a draw a study asks about."""


@dataclass(frozen=True)
class StudyTerms:
    """How a study is set up.

    questions: protocols of the run, or one YAML file; none where what is served is a file of items
    with their questions. raters: their names. per_item: how many decide on each report. seed: of
    who has what in which order; None for one that nobody knows, drawn once for the study. masked:
    names to be taken out besides those of agents and judges.
    second_look: whether raters see, after their own answer, what the judges said. limit: so many
    reports, drawn by chance. tasks: of reports that are in no run file. columns: of tables of them.
    drawn: what `annotate draw` wrote: what its last round has is asked.
    """

    questions: Sequence[str]
    raters: Sequence[str]
    per_item: int = 1
    seed: int | None = None
    masked: Sequence[str] = ()
    second_look: bool = False
    limit: int | None = None
    tasks: Path | None = None
    columns: NamedColumns = UNSAID
    drawn: Path | None = None


def set_up_study(source: Path, study: RunFile, terms: StudyTerms) -> None:
    """Put what people decide on into the file of a study, once; the same again is passed over.

    source: a run file, reports, or a file of items. A further round of a draw comes to the study of
    those before, if it is that. Raises BadInput and BadSetting for what cannot be asked,
    ConfigurationChanged for another study.
    """
    items, names = _items(source, terms, study)
    if terms.drawn is None:
        begin_with([items], names, study, terms)
        return
    draw = DrawFile.of_file(terms.drawn)
    held = study.annotating.study.get(ROUNDS, [])
    rounds = [*held, *range(held[-1] + 1 if held else draw.rounds, draw.rounds + 1)]
    parts = [_drawn(items, draw.drawn_in(each)) for each in rounds]
    if not any(parts):
        raise BadInput(
            f"{terms.drawn} has drawn nothing of this run that could be asked.",
            "Name the run and the protocol that it was drawn from.",
        )
    begin_with(parts, names, study, terms, rounds)


def _salt_of(study: RunFile) -> str:
    """What which report of a pair comes first is drawn with: nobody knows it who has not the file.

    Studies of earlier versions did without, and keep their order.
    """
    begun = study.annotating.study
    return study.salt if not begun or SALTED in begun else ""


def _is_worded(study: RunFile) -> bool:
    """Whether what judges said is kept in the words of the menus; not in studies from before."""
    begun = study.annotating.study
    return not begun or WORDED in begun


def begin_with(
    parts: Sequence[Sequence[Item]],
    names: Iterable[str],
    study: RunFile,
    terms: StudyTerms,
    rounds: Sequence[int] = (),
) -> None:
    """Put items that are at hand into the file of a study, once.

    parts: the items; of several rounds of a draw, those of each. names: what must not be shown,
    besides `terms.masked`.
    """
    if study.protocols() or study.answering.agents():
        raise BadSetting(
            f"{study.path} holds a run, and a study has a file of its own.", "Name it with --study."
        )
    whole = [item for part in parts for item in part]
    if terms.second_look and not any(len(q.opinions) > 1 for item in whole for q in item.questions):
        raise BadSetting(
            "--second-look: no question here was decided by two judges.",
            "Score the run by a panel (--judge twice), or leave it out.",
        )
    begun = study.annotating.study
    seed = terms.seed
    if seed is None:  # the names of agents and this code alone must not tell whose an item is
        seed = int(begun["seed"]) if begun else int(digest(study.salt)[:15], 16)
    told: dict[str, Json] = {
        "questions": list(terms.questions),
        "raters": list(terms.raters),
        "per_item": terms.per_item,
        "seed": seed,
        # "offline" is a word of reports, and gives no model away.
        "masked": sorted({*names, *_told(whole)} - {"offline"} | {*terms.masked}),
        "second_look": terms.second_look,
        **({SALTED: True} if _salt_of(study) else {}),
        **({WORDED: True} if _is_worded(study) else {}),
    }
    items: list[Json] = []
    earlier: list[Duty] = []
    held = max(1, len(begun.get(ROUNDS, ())))  # parts that are there, or come first
    for number, part in enumerate(parts, start=1):
        first = len(items)
        own, theirs = _ordered(part, terms, [seed] if number == 1 else [seed, number])
        items += [to_json(item) for item in own]
        so_far = {ROUNDS: [*rounds[:number]]} if rounds else {}
        told |= {"items": digest(items), **so_far}
        duties = [Duty(each.rater, each.item + first, each.place + first) for each in theirs]
        if number <= held:
            earlier += duties
        if number == held:
            study.annotating.begin(told, items, earlier)
        elif number > held:
            study.annotating.go_on(told, items[first:], duties, first)


def _ordered(
    items: Sequence[Item], terms: StudyTerms, seed: Sequence[int]
) -> tuple[list[Item], list[Duty]]:
    """Items in an order that does not tell whose they are, and who has which."""
    if terms.limit is not None:
        chosen = np.random.default_rng([*seed, 3]).permutation(len(items))[: terms.limit]
        items = [items[at] for at in sorted(chosen)]
    duties = assigned(items, terms.raters, terms.per_item, seed[0] if len(seed) == 1 else [*seed])
    order = [int(each) for each in np.random.default_rng([*seed, 1]).permutation(len(items))]
    place = {old: new for new, old in enumerate(order)}
    return [items[old] for old in order], [
        Duty(each.rater, place[each.item], each.place) for each in duties
    ]


def _told(items: Iterable[Item]) -> Iterator[str]:
    """Names in items: of agents, and of judges with their provider and without."""
    for item in items:
        yield from filter(None, [item.agent, item.rival_agent])
        for opinion in (each for question in item.questions for each in question.opinions):
            yield from (opinion.judge, opinion.judge.partition(":")[2] or opinion.judge)


def _items(source: Path, terms: StudyTerms, study: RunFile) -> tuple[list[Item], set[str]]:
    """What is decided on, and the names that must not be shown."""
    if terms.drawn and not (terms.questions and is_database(source)):
        raise BadSetting(
            "--drawn asks what was drawn of a run file.", "Name the run, and its --questions."
        )
    if not terms.questions:
        if source.is_dir() or is_database(source):
            raise BadSetting("No question is named.", "Give --questions PROTOCOL, or a YAML file.")
        return read_asked_items(source), set()
    files = [each for each in terms.questions if Path(each).suffix in (".yaml", ".yml")]
    if files and len(terms.questions) > 1:
        raise BadSetting(
            f"{files[0]} and other questions are named.",
            "Give one file, or protocols that the run was scored by.",
        )
    written = read_questions(Path(files[0])) if files else ()
    if is_database(source):
        return _of_run(source, terms, written, study)
    if not written:
        raise BadSetting(
            f"{source} is no run file, so no protocol has decided on anything.",
            "Score the reports first (`deepassay evaluate`, also without a model), or give a YAML "
            "file of questions.",
        )
    if terms.tasks is None:
        raise BadSetting("Reports alone do not say what was asked.", "Give --tasks FILE.")
    tasks = {task.id: task for task in load_tasks(terms.tasks, columns=terms.columns)}
    reports = load_reports([source], columns=terms.columns)
    terms.columns.refuse_unmet()
    known = reports_answering(str(source), [*tasks.values()], reports)
    asked = [AskedReport(tasks[e.task], e.agent, e.sample, e.text) for e in known]
    return items_of_file(asked, written, _salt_of(study)), {each.agent for each in asked}


def _of_run(
    source: Path, terms: StudyTerms, written: Sequence[FileQuestion], study: RunFile
) -> tuple[list[Item], set[str]]:
    with RunFile.read(source) as run:
        whole = about(run)
        texts = {report_key(each): each.text for each in run.reports()}
        names = {agent for agent, _, _ in texts} | _models(run)
        names |= {agent for agent, _ in whole.rivals}
        if written:
            reports = [
                AskedReport(whole.tasks[task], agent, sample, text)
                for (agent, task, sample), text in texts.items()
            ]
            return items_of_file(reports, written, _salt_of(study)), names
        asked = AskableRun(
            whole,
            list(judged(run)),
            texts,
            {name: metric.baseline for name, metric in run.metrics().items()},
            partial(_page, run),
            _salt_of(study),
            _is_worded(study),
        )
        items = items_of_run(asked, terms.questions)
        for told in _on_references(items, asked.records):
            warnings.warn(Notice(told), stacklevel=2)
        return items, names


def _on_references(items: Sequence[Item], records: Iterable[Judged]) -> Iterator[str]:
    """Sentences on questions whose answers cannot count, since no judge scores those reports."""
    references = {(each.protocol, report_key(each)) for each in records if each.is_reference}
    asked = [(each.protocol, item.agent, item) for item in items for each in item.questions]
    lost = [
        (protocol, agent)
        for protocol, agent, item in asked
        if (protocol, report_key(item)) in references
    ]
    for protocol, agent in dict.fromkeys(lost):
        count = lost.count((protocol, agent))
        yield (
            f"{count} of the {several(len(asked), 'question')} on this run are on the reports of "
            f"{agent!r} that {protocol} scores the others against: answers to them do not count."
        )


def _drawn(items: Sequence[Item], drawn: frozenset[ItemPlace]) -> list[Item]:
    """Reports with those of their questions that were drawn."""
    found = []
    for each in items:
        asked = tuple(
            question
            for question in each.questions
            if (each.task, each.agent, each.sample, question.item.lower()) in drawn
        )
        if asked:
            found.append(each.model_copy(update={"questions": asked}))
    return found


def _models(run: RunFile) -> set[str]:
    """The models that judged, with their provider and without."""
    names = {
        str(judge["model"]) for identity in run.protocols().values() for judge in identity["judges"]
    }
    return names | {name.partition(":")[2] or name for name in names}


def _page(run: RunFile, url: str, statement: str) -> Passage:
    """What the run has of a cited page: the part of it that is most like the statement."""
    kept = run.captures.best_to_read(canonical(url))
    if kept is None or kept.text is None:
        return Passage(url=url)
    text = kept.text
    found = fuzz.partial_ratio_alignment(statement.lower(), text.lower())
    middle = (found.dest_start + found.dest_end) // 2 if found else 0
    start = max(0, min(middle - PASSAGE // 2, len(text) - PASSAGE))
    end = start + PASSAGE
    shown = ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
    return Passage(url=url, title=kept.title, text=shown)
