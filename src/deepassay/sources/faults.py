"""What refusals, statuses and broken connections say about a page."""

from __future__ import annotations

import errno
import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from deepassay.network import causes
from deepassay.sources.page import Failure, NoPage

if TYPE_CHECKING:
    from yarl import URL

_GONE = frozenset({400, 404, 410, 414})
_PAUSING = frozenset({429, 503})
_NETWORK_DOWN = frozenset(
    {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.ETIMEDOUT}
)

_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))

NO_HOST = "There is no such host."


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
        quote(part, safe=_PRINTABLE, errors="surrogatepass")
        for part in (written.path or "/", written.query, written.fragment)
    )
    rest = f"{path}{query and '?'}{query}{fragment and '#'}{fragment}"
    return URL(f"{parsed.scheme}://{parsed.host_port_subcomponent}{rest}", encoded=True)


def refusal(url: str) -> NoPage | None:
    """Why this is no address to ask anybody for, whatever it resolves to; None if it is one."""
    try:
        parsed = address_of(url)
        port = parsed.explicit_port
    except ValueError as error:
        return NoPage(url, Failure.DEAD, f"This is not an address: {error}")
    if parsed.scheme not in ("http", "https"):
        return NoPage(url, Failure.REFUSED, f"Only http and https are read, not {parsed.scheme!r}.")
    if parsed.raw_user is not None or parsed.raw_password is not None:
        return NoPage(url, Failure.REFUSED, "An address with a user name in it is not read.")
    if not parsed.raw_host:
        return NoPage(url, Failure.DEAD, "The address names no host.")
    if port is not None and not 0 < port < 65536:
        return NoPage(url, Failure.REFUSED, f"There is no port {port}.")
    return None


def failure_of(status: int) -> Failure:
    """What an HTTP status that is no success says about the page."""
    if status == 408:
        return Failure.TIMEOUT
    gone = status in _GONE or status < 400 or 500 <= status < 600
    return Failure.DEAD if gone else Failure.BLOCKED


def unsuccessful(url: str, status: int, wait: float | None) -> NoPage | Passing:
    """The failure behind a status that is no success. wait: seconds, by Retry-After."""
    failure = NoPage(url, failure_of(status), f"The server answered with status {status}.", status)
    if status in _PAUSING and wait is not None:
        return Passing(failure, wait)
    return Passing(failure) if 500 <= status < 600 else failure


def broken(url: str, error: Exception) -> NoPage | Passing:
    """What an exception of the network says about the page."""
    for cause in causes(error):
        if found := _lasting(cause):
            return NoPage(url, *found)
    if isinstance(error, TimeoutError):
        return Passing(NoPage(url, Failure.TIMEOUT, "The host did not answer in time."))
    told = str(error) or type(error).__name__
    return Passing(NoPage(url, Failure.DEAD, f"The connection broke: {told[:200].rstrip('.')}."))


def _lasting(cause: BaseException) -> tuple[Failure, str] | None:
    """The failure behind a cause that another attempt would meet too."""
    import aiohttp

    found: tuple[Failure, str] | None = None
    match cause:
        case socket.gaierror(errno=socket.EAI_AGAIN):
            found = Failure.TIMEOUT, "Names could not be looked up: is there a network?"
        case socket.gaierror():
            found = Failure.DEAD, NO_HOST
        case UnicodeError() | aiohttp.InvalidURL():
            found = Failure.DEAD, "There is no such host: it is no name."
        case ssl.SSLEOFError():
            pass  # the connection was cut, perhaps by chance
        case ssl.SSLError() if getattr(cause, "reason", None):  # not aiohttp's own
            found = Failure.DEAD, f"No secure connection: {cause.reason}."
        case ConnectionRefusedError():
            found = Failure.DEAD, "The host refuses connections."
        case OSError() if cause.errno in _NETWORK_DOWN:
            found = Failure.TIMEOUT, "The network does not lead to the host."
    return found
