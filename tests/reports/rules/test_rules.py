"""Every rule against its fixture: the reports in fixtures/, each with the findings it must give."""

import re
from pathlib import Path

import pytest

from deepassay.reports.citations import Citation
from deepassay.reports.lint import definition, lint, rule_table
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES
from deepassay.reports.rules.in_text import STYLES

FIXTURES = Path(__file__).parent / "fixtures"
CASE = re.compile(
    r"^## (?P<title>[^\n]+)\n\n~~~~ report\n(?P<report>.*?)~~~~\n\n"
    r"~~~~ findings\n(?P<findings>.*?)\n~~~~$",
    re.DOTALL | re.MULTILINE,
)


def cases():
    """Each case of each fixture: title, a report, the findings that its rule must give."""
    for rule in RULES:
        text = (FIXTURES / f"{rule.name}.md").read_text(encoding="utf-8")
        for case in CASE.finditer(text):
            title = f"{rule.name}: {case['title']}"
            yield pytest.param(rule, case["report"], case["findings"], id=title)


@pytest.mark.parametrize(("rule", "report", "findings"), list(cases()))
def test_a_rule_finds_what_its_fixture_says_and_nothing_else(rule, report, findings):
    found = [
        f"{each.line}:{each.column} {each.code} {each.message}"
        for each in lint(Report(report), [rule])
    ]
    assert found == ([] if findings == "nothing" else findings.splitlines())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_is_a_function_of_its_name_with_a_definition(rule):
    assert rule.check.__name__ == rule.name.replace("-", "_")
    assert definition(rule).endswith(".")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_fixture_shows_a_finding_and_a_lookalike_that_stays_silent(rule):
    found = [case["findings"] for case in CASE.finditer((FIXTURES / f"{rule.name}.md").read_text())]
    assert any(rule.code in findings for findings in found)
    assert "nothing" in found


def test_no_fixture_is_without_a_rule():
    assert {path.stem for path in FIXTURES.glob("*.md")} == {rule.name for rule in RULES}


def test_no_rule_of_a_file_is_left_out_of_the_list(repository):
    folder = repository / "src/deepassay/reports/rules"
    codes = [
        code
        for path in folder.glob("[a-z]*.py")
        for code in re.findall(r'code="(DA\d+)"', path.read_text(encoding="utf-8"))
    ]
    assert sorted(codes) == [rule.code for rule in RULES]


def test_codes_are_unique_ascending_and_well_formed():
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"DA[1-4]\d\d", code) for code in codes)


def test_the_documents_hold_the_table_of_the_rules_as_they_are(repository):
    assert rule_table() in (repository / "docs/rules.md").read_text(encoding="utf-8")


def rules_for(source):
    """The rules that stand for a check of Table 2 or a figure of appendix G."""
    return [rule for rule in RULES if source in rule.sources]


@pytest.mark.parametrize("check", ["P3", "P4", "P5", "P8", "P9", "P10"])
def test_each_mechanical_check_of_table_2_has_rules_and_none_of_them_is_mild(check):
    assert rules_for(check)
    assert all(rule.level == "warning" for rule in rules_for(check))


@pytest.mark.parametrize("check", ["P1", "P2", "P6", "P7"])
def test_checks_that_need_judgement_have_no_rule(check):
    assert rules_for(check) == []


@pytest.mark.parametrize("figure", ["G14", "G15", "G16", "G17", "G18", "G19", "G20"])
def test_each_error_pattern_of_appendix_g_that_code_can_see_has_a_rule(figure):
    assert rules_for(figure)


def test_every_kind_of_citation_has_a_style():
    assert set(STYLES) == set(Citation.__subclasses__())
