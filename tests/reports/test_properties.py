"""What holds for every text: nothing raises, spans slice back, cleaning undoes citing."""

import itertools

from hypothesis import example, given, settings
from hypothesis import strategies as st

from deepassay.reports.clean import clean
from deepassay.reports.report import Report
from deepassay.reports.spans import Span

PIECES = [
    *("\n", "\r\n", "\r", "\n\n", "  \n", "\t", " ", "    ", "\x00", "\ufeff", "\u2028", "\x85"),
    *("- ", "* ", "1. ", "2) ", "> ", "# ", "### ", "---\n", "===\n", "```\n", "~~~", "`", "``"),
    *("| a | b |\n|---|---|\n", "| ", "|---|", "<div>", "</div>", "<!--", "<u>", "<sup>", "</sup>"),
    *("[1]", "[2, 4-6]", "[3–5]", "[", "]", "(", ")", "[[1]]", "[x]", "[ ]", "\\[1\\]", "[^1]"),
    *("[^1]: note", "[1]: https://a.example/1", "[a](https://a.example)", "[a][1]", "![i](u)"),
    *("[citation:T](https://a.example)", "【1†L3】", "¹", "²⁻³", "<sup>3</sup>", "(Smith, 2024)"),
    *(
        "https://a.example/x_(y)",
        "www.a.example",
        "<https://a.example>",
        "（张三，2024）",
        "$$",
        "\\(",
    ),
    *("## References\n", "Sources:\n", "**参考文献**\n", "[1] T: https://a.example/1\n", "\\", "*"),
    *(
        "**",
        "_",
        "e.g. ",
        "U.S. ",
        "3.5",
        "。",
        "，",
        "”",
        "Text",
        "text. ",
        "中文",
        "é",
        "𝒳",
        "\u200b",
    ),
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=25).map("".join)


WORDS = st.sampled_from(
    ["boats", "R²", "5 m²", "675万m³", "µm²", "σ²", "(x+1)²", "IAS²", "¹⁷¹Yb⁺", "10³"]
)
URLS = st.tuples(
    st.sampled_from(["https://a.example/1", "https://a.example/b_(c)"]),
    st.sampled_from(["", "#:~:text=a,(ITM) loss", "#:~:text=(see,of it", "#:~:text=1) oars,b"]),
).map("".join)
LABELS = st.sampled_from(["Boats", "[2303.1\\] Boats", "Ships [Report\\]", "Oars (1) [a] b", "12"])
LINKS = st.builds("([{}]({}))".format, LABELS, URLS)
MARKERS = st.one_of(
    LINKS, st.sampled_from(["[1]", "[2, 3]", "\\[1\\]", "[[2]](https://a.example)"])
)


def read(text):
    """A report with everything that can be read off it read."""
    report = Report(text)
    assert report.statements is not None
    return report


@given(TEXTS)
@settings(deadline=None, max_examples=60)
@example("[1]\ud800[2]")
def test_no_text_makes_the_reader_raise_and_spans_slice_back(text):
    report = read(text)
    whole = Span(0, len(text))
    for each in report.citations:
        assert each.span.of(text) == each.raw
    after = 0
    for each in report.citations:
        assert each.span.start >= after
        after = each.span.end
    spans = [each.span for each in report.blocks]
    spans += report.list_spans
    assert report.list_spans == tuple(each.span for each in report.reference_lists)
    spans += [each.span for each in report.references]
    spans += [each.span for each in report.statements]
    assert all(span.start <= span.end and whole.holds(span) for span in spans)
    assert isinstance(clean(report), str)


@given(TEXTS)
@settings(deadline=None, max_examples=60)
@example("It rose (cited_url: https://a.example/1; cited_url: https://a.example/2).")
@example("It rose [CITED: https://a.example/1].\n\n| [来源: 甲](https://a.example/1) 甲 |\n")
@example("A (Lee, 2020). B (Lee et al., 2021). C [1].")
def test_cleaning_leaves_no_citation_and_once_is_enough(text):
    cleaned = clean(text)
    assert not Report(cleaned).citations
    assert not Report(cleaned).reference_lists
    assert clean(cleaned) == cleaned


@given(TEXTS)
@settings(deadline=None, max_examples=80)
def test_blocks_stand_in_order_and_do_not_overlap(text):
    blocks = Report(text).blocks
    for one, next_one in itertools.pairwise(blocks):
        assert one.span.end <= next_one.span.start


@given(TEXTS)
@settings(deadline=None, max_examples=80)
def test_a_citation_inside_a_list_is_not_one_of_the_body(text):
    report = read(text)
    for each in report.reference_lists:
        assert not any(each.span.holds(citation.span) for citation in report.citations)


@given(TEXTS.map(lambda text: text.replace("\r", "")))
@settings(deadline=None, max_examples=80)
def test_line_ends_of_windows_change_no_citation(text):
    twin = Report(text.replace("\n", "\r\n"))
    assert [each.raw.replace("\r", "") for each in twin.citations] == [
        each.raw for each in Report(text).citations
    ]


@given(TEXTS)
@settings(deadline=None, max_examples=80)
def test_statements_stand_in_order_and_carry_citations_of_their_own_span(text):
    after = 0
    for each in Report(text).statements:
        assert each.span.start >= after
        assert each.text.strip() == each.text != ""
        if not each.inherited:
            assert all(each.span.holds(cited.citation.span) for cited in each.citations)
        after = each.span.start


@given(st.lists(st.tuples(WORDS, MARKERS), min_size=1, max_size=8))
@settings(deadline=None, max_examples=60)
def test_cleaning_takes_markers_whole_and_leaves_units_and_powers(pieces):
    entries = "\n\n## References\n" + "".join(
        f"[{n}] T: https://a.example/{n}\n" for n in (1, 2, 3)
    )
    text = ". ".join(f"It has {word} {marker}" for word, marker in pieces) + "." + entries
    assert clean(text) == ". ".join(f"It has {word}" for word, _ in pieces) + ".\n"


DEEP = st.lists(st.sampled_from(["> ", "- ", "1. ", "  ", "   "]), max_size=40).map("".join)


@given(st.lists(DEEP, min_size=1, max_size=6))
@settings(deadline=None, max_examples=80)
def test_no_word_is_lost_however_deep_it_stands(lines):
    text = "\n\n".join(f"{line}Word" for line in lines)
    inside = "".join(each.span.of(text) for each in Report(text).blocks)
    assert inside.count("Word") == len(lines)
