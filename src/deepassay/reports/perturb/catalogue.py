"""What there is to say about the perturbations: a table for the documents, a list for people."""

from __future__ import annotations

import sys

from deepassay.reports.perturb import PERTURBATIONS
from deepassay.reports.perturb.perturbation import Perturbation


def definition(perturbation: Perturbation) -> str:
    """What a perturbation does, in one sentence: the first line of its file."""
    return (sys.modules[perturbation.edits.__module__].__doc__ or "").strip().splitlines()[0]


def as_text() -> str:
    """All perturbations: what each does, what it needs, and where the scores should go."""
    lines = []
    for each in PERTURBATIONS.values():
        share = "" if each.share is None else f" Share: {each.share:g}, unless --share."
        lines += [
            each.name,
            f"  {definition(each)}",
            f"  Needs {each.needs}.{share}",
            *(
                f"  {direction}: {', '.join(protocols)}"
                for direction, protocols in _grouped(each).items()
            ),
            "",
        ]
    return "\n".join(lines).rstrip("\n")


def expectations() -> str:
    """The expected directions as a Markdown table, as it stands in docs/perturbations.md."""
    protocols = sorted({name for each in PERTURBATIONS.values() for name in each.expected})
    rows = [
        f"| | {' | '.join(f'`{name}`' for name in protocols)} |",
        f"|---|{'---|' * len(protocols)}",
    ]
    for each in PERTURBATIONS.values():
        cells = " | ".join(each.expected.get(name, "") for name in protocols)
        rows.append(f"| {each.name} | {cells} |")
    return "\n".join(rows) + "\n"


def _grouped(perturbation: Perturbation) -> dict[str, list[str]]:
    """The protocols under each direction."""
    found: dict[str, list[str]] = {}
    for protocol, direction in perturbation.expected.items():
        found.setdefault(direction.value, []).append(protocol)
    return found
