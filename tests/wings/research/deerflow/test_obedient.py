"""A writer that does what a page tells it to: nothing of it runs, loads, hides or leads away."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from deepassay.agents import Stop
from deepassay.wings.research.deerflow.pages import Web
from deepassay.wings.research.deerflow.safe_markdown import cut_at_paragraph, tamed
from tests.growth import assert_linear, repeated
from tests.wings.research.deerflow.scripted import EDITIONS, PROSE, Model

OUT = "evil.example"
TRIES = {
    "a script": f"<script src=https://{OUT}/a.js></script>",
    "a script as a block": f"\n\n<script>\nfetch('https://{OUT}/a')\n</script>\n\n",
    "a comment": "<!-- hidden -->",
    "a comment without an end": "\n\n<!-- and all the rest\n\n",
    "a declaration": "\n\n<!DOCTYPE html>\n\n",
    "an instruction": "\n\n<?php echo 1 ?>\n\n",
    "a picture": f"![p](https://{OUT}/p.png)",
    "a picture with brackets": f"![a [b] c](https://{OUT}/p.png 'x')",
    "a picture by reference": f"![p][r1]\n\n[r1]: https://{OUT}/p.png\n\n",
    "a picture as HTML": f"<img src=https://{OUT}/i.png onerror=alert(1)>",
    "a picture on two lines": f"![p\nq](\nhttps://{OUT}/p.png\n)",
    "a link that runs": "[c](javascript:alert(1))",
    "the same in other letters": "[c](JaVaScRiPt&colon;alert(1))",
    "the same with escapes": "[c](&#106;avascript&#58;alert(1))",
    "the same by reference": "[c][j1]\n\n[j1]: javascript:alert(1)\n\n",
    "the same as an address": "<javascript:alert(1)>",
    "a letter": "<sales@letters.example>",
    "data": "[c](data:text/html;base64,PHNjcmlwdD4=)",
    "a file": "[c](file:///etc/passwd)",
    "a link within a link's words": "[a [b](vbscript:x) c](javascript:y)",
    "tags within tags": "<scr<b>ipt>alert(1)</scr</b>ipt>",
    "a frame": f"\n\n<iframe src=https://{OUT}/f></iframe>\n\n",
    "a form": f"<form action=https://{OUT}/steal><button>Go</button></form>",
    "an event": "<b onmouseover=alert(1)>bold</b>",
    "a style": f"\n\n<style>* {{ background: url(https://{OUT}/b.png) }}</style>\n\n",
    "a cell of a table": f"\n\n| a | b |\n|---|---|\n| x<br>y | <img src=https://{OUT}/c> |\n\n",
    "a bare address": f"https://{OUT}/bare",
    "a wide address": "ｈｔｔｐｓ：／／ｅｖｉｌ．example/wide",
    "another scheme": f"hxxps://{OUT}/x ftp://{OUT}/y",
    "letters that look alike": f"һttps://{OUT}/h httрs://{OUT}/r",
    "a host that looks alike": "https://еvil.example/x",
    "what nobody sees": f"h\u200bttps://{OUT}/z ht\u00adtps://{OUT}/s",
    "other strokes": f"https:⁄⁄{OUT}/x https:∕∕{OUT}/y",
    "www": f"www.{OUT}",
}


PARSER = MarkdownIt("commonmark").enable("table")
PARSER.validateLink = lambda url: True


def active(text):
    """What of a text runs, loads, hides or leads away, as CommonMark reads it."""
    found = []
    for block in PARSER.parse(text):
        for token in (block, *(block.children or ())):
            href = str(token.attrGet("href") or "")
            if token.type in ("html_block", "html_inline", "image"):
                found.append(token.content)
            elif token.type == "link_open" and not href.startswith(("http://", "https://")):
                found.append(href)
    return found


@pytest.mark.parametrize("title", TRIES)
def test_what_is_tried_is_taken_out_and_the_words_stay(title):
    text = tamed(f"Buses carry people [e1]. Look: {TRIES[title]}\n\nThe last word [e2].")
    assert not active(text) and text.startswith("Buses carry people [e1].")
    assert ("The last word [e2]." in text) or "without an end" in title
    assert tamed(text) == text


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("task", ["all at once", "a text of half a megabyte"])
def test_nothing_that_a_writer_is_told_to_write_gets_into_a_report(lab, edition, task):
    """Every answer of the writer carries everything; the report is in order and has none of it."""
    odd = " ".join(each for name, each in TRIES.items() if "without an end" not in name)
    odd = odd if task == "all at once" else "The bus is late today. " * 12_000

    def script(operation, inputs, answer):
        if operation not in PROSE:
            return answer
        return f"{answer}\n\n{odd}"

    run = lab.answer(Model(script), edition=edition)
    assert run.stop == Stop.DONE, run.detail
    assert not active(run.report) and not [each for each in run.sources if OUT in each]
    assert OUT not in run.report and "ｅｖｉｌ" not in run.report and "еvil" not in run.report
    assert len(run.report) < 200_000
    causes = {each["cause"] for each in run.record["fallbacks"]}
    assert ("too_long" in causes) is (task != "all at once")


@pytest.mark.parametrize("edition", EDITIONS)
def test_what_a_terminal_or_a_reader_would_obey_in_a_title_is_not_listed(lab, edition, monkeypatch):
    title = "\x1b[31mBuses\u202e at \x00noon <script>x</script>![p](javascript:y)"
    monkeypatch.setattr(Web, "title", lambda self, url: title)
    run = lab.answer(Model(lambda operation, inputs, answer: answer), edition=edition)
    assert run.stop == Stop.DONE and "Buses at noon" in run.report, run.detail
    assert not active(run.report) and not {*"\x1b\u202e\x00"} & {*run.report}


WHOLE = [
    "5 < 6, and x > y [e1].",
    "`<b>` is a tag.\n\n```html\n<script>x</script>\n```",
    "A [page](https://a.example/(x)) says so [e1, e2].",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "# Title\n\n- one [e1]\n- two\n\n1. three",
    "潮汐水磨每天转动两次 [e1]。比率：3:2；10:30。",
    "C:/path and 12:30//x are no addresses.",
    "R&D &amp; AT&T [e3].",
]


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_in_order_stays_byte_for_byte(text):
    assert tamed(text) == text


PIECES = [*TRIES.values(), "<", ">", "[", "]", "(", ")", "!", "\n\n", "word ", "`", "&lt;", "]("]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_however_it_is_put_together_nothing_is_left(pieces):
    text = tamed("".join(pieces))
    assert not active(text)


HURTS = [
    *("<a ", "[x](", "![", "<!--", "](", "| <b> ", "[[", "</div>\n", "&#", "a<b>", "`a`<b>", "_*"),
    *("](a)", "![a](b) ", "| ![a](b) ", "](a)![x](b)", "[![", "[a]: x\n\n", "[a\n](b)", "\\[<b>"),
]


@pytest.mark.parametrize("piece", HURTS)
def test_a_text_made_to_hurt_is_read_in_linear_time(piece):
    assert_linear(tamed, repeated(piece), 8_000)


def test_of_what_is_taken_out_the_words_around_it_stay():
    """What stands before or after, in the same row, paragraph or code, is not touched."""
    assert tamed("Word ](x) ![a](b) end") == "Word ](x) a end"
    assert tamed("Keep `<b>` and `<i>`, not <b>this</b>.") == "Keep `<b>` and `<i>`, not this."
    assert tamed("| a<b>c | `<b>` | ![x](y) |\n|---|---|---|\n| 1 | 2 | 3 |") == (
        "| ac | `<b>` | x |\n|---|---|---|\n| 1 | 2 | 3 |"
    )
    two = "One ![a](\ndata:x\n) two.\n\nThree [b](\njavascript:y\n) four.\n\nFive."
    assert tamed(two) == "One a two.\n\nThree b four.\n\nFive."


def test_a_text_that_is_too_long_ends_with_a_paragraph():
    assert (
        cut_at_paragraph("one\n\ntwo\n\nthree", 11) == "one\n\ntwo"
        and cut_at_paragraph("x" * 9, 4) == "xxxx"
    )
    assert cut_at_paragraph("whole", 5) == "whole"
