"""What is marked in the list that is written for a report is found in the report's own entries."""

import pytest

from deepassay.reports.numbering import standard
from deepassay.reports.spans import Edit, Span
from deepassay.reports.traced import TracedText
from tests.growth import assert_linear, repeated

A, B, C = "https://a.example/one", "https://b.example/two", "https://c.example/潮汐"
BODY = f"Tides rise ([b]({B})). They fall ([a]({A})). 潮汐每天两次（[c]({C})）。\n"
NUMBERED = "Tides rise [2]. They fall [1]. 潮汐每天两次 [3]。\n"
FORMS = {
    "links": f"{BODY}\n## Sources\n\n- [Ebb and flow]({A})\n- [Moon, sun]({B})\n- [潮汐表]({C})\n",
    "numbers": f"{NUMBERED}\n## References\n\n[1] Ebb and flow. {A}\n[2] Moon, sun. {B}\n"
    f"[3] 潮汐表。{C}\n",
    "ordered": f"{NUMBERED}\n**Sources**\n\n1. Ebb and flow – {A}\n2. Moon, sun – {B}\n"
    f"3. 潮汐表 – {C}\n",
    "address first": f"{NUMBERED}\n## Sources\n\n1. {A} – Ebb and flow\n2. {B} – Moon, sun\n"
    f"3. {C} – 潮汐表\n",
    "footnotes": "Tides rise[^b]. They fall[^a]. 潮汐每天两次[^c]。\n\n"
    f"[^a]: Ebb and flow. {A}\n[^b]: Moon, sun. {B}\n[^c]: 潮汐表。{C}\n",
    "Chinese": f"潮汐每天两次 [2]。月亮引起潮汐 [1]。太阳也是 [3]。\n\n## 参考文献\n\n"
    f"[1] Ebb and flow. {A}\n[2] Moon, sun. {B}\n[3] 潮汐表。{C}\n",
    "between parts": f"{NUMBERED}\n## Sources\n\n[1] Ebb and flow. {A}\n[2] Moon, sun. {B}\n"
    f"[3] 潮汐表。{C}\n\n## Appendix\n\nTides were measured.\n",
}


def marked(text: str, words: str, made: TracedText | None = None) -> str | None:
    """The characters of a report that stand for words of its list; None where nobody can say."""
    traced = made or standard(text).traced
    start = traced.text.index(words, traced.tail)
    span = traced.source_span(start, start + len(words))
    if span is not None and span.start < span.end:
        again = traced.span_of(*span)
        assert again.start <= start and start + len(words) <= again.end
        assert traced.source_span(*again) == span
    return None if span is None else span.of(text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("words", [A, B, C, "a.example", "two"])
def test_an_address_of_the_list_is_the_address_of_its_own_entry(form, words):
    assert marked(FORMS[form], words) == words


@pytest.mark.parametrize("form", [each for each in FORMS if each != "links"])
@pytest.mark.parametrize("words", ["Ebb", "flow", "Moon, sun", "潮汐表", "汐"])
def test_words_of_a_title_are_those_words_of_its_own_entry(form, words):
    traced = standard(FORMS[form]).traced
    assert marked(FORMS[form], words, traced) == words
    place = traced.source_span(*_found(traced, words))
    (entry,) = (line for line in FORMS[form].splitlines() if "潮汐表" in line)
    if words == "汐":
        assert place.start in range(*_found(TracedText.of(FORMS[form]), entry))


def _found(traced: TracedText, words: str) -> Span:
    start = traced.text.index(words, traced.tail)
    return Span(start, start + len(words))


@pytest.mark.parametrize("form", FORMS)
def test_what_reaches_beyond_the_entries_is_refused(form):
    traced = standard(FORMS[form]).traced
    heading = traced.text.index("## ", traced.tail)
    for start, end in [
        (heading, heading + 4),  # of the heading
        (traced.tail - 3, heading + 4),  # from the text into it
        (heading + 4, len(traced.text) - 1),
    ]:
        assert traced.source_span(start, end) is None


@pytest.mark.parametrize("form", FORMS)
def test_all_of_the_list_is_all_of_the_list_also_with_the_text_before_it(form):
    text = FORMS[form]
    traced = standard(text).traced
    heading, end = traced.text.index("## ", traced.tail) + 3, len(traced.text) - 1
    whole, all_ = (traced.source_span(start, end) for start in (heading, 0))
    assert whole is not None and C in whole.of(text)[-45:]
    assert A in whole.of(text) and B in whole.of(text) and traced.source_span(0, end - 3) is None
    assert all_ == (0, len(text))
    for span, start in ((whole, heading), (all_, 0)):
        again = traced.span_of(*span)
        assert again.start <= start and again.end >= end and traced.source_span(*again) == span


@pytest.mark.parametrize("form", FORMS)
def test_the_end_of_the_text_does_not_take_the_list_that_followed(form):
    text = FORMS[form]
    traced = standard(text).traced
    for start in (traced.tail - 1, traced.tail - 5):
        span = traced.source_span(start, traced.tail)
        assert span is not None and not {A, B, C} & {*span.of(text).split()}
        assert not any(span.start < each.end and each.start < span.end for each in traced.lists)


def test_a_title_that_was_said_elsewhere_is_taken_whole():
    text = FORMS["links"].replace("[b]", "[of the moon]")
    assert marked(text, "[1] of the moon") == marked(text, "of the moon") == "- [Moon, sun]("
    assert marked(text, "moon") is None and marked(text, "of the") is None


def test_an_entry_that_the_report_does_not_have_stands_for_nothing():
    text = FORMS["numbers"].replace("They fall", "It lasts ([d](https://d.example/)). They fall")
    assert marked(text, "d.example") is None and marked(text, "Moon") == "Moon"


def test_entries_that_stand_together_in_both_are_one_stretch_and_others_are_none():
    text = FORMS["numbers"]  # the list has 2, 1, 3
    traced = standard(text).traced
    at = [traced.text.index(f"[{number}] ", traced.tail) for number in (1, 2, 3)]
    both = traced.source_span(at[0], at[2] - 1)
    assert both is not None and both.of(text).startswith("[1] Ebb") and both.of(text).endswith(B)
    assert traced.source_span(at[1], len(traced.text) - 1) is None  # of 1 and 3, not of 2
    assert traced.source_span(at[0] + 4, at[1] + 7) is None  # the end of 2 and the start of 1


def test_a_name_that_is_masked_in_an_entry_is_the_name_there():
    text = FORMS["numbers"]
    traced = standard(text).traced
    for place in (_found(traced, "Moon"), Span(0, 5)):
        traced = traced.edited([Edit(place, "▇▇")])
    assert marked(text, "▇▇", traced) == "Moon" and marked(text, "flow", traced) == "flow"
    assert marked(text, C, traced) == C


def test_a_report_without_a_list_or_in_standard_form_already_is_as_it_was():
    for text in (BODY, standard(FORMS["numbers"]).text):
        traced = standard(text).traced
        assert not traced.lists and not traced.moved


@pytest.mark.parametrize("piece", [f"\n[1] a a b: {A}", f"\n- {A} - - -", f"\n- [a a]({A}) {B}"])
def test_time_is_linear(piece):
    text = f"One [1].\n\n## References\n{{}}\n[1] a a a: {A}\n\nTwo ([a a a c]({A})).\n"
    made = repeated(piece)

    def traced(given: str) -> None:
        done = standard(given).traced
        for start in (done.tail, len(done.text) - 9):
            done.source_span(start, start + 4)

    assert_linear(traced, lambda size: text.format(made(size)), 6_000)
