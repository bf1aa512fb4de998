"""Canonical addresses, and addresses read out of running text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.text import canonical, is_redirect, match_url

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
