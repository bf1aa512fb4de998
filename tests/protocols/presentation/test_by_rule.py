import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.presentation.by_rule import (
    HINTS_SHOWN,
    hints,
    language,
    structure,
    verdicts_by_rule,
)
from deepassay.protocols.presentation.protocol import CHECKS, REST
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from tests.growth import assert_linear, repeated

LONG = "The ferry left the harbour early. " * 80
LIST = "\n\n## References\n\n[1] Survey. https://example.org/a\n"


def lines(trait, text):
    report = Report(text)
    return [report.lines.place(each.offset)[0] for each in trait(report)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Title\n\nText.\n\n## Part\n\nText.", []),
        ("Short and without headings.", []),
        (LONG, [1]),
        ("# Title\n\n## Empty\n\n## Full\n\nText.", [3]),
        ("# Title\n\n## Parent\n\n### Child\n\nText.", []),
        ("# Title\n\nText.\n\n## Empty at the end", [5]),
    ],
)
def test_structure_sees_missing_headings_and_empty_sections(text, found):
    assert lines(structure, text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The the ferry left.", [1]),
        ("The ferry , it seems, left.", [1]),
        ("渡轮,已经离港。", [1]),
        ("He said that that ferry left.", []),
        ("Costs fell 10 10 years ago [1]; it left.", []),
        ("The ferry left [1]. It came back [1][2].", []),
        ("It is read read_only, so to say.", []),
    ],
)
def test_language_sees_doubled_words_and_stray_blanks(text, found):
    assert lines(language, text + LIST) == found


def test_a_spotless_report_passes_all_ten():
    text = "# Ferries\n\nThe ferry is quiet [1].\n\n## Noise\n\nIt is low [1]." + LIST
    verdicts = verdicts_by_rule(Report(text), tuple(CHECKS)).evaluations
    assert list(verdicts) == list(CHECKS)
    assert [key for key, verdict in verdicts.items() if not verdict.score] == []


def test_a_failed_check_names_its_first_line():
    text = "# Ferries\n\nThe the ferry is quiet [1]." + LIST
    verdict = verdicts_by_rule(Report(text), ("p2",)).evaluations["p2"]
    assert verdict.score == 0
    assert "line 3" in verdict.justification


@settings(deadline=None, max_examples=30)
@given(st.text(alphabet="a the[1]() \n#|-。，.中", max_size=120))
def test_any_text_gets_ten_verdicts(text):
    assert len(verdicts_by_rule(Report(text), tuple(CHECKS)).evaluations) == 10


@pytest.mark.parametrize("piece", ["a ", "[1]. ", "x, ", "中,", "# \n\n", "A [1].\n\n"])
def test_a_long_hostile_report_takes_linear_time(piece):
    def made(size):
        report = Report(repeated(piece)(size))
        assert report.statements is not None  # reading it is another room's matter
        return report

    def look(report):
        for trait in (structure, language):
            assert all(found.message for found in trait(report))

    assert_linear(look, made, 30_000)


REPORT = """# Quiet boats

#### Findings

The the ferry is quiet [1]. A[2]nother one is not. Its price is TBD.

| Boat | Noise |
|---|---|
| ferry | |

## References

[1] Harbour survey. https://harbour.example/survey
[2] Ferry register. https://register.example/ferries
[3] Never cited. https://tides.example/
"""


def hinted(text, keys):
    report = Report(text)
    return hints(report, lint(report), keys).splitlines()


def test_the_four_checks_get_the_hints_that_bear_on_them_and_no_others():
    lines = hinted(REPORT, REST)
    assert [line.partition(":")[0] for line in lines] == [
        "p1, line 3",
        "p1, line 5",
        "p2, line 5",
        "p7, line 5",
    ]
    assert not any("reference list" in line or "cell" in line for line in lines)


def test_all_ten_get_those_of_the_checks_that_code_decides_too():
    assert {"p3, line 15", "p8, line 7"} <= {
        line.partition(":")[0] for line in hinted(REPORT, ("p1", "p3", "p8"))
    }


def test_where_there_are_many_places_the_number_of_the_others_is_said():
    text = "\n\n".join(["The the ferry left."] * (HINTS_SHOWN + 5))
    lines = hinted(text, ("p2",))
    assert len(lines) == HINTS_SHOWN + 1
    assert lines[-1] == "p2: and 5 more"


def test_where_there_is_no_place_that_is_said():
    assert hinted("# Boats\n\nFerries are quiet.\n", REST) == ["nothing"]
