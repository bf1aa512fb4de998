"""Running all rules, the three ways of writing findings, and the defects of real reports."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.reports.finding import numbers_in_words
from deepassay.reports.lint import as_json, as_sarif, as_text, explain_rule, lint
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES, rules_chosen
from deepassay.text import excerpt
from tests.growth import assert_linear, repeated

TEXT = "# Sleep\n\nSleep 😴 matters [1][3].\n\n## References\n[1] One: https://a.org/1\n"
PIECES = [
    "[1]", "[2][3]", "[4–6]", "[", "]", "(", ")", "|", "|---|---|\n", "| a | TBD |\n", "\n", "\n\n",
    "# ", "##x", "## Sources\n", "参考文献\n", "[1] One: https://a.org/1\n",
    "[2] Two: https://a.org/2\n", "1. Three: https://a.org/3\n", "**Bold**", "word ",
    "Plain title\n- item\n", "A[1]nother", "(Smith, 2020)", "[t](https://a.org/1)", "待补充",
    "```\n", "> ", "<sup>3</sup>", "【1†L1】", "[^1]", "[^1]: note\n", "https://b.org/x-",
    "\r\n", "\t", "\x00", "—", "¹²", "é", "\n\n\u00a0\n\n", "\u3000", "\f", "\u2028",
]  # fmt: skip


def test_findings_come_in_the_order_of_the_text_with_exact_places():
    report = Report(TEXT, path="sleep.md")
    found = lint(report)
    assert [each.span for each in found] == sorted(each.span for each in found)
    missing = found[0]
    assert (missing.code, missing.line, missing.column) == ("DA101", 3, 20)
    assert missing.span.of(report.text) == "[3]"


def test_text_has_one_line_a_finding_and_a_summary():
    text = as_text(lint(Report(TEXT, path="sleep.md")), reports=2)
    assert text.splitlines() == [
        "sleep.md:3:20 DA101 [3] has no entry in the reference list",
        "1 finding in 1 of 2 reports",
    ]


def test_text_says_how_many_findings_fix_may_repair():
    text = as_text(lint(Report("A [2].\n\n## Sources\n[2] B: https://b.org/\n")), reports=1)
    assert text.splitlines()[-1] == "1 finding in 1 report; 1 of a kind that --fix may repair"


def test_text_without_the_number_of_reports_counts_those_with_findings():
    assert as_text(lint(Report(TEXT, path="a.md"))).endswith("1 finding in 1 report\n")


def test_reports_of_one_place_are_counted_each_and_named():
    places = [("tern", "q1", 1), ("gull", "q1", 1), ("gull", "q1", 2), ("g\x1bull", "q2", 1)]
    reports = [Report(TEXT, *place, path="a.csv#line 2") for place in places]
    alone = Report(TEXT, "tern", "q3", path="a.csv#line 3")
    found = [each for report in (*reports, alone) for each in lint(report)]
    *lines, summary = as_text(found, reports=7, shared={"a.csv#line 2"}).splitlines()
    assert summary == "5 findings in 5 of 7 reports"
    told = ["(tern on q1)", "(gull on q1)", "(gull on q1, sample 2)", "(gull on q2)", "list"]
    assert [line.endswith(end) for line, end in zip(lines, told, strict=True)] == [True] * 5
    rows = json.loads(as_json(found))["findings"]
    said = [(each["agent"], each["task"], each["sample"]) for each in rows]
    assert said == [*places, ("tern", "q3", 1)]


def test_text_of_no_findings_is_the_summary_alone():
    assert as_text([], reports=3) == "no findings in 3 reports\n"


def test_control_characters_of_a_path_do_not_reach_the_terminal():
    assert "\x1b" not in as_text(lint(Report(TEXT, path="a\x1b[31m.md")), reports=1)


def test_control_characters_of_a_report_do_not_reach_messages():
    assert excerpt("a\x1b[31m\u202eb\n\x00c") == "a [31m b c"


def test_numbers_are_written_as_ranges_and_cut():
    assert numbers_in_words([1, 2, 3, 5, 7, 8]) == "1-3, 5, 7, 8"
    assert numbers_in_words(range(1, 40, 2), longest=2) == "1, 3 and 18 more"


def test_json_holds_every_field_of_a_finding():
    shape = json.loads(as_json(lint(Report(TEXT, path="sleep.md"))))
    assert shape["version"] == 1
    assert shape["findings"] == [
        {
            "code": "DA101", "name": "citation-without-entry", "level": "warning",
            "message": "[3] has no entry in the reference list", "path": "sleep.md",
            "agent": "", "task": "", "sample": 1,
            "line": 3, "column": 20, "end_line": 3, "end_column": 23, "start": 28, "end": 31,
            "sources": ["P4", "G14"], "fixable": False,
        }
    ]  # fmt: skip


def test_sarif_has_the_fields_that_its_schema_requires():
    log = json.loads(as_sarif(lint(Report(TEXT, path="a folder/sleep.md"))))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "deepassay"
    assert [rule["id"] for rule in driver["rules"]] == [rule.code for rule in RULES]
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    (result,) = run["results"]
    assert result["message"]["text"]
    assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "DA101"
    (location,) = result["locations"]
    place = location["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20folder/sleep.md"
    assert place["region"] == {
        "startLine": 3, "startColumn": 20, "endLine": 3, "endColumn": 23,
        "charOffset": 28, "charLength": 3,
    }  # fmt: skip
    assert run["columnKind"] == "unicodeCodePoints"


def test_sarif_says_which_of_the_reports_of_one_file_is_meant():
    wrens = [Report(TEXT, "wren", "q1", 2), Report(TEXT, "wren", "q2"), Report(TEXT)]
    log = json.loads(as_sarif([each for one in wrens for each in lint(one)]))
    told = [tuple(each["properties"].values()) for each in log["runs"][0]["results"]]
    assert told == [("wren", "q1", 2), ("wren", "q2", 1), ("", "", 1)]


def test_explain_tells_what_a_rule_finds_and_why():
    said = explain_rule("da101")
    assert "DA101 citation-without-entry (warning)" in said
    assert "P4" in said


def test_explain_of_an_unknown_code_is_an_error_for_people():
    with pytest.raises(BadSetting, match="DA999"):
        explain_rule("DA999")


@pytest.mark.parametrize(
    ("title", "select", "ignore", "expected"),
    [
        ("all", "ALL", (), {rule.code for rule in RULES}),
        ("a prefix", "DA40", (), {"DA401", "DA402", "DA403"}),
        ("several", ["da105", "DA40"], (), {"DA105", "DA401", "DA402", "DA403"}),
        ("with commas", "DA105, DA401", (), {"DA105", "DA401"}),
        ("ignored", "DA4", "DA402", {"DA401", "DA403"}),
        (
            "the longer prefix decides",
            ["DA4", "DA101"],
            ["DA1", "DA402"],
            {"DA101", "DA401", "DA403"},
        ),
        ("of equal ones the second", ["DA401", "DA402"], "DA401", {"DA402"}),
        ("all but", "ALL", ["DA1", "DA2", "DA3", "DA401"], {"DA402", "DA403"}),
    ],
)
def test_rules_are_chosen_by_codes_and_prefixes(title, select, ignore, expected):
    assert {rule.code for rule in rules_chosen(select, ignore)} == expected, title


@pytest.mark.parametrize(("select", "ignore"), [("", ()), (" , ", ()), ("DA4", "DA4")])
def test_a_choice_that_leaves_no_rule_is_refused(select, ignore):
    with pytest.raises(BadSetting, match="leaves no rule"):
        rules_chosen(select, ignore)


def test_rules_have_options_where_they_have_thresholds():
    options = {rule.code: rule.options for rule in RULES if rule.options}
    assert options == {
        "DA102": {"addresses": 3}, "DA104": {"percent": 5}, "DA207": {"highest": 9999},
        "DA306": {"longest": 110}, "DA307": {"longest": 110},
    }  # fmt: skip
    text = "# A\n\nB is [1].\n\n## Sources\n[1] One: https://a.org/1\n[30] Two: https://b.org\n"
    (strict,) = rules_chosen("DA207")
    (mild,) = rules_chosen("DA207", options={"da207": {"highest": 20}})
    assert len(lint(Report(text), [strict])) == 1
    assert lint(Report(text), [mild]) == ()
    json.loads(
        as_sarif(lint(Report(text), rules_chosen("DA207", options={"DA207": {"highest": 99}})))
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"DA999": {"longest": 1}}, "There are options for 'DA999', which is no rule"),
        ({"DA306": {"shortest": 1}}, "DA306 has no option 'shortest'"),
        ({"DA101": {"longest": 1}}, "DA101 has no option 'longest'"),
        ({"DA306": {"longest": "1"}}, "longest = '1' is not possible"),
        ({"DA306": {"longest": True}}, "longest = True is not possible"),
    ],
)
def test_an_option_that_is_none_is_refused_in_a_sentence(options, says):
    with pytest.raises(BadSetting, match=says):
        rules_chosen(options=options)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@settings(deadline=None, max_examples=60)
def test_no_text_makes_a_rule_raise_and_every_span_lies_in_the_text(text):
    report = Report(text)
    for found in lint(report):
        assert 0 <= found.span.start <= found.span.end <= len(text)
        assert found.line >= 1
        assert found.column >= 1
        assert "\n" not in found.message


@given(st.text(max_size=300))
@settings(deadline=None, max_examples=60)
def test_arbitrary_unicode_is_linted_and_written(text):
    found = lint(Report(text, path="x.md"))
    assert as_text(found)
    json.loads(as_sarif(found))
    json.loads(as_json(found))


HOSTILE = {
    "one long group of citations": "[1]",
    "citations inside words": "a[1]b ",
    "placeholders": "[to be filled ",
    "bold lines": "**Title**\n\n",
    "titles under headings of lists": "## Sources\nTitle\n- x\n\n",
    "addresses in one entry": "https://a.org/x... ",
    "entries of one number": "[1] A: https://a.org/x-\n",
    "pipes": "|",
    "delimiters": "|---",
    "open HTML tables": "<table><tr><td> ",
    "HTML tables": "<table><tr><td> </td></tr></table>\n\n",
    "cells of HTML that never end": "<td>   \n</b>",
    "figures": "![a]( ",
    "ranges": "[1]–[3] - ",
    "authors and years": "Jones (2020 Lee et al. 2020, ",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_hostile_reports_are_linted_in_linear_time(piece):
    sources = "\n\n## References\n[2] Poe (2020): https://a.org/1\n"
    assert_linear(lint, lambda size: Report(repeated(piece)(size) + sources), 30_000)


def test_a_wide_header_over_many_short_rows_is_linted_in_linear_time():
    def made(size):
        return Report("|" + " a |" * size + "\n|" + "---|" * size + "\n" + "| a |\n" * size)

    assert_linear(lint, made, 5_000)
