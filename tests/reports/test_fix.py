"""What `fix` repairs and leaves alone, and that no citation comes to mean another source."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.reports.fix import fix
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span, apply
from tests.growth import assert_linear, repeated

TREES = [
    "-", "Yew", "Willow", "Tulip", "Spruce", "Rowan", "Pine", "Oak", "Maple", "Larch", "Hazel",
    "Fir", "Elm", "Birch", "Ash",
]  # fmt: skip


def report(body: str, *numbers: int, pages: dict[int, str] | None = None) -> Report:
    """A report with a plain reference list, each number with a title and a page of its own."""
    entries = [
        f"[{number}] {TREES[number]}: https://a.example/{(pages or {}).get(number, number)}"
        for number in numbers
    ]
    return Report("\n".join([body, "", "### Sources", *entries]) + "\n")


def codes(text: str) -> set[str]:
    return {finding.code for finding in lint(Report(text))}


def test_edits_apply_all_at_once_to_the_text_as_given():
    edits = [Edit(Span(4, 5), ""), Edit(Span(0, 1), "A"), Edit(Span(2, 2), "-")]
    assert apply("abcdef", edits) == "Ab-cdf"


def test_a_report_without_fault_comes_back_byte_for_byte():
    clean = report("First [1]. Second [2].\r\n\tThird [1][2]. ", 1, 2)
    assert fix(clean).text == clean.text
    assert fix(clean).applied == ()


def test_sources_are_numbered_by_first_appearance_and_the_list_is_put_in_order():
    fixed = fix(report("First [3]. Second [1][3]. Third [2].", 1, 2, 3))
    assert fixed.text == (
        "First [1]. Second [2][1]. Third [3].\n\n### Sources\n"
        "[1] Tulip: https://a.example/3\n"
        "[2] Yew: https://a.example/1\n"
        "[3] Willow: https://a.example/2\n"
    )
    assert fixed.applied == ("renumbered 3 sources",)


def test_uncited_entries_are_dropped_and_the_gap_is_closed():
    fixed = fix(report("First [1]. Second [3].", 1, 2, 3))
    assert "Willow" not in fixed.text
    assert "[2] Tulip" in fixed.text
    assert "Second [2]." in fixed.text
    assert fixed.applied == ("dropped uncited entries: 2", "renumbered 1 source")


def test_an_entry_cited_by_its_address_alone_is_kept():
    fixed = fix(report("First [1]. Second (https://a.example/2).", 1, 2, 3))
    assert "Willow" in fixed.text
    assert "Tulip" not in fixed.text


def test_one_source_under_two_numbers_becomes_one_and_is_cited_once():
    two = report("First [1]. Second [2]. Both [1][2], again [1, 2].", 1, 2, pages={2: "1"})
    fixed = fix(two)
    assert "First [1]. Second [1]. Both [1], again [1]." in fixed.text
    assert "Willow" not in fixed.text
    assert "merged [2] into [1], the same source" in fixed.applied


def test_gaps_are_closed():
    fixed = fix(report("First [2]. Second [5].", 2, 5))
    assert "First [1]. Second [2]." in fixed.text
    assert "DA207" not in codes(fixed.text)


def test_ranges_and_groups_are_rewritten_in_their_own_way_of_writing():
    fixed = fix(report("First [9]. Then [2–4], and [2, 4], and [3,9].", 2, 3, 4, 9))
    assert "First [1]. Then [2–4], and [2, 4], and [1,3]." in fixed.text


def test_a_range_that_is_torn_apart_is_written_out():
    fixed = fix(report("First [2]. Then [5]. All [1–3, 5].", 1, 2, 3, 5))
    assert "First [1]. Then [2]. All [1–4]." in fixed.text
    fixed = fix(report("First [4]. Then [1]. Then [6]. All [1–3, 6].", 1, 2, 3, 4, 6))
    assert "All [2–5]." in fixed.text
    fixed = fix(report("A [2]. B [1]. C [6]. D [3]. Two of them [2–3].", 1, 2, 3, 6))
    assert "Two of them [1, 4]." in fixed.text


@pytest.mark.parametrize("dash", ["–", "-", " - ", " to ", "至", "~"])
def test_a_range_with_two_brackets_keeps_what_lies_between(dash):
    cited = report(f"First [1]{dash}[3]. Then [4].", 1, 2, 3, 4)
    assert fix(cited).text == cited.text
    moved = fix(report(f"First [9]. Then [2]{dash}[4].", 2, 3, 4, 9)).text
    assert moved.startswith(f"First [1]. Then [2]{dash}[4].")
    torn = fix(report(f"A [1]. B [4]. C [6]. D [2]. All [1]{dash}[4].", 1, 2, 3, 4, 6)).text
    assert "All [1–2, 4–5]." in torn or "All [1, 2, 4, 5]." in torn


def test_a_link_with_its_number_keeps_its_words_and_address():
    fixed = fix(report("First [Two](https://a.example/2)[2]. Second [1].", 1, 2))
    assert "First [Two](https://a.example/2)[1]. Second [2]." in fixed.text


def test_numbers_cited_without_an_entry_stay_and_are_given_to_no_source():
    fixed = fix(report("First [5]. Second [1]. Third [4].", 1, 2, 4))
    assert "First [5]. Second [1]. Third [2]." in fixed.text
    assert "left 5 as they are: cited without an entry" in fixed.left
    lost = fix(report("First [2]. Second [5]. Third [4].", 4, 5))
    assert "First [2]. Second [1]. Third [3]." in lost.text
    assert [missing for each in Report(lost.text).resolved for missing, _ in each.missing] == ["2"]


def test_entries_keep_their_line_breaks_and_remarks_below_the_list_stay():
    text = (
        "First [2].\n\n### Sources\n[1] One: https://a.example/1  \n"
        "[2] Two: https://a.example/2  \n\nAll sources accessed in May.\n"
    )
    assert fix(Report(text)).text == (
        "First [1].\n\n### Sources\n[1] Two: https://a.example/2  \n\n"
        "All sources accessed in May.\n"
    )


def test_an_ordered_list_of_entries_is_renumbered_too():
    text = (
        "First [2].\n\n## References\n\n1. One: https://a.example/1\n2. Two: https://a.example/2\n"
    )
    assert fix(Report(text)).text == "First [1].\n\n## References\n\n1. Two: https://a.example/2\n"


def test_an_alphabetical_list_keeps_its_order_and_only_its_gaps_are_closed():
    entries = (
        "[1] Ash: https://a.example/1\n[3] Elm: https://a.example/3\n[4] Fir: https://a.example/4"
    )
    fixed = fix(Report(f"First [4]. Second [1]. Third [3].\n\n### Sources\n{entries}\n"))
    assert fixed.text.startswith("First [3]. Second [1]. Third [2].")
    assert "[2] Elm" in fixed.text


def test_a_citation_inside_a_word_moves_to_its_end():
    fixed = fix(report("A[1]nother study, e[2]xercise, exer[1]cise.", 1, 2))
    assert "Another[1] study, exercise[2], exercise[1]." in fixed.text
    assert fixed.applied[0] == "moved [1] on line 1, column 2 to the end of its word"


def test_a_citation_that_may_stand_between_two_words_stays():
    text = report("The market[1]and the bank fell, Kant[1]argued. The market and the bank.", 1).text
    fixed = fix(Report(text))
    assert fixed.text == text
    assert "it may stand between two words" in fixed.left[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "One [1].\n\n### References\n[1] A: https://a.example/1\n\n## B\n\nTwo [1].\n\n"
            "### References\n[1] B: https://a.example/2\n[2] C: https://a.example/3\n",
            "there are 2 reference lists",
        ),
        (
            "One [1].\n\n## References\n[1] A: https://a.example/1\n[1] B: https://a.example/2\n"
            "[3] C: https://a.example/3\n",
            "entries have no number, or two have the same",
        ),
        (
            "One.\n\n## References\n[1] A: https://a.example/1\n[2] B: https://a.example/2\n",
            "the text cites none of the entries",
        ),
        (
            "One<sup>2</sup>, two [3].\n\n## References\n[1] A: https://a.example/1\n"
            "[2] B: https://a.example/2\n[3] C: https://a.example/3\n",
            "<sup>2</sup> is not written as a plain number in brackets",
        ),
        (
            "One [2].\n\n```\nx = 1  # see [2]\n```\n\n## References\n[1] A: https://a.example/1\n"
            "[2] B: https://a.example/2\n",
            "[2] on line 4 may mean an entry and is no citation",
        ),
        (
            "One [2].\n\n## References\n[1] A: https://a.example/1\n"
            "[2] B, as in [1]: https://a.example/2\n",
            "[1] on line 5 may mean an entry and is no citation",
        ),
        (
            "One [2](#ref-2).\n\n## References\n[1] A: https://a.example/1\n"
            "[2] B: https://a.example/2\n",
            "[2](#ref-2) is not written as a plain number in brackets",
        ),
        (
            "One [2](https://a.example/2)–[4](https://a.example/4).\n\n## References\n"
            "[2] A: https://a.example/2\n[3] B: https://a.example/3\n[4] C: https://a.example/4\n",
            "may be a range, which it is not clear how to read",
        ),
        (
            "One [2] … [4].\n\n## References\n[2] A: https://a.example/2\n"
            "[3] B: https://a.example/3\n[4] C: https://a.example/4\n",
            "[2] … [4] may be a range",
        ),
        (
            "| Site | Sources |\n|---|---|\n| A | 1, 2 |\n\nOne [2].\n\n## References\n"
            "[1] A: https://a.example/1\n[2] B: https://a.example/2\n",
            "1, 2 on line 3 may mean an entry and is no citation",
        ),
    ],
)
def test_numbers_in_doubt_are_left_alone_and_the_reason_is_given(text, why):
    fixed = fix(Report(text))
    assert fixed.text == text
    assert fixed.applied == ()
    assert [left for left in fixed.left if why in left]


@pytest.mark.parametrize(
    "words",
    [
        "see ref. 1", "(refs 1, 5)", "as reference 1 says", "Source #1 agrees", "sources 9 and 1",
        "source(s) 2–1", "see sources [2], 1", "见文献1。", "来源：1", "（见参考文献1）",
        "(source no. 1)",
    ],
)  # fmt: skip
def test_sources_named_in_words_keep_their_numbers(words):
    named = report(f"First [2]. Second: {words}", 1, 2, 3)
    fixed = fix(named)
    assert fixed.text == named.text
    assert "may mean an entry and is no citation" in fixed.left[0]


@pytest.mark.parametrize(
    "words", ["1 source", "resource 1", "source 1%", "参考1种", "references 77"]
)
def test_other_numbers_beside_such_words_do_not_hinder(words):
    assert fix(report(f"First [2]. Second: {words}.", 1, 2)).applied


@pytest.mark.parametrize(
    "words",
    ["Per `[1]` it is.", "So it is.^1^", "It is.^3, 1^", "It is.^[1]^ Not^3^.", "见［1－3］。"],
)
def test_numbers_in_code_raised_ones_and_unread_brackets_keep_all_as_it_is(words):
    cited = report(f"First [2]. {words}", 1, 2, 3)
    fixed = fix(cited)
    assert fixed.text == cited.text
    assert "may mean an entry and is no citation" in fixed.left[0]


def test_numbers_in_full_width_brackets_are_cited_and_renumbered():
    fixed = fix(report("First［3］，又见［2］。", 1, 2, 3))
    assert fixed.text.startswith("First［1］，又见［2］。")
    assert fixed.applied == ("dropped uncited entries: 1", "renumbered 1 source")
    wide = fixed.text.replace("[", "［").replace("]", "］")
    assert [entry.key for entry in Report(wide).references] == ["1", "2"]
    assert fix(Report(wide)).text == wide


@pytest.mark.parametrize(
    "piece",
    ["sources 7, 8 and ", "[7]–", "文献7、", "source (s", "7, 8 to ", "^7,", "［7,", "^[7 ", "`[7"],
)
def test_numbers_in_words_are_looked_for_in_linear_time(piece):
    def made(size):
        return report(f"sources {repeated(piece)(size)} First [2].", 1, 2)

    assert_linear(fix, made, 50_000)


SENTENCES = st.lists(
    st.tuples(
        st.sampled_from(["Sleep matters", "A", "研究表明", "- item", "| cell |", "Rest. Naps"]),
        st.lists(st.integers(1, 9), max_size=3),
        st.sampled_from(
            ["[{}]", "[{}, {}]", "[{}–{}]", "[{}]–[{}]", "[{}][{}]", "[t](https://a.example/{})"]
        ),
        st.sampled_from([". ", "nother ", "\n\n", "; ", "，"]),
    ),
    max_size=8,
)


@st.composite
def reports(draw):
    """Reports with numbers in every form, gaps, unused entries, double and lost entries."""
    body = ""
    for words, cited, form, end in draw(SENTENCES):
        markers = "".join(form.format(*sorted([n, n + 2])) for n in cited)
        body += words + markers + end
    numbers = draw(st.lists(st.integers(1, 12), unique=True, max_size=9))
    pages = {number: str(draw(st.integers(1, 8))) for number in numbers}
    lines = [
        f"[{n}] Title {draw(st.integers(1, 9))}: https://a.example/{pages[n]}" for n in numbers
    ]
    return body + "\n\n### Sources\n" + "\n".join(lines) + "\n"


@given(reports())
@settings(deadline=None, max_examples=60)
def test_citations_lead_where_they_led_what_was_repaired_is_gone_and_nothing_is_left_to_fix(text):
    before, fixed = Report(text), fix(Report(text))
    after = Report(fixed.text)
    assert fix(after).text == fixed.text
    assert led_to(before) == led_to(after)
    assert lost(before) == lost(after)
    if any("left the numbers" in left for left in fixed.left):
        return
    gone = {"DA204", "DA205", "DA206", "DA209", "DA211"}
    if not any("cited without an entry" in left for left in fixed.left):
        gone.add("DA207")
    assert {finding.code for finding in lint(after)} & gone == set()


def led_to(report):
    """For each group of adjacent citations, the set of addresses that it leads to."""
    groups: list[set[str]] = []
    end = -1
    for each in report.resolved:
        start = each.citation.span.start
        if end < 0 or report.text[end:start].strip(" "):
            groups.append(set())
        groups[-1].update(each.urls)
        end = each.citation.span.end
    return groups


def lost(report):
    return {(key, why) for each in report.resolved for key, why in each.missing}


def test_real_reports_are_repaired_without_changing_what_any_citation_means(shared):
    for path in sorted((shared / "data/live/reports").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        before = Report(text)
        fixed = fix(before)
        after = Report(fixed.text)
        assert fix(after).text == fixed.text, path.name
        assert led_to(before) == led_to(after), path.name
        assert lost(before) == lost(after), path.name
        found = {finding.code for finding in lint(after)}
        assert not {"DA205", "DA206", "DA209", "DA211"} & found or fixed.left, path.name
