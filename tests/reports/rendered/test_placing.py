"""Spans of the source are marked at the words that a reader sees, and nowhere else.

What is marked is held against the source: its letters are those of the span, in order.
"""

from __future__ import annotations

import html
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.reports.lint import lint
from deepassay.reports.rendered.placing import PlacedText, SpanMark, marked_html
from deepassay.reports.report import Report
from tests.growth import assert_linear, repeated


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def is_within(part: str, whole: str) -> bool:
    """Whether the signs of `part` stand in `whole` in this order, others perhaps between them."""
    rest = iter(whole)
    return all(sign in rest for sign in part)


def marked(text: str, *passages: str) -> PlacedText:
    """The text with each of these passages marked, under its number."""
    marks = []
    for number, passage in enumerate(passages):
        start = text.index(passage)
        marks.append(SpanMark(start, start + len(passage), f"m{number}", "bad"))
    return marked_html(text, marks)


SHAPES = {
    "plain": ("One sentence. Another one.", "Another one."),
    "bold": ("A **bold  \nclaim** and more words.", "more words"),
    "after bold and blanks": ("**Head**  \nIt costs 40 pounds.", "costs 40"),
    "half of a bold word": ("so **fortissimo** it is", "issimo"),
    "delimiters that open nothing": ("2 ** 3 * 4 _a and the rest", "the rest"),
    "three stars": ("***both*** are marked here", "marked here"),
    "code": ("run `the   command` now", "command` now"),
    "code with blanks at its ends": ("a `` x`y `` b", "y"),
    "escapes": (r"a \* b \q c \\ d", "c"),
    "entities": ("a &amp; b &notreal; c &#8364; d", "c &#8364;"),
    "heading with hashes behind it": ("## Cost # of it ##\n\ntext", "Cost # of"),
    "setext heading": ("What it\ncosts\n=====\n\ntext", "costs"),
    "quotation": ("> one\n> two three\nlazy four\n", "three\nlazy"),
    "list in a quotation": ("> 1. first\n>\n>    second here\n", "second here"),
    "nested list": ("- a\n  - b\n    - deep words\n- c", "deep words"),
    "number that is its own marker": ("1. 1\n2. 2 pounds", "2 pounds"),
    "tab": ("-\tafter a tab\n\n\tcode in it", "after a tab"),
    "windows lines": ("one\r\ntwo three\r\n\r\nfour five\r\n", "four five"),
    "old lines": ("one\rtwo three\r\rfour five", "two three"),
    "table": ("| a | b |\n|---|:-:|\n| one | two words |\n| 1 | 1 |", "two words"),
    "escaped pipe": ("| a | b |\n|---|---|\n| x \\| y | after it |", "after it"),
    "table in a list": ("1. | a | b |\n   |---|---|\n   | 1 | cell |", "cell"),
    "cells that are alike": ("| 1 | 1 |\n|---|---|\n| 1 | 1 1 |", "1 1"),
    "fence": ("```\nfirst\n  second line\n```\n", "second line"),
    "fence in a list": ("- a\n\n  ```\n  code here\n  ```\n", "code here"),
    "indented code": ("text\n\n    code here\n", "code here"),
    "raised": ("word<sup>12</sup> and on", "12"),
    "raised around a link": ("word<sup>[1](https://a.example)</sup> and on", "and on"),
    "line by tag": ("one<br>two three", "two three"),
    "raw HTML is words": ("a <b>bold</b> thing", "<b>bold"),
    "address in brackets": ("see <https://a.example/x> there", "there"),
    "link": ("see [the words](https://a.example/x_y) there", "the words](https://a.example/x_y)"),
    "definition of a link": ("Words [1].\n\n[1]: https://a.example 'T'\n", "https://a.example"),
    "footnote": ("Words[^1].\n\n[^1]: https://a.example/1\n", "[^1]: https://a.example/1"),
    "Chinese": ("**价格**是每户一万六千元。又一句话。", "又一句话"),
    "wide blank": ("\u3000\u3000首行缩进的中文。\n第二行", "第二行"),
    "signs beyond the first plane": ("𝔸𝔹 and 🙂 words", "words"),
    "struck": ("a ~~struck out~~ word ~~~odd", "odd"),
    "controls": ("a\x00b\x07c words", "words"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_passage_is_marked_at_its_words(shape: str) -> None:
    text, passage = SHAPES[shape]
    placed = marked(text, passage)
    seen = re.sub(r"\]\([^)]*\)", "", passage).replace("&#8364;", "€")
    assert letters(placed.words["m0"]) == letters(seen)
    assert '<span id="m0"></span><mark class="bad" data-m="m0">' in placed.html
    assert placed.html.count('id="m0"') == 1
    assert not placed.without


def test_what_has_no_words_leads_to_the_words_of_its_link() -> None:
    placed = marked("See [the report](https://a.example/utm?x=1 'T') now.", "utm?x=1")
    assert placed.words["m0"] == "the report"


def test_a_link_without_words_is_seen_by_its_host() -> None:
    placed = marked("So it is [](https://a.example/long/path).", "[](https://a.example/long/path)")
    assert placed.words["m0"] == "a.example"


def test_an_empty_span_takes_the_rest_of_its_line() -> None:
    text = "# Head\n\nOne two three\nfour"
    at = text.index("two")
    assert marked_html(text, [SpanMark(at, at, "m0", "remark")]).words["m0"] == "two three"


def test_what_no_reader_sees_is_said_to_have_no_place() -> None:
    text = "| a |\n|---|\n| b | left out by Markdown |\n"
    start = text.index("left")
    placed = marked_html(text, [SpanMark(start, start + 8, "m0", "bad")])
    assert (placed.words, placed.without) == ({}, ["m0"])
    assert "left out" not in placed.html


def test_marks_overlap_and_keep_their_tones() -> None:
    text = "One **two three** four."
    placed = marked_html(
        text,
        [
            SpanMark(0, len(text), "m0", "good"),
            SpanMark(text.index("three"), text.index("four") + 4, "m1", "bad"),
        ],
    )
    assert placed.words == {"m0": "One two three four.", "m1": "three four"}
    assert '<mark class="good bad" data-m="m1">three</mark>' in placed.html


def test_blocks_and_items_of_lists_say_which_marks_begin_in_them() -> None:
    text = "# Head\n\nPara one.\n\n3. first\n4. second\n\n| a |\n|---|\n| cell |\n"
    placed = marked(text, "Para", "second", "cell")
    assert [block.begins for block in placed.blocks] == [(), ("m0",), (), ("m1",), ("m2",)]
    assert [block.wide for block in placed.blocks] == [False, False, False, False, True]
    assert placed.blocks[3].html.startswith('<ol start="4"><li>')


def test_citations_lead_to_web_addresses_and_to_nothing_else() -> None:
    text = "A claim [1] and [words](https://b.example) there."
    found = marked_html(
        text,
        [
            SpanMark(8, 11, "m0", "", "https://a.example/?a=1&b=2"),
            SpanMark(16, 42, "m1", "", "https://a.example/other"),
            SpanMark(0, 1, "m2", "", "javascript:alert(1)"),
        ],
    ).html
    assert '<a href="https://a.example/?a=1&amp;b=2"' in found
    assert "other" not in found
    assert "javascript" not in found


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1)) [y](data:text/html,x) [z](vbscript:x)",
        "![x](https://a.example/i.png)",
        "<sup onclick=alert(1)>1</sup>",
        '[x](https://a.example/"onmouseover="alert(1))',
        "<iframe src=https://a.example></iframe>\n\n<style>*{display:none}</style>",
        "a</mark></td></div></main>b",
        "<https://a.example/<b>>",
        "| a |\n|:-:|\n| <svg/onload=alert(1)> |",
        "```<b>\n</code></pre><script>1</script>\n```",
    ],
)
def test_html_of_a_report_is_words(text: str) -> None:
    found = str(marked_html(text, [SpanMark(0, len(text), "m0", "bad")]).html)
    elements = {match.lower() for match in re.findall(r"<([a-zA-Z]\w*)", found)}
    assert elements <= {"p", "mark", "span", "a", "sup", "pre", "code"} | {
        "div", "table", "thead", "tbody", "tr", "th", "td"
    }  # fmt: skip
    names = set(re.findall(r"<\w[^>]*?\s([a-z-]+)=", found))
    assert names <= {"id", "class", "href", "data-m", "tabindex"}
    assert all(
        each.startswith(("http://", "https://")) for each in re.findall(r'href="([^"]*)', found)
    )


def test_the_sides_of_columns_are_classes() -> None:
    found = marked_html("| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |\n", []).html
    assert re.findall(r'<td class="to-(\w+)">', found) == ["left", "center", "right"]
    assert "style" not in found


def test_entries_of_a_list_of_references_keep_their_lines() -> None:
    found = marked_html("[1] One, https://a.example\n[2] Two\n[^3]: Three\nnot a line\n", []).html
    assert found.count("<br>") == 2


@pytest.mark.parametrize(
    "piece", ["<sup>", "</sup>", "<sup>[", "*", "[", "`", "~~", "|", "&", "> ", "- ", "\\", "<br"]
)
def test_reading_takes_linear_time(piece: str) -> None:
    def read(text: str) -> None:
        marks = [SpanMark(n, n + 5, f"m{n}", "bad") for n in range(0, len(text), len(text) // 50)]
        marked_html(text, marks)

    assert_linear(read, repeated(piece), 4_000 * len(piece))


ALPHABET = st.lists(
    st.sampled_from(
        [
            *(
                "word",
                "价格",
                "1",
                " ",
                "  ",
                "\n",
                "\n\n",
                "\r\n",
                "\t",
                "*",
                "**",
                "_",
                "`",
                "``",
            ),
            *("~~", "[", "]", "](https://a.example/x)", "(", ")", "<", ">", "<sup>", "</sup>"),
            *("<br>", "&amp;", "&", "\\", "|", "| a | b |\n|---|---|\n", "- ", "1. ", "> ", "# "),
            *(
                "```\n",
                "    ",
                "---",
                "===",
                "!",
                "\u3000",
                "🙂",
                "\x00",
                "[^1]: ",
                "<https://b.c>",
            ),
        ]
    ),
    max_size=40,
).map("".join)


@given(ALPHABET, st.data())
def test_whatever_is_marked_is_of_the_span(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    placed = marked_html(text, [SpanMark(start, end, "m0", "bad")])
    assert ("m0" in placed.words) != ("m0" in placed.without)
    if "m0" in placed.words and start < end:
        words = letters(placed.words["m0"])
        if "&" in text or "](" in text or "<https" in text:
            # Of an entity and of the address of a link all is marked, or it is not one, as in code.
            assert is_within(words, letters(text + html.unescape(text)) + "bcaexample")
        else:
            assert is_within(words, letters(text[start:end]))


@given(ALPHABET)
def test_marks_change_no_word_of_the_text(text: str) -> None:
    marks = [SpanMark(n, n + 3, f"m{n}", "bad") for n in range(0, len(text), 3)]
    with_marks = re.sub(
        r"</?mark[^>]*>|<span id=\"[^\"]*\"></span>", "", marked_html(text, marks).html
    )
    assert with_marks == marked_html(text, []).html


# ------------------------------------------------------------------ real reports


def live(shared: Path) -> Iterator[str]:
    for path in sorted((shared / "data" / "live" / "reports").glob("*.md"))[:40]:
        yield path.read_text(encoding="utf-8")


def others(shared: Path) -> Iterator[str]:
    """Forty reports of other systems, ten of each of four."""
    folder = shared / "data"
    names = ("Claude", "Grok3deeper", "OpenAI", "Perplexity")
    paths = [folder / "sets" / "researcherbench" / "reports" / f"{name}.jsonl" for name in names]
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines()[:10]:
            row = json.loads(line)
            yield row.get("article") or row.get("response") or row.get("answer") or ""


def spans(text: str) -> list[tuple[int, int]]:
    """Of all citations, statements and mechanical findings."""
    report = Report(text, "a", "t")
    found = [*report.citations, *report.statements, *lint(report)]
    return [each.span[:2] for each in found]


class Shown(NamedTuple):
    """A report that was rendered once with its own spans and with forty of chance."""

    text: str
    own: list[SpanMark]
    chosen: list[SpanMark]
    words: dict[str, str]


@pytest.fixture(scope="module")
def real(shared: Path) -> dict[str, list[Shown]]:
    chance = random.Random(29)
    shown: dict[str, list[Shown]] = {}
    for name, corpus in (("live", live), ("others", others)):
        shown[name] = []
        for text in corpus(shared):
            own = [SpanMark(*span, f"m{n}", "x") for n, span in enumerate(spans(text))]
            chosen = []
            for number in range(40):
                start = chance.randrange(len(text))
                chosen.append(SpanMark(start, start + chance.randrange(1, 300), f"c{number}", "x"))
            words = marked_html(text, [*own, *chosen]).words
            shown[name].append(Shown(text, own, chosen, words))
    return shown


@pytest.mark.parametrize("corpus", ["live", "others"])
def test_spans_of_real_reports_stand_at_their_words(
    corpus: str, real: dict[str, list[Shown]]
) -> None:
    counts: Counter[str] = Counter()
    for each in real[corpus]:
        for mark in each.own:
            words = letters(each.words.get(mark.name, ""))
            counts["spans"] += 1
            right = words and is_within(words, letters(each.text[mark.start : mark.end]))
            empty = mark.start == mark.end and words
            counts["right"] += bool(right or empty)
            counts["wrong"] += bool(words) and not right and not empty
    assert counts["spans"] > 3_000
    assert counts["wrong"] == 0
    assert counts["right"] / counts["spans"] >= 0.995


def test_random_spans_of_real_reports_stand_at_their_words(real: dict[str, list[Shown]]) -> None:
    found = 0
    for each in [*real["live"], *real["others"]]:
        for mark in each.chosen:
            words = letters(each.words.get(mark.name, ""))
            # An entity, also an escaped one, or the address of a link may stick out.
            around = each.text[max(0, mark.start - 2_000) : mark.end + 2_000]
            assert any(is_within(words, letters(e)) for e in (html.unescape(around), around))
            found += bool(words)
    assert found > 3_000
