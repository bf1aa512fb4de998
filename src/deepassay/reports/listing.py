"""The reference list that DeepAssay writes: `[n] title: address`, one line each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from deepassay.reports.removal import bare_host
from deepassay.reports.report import Report
from deepassay.text import HAN_CHARACTER, canonical, match_url

Language = Literal["en", "zh"]
HEADINGS: Final[Mapping[Language, str]] = {"en": "References", "zh": "参考文献"}


_NO_PAGE: Final = re.compile(r"[\s\x00-\x20]*(?:javascript|data|vbscript|file)\s*:", re.IGNORECASE)
"""How addresses begin that run, hold or open something instead of naming a page."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page that may be cited. url: empty where it is none, or names no page."""

    url: str
    title: str = ""

    def __post_init__(self) -> None:
        if _NO_PAGE.match(self.url):
            object.__setattr__(self, "url", "")


def reference_list(sources: Sequence[Source], body: str, language: Language | None = None) -> str:
    """The list of numbered sources as it stands below `body`, whose language it takes.

    One without address and title holds its number and is left out.
    """
    chinese = len(HAN_CHARACTER.findall(body)) * 4 > len(body)
    name = HEADINGS[language or ("zh" if chinese else "en")]
    entries = [
        f"[{number}] {_entry(each)}"
        for number, each in enumerate(sources, start=1)
        if each.url or each.title
    ]
    return "\n".join([f"## {name}", "", *entries, ""])


@lru_cache(maxsize=4096)
def _entry(source: Source) -> str:
    """Title and address, so that the reader of lists finds this address and no other."""
    address, host = address_in_list(source.url), bare_host(source.url)
    if not address:
        return title_in_list(source)
    for title in (title_in_list(source), host):
        (entry, *more) = Report(f"## References\n\n[1] {title}: {address}\n").references
        if not more and entry.urls == (address,) and entry.key == "1":
            return f"{title}: {address}"
    return f"{host}: {address}"


def title_in_list(source: Source) -> str:
    """A title without what would end a label or begin an address or code, or the host."""
    title = re.sub(r"[\[\]<>|\\`]|https?://|\bwww\.|\$\$", " ", source.title[:400])
    return " ".join(title.split()) or bare_host(source.url)


_CAMPAIGN: Final = re.compile(r"(?<=[?&])utm_[^&#]*(?:&|(?=#)|\Z)", re.IGNORECASE)
_UNQUOTED: Final = re.compile(r"[^\w!#$%&'*+\-./:;=?@~,]|[*~'!.,:;?]\Z", re.ASCII)


def address_in_list(url: str) -> str:
    """An address as a list or a link can hold it, without parameters of campaigns and quotes."""
    address = _CAMPAIGN.sub("", url.strip().partition("#:~:")[0])
    address = re.sub(r"[?&]+(?=#|\Z)", "", address)
    address = re.sub(r"\s", "%20", address)
    if address.count("(") != address.count(")"):
        address = address.replace("(", "%28").replace(")", "%29")
    if match_url(address, 0, len(address)) not in (None, len(address)):
        address = _UNQUOTED.sub(
            lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")),
            address,
        )
    return address


@lru_cache(maxsize=4096)
def page_of(url: str) -> str:
    """By what a source is known: the canonical form of its address as a list holds it."""
    return canonical(address_in_list(url))


def is_citable(source: Source) -> bool:
    """Whether a source has an address of the web that a list can hold."""
    address = address_in_list(source.url)
    return match_url(address, 0, len(address)) == len(address)


def unaddressed(title: str) -> str:
    """What stands for the page of an entry without an address."""
    return f"#{title_in_list(Source('', title))}"
