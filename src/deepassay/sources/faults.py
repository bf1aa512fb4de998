"""What refusals, statuses and broken connections say about a page."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from deepassay.network import causes
from deepassay.sources.meter import Flood
from deepassay.sources.page import NAMES_LATER, NO_HOST, Failure, NoPage

if TYPE_CHECKING:
    from yarl import URL


_GONE = frozenset({400, 404, 410, 414})
_PAUSING = frozenset({429, 503})
_NETWORK_DOWN = frozenset(
    {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.ETIMEDOUT}
)

PRINTABLE: Final = "".join(map(chr, range(0x21, 0x7F)))
"""What stays as it is where other characters are written in percent."""


@dataclass(frozen=True)
class Passing:
    """A failure that may be gone at the next attempt. wait: seconds that the server asked for."""

    failure: NoPage
    wait: float | None = None


def address_of(url: str) -> URL:
    """The address as it is asked for: path and query as written, the name in its ASCII form.

    Raises ValueError for what is none. Whoever vets an address looks at this one.
    """
    from yarl import URL  # late: this file is loaded where nothing is fetched, too

    parsed = URL(url)
    if not parsed.raw_host or parsed.raw_user is not None or parsed.raw_password is not None:
        return parsed
    written = urlsplit(url)
    path, query, fragment = (
        quote(part, safe=PRINTABLE, errors="surrogatepass")
        for part in (written.path or "/", written.query, written.fragment)
    )
    rest = f"{path}{query and '?'}{query}{fragment and '#'}{fragment}"
    return URL(f"{parsed.scheme}://{parsed.host_port_subcomponent}{rest}", encoded=True)


def address_refusal(url: str) -> NoPage | None:
    """Why this is no address to ask anybody for, whatever it resolves to; None if it is one."""
    try:
        parsed = address_of(url)
        port = parsed.explicit_port
    except ValueError as error:
        return NoPage(url, Failure.GONE, f"This is not an address: {error}")
    if parsed.scheme not in ("http", "https"):
        return NoPage(url, Failure.REFUSED, f"Only http and https are read, not {parsed.scheme!r}.")
    if parsed.raw_user is not None or parsed.raw_password is not None:
        return NoPage(url, Failure.REFUSED, "An address with a user name in it is not read.")
    if not parsed.raw_host:
        return NoPage(url, Failure.GONE, "The address names no host.")
    if port is not None and not 0 < port < 65536:
        return NoPage(url, Failure.REFUSED, f"There is no port {port}.")
    return None


def failure_of(status: int) -> Failure:
    """What an HTTP status that is no success says about the page."""
    if status == 408:
        return Failure.TIMEOUT
    if status == 402:
        return Failure.PAYWALLED
    gone = status in _GONE or status < 400 or 500 <= status < 600
    return Failure.GONE if gone else Failure.BLOCKED


def unsuccessful(url: str, status: int, wait: float | None) -> NoPage | Passing:
    """The failure behind a status that is no success. wait: seconds, by Retry-After."""
    failure = NoPage(url, failure_of(status), f"The server answered with status {status}.", status)
    if status in _PAUSING and wait is not None:
        return Passing(failure, wait)
    return Passing(failure) if 500 <= status < 600 else failure


def failure_of_broken_request(url: str, error: Exception) -> NoPage | Passing:
    """What an exception of the network says about the page."""
    for cause in causes(error):
        if found := _lasting(cause):
            return NoPage(url, *found)
    if isinstance(error, TimeoutError):
        return Passing(NoPage(url, Failure.TIMEOUT, "The host did not answer in time."))
    told = str(error) or type(error).__name__
    return Passing(NoPage(url, Failure.GONE, f"The connection broke: {told[:200].rstrip('.')}."))


def _lasting(cause: BaseException) -> tuple[Failure, str] | None:
    """The failure behind a cause that another attempt would meet too."""
    import aiohttp

    found: tuple[Failure, str] | None = None
    match cause:
        case Flood():
            found = Failure.TOO_LARGE, f"Not read to its end: {cause}."
        case socket.gaierror(errno=socket.EAI_AGAIN):
            found = Failure.TIMEOUT, NAMES_LATER
        case socket.gaierror():
            found = Failure.GONE, NO_HOST
        case UnicodeError() | aiohttp.InvalidURL():
            found = Failure.GONE, "There is no such host: it is no name."
        case ssl.SSLEOFError():
            pass  # the connection was cut, perhaps by chance
        case ssl.SSLError() if getattr(cause, "reason", None):  # not aiohttp's own
            found = Failure.GONE, f"No secure connection: {cause.reason}."
        case ConnectionRefusedError():
            found = Failure.GONE, "The host refuses connections."
        case OSError() if cause.errno in _NETWORK_DOWN:
            found = Failure.TIMEOUT, "The network does not lead to the host."
    return found


# Bot checks come as pages. Only what a firm's own software writes is certain: a header, or a mark
# in the source of a page with next to no visible text, so that an article on captchas is a page.

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
    (b"window.kpsdk", "Kasada"),
    (b"anubis_challenge", "Anubis"),
    (b"/.well-known/ddos-guard/", "DDoS-Guard"),
    (b"/.well-known/vercel/security/", "Vercel"),
)


def challenge(body: bytes, headers: Mapping[str, str]) -> str | None:
    """Who certainly stands in front of the page (`Cloudflare`), or None.

    body: HTML or plain text, decoded of transport encodings. headers: names in lower case, or
    a mapping that does not mind. Linear in the body.
    """
    for name, value, who in _HEADERS:
        if headers.get(name, "").lower() == value:
            return who
    if len(body) > _LARGEST:
        return None
    lower = body.lower()
    found = next((who for mark, who in _SOURCE if mark in lower), None)
    return None if found is None or _says_much(lower) else found


def _says_much(html: bytes) -> bool:
    """Whether a visitor reads more than a gate says, title and `noscript` included."""
    size = 0
    for piece in _outside_tags(html):
        size += sum(len(word) + 1 for word in piece.split())
        if size > _MOST_SAID:
            return True
    return False


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
