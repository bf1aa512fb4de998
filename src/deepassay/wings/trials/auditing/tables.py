"""An audit on one page: what the judge saw, what moved it for nothing, and how noisy it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from deepassay.glossary import legend, meaning
from deepassay.results.tables import NONE, Table, as_csv, decimals, p_value
from deepassay.results.wrapped_tables import COLUMNS, paragraphs, written_narrow
from deepassay.score import WHOLE, Direction, Json
from deepassay.wings.trials.auditing.audit_file import (
    MARGIN,
    MUST_MOVE,
    AuditFile,
    AuditRow,
    Ends,
    JudgeAudit,
    Located,
)
from deepassay.wings.trials.auditing.sentences import (
    between,
    points,
    share_in_words,
    told_bias,
    told_causes,
)

FORMATS: Final = ("text", "markdown", "csv", "json")

LEGEND: Final = (
    "of: judged of changed, where some are not or their score had no room to move. fell: of these "
    f"(rose: of those that must rise). noticed: {meaning('noticed')}, with its Wilson interval; "
    f"false: of the untouched ones, that do. {legend('area')} pointed: {meaning('pointed')} "
    "(in brackets: at how many of them it finds one in the unchanged report, asked again). "
    "p: sign test, by Holm over all of this kind.",
    f"equal, no gain: moves, or rises, by less than {share_in_words(MARGIN)} of the span (two "
    "one-sided tests, 5 %). moved, gained: not shown to be that small, and p below .05 by Holm "
    "over all tests of what must not matter, in which the slope stands for all paddings. open: "
    "too few reports to tell.",
)


def write(file: AuditFile, format: str) -> str:
    """The audit in one of FORMATS."""
    if format == "json":
        return file.to_json()
    if format == "csv":
        return as_csv([line for each in file.judges for line in _lines(each)])
    tables = [table for each in file.judges for table in _tables(each)]
    if tables:
        tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, *LEGEND))
    said = [each.sentence for each in file.judges]
    return f"{written_narrow(tables, format)}\n{paragraphs(said, COLUMNS)}\n"


def _tables(audit: JudgeAudit) -> Iterator[Table]:
    """What it must see, what must not matter, and of its parts the same, each a table.

    None of what nothing was judged of: the sentence says why.
    """
    metrics = dict.fromkeys(row.metric for row in audit.rows if row.judged)
    for metric in metrics:
        rows = [row for row in audit.rows if row.metric == metric]
        name = f"{audit.judge}, {audit.protocol}{'' if metric == WHOLE else f', {metric}'}"
        told = [*_below(audit, metric)]
        seeing = [row for row in rows if row.expects in MUST_MOVE]
        staying = [row for row in rows if row.expects not in MUST_MOVE]
        if seeing:
            yield Table.listed(
                f"{name}: what it must see",
                ("change", "of", "fell", "noticed, %", "false, %", "area", "pointed", "p"),
                (_seen(row) for row in seeing),
                told if not staying else [],
            )
        if staying:
            yield Table.listed(
                f"{name}: what must not matter",
                ("change", "of", "mean change", "95 % interval", "p"),
                (_stayed(row, audit.span) for row in staying),
                told,
            )


def _of(row: AuditRow) -> str:
    """Judged of applied, where some are not."""
    return str(row.judged) if row.judged == row.applied else f"{row.judged}/{row.applied}"


def _seen(row: AuditRow) -> tuple[str, ...]:
    found, located = row.standout, row.located
    noticed = NONE
    if found:
        low, high = (f"{100 * end:.0f}" for end in found.interval)
        noticed = f"{100 * found.share:.0f} ({low}–{high})"
    return (
        row.perturbation,
        _of(row),
        str(row.rose if row.expects is Direction.HIGHER else row.fell),
        noticed,
        f"{100 * found.false_alarm:.0f}" if found else NONE,
        NONE if row.area is None else f"{row.area:.2f}",
        _pointed(located) if located else NONE,
        _verdict(row) if row.verdict == "misread" else p_value(row.adjusted),
    )


def _pointed(located: Located) -> str:
    """Of places without a fault before; in brackets what is found at them without the change."""
    if not (new := located.of - located.before):
        return NONE
    return f"{located.found}/{new}{f' ({located.again})' if located.again else ''}"


def _verdict(row: AuditRow) -> str:
    return f"{p_value(row.adjusted)} {row.verdict}"


def _stayed(row: AuditRow, span: Ends | None) -> tuple[str, ...]:
    return (
        row.perturbation,
        _of(row),
        NONE if row.mean is None else points(row.mean, span),
        NONE if row.interval is None else between(row.interval, span),
        _verdict(row),
    )


def _below(audit: JudgeAudit, metric: str) -> Iterator[str]:
    """What else must not move a metric; of the score, its noise and what has none."""
    for bias in audit.biases:
        shown = "shown" if bias.shown else "not shown"
        if bias.metric == metric:
            told = told_bias(bias, audit.span)
            yield f"{told}; {shown} (p {p_value(bias.adjusted)}, n = {bias.n})."
    if metric != WHOLE:
        return
    if audit.lacking:
        yield f"in no score: {', '.join(audit.lacking)}."
    if (noise := audit.noise) is not None:
        kinds = {"ICC(1,1)": noise.one, f"ICC(1,{noise.k})": noise.of_k}
        alike = ", ".join(f"{name} {decimals(value, 2)}" for name, value in kinds.items())
        size = points(noise.deviation, audit.span, sign=False)
        yield (
            f"noise: standard deviation of one judgement {size}; "
            f"{alike}, {noise.reports} reports judged twice."
        )
    if audit.unscored:
        yield f"unscored: {audit.unscored} reports or copies{told_causes(audit)}."


def _lines(audit: JudgeAudit) -> Iterator[dict[str, Json]]:
    place = {"protocol": audit.protocol, "judge": audit.judge}
    for row in audit.rows:
        kept = row.model_dump(exclude={"standout", "located", "interval", "right_interval"})
        low, high = row.interval or (None, None)
        noticed = row.standout.model_dump(exclude={"interval"}) if row.standout else {}
        yield {
            **place,
            **kept,
            "mean_low": low,
            "mean_high": high,
            **{f"noticed_{name}": value for name, value in noticed.items()},
            "pointed": row.located.found if row.located else None,
        }
    for bias in audit.biases:
        low, high = bias.interval or (None, None)
        yield {
            **place,
            "metric": bias.metric,
            "perturbation": bias.kind,
            "judged": bias.n,
            "mean": bias.value,
            "mean_low": low,
            "mean_high": high,
            "p": bias.p,
            "adjusted": bias.adjusted,
            "verdict": "shown" if bias.shown else "not shown",
        }
