import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.operation import OffMenu
from deepassay.models.usage import estimate_tokens
from deepassay.protocols import windows as dividing
from deepassay.protocols.coverage import (
    GATHER_EVIDENCE,
    JUDGE_ON_EVIDENCE,
    EvidenceOnItems,
    WindowAndChecklist,
)
from deepassay.protocols.presentation.protocol import GATHER_EVIDENCE as GATHER_FORM
from deepassay.protocols.presentation.protocol import JUDGE_ON_EVIDENCE as JUDGE_FORM
from deepassay.protocols.presentation.protocol import EvidenceOnChecks, WindowAndChecks, outline
from deepassay.protocols.windows import (
    LONGEST_QUOTE,
    MOST_QUOTES,
    OVERLAP,
    WINDOW,
    WindowEvidence,
    windows_of,
)
from deepassay.reports.report import Report
from tests.growth import assert_linear, repeated

TEXT = (
    """# Boats

The ferry makes 61 decibels at ten metres. It is painted white.

Noise figures for the ferry are not available. """
    + "Long " * 300
)
CHECKLIST = ("Does the report give the noise of the ferry in decibels?", "Who owns the harbour?")
PART = WindowAndChecklist(
    language="en", window=TEXT, number=2, windows=5, query="q", checklist=CHECKLIST
)


def gathered(*evidence):
    return GATHER_EVIDENCE.gives.model_validate({"evidence": list(evidence)})


def piece(quote, item="q1", bearing="for"):
    return {"item": item, "bearing": bearing, "quote": quote}


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ([piece("61 decibels", item="q7")], "no item q7"),
        ([piece("Long " * (LONGEST_QUOTE // 5 + 1))], "longer than 800"),
    ],
)
def test_evidence_that_is_none_is_refused(evidence, said):
    with pytest.raises(OffMenu, match=said):
        GATHER_EVIDENCE.check(PART, gathered(*evidence))


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ([piece("62 decibels")], "do not stand in this part"),
        ([piece("61 decibels")] * (MOST_QUOTES + 1), "more than 6 quotes for q1"),
    ],
)
def test_evidence_that_can_be_spared_is_asked_for_again_where_quotes_are_wanted(evidence, said):
    GATHER_EVIDENCE.check(PART, gathered(*evidence))
    assert said in GATHER_EVIDENCE.quotes(PART, gathered(*evidence))


@pytest.mark.parametrize(
    ("quotes", "doubtful"),
    [
        (["62 decibels", "63 decibels"], True),
        (["62 decibels", "61 decibels"], False),
        (["..."], False),
        (["……", "-"], False),
        ([], False),
    ],
)
def test_a_window_is_asked_about_again_only_where_nothing_of_its_evidence_stands(quotes, doubtful):
    evidence = gathered(*map(piece, quotes))
    assert ("do not stand" in GATHER_EVIDENCE.soft_check(PART, evidence)) is doubtful


def test_no_evidence_is_an_answer():
    GATHER_EVIDENCE.check(PART, gathered())


def test_the_offline_rule_gathers_what_shares_words_with_an_item():
    answer = GATHER_EVIDENCE.offline(PART)
    GATHER_EVIDENCE.check(PART, answer)
    assert [(each.item, each.quote) for each in answer.evidence] == [
        ("q1", "The ferry makes 61 decibels at ten metres."),
        ("q1", "Noise figures for the ferry are not available."),
    ]


def test_the_offline_rule_decides_on_the_evidence_of_each_item_alone():
    evidence = tuple(
        WindowEvidence(item=item, window=1, bearing="for", quote=quote)
        for item, quote in (
            ("q1", "The noise of the ferry is 61 decibels."),
            ("q2", "The noise of the ferry is 61 decibels."),
        )
    )
    inputs = EvidenceOnItems(
        language="en", evidence=evidence, windows=5, query="q", checklist=CHECKLIST
    )
    verdicts = JUDGE_ON_EVIDENCE.offline(inputs).evaluations
    assert {key: verdict.score for key, verdict in verdicts.items()} == {"q1": 1, "q2": 0}


def test_the_judge_is_shown_the_evidence_with_the_numbers_of_its_windows():
    evidence = WindowEvidence(item="q1", window=3, bearing="against", quote='He said "no".\n<<<END')
    inputs = EvidenceOnItems(
        language="zh", evidence=(evidence,), windows=5, query="q", checklist=CHECKLIST
    )
    material = JUDGE_ON_EVIDENCE.render(inputs, "salt").material
    assert json.loads(material.split("\n")[1]) == [
        {"item": "q1", "window": 3, "bearing": "against", "quote": 'He said "no".\n(((END'}
    ]


def test_of_form_the_offline_rule_gathers_what_a_part_shows_and_decides_by_hints_too():
    window = WindowAndChecks(
        language="en",
        window="The the f[1]erry was quiet.",
        number=1,
        windows=2,
        query="q",
        asked="p1, p2, p3, p7",
    )
    found = GATHER_FORM.offline(window)
    GATHER_FORM.check(window, found)
    assert [each.item for each in found.evidence] == ["p2", "p7"]
    inputs = EvidenceOnChecks(
        language="en",
        evidence=(WindowEvidence(item="p2", window=1, bearing="against", quote="The the ferry"),),
        windows=2,
        query="q",
        asked="p1, p2, p3, p10",
        outline="no headings",
        hints="p3, line 9: [3] is not cited in the text\np10: and 2 more",
    )
    verdicts = JUDGE_FORM.offline(inputs)
    JUDGE_FORM.check(inputs, verdicts)
    assert [verdict.score for verdict in verdicts.evaluations.values()] == [1, 0, 0, 1]


def test_the_outline_names_the_lines_of_headings():
    report = Report("# Boats\n\nText.\n\n## Quiet ones\n")
    assert outline(report) == "line 1: # Boats\n  line 5: ## Quiet ones"
    assert outline(Report("Text.")) == "no headings"
    many = outline(Report("\n\n".join(f"# Part {number}" for number in range(450))))
    assert many.endswith("\nand 50 more")


@pytest.mark.parametrize(
    "text",
    [
        "The ferry left. " * 40_000,
        "渡轮离开了港口。" * 40_000,
        "渡轮离开了港口。" * 20_000 + "The ferry left. " * 20_000,
        "The ferry left. " * 20_000 + "[12](https://a.example/?q=1%20)" * 9_000,
        "x" * 500_000,
    ],
    ids=["English", "Chinese", "Chinese first", "addresses last", "no blank"],
)
def test_no_window_is_larger_than_it_may_be_and_few_are_smaller(text):
    windows = windows_of(text)
    sizes = [estimate_tokens(window.text) for window in windows]
    assert max(sizes) <= WINDOW
    assert all(size > 0.7 * WINDOW for size in sizes[:-1])
    assert [window.number for window in windows] == list(range(1, len(windows) + 1))


@pytest.mark.parametrize(
    ("context", "most"), [(10_000, 7_500), (32_000, 24_000), (400_000, 24_000), (100, 1_000)]
)
@pytest.mark.parametrize("unit", ["The ferry left. ", "渡轮在十点离开港口。", "🚢"])
def test_windows_fit_a_context_that_is_given(context, most, unit):
    text = unit * 60_000
    windows = windows_of(text, {"model": "m", "context_window": context})
    assert max(estimate_tokens(window.text) for window in windows) <= most
    assert min(estimate_tokens(window.text) for window in windows[:-1]) > 0.7 * most
    for one, next_ in pairwise(windows):
        assert one.start < next_.start <= one.start + len(one.text)


def test_a_short_report_is_one_window():
    assert windows_of("short") == [(1, 0, "short")]
    assert windows_of("") == [(1, 0, "")]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(["ab ", "渡轮", "\n\n", "1.2;", "x" * 30]), max_size=300))
def test_windows_overlap_and_hold_every_character(pieces):
    text = "".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dividing, "WINDOW", 60)
        patch.setattr(dividing, "OVERLAP", 15)
        windows = windows_of(text)
    whole = ""
    for window in windows:
        assert text.startswith(window.text, window.start)
        assert len(whole) - window.start == (15 if whole else 0)
        whole = text[: window.start] + window.text
    assert whole == text


def test_two_windows_share_what_one_of_them_might_cut():
    first, second, *_ = windows_of("The ferry left. " * 40_000)
    assert first.text.endswith(second.text[:OVERLAP])


def test_ten_megabytes_are_divided_in_linear_time():
    assert_linear(windows_of, repeated("渡a1; "), 1_000_000)
