"""The reader on reports that were published: counts and cleaned versions made by others."""

import json
import re
import statistics

import pytest
from rapidfuzz.distance import Indel

from deepassay.reports.clean import clean
from deepassay.reports.loaders import load_reports
from deepassay.reports.references import Unresolved
from deepassay.reports.report import Report
from tests.reports.published import published

# A detector of its own: it knows nothing of blocks, code, or of what a report lists.
MARKER = re.compile(r"\[\d{1,3}(?:[\s,–-]+\d{1,3})*\]")
LEFT_OVER = re.compile(MARKER.pattern + r"|\[\^|【\d|†|https?://|<sup>|\]\(")
ENTRY = re.compile(r"^(?:\[\d+\]|\d+[.)]) ", re.MULTILINE)
SECTION = re.compile(r"^#+ Sources$", re.MULTILINE)


def articles(path):
    """Articles of a JSON Lines file by identifier."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {record["id"]: record["article"] for record in map(json.loads, lines)}


@pytest.fixture(scope="module")
def live(shared):
    return load_reports([shared / "data/live/reports"])


def test_cleaning_agrees_with_a_model_that_cleaned_the_same_reports(shared):
    raw = articles(shared / "data/bench/reports/claude-3-7-sonnet.raw.jsonl")
    cleaned = articles(shared / "data/bench/reports/claude-3-7-sonnet.cleaned.jsonl")
    ours = {name: clean(text) for name, text in raw.items()}
    alike = [Indel.normalized_similarity(ours[name], cleaned[name]) for name in raw]
    assert len(alike) == 50
    assert statistics.median(alike) >= 0.999
    assert min(alike) >= 0.98
    assert not [name for name, text in ours.items() if LEFT_OVER.search(text)]


@pytest.mark.parametrize("agent", ["claude-3-7-sonnet", "onyx"])
def test_cleaning_what_is_clean_changes_next_to_nothing(shared, agent):
    texts = articles(shared / f"data/bench/reports/{agent}.cleaned.jsonl").values()
    cleaned = [clean(text) for text in texts]
    alike = [Indel.normalized_similarity(*each) for each in zip(cleaned, texts, strict=True)]
    assert sorted(alike)[1] >= 0.99
    assert min(alike) >= 0.97  # one gives files to download as bare addresses: their hosts stay
    assert sum(each == 1 for each in alike) >= 45
    changed = [text for text in cleaned if text not in texts]  # the others stay as they are
    assert all(clean(text) == text for text in changed)


def test_entries_are_as_many_as_lines_that_begin_with_a_number_under_sources(live):
    for report in live:
        _, section = SECTION.split(report.text)
        assert len(report.references) == len(ENTRY.findall(section)), report.task


def test_numbers_in_the_body_are_as_many_as_a_plain_search_finds(live):
    for report in live:
        body, _ = SECTION.split(report.text)
        numbered = [each for each in report.citations if each.keys and each.keys[0].isdecimal()]
        assert len(numbered) == len(MARKER.findall(body)), report.task


def test_numbers_without_an_entry_are_the_ones_that_are_known(live):
    missing = {
        report.task[:8]: sorted({int(key) for each in report.resolved for key, _ in each.missing})
        for report in live
        if any(why is Unresolved.NO_ENTRY for each in report.resolved for _, why in each.missing)
    }
    assert missing == {
        "prodcpk7": [37, 53, 54, 56],
        "techspny": [53, 54, 55, 56],
        "topicBSS": [62],
    }


def test_entries_that_hold_nothing_are_the_ones_that_are_known(live):
    omitted = [(each.task[:8], one.key) for each in live for one in each.references if one.omitted]
    assert omitted == [("prodcp5S", "19"), ("rankliDw", "9"), ("rankliDw", "17")]


def test_cleaned_reports_hold_no_marker_and_no_list(live):
    for report in live:
        cleaned = Report(clean(report))
        assert not MARKER.search(cleaned.text), report.task
        assert not cleaned.reference_lists
        assert all(each.in_sentence for each in cleaned.citations)
        assert len(cleaned.statements) == len(report.statements)


@pytest.fixture(scope="module")
def every(shared):
    """System and report."""
    return [(system, Report(text)) for system, text in published(shared)]


def test_cleaning_leaves_no_citation_in_reports_of_any_system(every):
    for system, report in every:
        cleaned = Report(clean(report))
        assert not cleaned.citations, system
        assert clean(cleaned) == cleaned.text, system


def test_no_statement_of_any_system_stands_in_a_list(every):
    for system, report in every:
        spans = [each.span for each in report.reference_lists]
        inside = [s for s in report.statements for span in spans if span.holds(s.span)]
        assert not inside, system
