"""Calibrations as tables, and a line for each figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from deepassay.glossary import legend, meaning
from deepassay.results.standings import RankRange, in_span, with_ends
from deepassay.results.tables import (
    NONE,
    Table,
    as_csv,
    decimals,
    percent,
    printable,
    several,
)
from deepassay.results.wrapped_tables import written_narrow
from deepassay.score import Json
from deepassay.stats.error_rates import TrueRate
from deepassay.stats.intervals import Interval
from deepassay.stats.mappings import SPLITS, Cut, Isotonic
from deepassay.stats.resampling import FEWER_DRAWS
from deepassay.wings.people.agreement.tables import HEAD, figure_cells
from deepassay.wings.people.calibration.calibrate import WITHIN, Calibration, Estimated
from deepassay.wings.people.calibration.calibration_file import CalibrationFile

MEANS: Final = (
    f"judge: its own mean. {legend('labels alone')} people: what people would give on "
    "average, by the labels and what the judge says of the rest (PPI++); right for any judge if "
    f"labels stand on tasks drawn at random. {legend('worth')} "
    "In brackets: 95 % intervals over tasks."
)
RATES: Final = (
    f"without errors: {meaning('without errors')}; right only if the judge errs as often with "
    "every agent. The interval is Fieller's."
)
HALVES: Final = (
    f"Other half: of the tasks, which the mapping was not fitted to; {SPLITS} splits by chance. "
    "error: root of the mean square, in the people's unit."
)
INTERVAL: Final = f"Interval: {FEWER_DRAWS} draws of the tasks with replacement, percentiles."
QUARTERS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


def write(found: Sequence[Calibration], kept: CalibrationFile, format: str) -> str:
    """The calibrations as text, markdown, csv (a line for each figure) or json."""
    if format == "csv":
        return as_csv([line for each in found for line in _lines(each)])
    if format == "json":
        return kept.to_json()
    tables = [table for each in found for table in _tables(each)]
    tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, *_legend(found)))
    return written_narrow(tables, format)


def _legend(found: Sequence[Calibration]) -> Iterator[str]:
    """What the columns are, once for all tables."""
    yield MEANS
    if any(each.rate is not None for own in found for each in own.agents):
        yield RATES
    if any(each.mapping is not None for each in found):
        yield HALVES
    if any(each.figures for each in found):
        yield INTERVAL


def _title(found: Calibration) -> str:
    own = found.labelled
    part = f", {own.part}" if own.part else ""
    return f"{own.name}{part}, judge {own.judge}: calibrated by {own.kind} of people"


def _tables(found: Calibration) -> Iterator[Table]:
    if found.figures:
        title = f"{_title(found)}: how well it predicts them"
        yield Table.listed(title, HEAD, map(figure_cells, found.figures), [*_mapping(found)])
    yield _agents(found)


def _mapping(found: Calibration) -> Iterator[str]:
    """The mapping that was fitted to all labels, at the quarters of the judge's numbers."""
    if isinstance(found.mapping, Isotonic):
        there = found.labelled.ours[~np.isnan(found.labelled.theirs)]
        at = np.quantile(there, QUARTERS)
        pairs = zip(at, found.mapping(at), strict=True)
        steps = ", ".join(f"{ours:.4g} is {in_span(theirs, found.span)}" for ours, theirs in pairs)
        yield f"Isotonic, by all labels, at lowest, quarters and highest of the judge: {steps}."
    elif isinstance(found.mapping, Cut):
        yield f"Threshold, by all labels: yes from {found.mapping.at:.4g} on (Youden 1950)."


def _agents(found: Calibration) -> Table:
    answers = any(each.rate is not None for each in found.agents)
    low, high = (in_span(end, found.span) for end in found.span)
    head = ["agent", "judge", "labels", "labels alone", "people", "worth", "more"]
    rows = [
        [
            each.agent,
            f"{each.raw:.4g}",
            f"{each.labels}/{each.judged}",
            with_ends(*each.alone, found.span),
            with_ends(*_powered(each), found.span),
            decimals(each.powered.worth if each.powered else None, 0),
            _more(each, found),
            *([_rate(each.rate, found.span)] if answers else []),
        ]
        for each in found.agents
    ]
    if answers:
        head.append("without errors")
    wanted = in_span(WITHIN * (found.span.high - found.span.low), found.span)
    of_range = (
        f", a twentieth of what people gave, {low} to {high}"
        if found.labelled.kind == "scores"
        else ""
    )
    notes = [f"more: labels for an interval of ±{wanted}{of_range}."]
    return Table.listed(_title(found), head, rows, [*_error(found), *notes, *_reasons(found)])


def _error(found: Calibration) -> Iterator[str]:
    """How often the judge contradicts people, and which ranks people would give."""
    error = found.error
    if isinstance(error, str):
        yield f"How often the judge contradicts people is not known: {error}."
    else:
        low, high = error.interval
        yield (
            f"The judge contradicts people in {percent(error.share)} ({100 * low:.1f} to "
            f"{percent(high)}) of {error.of} {error.unit}, on {several(error.tasks, 'task')}."
        )
    ranked = [(each.agent, each.ranks) for each in found.agents if each.ranks]
    if ranked:
        ranked.sort(key=lambda each: each[1])
        told = (f"{name} {RankRange(*ranks)}" for name, ranks in ranked)
        yield f"Ranks by people, among those with a figure (95 %): {', '.join(told)}."


def _powered(own: Estimated) -> tuple[float | None, Interval | None]:
    return (own.powered.value, own.powered.interval) if own.powered else (None, None)


def _more(own: Estimated, found: Calibration) -> str:
    if own.powered is None or found.labelled.chances is not None:
        return NONE
    return "tasks" if own.more is None else str(own.more)


def _rate(rate: TrueRate | None, span: Interval) -> str:
    return NONE if rate is None else with_ends(rate.value, rate.interval, span)


def _reasons(found: Calibration) -> Iterator[str]:
    """Why dashes stand where they do."""
    for what, whys in (
        ("people", {each.agent: each.why for each in found.agents}),
        ("without errors", {each.agent: each.rate.why for each in found.agents if each.rate}),
    ):
        for why in dict.fromkeys(filter(None, whys.values())):
            agents = [agent for agent, own in whys.items() if own == why]
            of = "" if len(agents) == len(whys) else f" for {', '.join(agents)}"
            yield f"{what}: none{of}, {why}."
    if apart := [each.agent for each in found.agents if _apart(each)]:
        yield (
            f"without errors: apart from people for {', '.join(apart)}: with them the judge errs "
            "otherwise than with all. Go by people."
        )
    if any(each.powered and _more(each, found) == "tasks" for each in found.agents):
        yield "more, tasks: labels on everything would not do, the run has too few tasks."


def _apart(own: Estimated) -> bool:
    """Whether the two intervals have nothing in common."""
    people = own.powered.interval if own.powered else None
    rate = own.rate.interval if own.rate else None
    return bool(people and rate and (people.high < rate.low or rate.high < people.low))


def _lines(found: Calibration) -> Iterator[dict[str, Json]]:
    own = found.labelled
    place = {
        "protocol": printable(own.name),
        "judge": printable(own.judge),
        "part": printable(own.part),
    }

    def line(
        agent: str, figure: str, value: float | None, ends: Interval | None, n: int
    ) -> dict[str, Json]:
        low, high = ends or (None, None)
        named = {"agent": printable(agent), "figure": figure}
        return {**place, **named, "value": value, "low": low, "high": high, "n": n}

    labels = int((~np.isnan(own.theirs)).sum())
    for each in found.figures:
        yield line("", each.name, each.value, each.interval, each.n)
    if not isinstance(error := found.error, str):
        yield line("", f"contradicted {error.unit}", error.share, error.interval, error.of)
    for gap in found.gaps:
        yield line(f"{gap.one} less {gap.other}", "people", gap.value, gap.interval, labels)
    for agent in found.agents:
        name = agent.agent
        yield line(name, "judge", agent.raw, None, agent.judged)
        yield line(name, "labels alone", *agent.alone, agent.labels)
        yield line(name, "people", *_powered(agent), agent.labels)
        yield line(name, "more", agent.more, None, agent.labels)
        if agent.rate:
            yield line(name, "without errors", agent.rate.value, agent.rate.interval, agent.judged)
