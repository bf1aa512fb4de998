"""Gates are told from pages, and pages that speak of gates are pages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.sources.faults import challenge
from tests.growth import assert_linear
from tests.site import CHINESE, GATE, PAGE


def page(title: str, said: str, source: str = "") -> bytes:
    return f"<!doctype html><html><head><title>{title}</title>{source}</head><body>{said}".encode()


SCRIPT = "<script>" + "var a = '<p>one two three</p>';" * 2000 + "</script>"

GATES = [
    (GATE, "Cloudflare"),
    (page("Access denied", "<script>window._pxAppId='PX1';</script>Press &amp; hold"), "Perimeter"),
    (page("shop.example", "<script src=https://geo.captcha-delivery.com/x.js></script>"), "DataD"),
    (page("Access Denied", "Reference #18.1 https://errors.edgesuite.net/18.1"), "Akamai"),
    (page("百度", "<form action='https://wappass.baidu.com/static/captcha/'>"), "Baidu"),
]
"""Each bears the mark of the software that made it. Words alone are for a judge to read."""


@pytest.mark.parametrize(("body", "who"), GATES)
def test_a_gate_is_recognised(body: bytes, who: str) -> None:
    found = challenge(body, {})
    assert found is not None
    assert who in found


@pytest.mark.parametrize(
    ("headers", "who"),
    [
        ({"cf-mitigated": "challenge"}, "Cloudflare"),
        ({"x-amzn-waf-action": "captcha"}, "AWS WAF"),
        ({"server": "cloudflare", "cf-ray": "8fcb"}, None),
    ],
)
def test_a_gate_may_say_so_in_its_headers(headers: dict[str, str], who: str | None) -> None:
    assert challenge(PAGE, headers) == who


ARTICLE = "<p>To verify you are human, sites once asked for a captcha. " + "Then bots learnt. " * 80


@pytest.mark.parametrize(
    "body",
    [
        page("Just a moment…", "Verifying you are human. This may take a few seconds."),
        page("Members", "You must be logged in to view this page."),
        PAGE,
        CHINESE.encode(),
        b"",
        b"Not here.",
        page("How captchas work", ARTICLE),
        page("How captchas work", ARTICLE, '<script src="/cdn-cgi/challenge-platform/x.js">'),
        page("验证码", "<p>很多网站会说:请完成安全验证。" + "这篇文章讲的是验证码的历史。" * 40),
        page("Contact", '<form>Name Message<div class="g-recaptcha"></div><button>Send</button>'),
        page("Newsletter", "Log in or subscribe. The tide rose by twelve metres on Monday."),
        page(
            "Shop", "Enable cookies for a better visit.", '<script src="/cdn-cgi/rum.js"></script>'
        ),
        page("Old site", "<!-- verify you are human --><style>.x{content:'captcha'}</style>Hello"),
    ],
)
def test_a_page_is_not_taken_for_a_gate(body: bytes) -> None:
    assert challenge(body, {}) is None


@given(
    st.lists(
        st.sampled_from([b"<", b">", b"<script", b"</script", b"<!--", b"-->", b"x ", b"\xff"])
    )
)
@settings(deadline=None, max_examples=40)
def test_any_bytes_are_read(pieces: list[bytes]) -> None:
    challenge(b"".join(pieces), {})


@pytest.mark.parametrize("piece", [b"<script", b"<!--", b"<", b"<>", b"<style>", b"&amp;", b"> "])
def test_hostile_bodies_cost_linear_time(piece: bytes) -> None:
    assert_linear(lambda body: challenge(body, {}), lambda size: piece * (size // len(piece)))
