"""Answers as providers send them: each interface, offsets of three kinds, and what is written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.reports.answers import (
    Annotation,
    AnswerPart,
    ProviderAnswer,
    Source,
    answer_as_markdown,
    answer_of,
)
from deepassay.reports.answers.writing import unit_of
from deepassay.reports.report import Report
from tests.growth import assert_linear

A, B = "https://a.example/1", "https://b.example/2"
WIDTHS = {
    "characters": len,
    "utf16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf8": lambda text: len(text.encode()),
}


def place(text, words, unit="characters"):
    """Where words stand in a text, as a provider counts."""
    start = text.index(words)
    return WIDTHS[unit](text[:start]), WIDTHS[unit](text[: start + len(words)])


def url_citation(text, words, url, unit="characters", **more):
    start, end = place(text, words, unit)
    return {"type": "url_citation", "start_index": start, "end_index": end, "url": url, **more}


def responses(text, annotations):
    content = [{"type": "output_text", "text": text, "annotations": annotations}]
    output = [{"type": "reasoning"}, {"type": "message", "content": content}]
    return {"object": "response", "status": "completed", "output": output}


def supported(json_of_provider):
    """Each statement with the addresses that it leads to, as the readers of reports see it."""
    report = Report(answer_as_markdown(answer_of(json_of_provider)).text)
    return [(each.text, each.urls) for each in report.statements]


LINKED = f"The tide rises ([a.example]({A}?utm_source=openai)). It falls."
SAID = "Die Küste 😀 wächst. Tides rise twice a day. 海岸线在移动。后退很快。"
CITE = "\ue200cite\ue202turn0search1\ue201"
EXPORTED = f"Tides rise 【3†L10-L20】. They fall {CITE}. End \ue200navlist\ue202x\ue201"
GEMINI = {
    "groundingChunks": [{"web": {"uri": A, "title": "One"}}, {"web": {"uri": B, "title": "Two"}}],
    "groundingSupports": [
        {
            "segment": {
                "startIndex": place(SAID, "Tides rise twice a day.", "utf8")[0],
                "endIndex": place(SAID, "Tides rise twice a day.", "utf8")[1],
                "text": "Tides rise twice a day.",
                "partIndex": 1,
            },
            "groundingChunkIndices": [0, 1],
        }
    ],
}
TWO = ("Tides rise.", (A,)), ("They fall.", (B,))

ANSWERS = [
    (
        "OpenAI Responses: a link stands in the text",
        responses(LINKED, [url_citation(LINKED, f"([a.example]({A}?utm_source=openai))", A)]),
        [("The tide rises.", (f"{A}",)), ("It falls.", ())],
    ),
    (
        "OpenAI Responses: offsets alone",
        responses(
            "Tides rise. They fall.",
            [
                url_citation("Tides rise. They fall.", "They fall.", B),
                url_citation("Tides rise. They fall.", "Tides rise.", A, title="One"),
            ],
        ),
        [*TWO],
    ),
    (
        "Chat Completions with annotations inside `url_citation`",
        {
            "choices": [
                {
                    "message": {
                        "content": "Tides rise. They fall.",
                        "annotations": [
                            {
                                "type": "url_citation",
                                "url_citation": {"start_index": 0, "end_index": 11, "url": A},
                            }
                        ],
                    }
                }
            ]
        },
        [("Tides rise.", (A,)), ("They fall.", ())],
    ),
    (
        "Perplexity: markers of its own, and a list",
        {
            "search_results": [{"title": "One", "url": A, "date": None}, {"url": B}],
            "choices": [
                {"message": {"content": "<think>So.</think>\n\nTides rise[1]. They fall[2]."}}
            ],
        },
        [*TWO],
    ),
    (
        "Perplexity's asynchronous interface, bare addresses",
        {
            "status": "COMPLETED",
            "response": {
                "citations": [A, B],
                "choices": [{"message": {"content": "Tides rise[1]. They fall[2]."}}],
            },
        },
        [*TWO],
    ),
    (
        "a source without an address holds its place, and the others are kept",
        {
            "search_results": [{"url": A}, None, {"title": "A book"}, {"url": B}],
            "choices": [{"message": {"content": "Tides rise[1]. Some say so[2]. They fall[4]."}}],
        },
        [TWO[0], ("Some say so.", ()), TWO[1]],
    ),
    (
        "Anthropic Messages: talk before the search is left out",
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me search for that."},
                {"type": "server_tool_use", "name": "web_search"},
                {"type": "web_search_tool_result", "content": []},
                {"type": "text", "text": "So: "},
                {
                    "type": "text",
                    "text": "tides rise.",
                    "citations": [
                        {"type": "web_search_result_location", "url": A, "cited_text": "rise"},
                        {"type": "char_location", "document_title": "My file"},
                    ],
                },
                {"type": "text", "text": " They fall."},
            ],
        },
        [("So: tides rise.", (A,)), ("They fall.", ())],
    ),
    (
        "Gemini generateContent: bytes of a part, thoughts left out",
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": "Hm.", "thought": True}, {"text": SAID}]},
                    "groundingMetadata": GEMINI,
                }
            ]
        },
        [
            ("Die Küste 😀 wächst.", ()),
            ("Tides rise twice a day.", (A, B)),
            ("海岸线在移动。", ()),
            ("后退很快。", ()),
        ],
    ),
    (
        "Gemini Interactions",
        {
            "status": "completed",
            "outputs": [
                {"type": "thought", "summary": "Hm."},
                {
                    "type": "text",
                    "text": "Tides rise. They fall.",
                    "annotations": [{"start_index": 0, "end_index": 11, "source": A}],
                },
            ],
        },
        [("Tides rise.", (A,)), ("They fall.", ())],
    ),
    (
        "Gemini's agents: markers of its own, and a list",
        {
            "outputs": [
                {
                    "text": f"[cite_start]Tides rise [cite: 1]. They fall [cite: 2].\n\n"
                    f"**Sources:**\n1. [a.example]({A})\n2. [b.example]({B})"
                }
            ]
        },
        [*TWO],
    ),
    (
        "ChatGPT's export: markers that `content_references` explains",
        {
            "content": {"content_type": "text", "parts": [EXPORTED]},
            "metadata": {
                "content_references": [
                    {"matched_text": "【3†L10-L20】", "start_idx": 11, "end_idx": 22, "url": A},
                    {
                        "matched_text": CITE,
                        "start_idx": 1,
                        "end_idx": 2,
                        "items": [{"url": B}, {"url": A}],
                    },
                    {"matched_text": " ", "type": "sources_footnote", "sources": [{"url": B}]},
                ]
            },
        },
        [("Tides rise.", (A,)), ("They fall.", (A, B)), ("End", ())],
    ),
    (
        "Assistants: markers that annotations quote",
        {
            "content": [
                {
                    "type": "text",
                    "text": {
                        "value": "Tides rise【4:0†source】. They fall.",
                        "annotations": [
                            {
                                "type": "url_citation",
                                "text": "【4:0†source】",
                                "start_index": 10,
                                "end_index": 22,
                                "url_citation": {"url": A, "title": "One"},
                            }
                        ],
                    },
                }
            ]
        },
        [("Tides rise.", (A,)), ("They fall.", ())],
    ),
    (
        "a text of its own numbers gets links",
        {
            "text": f"Tides rise[7]. They fall.\n\n## References\n[7] One: {A}\n",
            "annotations": [{"url": B, "start_index": 15, "end_index": 25}],
        },
        [*TWO],
    ),
]


@pytest.mark.parametrize(
    ("value", "expected"), [row[1:] for row in ANSWERS], ids=[r[0] for r in ANSWERS]
)
def test_statements_lead_to_what_the_provider_says(value, expected):
    found = [
        (text, tuple(url.partition("?utm")[0] for url in urls)) for text, urls in supported(value)
    ]
    assert found == [*expected]


@pytest.mark.parametrize("unit", WIDTHS)
def test_what_offsets_count_is_found_without_being_told(unit):
    notes = [
        url_citation(SAID, words, url, unit)
        for words, url in (("Tides rise twice a day.", A), ("海岸线在移动。", B))
    ]
    answer = answer_of(responses(SAID, notes))
    assert unit_of(answer) == (unit, True)
    assert dict(supported(responses(SAID, notes)))["海岸线在移动。"] == (B,)


SENTENCES = [
    "Tides rise twice a day.",
    "Wir messen über Nacht.",
    "A 😀 helps nobody.",
    "海岸线在移动。",
    "No figure of it is known so far.",
    "这很快！",
    "Who measures?",
]


@given(
    st.permutations(SENTENCES),
    st.sampled_from(sorted(WIDTHS)),
    st.data(),
)
@settings(deadline=None, max_examples=60)
def test_every_stretch_gets_its_source_whatever_is_counted(sentences, unit, data):
    chosen = data.draw(st.sets(st.integers(0, len(sentences) - 1), min_size=3))
    text, spans = "# 标题 😀\n\n", []
    for sentence in sentences:
        spans.append((len(text), len(text) + len(sentence)))
        text += sentence + " "
    width = WIDTHS[unit]
    notes = tuple(
        Annotation(
            (Source(f"https://x.example/{at}"),),
            width(text[: spans[at][0]]),
            width(text[: spans[at][1]]),
        )
        for at in sorted(chosen)
    )
    report = Report(
        answer_as_markdown(ProviderAnswer("responses", (AnswerPart(text, notes),))).text
    )
    found = [() if each.inherited else each.urls for each in report.statements]
    assert found == [
        (f"https://x.example/{at}",) if at in chosen else () for at in range(len(sentences))
    ]


def test_stretches_that_fall_nowhere_set_no_marker_and_are_listed():
    text = "The tide in the harbour rises slowly. It falls again later."
    notes = [{"url": A, "start_index": at, "end_index": at + 7} for at in (5, 13, 22, 31)]
    report = answer_as_markdown(answer_of({"text": text, "annotations": notes}))
    assert report.text.startswith(text + "\n\n## References\n\n[1] a.example: ")
    assert report.steps == ("offsets:unknown", "list")


BEGUN = "Tides rise twice a day. They fall. Nobody measures."


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (BEGUN.index("They"), "Tides rise twice a day. They fall [1]. Nobody measures."),
        (BEGUN.index(" They"), "Tides rise twice a day [1]. They fall. Nobody measures."),
    ],
)
def test_what_only_begins_is_the_sentence_there_or_the_place_behind_one(start, expected):
    answer = answer_of({"text": BEGUN, "annotations": [{"url": A, "start_index": start}]})
    assert answer_as_markdown(answer).text.partition("\n")[0] == expected


def test_the_list_has_no_parameters_of_campaigns_and_names_what_has_only_a_title():
    several = [{"url": f"{A}?utm_medium=x&q=1&utm_campaign=y"}, None, {"title": "Boats"}]
    found = answer_as_markdown(answer_of({"text": "Rose [1].", "citations": several})).text
    assert found.endswith(f"\n\n## References\n\n[1] a.example: {A}?q=1\n[3] Boats\n")


def annotated(sentence, quote=""):
    """An answer of one sentence again and again, with a source for each, so many in all."""

    def made(size):
        several = [
            Annotation((Source(f"https://s{at}.example/"),), *place(at), quote)
            for at in range(size // len(sentence))
        ]
        return ProviderAnswer("text", (AnswerPart(sentence * len(several), tuple(several)),))

    def place(at):
        end = (at + 1) * len(sentence)
        return (at * len(sentence), end - 1) if not quote else (end, end)

    return made


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Tides rise. ", ""),
        ("See [it](https://s1.example/) now. ", ""),
        ("Rise `x`【1】. ", "【1】"),
        ("\n```\nx\n```\nRise.\n\n", ""),
    ],
)
def test_time_is_linear_in_annotations(sentence, quote):
    assert_linear(answer_as_markdown, annotated(sentence, quote), 12_000 if not quote else 5_000)


def test_a_marker_is_set_in_no_link_no_word_and_no_code():
    text = f"See [the tide]({B}) here.\n\n```\nx = 1\n```\n"
    notes = (
        Annotation((Source(A),), 4, text.index("tide")),
        Annotation((Source(A),), text.index("here"), text.index("here") + 4),
        Annotation((Source(A),), text.index("x ="), text.index("x =") + 5, "x = 1"),
    )
    found = answer_as_markdown(ProviderAnswer("text", (AnswerPart(text, notes),))).text
    assert found.startswith(f"See [the tide]({B}) [1] here [1].\n\n```\nx = 1\n```\n")


def test_a_list_is_not_written_twice_and_a_chinese_one_is_named_in_chinese():
    said = {"text": f"Tides rise [1].\n\n## Sources\n[1] One: {A}\n", "citations": [A]}
    assert answer_as_markdown(answer_of(said)).steps == ()
    chinese = {"text": "潮汐每天上涨两次[1]。", "citations": [A]}
    assert "## 参考文献\n\n[1] a.example" in answer_as_markdown(answer_of(chinese)).text


def test_an_end_before_the_end_is_told():
    cut = {"status": "incomplete", "output": [{"type": "message", "content": "Half"}]}
    assert answer_of(cut).status == "incomplete"
    assert answer_of(
        {"choices": [{"finish_reason": "length", "message": {"content": "Half"}}]}
    ).status
    assert not answer_of(responses("Whole.", [])).status


def test_a_streamed_answer_of_gemini_is_put_together():
    pieces = [
        {"candidates": [{"content": {"parts": [{"text": "Tides "}]}}]},
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": "rise."}]},
                    "groundingMetadata": {
                        "groundingChunks": [{"web": {"uri": A}}],
                        "groundingSupports": [
                            {"segment": {"endIndex": 11}, "groundingChunkIndices": [0]}
                        ],
                    },
                }
            ]
        },
    ]
    assert supported(pieces) == [("Tides rise.", (A,))]


def test_the_last_answer_of_an_exported_conversation_is_taken():
    def message(role, text, time):
        content = {"content_type": "text", "parts": [text]}
        said = {"author": {"role": role}, "create_time": time, "content": content, "metadata": {}}
        return {"message": said}

    nodes = {
        "c": message("assistant", "Tides rise.", 3),
        "a": {"message": None},
        "b": message("assistant", "May I ask?", 1),
        "d": message("user", "Thanks", 4),
    }
    assert answer_of({"mapping": nodes}).text == "Tides rise."


@pytest.mark.parametrize(
    "value", [None, 3, "x", [], [1], {}, {"tokens": 3}, {"text": "x"}, {"output": "x"}]
)
def test_other_json_is_no_answer(value):
    assert answer_of(value) is None


def places(value, above=()):
    """Where in parsed JSON something stands: the keys and indexes that lead there."""
    yield above
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value if isinstance(value, list) else ())
    )
    for key, inner in pairs:
        yield from places(inner, (*above, key))


def replaced(value, place, by):
    if not place:
        return by
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = replaced(value[place[0]], place[1:], by)
    return copy


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 99) | st.sampled_from(["", A, "潮😀."]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
)


@given(st.sampled_from([row[1] for row in ANSWERS]), st.data())
@settings(deadline=None, max_examples=60)
def test_no_json_makes_the_readers_raise_and_what_is_written_is_written_once(value, data):
    for _ in range(data.draw(st.integers(1, 2))):
        value = replaced(value, data.draw(st.sampled_from(list(places(value)))), data.draw(ODD))
    answer = answer_of(value)
    if answer is not None:
        report = answer_as_markdown(answer)
        assert (
            answer_as_markdown(ProviderAnswer("text", (AnswerPart(report.text),))).text
            == report.text
        )
