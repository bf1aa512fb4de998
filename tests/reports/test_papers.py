"""Identifiers of papers in entries, and whether an entry is about the paper of that title."""

from __future__ import annotations

import json

import pytest

from deepassay.reports.lint import as_sarif, explain_rule, lint
from deepassay.reports.papers import contradicted_by, contradicts, identifier_in, named_papers
from deepassay.reports.report import Report

TIDES = "Measuring the Tides of Shallow Northern Harbours"
REPORT = Report("""\
Tides are slow [1]. The moon pulls [2]. Boats wait [3]. So it is [4]. 潮水很高[5]。

## References

[1] Miller, J. (2019). Measuring the tides of shallow northern harbours. doi:10.1000/Tides.19
[2] Smith, A. Neural networks for the grading of school essays. https://doi.org/10.1000/tides.19
[3] Deep Sea Currents of the South, arXiv:2401.00001
[4] https://arxiv.org/abs/2401.00001v2
[5] 王小明. 北方浅水港口的潮汐测量. https://doi.org/10.1000/tides.19
""")
TITLES = {
    "10.1000/tides.19": TIDES,
    "arxiv:2401.00001": "A Survey of Retrieval for Language Models",
}


@pytest.mark.parametrize(
    ("written", "identifier"),
    [
        ("doi:10.1000/ABC.5.", "10.1000/abc.5"),
        ("(https://doi.org/10.1000/abc)", "10.1000/abc"),
        ("https://dx.doi.org/10.1000/abc, 2020", "10.1000/abc"),
        ("arXiv:2401.00001", "arxiv:2401.00001"),
        ("https://arxiv.org/pdf/2401.00001v3", "arxiv:2401.00001"),
        ("https://doi.org/10.48550/arXiv.2401.00001", "arxiv:2401.00001"),
        ("https://doi.org/10.1000/abc?utm_source=chatbot", "10.1000/abc"),
        ("**doi:10.1000/abc**", "10.1000/abc"),
        ("（doi:10.1000/abc）。", "10.1000/abc"),
        ("version 10.1000 of 2401.00001", ""),
    ],
)
def test_identifiers_have_one_spelling(written, identifier):
    assert identifier_in(written) == identifier


def test_entries_with_an_identifier_are_found():
    assert [each.identifier for each in named_papers(REPORT)] == [
        "10.1000/tides.19",
        "10.1000/tides.19",
        "arxiv:2401.00001",
        "arxiv:2401.00001",
        "10.1000/tides.19",
    ]


def test_only_what_cannot_be_that_paper_is_found():
    found = lint(REPORT, [contradicted_by(TITLES)])
    assert [(each.line, each.message.partition(":")[0]) for each in found] == [
        (6, "10.1000/tides.19 is another paper"),
        (7, "arxiv"),
    ]
    assert TIDES in found[0].message


@pytest.mark.parametrize(
    "words",
    [
        "Miller J, Measuring the tides of shallow, northern harbors, J. Harb. 3 (2019)",
        "MEASURING THE TIDES OF SHALLOW NORTHERN HARBOURS",
        "Tides (Miller)",  # too little to tell
        "王小明. 北方浅水港口的潮汐测量",
        "",
    ],
)
def test_the_same_paper_in_other_words_contradicts_nothing(words):
    assert not contradicts(words, TIDES)


def test_marks_of_markup_in_a_title_are_no_words():
    title = "<i>Escherichia</i> coli grows in <sup>warm</sup> river sediment"
    assert not contradicts("Escherichia coli grows in warm river sediment, 2020", title)


def test_without_titles_nothing_is_found():
    assert lint(REPORT, [contradicted_by({})]) == ()


def test_the_rule_is_explained_and_written_as_the_others_are():
    assert "DA404 contradicted-identifier (warning)" in explain_rule("da404")
    log = json.loads(as_sarif(lint(REPORT, [contradicted_by(TITLES)])))
    results = log["runs"][0]["results"]
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rules[each["ruleIndex"]]["id"] for each in results] == ["DA404", "DA404"]


def test_a_long_line_of_brackets_takes_linear_time():
    text = f"a [1].\n\n## References\n\n[1] {'doi: ' * 50_000}{'<' * 50_000}\n"
    assert lint(Report(text), [contradicted_by(TITLES)]) == ()
