"""Table 11 of DeepResearch Bench: RewardBench 2 with RACE in place of a plain judge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple

from deepassay.errors import BadInput
from deepassay.results.evidence import Ratings
from deepassay.results.records import Judged
from deepassay.results.rewards import (
    SUBSETS,
    TIES,
    BoundedFigure,
    RatedCompletions,
    accuracy,
    mean_of_subsets,
    ties,
)
from deepassay.results.tables import NONE, Table, decimals
from deepassay.score import Json, Score, without_options
from deepassay.stats.intervals import Interval, t_interval
from deepassay.wings.papers.material import Cells, PaperMaterial, without_edition

PRINTED: Final[Mapping[str, tuple[float, ...]]] = {
    "LMunit": (82.1, 87.2, 54.4, 72.7, 91.3, 96.8, 90.1),
    "Claude-Opus-4": (76.5, 82.7, 41.9, 74.9, 89.5, 86.2, 83.7),
    "Gemini-2.5-pro": (74.8, 71.2, 52.1, 68.3, 88.7, 79.4, 81.2),
    "DeepSeek-R1 w/o RACE": (51.5, 44.4, 19.9, 46.2, 70.1, 55.5, 47.7),
    "DeepSeek-R1 w/ RACE": (74.4, 72.9, 45.6, 74.3, 90.9, 76.8, 47.6),
}
"""What the paper prints: Score, then the six subsets in their order."""

NOTES: Final = (
    "* from the paper. Score: the plain mean of the six subsets; as printed: what the paper has, "
    "which in three of its rows is no such mean.",
    "Ties is no share: a weighted score with a maximum of 101.0.",
)


PLAIN: Final = "plain"
"""The arrangement without RACE."""


class _Judge(NamedTuple):
    """One recipe: who judged by which arrangement, and the figures of its subsets."""

    name: str
    subsets: Mapping[str, BoundedFigure]
    records: Sequence[Judged]

    @property
    def total(self) -> BoundedFigure:
        return mean_of_subsets(self.subsets.values())


def table11(material: PaperMaterial) -> tuple[Table, ...]:
    """Accuracies by subset of every judge beside those that are printed, and their intervals."""
    own = [each for each in material.records if without_options(each.protocol) == "race_reward"]
    if not own:
        raise BadInput(
            "Nothing that this table counts is there: nobody was judged by race_reward.",
            "Evaluate RewardBench 2 with --protocol race_reward first.",
        )
    if not any(each.labels.get("subset") in SUBSETS for each in own):
        raise BadInput(
            "The tasks of these runs have no label `subset` that names one of RewardBench 2: "
            f"{', '.join(SUBSETS)}.",
            "Evaluate the published set, or write `subset` among the labels of each task.",
        )
    recipes: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in own:
        recipes[each.signature.digest].append(each)
    names = Counter(map(_name, recipes.values()))
    judges = [
        _Judge(
            name if names[name := _name(those)] == 1 else f"{name} [{recipe}]",
            _subsets(those),
            those,
        )
        for recipe, those in recipes.items()
    ]
    gains = [
        _gain(each, plain)
        for plain in judges
        if _arrangement(plain.records) == PLAIN
        for each in judges
        if _arrangement(each.records) != PLAIN and _judging(each.records) == _judging(plain.records)
    ]
    return (_as_printed(judges, gains=bool(gains)), *gains, *map(_in_full, judges))


def _arrangement(records: Sequence[Judged]) -> str:
    """How the completions of a prompt are put before the judge."""
    return (
        without_edition(records[0].protocol).partition("arrangement=")[2].strip("')") or "together"
    )


def _judging(records: Sequence[Judged]) -> Json:
    """Who judged, with which settings, in which edition."""
    identity = records[0].signature.identity
    return [identity.get(name) for name in ("judges", "edition")]


def _gain(race: _Judge, plain: _Judge) -> Table:
    """What RACE gains over the plain rating by the same judge, by prompts that both have."""
    rows: list[tuple[str, ...]] = []
    gains: list[float | None] = []
    for name in SUBSETS:
        one, other = (
            _means([r for r in each.records if r.labels.get("subset") == name])
            for each in (race, plain)
        )
        both = [
            (theirs, without)
            for task in one.keys() & other.keys()
            if (theirs := one[task]) is not None and (without := other[task]) is not None
        ]
        ends = [each.subsets.get(name) for each in (race, plain)]
        values = [each.value if each else None for each in ends]
        interval = None
        if name != TIES:
            values = [fmean(own) for own in zip(*both, strict=True)] if both else [None, None]
            interval = t_interval([theirs - without for theirs, without in both])
        gain = None if values[0] is None or values[1] is None else values[0] - values[1]
        gains.append(gain)
        shown = [NONE if v is None else decimals(100 * v, 1) for v in (*values, gain)]
        told = NONE if interval is None else _ends(interval)
        rows.append((name, *shown, told, f"{len(both)} of {len({*one, *other})}"))
    known = [each for each in gains if each is not None]
    total = decimals(100 * fmean(known), 1) if len(known) == len(SUBSETS) else NONE
    rows.append(("all six", NONE, NONE, total, NONE, NONE))
    return Table.listed(
        f"What RACE gains: {race.name} beside {plain.name}",
        ("Subset", "With", "Without", "Gain", "95 % interval", "Prompts"),
        rows,
        (
            "Points, of prompts that both have, but for Ties, which is no mean over prompts. The "
            "paper's claim: +22.9 (74.4 beside 51.5 as printed), +20.7 by means of its subsets.",
            "Student's interval of the differences between prompts.",
        ),
    )


def _name(records: Sequence[Judged]) -> str:
    """Who judged and by which arrangement."""
    identity = records[0].signature.identity
    models = " and ".join(str(judge["model"]) for judge in identity.get("judges", []))
    return (
        f"{models}, {_arrangement(records)}{', code' if identity.get('edition') == 'code' else ''}"
    )


def _subsets(records: Sequence[Judged]) -> dict[str, BoundedFigure]:
    """The figures of each subset that has a prompt; several judgements of one prompt averaged."""
    found = {}
    for name in SUBSETS:
        own = [each for each in records if each.labels.get("subset") == name]
        if own:
            found[name] = _of_ties(own) if name == TIES else accuracy([*_means(own).values()])
    return found


def _means(records: Sequence[Judged]) -> dict[str, float | None]:
    """By prompt; None where it was not scored once."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for each in records:
        values[each.task] += [each.outcome.value] if isinstance(each.outcome, Score) else []
    return {task: fmean(own) if own else None for task, own in values.items()}


def _of_ties(records: Sequence[Judged]) -> BoundedFigure:
    """The mean of the scores of all repeats: a spread of mean ratings would be another figure."""
    repeats: defaultdict[int, dict[str, dict[str, RatedCompletions | None]]] = defaultdict(dict)
    for each in records:
        kind, _, number = each.task.partition(":")
        kept = each.outcome
        rated = Ratings.read(kept.details).rated if isinstance(kept, Score) else None
        repeats[each.repeat].setdefault(kind, {})[number] = rated
    figures = [ties(own.get("tied", {}), own.get("ref", {})) for own in repeats.values()]
    values = [each.value for each in figures if each.value is not None]
    low, high = (fmean(each.bounds[end] for each in figures) for end in (0, 1))
    return BoundedFigure(
        fmean(values) if values else None,
        Interval(low, high),
        sum(each.scored for each in figures),
        sum(each.expected for each in figures),
    )


NO_GAIN: Final = (
    "Without the plain rating of the same judge nothing here says what RACE gains: evaluate the "
    "same prompts with --protocol \"race_reward(arrangement='plain')\" too."
)


def _as_printed(judges: Sequence[_Judge], *, gains: bool) -> Table:
    cells = Cells()
    rows = []
    for each in judges:
        own = [each.total, *(each.subsets.get(name) for name in SUBSETS)]
        why = "no prompt of a subset was scored"
        shown = [cells.number(f and f.value and 100 * f.value, 1, why, each.name) for f in own]
        rows.append((each.name, shown[0], NONE, *shown[1:]))
    for name, (score, *subsets) in PRINTED.items():
        numbers = [decimals(each, 1) for each in (fmean(subsets), score, *subsets)]
        rows.append((f"{name} *", *numbers))
    return Table.listed(
        "DeepResearch Bench, table 11: RewardBench 2 (generative)",
        ("Model", "Score", "As printed", *SUBSETS),
        rows,
        (*NOTES, *(() if gains else (NO_GAIN,)), *cells.notes),
    )


def _in_full(judge: _Judge) -> Table:
    """Every figure of one judge with its interval, its coverage and its bounds."""
    rows = []
    for name, figure in {"all six": judge.total, **judge.subsets}.items():
        rows.append(
            (
                name,
                NONE if figure.value is None else decimals(100 * figure.value, 1),
                NONE if figure.interval is None else _ends(figure.interval),
                f"{figure.scored} of {figure.expected}",
                _ends(figure.bounds) if figure.scored < figure.expected else NONE,
            )
        )
    return Table.listed(
        f"{judge.name}: by subset",
        ("Subset", "Score", "95 % interval", "Scored", "Bounds"),
        rows,
        (
            "Intervals by Wilson, of shares. Bounds: had all that is missing come out worst or "
            "best.",
        ),
    )


def _ends(interval: Interval) -> str:
    return " to ".join(decimals(100 * end, 1) for end in interval)
