"""What an address says by itself: its site, and whether it is a front page."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote, urlsplit

_HOME_NAME: Final = re.compile(
    r"(?:index|default|home|main)(?:\.\w{2,5})?"
    r"|(?:en|zh|de|fr|es|pt|it|ja|ko|ru|ar|nl|pl|sv|da|no|nb|fi|tr|cs|he|hi|id|vi|th|uk|el|hu|ro)"
    r"(?:[-_][a-z]{2,4})?",
    re.IGNORECASE,
)


_TOLD: Final = re.compile(
    r"(?:utm_\w+|ref\w*|from|src|source|lang|redirect\w*|error|404)(?:=[^&]*)?"
)
"""A parameter that says whence a visitor comes, and does not choose a page."""


def is_home(url: str) -> bool:
    """Whether it is the front page of a site, or of one of its languages."""
    parts = _parts(url)
    if parts is None or not all(map(_TOLD.fullmatch, filter(None, parts[2].split("&")))):
        return False
    names = [name for name in parts[1].split("/") if name]
    return len(names) <= 2 and all(_HOME_NAME.fullmatch(name) for name in names)


def same_site(one: str, other: str) -> bool:
    """Whether the hosts are one, or one is part of the other."""
    hosts = sorted(
        (re.sub(r"^(?:www\d?|m|mobile|amp)\.", "", host_of(each)) for each in (one, other)), key=len
    )
    return hosts[0] == hosts[1] or (hosts[0].count(".") > 0 and hosts[1].endswith("." + hosts[0]))


def host_of(url: str) -> str:
    """Its host; empty if there is none."""
    return (_parts(url) or ("", "", ""))[0]


def _parts(url: str) -> tuple[str, str, str] | None:
    """Host, path and query of an address; None if it is not one."""
    try:
        split = urlsplit(url)
        return split.hostname or "", unquote(split.path), split.query
    except ValueError:
        return None
