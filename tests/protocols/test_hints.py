from deepassay.protocols.hints import HINTS_SHOWN, hints
from deepassay.protocols.presentation import REST
from deepassay.reports.lint import lint
from deepassay.reports.report import Report

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


def given(text, keys):
    report = Report(text)
    return hints(report, lint(report), keys).splitlines()


def test_the_four_checks_get_the_hints_that_bear_on_them_and_no_others():
    lines = given(REPORT, REST)
    assert [line.partition(":")[0] for line in lines] == [
        "p1, line 3",
        "p1, line 5",
        "p2, line 5",
        "p7, line 5",
    ]
    assert not any("reference list" in line or "cell" in line for line in lines)


def test_all_ten_get_those_of_the_checks_that_code_decides_too():
    assert {"p3, line 15", "p8, line 7"} <= {
        line.partition(":")[0] for line in given(REPORT, ("p1", "p3", "p8"))
    }


def test_where_there_are_many_places_the_number_of_the_others_is_said():
    text = "\n\n".join(["The the ferry left."] * (HINTS_SHOWN + 5))
    lines = given(text, ("p2",))
    assert len(lines) == HINTS_SHOWN + 1
    assert lines[-1] == "p2: and 5 more"


def test_where_there_is_no_place_that_is_said():
    assert given("# Boats\n\nFerries are quiet.\n", REST) == ["nothing"]
