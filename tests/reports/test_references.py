"""Reference lists under every heading and in every form, and what citations resolve to."""

import pytest

from deepassay.reports.references import Unresolved
from deepassay.reports.report import Report
from tests.reports.fixture_files import cases


def written(report, entry):
    """An entry as the fixtures write it."""
    fields = [entry.key or "none", entry.title, " ".join(entry.urls)]
    fields += ["omitted"] if entry.omitted else []
    return " ".join(" | ".join(fields).split())


@pytest.mark.parametrize(("text", "expected"), cases("references"))
def test_reference_lists_are_what_the_fixture_says(text, expected):
    report = Report(text)
    lines = []
    for each in report.reference_lists:
        lines.append(each.heading.of(text) if each.heading else "no heading")
        lines += [written(report, entry) for entry in each.entries]
    assert "\n".join(lines) == expected
    for each in report.reference_lists:
        assert all(each.span.holds(entry.span) for entry in each.entries)


def resolved(text):
    """Each citation of a text: how it is written, its addresses, and what is missing."""
    return [(each.citation.raw, each.urls, dict(each.missing)) for each in Report(text).resolved]


def test_numbers_lead_to_the_canonical_addresses_of_their_entries():
    text = (
        "A [2, 1].\n\n## References\n[1] One: https://A.example\n[2] Two: https://a.example/2#x\n"
    )
    assert resolved(text) == [("[2, 1]", ("https://a.example/2", "https://a.example/"), {})]


def test_a_key_that_leads_nowhere_says_why():
    text = (
        "A [1] [2] [3] [4].\n\n## References\n[1] One\n[2] — intentionally omitted —\n"
        "[4] Four: https://a.example/4\n"
    )
    assert resolved(text) == [
        ("[1]", (), {"1": Unresolved.NO_URL}),
        ("[2]", (), {"2": Unresolved.OMITTED}),
        ("[3]", (), {"3": Unresolved.NO_ENTRY}),
        ("[4]", ("https://a.example/4",), {}),
    ]


def test_without_any_list_every_number_is_unresolved():
    assert resolved("A [1].") == [("[1]", (), {"1": Unresolved.NO_LIST})]


def test_a_number_of_several_lists_is_ambiguous_unless_they_agree():
    text = (
        "A [1] [2].\n\n#### Sources\n[1] One: https://a.example/1\n[2] Two: https://a.example/2\n\n"
        "#### Sources\n[1] Other: https://b.example/1\n[2] Two: https://a.example/2#again\n"
    )
    assert resolved(text) == [
        ("[1]", (), {"1": Unresolved.AMBIGUOUS}),
        ("[2]", ("https://a.example/2",), {}),
    ]


def test_a_link_leads_to_its_own_address_first():
    text = "A [B study](https://a.example/b)[1].\n\n## References\n[1] B: https://a.example/1\n"
    assert resolved(text) == [
        ("[B study](https://a.example/b)[1]", ("https://a.example/b", "https://a.example/1"), {})
    ]


def test_a_link_with_a_number_needs_no_list():
    assert resolved("A [1](https://a.example/b).") == [
        ("[1](https://a.example/b)", ("https://a.example/b",), {})
    ]


def test_names_and_years_lead_to_entries_without_labels():
    text = (
        "A (Smith & Jones, 2024; World Health Organization, 2023; Nobody et al., 2020).\n\n"
        "## References\n\nSmith, J., & Jones, K. (2024). On things. https://a.example/1\n\n"
        "World Health Organization. (2023). Health. https://a.example/2\n"
    )
    ((_, urls, missing),) = resolved(text)
    assert urls == ("https://a.example/1", "https://a.example/2")
    assert missing == {"Nobody 2020": Unresolved.NO_ENTRY}


def test_footnotes_and_definitions_lead_to_their_addresses():
    text = "A[^n] [docs].\n\n[^n]: See https://a.example/n\n[DOCS]: https://a.example/docs\n"
    assert [urls for _, urls, _ in resolved(text)] == [
        ("https://a.example/n",),
        ("https://a.example/docs",),
    ]


def test_addresses_of_one_paper_under_one_number_are_one_source():
    text = (
        "A [1] [2] [3].\n\n## References\n[1] Lee, Boats, arXiv:2412.12472\n"
        "[2] One: https://arxiv.org/abs/2401.00001\n[3] Roe, Sails, doi:10.1000/x\n\n"
        "## Sources\n[1] https://arxiv.org/html/2412.12472v1\n"
        "[2] https://arxiv.org/pdf/2401.00002.pdf\n[3] https://a.example/sails\n"
    )
    assert resolved(text) == [
        ("[1]", ("https://arxiv.org/html/2412.12472v1",), {}),
        ("[2]", (), {"2": Unresolved.AMBIGUOUS}),
        ("[3]", ("https://a.example/sails",), {}),
    ]


def test_chinese_names_and_years_lead_to_entries_of_any_form():
    text = (
        "船很快（李娜 等，2021）。帆是白的（王伟等，2020）。"
        "浆长（赵六，2019）。海深（李娜、王强，2018）。\n"
        "\n## 参考文献\n\n[1] 李娜 等. 船的速度[J]. 船舶, 2021. https://a.example/1\n"
        "[2] 王伟等（2020）. 帆. https://a.example/2\n[3] 赵六. 浆. 2019. https://a.example/3\n"
        "[4] 李娜，王强. 2018. 海. https://a.example/4\n"
    )
    assert [urls for _, urls, _ in resolved(text)] == [
        (f"https://a.example/{number}",) for number in (1, 2, 3, 4)
    ]
