"""The parts of a score by a setting: which criteria belong to one, the same in both editions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from deepassay.protocols.rubrics.setting import Setting
from deepassay.protocols.rubrics.trees import branch_named, branches_of, gated
from deepassay.tasks.yardsticks import Criterion

OWN_PARTS: Final = frozenset(("mandatory", "optional", "mandatory passed"))
"""Names of parts that are not those of axes."""


class MarkedCriterion(NamedTuple):
    """A criterion, the verdict on it as a word, and its merit; None where there is none."""

    criterion: Criterion
    word: str | None
    merit: float | None


def parts_by(
    lines: Sequence[MarkedCriterion],
    setting: Setting,
    value_of: Callable[[Sequence[MarkedCriterion]], float | None],
) -> dict[str, float | None]:
    """What a score is made of, by name. value_of: what some criteria come to.

    The score of each axis (`axis mandatory` for one of that name) and tag, or of what stands in
    each branch of a tree. With importance: of all, and of each. With strict: the same with only
    whole merits. With covered: `covered`. Of a tree that gates: `uncut`, its score had nothing been
    cut that stands behind a failure. And the rates that the setting has.
    """
    groups = {
        f"axis {name}" if name in OWN_PARTS else name: [
            each for each in lines if name in each.criterion.groups
        ]
        for name in dict.fromkeys(chain.from_iterable(each.criterion.groups for each in lines))
    }
    for branch in branches_of(each.criterion for each in lines) if setting.shape != "flat" else ():
        groups[branch_named(branch)] = [
            each for each in lines if each.criterion.within[: len(branch)] == branch
        ]
    wholes: dict[str, list[MarkedCriterion]] = {"all": list(lines)} if setting.strict else {}
    if setting.importance:
        wholes["all"] = list(lines)
        for each in lines:
            wholes.setdefault(each.criterion.importance or "unranked", []).append(each)
        groups |= wholes
    if setting.strict:
        groups |= {f"strict {name}": [*map(_strict, own)] for name, own in wholes.items()}
    parts = {
        name: value_of(own)
        for name, own in groups.items()
        if any(setting.weight_of(each.criterion) > 0 for each in own)
    }
    known = [each for each in lines if each.word is not None]
    if setting.covered:
        whole = sum(each.merit == float(each.criterion.weight >= 0) for each in known)
        parts["covered"] = whole / len(known) if known else None
    if setting.shape == "gate":
        merits = [each.merit for each in known if each.merit is not None]
        entries = [each.criterion for each in lines]
        whole_tree = len(merits) == len(entries)
        parts["uncut"] = gated(entries, merits, cuts=False) if whole_tree else None
    for rate, word in setting.rates.items():
        count = sum(each.word == word for each in known)
        parts[rate] = count / len(known) * setting.scale if known else None
    return parts


def _strict(line: MarkedCriterion) -> MarkedCriterion:
    return line if line.merit is None else line._replace(merit=float(line.merit >= 1))
