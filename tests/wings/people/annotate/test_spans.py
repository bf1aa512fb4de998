"""A span that a page tells is at the same words of the report, whatever was done to show it."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.runfile.questions import Item, Question
from deepassay.wings.people.annotate.blinding import MASK, Blinding
from deepassay.wings.people.annotate.spans import ShownText, spans_sent, spans_told
from tests.reports.published import published

NAMES = ("nightjar", "豆包深研")
PIECES = st.sampled_from(
    [
        *("Rain fell ", "气压差产生风。", "**bold** ", "`code|x` ", "_so_ ", "[1]", "[^2]", "\\*"),
        *("([Met](https://a.example/1))", "[words](https://b.example/2)", "<b>", "&amp;", "&#110;"),
        *("\n\n", "\n", "\r\n", "\r", "\n| a | b |\n| --- | :-: |\n| one \\| two | 三 |\n\n"),
        *("\n- item ", "\n1. first ", "\n> quoted ", "\n## Heading ##\n", "\n```\nfenced\n```\n"),
        *("nightjar", "night**jar**", "豆包深研", "&#110;ightjar", "\u200b", "\x00", "\x1b", "𝒳"),
        *(
            "https://c.example/?utm_source=x&b=1 ",
            "<sup>2</sup>",
            "~~old~~",
            "\t",
            "\u3000",
            "  \n",
        ),
        *(
            "\n\n## Sources\n\n[1] Met https://a.example/1\n[2] Two https://b.example/2\n",
            "\n---\n",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


def shown(text: str, names: tuple[str, ...] = NAMES) -> ShownText:
    return ShownText(Blinding(names).report(text))


def length(text: ShownText) -> int:
    """Of what is seen, without blanks; by the elements themselves, not by what counts places."""
    return len(visible(text))


def visible(text: ShownText) -> str:
    plain = re.sub(r"<[^>]*>", "", str(text.html("A table")))
    for entity, sign in {
        "&lt;": "<",
        "&gt;": ">",
        "&#34;": '"',
        "&#39;": "'",
        "&amp;": "&",
    }.items():
        plain = plain.replace(entity, sign)
    return re.sub(r"[ \t\n\f\r]", "", plain)


@given(TEXTS)
def test_what_is_counted_is_what_the_elements_show(text: str) -> None:
    one = shown(text)
    seen_ = visible(one)
    assert all(one.words(n, n + 1) == sign for n, sign in enumerate(seen_))
    assert one.source_span(0, len(seen_) + 1) is None


@settings(max_examples=300)
@given(TEXTS, st.data())
def test_a_passage_is_at_its_words_in_the_source(text: str, data: st.DataObject) -> None:
    """Letters that are seen are letters of the source there, in order; and it is told again."""
    one = shown(text)
    most = length(one)
    if not most:
        return
    start = data.draw(st.integers(0, most - 1))
    end = data.draw(st.integers(start + 1, most))
    span = one.source_span(start, end)
    if span is None:  # as it may be of a list that was written anew
        heading = re.search("References|参考文献", visible(one))
        assert heading and heading.start() < end
        return
    assert 0 <= span.start <= span.end <= len(text)
    if "Sources" not in text and "http" not in text and "&" not in text:  # nothing written anew
        words = visible(one)[start:end].replace(MASK[0], "")
        letters = [sign for sign in words if sign.isalpha()]
        source = iter(span.of(text))
        assert all(sign in source for sign in letters), span.of(text)
    told = one.told(span, one.words(start, end))
    assert told[0] <= start and end <= told[1], "a part of what was marked is told no more"
    assert one.source_span(*told) == span


@pytest.mark.parametrize(
    ("text", "words", "source"),
    [
        ("Vapour rises [1]. Rain falls.\n\n[1] https://a.example/1\n", "Rain", "Rain"),
        ("Made by nightjar, said all.", MASK, "nightjar"),
        ("Made by night**jar**, said all.", f"by{MASK}", "by night**jar"),
        ("A [linked word](https://a.example/1) here.", "linkedword", "linked word"),
        ("| a | b |\n| --- | --- |\n| one \\| two | three |\n", "two", "two"),
        ("| a | b |\n| --- | --- |\n| one \\| two | three |\n", "one|two", "one \\| two"),
        ("| a | b |\n| --- | --- |\n| one | two |\n", "onetwo", "one | two"),
        ("气压差**产生**风。地球自转。", "产生风", "产生**风"),
        ("> A quote\n> over lines", "quoteover", "quote\n> over"),
        ("\u3000\nRain fell", "Rain", "Rain"),
        ("One\r\ntwo\r\nthree", "twothree", "two\r\nthree"),
        ("[a](https://a.example/1)b.", "ab", "a](https://a.example/1)b"),
        ("Salt &amp; water", "Salt&", "Salt &"),
        (
            "Rain fell ([Met](https://a.example/1)).\n",
            "fell[1].",
            "fell ([Met](https://a.example/1)).",
        ),
        # A citation that is moved and a list that is written have no characters in the source.
        ("Rain fell [1][words](https://b.example/2)", "[2][", " ["),
        ("Rain fell [1][words](https://b.example/2)", "l[2", "l"),
        ("Rain fell [1][words](https://b.example/2)", "2][1]", " [1]"),
        ("Rain fell ([Met](https://a.example/1)).", "References[1]Met:https://a.example/1", ""),
        ("Rain fell ([Met](https://a.example/1)).", ".References[1", "."),
        ("[c](https://c.example/3)。*[1]*", "[2]References[2]c.example:https://c.example/3", "*"),
    ],
)
def test_words_lead_to_their_source(text: str, words: str, source: str) -> None:
    one = shown(text)
    start = visible(one).index(words)
    span = one.source_span(start, start + len(words))
    assert span is not None and span.of(text) == source
    assert one.words(*one.told(span, words)) == words


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("风[1][words](https://b.example/2)", (4, 5)),
        ("Rain [it] [1]. [words](https://b.example/2)", (10, 11)),
    ],
)
def test_a_bracket_beside_a_citation_that_was_added_is_told_alone(
    text: str, place: tuple[int, int]
) -> None:
    one = shown(text)
    span = one.source_span(*place)
    assert span is not None and span.of(text) == one.words(*place)
    assert one.told(span, one.words(*place)) == place


@pytest.mark.parametrize("place", [(0, 0), (2, 1), (-1, 2), (0, 1000), (1000, 1001)])
def test_what_is_no_passage_has_no_place(place: tuple[int, int]) -> None:
    assert shown("Rain fell.").source_span(*place) is None


def test_a_sentence_is_found_through_citations_and_marks() -> None:
    one = shown("**Vapour** rises [1]. And *rain* falls.\n\n[1] https://a.example/1\n")
    told = one.told_quote("Vapour rises. and rain falls.")
    assert told is not None and one.words(*told) == "Vapourrises[1].Andrainfalls."
    assert one.told_quote("Snow falls.") is None and one.told_quote("[1] ") is None


def test_sentences_of_published_reports_are_marked_at_their_words(shared: Path) -> None:
    """Of every report its tenths, as they are seen: the letters of the source there are theirs."""
    right = count = 0
    for _, text in islice(published(shared), None, None, 12):
        one = shown(text, ())
        most = length(one)
        for tenth in range(9):
            start = most * tenth // 10
            span = one.source_span(start, start + 40)
            count += 1
            if span is None:
                continue
            letters = [each for each in one.words(start, start + 40) if each.isalpha()]
            source = iter(span.of(text))
            right += all(each in source for each in letters)
            told = one.told(span, one.words(start, start + 40))
            assert told[0] <= start and start + 40 <= told[1]
            assert one.source_span(*told) == span
    assert count > 200 and right / count >= 0.95, (right, count)


REPORT = "Made by nightjar: rain fell ([Met](https://a.example/1)).\n"
QUESTION = Question(protocol="marked", text="Mark it.", labels=("a", "b"))
ITEM = Item(task="t", report=REPORT, questions=(QUESTION,))
TEXTS_OF_ITEM = {"first": shown(REPORT)}


def sent(**changes: object) -> dict[str, object]:
    own = {
        "text": "first",
        "start": 10,
        "end": 14,
        "label": 1,
        "words": "rain",
        "comment": " Why\0 ",
    }
    return own | changes


def test_a_span_that_a_page_sent_is_kept_at_its_words_and_told_again() -> None:
    told = TEXTS_OF_ITEM["first"]
    start = visible(told).index("rain")
    kept, lost = spans_sent(
        json.dumps([sent(start=start, end=start + 4)] * 2), QUESTION, ITEM, TEXTS_OF_ITEM
    )
    assert not lost and len(kept) == 1
    (one,) = kept
    assert (REPORT[one.start : one.end], one.label, one.comment) == ("rain", "b", "Why")
    assert one.digest == hashlib.sha256(REPORT.encode()).hexdigest()
    (again,) = json.loads(spans_told(kept, QUESTION, TEXTS_OF_ITEM))
    assert again == {"text": "first", "start": start, "end": start + 4, "label": 1,
                     "words": "rain", "comment": "Why"}  # fmt: skip


def test_a_span_is_told_again_with_a_citation_that_was_moved_to_its_end() -> None:
    report = "Rain fell [1][words](https://b.example/2)"
    item = Item(task="t", report=report, questions=(QUESTION,))
    texts = {"first": shown(report)}
    start = visible(texts["first"]).index("fell[2]")
    told = sent(start=start, end=start + 7, words="fell[2]", comment="")
    kept, lost = spans_sent(json.dumps([told]), QUESTION, item, texts)
    assert not lost and json.loads(spans_told(kept, QUESTION, texts)) == [told]


START = visible(shown(REPORT)).index("rain")


@pytest.mark.parametrize(
    "changes",
    [
        {"words": "Rain"},
        {"start": START + 1, "end": START + 5},
        {"start": -1},
        {"start": "10"},
        {"start": True},
        {"start": 1.5},
        {"end": 10**9},
        {"end": 10**400},
        {"start": START + 4, "end": START},
        {"label": 2},
        {"label": -1},
        {"text": "second"},
        {"text": "__proto__"},
        {"comment": "x" * 20_000},
        {"agent": "nightjar"},
    ],
)
def test_what_is_not_in_the_text_is_no_span(changes: dict[str, object]) -> None:
    good = sent(start=START, end=START + 4)
    told = json.dumps([good | changes, good])
    kept, lost = spans_sent(told, QUESTION, ITEM, TEXTS_OF_ITEM)
    assert lost and [REPORT[each.start : each.end] for each in kept] == ["rain"]


@pytest.mark.parametrize("text", ["{", "{}", "7", '"a"', "[1]", "[[]]", "[null]", "[" * 100_000])
def test_what_is_no_list_of_spans_is_none(text: str) -> None:
    assert spans_sent(text, QUESTION, ITEM, TEXTS_OF_ITEM) == ([], True)


def test_nothing_sent_is_nothing_lost() -> None:
    assert spans_sent("", QUESTION, ITEM, TEXTS_OF_ITEM) == ([], False)


def test_more_spans_than_may_be_are_told_of() -> None:
    own = [sent(start=n, end=n + 1, words=visible(shown(REPORT))[n]) for n in range(20)]
    many = [each | {"label": n % 2} for n, each in enumerate(own * 20)]
    kept, lost = spans_sent(json.dumps(many), QUESTION, ITEM, TEXTS_OF_ITEM)
    assert lost and len(kept) <= 200
