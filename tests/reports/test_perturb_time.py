"""Perturbing takes time in proportion to the report, whatever the report is."""

from __future__ import annotations

import time

import pytest

from deepassay.reports.perturb import PERTURBATIONS, perturb, random_for
from deepassay.reports.report import Report

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
}


def seconds(name: str, text: str) -> float:
    report = Report(text)
    assert report.statements is not None
    assert report.reference_lists is not None
    random = random_for(1, report, name)
    begin = time.process_time()
    perturb(report, name, random)
    return time.process_time() - begin


@pytest.mark.parametrize("name", PERTURBATIONS)
@pytest.mark.parametrize("piece", REPEATED.values(), ids=REPEATED)
def test_reports_of_one_thing_repeated_are_changed_in_linear_time(name: str, piece: str) -> None:
    for _ in range(3):
        taken = seconds(name, piece * (SIZE // len(piece)))
        if taken < 0.6 or taken < 3 * seconds(name, piece * (SIZE // 2 // len(piece))):
            return
    pytest.fail(f"{taken:.2f} s")
