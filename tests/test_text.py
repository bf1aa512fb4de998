"""Canonical addresses, and addresses read out of running text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.text import KEY_RUN, canonical, first_few, is_redirect, match_url, unkeyed

SAME = [
    ("HTTPS://News.Example/A", "https://news.example/A"),
    ("https://news.example", "https://news.example/"),
    ("https://news.example:443/a", "https://news.example/a"),
    ("http://news.example:80/a", "http://news.example/a"),
    ("http://news.example:8080/a", "http://news.example:8080/a"),
    ("https://news.example/a#top", "https://news.example/a"),
    ("https://news.example/a#:~:text=one%20two", "https://news.example/a"),
    ("https://news.example/a?utm_source=openai", "https://news.example/a"),
    ("https://news.example/a?id=3&UTM_Campaign=x&p=2", "https://news.example/a?id=3&p=2"),
    ("https://news.example?id=3", "https://news.example/?id=3"),
    ("https://news.example/%e4%b8%ad", "https://news.example/%E4%B8%AD"),
    ("https://news.example/a\\_b", "https://news.example/a_b"),
    ("https://news.example/?a=1&amp;b=2", "https://news.example/?a=1&b=2"),
    ("<https://news.example/a> ", "https://news.example/a"),
    ("www.news.example/a", "https://www.news.example/a"),
    ("news.example/a", "https://news.example/a"),
    ("//news.example/a", "https://news.example/a"),
    ("doi:10.1000/Ab.1", "https://doi.org/10.1000/Ab.1"),
    ("https://user@news.example./a", "https://user@news.example/a"),
    ("https://zh.example/wiki/中产阶级", "https://zh.example/wiki/中产阶级"),
]


@pytest.mark.parametrize(("url", "expected"), SAME)
def test_an_address_has_one_spelling(url, expected):
    assert canonical(url) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://news.example/a", "https://news.example/b"),
        ("https://news.example/a", "https://news.example/A"),
        ("https://news.example/a", "https://news.example/a/"),
        ("https://news.example/a?id=1", "https://news.example/a?id=2"),
        ("https://news.example/a", "https://www.news.example/a"),
    ],
)
def test_different_pages_keep_different_addresses(one, other):
    assert canonical(one) != canonical(other)


@given(st.text(max_size=60) | st.text(alphabet="htps:/?#[]@%&=.a1 \\\ud800中", max_size=40))
@settings(deadline=None)
def test_no_junk_makes_an_address_raise(junk):
    assert canonical(canonical(junk)) == canonical(junk)
    assert is_redirect(junk) in {True, False}
    assert all(addresses(junk))


def addresses(text):
    """The addresses in a text, one after the other."""
    at = 0
    found = []
    while at < len(text):
        end = match_url(text, at, len(text))
        if end is not None:
            found.append(text[at:end])
        at = end or at + 1
    return found


FOUND = [
    ("See https://a.example/x.", ["https://a.example/x"]),
    ("(https://a.example/x_(y)), and", ["https://a.example/x_(y)"]),
    ("(see https://a.example/x).", ["https://a.example/x"]),
    ("“https://a.example/x”，下", ["https://a.example/x"]),
    ("见https://a.example/x。下", ["https://a.example/x"]),
    ("https://a.example/x的报告", ["https://a.example/x"]),
    ("https://zh.example/wiki/中产阶级 - 百科", ["https://zh.example/wiki/中产阶级"]),
    ("（https://a.example/x）", ["https://a.example/x"]),
    ("**https://a.example/x**", ["https://a.example/x"]),
    ("https://a.example/a\\_b?c=%20d&e=f;g", ["https://a.example/a\\_b?c=%20d&e=f;g"]),
    ("www.a.example/x, wwww.b.example", ["www.a.example/x"]),
    ("https://a.example/x https://b.example/y", ["https://a.example/x", "https://b.example/y"]),
    ("| https://a.example/x|https://b.example/y |", ["https://a.example/x", "https://b.example/y"]),
    ("https:// and http", []),
]


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_addresses_end_where_the_sentence_goes_on(text, expected):
    assert addresses(text) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZ", True),
        ("https://www.google.com/url?q=https://a.example", True),
        ("https://www.bing.com/ck/a?!&&p=1", True),
        ("https://duckduckgo.com/l/?uddg=x", True),
        ("https://www.baidu.com/link?url=x", True),
        ("https://cloud.google.com/vpc", False),
        ("https://www.google.com/about", False),
        ("https://a.example/url?q=1", False),
    ],
)
def test_redirects_of_search_providers_are_told_apart(url, expected):
    assert is_redirect(url) is expected


KEYS = st.text(st.sampled_from("abcdeS-_019"), min_size=8, max_size=40)
SAID = st.text(st.sampled_from('xyz {}".中'), max_size=30)


@settings(deadline=None, max_examples=100)
@given(KEYS, SAID, SAID, st.data())
def test_no_key_and_no_long_run_of_it_is_told(key, before, after, data):
    length = min(len(key), KEY_RUN)
    start = data.draw(st.integers(0, len(key) - length))
    end = data.draw(st.integers(start + length, len(key)))
    told = unkeyed(before + key[start:end] + after + key, key)
    assert told == f"{before}(the key){after}(the key)" or not after
    assert not any(key[at : at + length] in told for at in range(len(key) - length + 1))


@settings(deadline=None)
@given(SAID, KEYS)
def test_a_text_without_the_key_stays_as_it_is(text, key):
    assert unkeyed(text, key) == text
    assert unkeyed(text, None) == text


def test_what_is_too_short_for_a_secret_is_left_in_texts():
    assert unkeyed("EMPTY shelves, none left", "none") == "EMPTY shelves, none left"


@pytest.mark.parametrize(
    "spelled", [r"sk-\u0061\u0062c/d3f-0123", r"sk-abc\/d3f-0123", "sk-abc/d3f-0123"]
)
def test_a_key_that_json_spells_with_escapes_is_found(spelled):
    assert unkeyed(f'{{"reason": "{spelled} \\u0022quoted"}}', "sk-abc/d3f-0123") == (
        '{"reason": "(the key) \\u0022quoted"}'
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c", "d"], "a, b and 2 more")],
)
def test_of_many_names_a_few_are_said_and_how_many_others_there_are(names, said):
    assert first_few(names, 2) == said
