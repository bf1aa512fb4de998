"""Lists with an odd entry, entries of several numbers, and what is no entry and no citation."""

from itertools import product

import pytest

from deepassay.reports.clean import clean
from deepassay.reports.lint import lint
from deepassay.reports.numbering import standard
from deepassay.reports.report import Report

A = "https://a.example/"
BODY = "# Tides\n\n" + " ".join(f"Sentence {n} says so [{n}]." for n in range(1, 6)) + "\n\n"
USUAL = {
    "a link under its number": "[{n}. Title {n} of it]({a}{n})",
    "a link, half escaped": "[[{n}. Title {n} of it]({a}{n})",
    "a link, escaped": r"\[{n}. Title {n} of it\]({a}{n})",
    "a number before a link": "[{n}] [Title {n} of it]({a}{n})",
    "a number before an address": "[{n}] Title {n} of it: {a}{n}",
    "a point": "{n}. [Title {n} of it]({a}{n})",
    "a number in brackets in a link": r"[[{n}\] Title {n} of it]({a}{n})",
}
ODD = {
    "a title with a bracket of its own": rf"\[3. Title: [Impact of tides]({A}3)",
    "a title that begins with a number": rf"\[3. 15+ ways to sail [a boat]({A}3)",
    "another label": f"【3】 Title: {A}3",
    "stars and a hash": f"**#3** Title: {A}3",
}


@pytest.mark.parametrize("usual", USUAL.values(), ids=USUAL)
def test_an_odd_entry_splits_no_list(usual, subtests):
    headings = ("## References\n\n", "References:\n\n", "")
    for odd, heading, line_end, bullet in product(ODD, headings, ("\n", "\n\n"), ("", "- ")):
        entries = [bullet + usual.format(n=n, a=A) for n in range(1, 6)]
        entries[2] = bullet + ODD[odd]
        with subtests.test(odd, heading=heading, line_end=line_end, bullet=bullet):
            report = Report(BODY + heading + line_end.join(entries) + "\n")
            assert [each.urls for each in report.resolved] == [(f"{A}{n}",) for n in range(1, 6)]
            assert [each.key for each in report.references] == ["1", "2", "3", "4", "5"]
            assert [each.text for each in report.statements] == [
                f"Sentence {n} says so." for n in range(1, 6)
            ]
            assert clean(report).rstrip().endswith("Sentence 5 says so.")


@pytest.mark.parametrize("heading", ["## References\n\n", ""])
@pytest.mark.parametrize(
    "entries",
    [
        f"[1] [3] [5] {A}1\n\n[2] [4] {A}2\n",
        f"[1] [3] [5] Tides\n{A}1\n[2] [4] Winds\n{A}2\n",
        f"[1] [3] [5] Tides\n\n{A}1\n\n[2] [4] Winds\n\n{A}2\n",
        f"\\[1\\] \\[3\\] \\[5\\] [Tides]({A}1)\n\n\\[2\\] \\[4\\] [Winds]({A}2)\n",
        f"- [1], [3], [5] <{A}1>\n- [2], [4] <{A}2>\n",
    ],
)
def test_an_entry_has_all_numbers_that_stand_before_it(heading, entries):
    report = Report(BODY + heading + entries)
    assert [each.keys for each in report.references] == [("1", "3", "5"), ("2", "4")]
    assert [each.urls for each in report.resolved] == [(f"{A}{1 + n % 2}",) for n in range(5)]
    assert len(report.statements) == 5
    assert {each.code for each in lint(report)} <= {"DA201", "DA403"}  # of invented addresses


def test_points_that_cite_by_number_are_no_list():
    points = f"1) Use it for boats [[1]]({A}1)\n2) Use it for ships [[11]]({A}11)\n"
    for before, after in [
        ("Next steps:\n\n", ""),
        ("", "\n## More\n\nThe end.\n"),
        ("## Data sources\n\n", "\n## More\n\nThe end.\n"),
    ]:
        report = Report(
            f"Tides rise [[1]]({A}1). Winds turn [[2]]({A}2).\n\n{before}{points}{after}"
        )
        assert not report.references
        said = [(each.text, each.urls) for each in report.statements]
        assert ("Use it for ships", (f"{A}11",)) in said
        assert "DA102" not in {each.code for each in lint(report)}


def test_a_year_is_no_number_of_an_entry():
    entries = f"- [2024: Year of the boat]({A}1)\n- [2025: Year of the ship]({A}2)\n"
    report = Report(
        f"Tides rise ([boat]({A}1)), winds ([ship]({A}2)).\n\n## References\n\n{entries}"
    )
    assert [each.key for each in report.references] == [None, None]
    assert not {"DA205", "DA207", "DA208"} & {each.code for each in lint(report)}


MANY = "".join(f"Sentence {n} says so ([t{n}]({A}{n})). " for n in range(30))


@pytest.mark.parametrize(
    "words",
    [
        *("[6]-gingerol and [10]-shogaol.", "RAG², EMC² and MoE² do.", "The [[15,1,3]] code."),
        *("It moved (USC, 1994).", "He wrote “so it is (Lee et al., 2017)” there."),
    ],
)
def test_names_of_things_cite_nothing(words):
    report = Report(MANY + words)
    assert len(report.citations) == 30
    assert "DA104" not in {each.code for each in lint(report)}


def test_a_style_of_citing_has_a_share():
    assert "DA104" not in {each.code for each in lint(Report(f"{MANY}And this {A}31"))}
    several = " ".join(f"Sentence {n} says so [{n}]." for n in range(1, 6))
    assert "DA104" in {each.code for each in lint(Report(MANY + several))}


ROWS = "| a | b | c |\n|---|---|---|\n| x | words | 3.5 |\n| y | more | 1,204 kg |\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(
            (f"{ROWS}| {name} | | 1,207.5 |\n", "DA303")
            for name in ("Total", "Zusammen", "合計", "**x**")
        ),
        ('They wrote "[citation needed]" there.', "DA401"),
        ("They wrote `[citation needed]` there.", "DA401"),
        ("Tides rise [1].\n\n## References\n\n[1] doi:10.1000/abc.d\n", "DA213"),
        ("Tides rise [so](doi:10.1000/abc.d).", "DA213"),
    ],
)
def test_what_is_in_order_is_not_found(text, code):
    assert code not in {each.code for each in lint(Report(text))}


@pytest.mark.parametrize("last", ["| Total | | 9 |", "| **Scope** | | wide |", "| z | words | |"])
def test_a_blank_in_a_last_row_that_sums_nothing_up_is_found(last):
    assert "DA303" in {each.code for each in lint(Report(f"{ROWS}{last}\n"))}


def test_an_entry_without_a_title_is_named_by_its_address():
    report = Report(f"Tides rise [1].\n\n## References\n\n- {A}1\n- {A}2\n")
    assert [each.message for each in lint(report) if each.code == "DA205"] == [
        f"'{A}1' is never cited",
        f"'{A}2' is never cited",
    ]


def test_a_dash_inside_an_address_belongs_to_it():
    report = Report(f"See {A}2019–2020-tides for more.")
    assert [each.url for each in report.citations] == [f"{A}2019–2020-tides"]


def test_a_heading_with_a_citation_is_a_statement():
    report = Report(
        f"## Tides rose by half [1]\n\nSo it is.\n\n# Winds\n\n## Sources\n\n[1] {A}1\n"
    )
    assert [(each.text, each.urls) for each in report.statements] == [
        ("Tides rose by half", (f"{A}1",)),
        ("So it is.", ()),
    ]


ROWED = """It rose [1]. It fell [2].

| Place | Change |
|---|---|
| Brest | It rose by a metre there [2] |

{heading}

| # | Title | Address |
|---|---|---|
| [1] | Tides | https://a.example/1 |
| [2] | Moons | https://a.example/2 |{end}"""


@pytest.mark.parametrize("heading", ["## References", "**Sources**", "参考文献："])
@pytest.mark.parametrize("end", ["", "\n", "  \n\n", "\n\n## Annex\n\nIt is flat.\n"])
def test_rows_of_a_list_are_no_statements_and_go_whole(heading, end):
    text = ROWED.format(heading=heading, end=end)
    report = Report(text)
    said = {each.text: each.urls for each in report.statements}
    assert [each.key for each in report.references] == ["1", "2"]
    assert said["It rose."] == (f"{A}1",)
    assert (f"{A}2",) in said.values()
    assert not {"[1]", "Tides", "Moons"} & set(said)
    assert not [each for each in said if "a.example" in each]
    assert clean(text).rstrip().endswith("there |" if "Annex" not in end else "It is flat.")
    again = {each.text: each.urls for each in Report(standard(text).text).statements}
    assert again == said


@pytest.mark.parametrize("name", ["## URLs", "## 链接", "**Web**", "***"])
@pytest.mark.parametrize("marker", ["[{}]", "【{}】", "<sup>[{}]</sup>"])
def test_titles_first_and_addresses_below_under_any_name(name, marker):
    words = [f"It is {n} metres high{marker.format(n)}." for n in (1, 2, 3)]
    titles = "".join(f"[{n}] Tides of {n}\n" for n in (1, 2, 3))
    addresses = "".join(f"[{n}] {A}{n}\n" for n in (1, 2, 3))
    text = f"{' '.join(words)}\n\n## Sources\n\n{titles}\n{name}\n\n{addresses}"
    urls = [each.urls for each in Report(text).statements]
    assert urls == [(f"{A}{n}",) for n in (1, 2, 3)]
    assert not Report(clean(text)).citations


def test_closing_points_below_titles_are_no_list():
    text = "It rose [1].\n\n## Sources\n\n[1] Tides\n\n## Outlook\n\n"
    text += f"1. It will rise, see {A}1\n2. It will fall, see {A}2\n"
    assert len(Report(text).reference_lists) == 1


@pytest.mark.parametrize(
    "text", ["It rose.^[1]^ It fell. ^[2]^^[1]^ More.", "涨了。^[1]^落了。^[2]^^[1]^没有。"]
)
def test_markers_that_pandoc_raises_belong_to_the_sentence_before(text):
    report = Report(f"{text}\n\n## References\n\n[1] T {A}1\n[2] M {A}2\n")
    assert [each.urls for each in report.statements] == [(f"{A}1",), (f"{A}2", f"{A}1"), ()]
