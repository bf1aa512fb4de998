"""How far the judges of a panel say the same, pair by pair.

LiveResearchBench averages two judges (section 4) and reports no agreement between them. A mean
over judges says little where they rank reports differently, so it stands beneath every board.
`panel_worth` says for how many independent judges a panel counts, by how far they say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Final

import numpy as np

from deepassay.results.evidence import OutcomeEvidence
from deepassay.results.panel_verdicts import Verdicts, panels_of, verdicts_of
from deepassay.results.ranges import widest_range
from deepassay.results.records import Judged
from deepassay.results.tables import Table, decimals, in_range, of_label, percent, several
from deepassay.stats.classes import kappa
from deepassay.stats.correlation import Kendall, spearman
from deepassay.stats.panels import JudgesTogether
from deepassay.stats.ranks import TIE, Floats
from deepassay.stats.resampling import FEWER_DRAWS, drawn_counts, resampled_figure

NOTES: Final = (
    "difference: the judge's score less the other's, averaged over what both scored; absolute: "
    "the same without its sign; same: share of equal scores.",
    "Spearman, Kendall (tau-b): do they put reports in the same order? Undefined where one judge "
    "gave all the same score. kappa (Cohen): agreement of verdicts beyond chance.",
)


@dataclass(frozen=True)
class JudgePair:
    """Two judges of a panel, over the judgements that were put to both.

    both, only_one, only_other, neither: who came to a score, in judgements. difference: of one
    less other, absolute: without sign, both means in the unit of the score. same, agreement:
    shares in [0, 1]. spearman, kendall: of the scores, tau-b; None where a judge never varies.
    verdicts: those that both gave, see `verdicts_of`; agreement and kappa are of these.
    """

    one: str
    other: str
    both: int
    only_one: int
    only_other: int
    neither: int
    difference: float | None
    absolute: float | None
    same: float | None
    spearman: float | None
    kendall: float | None
    verdicts: int
    agreement: float | None
    kappa: float | None


def judge_pairs(records: Sequence[Judged]) -> list[JudgePair]:
    """Every pair of judges that sat in one panel, in the order of their names."""
    panels = [panel for _, panel in panels_of(records)]
    together = {pair for panel in panels for pair in combinations(sorted(panel.judges), 2)}
    said = [verdicts_of(panel) for panel in panels]
    return [_pair(one, other, panels, said) for one, other in sorted(together)]


def judge_tables(records: Sequence[Judged], label: tuple[str, str] | None) -> tuple[Table, ...]:
    """The pairs as a table; none without a panel."""
    pairs = judge_pairs(records)
    if not pairs:
        return ()
    limits = widest_range(records)
    title = f"{records[0].protocol}{of_label(label)}: judges, pair by pair"
    columns: list[tuple[str, Callable[[JudgePair], str]]] = [
        ("judge", lambda pair: pair.one),
        ("other judge", lambda pair: pair.other),
        ("both scored", lambda pair: str(pair.both)),
        ("only one", lambda pair: str(pair.only_one)),
        ("only other", lambda pair: str(pair.only_other)),
        ("neither", lambda pair: str(pair.neither)),
        ("difference", lambda pair: in_range(pair.difference, limits)),
        ("absolute", lambda pair: in_range(pair.absolute, limits)),
        ("same", lambda pair: percent(pair.same)),
        ("Spearman", lambda pair: decimals(pair.spearman, 3)),
        ("Kendall", lambda pair: decimals(pair.kendall, 3)),
        ("verdicts", lambda pair: str(pair.verdicts)),
        ("verdicts agree", lambda pair: percent(pair.agreement)),
        ("kappa", lambda pair: decimals(pair.kappa, 3)),
    ]
    worth = [*filter(None, [panel_worth(records)])]
    return (Table.of(title, columns, pairs, (*NOTES, *worth), words=(0, 1)),)


def _pair(
    one: str,
    other: str,
    panels: Sequence[OutcomeEvidence],
    verdicts: Sequence[Mapping[str, Verdicts]],
) -> JudgePair:
    shared = [panel for panel in panels if {one, other} <= panel.judges.keys()]
    said = [(panel.judges[one].value, panel.judges[other].value) for panel in shared]
    scores = [(ours, theirs) for ours, theirs in said if ours is not None and theirs is not None]
    gaps = [ours - theirs for ours, theirs in scores]
    labels = [
        (_label(verdict), _label(beside[asked]))
        for own in verdicts
        if (beside := own.get(other))
        for asked, verdict in own.get(one, {}).items()
        if asked in beside
    ]
    ours, theirs = ([pair[side] for pair in scores] for side in (0, 1))
    return JudgePair(
        one,
        other,
        both=len(scores),
        only_one=sum(ours is not None and theirs is None for ours, theirs in said),
        only_other=sum(ours is None and theirs is not None for ours, theirs in said),
        neither=sum(ours is None and theirs is None for ours, theirs in said),
        difference=fmean(gaps) if gaps else None,
        absolute=fmean(map(abs, gaps)) if gaps else None,
        same=fmean(abs(gap) <= TIE for gap in gaps) if gaps else None,
        spearman=spearman(ours, theirs),
        kendall=Kendall(ours, theirs).tau_b(),
        verdicts=len(labels),
        agreement=fmean(ours == theirs for ours, theirs in labels) if labels else None,
        kappa=kappa(labels),
    )


def _label(verdict: float | str) -> str:
    return verdict if isinstance(verdict, str) else f"{verdict:g}"


FEWEST: Final = 10
"""Tasks below which nothing is said."""


def panel_worth(records: Sequence[Judged]) -> str:
    """A sentence on the panel of these judgements; empty without one, or on too few tasks.

    By the verdicts that all judges gave where there are any, else by their scores.
    """
    panels = [(each.task, panel, verdicts_of(panel)) for each, panel in panels_of(records)]
    names = sorted({name for _, panel, _ in panels for name in panel.judges})
    verdicts = any(own for _, _, found in panels for own in found.values())
    rows = (
        (task, _all_gave(names, found) if verdicts else _scores(names, panel))
        for task, panel, found in panels
    )
    said = [(task, row) for task, own in rows for row in own]
    tasks = sorted({task for task, _ in said})
    if len(names) < 2 or len(tasks) < FEWEST:
        return ""
    places = {task: at for at, task in enumerate(tasks)}
    unit = np.array([places[task] for task, _ in said])
    together = JudgesTogether(np.array([row for _, row in said], dtype=float), unit)
    counts = drawn_counts(len(tasks), 0, FEWER_DRAWS)
    found = resampled_figure("", together.effective, counts, len(said), "")
    if found.value is None:
        return ""
    ends = f", 95 % interval {' to '.join(f'{end:.1f}' for end in found.interval or ())}"
    return (
        f"The {len(names)} judges count for {found.value:.1f} independent ones at least"
        f"{ends if found.interval else ''}: what they say correlates by "
        f"{decimals(together.correlation(), 2)} on "
        f"{several(len(said), 'verdict' if verdicts else 'score')}, in which the truth has its "
        "part. With labels of people, `deepassay agree` goes by their errors."
    )


def _all_gave(names: Sequence[str], found: Mapping[str, Verdicts]) -> Iterator[Floats]:
    """The verdicts that all of these judges gave, a row for each; who wins is no number."""
    first, *others = (found.get(name, {}) for name in names)
    for asked, verdict in first.items():
        row = [verdict, *(own.get(asked) for own in others)]
        if not any(each is None or isinstance(each, str) for each in row):
            yield np.array(row, dtype=float)


def _scores(names: Sequence[str], panel: OutcomeEvidence) -> Iterator[Floats]:
    """The scores of these judges in one row, if all came to one."""
    row = [own.value if (own := panel.judges.get(name)) else None for name in names]
    if None not in row:
        yield np.array(row, dtype=float)
