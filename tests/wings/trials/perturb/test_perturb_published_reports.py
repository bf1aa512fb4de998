"""The perturbations on some published reports of three agents, English and Chinese."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from deepassay.reports.clean import clean
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, apply
from deepassay.wings.trials.perturb import PERTURBATIONS, Perturbed, perturb, random_for

CITING = {"delete-citations", "swap-citations", "dead-url", "break-number"}


@pytest.fixture(scope="session")
def sets(shared: Path) -> dict[str, Sequence[Report]]:
    data = shared / "data"
    return {
        "live": load_reports([data / "live" / "reports"])[::4],
        "claude": load_reports([data / "bench" / "reports" / "claude-3-7-sonnet.raw.jsonl"])[::8],
        "onyx": load_reports([data / "bench" / "reports" / "onyx.cleaned.jsonl"])[::8],
    }


@cache
def changed_by(name: str, report: Report) -> Perturbed | None:
    """A report, changed once for all tests."""
    return perturb(report, name, random_for(1, report, name))


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_most_reports_can_be_changed(name: str, sets: dict[str, Sequence[Report]]) -> None:
    for label, reports in sets.items():
        if label == "onyx" and name in CITING:
            continue  # its citations were taken out
        changed = [changed_by(name, each) for each in reports]
        assert sum(each is not None for each in changed) >= 0.7 * len(reports), label
        for report, each in zip(reports, changed, strict=True):
            if each is not None:
                back = [Edit(change.place, change.removed) for change in each.changes]
                assert apply(each.report.text, back) == report.text
                assert len(each.report.references) == len(report.references)


def test_shuffling_leaves_every_statement_its_sources(sets: dict[str, Sequence[Report]]) -> None:
    for report in (*sets["live"], *sets["claude"]):
        changed = changed_by("shuffle-sections", report)
        if changed is not None:
            before = sorted((each.text, each.urls) for each in report.statements)
            assert sorted((each.text, each.urls) for each in changed.report.statements) == before


def test_stripping_style_leaves_every_block_and_what_it_cites(
    sets: dict[str, Sequence[Report]],
) -> None:
    def blocks(report: Report) -> list[tuple[str, tuple[str, ...]]]:
        """What kind each is, but for headings, and the sources of what it says."""
        urls: list[list[str]] = [[] for _ in report.blocks]
        starts = [block.span.start for block in report.blocks]
        for each in report.statements:
            urls[bisect_right(starts, each.span.start) - 1] += each.urls
        kinds = [each.kind.replace("heading", "paragraph") for each in report.blocks]
        return [(kind, tuple(sorted({*own}))) for kind, own in zip(kinds, urls, strict=True)]

    for report in (*sets["live"], *sets["claude"]):
        changed = changed_by("strip-style", report)
        assert changed is not None
        assert blocks(changed.report) == blocks(report)


def test_swapping_leaves_hardly_a_statement_a_source_it_had(
    sets: dict[str, Sequence[Report]],
) -> None:
    kept = cited = 0
    for report in (*sets["live"], *sets["claude"]):
        changed = changed_by("swap-citations", report)
        if changed is not None:
            for one, other in zip(report.statements, changed.report.statements, strict=True):
                cited += bool(one.urls)
                kept += not set(one.urls).isdisjoint(other.urls)
    assert cited > 500
    assert kept <= 0.03 * cited


def test_citations_that_are_no_words_leave_the_cleaned_text_alike(
    sets: dict[str, Sequence[Report]],
) -> None:
    for label, names in {"claude": CITING, "live": CITING}.items():
        for name in names:
            alike = total = 0
            for report in sets[label]:
                changed = changed_by(name, report)
                if changed is not None:
                    total += 1
                    alike += clean(changed.report) == clean(report)
            # In some, addresses are words of a sentence or cells of a list, and stay.
            assert alike >= total - (3 if label == "live" else 0), (label, name)
