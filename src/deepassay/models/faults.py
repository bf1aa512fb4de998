"""The providers' many ways to fail, in the words of `FaultKind`. Loads no library.

The tables were found by trying: see the tests, which bring about each of these ends. What
pydantic-ai and its HTTP client raise is told in `direct`.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Any, Final

from deepassay.models.client import Fault, FaultKind
from deepassay.models.usage import Usage
from deepassay.network import causes, retry_after
from deepassay.text import unkeyed


class HttpError(Exception):
    """An answer with another status than 200. body: JSON, or text where it is none."""

    def __init__(self, status_code: int, headers: Mapping[str, str], body: object) -> None:
        super().__init__(f"status {status_code}")
        self.status_code = status_code
        self.headers = headers
        self.body = body


AUTHORITY: Final = "if an authority of your own signed it, name a file with it in SSL_CERT_FILE"
PROXY: Final = "if a proxy leads there, name it in HTTPS_PROXY"
NO_SERVER: Final = f"there is no server of this name; {PROXY}"
TOO_SLOW: Final = f"no connection in time; {PROXY}"
_NO_WAY: Final = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})

_STATUS = {
    400: FaultKind.REJECTED,
    401: FaultKind.ACCESS,
    402: FaultKind.ACCESS,
    403: FaultKind.ACCESS,
    404: FaultKind.ACCESS,
    408: FaultKind.SERVER,
    409: FaultKind.SERVER,
    413: FaultKind.OVERFLOW,
    422: FaultKind.REJECTED,
    425: FaultKind.SERVER,
    429: FaultKind.RATE_LIMIT,
}


_CODES = {
    "content_filter": FaultKind.REFUSED,
    "content_policy_violation": FaultKind.REFUSED,
    "context_length_exceeded": FaultKind.OVERFLOW,
    "insufficient_quota": FaultKind.ACCESS,
    "billing_hard_limit_reached": FaultKind.ACCESS,
    "credit_balance_exhausted": FaultKind.ACCESS,
    "organization_spend_limit_exceeded": FaultKind.ACCESS,
    "organization_usage_limit_exceeded": FaultKind.ACCESS,
    "project_spend_limit_exceeded": FaultKind.ACCESS,
}
# A gateway says 403 both to a locked door and to a prompt that its moderation flagged.
_MODERATED = re.compile(r"moderation|moderated|content.policy|content.filter|\bflagged\b")
_ABOUT_THE_CALLER = re.compile(r"\b(?:account|api.key|organi[sz]ation|billing)\b")
_TOO_LONG = re.compile(
    r"context.(?:size|length|window)|prompt is too long|input is too long|too many (?:input )?"
    r"tokens|reduce the length of the messages|(?:token count|input tokens?)\b.{0,80}\bexceed"
)


def fault_of(error: Exception, key: str | None, told: FaultKind | None = None) -> Fault:
    """The fault that an exception stands for.

    told: what its class says, where a library has classes for it; a code of the provider's goes
    before it. The detail is the provider's own words, without the key, should they hold it. The
    exception itself is to be dropped: what caused it holds the request with its key.
    """
    if (unreached := _unreached(error)) is not None:
        return unreached
    status = getattr(error, "status_code", None)
    return Fault(
        _kind(error, status, told),
        _detail(error, status, key),
        status=status,
        retry_after=_wait(getattr(error, "headers", None) or {}, error),
    )


def empty(thought: int, usage: Usage | None) -> Fault:
    """The fault of a model that ended and gave no answer.

    thought: characters of its thinking. usage: of that, where the provider says.
    """
    detail = "the model gave an empty answer"
    if thought:
        detail = f"the model thought ({thought} characters) and gave no answer"
    return Fault(FaultKind.EMPTY, detail, status=200, usage=usage)


def fault_of_broken_request(error: Exception) -> Fault:
    """The fault of a request that brought no whole answer. It may quote what came."""
    if (unreached := _unreached(error)) is not None:
        return unreached
    if isinstance(error, TimeoutError):
        return Fault(FaultKind.TIMEOUT, "nothing came back in time")
    return Fault(FaultKind.CONNECTION, f"{type(error).__name__}: {error}")


def proxy_refused(status: int) -> Fault:
    """The fault of a proxy that leads nowhere."""
    kind = FaultKind.ACCESS if status in (401, 403, 407) else FaultKind.CONNECTION
    return Fault(kind, f"the proxy of the environment (HTTPS_PROXY) refused: status {status}")


def _unreached(error: Exception) -> Fault | None:
    """The fault of a server that was never connected to; None where it was.

    A certificate and a name are the same a moment later: what they fail with does not pass, and
    is told once for all questions, as a refused key is.
    """
    for cause in causes(error):
        if (found := _never_connected(cause)) is not None:
            return Fault(*found)
    return None


def _never_connected(cause: BaseException) -> tuple[FaultKind, str] | None:
    """What a cause says about the way to the server; None where it says nothing."""
    found: tuple[FaultKind, str] | None = None
    match cause:
        case ssl.SSLCertVerificationError() if hasattr(cause, "verify_message"):
            problem = f"the server's certificate is not trusted: {cause.verify_message}"
            found = FaultKind.ACCESS, f"{problem}; {AUTHORITY}"
        case socket.gaierror(errno=socket.EAI_AGAIN):
            found = FaultKind.CONNECTION, f"the server's name cannot be looked up; {PROXY}"
        case socket.gaierror():
            found = FaultKind.ACCESS, NO_SERVER
        case UnicodeError() if getattr(cause, "encoding", "idna") == "idna":  # of names, not texts
            found = FaultKind.ACCESS, NO_SERVER
        case ConnectionRefusedError():
            found = FaultKind.CONNECTION, f"the server refuses connections; {PROXY}"
        case OSError() if cause.errno in _NO_WAY:
            found = FaultKind.CONNECTION, f"the network does not lead to the server; {PROXY}"
    return found


def _kind(error: Exception, status: int | None, told: FaultKind | None) -> FaultKind:
    for code in (getattr(error, "provider_error_code", None), *_named(error)):
        if code in _CODES:
            return _CODES[code]
    if status == 403 and _is_moderation(error):
        return FaultKind.REFUSED
    if told is not None:
        return told
    if status is None:
        return FaultKind.GARBLED
    if status == 400 and _TOO_LONG.search(_words_of(error)):
        return FaultKind.OVERFLOW
    return _STATUS.get(status, FaultKind.SERVER if status >= 500 else FaultKind.REJECTED)


def _named(error: Exception) -> list[str]:
    """Code and type of an error as its body names them."""
    return [str(_inner(error).get(name)) for name in ("code", "type")]


def _is_moderation(error: Exception) -> bool:
    """Whether a 403 is about this one prompt and not about who asks."""
    metadata = _inner(error).get("metadata")
    if isinstance(metadata, Mapping) and {"flagged_input", "reasons"} & set(metadata):
        return True
    message = _words_of(error)
    return bool(_MODERATED.search(message)) and not _ABOUT_THE_CALLER.search(message)


def _words_of(error: Exception) -> str:
    """Message, type and code of an error in lower case, to look for words in."""
    inner = _inner(error)
    words = [str(inner.get(name) or "") for name in ("message", "type", "code", "status")]
    return " ".join(words if inner else [str(error)])[:2000].lower()


def _inner(error: Exception) -> Mapping[str, Any]:
    """The object that describes an error in the body of the answer; empty if there is none."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _detail(error: Exception, status: int | None, key: str | None) -> str:
    """One line for a person: the status and what the provider said, the key aside."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    message = inner.get("message", inner) if isinstance(inner, Mapping) else inner
    text = str(message or error)
    # Before it is cut, which could leave half of the key.
    line = " ".join(unkeyed(text, key).split())[:300]
    return line if status is None else f"status {status}: {line}"


def _wait(headers: Mapping[str, str], error: Exception) -> float | None:
    """Seconds to wait: in milliseconds, in seconds, or until a date, as the header gives it."""
    milliseconds = retry_after(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = retry_after(headers.get("retry-after"))
    return retry_after(str(getattr(error, "retry_after", ""))) if seconds is None else seconds
