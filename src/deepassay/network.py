"""What every way to the network has in common: whom it trusts, which proxy, how it fails."""

from __future__ import annotations

import math
import os
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from deepassay.errors import BadSetting

KEPT: Final = 30.0
"""Seconds that a connection waits for work: what forwards it may drop it without a word."""

LONGEST_HEADER: Final = 100 * 1024
"""Bytes; gateways send long ones."""


def is_plain(encoding: str) -> bool:
    """Whether a Content-Encoding says that a body is as it is."""
    return encoding.strip().lower() in ("", "identity")


def trust() -> ssl.SSLContext:
    """The authorities that SSL_CERT_FILE and SSL_CERT_DIR name, or else the system's.

    Raises BadSetting where a variable names what is not there, which OpenSSL would pass over.
    """
    return _trust(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache  # reading all authorities takes 20 ms
def _trust(file: str | None, folders: str | None) -> ssl.SSLContext:
    if file and not Path(file).is_file():
        raise BadSetting(
            f"SSL_CERT_FILE is {file}, and there is no such file.",
            "Name a file of certificates (PEM), or unset the variable.",
        )
    if folders and not any(Path(each).is_dir() for each in folders.split(os.pathsep)):
        raise BadSetting(
            f"SSL_CERT_DIR is {folders}, and there is no such folder.",
            "Name a folder of certificates, or unset the variable.",
        )
    return ssl.create_default_context()


def proxy_of(url: str) -> str | None:
    """The proxy of the environment for an address: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY.

    None where there is none. aiohttp's `trust_env` would send passwords of ~/.netrc besides.
    """
    parts = urlsplit(url)
    if proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{found}" if found and "://" not in found else found


def unusable_proxy(problem: object) -> BadSetting:
    """The error of a proxy of the environment that cannot be used."""
    return BadSetting(
        f"The proxy of the environment cannot be used: {problem}",
        "Write HTTPS_PROXY as http://HOST:PORT.",
    )


def retry_after(value: str | None) -> float | None:
    """The seconds that a Retry-After header asks for (a number or a date), from 0, or None."""
    try:
        seconds = float(value or "")
    except ValueError:
        try:
            when = parsedate_to_datetime(value or "")
            seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError, OverflowError):  # the last: an offset of centuries
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and those behind it. A group has one for each address that was tried."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for each in error.exceptions:
                yield from causes(each)
        # Some libraries raise "from None": what lies behind is then the context only.
        error = error.__cause__ or error.__context__
