"""What batching costs, as tables, sentences and unrounded lines."""

from __future__ import annotations

from collections import Counter
from typing import Final

from deepassay.files import as_json
from deepassay.results.tables import NONE, Table, as_csv, cause_counts, percent, printable
from deepassay.results.wrapped_tables import written_narrow
from deepassay.score import Json
from deepassay.stats.resampling import ResampledFigure
from deepassay.wings.trials.together import ArmFigures, TogetherArm, TogetherStudy

NOTES: Final = (
    "at once: criteria of one question. same: the verdict that the first question gave, which had "
    "the fewest at once; in its own row, when it was asked again, which is the judge's noise. "
    "changed: how much less often than that. met: share of criteria called met.",
    "In brackets: 95 % intervals, percentiles of draws of reports, further out where reports are "
    "few. A dash: not known, as what was "
    "never asked again, or is the same in every draw.",
)
PEOPLE_NOTE: Final = (
    "change: of the balanced accuracy against the first row, on criteria on which both have a "
    "verdict."
)


def write_together(study: TogetherStudy, judge: str, format: str) -> str:
    """As text, markdown, csv (a line for each way of asking) or json (with the tables)."""
    found = [(arm, study.figures(arm)) for arm in study.arms]
    lines = [_flat(study, judge, arm, own) for arm, own in found]
    if format == "csv":
        return as_csv(lines)
    tables = together_tables(study, judge)
    if format == "json":
        return as_json({"arms": lines, "tables": [table.told for table in tables]})
    return written_narrow(tables, format)


def together_tables(study: TogetherStudy, judge: str) -> list[Table]:
    """What became of verdicts, what people say of them, and what they cost."""
    found = [(arm, study.figures(arm)) for arm in study.arms]
    sentences = [told_of(study, judge, arm, own) for arm, own in found[1:]]
    tables = [
        Table.listed(
            f"{judge}: the same criteria, so many at once",
            ("at once", "criteria", "same", "changed", "asked again", "met"),
            [
                (
                    str(arm.size),
                    str(own.met.n),
                    _shown(own.same),
                    NONE if arm is study.arms[0] else _shown(own.changed),
                    _shown(own.again),
                    _shown(own.met),
                )
                for arm, own in found
            ],
            (*sentences, *NOTES),
        )
    ]
    if study.people:
        tables.append(
            Table.listed(
                f"{judge}: beside people",
                ("at once", "criteria", "accuracy", "balanced accuracy", "change"),
                [
                    (
                        str(arm.size),
                        str(own.accuracy.n),
                        _shown(own.accuracy),
                        _shown(own.balanced),
                        NONE if arm is study.arms[0] else _shown(own.better),
                    )
                    for arm, own in found
                ],
                (PEOPLE_NOTE,),
            )
        )
    tables.append(_costs(study, judge))
    return tables


def _costs(study: TogetherStudy, judge: str) -> Table:
    """Calls, tokens and money for a criterion, and what came to nothing."""
    rows = []
    causes: Counter[str] = Counter()
    for arm in study.arms:
        each = max(arm.judgements, 1)
        causes += arm.causes
        rows.append(
            (
                str(arm.size),
                str(arm.judgements),
                str(arm.calls),
                f"{arm.tokens_in / each:.0f}",
                f"{arm.tokens_out / each:.0f}",
                NONE if arm.spent is None else f"${1000 * arm.spent / each:.2f}",
                f"{arm.lost}",
                percent(arm.lost / each),
            )
        )
    why = (f"Without a verdict, by cause: {cause_counts(causes)}.",) if causes else ()
    return Table.listed(
        f"{judge}: what it took",
        (
            *("at once", "verdicts wanted", "calls", "tokens in", "tokens out", "1,000 cost"),
            *("no verdict", "of all"),
        ),
        rows,
        ("Tokens are those of one verdict. 1,000 cost: so many verdicts.", *why),
        words=0,
    )


def told_of(study: TogetherStudy, judge: str, arm: TogetherArm, own: ArmFigures) -> str:
    """What a way of asking changes and saves, in a sentence."""
    base = study.arms[0]
    noise = study.figures(base).same
    alone = "alone" if base.size == 1 else f"{base.size} at once"
    shown = own.changed.interval
    said = (
        f"Asked about {arm.size} at once, {judge} gives the verdict that it gives {alone} on "
        f"{percent(own.same.value)} of criteria"
    )
    if noise.value is None:
        said += "; how much of the rest is its noise is not known."
    else:
        more = "" if shown and shown.low > 0 else "not "
        said += (
            f", and asked again {alone} on {percent(noise.value)}: that batching changes verdicts "
            f"beyond its noise is {more}shown."
        )
    if own.better.value is not None:
        shown = own.better.interval
        agreed = "that it agrees less with people is not shown"
        if shown and shown.high < 0:
            agreed = "it agrees less with people"
        if shown and shown.low > 0:
            agreed = "it agrees more with people"
        points = 100 * own.better.value
        ends = f", {100 * shown.low:+.1f} to {100 * shown.high:+.1f}" if shown else ""
        said += f" Balanced accuracy changes by {points:+.1f} points{ends}: {agreed}."
    ours, theirs = (
        (each.tokens_in + each.tokens_out) / max(each.judgements, 1) for each in (arm, base)
    )
    if theirs:
        said += f" A verdict takes {percent(ours / theirs)} of the tokens."
    if arm.lost:
        said += f" {arm.lost} of {arm.judgements} verdicts did not come."
    return said


def _shown(figure: ResampledFigure) -> str:
    """A share as per cent, with its interval."""
    if figure.value is None:
        return NONE
    if figure.interval is None:
        return f"{100 * figure.value:.1f}"
    low, high = figure.interval
    return f"{100 * figure.value:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _flat(study: TogetherStudy, judge: str, arm: TogetherArm, own: ArmFigures) -> dict[str, Json]:
    line: dict[str, Json] = {
        "judge": printable(judge),
        "together": arm.size,
        "repeats": arm.repeats,
        "criteria": len(study.places),
        "verdicts_wanted": arm.judgements,
        "without_verdict": arm.lost,
        "calls": arm.calls,
        "tokens_in": arm.tokens_in,
        "tokens_out": arm.tokens_out,
        "spent": arm.spent,
    }
    for name, figure in own._asdict().items():
        low, high = figure.interval or (None, None)
        line |= {
            name: figure.value,
            f"{name}_low": low,
            f"{name}_high": high,
            f"{name}_n": figure.n,
        }
    return line
