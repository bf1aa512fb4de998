"""HTML reports as Markdown, and what is left out of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadReports
from deepassay.reports.documents.html import html_markdown
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report

PAGES = [
    (
        "headings, bold, italic",
        "<h2>The <b>tide</b></h2><p>It <i>rises</i>.",
        "## The tide\n\nIt *rises*.",
    ),
    (
        "scripts, styles and navigation",
        "<nav>Menu</nav><style>p{}</style>A<script>b()</script>",
        "A",
    ),
    ("raised figures", "Rises.<sup><a href='#r1'>1</a></sup>", "Rises.<sup>1</sup>"),
    (
        "figures raised by a style, as Google Docs has it",
        "<style>.c1{color:#000}.c7{font-size:8pt;vertical-align:super}</style>"
        "<p><span class='c1'>Rises.</span><span class='c1 c7'>1</span>"
        "<span style='vertical-align:super'>2</span></p>",
        "Rises.<sup>12</sup>",
    ),
    ("a link", "A <a href='https://a.example/(x)'>page</a>.", "A [page](<https://a.example/(x)>)."),
    (
        "the redirect of Google Docs",
        '<a href="https://www.google.com/url?q=https://a.example/x%3Fy%3D1&amp;sa=D">A</a>',
        "[A](https://a.example/x?y=1)",
    ),
    ("line breaks", "<p>One<br>two   three\nfour</p>", "One  \ntwo three four"),
    ("lists", "<ul><li>One<ul><li>In</ul><li><p>Two</p></ul>", "- One\n    - In\n- Two"),
    ("numbers of items", "<ol start=3><li>A<li value=7>B<li>C</ol>", "3. A\n7. B\n8. C"),
    (
        "a table",
        "<table><tr><th>A<th>B<tr><td>1<td>x|y</table>",
        "| A | B |\n| --- | --- |\n| 1 | x\\|y |",
    ),
    ("a quotation", "<blockquote><p>One<p>Two</blockquote>", "> One\n>\n> Two"),
    ("code", "<pre>a\n  b\n</pre>", "```\na\n  b\n```"),
    ("a block in an inline element", "<span><p>One<p>Two</span>", "One\n\nTwo"),
    ("a picture that is described", "<img alt='A chart' src=x><img src=y>", "[Image: A chart]"),
    ("Latin-1", "<meta charset=iso-8859-1>K\u00fcste".encode("latin-1"), "Küste"),
    ("UTF-16", "<p>海岸".encode("utf-16"), "海岸"),
]


@pytest.mark.parametrize(
    ("page", "markdown"), [row[1:] for row in PAGES], ids=[row[0] for row in PAGES]
)
def test_a_page_becomes_markdown(page, markdown):
    body = page if isinstance(page, bytes) else page.encode()
    assert html_markdown(body) == markdown + "\n"


def test_citations_of_a_page_lead_to_its_list(tmp_path):
    page = """<html><body><h1>Tides</h1><p>They rise [1].</p><h2>Sources</h2>
    <p>[1] <a href="https://a.example/1">One</a></p></body></html>"""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "t.html").write_text(page)
    (report,) = load_reports([tmp_path])
    assert [each.urls for each in report.statements] == [("https://a.example/1",)]


def test_a_page_without_text_is_refused(tmp_path):
    (tmp_path / "t.html").write_text("<script>draw()</script>")
    with pytest.raises(BadReports, match=r"t.html: it has no text") as caught:
        load_reports([tmp_path / "t.html"])
    assert "save what it shows" in caught.value.remedy


@pytest.mark.parametrize("tag", ["div", "b", "ul", "table", "blockquote", "li", "a href=x", "h1"])
def test_what_is_nested_very_deep_keeps_its_text(tag):
    assert "word" in html_markdown(f"{f'<{tag}>' * 3000}word".encode())


@given(st.lists(st.sampled_from([row[1] for row in PAGES if isinstance(row[1], str)]), max_size=5))
@settings(deadline=None, max_examples=30)
def test_pages_of_any_pieces_are_read(pieces):
    markdown = html_markdown(("<p>x</p>" + "".join(pieces)).encode())
    assert Report(markdown).blocks
