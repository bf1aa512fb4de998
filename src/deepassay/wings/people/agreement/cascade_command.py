"""`agree cascade`: a cheap judge before the judge, at a stated risk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from deepassay.cli.help import listed
from deepassay.cli.options import MODEL, ONE_JUDGE, TERMS, OnlyEstimate, takes
from deepassay.cli.results import Force
from deepassay.cli.terminal import note, show, tell_cost
from deepassay.run.settings import Settings


@listed(
    "deepassay agree cascade examples/labels/attribution.jsonl --first offline --by labels --risk "
    "0.1 -o build/cascade.json --run build/cascade.assay",
)
@takes(ONE_JUDGE, *MODEL, "structured", *TERMS)
def cascade(
    pairs: Annotated[
        list[Path], typer.Argument(help="Pairs of statement and page, as `agree support` reads.")
    ],
    *,
    first: Annotated[str, typer.Option(help="The cheap judge: local:FOLDER, or a model.")],
    by: Annotated[
        Literal["labels", "judge"], typer.Option(help="Learn on labels, or on the judge's answers.")
    ] = "judge",
    risk: Annotated[
        float, typer.Option(min=0.001, max=0.5, help="Of all verdicts, so many may be other.")
    ] = 0.05,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The cascade; if there, it gets another stage.")
    ],
    force: Force = False,
    estimate: OnlyEstimate = False,
    settings: Settings,
) -> None:
    """Learn which verdicts of a cheap judge stand.

    The judge is asked about the rest: evaluate --judge JUDGE --verifier cascade:FILE.
    """
    from deepassay.run.showing.output import check_output, write_output
    from deepassay.wings.people.agreement.cascading import (
        cascade_as_json,
        learn_cascade,
        read_before,
    )
    from deepassay.wings.people.agreement.judging import estimate_support, own_pairs
    from deepassay.wings.people.agreement.published_support import published_pairs

    before = read_before(output, force=force)
    check_output(output, [settings.run], force=True)
    found = published_pairs(pairs, None, "unsupported") or own_pairs(pairs[0])
    names = [first, *(settings.judge[:1] if by == "judge" else ())]
    asked = [name for name in names if name != "offline"]
    if estimate or asked:
        tell_cost(lambda _: estimate_support(found, asked, settings))
    if estimate:
        raise typer.Exit
    learnt = learn_cascade(found, first, by, risk, before, settings)
    for line in learnt.lines():
        show(line)
    write_output(output, cascade_as_json(learnt.rule), [settings.run], force=True)
    note(f"Wrote {output}. For scores: deepassay evaluate … --verifier cascade:{output}")
