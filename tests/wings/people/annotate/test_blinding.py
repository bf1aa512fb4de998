"""Nothing of a report tells who wrote it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.wings.people.annotate.blinding import MASK, Blinding, telling


@pytest.mark.parametrize(
    ("title", "names", "before", "after"),
    [
        ("in any case of letters", ["Onyx-7b"], "ONYX-7B and onyx 7b", f"{MASK} and {MASK}"),
        ("within a longer word", ["nightjar"], "the nightjars", f"the {MASK}s"),
        ("a short name as a word only", ["ace"], "Ace has a place", f"{MASK} has a place"),
        ("a name of two letters is in too many words", ["ai"], "maintain ai", "maintain ai"),
        ("a short name beside Chinese", ["heron"], "由heron撰写", f"由{MASK}撰写"),
        ("parts that markup divides", ["gpt-researcher"], "**gpt** researcher", f"**{MASK}"),
        ("an escape", ["gpt_researcher"], "gpt\\_researcher", MASK),
        ("an entity", ["gpt_researcher"], "&#103;pt_researcher", MASK),
        ("markup within a part", ["nightjar"], "by night**jar** and", f"by {MASK}** and"),
        ("a link within", ["nightjar"], "[night](https://a.example)jar", f"[{MASK}"),
        ("a tag within", ["nightjar"], "night<wbr>jar", MASK),
        ("what nobody sees", ["nightjar"], "night\u200b\u00adjar", MASK),
        ("a control", ["nightjar"], "night\x00jar", MASK),
        ("wide letters and accents", ["nightjar"], "ｎｉｇｈｔｊàｒ", MASK),
        ("letters that look alike", ["nightjar"], "nіghtjаr", MASK),
        (
            "an escape of an address",
            ["nightjar"],
            "https://n%69ghtjar.example/",
            f"https://{MASK}.example/",
        ),
        ("Chinese in an address", ["豆包"], "?by=%E8%B1%86%e5%8c%85!", f"?by={MASK}!"),
        ("spelled out", ["nightjar"], "n i-g-h.t j a r", MASK),
        ("an entity of an entity", ["nightjar"], "&amp;#110;ightjar", MASK),
        ("two words that meet", ["nightjar"], "a knight, jarring", "a knight, jarring"),
        ("Chinese with blanks", ["豆包"], "豆 **包**", f"{MASK}**"),
        ("two Chinese words that meet", ["豆包"], "红豆、包子", "红豆、包子"),
        ("Chinese", ["豆包"], "由豆包生成", f"由{MASK}生成"),
        (
            "what tells a site where its visitor came from",
            [],
            "See https://a.example/x?utm_source=onyx.ai&b=1 and https://b.example/?utm_medium=ai.",
            "See https://a.example/x?b=1 and https://b.example/",
        ),
        (
            "the same behind an entity",
            [],
            "https://a.example/?a=1&amp;utm_source=onyx.ai&amp;b=1",
            "https://a.example/?a=1&b=1",
        ),
        (
            "entities that hide no name stay",
            ["nightjar"],
            "`&amp;` by nightjar, https://a.example/?a=1&copy=2",
            f"`&amp;` by {MASK}, https://a.example/?a=1&copy=2",
        ),
        ("marks of questions stay", [], "Why? And how & when?", "Why? And how & when?"),
    ],
    ids=lambda each: each if isinstance(each, str) and " " in each else "",
)
def test_names_and_tracks_go(title, names, before, after):
    assert Blinding(names)(before) == after


def test_words_that_may_tell_are_counted_where_they_are_not_masked():
    texts = ["Claude wrote this.", "nightjar-pro-max, by nightjar", "By OpenAI and OPENAI."]
    found = telling(texts, Blinding(["Nightjar-Pro-Max", "openai"]))
    assert found == {"claude": 1, "nightjar": 1}


def test_all_forms_of_citation_become_one():
    linked = "Rain fell ([Met](https://a.example/1)).\n"
    numbered = "Rain fell [4].\n\n## Sources\n\n[4] Met https://a.example/1\n"
    shown = {Blinding([]).report(each).text.split("\n")[0] for each in (linked, numbered)}
    assert shown == {"Rain fell [1]."}


NAMES = st.lists(st.text("abcdefgh-", min_size=6, max_size=10), min_size=1, max_size=3)


@given(NAMES, st.lists(st.sampled_from([" ", ".", "\n", "(", "x", "汉"])), st.data())
def test_no_name_is_left_in_any_text(names, signs, data):
    names = [name for name in names if name.strip("-")]
    text = "".join(sign + data.draw(st.sampled_from(names or [""])).upper() for sign in signs)
    shown = Blinding(names)(text).lower()
    assert not [name for name in names if name in shown]
