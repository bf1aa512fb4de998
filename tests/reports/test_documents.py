"""Reports as PDF and DOCX: what becomes of headings, links, lists, tables and notes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadReports, MissingExtra
from deepassay.reports.documents import convert as conversion
from deepassay.reports.documents.convert import RefusedDocument, convert_document
from deepassay.reports.documents.marks import StyledText, inline, table
from deepassay.reports.documents.pdf import pdf_markdown
from deepassay.reports.documents.word import word_markdown
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from tests import documents as writers
from tests.documents import Page, cell, docx, link, note, paragraph, pdf, run
from tests.growth import assert_linear

AGENCY = "https://agency.example/tides?year=2025"

# ------------------------------------------------------------------ DOCX


def test_docx_headings_links_looks_and_raised_figures() -> None:
    body = docx(
        paragraph("Costs", style="heading 1"),
        paragraph(
            "They fell by ",
            run("12 %", "<w:b/>"),
            " [1]. See ",
            link("the agency", 1),
            ".",
            run("3", '<w:vertAlign w:val="superscript"/>'),
            run(" Deleted?", "<w:i/>"),
        ),
        paragraph("参考文献", style="heading 2"),
        paragraph("[1] 国家统计局. ", link("https://a.example/", 2)),
        links=(AGENCY, "https://a.example/"),
    )
    assert word_markdown(body) == (
        "# Costs\n\n"
        f"They fell by **12 %** [1]. See [the agency]({AGENCY}).<sup>3</sup> *Deleted?*\n\n"
        "## 参考文献\n\n"
        "[1] 国家统计局. https://a.example/\n"
    )


def test_docx_headings_stand_below_a_title() -> None:
    body = docx(paragraph("Tides", style="Title"), paragraph("Costs", style="heading 1"))
    assert word_markdown(body) == "# Tides\n\n## Costs\n"


def test_docx_lists_are_nested_and_begin_anew_after_a_paragraph() -> None:
    body = docx(
        paragraph("one", item=(2, 0)),
        paragraph("two", item=(2, 0)),
        paragraph("below", item=(1, 1)),
        paragraph("three", item=(2, 0)),
        paragraph("bullet", item=(1, 0)),
        paragraph("Between."),
        paragraph("one again", item=(2, 0)),
    )
    assert word_markdown(body) == (
        "1. one\n2. two\n    - below\n3. three\n\n- bullet\n\nBetween.\n\n1. one again\n"
    )


def test_docx_tables_keep_columns_under_merged_cells() -> None:
    body = docx(
        writers.table(
            (cell(paragraph("Country")), cell(paragraph("Power"), across=2)),
            (cell(paragraph("a|b"), merge="restart"), cell(paragraph("1")), cell(paragraph("2"))),
            (cell(merge="continue"), cell(paragraph("3"), paragraph("4")), cell(paragraph("5"))),
        ),
    )
    assert word_markdown(body) == (
        "| Country | Power |  |\n| --- | --- | --- |\n| a\\|b | 1 | 2 |\n|  | 3<br>4 | 5 |\n"
    )


def test_docx_notes_are_citations_with_their_sources_at_the_end() -> None:
    body = docx(
        paragraph("Growth was 3 %.", note(1), " It will be 4 %.", note(1, "endnote")),
        paragraph("And then less.", note(1)),
        footnotes=(paragraph("Bureau, https://bureau.example/1"),),
        endnotes=(paragraph("Bank, ", "https://bank.example/2"),),
    )
    text = word_markdown(body)
    assert text == (
        "Growth was 3 %.[^1] It will be 4 %.[^2]\n\nAnd then less.[^1]\n\n"
        "[^1]: Bureau, https://bureau.example/1\n\n[^2]: Bank, https://bank.example/2\n"
    )
    assert [each.urls for each in Report(text).resolved] == [
        ("https://bureau.example/1",),
        ("https://bank.example/2",),
        ("https://bureau.example/1",),
    ]


def test_docx_notes_beside_typed_numbers_are_other_sources() -> None:
    body = docx(
        paragraph("Typed [1] and noted", note(1), "."),
        paragraph("References", style="heading 1"),
        paragraph("[1] https://typed.example/"),
        footnotes=(paragraph("https://noted.example/"),),
    )
    resolved = Report(word_markdown(body)).resolved
    assert [each.urls for each in resolved] == [
        ("https://typed.example/",),
        ("https://noted.example/",),
    ]


def test_docx_deleted_passages_and_links_within_the_file_leave_no_trace() -> None:
    body = docx(
        paragraph(
            "Kept ",
            "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>",
            f"<w:ins>{run('added ')}</w:ins>",
            f'<w:hyperlink w:anchor="r1">{run("[1]")}</w:hyperlink>',
        ),
    )
    assert word_markdown(body) == "Kept added [1]\n"


def test_docx_of_a_note_that_is_missing_is_read_all_the_same() -> None:
    assert word_markdown(docx(paragraph("Words", note(7)))) == "Words[^1]\n\n[^1]: \n"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"\xd0\xcf\x11\xe0" + b"x" * 600, "locked with a password, or an old .doc"),
        (b"PK\x03\x04" + b"x" * 600, "damaged, or no DOCX"),
        (b"", "damaged, or no DOCX"),
        (docx(paragraph("x"))[:-40], "damaged, or no DOCX"),
        (docx("<w:p>"), "damaged, or no DOCX"),
        (docx(extra={"word/bomb.xml": "x" * 61_000_000}), "unpack to 61,00"),
    ],
)
def test_docx_that_cannot_be_read_is_refused_with_a_remedy(body: bytes, problem: str) -> None:
    with pytest.raises(RefusedDocument, match=problem) as caught:
        word_markdown(body)
    assert caught.value.remedy


# ------------------------------------------------------------------ PDF


def test_pdf_headings_by_size_links_by_area_and_raised_figures() -> None:
    page = Page()
    page.text(72, 740, "Tidal power", 18)
    page.text(72, 700, "1. Costs", 14)
    x = page.text(72, 680, "They fell. See ")
    x = page.text(x, 680, "the agency of", url=AGENCY)
    page.text(72, 668, "tides", url=AGENCY)
    x = page.text(72 + 30, 668, " for more.")
    page.text(x, 672, "3", 6)
    page.text(72, 640, "A second paragraph, ")
    page.text(72 + 120, 640, "bold", bold=True)
    assert pdf_markdown(pdf(page)) == (
        "# Tidal power\n\n## 1. Costs\n\n"
        f"They fell. See [the agency of tides]({AGENCY}) for more.<sup>3</sup>\n\n"
        "A second paragraph, **bold**\n"
    )


def test_pdf_chinese_lines_are_joined_without_a_blank() -> None:
    page = Page()
    page.lines(["中国的潮汐能发电成本在", "二〇二五年下降。"], 72, 700)
    page.text(72, 640, "参考文献", 16)
    page.text(72, 600, "国家统计局", url="https://stats.example/")
    assert pdf_markdown(pdf(page)) == (
        "中国的潮汐能发电成本在二〇二五年下降。\n\n# 参考文献\n\n[国家统计局](https://stats.example/)\n"
    )


def test_pdf_items_and_entries_begin_blocks() -> None:
    page = Page()
    page.text(72, 720, "- one that goes on")
    page.text(84, 708, "in the next line")
    page.text(96, 696, "- below")
    page.text(72, 684, "- two")
    page.text(72, 650, "[1] Smith. Tides. https://a.example/long/")
    page.text(72, 638, "path?x=1")
    page.text(72, 626, "[2] Jones. Waves.")
    text = pdf_markdown(pdf(page))
    assert text == (
        "- one that goes on in the next line\n    - below\n- two\n\n"
        "[1] Smith. Tides. https://a.example/long/path?x=1\n\n[2] Jones. Waves.\n"
    )


def test_pdf_ruled_tables_keep_cells_of_several_lines_together() -> None:
    page = Page()
    page.text(72, 700, "Before.")
    page.grid([72, 200, 400], [500, 560, 580])
    page.text(80, 565, "Country")
    page.text(80, 545, "Korea")
    page.text(210, 565, "Remark")
    page.lines(["It runs over", "two lines"], 210, 545)
    page.text(72, 450, "After.")
    assert pdf_markdown(pdf(page)) == (
        "Before.\n\n| Country | Remark |\n| --- | --- |\n"
        "| Korea | It runs over two lines |\n\nAfter.\n"
    )


def test_pdf_tables_ruled_cell_by_cell_without_a_line_between_two_rows() -> None:
    page = Page()
    for top, foot in ((580, 560), (560, 540), (540, 520)):
        for x in (72, 200, 400):
            page.stroke((x, top), (x, foot))
    for y in (580, 560, 520):
        page.stroke((72, y), (200, y))
        page.stroke((200, y), (400, y))
    for row, y in enumerate((565, 545, 525)):
        page.text(210, y, f"right {row}")
        page.text(80, y, f"left {row}")
    assert pdf_markdown(pdf(page)) == (
        "| left 0 | right 0 |\n| --- | --- |\n| left 1 | right 1 |\n| left 2 | right 2 |\n"
    )


def test_pdf_tables_by_columns_alone_and_over_two_pages() -> None:
    first, second = Page(), Page()
    first.text(72, 700, "Numbers by country follow in a table.")
    for y, words in ((160, ("Country", "Power")), (140, ("Korea", "254"))):
        for x, word in zip((72, 250), words, strict=True):
            first.text(x, y, word)
    for y, words in ((700, ("Country", "Power")), (680, ("France", "240"))):
        for x, word in zip((72, 250), words, strict=True):
            second.text(x, y, word)
    assert pdf_markdown(pdf(first, second)).endswith(
        "| Country | Power |\n| --- | --- |\n| Korea | 254 |\n| France | 240 |\n"
    )


def test_pdf_tags_say_what_sizes_do_not() -> None:
    page = Page()
    page.text(72, 740, "A heading", tag="H2")
    page.text(72, 728, "One paragraph", tag="P1")
    page.text(72, 716, "goes on", tag="P1")
    page.text(72, 704, "and another", tag="P2")
    for row in range(2):
        for column in range(2):
            place = 72 + 100 * column, 660 - 12 * row
            page.text(*place, f"cell {row}{column}", tag=f"Table/TR{row}/TD{row}{column}")
    assert pdf_markdown(pdf(page)) == (
        "## A heading\n\nOne paragraph goes on\n\nand another\n\n"
        "| cell 00 | cell 01 |\n| --- | --- |\n| cell 10 | cell 11 |\n"
    )


def test_pdf_adjacent_chinese_headings_are_two_and_a_full_line_goes_on() -> None:
    page = Page()
    page.text(72, 740, "第三章研究方法", 14)
    page.text(72, 722, "数据来源与处理", 14)
    page.text(72, 700, "水位记录来自沿岸三十二个站点，每小时一次，缺测的按相邻站点补上，")
    page.text(72, 686, "流速由浮标每十分钟测一次，遇有大风时则改由船上的仪器来测，两者先")
    page.text(72, 672, "在同一处比对过一个月，相差不过百分之三。")
    page.text(72, 640, "关于沿岸潮汐电站运行成本与维护周期之间变化关系", 14)
    page.text(72, 622, "的说明", 14)
    page.text(72, 590, "成本逐年下降。")
    assert [line for line in pdf_markdown(pdf(page)).splitlines() if line.startswith("#")] == [
        "# 第三章研究方法",
        "# 数据来源与处理",
        "# 关于沿岸潮汐电站运行成本与维护周期之间变化关系的说明",
    ]


def test_pdf_running_heads_and_page_numbers_are_left_out_and_paragraphs_go_on() -> None:
    pages = [Page() for _ in range(3)]
    for number, page in enumerate(pages, start=1):
        page.text(72, 770, f"Tidal report, page {number}")
        page.text(300, 30, str(number))
    pages[0].text(72, 400, "A sentence that goes")
    pages[1].text(72, 700, "on overleaf.")
    pages[2].text(72, 700, "1,240 MW stood there.")
    assert (
        pdf_markdown(pdf(*pages)) == "A sentence that goes on overleaf.\n\n1,240 MW stood there.\n"
    )


def test_pdf_type_of_size_one_in_a_large_matrix_is_no_smaller() -> None:
    page = Page()
    page.operators.append("BT /F1 1 Tf 20 0 0 20 72 740 Tm (Scaled) Tj ET")
    page.text(72, 700, "Body text of the usual size.")
    assert pdf_markdown(pdf(page)).startswith("# Scaled\n\n")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"no PDF at all", "damaged, or no PDF"),
        (pdf(Page()), "holds no text"),
        (
            pdf(Page()).replace(
                b"/Root",
                b"/Encrypt <</Filter /Standard /V 1 /R 2 /P -4 /O <"
                + b"01" * 32 + b"> /U <" + b"02" * 32 + b">>> /ID [<00> <00>] /Root",
            ),
            "locked with a password",
        ),
        (pdf(*[Page() for _ in range(301)]), "has 301 pages"),
    ],
)  # fmt: skip
def test_pdf_that_cannot_be_read_is_refused_with_a_remedy(body: bytes, problem: str) -> None:
    with pytest.raises(RefusedDocument, match=problem) as caught:
        pdf_markdown(body)
    assert caught.value.remedy


def test_pdf_full_of_marks_is_converted_in_linear_time() -> None:
    def made(size: int, pages: int = 1) -> bytes:
        page = Page()
        for line in range(60):
            page.text(20, 780 - 12 * line, ". [1] - " * size, 1)
        return pdf(*[page] * pages)

    assert len(pdf_markdown(made(50, pages=2))) > 40_000
    assert_linear(pdf_markdown, made, 64)


# ------------------------------------------------------------------ writing


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.builds(
            StyledText,
            st.text("ab [1]*中\n.", max_size=8),
            st.sampled_from(("", AGENCY, "https://a.example/x_(y)", "#inside")),
            st.booleans(),
            st.booleans(),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_no_letter_of_the_text_is_lost_whatever_it_looks_like(pieces: list[StyledText]) -> None:
    written = inline(pieces)
    for url in (AGENCY, "https://a.example/x_(y)"):
        written = written.replace(url, "")
    kept = [letter for letter in written.replace("sup>", "") if letter in "ab1中"]
    assert kept == [letter for piece in pieces for letter in piece.text if letter in "ab1中"]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.text("a|\n \\"), max_size=4), max_size=4))
def test_a_table_has_as_many_cells_in_every_row(rows: list[list[str]]) -> None:
    lines = table(rows).splitlines()
    width = max(map(len, rows), default=0)
    assert len(lines) == (len(rows) + 1 if width else 0)
    assert {line.replace("\\|", "").count("|") for line in lines} <= {width + 1}


def test_a_link_whose_words_are_its_address_is_written_as_the_address() -> None:
    assert inline([StyledText("www.a.example/x", "https://www.a.example/x/")]) == (
        "https://www.a.example/x/"
    )
    assert inline([StyledText("see (1]", "https://a.example/a b")]) == (
        "[see (1\\]](<https://a.example/a b>)"
    )


# ------------------------------------------------------------------ the process


def test_reports_of_three_formats_are_loaded_by_the_same_names(tmp_path: Path) -> None:
    page = Page()
    page.text(72, 700, "From a PDF [1].")
    for name, body in (
        ("heron/t1.pdf", pdf(page)),
        ("heron/t2/answer_2.docx", docx(paragraph("From a DOCX."))),
        ("heron/t3.md", b"From Markdown."),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(body)
    reports = load_reports([tmp_path])
    assert [(each.agent, each.task, each.sample, each.text) for each in reports] == [
        ("heron", "t1", 1, "From a PDF [1].\n"),
        ("heron", "t2", 2, "From a DOCX.\n"),
        ("heron", "t3", 1, "From Markdown."),
    ]
    assert reports[0].converter.startswith("pdf-1 pypdfium2 5.")
    assert reports[1].converter.startswith("docx-1 mammoth 1.")
    assert reports[2].converter == ""
    assert [each.digest for each in load_reports([tmp_path])] == [each.digest for each in reports]


def test_half_of_a_pair_of_surrogates_comes_through_as_no_character() -> None:
    page = Page()
    page.operators.append("BT /F3 10 Tf 72 700 Td <d83d> Tj ET")
    page.wide.add("中")
    page.text(72, 680, "Words.")
    converted = convert_document(Path("a.pdf"), pdf(page))
    assert hashlib.sha256(converted.text.encode()).digest()


@pytest.mark.parametrize("kind", ["docx", "pdf"])
def test_a_document_without_its_extra_says_which_one_is_missing(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=rf"a\.{kind}") as caught:
        convert_document(Path(f"a.{kind}"), b"")
    assert "deepassay[docs]" in caught.value.remedy


def test_a_document_that_eats_processor_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "SECONDS", 0)  # what it had used, and what is left of one
    body = docx(paragraph("word", style="heading 1") * 60_000)
    with pytest.raises(BadReports, match=r"a.docx: the process .* ended early") as caught:
        convert_document(Path("a.docx"), body)
    assert caught.value.remedy


def test_deeply_nested_xml_is_a_refusal_and_no_crash() -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 3000 + "</w:tc></w:tr></w:tbl>" * 3000
    with pytest.raises(BadReports, match="nested too deep"):
        convert_document(Path("a.docx"), docx(deep))
