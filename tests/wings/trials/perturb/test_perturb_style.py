"""A report without its marks of style: the same words, blocks and citations."""

from __future__ import annotations

import pytest

from deepassay.reports.report import Report
from tests.wings.trials.perturb.test_perturb import done


def test_without_style_every_word_is_still_there() -> None:
    text = "# Tea\n\n- **Black** tea [1]\n* green\n\n## Two __bold__ words\nA `**code**`.\n"
    table = "| a |\n|---|\n| **b** |\n"
    assert done("strip-style", text + table).report.text == (
        f"Tea\n\nBlack tea [1]\n\ngreen\n\nTwo bold words\n\nA `**code**`.\n{table}"
    )


LISTS = {
    "items": "- One, 3 of 4 [1].\n- Two, 5 of 6.\n",
    "below a line": "They are:\n- One, 3 of 4 [1].\n- Two, 5 of 6.\n",
    "of lists": "- One, 3 of 4 [1].\n    - Two, 5 of 6.\n        - Three, 7.\n- Four, 8 [2].\n",
    "of paragraphs": "*   One, 3 of 4 [1].\n\n    It goes on, 5.\n\n    1. Two, 6 [2].\n",
    "of a table": "*   One, 3 of 4 [1].\n\n    | a | b |\n    |---|---|\n    | 5 | 6 [2] |\n",
    "heading": "## Boxes\nThey hold 3 of 4 [1].\n### Roofs\nThey hold 5.\n",
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", LISTS)
def test_without_style_every_statement_keeps_its_sources(name: str, line_end: str) -> None:
    """In LiveResearchBench, A.5, an address that ends a paragraph is for the claims before it."""
    links = "\n## Sources\n[1] https://a.example/\n[2] https://b.example/\n"
    text = ("# Tea\n\n" + LISTS[name] + links).replace("\n", line_end)
    before = [(each.text, each.urls) for each in Report(text).statements]
    after = [(each.text, each.urls) for each in done("strip-style", text).report.statements]
    headings = ["Tea", "Boxes", "Roofs"]
    assert before == [each for each in after if each[0] not in headings]
