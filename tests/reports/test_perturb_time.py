"""Perturbing takes time in proportion to the report, whatever the report is."""

from __future__ import annotations

from math import inf

import pytest

from deepassay.reports.perturb import PERTURBATIONS, perturb, random_for
from deepassay.reports.report import Report
from tests.growth import processor_time

SIZE = 1 << 17
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


def seconds(name: str, text: str) -> float:
    report = Report(text)
    assert report.statements is not None
    assert report.reference_lists is not None
    random = random_for(1, report, name)
    return processor_time(lambda: perturb(report, name, random))


@pytest.mark.parametrize("name", PERTURBATIONS)
@pytest.mark.parametrize("piece", REPEATED.values(), ids=REPEATED)
def test_reports_of_one_thing_repeated_are_changed_in_linear_time(name: str, piece: str) -> None:
    whole = half = inf
    for _ in range(5):
        whole = min(whole, seconds(name, piece * (SIZE // len(piece))))
        if whole < 0.2:
            return
        half = min(half, seconds(name, piece * (SIZE // 2 // len(piece))))
        if whole < 3 * half:
            return
    pytest.fail(f"{whole:.2f} s, and {half:.2f} s for half of it")
