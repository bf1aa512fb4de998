"""A cascade that is learnt: which verdicts of a cheap judge stand, by labels or a judge."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from deepassay.errors import BadInput
from deepassay.models.ask import Asker
from deepassay.models.cascade import CascadeRule, CascadeStage, graded
from deepassay.protocols.support import GRADES, JUDGE_SUPPORT, PART, PageAndStatements
from deepassay.results.tables import percent, several
from deepassay.run.asking.connecting import one_model
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile, StoredVerdict
from deepassay.score import Json
from deepassay.stats.cascading import SettledVerdicts, what_stands
from deepassay.stats.ranks import Floats
from deepassay.stopping import ConcurrentQueue
from deepassay.tasks.labelled import LabelledPair
from deepassay.tasks.task import detect_language
from deepassay.wings.people.agreement.judging import CLASSES, judged_support

By = Literal["labels", "judge"]


@dataclass(frozen=True)
class LearntCascade:
    """What came of it. standing: of the new stage, over all pairs. used: pairs of `came`.

    calls: pairs that go on to the judge, as learnt on. without: pairs that are left out, by why.
    """

    rule: CascadeRule
    standing: SettledVerdicts
    came: int
    used: int
    left: int
    without: Mapping[str, int]

    def lines(self) -> list[str]:
        """What was learnt, and at which risk, in words."""
        stage = self.rule.stages[-1]
        told = [f"pairs: {self.came} came in, {self.used} used."]
        told += [f"left out: {count} ({why})" for why, count in sorted(self.without.items())]
        ends = [
            *([f"supported from {stage.high:.3g} on"] if stage.high is not None else []),
            *([f"not supported up to {stage.low:.3g}"] if stage.low is not None else []),
        ]
        of = "people" if self.rule.learnt == "labels" else "the judge"
        told.append(f"{stage.model}: {' and '.join(ends) or 'nothing'} stands.")
        told.append(
            f"It settles {percent(self.standing.stands)} of all verdicts; "
            f"{percent(self.standing.wrong)} of all stand and are other than those of {of}."
        )
        told.append(
            f"Risk: at most {percent(self.rule.risk)} of all verdicts are other than those of {of}"
            f" because they were not asked for, in 95 of 100 such learnings; "
            f"{several(self.left, 'pair')} of {self.used} ({percent(self.left / self.used)}) go on "
            "to the judge."
        )
        return told


def learn_cascade(
    pairs: Sequence[LabelledPair],
    first: str,
    by: By,
    risk: float,
    before: CascadeRule | None,
    settings: Settings,
) -> LearntCascade:
    """A cascade with `first` as its last stage. before: the stages that are there already.

    by: on labels of people, or on what the judge of the settings says. Pages of pairs are their
    texts. Raises BadInput for too few pairs, or stages that were learnt by another reference.
    """
    if before is not None and before.learnt != by:
        raise BadInput(
            f"The cascade that is there was learnt by {before.learnt}, not by {by}.",
            "Go on with the same reference, or begin anew with --force.",
        )
    usable = [pair for pair in pairs if pair.page and len(pair.page) <= PART and pair.people]
    with RunFile.create(settings.run) as run:
        truth, judge = asyncio.run(_truth(usable, by, settings, run))
        known = [pair for pair in usable if pair in truth]
        found = [asyncio.run(_graded(known, each.model, settings, run)) for each in _of(before)]
        grades, identity = asyncio.run(_graded(known, first, settings, run))
    if not known:
        raise BadInput(
            "There is no pair to learn on.", "Give pairs with pages, and a judge that answers."
        )
    open_ = np.ones(len(known), dtype=np.bool_)
    for stage, (own, _) in zip(_of(before), found, strict=True):
        open_ &= ~np.array([stage.stands(grade) for grade in own.tolist()])
    pages = {page: at for at, page in enumerate(dict.fromkeys(pair.page for pair in known))}
    # What is settled already cannot go wrong here: it is put where nothing of it stands.
    standing = what_stands(
        np.where(open_, grades, 0.5),
        np.array([truth[pair] for pair in known]),
        np.array([pages[pair.page] for pair in known]),
        risk,
    )
    stage = CascadeStage(
        model=first,
        identity=identity,
        low=standing.low,
        high=standing.high,
        risk=risk,
        saves=standing.stands,
        pairs=len(known),
    )
    rule = CascadeRule(learnt=by, judge=judge, stages=(*_of(before), stage))
    left = int((open_ & ~standing.covers(np.where(open_, grades, 0.5))).sum())
    without = {
        "no page, no label, or a page of several parts": len(pairs) - len(usable),
        "without a verdict of the judge": len(usable) - len(known),
    }
    lost = {why: count for why, count in without.items() if count}
    return LearntCascade(rule, standing, len(pairs), len(known), left, lost)


def _of(before: CascadeRule | None) -> tuple[CascadeStage, ...]:
    return before.stages if before else ()


async def _truth(
    pairs: Sequence[LabelledPair], by: By, settings: Settings, run: RunFile
) -> tuple[dict[LabelledPair, float], Mapping[str, Json] | None]:
    """What each verdict should be, 1 for supported; and who says so, where it is a judge."""
    if by == "labels":
        yes = {
            pair: [float(CLASSES[label] == "supported") for label in pair.people] for pair in pairs
        }
        return {pair: sum(own) / len(own) for pair, own in yes.items()}, None
    said, identity = await judged_support(pairs, settings.judge[0], settings, run)
    return {
        pair: float(GRADES[each.verdict] == 1)  # type: ignore[index]  # of a run of ours
        for pair, each in said.items()
        if isinstance(each, StoredVerdict)
    }, dict(identity)


async def _graded(
    pairs: Sequence[LabelledPair], name: str, settings: Settings, run: RunFile
) -> tuple[Floats, Mapping[str, Json]]:
    """How sure a model is of each pair; .5 where it says nothing, so that it stands for nothing."""
    pages: defaultdict[str, list[LabelledPair]] = defaultdict(list)
    for pair in pairs:
        pages[pair.page].append(pair)
    grades: dict[LabelledPair, float] = {}

    async def ask(own: Sequence[LabelledPair], asker: Asker) -> None:
        inputs = PageAndStatements(
            language=detect_language(own[0].statement),
            page=own[0].page,
            statements=tuple(dict.fromkeys(pair.statement for pair in own)),
        )
        said = await graded(asker, JUDGE_SUPPORT, inputs)
        of = dict(zip(inputs.statements, said, strict=False))
        grades.update({pair: of[pair.statement][0] for pair in own if pair.statement in of})

    async with one_model(name, settings, run) as (asker, _):
        queue = ConcurrentQueue[list[LabelledPair]](lambda own: ask(own, asker))
        await queue.finish_or_stop(pages.values(), 2 * settings.max_connections)
        identity = dict(asker.identity)
    return np.array([grades.get(pair, 0.5) for pair in pairs]), identity


def cascade_as_json(rule: CascadeRule) -> str:
    """A cascade as JSON, which `CascadeRule.of_file` reads."""
    return rule.model_dump_json(indent=2) + "\n"


def read_before(path: Path, *, force: bool) -> CascadeRule | None:
    """The cascade that is there, of which another stage is learnt; None with `force`."""
    return CascadeRule.of_file(path) if path.exists() and not force else None
