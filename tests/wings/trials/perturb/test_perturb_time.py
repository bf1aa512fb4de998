"""Perturbing takes time in proportion to the report, whatever the report is."""

from __future__ import annotations

from functools import lru_cache, partial

import pytest

from deepassay.reports.report import Report
from deepassay.wings.trials.perturb import PERTURBATIONS, perturb, random_for
from tests.growth import assert_linear, repeated

SIZE = 1 << 15
REPEATED = {
    "sections": "## H\n\nIt is 5% of 30 roofs. [1] [2]\n\n",
    "markers": "[1] [2]",
    "two sources": "中国是一个国家[1]，增长了12%[2]。",
    "figures": "1,",
    "verbs": "Word is ",
    "full stops": ".",
    "stars": "*",
    "hyphens": "- ",
    "open links": "x](",
    "tags": "<a ",
    "capitals": "A ",
    "rows": "| a | 12 [1](http://a.b) |\n",
    "lists of sources": "# A\nb [1]\n# Sources\n[1] https://a.b\n",
    "markers in headings": "# H [1]\n\n# H [2]\n\nWord is [so](http://a.b) and so.\n\n",
}


@lru_cache(maxsize=6)
def read(piece: str, size: int) -> Report:
    """A report of one thing repeated, longer to read than to change: all changes share it."""
    report = Report(repeated(piece)(size))
    assert report.statements is not None
    assert report.reference_lists is not None
    return report


@pytest.mark.parametrize("name", PERTURBATIONS)
@pytest.mark.parametrize("piece", REPEATED.values(), ids=REPEATED)
def test_reports_of_one_thing_repeated_are_changed_in_linear_time(name: str, piece: str) -> None:
    assert_linear(
        lambda report: perturb(report, name, random_for(1, report, name)),
        partial(read, piece),
        SIZE,
    )
