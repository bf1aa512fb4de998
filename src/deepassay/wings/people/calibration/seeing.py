"""Which verdicts a person should see, at a stated risk; by what all judges said of an item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from deepassay.results.records import Judged
from deepassay.results.tables import NONE, Table, as_csv, percent, several
from deepassay.stats.conformal import VerdictSets, tasks_for, verdict_sets
from deepassay.wings.people.agreement.decisions import (
    MET,
    NOT_MET,
    PARTLY,
    Decision,
    decisions_by_recipe,
)
from deepassay.wings.people.agreement.sampling import Candidate, candidates
from deepassay.wings.people.calibration.labelled import item_place, labels_of_items

WORDS: Final = (NOT_MET, PARTLY, MET)
"""What people can say of an item; `partly met` is also where they are divided."""

COLUMNS: Final = ("agent", "task", "sample", "protocol", "item", "judges", "rater", "verdict")


@dataclass(frozen=True)
class KindToSee:
    """One kind of verdict. said: by each judge. could: what people may say, by the risk.

    verdicts: how many there are, without those that have labels; labels: how many have.
    """

    said: str
    verdicts: tuple[Candidate, ...]
    labels: int
    could: tuple[str, ...]

    @property
    def is_sure(self) -> bool:
        """Whether no person needs to see it."""
        return len(self.could) == 1


@dataclass(frozen=True)
class ToSee:
    """What people should see of one protocol. found: kinds, the most frequent first."""

    name: str
    risk: float
    found: tuple[KindToSee, ...]
    sets: VerdictSets

    def table(self) -> Table:
        """A row for each kind of verdict."""
        rows = [
            (
                each.said,
                str(len(each.verdicts)),
                str(each.labels),
                " or ".join(each.could),
                "no" if each.is_sure else "yes",
            )
            for each in self.found
        ]
        head = ("judges say", "verdicts", "labels", "people may say", "to see")
        return Table.listed(f"{self.name}: what a person should see", head, rows, [*self._notes()])

    def _notes(self) -> Iterator[str]:
        seen = sum(len(each.verdicts) for each in self.found if not each.is_sure)
        every = sum(len(each.verdicts) for each in self.found)
        yield (
            f"{seen} of {several(every, 'verdict')} without a label ({percent(seen / every)}) "
            "should be seen by a person."
            if every
            else "Everything has a label."
        )
        yield (
            f"Of all verdicts, what people would say is left out of `people may say` in at most "
            f"{percent(self.risk)}, on average over tasks drawn as the {self.sets.tasks} labelled "
            "ones were (conformal risk control)."
        )
        if self.sets.tasks < tasks_for(self.risk):
            yield f"It takes labels on {tasks_for(self.risk)} tasks to leave out any word."

    def rows(self) -> Iterator[dict[str, str]]:
        """What is to be seen, a row each; filled in, `agree` and `calibrate` read it."""
        for kind in self.found:
            for each in () if kind.is_sure else kind.verdicts:
                values = (each.agent, each.task, str(each.sample), each.protocol, each.item)
                yield dict(zip(COLUMNS, (*values, kind.said, "", ""), strict=True))


def to_see(
    decisions: Sequence[Decision],
    records: Iterable[Judged],
    names: Mapping[str, str],
    risk: float,
    seed: int,
) -> list[ToSee]:
    """Every protocol of which people gave verdicts on items. names: see `match`."""
    found = []
    for name, own, judged in decisions_by_recipe(decisions, records, names):
        labels = labels_of_items(own)
        items = [
            each for each in candidates(judged) if each.item and not (each.judge or each.marked)
        ]
        known = [each for each in items if item_place(each) in labels]
        if known:
            found.append(_of_protocol(name, items, known, labels, risk, seed))
    return found


def _of_protocol(
    name: str,
    items: Sequence[Candidate],
    known: Sequence[Candidate],
    labels: Mapping[tuple[str, str, int, str], float],
    risk: float,
    seed: int,
) -> ToSee:
    counted = Counter(map(_said, items))
    kinds = {said: at for at, (said, _) in enumerate(counted.most_common())}
    tasks = {task: at for at, task in enumerate(sorted({each.task for each in known}))}
    words = np.array([round(2 * labels[item_place(each)]) for each in known])
    used = np.union1d(words, (0, 2))  # the third word only where somebody uses it
    sets = verdict_sets(
        np.array([kinds[_said(each)] for each in known]),
        np.searchsorted(used, words),
        np.array([tasks[each.task] for each in known]),
        (len(kinds), len(used)),
        risk,
        seed,
    )
    of_kind = Counter(map(_said, known))
    open_ = [each for each in items if item_place(each) not in labels]
    return ToSee(
        name,
        risk,
        tuple(
            KindToSee(
                said,
                tuple(each for each in open_ if _said(each) == said),
                of_kind[said],
                tuple(WORDS[used[word]] for word in np.flatnonzero(sets.sets[at])),
            )
            for said, at in kinds.items()
        ),
        sets,
    )


def _said(item: Candidate) -> str:
    """What the judges said of an item: one word where it is one judge, or all say the same."""
    words = sorted(item.verdicts.items())
    if len({word for _, word in words}) == 1:
        return words[0][1] if words else NONE
    return ", ".join(f"{judge}: {word}" for judge, word in words)


def as_rows(found: Iterable[ToSee]) -> str:
    """What is to be seen, as CSV."""
    return as_csv([dict(row) for each in found for row in each.rows()], COLUMNS)
