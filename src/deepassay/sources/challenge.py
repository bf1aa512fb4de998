"""Telling a page from the gate in front of it: bot checks and login walls that come as pages.

A gate says little and says it in set phrases. So only pages with next to no visible text are
looked at, and an article about captchas is a page. What is missed costs a wrong "unsupported";
what is wrongly taken for a gate costs a good page: in doubt it is a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_LARGEST = 200_000  # bytes of HTML; gates with their scripts stay well below
_MOST_SAID = 1_200  # visible bytes; in UTF-8 an ideograph, which says more, has three

_HEADERS = (
    ("cf-mitigated", "challenge", "Cloudflare"),
    ("x-amzn-waf-action", "challenge", "AWS WAF"),
    ("x-amzn-waf-action", "captcha", "AWS WAF"),
)
# What stands in the source of a gate and not in pages that the same firm merely delivers.
_SOURCE = (
    (b"_cf_chl_opt", "Cloudflare"),
    (b"cf-browser-verification", "Cloudflare"),
    (b'id="challenge-error-text"', "Cloudflare"),
    (b"_pxappid", "PerimeterX"),
    (b"px-captcha", "PerimeterX"),
    (b"captcha.px-cdn.net", "PerimeterX"),
    (b"captcha-delivery.com", "DataDome"),
    (b"_incapsula_resource", "Imperva"),
    (b"errors.edgesuite.net", "Akamai"),
    (b"sec-if-cpt-container", "Akamai"),
    (b"awswafcookiedomainlist", "AWS WAF"),
    (b"/.well-known/sgcaptcha", "SiteGround"),
    (b"sucuri_cloudproxy_js", "Sucuri"),
    (b"ak_bmsc_challenge", "Akamai"),
    (b"wappass.baidu.com/static/captcha", "Baidu"),
    (b"_waf_bd8ce2ce37", "Alibaba Cloud"),
    (b"aliyun_waf_aa", "Alibaba Cloud"),
)
_BOT_CHECK = "a check for robots"
_LOGIN = "a login wall"
_PHRASES = (
    ("just a moment...", "Cloudflare"),
    ("attention required! | cloudflare", "Cloudflare"),
    ("sorry, you have been blocked", "Cloudflare"),
    ("checking if the site connection is secure", "Cloudflare"),
    ("needs to review the security of your connection", "Cloudflare"),
    ("incapsula incident id", "Imperva"),
    ("pardon our interruption", "Imperva"),
    ("you don't have permission to access", "a refusal"),
    ("enable javascript and cookies to continue", _BOT_CHECK),
    ("please enable js and disable any ad blocker", _BOT_CHECK),
    ("verify you are human", _BOT_CHECK),
    ("verify that you are human", _BOT_CHECK),
    ("verify you are a human", _BOT_CHECK),
    ("verifying you are human", _BOT_CHECK),
    ("verify you're not a robot", _BOT_CHECK),
    ("verify that you're not a robot", _BOT_CHECK),
    ("verify you are not a robot", _BOT_CHECK),
    ("confirm you are human", _BOT_CHECK),
    ("confirm you are a human", _BOT_CHECK),
    ("making sure you're not a bot", _BOT_CHECK),
    ("are you a robot?", _BOT_CHECK),
    ("robot or human?", _BOT_CHECK),
    ("checking your browser before", _BOT_CHECK),
    ("press & hold to confirm", _BOT_CHECK),
    ("unusual traffic from your computer network", _BOT_CHECK),
    ("detected unusual activity from your", _BOT_CHECK),
    ("complete the captcha", _BOT_CHECK),
    ("complete the security check to access", _BOT_CHECK),
    ("请完成安全验证", _BOT_CHECK),
    ("百度安全验证", _BOT_CHECK),
    ("请完成下列验证", _BOT_CHECK),
    ("请进行人机验证", _BOT_CHECK),
    ("您的网络环境存在异常", _BOT_CHECK),
    ("当前环境异常", _BOT_CHECK),
    ("请拖动滑块", _BOT_CHECK),
    ("please log in to continue", _LOGIN),
    ("please sign in to continue", _LOGIN),
    ("you must be logged in to view", _LOGIN),
    ("you must log in to continue", _LOGIN),
    ("log in to facebook", _LOGIN),
    ("请登录后查看", _LOGIN),
    ("登录后继续浏览", _LOGIN),
    ("登录后查看更多", _LOGIN),
)
_QUOTES = str.maketrans({"’": "'", "…": "..."})
_ENTITIES = (("&amp;", "&"), ("&#39;", "'"), ("&#x27;", "'"), ("&rsquo;", "'"), ("&nbsp;", " "))


def challenge(body: bytes, headers: Mapping[str, str]) -> str | None:
    """Who stands in front of the page (`Cloudflare`, `a login wall`), or None if it is a page.

    body: HTML or plain text, decoded of transport encodings. headers: names in lower case, or
    a mapping that does not mind. Linear in the body.
    """
    for name, value, who in _HEADERS:
        if headers.get(name, "").lower() == value:
            return who
    if len(body) > _LARGEST:
        return None
    lower = body.lower()
    said = _said(lower)
    if said is None:
        return None
    marks = (who for mark, who in _SOURCE if mark in lower)
    phrases = (who for phrase, who in _PHRASES if phrase in said)
    return next(marks, None) or next(phrases, None)


def _said(html: bytes) -> str | None:
    """What a visitor reads, title and `noscript` included; None if it is much. In lower case."""
    words: list[bytes] = []
    size = 0
    for piece in _outside_tags(html):
        for word in piece.split():
            words.append(word)
            size += len(word) + 1
            if size > _MOST_SAID:
                return None
    raw = b" ".join(words)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("gb18030", "replace")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text.translate(_QUOTES)


def _outside_tags(html: bytes) -> Iterator[bytes]:
    """The pieces between tags; nothing of scripts, styles and comments. Linear."""
    at = 0
    while (tag := html.find(b"<", at)) >= 0:
        yield html[at:tag]
        end = b">"
        for opening, closing in (
            (b"<script", b"</script"),
            (b"<style", b"</style"),
            (b"<!--", b"-->"),
        ):
            if html.startswith(opening, tag):
                end = closing
        close = html.find(end, tag + 1)
        if close < 0:  # an unclosed one hides the rest from visitors too
            return
        at = close + (3 if end == b"-->" else 0 if end != b">" else 1)
    yield html[at:]
