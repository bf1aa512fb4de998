"""What keeps the page harmless: visible controls, web addresses only, a policy that allows nothing.

Every value passes `shown` on its way into a template, and Jinja escapes it afterwards.
"""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Final
from urllib.parse import urlsplit

from markupsafe import Markup

# Controls but for tab and line ends, marks that reorder what is shown, and halves of characters.
_UNSHOWN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ufffe\uffff\ud800-\udfff]"
)
_ESCAPE: Final = 0x20


def shown(value: object) -> str:
    """The text of a value with a picture of a control, or `�`, for what a reader cannot see."""
    if isinstance(value, Markup):
        return value
    text = str(value)
    return text if text.isprintable() else _UNSHOWN.sub(_picture, text)  # most texts are


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < _ESCAPE else "\ufffd"


def web_address(url: str) -> str | None:
    """The address if one may be led to it: http or https with a host, else None."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in {"http", "https"} and parts.netloc else None


def policy(style: str) -> str:
    """A content security policy under which nothing is loaded and only this style applies."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
