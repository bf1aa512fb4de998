"""Judges of run files and of published scores, calibrated by a file of what people said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.joined import Joined
from deepassay.results.records import Judged
from deepassay.results.wrapped_tables import written_narrow
from deepassay.run.showing.boards import only_judged_by, scores_of
from deepassay.score import Signature, without_options
from deepassay.wings.people.agreement.decisions import (
    Decision,
    Decisions,
    decision_named,
    is_on,
    number_of,
    word_of,
)
from deepassay.wings.people.agreement.matching import match
from deepassay.wings.people.agreement.people_files import files_named, read_decisions
from deepassay.wings.people.agreement.runs import strange, told_apart
from deepassay.wings.people.agreement.sampling import candidates
from deepassay.wings.people.annotate.drawing import DrawFile
from deepassay.wings.people.calibration.calibrate import FEWEST, Calibration, calibrate
from deepassay.wings.people.calibration.calibration_file import CalibrationFile, digests
from deepassay.wings.people.calibration.labelled import (
    ItemPlace,
    Labelled,
    item_place,
    labels_on,
)
from deepassay.wings.people.calibration.seeing import ToSee, to_see
from deepassay.wings.people.calibration.tables import write

REMEDY: Final = (
    "Check that agents, tasks, samples, protocols and items are those of `deepassay explain`, and "
    "that the runs are those that people read."
)

ELSE: Final = (
    "It takes scores of reports, or verdicts (yes, no, partly) on reports or on items that a judge "
    "decided on."
)

FEWER: Final = (
    f"Have people decide on {FEWEST} tasks or more; with fewer, `deepassay agree RUN --human FILE` "
    "says how far judge and people agree."
)


@dataclass(frozen=True)
class Calibrated:
    """What labels say of every judge.

    joined: what became of the rows of their file. notes: what else a person should know of them.
    seeing: which verdicts a person should see, where a risk was named.
    """

    found: tuple[Calibration, ...]
    kept: CalibrationFile
    joined: Joined
    notes: tuple[str, ...]
    seeing: tuple[ToSee, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What became of the rows, and what else a person should know."""
        return (*self.joined.lines(), *self.notes)

    @property
    def problem(self) -> str:
        """Why nothing can be made of it, and what to do; empty where something can."""
        if lost := self.joined.problem(REMEDY):
            return lost
        if any(each.mapping or any(own.powered for own in each.agents) for each in self.found):
            return ""
        return f"Nothing could be calibrated: {self.found[0].why or 'see the tables'}. {FEWER}"

    def written(self, format: str) -> str:
        """As text, markdown, csv or json."""
        told = write(self.found, self.kept, format)
        if self.seeing and format in ("text", "markdown"):
            tables = [each.table() for each in self.seeing]
            told = f"{told.rstrip()}\n\n{written_narrow(tables, format)}"
        return told


def calibrate_runs(
    human: Sequence[Path],
    runs: Sequence[Path],
    seed: int,
    protocols: Sequence[str] = (),
    judged_by: Sequence[str] = (),
    drawn: Path | None = None,
    risk: float | None = None,
) -> Calibrated:
    """Every judge that people's labels are on. protocols, judged_by: as in `ranking_of`.

    drawn: what `annotate draw` wrote of the run, by which labels count. risk: at which it is said
    what a person should see; None for not.

    Raises BadTasks for a file without a usable row, BadSetting for a protocol that nobody was
    judged by, and BadInput if no row is on anything that the runs hold, or none can calibrate.
    """
    every = scores_of(runs, judged_by)
    records = only_judged_by(protocols, every)
    decisions = read_decisions(*human)
    if protocols:
        decisions = _without(decisions, _names(every) - _names(records))
    recipes: defaultdict[str, dict[str, Signature]] = defaultdict(dict)
    for record in records:
        recipes[record.protocol][record.signature.digest] = record.signature
    names = {
        digest: name
        for own in recipes.values()
        for digest, name in told_apart(list(own.values())).items()
    }
    file = DrawFile.of_file(drawn) if drawn else None
    chances = file.chances() if file else {}
    labelled, used = labels_on(decisions.usable, records, names, chances)
    rest = [each for each in decisions.usable if each not in used]
    known = used.union(*(each.found for each in match(rest, records, names)))
    no_use = _no_use(file, _marked_items(records) if rest else {})
    if not labelled:
        told = (f"{each.place}: {why}" for each in rest if each in known and (why := no_use(each)))
        if first := next(told, ""):
            raise BadInput(f"Nothing in {files_named(human)} can calibrate a judge. {first}", ELSE)
        raise strange(human, decisions.usable, records)
    found = tuple(calibrate(each, seed) for each in labelled)
    kept = CalibrationFile.of(", ".join(each.name for each in human), found, digests(records))
    joined = decisions.joined(known, used, records, no_use)
    remarks = (*_on_answers(used, labelled, records), *decisions.remarks)
    seeing = () if risk is None else to_see(decisions.usable, records, names, risk, seed)
    return Calibrated(found, kept, joined, remarks, tuple(seeing))


def _on_answers(
    used: Collection[Decision], labelled: Iterable[Labelled], records: Iterable[Judged]
) -> Iterator[str]:
    """Which of several answers, and of several judgements of them, the figures rest on."""
    answers: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    again = False
    for each in records:
        answers[each.agent, each.task].add(each.sample)
        again = again or each.repeat > 0
    unsaid = [
        each for each in used if not each.says_which and len(answers[each.agent, each.task]) > 1
    ]
    if unsaid:
        first = min(unsaid, key=lambda each: each.place)
        yield (
            f"{len(unsaid)} labels do not say which of several answers they are on (column "
            f"sample), and are taken for answer 1: {first.place} first."
        )
    others = max((each.others for each in labelled), default=0)
    if others:
        yield (
            f"Of {others} answers beside labelled ones only the judge's own mean is made: `people` "
            "takes of each task the answers with labels, where there are any."
        )
    if again and any(each.part == "items" for each in labelled):
        yield "Items are those of the first judgement of each answer; repeats of it do not count."


def _marked_items(records: Sequence[Judged]) -> Mapping[ItemPlace, set[str]]:
    """Items that have marks or counts, with the protocols that give these."""
    found: defaultdict[ItemPlace, set[str]] = defaultdict(set)
    recipes: defaultdict[str, list[Judged]] = defaultdict(list)
    for record in records:
        recipes[record.signature.digest].append(record)
    for own in recipes.values():  # one judge's grades are no marks because another's are
        for each in candidates(own):
            if each.marked:
                found[item_place(each)].add(each.protocol)
    return found


def _no_use(
    file: DrawFile | None, marked: Mapping[ItemPlace, Collection[str]]
) -> Callable[[Decision], str]:
    """Why one cannot calibrate by what was found: by a word that is none of yes, no and partly, nor
    by a label on what was not drawn, or that is no verdict, nor by a verdict on a mark. file: of
    what was drawn, where it is that which counts. marked: see `_marked_items`.
    """
    drawn = {each.place for each in file.items if each.round} if file else {}

    def why(decision: Decision) -> str:
        if decision.verdict and number_of(word_of(decision.verdict)) is None:
            return f"the verdict {decision.verdict!r} counts neither as yes nor as no."
        if file and decision.verdict is None:
            return "labels on what was drawn are verdicts, and this has none."
        place = decision.task, decision.agent, decision.sample, (decision.item or "").lower()
        by = [name for name in sorted(marked.get(place, ())) if is_on(decision, name)]
        if decision.verdict and by:
            return f"{by[0]} gives marks or counts, which yes and no do not answer."
        if file and is_on(decision, file.protocol) and place not in drawn:
            return f"{decision_named(decision)} was not drawn."
        return ""

    return why


def _names(records: Iterable[Judged]) -> set[str]:
    """The protocols, with their options and without."""
    written = {each.protocol for each in records}
    return written | {without_options(name) for name in written}


def _without(decisions: Decisions, protocols: set[str]) -> Decisions:
    """Without what is on protocols that nobody asked for."""
    return decisions.only([each for each in decisions.usable if each.protocol not in protocols])
