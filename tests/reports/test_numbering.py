"""Citation control: ids become numbers and one list, which every rule of the linter accepts."""

import re

import pytest
from hypothesis import given, settings

from deepassay.reports.lint import lint
from deepassay.reports.numbering import (
    CITATION_RULES,
    NumberedReport,
    Source,
    check_citations,
    number_citations,
    same_but_citations,
    standard,
)
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES
from deepassay.reports.traced import TracedText
from tests.growth import assert_linear, repeated
from tests.reports.drafts import DRAFTS, SIMPLE, SOURCES, WILD

A, B, C = "https://a.example/1", "https://b.example/2", "https://c.example/潮汐"
KNOWN = {
    "e1": Source(A, "One"),
    "e2": Source(f"{B}?utm_source=x", "Two [draft]"),
    "e3": Source(f"{A}#part", "One again"),
    "e4": Source(C, "潮汐"),
    "e5": Source("no address"),
}

BODIES = [
    (
        "numbers by first appearance",
        "Sales rose [e2]. They fell [e1].",
        "Sales rose [1]. They fell [2].",
    ),
    ("one page has one number", "Rose [e1], fell [e3].", "Rose [1], fell [1]."),
    ("one number a page in a run", "Rose [e1, e3][e2].", "Rose [1][2]."),
    ("numbers of a run ascend", "Rose [e1]. Fell [e2][e1].", "Rose [1]. Fell [1][2]."),
    (
        "brackets of every kind",
        "Rose 【e1】. Fell ［e2］ or [[e4]] or \\[E1\\].",
        "Rose [1]. Fell [2] or [3] or [1].",
    ),
    (
        "after figures and in Chinese",
        "In 2025[e1]. 年[e2]，增长20%【e4】。",
        "In 2025[1]. 年[2]，增长20%[3]。",
    ),
    ("no index is made", "arr[e1] and x1[e2] and [so][e1]", "arr [1] and x1 [2] and [so] [1]"),
    ("after an exclamation mark", "It rose![e1]", "It rose! [1]"),
    ("ranges", "Rose [e1-e4].", "Rose [1][2][3]."),
    ("ranges without a second letter", "Rose [e1-2]. Fell [e2–4].", "Rose [1][2]. Fell [1][2][3]."),
    (
        "words in the brackets",
        "Rose [e1 e2] or [see e4, p. 3] or [source: e2] or [e1 and e2].",
        "Rose [1][2] or [3] or [2] or [1][2].",
    ),
    ("words between markers stay", "See [e1] and [e2].", "See [1] and [2]."),
    ("also between markers of one page", "See [e1] and [e3].", "See [1] and [1]."),
    ("a range in words stays one", "See [e1] to [e2].", "See [1] to [2]."),
    ("also behind a citation", "See [e2, e1] to [e4].", "See [1][2] to [3]."),
    ("such words are set apart", "See [e1]and[e2]or so.", "See [1] and [2]or so."),
    ("after an index", "list[0][e1] and list[0][^e2]", "list[0] [1] and list[0] [2]"),
    ("raised", "Rose<sup>[e1]</sup>.", "Rose [1]."),
    ("between dollars", "It is $[e1]$ or $x_1 [e1]$.", "It is $ [1]$ or $x_1 [e1]$."),
    ("unknown ids go", "Rose [e9]. Fell [e1, e9] (see [e8]).", "Rose. Fell [1]."),
    ("pages without an address are none", "Rose [e5][e1].", "Rose [1]."),
    (
        "no citations",
        "A [x] [ ] [GPT4] [sic] 95% CI [1, 3] e1 [e1].",
        "A [x] [ ] [GPT4] [sic] 95% CI [1, 3] e1 [1].",
    ),
    ("code", "`[e1]` [e1]\n\n```\nx[e2]\n```", "`[e1]` [1]\n\n```\nx[e2]\n```"),
    ("an open fence is closed", "Rose [e1].\n\n```\nx", "Rose [1].\n\n```\nx\n```"),
    ("an open comment is closed", "Rose [e1].\n\n<!-- x", "Rose [1].\n\n<!-- x\n-->"),
    (
        "headings, lists, quotations",
        "## On [e1]\n\n- a [e2]\n  1. b [e1]\n\n> c [e4]",
        "## On [1]\n\n- a [2]\n  1. b [1]\n\n> c [3]",
    ),
    (
        "tables",
        "| a | b |\n|---|---|\n| 1 [e1] | [e2] |\n| [e1] | 3 |",
        "| a | b |\n|---|---|\n| 1 [1] | [2] |\n| [1] | 3 |",
    ),
    (
        "a link of a sentence keeps its words",
        f"The [report]({B}) says so.",
        "The report [1] says so.",
    ),
    ("a link that only cites", f"It rose ([b.example]({B})).", "It rose [1]."),
    ("an id with an address", "It rose [e1](https://other.example/).", "It rose [1]."),
    (
        "an unknown link keeps its words",
        "The [report](https://z.example/) rose [e1].",
        "The report rose [1].",
    ),
    (
        "an unknown address keeps its host",
        "Visit https://z.example/q now [e1].",
        "Visit z.example now [1].",
    ),
    (
        "footnotes",
        "It rose[^1] and fell[^2] [e1].\n\n[^1]: Seen there [e2].\n[^2]: A remark.",
        "It rose [1] and fell [2].",
    ),
    (
        "numbers of the writer's own list",
        f"It rose [7].\n\n## Sources\n\n[7] B: {B}\n",
        "It rose [1].",
    ),
]


@pytest.mark.parametrize(("draft", "body"), [row[1:] for row in BODIES], ids=[r[0] for r in BODIES])
def test_a_draft_is_numbered(draft, body):
    done = number_citations(draft, KNOWN, language="en")
    assert done.text.partition("\n\n## References\n")[0] == body
    assert not check_citations(done.text)


def test_numbered_remarks_are_no_list_of_sources():
    draft = "It rose [e1].\n\n## Notes\n\n1. One remark\n2. Another"
    assert number_citations(draft, KNOWN).text.startswith(
        "It rose [1].\n\n## Notes\n\n1. One remark\n2. An"
    )


def test_what_stands_under_a_heading_of_sources_is_named_when_it_goes():
    done = number_citations(
        "It rose [e1].\n\n## Sources\n\nThey were read with care.\n\nTwice.", KNOWN
    )
    assert done.removed == ("They were read with care. Twice.",)


def test_the_list_names_each_page_once_in_the_order_of_numbers():
    done = number_citations("Rose [e4]. Fell [e3][e2]. 涨[e1].", KNOWN)
    assert done.text.endswith(
        f"\n\n## References\n\n[1] 潮汐: {C}\n[2] One: {A}\n[3] Two draft: {B}\n"
    )
    assert done.sources == (KNOWN["e4"], KNOWN["e1"], KNOWN["e2"])


def test_what_is_removed_is_named_and_what_was_done_is_told():
    done = number_citations("Rose [e9] [3]. The [one](https://z.example/x) fell [e1].", KNOWN)
    assert done.removed == ("e9", "[3]", "https://z.example/x")
    assert done.actions[0] == "pages numbered: 1"
    assert number_citations(done.text, KNOWN) == NumberedReport(
        TracedText.of(done.text), (), (), done.sources
    )


@pytest.mark.parametrize(
    ("options", "heading"),
    [({}, "参考文献"), ({"language": "en"}, "References")],
)
def test_the_heading_is_in_the_language_of_the_text_or_as_given(options, heading):
    text = number_citations("潮汐每天上涨两次[e4]。", KNOWN, **options).text
    assert f"\n\n## {heading}\n\n[1] " in text
    assert not check_citations(text)


def test_what_readers_would_not_know_is_refused():
    with pytest.raises(ValueError, match="id of a source"):
        number_citations("A [e1].", {"1": KNOWN["e1"]})


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("", ["DA312"]),
        ("Boats are fast.", ["DA106", "DA201"]),
        (f"A [1] [2].\n\n## References\n\n[1] T: {A}\n", ["DA101"]),
        (f"A [1].\n\n## References\n\n[1] T: {A}\n[2] U: {B}\n", ["DA205"]),
        (f"A [1].\n\n## References\n\n[1] T: {A}\n[1] U: {B}\n", ["DA208"]),
        (f"A [1][2].\n\n## References\n\n[1] T: {A}\n[2] U: {A}\n", ["DA209"]),
        (f"A [1][3].\n\n## References\n\n[1] T: {A}\n[3] U: {B}\n", ["DA207"]),
        (f"A [2]. B [1].\n\n## References\n\n[1] T: {B}\n[2] U: {A}\n", ["DA211"]),
        (f"A [1][2].\n\n## References\n\n[2] U: {B}\n[1] T: {A}\n", ["DA204"]),
    ],
)
def test_check_is_the_linter(text, codes):
    assert [each.code for each in check_citations(text)] == codes
    assert set(check_citations(text)) <= set(lint(Report(text)))


def test_every_rule_on_citations_and_lists_is_checked():
    assert {rule.code for rule in RULES if rule.code < "DA3"} | {"DA312"} == {
        rule.code for rule in CITATION_RULES
    }


@given(DRAFTS, SOURCES)
@settings(deadline=None, max_examples=40)
def test_no_rule_of_citations_fires_on_what_is_controlled(draft, sources):
    assert_controlled(draft, sources)


@given(WILD, SOURCES)
@settings(deadline=None, max_examples=40)
def test_nor_where_the_writer_cites_in_other_ways_as_well(draft, sources):
    assert_controlled(draft, sources)


def assert_controlled(draft, sources):
    done = number_citations(draft, sources)
    if done.sources:
        assert check_citations(done.text) == ()
        listed = Report(done.text).references
        assert [each.number for each in listed] == [*range(1, len(done.sources) + 1)]
    assert number_citations(done.text, sources) == NumberedReport(
        TracedText.of(done.text), (), (), done.sources
    )


ALL = {f"e{number}": Source(f"https://s{number % 5}.example/") for number in (*range(1, 13), 99)}
MARKER = re.compile(r"[\[【](?:[eE]?\d+(?:[,；] ?[eE]\d+)?)[\]】]")


@given(SIMPLE)
@settings(deadline=None, max_examples=40)
def test_nothing_but_markers_changes(draft):
    draft += "\n\nThe end [e1]."
    body = number_citations(draft, ALL, language="en").text.rsplit("\n\n## References", 1)[0]
    bare = [re.sub(r"[\s,;，]", "", MARKER.sub("", text)) for text in (draft, body)]
    assert bare[0].rstrip("`~->") == bare[1].rstrip("`~->")


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "Sales rose [e1]. ",
            "[e1][e2]",
            "[e9] ",
            "(see [e9]) ",
            "【e4",
            "[e1, ",
            "[e1](",
            "![e1] ",
        ),
        *(
            "[x](https://z.example/) ",
            "$[e1] ",
            "[^e1] ",
            "\n[e1] T: https://a.example/1",
            "\n\n[^1]: x",
        ),
    ],
)
def test_time_is_linear(piece):
    assert_linear(lambda text: number_citations(text, KNOWN), repeated(piece), 10_000)


STANDARD = [
    (
        "links become numbers at the ends of sentences",
        f"Tides rise ([a]({A})) twice. The [second report]({B}) says so. 上涨（[c]({C})）。",
        "Tides rise twice [1]. The second report says so [2]. 上涨[3]。",
    ),
    (
        "in lists and cells",
        f"- Tides [one]({A}).\n\n| a | b |\n|---|---|\n| x [1]({A}) | y ({B}) |",
        "- Tides [1].\n\n| a | b |\n|---|---|\n| x [1] | y [2] |",
    ),
    (
        "numbers of its own are kept in place of order",
        f"One. [2] Two[1], three [2].\n\nSources:\n1. [a]({A})\n2. [b]({B})\n3. [c]({C})\n",
        "One [1]. Two, three [1][2].",
    ),
    ("a marker without an entry stays", f"One [9]. Two ([a]({A})).", "One [9]. Two [1]."),
    ("short forms keep their mark", f"In the U.S. ([a]({A}))", "In the U.S. [1]"),
    ("a nested marker", f"One [[1, 2]].\n\n[1] A: {A}\n[2] B: {B}\n", "One [1][2]."),
    ("a tagged link", f"One [citation:Tides]({A}?utm_source=openai).", "One [1]."),
    (
        "names and years of a list without addresses",
        f"One (Smith, 2020). Two (Jones, 2021).\n\n## References\n\n"
        f"Smith, J. (2020). Boats. Journal.\n\nJones, A. (2021). Tides. {A}\n",
        "One [1]. Two [2].",
    ),
    (
        "names and years without an entry are words",
        f"One (Smith, 2020). Two ([a]({A})).",
        "One (Smith, 2020). Two [1].",
    ),
    (
        "the host of an address in a sentence",
        f"One is at {A} here.",
        "One is at a.example here [1].",
    ),
    ("a title cut short", f"One ([Boats of the ...]({A})).", "One [1]."),
    (
        "what Gemini sets before words",
        f"[cite_start]One [cite: 1].\n\n## Sources\n\n[1] A: {A}\n",
        "One [1].",
    ),
    ("markers of Gemini", f"One [cite: 1, 2].\n\n[1] A: {A}\n[2] B: {B}\n", "One [1][2]."),
]


@pytest.mark.parametrize(
    ("text", "body"), [row[1:] for row in STANDARD], ids=[row[0] for row in STANDARD]
)
def test_an_answer_takes_the_standard_form(text, body):
    done = standard(text)
    assert done.text.partition("\n\n## References\n")[0] == body
    assert same_but_citations(text, done.text)
    again = standard(done.text)
    assert (again.text, again.removed, again.actions) == (done.text, (), ())


def test_an_answer_that_cites_nothing_is_left_as_it_is():
    text = f"One.\n\n## Sources\n\n[1] A: {A}"
    assert standard(text) == NumberedReport(TracedText.of(text), (), (), ())


@pytest.mark.parametrize(
    ("after", "same"),
    [
        (f"It rose by 3.5% [1].\n\n## References\n[1] A: {A}", True),
        ("It rose  by 3.5%.", True),
        (f"It rose by 35% [1].\n\n## References\n[1] A: {A}", False),
        ("It rose to 3.5%.", False),
        ("It rose by -3.5%.", False),
        ("It rose by 3.5%. So.", False),
    ],
)
def test_a_changed_word_is_seen(after, same):
    assert same_but_citations(f"It rose by 3.5% ([a]({A})).", after) is same


@pytest.mark.parametrize(
    "piece",
    [
        *(f"Tides rise ([a]({A})). ", f"One is at {A} now. ", "One [1][2]. ", "(Smith, 2020) "),
        *(f"\n[1] T: {A}", "(Smith, 2020). Smith, J. (2020). Boats.\n\n", "[cite_start]"),
    ],
)
def test_time_of_the_standard_form_is_linear(piece):
    text = f"One [1].\n\n{{}}\n\n## References\n\n[1] A: {A}\n\nSmith, J. (2020). Boats.\n"
    made = repeated(piece)
    assert_linear(standard, lambda size: text.format(made(size)), 6_000)
